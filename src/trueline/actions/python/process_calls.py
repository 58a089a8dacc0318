"""Calls that start programs."""

from __future__ import annotations

import shlex
from typing import cast

from trueline.actions.python.effects import UNKNOWN, ShellEquivalent
from trueline.actions.python.library import Amounts, Handler, Later, LibraryCall, line, path_of, quoted, run
from trueline.actions.python.name_sets import names
from trueline.actions.python.values import DATA, Instance, Listing, PartialText, PathValue, Unknown, Value, text_of

COMPUTED = "a command that the program computes"
_POPEN_NAMES = ("args", "command", "cmd")


def words_of(value: Value) -> list[str] | None:
    """The words of a command; None when even their number is unknown."""
    if not isinstance(value, list | tuple):
        return None
    return [path_of(item) for item in list(cast("tuple[Value, ...]", value))]


def shell_line(value: Value) -> ShellEquivalent:
    """A line that a shell is given."""
    match value:
        case str() | bytes():
            return line(text_of(value))
        case PathValue(text=path) | PartialText(text=path) if UNKNOWN not in path:
            return line(path)
        case PartialText(text=text) if text.strip(f"{UNKNOWN} *"):
            # What stands around the unknown part is worth knowing; the part itself may hold another command.
            return ShellEquivalent(unseen=f"{COMPUTED}: {text[:200]}")
        case _:
            return ShellEquivalent(unseen=COMPUTED)


def command(words: list[str]) -> list[ShellEquivalent]:
    """A command by its words; an unknown program is not understood."""
    if not words or UNKNOWN in words[0]:
        return [ShellEquivalent(unseen=COMPUTED)]
    code = next(
        (place for place, word in enumerate(words[1:], 1) if word in ("-c", "-e", "-lc", "-ic", "--eval")), None
    )
    if code is not None and any(UNKNOWN in word for word in words[code + 1 : code + 2]):
        return [ShellEquivalent(unseen=f"{COMPUTED}: {' '.join(words)[:200]}")]
    return [run(*words)]


def _popen(call: LibraryCall) -> Amounts:
    given = next((call.keywords[name] for name in _POPEN_NAMES if name in call.keywords), None)
    args = call.args[0] if call.args else given
    shell = call.keywords.get("shell", call.args[8] if len(call.args) > 8 else False)
    program = call.keywords.get("executable", call.args[2] if len(call.args) > 2 else None)
    before = call.keywords.get("preexec_fn", call.args[5] if len(call.args) > 5 else None)
    effects: list[ShellEquivalent] = []
    words = words_of(args)
    if isinstance(args, Listing) or (words is None and not isinstance(args, str | bytes | PathValue | PartialText)):
        effects.append(ShellEquivalent(unseen=COMPUTED))
    elif words is None:
        effects.append(shell_line(args))
    elif shell is not False and words:
        effects.append(shell_line(next(iter(cast("tuple[Value, ...]", args)))))
        if len(words) > 1:
            effects.append(ShellEquivalent(unseen="arguments of a shell's line"))
    else:
        if program is not None and words:
            words = [path_of(program), *words[1:]]
        effects += command(words)
    effects = [_placed(_fed(effect, call), call) for effect in effects]
    variables = call.keywords.get("env")
    if isinstance(variables, Unknown):
        variables = None
    if isinstance(variables, dict):
        effects += [
            ShellEquivalent(unseen=f"a program is started with another {name}")
            for name in cast("dict[Value, Value]", variables)
            if isinstance(name, str) and name.startswith(("LD_", "BASH_", "PYTHON", "PROMPT_", "ENV", "GIT_", "PERL"))
        ]
    calls: tuple[Later, ...] = ((before, [], {}),) if before is not None else ()
    return Amounts(Instance("subprocess.Popen", tuple(_shown(effects))), tuple(effects), calls, takes_callables=True)


def _shown(effects: list[ShellEquivalent]) -> list[str]:
    first = effects[0]
    return [first.line if first.line is not None else shlex.join(first.words)]


def _fed(effect: ShellEquivalent, call: LibraryCall) -> ShellEquivalent:
    """A command with its standard input."""
    if effect.unseen:
        return effect
    given, source = call.keywords.get("input"), call.keywords.get("stdin")
    whole = effect.line if effect.line is not None else " ".join(quoted(word) for word in effect.words)
    if given is not None:
        if isinstance(given, str | bytes):
            return line(f"printf %s {shlex.quote(text_of(given))} | {whole}")
        return (
            ShellEquivalent(unseen=f"an input that the program computes for {whole[:100]}")
            if _reads_code(effect)
            else effect
        )
    if isinstance(source, Instance) and source.kind == "file":
        return line(f"{whole} < {quoted(source.detail[0])}")
    if isinstance(source, Instance | Unknown) and _reads_code(effect):
        return ShellEquivalent(unseen=f"an input that is not known for {whole[:100]}")
    return effect


def _reads_code(effect: ShellEquivalent) -> bool:
    words = effect.words or tuple((effect.line or "").split())
    names = {word.rpartition("/")[2] for word in words[:4]}
    return bool(names & INTERPRETERS)


INTERPRETERS = names(
    "sh bash zsh dash ksh fish python python3 perl ruby node php xargs ssh at batch crontab sudo su env bc psql "
    "mysql sqlite3 tee dd gdb ed ex vi vim"
)


