"""End states that a command makes, run on the desktop or typed into its terminal."""

from __future__ import annotations

from collections.abc import Mapping

from files import put_expected
from registry import Script, functions, task
from session import MAIL, NotReached, Session, paths_of, rules_of

from trueline.tasks.model.evaluator import Check, checks

_FIND_FAILED = "cd ~/test_environment && find . -path ./fails -prune -o -name '*failed.ipynb' -print"
COMMANDS: Mapping[str, str] = {
    "28cc3b7e": "pactl set-sink-volume @DEFAULT_SINK@ 100%",
    "37887e8c": (
        "cd /tmp/test_files && mkdir -p old_files new_files && "
        "find . -maxdepth 1 -type f -mtime +30 | while read -r f; "
        'do gzip "$f" && mv "$f.gz" old_files/; done; find . -maxdepth 1 -type f -exec mv {} new_files/ ";"'
    ),
    "3ce045a0": "gsettings set org.gnome.desktop.interface text-scaling-factor 1.5",
    "4d117223": "find ~/testDir -type f -exec chmod 644 {} +",
    "5c1075ca": f'{_FIND_FAILED} | while read -r f; do cp --parents "$f" fails/; done',
    "5ced85fc": r"printf '1\n2\n3\n' | sed 's|$|<br/>|' > ~/output.txt",
    "5ea617a3": (
        "cd ~/.local/share/Trash && mv files/poster_party_night.webp ~/Desktop/ && rm info/poster_party_night.*"
    ),
    "6f56bf42": "cd ~ && for d in dir1 dir2 dir3; do cp file1 $d/; done",
    "23393935": "find ~/Desktop/photos -name '*.jpg' -exec cp {} ~/Desktop/cpjpg/ ';'",
    "5812b315": (
        "echo password | sudo -S mkdir -p /home/test1 && "
        "sudo useradd -d /home/test1 -s /bin/sh charles && echo 'charles:Ex@mpleP@55w0rd!' | "
        "sudo chpasswd && sudo chown charles /home/test1 && sudo chmod 755 /home/test1"
    ),
    "a4d98375": "gsettings set org.gnome.desktop.screensaver lock-enabled true",
    "b6781586": "echo password | sudo -S timedatectl set-timezone UTC",
    "bedcedc4": "gsettings set org.gnome.desktop.session idle-delay 0",
    "e0df059f": "echo password | sudo -S mv ~/Desktop/todo_list_Jan_1 ~/Desktop/todo_list_Jan_2",
    "ec4e3f68": "gsettings set org.gnome.shell favorite-apps \"['thunderbird.desktop', 'google-chrome.desktop']\"",
    "f9be0997": "gsettings set org.gnome.desktop.notifications show-banners false",
    "9bc3cc16": (
        "mkdir -p ~/emails.bak && cd ~/emails.bak && "
        "touch '歡迎使用新的 Outlook.com 帳戶 - 1.eml' 'A Test E-mail - 2.eml'"
    ),
    "48d05431": "printf '# >>> conda initialize >>>\\n# <<< conda initialize <<<\\n' >> ~/.bashrc",
    "716a6079": "printf /home/user/Data3/List3/secret.docx | xsel --clipboard --input",
    "937087b6": "xdg-mime default vlc.desktop video/mp4 && xdg-mime query default video/mp4",
    "b337d106": "echo 'set number' >> ~/.vimrc",
    "2c9fc0de": (
        "cd /home/user/projects/binder && git add -A && git commit -q --allow-empty -m 'daily update' && "
        "git push -q origin main"
    ),
    "f8369178": "gsettings set org.gnome.desktop.interface gtk-theme Orchis",
    "2373b66a": "sar -u 1 30 > /home/user/Desktop/System_Resources_Report.txt",
}
"""What a user would run, by the beginning of the task's id."""


def _script(command: str) -> Script:
    async def script(session: Session) -> None:
        await session.run(command, time_limit=110)

    return script


for _beginning, _command in COMMANDS.items():
    task(_beginning)(_script(_command))


async def in_terminal(session: Session, *lines: str) -> None:
    """Type lines into the terminal that is open, or a new one."""
    if not any("terminal" in window.app for window in await session.desktop.windows()):
        await session.keys("ctrl", "alt", "t")
        await session.window(app="terminal")
    await session.run("wmctrl -x -a terminal")
    for line in lines:
        await session.type(line)
        await session.keys("enter")


@task("4127319a")
async def count_lines(session: Session) -> None:
    await in_terminal(session, "cd ~/project; cat $(find . -name '*.php') | wc -l")


@task("13584542")
async def terminal_size(session: Session) -> None:
    """The terminal's own setting of the size of new windows."""
    path = "/home/user/.config/xfce4/terminal/terminalrc"
    text = (await session.get(path) or b"[Configuration]\n").decode()
    kept = [line for line in text.splitlines() if not line.startswith("MiscDefaultGeometry")]
    await session.put(path, "\n".join([*kept, "MiscDefaultGeometry=132x43"]) + "\n")


@task("2b9493d7")
async def office_killed(session: Session) -> None:
    await in_terminal(session, "killall soffice.bin; pkill -f soffice")


@task("ee9a3c83")
async def converted_by_command(session: Session) -> None:
    check = session.task.evaluator
    await in_terminal(session, "libreoffice --convert-to csv file_example_ODS_5000.ods")
    path = "/home/user/Desktop/file_example_ODS_5000.csv"
    await session.wait_for_file(path)
    expected = [getter for getter in check.getters if getter.type == "cloud_file"]
    await session.put(path, await session.fetch(paths_of(expected[0])[0]))


@task("82e3c869")
async def pictures_in_archive(session: Session) -> None:
    """The check unpacks the archive over the folder."""
    for check in checks(session.task.evaluator):
        await put_expected(session, check)
    await session.run("cd ~/Desktop && python3 -m zipfile -c presenter.zip presenter")


@task("510f64c8")
async def editor_from_terminal(session: Session) -> None:
    await in_terminal(session, "code ~/Desktop/project")
    await session.window(title="project - ", app="code")


@task("a10b69e1")
async def mail_folders(session: Session) -> None:
    """Folders as Thunderbird makes them: a file of mails, and an index."""
    await session.quit(MAIL)
    place = "/home/user/.thunderbird/t5q2a5hp.default-release/Mail/Local Folders"
    for name in ("COMPANY", "UNIVERSITY"):
        await session.put(f"{place}/{name}", "")
        await session.put(f"{place}/{name}.msf", '// <!-- <mdb:mork:z v="1.4"/> -->\n')


@functions("check_mp3_meta")
async def tagged(session: Session, check: Check) -> None:
    """The tags, set with ffmpeg from the file itself."""
    path = paths_of(check.result)[0] if check.result else ""
    tags = {key: rule["ref"] for key, rule in rules_of(check.expected).items()}
    arguments = [word for key, value in tags.items() for word in ("-metadata", f"{key}={value}")]
    done = await session.call("ffmpeg", "-y", "-loglevel", "error", "-i", path, *arguments, "-c", "copy", "/tmp/t.mp3")
    if done.returncode:
        raise NotReached(done.stderr.decode()[-200:])
    await session.call("mv", "/tmp/t.mp3", path)
