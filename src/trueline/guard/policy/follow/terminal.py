"""Lines entered in a terminal, and in the programs that take it over."""

from __future__ import annotations

import re
from dataclasses import replace

from trueline.guard.policy.deeds import Addressed, Ran, Unclear
from trueline.guard.policy.folding import fold, tricks
from trueline.guard.policy.follow.desk import Desk
from trueline.guard.policy.follow.scene import Scene
from trueline.guard.policy.shell.command import Session, ShellCommand
from trueline.guard.policy.shell.interpret import Read, read_line, read_python

_EDITORS = frozenset({"nano", "vim", "vi", "nvim", "emacs", "pico", "micro", "joe", "less", "more", "man"})
_SPEAKS_PYTHON = frozenset({"python", "python2", "python3", "ipython", "ipython3"})
_SPEAKS_OTHER = frozenset({"mysql", "psql", "sqlite3", "node", "irb", "ftp", "sftp", "bc", "gdb", "mongo", "redis-cli"})
_LINE_COST = 200
_PROMPT = re.compile(r"[^$#%❯➜]{0,200}[$#%❯➜](?:\s(?P<line>.*))?")


def look(scene: Scene) -> None:
    """Read off a terminal's text what stands in its line, and which program has taken it over, if any."""
    focus, desk = scene.desk.focus, scene.desk
    desk.clear = False
    if focus is None or not focus.is_terminal or not focus.text:
        return
    # Only the last line counts: everything above it may be a text that wants to be taken for something else.
    last = focus.text.rstrip("\n").rpartition("\n")[2]
    if last.strip() == ">>>" or last.startswith(">>> "):
        desk.inside = "python"
    elif prompt := _PROMPT.fullmatch(last.strip()):
        shown = last.lstrip()[prompt.start("line") :] if prompt["line"] else ""
        if desk.inside and shown.strip():
            return  # a line of that program's own
        if desk.inside:
            desk.start()
        desk.inside = ""
        _look_at_line(desk, shown)


def _look_at_line(desk: Desk, shown: str) -> None:
    """Compare what the screen shows in the line with what was typed; the screen may lag behind, or lie."""
    typed = desk.line.rstrip()
    if shown.rstrip() == typed:
        desk.clear = desk.whole and not (desk.stray or desk.programmed or desk.shell.pending)
    elif shown.rstrip().endswith(typed):
        desk.before = shown[: len(shown.rstrip()) - len(typed)]


def enter(scene: Scene) -> None:
    """Enter was pressed in a terminal."""
    desk = scene.desk
    line, whole, before, clear = desk.line, desk.whole, desk.before, desk.clear
    if desk.inside in _EDITORS and not line.startswith(":!"):
        _write(scene, line)
        return
    scene.touched = desk.stray = False
    desk.start()
    if desk.inside in _SPEAKS_OTHER:
        desk.inside = "" if line.strip() in ("exit", "quit", "\\q", ".exit", ".quit") else desk.inside
        scene.deeds.append(Unclear(f"enters {line!r} in a program that runs in the terminal"))
    elif desk.inside in _SPEAKS_PYTHON:
        desk.inside = "" if line.strip() in ("exit()", "quit()") else desk.inside
        tell(scene, read_python(fold(line)), line, certain=whole)
    else:
        if before and whole and line.strip():
            # What the screen shows in front may be an output that only looks like a line.
            tell(scene, _read(scene, line, desk.shell).commands, line, certain=True)
        _run(scene, (before + line).removeprefix(":!"), whole, clear)


def enter_unseen(scene: Scene) -> None:
    """Enter was pressed, and what has the keyboard is not known: tell what a shell would run.

    A screen that shows the window in front says something, so such a line is not unseen.
    """
    desk, view = scene.desk, scene.view
    if desk.line.strip():
        read = _read(scene, desk.line, desk.unseen)
        desk.unseen = read.session if desk.whole else replace(desk.unseen, pending="")
        unseen = desk.whole and view.focused is None and view.active is None
        tell(scene, read.commands, desk.line, certain=False, unseen=unseen)
    desk.everything = False
    desk.start()


def pending(scene: Scene) -> None:
    """A line stands in the terminal and is not entered yet: tell what it would run."""
    line = scene.desk.before + scene.desk.line
    if scene.desk.line.strip() and not scene.desk.inside:
        _tell_possible(scene, line)


def _tell_possible(scene: Scene, line: str) -> None:
    """A line may be run by the terminal's shell."""
    tell(scene, _read(scene, line, scene.desk.shell).commands, line, certain=False)


def _read(scene: Scene, line: str, session: Session) -> Read:
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
            desk.before = ""
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
    _tell_possible(scene, command)
    if command in (":q", ":q!", ":wq", ":x", "ZZ", "q"):
        desk.inside = ""
        desk.start()
    else:
        desk.add("\n")


def _run(scene: Scene, line: str, whole: bool, clear: bool) -> None:
    desk = scene.desk
    if not whole:
        hidden = ShellCommand((line or "…",), "", frozenset({"hidden"}))
        scene.deeds.append(Ran(hidden, f"{line}… (a part of it cannot be seen)"))
        _tell_possible(scene, line)
        desk.shell = replace(desk.shell, pending="")
        return
    if not line.strip():
        return
    if found := tricks(line):
        scene.deeds.append(Unclear(f"the command is written with {' and '.join(found)}"))
    read = _read(scene, line, desk.shell)
    desk.shell = read.session
    tell(scene, read.commands, line, certain=True, clear=clear)
    if read.commands:
        desk.inside = _taken_over_by(read.commands[-1])


def _taken_over_by(command: ShellCommand) -> str:
    """The program that reads what is typed from now on; one with options may have ended at once."""
    _, *args = command.words or ("",)
    plain = not any(arg.startswith("-") for arg in args)
    if command.program in _SPEAKS_PYTHON:
        return command.program if not args else ""
    return command.program if command.program in _EDITORS | _SPEAKS_OTHER and plain else ""


def tell(
    scene: Scene,
    commands: tuple[ShellCommand, ...],
    line: str,
    *,
    certain: bool,
    unseen: bool = False,
    clear: bool = False,
) -> None:
    """Add deeds for commands, for what they open, and for who they write to."""
    for command in commands:
        scene.deeds.append(Ran(command, line, certain, unseen, clear and command.plain))
        if command.does & {"open", "download", "upload", "send_mail"}:
            for url in command.urls:
                scene.open(url, "command", certain=certain)
        if "send_mail" in command.does:
            scene.deeds.extend(Addressed(address, True, certain, restates=True) for address in command.addresses)