def _placed(effect: ShellEquivalent, call: LibraryCall) -> ShellEquivalent:
    """A command in another working folder."""
    folder = call.keywords.get("cwd")
    place = path_of(folder) if folder is not None else call.folder
    if effect.unseen or not place or UNKNOWN in place:
        return effect
    whole = effect.line if effect.line is not None else " ".join(quoted(word) for word in effect.words)
    if UNKNOWN in whole:
        return effect
    return line(f"cd {quoted(place)} && {whole}")


def _one_line(call: LibraryCall) -> Amounts:
    effect = shell_line(call.arg(0, "command", "cmd", "args"))
    made = _placed(effect, call)
    writes = call.arg(1, "mode") not in (None, "r")
    return Amounts(
        Instance("os.popen" if writes else "data", (effect.line or "",)) if "popen" in call.name else DATA, (made,)
    )


def _exec(call: LibraryCall) -> Amounts:
    """`os.exec…`, `os.spawn…`, `os.posix_spawn…`: a program, and its arguments beginning with its own name."""
    kind = call.name.rpartition(".")[2]
    given = list(call.args)
    if kind.startswith("spawn"):
        given = given[1:]
    if not given:
        return Amounts(effects=(ShellEquivalent(unseen=COMPUTED),))
    program, rest = path_of(given[0]), given[1:]
    if "execl" in kind or "spawnl" in kind:
        if kind.endswith(("le", "lpe")):
            rest = rest[:-1]
        words = [path_of(item) for item in rest]
    else:
        found = words_of(rest[0] if rest else call.keywords.get("argv", call.keywords.get("args")))
        if found is None:
            return Amounts(effects=(ShellEquivalent(unseen=COMPUTED),))
        words = found
    return Amounts(DATA, tuple(_placed(effect, call) for effect in command([program, *words[1:]])))


def _asyncio_exec(call: LibraryCall) -> Amounts:
    words = [path_of(arg) for arg in call.args]
    return Amounts(Instance("subprocess.Popen", (" ".join(words),)), tuple(command(words)))


def _pty(call: LibraryCall) -> Amounts:
    given = call.arg(0, "argv")
    words = words_of(given)
    if words is None and isinstance(given, str):
        words = [given]
    return Amounts(DATA, tuple(command(words or [])))


def _run_module(call: LibraryCall) -> Amounts:
    given = call.path(0, "path_name", "mod_name")
    return Amounts(DATA, (run("python3", *(["-m"] if call.name.endswith("module") else []), given),))


def _kill(call: LibraryCall) -> Amounts:
    return Amounts(DATA, (run("kill", path_of(call.arg(0)) if not isinstance(call.arg(0), int) else str(call.arg(0))),))


def _c_library(_call: LibraryCall) -> Amounts:
    return Amounts(Instance("ctypes.CDLL"))


def _web(call: LibraryCall) -> Amounts:
    return Amounts(DATA, (run("xdg-open", call.path(0, "url", "path", "filepath")),))


_EXECS = [
    f"os.{name}"
    for name in [
        "execl",
        "execle",
        "execlp",
        "execlpe",
        "execv",
        "execve",
        "execvp",
        "execvpe",
        "spawnl",
        "spawnle",
        "spawnlp",
        "spawnlpe",
        "spawnv",
        "spawnve",
        "spawnvp",
        "spawnvpe",
        "posix_spawn",
        "posix_spawnp",
    ]
]
PROCESS_CALLS: dict[str, Handler] = {
    **dict.fromkeys(
        [f"subprocess.{name}" for name in ("run", "call", "check_call", "check_output", "Popen")], _popen
    ),
    **dict.fromkeys(
        ("os.system", "os.popen", "subprocess.getoutput", "subprocess.getstatusoutput", "pexpect.run",
         "asyncio.create_subprocess_shell", "commands.getoutput", "pexpect.spawn"), _one_line,
    ),
    **dict.fromkeys(_EXECS, _exec),
    "asyncio.create_subprocess_exec": _asyncio_exec,
    "pty.spawn": _pty,
    "runpy.run_path": _run_module,
    "runpy.run_module": _run_module,
    "os.kill": _kill,
    "os.killpg": _kill,
    **dict.fromkeys(("ctypes.CDLL", "ctypes.cdll.LoadLibrary", "ctypes.PyDLL", "ctypes.LibraryLoader"), _c_library),
    **dict.fromkeys(
        ("webbrowser.open", "webbrowser.open_new", "webbrowser.open_new_tab", "os.startfile", "webbrowser.get"), _web
    ),
}  # fmt: skip


def process_method(call: LibraryCall) -> Amounts | None:
    """A method of a running program, or of a C library."""
    owner = call.owner
    assert isinstance(owner, Instance)
    if owner.kind == "ctypes.CDLL":
        if call.name in ("system", "popen"):
            return Amounts(DATA, (shell_line(call.arg(0)),))
        return Amounts(DATA, (ShellEquivalent(unseen=f"a function {call.name} of a C library"),))
    given = call.arg(0, "input")
    if call.name in ("communicate", "write", "sendline", "send", "writelines") and given is not None:
        shown = owner.detail[0] if owner.detail else ""
        if isinstance(given, str | bytes) and shown:
            return Amounts(DATA, (line(f"printf %s {shlex.quote(text_of(given))} | {shown}"),))
        return Amounts(DATA, (ShellEquivalent(unseen=f"an input that the program computes for {shown[:100]}"),))
    if call.name in ("stdin", "stdout", "stderr"):
        return Amounts(owner)
    return Amounts(owner if call.name == "__enter__" else DATA)
