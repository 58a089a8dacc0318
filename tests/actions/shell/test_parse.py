"""What of a line is understood: commands in every construct are found, and what is not certain is said to be so."""

from __future__ import annotations

import subprocess
import sys

import pytest

from trueline.actions.shell.command import ShellSession
from trueline.actions.shell.interpret import read_line

HIDDEN_PLACES = [
    "cat <<E\nit's $(rm -rf ~)\nE",
    "cat <<-'A' <<B\n$(true)\nA\n`rm -rf ~`\nB",
    "case a in (x|'a)') true;; *) rm -rf ~;; esac",
    "x=$(case a in a) rm -rf ~;; esac)",
    'echo \\"$(rm -rf ~)\\"',
    "echo \\'; rm -rf ~; echo \\'",
    "echo '\\'$(rm -rf ~)",
    "x=$(cat <<'E'\n)'\nE\n) ; rm -rf ~",
    "cat <(rm -rf ~)",
    "echo x > >(rm -rf ~)",
    "coproc rm -rf ~",
    "coproc NAME { rm -rf ~; }",
    "f() { rm -rf ~; }; f",
    'function f { "$@"; }; f rm -rf ~',
    'f() { $1 -rf "$2"; }; f rm ~',
    "a=( $(rm -rf ~) )",
    "echo $(( 1 + 0$(rm -rf ~) ))",
    "(( x = $(rm -rf ~) ))",
    "[[ -n $(rm -rf ~) && ( a == b ) ]]",
    "select x in a; do rm -rf ~; done",
    "until rm -rf ~; do :; done",
    "for ((i = 0; i < 2; i++)) { rm -rf ~; }",
    "trap 'rm -rf ~' EXIT",
    "x=rm; trap '$x -rf ~' EXIT",
    "eval 'rm -rf' '~'",
    "env -S 'rm -rf' /home/user",
    "env -i A=1 timeout -s KILL 5 nohup setsid -w nice -n5 rm -rf ~",
    "echo ~ | xargs -n1 rm -rf",
    "echo ~ | xargs -I % rm -rf %",
    "find ~ -maxdepth 0 -exec sh -c 'rm -rf ~' ';'",
    "{ sh; } <<< 'rm -rf ~'",
    "sh -s -- a <<E\nrm -rf ~\nE",
    "bash -O extglob -c 'rm -rf ~'",
    "bash -c '\"$@\"' _ rm -rf ~",
    "$'\\162m' -rf ~",
    "{r,R}m -rf ~",
    "time -p { ! rm -rf ~; }",
    "flock f -c 'rm -rf ~'",
    "r\\\nm -rf \\\n ~",
    "if true\nthen\n  rm -rf ~\nfi",
    "x=ls; [ a = b ] || x=rm; true && { rm -rf ~; }",
    "echo 'rm -rf ~' > s; cat s | sh",
    "PROMPT_COMMAND='rm -rf ~'",
    "mapfile -C 'rm -rf ~ #' -c 1 < f",
    "# it's (\nrm -rf ~",
    "ls;#'\nrm -rf ~ #'",
    "echo ${x:-$(rm -rf ~)}",
    'echo "${x:-`rm -rf ~`}"',
    "declare -A m=([k]=$(rm -rf ~))",
    "exec rm -rf ~",
    "! time rm -rf ~",
    "echo a |\n\n# why\nrm -rf ~",
]


@pytest.mark.parametrize("line", HIDDEN_PLACES)
def test_a_command_is_found_wherever_it_stands(line: str) -> None:
    found = [command for command in read_line(line).commands if command.program == "rm" and "-rf" in command.words]
    assert any("~" in command.paths for command in found), read_line(line)


@pytest.mark.parametrize("line", HIDDEN_PLACES)
def test_so_it_is_when_the_lines_are_typed(line: str) -> None:
    session, programs = ShellSession(), set[str]()
    for typed in line.split("\n"):
        read = read_line(typed, session)
        programs |= {command.program for command in read.commands}
        session = read.session
    assert "rm" in programs
    assert not session.pending


@pytest.mark.parametrize(
    "line",
    [
        "ls )",
        "echo (ls)",
        "fi",
        "ls;;",
        "if true; then ls",
        "echo 'a",
        "cat <<E\nls",
        "x = (1)",
        "ls &&& ls",
        "echo ${x@P}",
        "echo ${(e)x}",
        "echo $[1+1]",
        'echo "${x:-\'}"}\'"',
        "echo $((ls) | cat)",
        "echo a\x01b",
        '`echo "` ls `"`',
        "cat <<$(ls)\nx\n$(ls)",
        "x='a[$(ls)]'; echo $((x))",
        "read n; (( n > 1 ))",
        "alias if='ls;if'",
        "unset 'a[$(ls)]'",
        "!ls",
        "^a^b",
        "repeat 3 ls",
        "bind -x '\"a\": ls'",
        "exec < commands",
        "BASH_ENV=x bash -c true",
        "nice --unheard-of x ls",
        "$(ls) x",
        "f() { f; f; }; f",
        "( " * 60 + "ls" + " )" * 60,
        "ls" + " | ls" * 2000,
        "a" * 1_000_000,
    ],
)
def test_what_is_not_certain_is_not_understood(line: str) -> None:
    read = read_line(line)
    assert read.not_understood or any("hidden" in command.does for command in read.commands)
    assert not any(command.plain for command in read.commands if read.not_understood)


