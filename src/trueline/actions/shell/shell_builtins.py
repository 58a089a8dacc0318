"""What builtin commands of a shell do to its variables, and the text that they keep to run it later."""

from __future__ import annotations

import re

from trueline.actions.shell.call import Call
from trueline.actions.shell.expand import Field
from trueline.actions.shell.paths import normal_path
from trueline.actions.shell.state import ShellState

DECLARES = frozenset({"export", "declare", "local", "readonly", "typeset"})
SPECIAL = frozenset({
    ":", ".", "break", "continue", "eval", "exec", "exit", "export", "readonly", "return", "set", "shift", "source",
    "times", "trap", "unset",
})  # fmt: skip
"""Builtins before which an assignment may stay, depending on the shell."""
LEAVES = frozenset({"break", "continue", "return", "exit"})
QUIET = frozenset({
    "echo", "printf", "cd", "pushd", "popd", "true", "false", ":", "test", "[", "export", "set", "rm", "mkdir", "touch",
    "mv", "cp", "ls", "chmod", "sleep", "kill", "ln", "pwd", "date", "shift", "unset", "declare", "local", "alias",
})  # fmt: skip
"""Programs that do not read their standard input."""
RUNS_WHAT_IT_KEEPS = frozenset({"PROMPT_COMMAND", "PS0", "PS1", "PS2", "PS4", "BASH_ENV", "ENV"})
"""Variables whose value a shell runs by itself, or expands."""
_EVALUATES_SUBSCRIPTS = DECLARES | {
    "test",
    "[",
    "read",
    "unset",
    "printf",
    "wait",
    "let",
    "getopts",
    "mapfile",
    "readarray",
}
_SUBSCRIPT = re.compile(r"\[[^]]*(?:\$\(|`|\$\{)")
_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(\+?)=(.*)", re.DOTALL)
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_COMPUTED = re.compile(
    r"([A-Za-z_]\w*)(?:\[[^\]]*\])?\s*(?:\+\+|--|(?:<<|>>|[-+*/%&|^])?=(?!=))|(?:\+\+|--)\s*([A-Za-z_]\w*)"
)
_READING = frozenset({"read", "mapfile", "readarray", "getopts", "let"})


def follow_builtin(state: ShellState, call: Call, fields: list[Field]) -> bool:
    """Update what later commands depend on; return whether the command may run what is not seen."""
    args = fields[1:]
    if call.program in _EVALUATES_SUBSCRIPTS and any(_SUBSCRIPT.search(field.text) for field in args):
        return True
    match call.program:
        case "cd" | "pushd":
            target = call.operands[0] if call.operands else "~"
            known = all(field.known for field in args) and target != "-"
            state.folder = normal_path(target, state.folder) if known else None
        case "popd":
            state.folder = None
        case "alias":
            return _alias(state, call)
        case "unalias":
            state.altered = True
        case "set":
            _set(state, call.args, args)
        case "shift":
            count = int(call.args[0]) if call.args and call.args[0].isdigit() else 1
            certain = all(field.known for field in args) and len(call.args) < 2
            state.arguments = state.arguments[count:] if state.arguments is not None and certain else None
        case "unset":
            _unset(state, args)
        case program if program in DECLARES:
            return _declare(state, call, args)
        case program if program in _READING:
            _read_into(state, call, args)
        case "printf" | "wait" if call.args[:1] in (("-v",), ("-p",)) or any(not field.known for field in args[:1]):
            _forget(state, args[1:2])
        case "bind" | "complete" | "compgen" | "fc" | "history" | "enable":
            return (
                not {"-x", "-C", "-F", "-s", "-e", "-f", "-p", "-r"}.isdisjoint(call.args) and call.program != "history"
            )
        case "exec":
            return False
        case _:
            pass
    return False


def _alias(state: ShellState, call: Call) -> bool:
    names = {name: text for arg in call.operands for name, _, text in [arg.partition("=")] if text}
    state.aliases |= names
    reserved = {
        "if",
        "then",
        "else",
        "fi",
        "do",
        "done",
        "while",
        "until",
        "for",
        "case",
        "esac",
        "in",
        "function",
        "time",
        "{",
        "}",
        "!",
    }
    return not reserved.isdisjoint(names) or call.flag("-g", "-s")


def _set(state: ShellState, args: tuple[str, ...], fields: list[Field]) -> None:
    """`set -- WORDS` gives the arguments."""
    if args[:1] != ("--",):
        plain = all(arg[:1] in "-+" for arg in args) and all(field.known for field in fields)
        state.arguments = state.arguments if plain else None
        return
    rest = fields[1:]
    certain = all(field.known and not field.pattern and not field.several for field in rest)
    state.arguments = tuple(field.text for field in rest) if certain else None


def _unset(state: ShellState, args: list[Field]) -> None:
    for field in args:
        if not field.known:
            state.blind = True
        elif _NAME.fullmatch(field.text):
            state.set(field.text, None if field.text == "IFS" else "")


def _declare(state: ShellState, call: Call, args: list[Field]) -> bool:
    letters = "".join(arg[1:] for arg in call.args if arg[:1] in "-+" and arg[1:2] != "-")
    if "n" in letters and call.program != "export":
        state.blind = True  # another name for a variable
    changes = not set(letters) <= set("xrgpf")
    for field in args:
        match = _ASSIGNMENT.fullmatch(field.text)
        if match:
            value = match[3] if field.known and not changes else None
            if match[2]:
                before = state.value(match[1])
                value = None if value is None or before is None else before + value
            assign(state, match[1], value, pattern=field.pattern)
        elif not field.known:
            state.blind = True
        elif _NAME.fullmatch(field.text) and changes:
            state.set(field.text, None)
    return "i" in letters and any(not field.known or "[" in field.text for field in args)


def assign(state: ShellState, name: str, value: str | None, *, pattern: bool = False, number: bool = False) -> None:
    """Assign a variable; programs are looked for elsewhere once the path for them is another one."""
    state.set(name, value, pattern=pattern, number=number)
    if name in ("PATH", "LD_PRELOAD", "LD_LIBRARY_PATH", *RUNS_WHAT_IT_KEEPS):
        state.altered = True


def _read_into(state: ShellState, call: Call, args: list[Field]) -> None:
    if call.program == "let":
        for field in args:
            assigned_in_arithmetic(state, field.text)
            state.blind = state.blind or not field.known
        return
    _forget(state, args)
    for name in ("REPLY", "MAPFILE", "OPTARG"):
        state.set(name, None)


def _forget(state: ShellState, args: list[Field]) -> None:
    for field in args:
        name = field.text.partition("[")[0]
        if not field.known:
            state.blind = True
        elif _NAME.fullmatch(name):
            state.set(name, None)


def assigned_in_arithmetic(state: ShellState, expression: str) -> bool:
    """Forget the variables that an expression assigns; return whether a value in it may hold a command itself.

    A shell evaluates the text of a variable as an expression again, and what stands in its index is expanded.
    """
    unsure = any(not state.is_number(name) for name in _NAME.findall(expression))
    for match in _COMPUTED.finditer(expression):
        state.set(match[1] or match[2], None, number=True)
    return unsure
