"""Completion in real shells, from the real parsers."""

from __future__ import annotations

import os
import pty
import re
import select
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from trueline.cli import main
from trueline.cli.commands import COMMANDS
from trueline.cli.completion_words import completed_commands

_BASH = """
source "$1"; shift
COMP_WORDS=(trueline "$@"); COMP_CWORD=$(( ${#COMP_WORDS[@]} - 1 ))
$(complete -p trueline | sed 's/.*-F \\([^ ]*\\) .*/\\1/')
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("completion") / "trueline.bash"
    path.write_text(printed("bash"))
    return path


def printed(shell: str) -> str:
    import contextlib
    import io

    with contextlib.redirect_stdout(io.StringIO()) as out:
        assert main(["completion", shell]) == 0
    return out.getvalue()


def completed(script: Path, *words: str) -> list[str]:
    """What real bash offers for the last word."""
    done = subprocess.run(
        ["bash", "--norc", "-c", _BASH, "bash", str(script), *words],
        capture_output=True, text=True, check=True, cwd=script.parent,
    )  # fmt: skip
    assert done.stderr == ""
    return done.stdout.split()


def test_commands_and_subcommands_are_offered(script: Path) -> None:
    assert set(COMMANDS) <= set(completed(script, ""))
    assert completed(script, "me") == ["metrics"]
    assert completed(script, "guard", "ben") == ["bench"]
    assert completed(script, "judge", "summ") == ["summary"]
    assert completed(script, "completion", "") == ["bash", "zsh", "fish"]


@pytest.mark.parametrize("words", [("run",), ("metrics",), ("guard", "bench"), ("judge",), ("judge", "summary")])
def test_what_is_offered_is_what_the_help_shows(
    script: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    with pytest.raises(SystemExit):
        main([*words, "--help"])
    shown = capsys.readouterr().out
    listed = {
        name for line in re.findall(r"^  (-.*)$", shown, re.M) for name in re.findall(r"(?<![\w-])--[\w-]+", line)
    }
    offered = set(completed(script, *words, "--"))
    assert len(offered) > 8 and offered <= listed
    # What the help names beside a flag (`goes with --x`) is no flag of its own.
    assert {name for name in listed if re.search(rf"^  (-\w, )?{name}\b", shown, re.M)} <= offered


def test_the_values_of_a_flag_are_offered_and_no_others(script: Path) -> None:
    assert completed(script, "run", "--guard_exhausted", "") == ["skip", "fail", "stop", "ask"]
    assert completed(script, "run", "--kind", "benign", "mis") == ["misuse"]
    assert completed(
        script,
        "run",
        "--guard-exhausted",
        "s",
    ) == ["skip", "stop"]
    assert completed(script, "run", "--progress", "=", "r") == ["rich"]
    assert completed(script, "run", "--repeats", "") == []


def test_both_spellings_are_completed(script: Path) -> None:
    assert completed(script, "run", "--num_e") == ["--num_envs"]
    assert completed(script, "run", "--num-e") == ["--num-envs"]


def test_files_are_offered_where_files_are_read(script: Path) -> None:
    (script.parent / "results dir").mkdir(exist_ok=True)
    assert completed(script, "metrics", "--run-dirs", "res") == ["results", "dir"]
    assert completed(script, "judge", "res") == ["results", "dir"]
    assert completed(script, "run", "--model", "res") == []


def test_every_command_can_be_completed() -> None:
    found = {command.path[0] for command in completed_commands() if command.path}
    assert found == set(COMMANDS)
    assert all(command.flags for command in completed_commands())


def test_another_shell_is_refused_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "tcsh"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.full
def test_fish_completes(tmp_path: Path) -> None:
    if shutil.which("fish") is None:
        pytest.skip("needs fish")
    (tmp_path / "trueline.fish").write_text(printed("fish"))
    asked = ("trueline me", "trueline run --guard_exhausted s", "trueline guard bench --detec", "trueline judge summ")
    lines = "; ".join(f"complete -C {line!r}" for line in asked)
    done = subprocess.run(
        ["fish", "--no-config", "-c", f"source trueline.fish; {lines}"],
        capture_output=True, text=True, check=True, cwd=tmp_path, env={**os.environ, "HOME": str(tmp_path)},
    )  # fmt: skip
    assert done.stderr == ""
    assert [line.split("\t")[0] for line in done.stdout.splitlines()] == [
        "metrics", "skip", "stop", "--detector", "summary",
    ]  # fmt: skip


@pytest.mark.full
@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("trueline me", "<trueline metrics>"),
        ("trueline run --num_e", "<trueline run --num_envs>"),
        ("trueline guard bench --detec", "<trueline guard bench --detector>"),
        ("trueline run --guard_exhausted f", "<trueline run --guard_exhausted fail>"),
        ("trueline metrics --run-dirs only-f", "<trueline metrics --run-dirs only-folder>"),
    ],
)
def test_zsh_completes(tmp_path: Path, typed: str, expected: str) -> None:
    if shutil.which("zsh") is None:
        pytest.skip("needs zsh")
    (tmp_path / "only-folder").mkdir()
    (tmp_path / "trueline.zsh").write_text(printed("zsh"))
    (tmp_path / ".zshrc").write_text("autoload -Uz compinit; compinit -u; source ./trueline.zsh; PROMPT='READY> '\n")
    assert expected in typed_in_zsh(tmp_path, typed)


def typed_in_zsh(folder: Path, typed: str) -> str:
    """Type and press Tab in a real zsh on a terminal; return what stands there then."""
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(folder)
        env = {"PATH": os.environ["PATH"], "ZDOTDIR": str(folder), "HOME": str(folder), "TERM": "dumb"}
        os.execvpe("zsh", ["zsh", "-i"], env)
    try:
        read_until(terminal, "READY> ")
        os.write(terminal, typed.encode())
        read_until(terminal, typed)
        # Ctrl-A, `echo` in front and Ctrl-E show the line as it stands after the completion.
        os.write(terminal, b"\t\x01echo '<\x05>'\n")
        return read_until(terminal, ">\r\n")
    finally:
        os.close(terminal)
        os.waitpid(child, 0)


def read_until(terminal: int, what: str) -> str:
    """Read until these characters have come."""
    seen, end = "", time.monotonic() + 30
    while what not in seen:
        ready, _, _ = select.select([terminal], [], [], max(0.0, end - time.monotonic()))
        assert ready, seen
        seen += os.read(terminal, 4096).decode(errors="replace")
    return seen
