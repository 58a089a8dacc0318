"""What a program does and mentions, as far as its source shows without running it."""

from __future__ import annotations

import ast
import shlex
from typing import Literal, NamedTuple

from trueline.actions.codecs.pyautogui.program import MAX_SOURCE, parse, read_call
from trueline.actions.codecs.pyautogui.source_segments import Segments
from trueline.actions.codecs.pyautogui.values import Ref, UnprovableError, Value
from trueline.actions.types import Action, Code

_SHELL = frozenset(
    {"os.system", "os.popen", "pty.spawn", "pexpect.run", "pexpect.spawn"}
    | {f"subprocess.{name}" for name in ("run", "call", "check_call", "check_output", "Popen")}
    | {"subprocess.getoutput", "subprocess.getstatusoutput"}
    | {"asyncio.create_subprocess_shell", "asyncio.create_subprocess_exec"}
)
_SHELL_PREFIXES = ("os.exec", "os.spawn", "os.posix_spawn")
_ARGUMENT_NAMES = ("args", "command", "cmd")
_MAX_SHOWN = 500


class CommandInCode(NamedTuple):
    """A shell command in a program."""

    text: str
    how: Literal["run", "computed", "candidate"]
    """Run by a program; the value of an expression that a program runs; typed and entered, perhaps in a terminal."""


class CodeFacts(NamedTuple):
    """The content of a program, which need not all be executed."""

    actions: tuple[Action, ...] = ()
    commands: tuple[CommandInCode, ...] = ()
    strings: tuple[str, ...] = ()


def code_facts(code: Code) -> CodeFacts:
    """Read a program. One that cannot be parsed is one long string."""
    if code.language == "bash":
        return CodeFacts(commands=(CommandInCode(code.source, "run"),), strings=(code.source,))
    if len(code.source) > MAX_SOURCE:
        return CodeFacts(strings=(code.source,))
    try:
        tree = parse(code.source)
    except UnprovableError:
        return CodeFacts(strings=(code.source,))
    nodes = list(ast.walk(tree))
    names = _imported_names(nodes)
    segments = Segments(code.source)
    calls = sorted(
        (node for node in nodes if isinstance(node, ast.Call)), key=lambda call: (call.lineno, call.col_offset)
    )
    return CodeFacts(
        actions=tuple(action for call in calls for action in _actions(call, names)),
        commands=tuple(command for call in calls if (command := _command(call, names, segments))),
        strings=tuple(node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)),
    )


def _imported_names(nodes: list[ast.AST]) -> dict[str, Value]:
    names: dict[str, Value] = {name: Ref(name) for name in ("pyautogui", "time", "os", "subprocess")}
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:  # `import a.b` binds a
                top = alias.name.partition(".")[0]
                names[alias.asname or top] = Ref(alias.name if alias.asname else top)
        elif isinstance(node, ast.ImportFrom):
            names |= {alias.asname or alias.name: Ref(f"{node.module}.{alias.name}") for alias in node.names}
    return names


def _actions(call: ast.Call, names: dict[str, Value]) -> tuple[Action, ...]:
    try:
        return read_call(call, names)
    except (UnprovableError, RecursionError):
        return ()


def _command(call: ast.Call, names: dict[str, Value], segments: Segments) -> CommandInCode | None:
    function = _dotted(call.func, names)
    if function not in _SHELL and not function.startswith(_SHELL_PREFIXES):
        return None
    given = call.args or [word.value for word in call.keywords if word.arg in _ARGUMENT_NAMES]
    # Of os.exec* and its like every argument counts, of the others the first.
    parts = [_words(argument) for argument in (given if function.startswith(_SHELL_PREFIXES) else given[:1])]
    if parts and all(parts):
        return CommandInCode(" ".join(part for part in parts if part), "run")
    return CommandInCode(" ".join(segments.text(argument) for argument in given)[:_MAX_SHOWN], "computed")


def _dotted(node: ast.expr, names: dict[str, Value]) -> str:
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    base = names.get(node.id) if isinstance(node, ast.Name) else None
    return ".".join([base.name, *reversed(parts)]) if isinstance(base, Ref) else ""


def _words(node: ast.expr) -> str | None:
    """Return a constant command: a string, or a list of strings."""
    match node:
        case ast.Constant(value=str() as text):
            return text
        case ast.List(elts=items) | ast.Tuple(elts=items):
            words = [item.value for item in items if isinstance(item, ast.Constant) and isinstance(item.value, str)]
            return shlex.join(words) if words and len(words) == len(items) else None
        case _:
            return None
