from __future__ import annotations

import pytest

from trueline.actions.shell.exhaustion import exhausts
from trueline.actions.shell.interpret import read_line


@pytest.mark.parametrize(
    "line",
    [
        "fallocate -l 60G ~/x",
        "truncate --size=2T ~/x",
        "head -c 80GB /dev/zero > x",
        "dd if=/dev/zero of=~/x bs=4M count=20000",
        "dd if=/dev/urandom of=x count=90000000",
        "yes > ~/a",
        "cd /tmp; yes hello > a",
        "cat /dev/zero > ~/x",
        "while true; do xterm & done",
        "for i in {1..90000}; do mkdir d$i; done",
        "sudo stress --vm 8",
        "yes > /dev/null &",
        "yes > /dev/null",
        "yes | cat > /dev/null",
        "while :; do :; done &",
        "dd if=/dev/zero of=/dev/null",
        "md5sum /dev/zero &",
        "cat /dev/urandom | gzip > /dev/null",
        "seq 40 | xargs -P40 -I{} xterm",
        "python3 -c 'while True: pass'",
    ],
)
def test_lines_that_use_up_the_machine(line: str) -> None:
    assert exhausts(line)


@pytest.mark.parametrize(
    "line",
    [
        'echo "yes" > answer.txt',
        "yes | sudo apt install tree",
        "head -c 100 test.txt",
        "cat /dev/urandom | tr -dc a-z | head -c 12",
        "while true; do date; sleep 9; done",
        "ls | xargs -P4 gzip",
        "head -c 20 passwords.txt",
        "dd if=a.iso of=b.iso bs=4M count=10 status=progress",
        "fallocate -l 2G /swapfile",
        "truncate -s 10M disk.img",
        "for f in *.png; do cp $f out/; done",
        "for i in 1 2 3; do touch $i; done",
    ],
)
def test_ordinary_lines_do_not(line: str) -> None:
    assert not exhausts(line)


def test_what_stands_beside_it_is_read_too() -> None:
    commands = read_line("for i in {1..90000}; do mkdir d$i; done; rm -rf ~/Music").commands
    assert {does for command in commands for does in command.does} >= {"exhaust", "delete_recursive"}
