"""What commands bring about by the words of program and arguments: data, read once.

The shell's reader tells which files a command touches and what the common programs do. Here stand classes of effect
with the many programs that bring them about, and the programs of ordinary work: any other one is code that the task
does not name, since a list of all that is harmful has no end.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from trueline.actions.shell.command import ShellCommand
from trueline.actions.shell.command_kinds import KNOWN
from trueline.actions.shell.paths import could_be, normal_path
from trueline.actions.shell.programs import INTERPRETERS, SHELLS
from trueline.guard.policy.globs import matches
from trueline.guard.policy.yaml_file import read_yaml
from trueline.guard.scope.place import covers
from trueline.guard.scope.types import EffectKind
from trueline.guard.scope.vocabulary import vocabulary

_FILE = Path(__file__).with_name("command_effects.yaml")
_LONGEST = 2000
"""Characters of a command that are looked at: hostile lines are long."""
_SHELL_PATH = re.compile(r"(?:/usr)?/bin/(?:ba|da|z|k|c|tc|fi|a)?sh")
_RUNS_A_SHELL = re.compile(
    r"(?:^|[\s;|&!=`'\"(])(?:(?:!|exec[ :=(]*|spawn +|system[ (]*|shell +)['\"]?(?:(?:/usr)?/bin/)?"
    r"(?:ba|da|z|k|c|tc|fi|a)?sh\b"
    r"|(?:/usr)?/bin/(?:ba|da|z|k|c|tc|fi|a)?sh(?=$|[\s;|&'\"`),-]))"
)
_ONLY_NAME_IT = frozenset(
    [
        "which",
        "type",
        "command",
        "whereis",
        "ls",
        "ll",
        "stat",
        "file",
        "readlink",
        "realpath",
        "man",
        "apropos",
        "whatis",
        "echo",
        "printf",
        "cat",
        "less",
        "more",
        "head",
        "tail",
        "chsh",
        "useradd",
        "usermod",
        "adduser",
        "grep",
        "egrep",
        "rg",
        "wc",
        "diff",
        "sha256sum",
        "md5sum",
        "dpkg",
        "ldd",
        "test",
        "[",
        "find",
        "sed",
        "awk",
        "apt",
    ]
)
"""Programs to which a shell is a file or a word."""
_DUMPS = frozenset({"env", "printenv", "set", "export -p", "declare -x", "declare -p", "history", "compgen -v"})
_FILTERS = frozenset({"grep", "egrep", "fgrep", "rg", "ag", "awk", "gawk", "sed"})
_SECRET_WORDS = re.compile(r"key|tok|pass|secret|cred|auth|aws|api|pw", re.IGNORECASE)
_SECRET_VARIABLE = re.compile(r"\$\{?\w*(?i:secret|token|passw|api_?key|access_?key|private_?key|credential)\w*")
_NAMED_PATH = re.compile(r"(?:^|[=@:,\s'\"(<])(?P<path>(?:file://)?(?:~|/|\.\./)[^\s'\"(),;:<>|&]*)")
_PROGRAM_NAME = re.compile(r"[a-z][a-z0-9_+-]+(?:\.(?:py|sh|pl|rb|bin))?")
_VERSION = re.compile(r"[\d.]+$")
_OF_COMMANDS = re.compile(r"-{1,2}[A-Za-z]|~?/\w|\.{1,2}/|\$|\w+=\S|\S+@\S+\.|https?://|@\S|\d{2,}$|\S+\.\w{2,4}$")
"""Arguments that only a command has."""
_COPIES = frozenset(
    [
        "cp",
        "mv",
        "tar",
        "zip",
        "7z",
        "7za",
        "rsync",
        "scp",
        "rar",
        "gzip",
        "xz",
        "zstd",
        "cpio",
        "dd",
        "cat",
        "grep",
        "rg",
        "curl",
        "wget",
        "nc",
    ]
)


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    effects: dict[EffectKind, tuple[str, ...]]
    but_not: tuple[str, ...]
    ordinary: str


@cache
def _table() -> _Table:
    return _Table.model_validate(read_yaml(_FILE))


@cache
def ordinary_programs() -> frozenset[str]:
    """Programs of ordinary work, those that have a table of their own, and the applications of the vocabulary."""
    return frozenset(_table().ordinary.split()) | KNOWN


def kinds_by_words(command: ShellCommand) -> frozenset[EffectKind]:
    """The kinds of effects that the words of a command show."""
    text = " ".join((command.program, *command.words[1:]))[:_LONGEST]
    table = _table()
    if not command.program or matches(text, table.but_not):
        return frozenset()
    return frozenset(kind for kind, patterns in table.effects.items() if matches(text, patterns))


def opens_shell(command: ShellCommand) -> bool:
    """Whether a command hands the keyboard, or a program's standard input, to a shell that nothing else reads."""
    if command.program in SHELLS:
        bare = all(word.startswith("-") and "c" not in word for word in command.words[1:])
        wrapped = "privilege" in command.does or "/" in command.words[0] or len(command.words) > 1
        return bare and wrapped and not command.does & {"run_file", "run_piped", "run_remote", "run_decoded"}
    if command.program in _ONLY_NAME_IT:
        return False
    arguments = command.words[1:]
    return any(_SHELL_PATH.fullmatch(word) for word in arguments) or any(map(_RUNS_A_SHELL.search, arguments))


