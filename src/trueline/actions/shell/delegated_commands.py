"""Commands that a program passes on: to a terminal, another shell, another machine, each file found."""

from __future__ import annotations

from collections.abc import Iterator

from trueline.actions.python.calls import UNKNOWN
from trueline.actions.shell.call import Call
from trueline.actions.shell.command_kinds import KNOWN
from trueline.actions.shell.programs import INTERPRETERS, TERMINALS
from trueline.actions.shell.wrappers import base_name

_SOMEWHERE = frozenset({
    "tmux", "screen", "ssh", "mosh", "docker", "podman", "machinectl", "vim", "vi", "nvim", "ex", "entr",
    "dbus-launch", "lxc", "wsl", "expect",
})  # fmt: skip
"""They take a command somewhere among their arguments."""
_BY_FLAG = frozenset({"su", "script", "runuser"})
_STARTS = frozenset({"-e", "-x", "--", "--command"})
_EACH = frozenset({"-exec", "-execdir", "-ok", "-okdir"})


def delegated_commands(call: Call) -> list[tuple[str, ...]]:
    """Return the commands, each as words; a single word is a line for a shell."""
    args = call.args
    if call.program in _BY_FLAG:
        return [args[at + 1 : at + 2] for at, arg in enumerate(args[:-1]) if arg == "-c"]
    if call.program in TERMINALS:
        at = next((at for at, arg in enumerate(args) if arg in _STARTS), len(args))
        return [(" ".join(args[at + 1 :]),)] if args[at + 1 :] else []
    if call.program == "find":
        return _for_each_found(call)
    if call.program not in _SOMEWHERE:
        return []
    lines = [(arg.lstrip("+:!"),) for arg in args if " " in arg]
    start = next((at for at, arg in enumerate(args) if base_name(arg) in KNOWN | INTERPRETERS), len(args))
    return [*lines, *([args[start:]] if args[start:] else [])]


def _for_each_found(call: Call) -> list[tuple[str, ...]]:
    roots = tuple(arg for arg in call.operands[:1] if not arg.startswith("-"))
    found: list[tuple[str, ...]] = []
    for at, arg in enumerate(call.args):
        if arg in _EACH:
            words = call.args[at + 1 :]
            end = next((place for place, word in enumerate(words) if word in (";", "+")), len(words))
            found.append(tuple(_replaced(words[:end], roots)))
    return [words for words in found if words]


def _replaced(words: tuple[str, ...], roots: tuple[str, ...]) -> Iterator[str]:
    """The names that are found take the place of `{}`; as a program, or within code, they may be anything."""
    code = bool(words) and base_name(words[0]) not in KNOWN - INTERPRETERS
    for place, word in enumerate(words):
        if word == "{}" and place and not code:
            yield from roots or (word,)
        else:
            yield word.replace("{}", UNKNOWN) if code or not place else word
