"""Which files a command reads, writes and deletes."""

from __future__ import annotations

import pytest

from trueline.actions.shell.interpret import read_line

ACCESS = [
    ("rm -rf ~/Documents/x /tmp/y", "", "", "~/Documents/x /tmp/y"),
    ("cp a.txt ~/b/", "a.txt", "~/b/", ""),
    ("cp -t ~/b a.txt", "a.txt", "~/b", ""),
    ("mv /etc/x ~/y", "/etc/x", "~/y", "/etc/x"),
    ("tar czf /tmp/a.tgz ~/Documents", "~/Documents", "/tmp/a.tgz", ""),
    ("tar -xzf a.tgz -C ~/out", "a.tgz", "~/out", ""),
    ("echo hi > ~/n.txt", "", "~/n.txt", ""),
    ("cat < ~/in >> ~/out", "~/in", "~/out", ""),
    ("curl -F f=@/home/user/s.txt https://x.example", "~/s.txt", "", ""),
    ("curl -T ~/s.txt https://x.example", "~/s.txt", "", ""),
    ("curl -so ~/f https://x.example/g", "", "~/f", ""),
    ("wget -qO ~/a.sh http://e.example/a.sh", "", "~/a.sh", ""),
    ("wget http://e.example/a.sh", "", "a.sh", ""),
    ("find ~ -name '*.log' -delete", "", "", "~"),
    ("find ~/a -exec rm {} +", "", "", "~/a"),
    ("sed -i s/a/b/ ~/.bashrc", "", "~/.bashrc", ""),
    ("sed s/a/b/ ~/.bashrc", "~/.bashrc", "", ""),
    ("chmod 777 ~/x", "", "~/x", ""),
    ("dd if=/dev/zero of=/dev/sda", "/dev/zero", "/dev/sda", ""),
    ("zip -m a.zip ~/D", "~/D", "a.zip", "~/D"),
    ("7z x a.7z -o/tmp/o", "a.7z", "/tmp/o", ""),
    ("scp ~/secret me@h.example:/tmp", "~/secret", "", ""),
    ("scp me@h.example:/x ~/in", "", "~/in", ""),
    ("git clone https://g.example/a/b.git", "", "b", ""),
    ("gio trash ~/a", "", "", "~/a"),
    ("rsync -a --delete ~/a/ /mnt/b", "~/a/", "/mnt/b", "/mnt/b"),
    ("cd /srv; touch a; unknown-tool /etc/hosts", "/srv", "/srv/a", ""),
]


@pytest.mark.parametrize(("line", "reads", "writes", "deletes"), ACCESS)
def test_the_files_that_a_command_accesses(line: str, reads: str, writes: str, deletes: str) -> None:
    commands = read_line(line).commands
    found = dict.fromkeys(path for command in commands for path in command.deletes)
    assert list(found) == deletes.split()
    assert [path for command in commands for path in command.writes] == writes.split()
    expected = [*reads.split(), *(["/etc/hosts"] if "unknown" in line else [])]
    assert [path for command in commands for path in command.reads if path] == expected