def is_unknown_program(command: ShellCommand) -> bool:
    """Whether nothing is known of what a program does, by its name.

    A single word may be an answer to what a program asks, and several may be a text: only a line with an argument that
    no text has counts.
    """
    name = command.program
    if _PROGRAM_NAME.fullmatch(name) is None or name in ordinary_programs() or _VERSION.sub("", name) in INTERPRETERS:
        return False
    arguments = command.words[1:]
    if not any(map(_OF_COMMANDS.match, arguments)) or arguments[0] in ("=", "==", "+=", ":", "-", "->"):
        return False
    return not any(matches(name, entry.executables) for entry in vocabulary().applications.values())


def shows_variables(command: ShellCommand, before: ShellCommand | None) -> bool:
    """Whether a command prints variables in which keys and passwords are kept, or picks them out of all.

    Args:
        command: The command.
        before: The one before it, whose output it may filter.
    """
    if command.program in _FILTERS:
        dumped = before is not None and before.text in _DUMPS
        return dumped and _SECRET_WORDS.search(" ".join(command.words[1:])[:_LONGEST]) is not None
    return command.program in ("echo", "printf", "printenv") and _SECRET_VARIABLE.search(command.text) is not None


def named_secrets(command: ShellCommand) -> tuple[str, ...]:
    """The files of keys and passwords that stand anywhere among the arguments, whatever the program does with them."""
    found: dict[str, None] = {}
    for word in command.words[1:]:
        for match in _NAMED_PATH.finditer(word[:_LONGEST]):
            path = normal_path(re.sub(r"^(?:\.\./)+", "/", match["path"].removeprefix("file://")))
            if is_secret(path) or _could_be_secret(path):
                found[path] = None
    if command.program in _COPIES:
        folders = (path.rstrip("/").removesuffix("/*") for path in (*command.reads, *command.paths))
        found |= dict.fromkeys(path for path in folders if path in vocabulary().secret_folders)
    return tuple(found)


def is_secret(path: str) -> bool:
    """Tell whether a path is one of keys, passwords or sessions."""
    words = vocabulary()
    secret = any(covers(pattern, path) for pattern in words.secret_files)
    return secret and not any(covers(pattern, path) for pattern in words.not_secret)


def _could_be_secret(path: str) -> bool:
    """Whether a path with wildcards can stand for a file of keys of the system."""
    of_system = (
        pattern for pattern in vocabulary().secret_files if pattern.startswith("/etc/") and "**" not in pattern
    )
    return any(could_be(path, pattern.rstrip("*")) for pattern in of_system)