@pytest.mark.parametrize(
    "line",
    [
        "ls -la ~/Documents | grep -v '^d' | sort -k5 -n > out.txt 2>&1",
        '[ -f a.txt ] && cat a.txt || echo "no a.txt: $?"',
        'for f in *.txt; do mv "$f" "${f%.txt}.md"; done',
        "i=0; while [ $i -lt 3 ]; do i=$((i + 1)); echo $i; done",
        "cat > notes.txt <<'EOF'\nit's (a) `list`\nEOF",
        "sudo apt-get update && sudo apt-get install -y gimp",
        'git commit -m "don\'t panic (yet); see #12"',
        "python3 -m venv .venv; . .venv/bin/activate",
        'mkcd() { mkdir -p "$1" && cd "$1"; }\nmkcd here',
        "find . -name '*.log' -mtime +7 -print0 | xargs -0 ls -l",
        "awk -F: '{ print $1, $NF }' /etc/passwd",
        "sed -i 's/foo(\\(.*\\))/bar[\\1]/g' *.c",
        "case $LANG in de*|fr*) echo yes;; *) echo no;; esac",
        "echo {1..3} $((2 ** 10)) ${HOME} $'a\\tb'",
        'export PATH="$HOME/bin:$PATH"',
        'files=(*.png); echo "${#files[@]}"',
        "diff <(sort a) <(sort b)",
        "ssh-keygen -t ed25519 -N '' -f ~/.ssh/id",
        "if [[ $x =~ ^[0-9]+(\\.[0-9]+)?$ ]]; then echo number; fi",
        "echo done if fi then",
        "make -j4 2>&1 | tee build.log; test ${PIPESTATUS[0]} -eq 0",
        "curl -s 'http://a.example/x?y=1&z=2' -o x.json",
    ],
)
def test_ordinary_lines_are_understood(line: str) -> None:
    read = read_line(line)
    assert read.not_understood == ""
    assert not any("hidden" in command.does for command in read.commands)


@pytest.mark.parametrize(
    "lines",
    [
        ("if true", "then", "rm x", "fi"),
        ("for f in a b; do", "rm $f", "done"),
        ("case x in", "x) rm x;;", "esac"),
        ("echo a &&", "rm x"),
        ("echo 'a", "b'; rm x"),
        ("cat <<E", "rm y", "E"),
        ("f() {", "rm x", "}"),
        ("x=$(", "rm x", ")"),
        ("rm \\", "x"),
        ("((1 +", "2)); rm x"),
    ],
)
def test_a_shell_waits_for_the_end(lines: tuple[str, ...]) -> None:
    session = ShellSession()
    for line in lines[:-1]:
        read = read_line(line, session)
        assert read.commands == () and not read.not_understood
        session = read.session
    read = read_line(lines[-1], session)
    assert read.commands and not read.not_understood and not read.session.pending


def test_a_comment_is_a_command_where_another_shell_may_read_it() -> None:
    assert not read_line("ls # ; rm x", ShellSession()).not_understood
    assert read_line("ls # ; rm x", ShellSession(interactive=True)).not_understood
    assert not read_line("ls # as before", ShellSession(interactive=True)).not_understood


def test_the_lines_before_a_mistake_run_and_what_can_be_recognized_in_it_is_told() -> None:
    read = read_line("rm a\nls ) ; rm b")
    assert read.not_understood
    assert [command.words for command in read.commands if command.program == "rm"] == [("rm", "a"), ("rm", "b")]


@pytest.mark.parametrize(
    "line",
    [
        "x=rm; if a; then x=ls; fi; $x y",
        "x=rm; (x=ls); $x y",
        "x=ls; f() { x=rm; }; f; $x y",
        "x=rm; for i in 1 2; do $x y; x=ls; done",
        "while :; do x=rm; break; x=ls; done; $x y",
        "x=rm; x=ls true; $x y",
        "x=rm; false && x=ls; $x y",
        "x=rm; bash -c 'x=ls'; $x y",
    ],
)
def test_a_variable_is_known_only_if_it_has_one_value(line: str) -> None:
    read = read_line(line)
    programs = {command.program for command in read.commands}
    assert "rm" in programs or any("hidden" in command.does for command in read.commands)


def test_the_grammar_is_loaded_only_for_shell_text() -> None:
    modules = "sys, trueline.guard.policy, trueline.actions.shell.interpret, trueline.tasks.attacks.goals"
    code = f"import {modules}; print('tree_sitter' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "False\n"
