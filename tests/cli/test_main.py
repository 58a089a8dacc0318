from __future__ import annotations

import subprocess
import sys

import pytest

from trueline import __version__
from trueline.cli import main
from trueline.cli.commands import COMMANDS
from trueline.cli.parser import Parser, dashed
from trueline.errors import InputError


def test_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    out = capsys.readouterr().out
    assert all(f"  {name} " in out for name in COMMANDS)
    assert main([]) == 0


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"trueline {__version__}\n"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([name, "--help"])
    assert ended.value.code == 0
    assert f"usage: trueline {name}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["metrix"], "trueline: unknown command 'metrix'; did you mean metrics?"),
        (["\x1b[2J"], r"trueline: unknown command '\x1b[2J'; see trueline --help"),
        (["metrics", "--rundirs", "a"], "trueline metrics: unknown flag --rundirs, did you mean --run-dirs? "),
        (["metrics"], "trueline metrics: "),
        (["metrics", "--run-dirs", "a", "--k", "x"], "trueline metrics: argument --k"),
    ],
)
def test_wrong_words_give_one_line_and_exit_2(words: list[str], line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(line.replace("\\\\", "\\"))
    assert err.count("\n") == 1


def test_the_program_is_installed_and_runs() -> None:
    done = subprocess.run([sys.executable, "-m", "trueline", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("trueline ")


def test_a_closed_pipe_is_no_error() -> None:
    done = subprocess.run(
        f"{sys.executable} -m trueline --help | head -n 1", shell=True, capture_output=True, text=True, check=True
    )
    assert done.stdout.count("\n") == 1
    assert done.stderr == ""


def test_flags_are_the_same_with_dashes_and_underscores() -> None:
    words = ["--run_dirs=a_b", "x_y", "--k", "1", "--", "--keep_this"]
    assert dashed(words) == ["--run-dirs=a_b", "x_y", "--k", "1", "--", "--keep_this"]
    parser = Parser(prog="p")
    parser.add_argument("--run-dirs", nargs="+")
    assert parser.parse_args(["--run_dirs", "a", "b_c"]).run_dirs == ["a", "b_c"]
    with pytest.raises(InputError, match=r"unknown flag --rundir, did you mean --run-dirs\?"):
        parser.parse_args(["--rundir", "a"])
