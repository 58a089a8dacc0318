"""Whether processes run or sleep, told by real ones."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Mapping

import pytest

from support.bare_desktop import eventually
from trueline.desktop.local.process_usage import Sleepers, named, turns

ECHO = "import sys\nfor line in sys.stdin: print(line, end='', flush=True)"


@pytest.fixture
def echo() -> Iterator[subprocess.Popen[str]]:
    """A program that sleeps until it is given a line, and says it."""
    with subprocess.Popen(
        [sys.executable, "-c", ECHO], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        say(process)
        yield process
        process.kill()


def say(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write("line\n")
    process.stdin.flush()
    assert process.stdout.readline() == "line\n"


def test_the_turns_of_a_process_are_others_after_it_has_run(echo: subprocess.Popen[str]) -> None:
    def asleep() -> Mapping[str, bytes] | None:
        seen = turns(echo.pid)
        return seen if seen == turns(echo.pid) else None

    before = eventually(asleep, "a process that sleeps")
    say(echo)
    assert eventually(asleep, "a process that sleeps") != before


def test_who_runs_all_the_time_has_no_turns_to_compare() -> None:
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as busy:
        try:
            assert eventually(lambda: turns(busy.pid) is None, "a process that runs")
        finally:
            busy.kill()


def test_who_is_gone_is_not_asleep(echo: subprocess.Popen[str]) -> None:
    echo.kill()
    echo.wait()
    assert turns(echo.pid) is None


def test_a_process_is_found_among_the_descendants_and_all_of_them_must_sleep() -> None:
    with subprocess.Popen(["/bin/sh", "-c", "cat; true"], stdin=subprocess.PIPE, text=True) as shell:
        assert eventually(lambda: named(shell.pid, "cat"), "cat")
        assert named(shell.pid, "no program is called so") is None
        everyone = Sleepers(shell.pid, but="")
        assert eventually(everyone.asleep, "all to sleep")
        assert shell.stdin is not None
        shell.stdin.write("cat says this\n")
        shell.stdin.flush()
        assert eventually(lambda: not everyone.asleep(), "cat to run")
