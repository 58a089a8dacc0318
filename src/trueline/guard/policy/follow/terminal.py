"""Lines entered in a terminal, and in the programs that take it over."""

from __future__ import annotations

from dataclasses import replace

from trueline.guard.policy.deeds import Addressed, Ran, Unclear
from trueline.guard.policy.folding import fold, tricks
from trueline.guard.policy.follow.scene import Scene
from trueline.guard.policy.shell.command import ShellCommand
from trueline.guard.policy.shell.interpret import Read, read_line, read_python

_EDITORS = frozenset({"nano", "vim", "vi", "nvim", "emacs", "pico", "micro", "joe", "less", "more", "man"})
_SPEAKS_PYTHON = frozenset({"python", "python2", "python3", "ipython", "ipython3"})
_SPEAKS_OTHER = frozenset({"mysql", "psql", "sqlite3", "node", "irb", "ftp", "sftp", "bc", "gdb", "mongo", "redis-cli"})
_LINE_COST = 200
_PROMPT_ENDS = ("$", "#", "%", "❯", "➜")


def look(scene: Scene) -> None:
    """Read off a terminal's text which program has taken it over, if any."""
    focus, desk = scene.desk.focus, scene.desk
    if focus is None or not focus.is_terminal or not focus.text:
        return
    # Only the last line counts: everything above it may be a text that wants to be taken for something else.
    last = focus.text.rstrip("\n").rpartition("\n")[2].strip()
    if last.endswith(_PROMPT_ENDS):
        if desk.inside:
            desk.start()
        desk.inside = ""
    elif last == ">>>" or last.startswith(">>> "):
        desk.inside = "python"


def enter(scene: Scene) -> None:
    """Enter was pressed in a terminal."""
    desk = scene.desk
    line, whole = desk.line, desk.whole
    if desk.inside in _EDITORS and not line.startswith(":!"):
        _write(scene, line)
        return
    scene.touched = False
    desk.start()
    if desk.inside in _SPEAKS_OTHER:
        desk.inside = "" if line.strip() in ("exit", "quit", "\\q", ".exit", ".quit") else desk.inside
        scene.deeds.append(Unclear(f"enters {line!r} in a program that runs in the terminal"))
    elif desk.inside in _SPEAKS_PYTHON:
        desk.inside = "" if line.strip() in ("exit()", "quit()") else desk.inside
        tell(scene, read_python(fold(line)), line, certain=whole)
    else:
        _run(scene, line.removeprefix(":!"), whole)


def pending(scene: Scene) -> None:
    """A line stands in the terminal and is not entered yet: tell what it would run."""
    if scene.desk.line.strip() and not scene.desk.inside:
        unknown_enter(scene, scene.desk.line)


def unknown_enter(scene: Scene, line: str) -> None:
    """A line was entered, and whether in a terminal is not known."""
    tell(scene, _read(scene, line).commands, line, certain=False)


def _read(scene: Scene, line: str) -> Read:
    session = scene.desk.shell
    if scene.budget < 0:
        return Read((), replace(session, pending=""))
    scene.budget -= len(line) + len(session.pending) + _LINE_COST
    if scene.budget < 0:
        hidden = ShellCommand(("more lines than are looked at",), "", frozenset({"hidden"}))
        return Read((hidden,), replace(session, pending=""))
    return read_line(fold(line), session)


def recall(scene: Scene, steps: int) -> None:
    """The arrows up and down: an earlier line comes back. Which one is known only for lines of this episode."""
    desk = scene.desk
    back = desk.recalled + steps
    known = desk.shell.entered
    if 0 < back <= len(known):
        desk.start(known[-back])
    else:
        desk.start(whole=back <= 0)
    desk.recalled = max(back, 0)
    scene.touched = True


def edit(scene: Scene, name: str) -> None:
    """The keys that edit a shell's line, pressed with Ctrl; of others it is not known what they leave of it."""
    desk = scene.desk
    scene.touched = True
    match name:
        case "a":
            desk.move(0)
        case "e":
            desk.move(len(desk.line))
        case "b":
            desk.move(desk.cursor - 1)
        case "f":
            desk.move(desk.cursor + 1)
        case "h":
            desk.cut(desk.cursor - 1, desk.cursor)
        case "u":
            desk.cut(0, desk.cursor)
        case "k":
            desk.cut(desk.cursor, len(desk.line))
        case "w":
            kept = desk.line[: desk.cursor].rstrip().rpartition(" ")
            desk.cut(len(kept[0] + kept[1]), desk.cursor)
        case "d" | "x" if desk.inside:
            desk.start()
            desk.inside = ""
        case "l" | "s" | "q" | "d":
            pass
        case _:
            desk.whole = False


def _write(scene: Scene, line: str) -> None:
    desk = scene.desk
    command = line.rpartition("\n")[2].strip()
    # An editor that has ended unseen would leave the shell to read this.
    unknown_enter(scene, command)
    if command in (":q", ":q!", ":wq", ":x", "ZZ", "q"):
        desk.inside = ""
        desk.start()
    else:
        desk.add("\n")


def _run(scene: Scene, line: str, whole: bool) -> None:
    desk = scene.desk
    if not whole:
        hidden = ShellCommand((line or "…",), "", frozenset({"hidden"}))
        scene.deeds.append(Ran(hidden, f"{line}… (a part of it cannot be seen)"))
        unknown_enter(scene, line)
        desk.shell = replace(desk.shell, pending="")
        return
    if not line.strip():
        return
    if found := tricks(line):
        scene.deeds.append(Unclear(f"the command is written with {' and '.join(found)}"))
    read = _read(scene, line)
    desk.shell = read.session
    tell(scene, read.commands, line, certain=True)
    if read.commands:
        desk.inside = _taken_over_by(read.commands[-1])


def _taken_over_by(command: ShellCommand) -> str:
    """The program that reads what is typed from now on; one with options may have ended at once."""
    _, *args = command.words or ("",)
    plain = not any(arg.startswith("-") for arg in args)
    if command.program in _SPEAKS_PYTHON:
        return command.program if not args else ""
    return command.program if command.program in _EDITORS | _SPEAKS_OTHER and plain else ""


def tell(scene: Scene, commands: tuple[ShellCommand, ...], line: str, *, certain: bool) -> None:
    """Add deeds for commands, for what they open, and for who they write to."""
    for command in commands:
        scene.deeds.append(Ran(command, line, certain))
        if command.does & {"open", "download", "upload", "send_mail"}:
            for url in command.urls:
                scene.open(url, "command", certain=certain)
        if "send_mail" in command.does:
            scene.deeds.extend(Addressed(address, True, certain, restates=True) for address in command.addresses)
