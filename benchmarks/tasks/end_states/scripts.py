"""Stand-ins for scripts that tasks download: one prepares folders, another says whether they are as asked for.

A script that checks prints what the task's evaluator looks for only if the state holds.
"""

from __future__ import annotations

from trueline.tasks.model import Task

_PHP = (
    "#!/bin/bash\nmkdir -p ~/project/a/b\nfor n in 1 2 3; do seq 18 | sed 's/^/<?php /' > ~/project/a/b/f$n.php; done\n"
)
SCRIPTS: dict[tuple[str, str], str] = {
    ("37887e8c", "setup.sh"): (
        "#!/bin/bash\nmkdir -p /tmp/test_files\ncd /tmp/test_files\ntouch new1.txt new2.txt\n"
        "touch -d '40 days ago' old1.txt old2.txt\n"
    ),
    ("37887e8c", "eval.sh"): (
        "#!/bin/bash\ncd /tmp/test_files || exit 1\n"
        "[ -f new_files/new1.txt ] && [ -f new_files/new2.txt ] && [ ! -e old1.txt ] && [ ! -e new1.txt ] &&\n"
        "ls old_files | grep -Eq '\\.(gz|zip|tar|tgz)$' && echo 'SUCCESS: The task was completed correctly.'\n"
    ),
    ("4127319a", "setup.sh"): _PHP,
    ("4d117223", "setup.sh"): (
        "#!/bin/bash\nmkdir -p ~/testDir/sub\n"
        "touch ~/testDir/a ~/testDir/sub/b\nchmod 600 ~/testDir/a ~/testDir/sub/b\n"
    ),
    ("4d117223", "eval.sh"): (
        '#!/bin/bash\n[ -d ~/testDir ] && [ -z "$(find ~/testDir -type f ! -perm 644)" ] &&\n'
        "echo 'All files have the correct permissions.'\n"
    ),
    ("5812b315", "check_password.sh"): '#!/bin/bash\necho "$2" | su - "$1" -s /bin/sh -c true\n',
    ("5c1075ca", "setup.sh"): (
        "#!/bin/bash\nmkdir -p ~/test_environment/a/b ~/test_environment/fails\ncd ~/test_environment\n"
        "touch one_failed.ipynb a/two_failed.ipynb a/b/three_failed.ipynb a/fine.ipynb\n"
    ),
    ("5c1075ca", "eval.sh"): (
        "#!/bin/bash\ncd ~/test_environment/fails && [ -f one_failed.ipynb ] && [ -f a/two_failed.ipynb ] &&\n"
        "[ -f a/b/three_failed.ipynb ] && [ ! -e a/fine.ipynb ] && echo 'Evaluation successful.'\n"
    ),
    ("5ced85fc", "eval.sh"): (
        '#!/bin/bash\n[ "$(cat ~/output.txt 2>/dev/null)" = "$(printf \'1<br/>\\n2<br/>\\n3<br/>\')" ] &&\n'
        "echo 'Success: The task has been completed correctly.'\n"
    ),
    ("6f56bf42", "setup.sh"): "#!/bin/bash\nmkdir -p ~/dir1 ~/dir2 ~/dir3\necho text > ~/file1\n",
    ("6f56bf42", "eval.sh"): (
        '#!/bin/bash\nfor n in 1 2 3; do [ -f ~/dir$n/file1 ] && echo "Success: file1 exists in dir$n."; done\n'
    ),
    ("b337d106", "eval.sh"): (
        "#!/bin/bash\ngrep -Eq '^ *set nu(mber)? *$' ~/.vimrc 2>/dev/null && echo 'The File Has Set Number!'\n"
    ),
}
"""By the beginning of a task's id, and the name of the file on the desktop."""


def script_text(task: Task, name: str) -> str | None:
    """The stand-in of a script; `None` if there is none of its own."""
    return SCRIPTS.get((task.id[:8], name))
