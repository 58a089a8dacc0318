"""Code among the words of a command line: `bash -c CODE`, `bash FILE`, `xargs COMMAND`."""

from __future__ import annotations

import re
from typing import NamedTuple

from trueline.actions.shell.expand import Field

_SHELL_VALUES = frozenset({"-o", "+o", "-O", "+O", "--rcfile", "--init-file"})
_OTHER_CODE = re.compile(r"-\w*[ceEr]|--eval")
_PRINTED_CODE = re.compile(r"-\w*[ep]|--eval|--print|eval")
_ATTACHED_CODE = re.compile(r"(?:-\w*?[ceEr]|--(?:eval|print)=)((?=.*[^\w.:=/,-]).+)", re.DOTALL)
_XARGS_VALUES = frozenset({
    "-n", "-I", "-P", "-L", "-d", "-s", "-a", "-E", "--max-args", "--replace", "--max-procs", "--max-lines",
    "--delimiter", "--max-chars", "--arg-file", "--process-slot-var",
})  # fmt: skip
_MOST_RUNS = 50
_QUOTES = re.compile(r"[\\'\"]")


class CommandLineCode(NamedTuple):
    """What an interpreter is told to run; nothing if it reads its standard input."""

    code: Field | None = None
    file: Field | None = None
    arguments: tuple[Field, ...] = ()
    """What stands behind."""
    module: bool = False
    doubtful: bool = False
    """Whether an option may be, or name, something that runs too."""


def shell_code(args: list[Field]) -> CommandLineCode:
    """Return what a shell runs, by its words."""
    at, gives_code, reads_input = 0, False, False
    doubtful = False
    while at < len(args):
        text = args[at].text
        if text in ("--", "-"):
            at += 1
            break
        if text[:1] not in ("-", "+") or not args[at].known:
            break
        if text in ("--rcfile", "--init-file", "--login", "-l", "-i") or text.startswith("--rcfile="):
            doubtful = doubtful or text not in ("-i", "-l", "--login")
        if not text.startswith("--"):
            gives_code = gives_code or ("c" in text and text[0] == "-")
            reads_input = reads_input or "s" in text
        elif text == "--command":
            gives_code = True
        at += 2 if text in _SHELL_VALUES else 1
    rest = args[at:]
    if gives_code:
        return CommandLineCode(rest[0] if rest else None, None, tuple(rest[2:]), doubtful=doubtful)
    if rest and not reads_input:
        return CommandLineCode(None, rest[0], tuple(rest[1:]), doubtful=doubtful)
    return CommandLineCode(arguments=tuple(rest), doubtful=doubtful)


def other_code(args: list[Field], program: str = "") -> CommandLineCode:
    """Return what another interpreter runs."""
    pattern = _PRINTED_CODE if program in ("node", "nodejs", "bun", "deno") else _OTHER_CODE
    place = next((at for at, arg in enumerate(args) if pattern.fullmatch(arg.text)), None)
    if place is not None and place + 1 < len(args):
        return CommandLineCode(args[place + 1])
    for arg in args:
        if match := _ATTACHED_CODE.fullmatch(arg.text):
            return CommandLineCode(Field(match[1], arg.known))
    module = any(arg.text.startswith("-") and not arg.text.startswith("--") and "m" in arg.text[1:] for arg in args)
    files = [arg for arg in args if not arg.text.startswith("-")]
    return CommandLineCode(None, files[0] if files and not module else None, module=module)


class XargsRuns(NamedTuple):
    """The commands that `xargs` runs."""

    runs: tuple[tuple[Field, ...], ...]
    known: bool = True


def xargs_runs(args: list[Field], text: str | None) -> XargsRuns:
    """Return the commands, each as fields; what is not known of their words is one unknown field."""
    at = 0
    each, replaced, plain = 0, "", True
    while at < len(args) and args[at].text.startswith("-") and args[at].known:
        option = args[at].text
        at += 1
        if option == "--":
            break
        name, _, value = option.partition("=") if option.startswith("--") else (option[:2], "", option[2:])
        if name in _XARGS_VALUES and not value and at < len(args):
            value = args[at].text
            at += 1
        if name in ("-n", "--max-args"):
            each = int(value) if value.isdigit() else 0
            plain = plain and each > 0
        elif name in ("-I", "-i", "--replace"):
            replaced = value or "{}"
        else:
            plain = plain and name in ("-P", "--max-procs", "-r", "-t", "-x", "--no-run-if-empty", "--verbose")
    command = tuple(args[at:]) or (Field("echo"),)
    if text is None or not plain or _QUOTES.search(text) or len(text.split()) > 100:
        unknown = Field("$(…)", False, several=True)
        if not replaced:
            return XargsRuns(((*command, unknown),), False)
        return XargsRuns((tuple(_without(field, replaced) for field in command),), False)
    if replaced:
        lines = [line.strip(" \t") for line in text.split("\n") if line.strip()]
        return XargsRuns(
            tuple(
                tuple(Field(field.text.replace(replaced, line), field.known) for field in command)
                for line in lines[:_MOST_RUNS]
            ),
            len(lines) <= _MOST_RUNS,
        )
    words = [Field(word) for word in text.split()]
    if not each or not words:
        return XargsRuns(((*command, *words),))
    groups = [words[start : start + each] for start in range(0, len(words), each)]
    return XargsRuns(tuple((*command, *group) for group in groups[:_MOST_RUNS]), len(groups) <= _MOST_RUNS)


def _without(field: Field, replaced: str) -> Field:
    return Field(field.text, False) if replaced in field.text else field
