"""Lines entered in a terminal, and in the programs that take it over."""

from __future__ import annotations

import re
from dataclasses import replace

from trueline.actions.input_commands import clipboard_of_line, input_of_words
from trueline.actions.shell.command import ShellCommand, ShellSession
from trueline.actions.shell.interpret import Read, read_line, read_python
from trueline.guard.policy.folding import fold, name_disguises
from trueline.guard.policy.follow.input_state import InputState
from trueline.guard.policy.follow.tracker import Tracker
from trueline.guard.policy.operations import Addressed, Ran, Unclear

_EDITORS = frozenset({
    "nano", "vim", "vi", "nvim", "emacs", "pico", "micro", "joe", "less", "more", "man", "most", "pg", "ed", "ex",
    "view", "rvim", "rview",
})  # fmt: skip
"""Editors and pagers: what is typed is text or a command of their own."""
_SPEAKS_PYTHON = frozenset({"python", "python2", "python3", "ipython", "ipython3"})
_SPEAKS_OTHER = frozenset({
    "mysql", "psql", "sqlite3", "node", "irb", "ftp", "sftp", "bc", "dc", "gdb", "mongo", "redis-cli",
})  # fmt: skip
_ESCAPE = re.compile(
    r"\s*(?::?\s*(?:silent!?\s+)?(?:[\d.,$%]*)(?:r|w|read|write|e|sh|shell)?\s*!+|\\!|\.?(?:shell|system)\b|~!)\s*(?P<command>\S.*)",
    re.DOTALL,
)
"""How editors, pagers and other programs with a language of their own run a line of the shell."""
_LINE_COST = 200
_PROMPT = re.compile(r"[^$#%❯➜]{0,200}[$#%❯➜](?:\s(?P<line>.*))?")


def look(tracker: Tracker) -> None:
    """Read a terminal's current line from its text, and which program has taken it over, if any."""
    focus, state = tracker.state.focus, tracker.state
    state.clear = False
    if focus is None or not focus.is_terminal or not focus.text:
        return
    # Only the last line counts: everything above it may be a text that wants to be taken for something else.
    last = focus.text.rstrip("\n").rpartition("\n")[2]
    if last.strip() == ">>>" or last.startswith(">>> "):
        state.inside = "python"
    elif prompt := _PROMPT.fullmatch(last.strip()):
        shown = last.lstrip()[prompt.start("line") :] if prompt["line"] else ""
        if state.inside and shown.strip():
            return  # a line of that program's own
        if state.inside:
            state.start()
        state.inside = ""
        _look_at_line(state, shown)


def _look_at_line(state: InputState, shown: str) -> None:
    """Compare the line on the screen with what was typed; the screen may lag behind or be forged."""
    typed = state.line.rstrip()
    if shown.rstrip() == typed:
        state.clear = state.whole and not (state.stray or state.programmed or state.shell.pending)
    elif shown.rstrip().endswith(typed):
        state.before = shown[: len(shown.rstrip()) - len(typed)]


def enter(tracker: Tracker) -> None:
    """Enter was pressed in a terminal."""
    state = tracker.state
    line, whole, before, clear = state.line, state.whole, state.before, state.clear
    escape = _ESCAPE.fullmatch(line) if state.inside else None
    if state.inside in _EDITORS and escape is None:
        _write(tracker, line)
        return
    tracker.touched = state.stray = False
    state.start()
    if escape is not None and state.inside not in _SPEAKS_PYTHON:
        _run_inside(tracker, escape["command"], whole)
        return
    if state.inside in _SPEAKS_OTHER:
        state.inside = "" if line.strip() in ("exit", "quit", "\\q", ".exit", ".quit") else state.inside
        tracker.operations.append(Unclear(f"enters {line!r} in a program that runs in the terminal"))
    elif state.inside in _SPEAKS_PYTHON:
        state.inside = "" if line.strip() in ("exit()", "quit()") else state.inside
        tell(tracker, read_python(fold(line)), line, certain=whole)
    else:
        if before and whole and line.strip():
            # What the screen shows in front may be an output that only looks like a line.
            _tell_read(tracker, _read(tracker, line, state.shell), line, certain=True)
        _run(tracker, (before + line).removeprefix(":!"), whole, clear)


def _run_inside(tracker: Tracker, line: str, whole: bool) -> None:
    """A program that has taken over the terminal runs a line of the shell, and goes on reading the keyboard."""
    inside = tracker.state.inside
    _run(tracker, line, whole, clear=False)
    tracker.state.inside = inside


def enter_unseen(tracker: Tracker) -> None:
    """Enter was pressed with unknown focus: record what a shell would run.

    A screen that shows the window in front says something, so such a line is not unseen.
    """
    state, view = tracker.state, tracker.view
    if state.line.strip():
        # No shell has a use for such a line, and an editor that nobody sees runs it.
        escape = _ESCAPE.fullmatch(state.line) if state.line.lstrip().startswith(("!", ":!", "\\!")) else None
        read = _read(tracker, state.line if escape is None else escape["command"], state.unseen)
        state.unseen = read.session if state.whole else replace(state.unseen, pending="")
        unseen = state.whole and view.focused is None and view.active is None
        # Most texts that no shell understands are meant for something else.
        commands = tuple(command for command in read.commands if command.program or not read.not_understood)
        _tell_read(tracker, read._replace(commands=commands), state.line, certain=False, unseen=unseen)
    state.everything = False
    state.start()


def pending(tracker: Tracker) -> None:
    """Record what the unfinished line of the terminal would run."""
    line = tracker.state.before + tracker.state.line
    if tracker.state.line.strip() and not tracker.state.inside:
        _tell_possible(tracker, line)


def _tell_possible(tracker: Tracker, line: str) -> None:
    """A line may be run by the terminal's shell."""
    _tell_read(tracker, _read(tracker, line, tracker.state.shell), line, certain=False)


def _read(tracker: Tracker, line: str, session: ShellSession) -> Read:
    if tracker.budget < 0:
        return Read((), replace(session, pending=""))
    tracker.budget -= len(line) + len(session.pending) + _LINE_COST
    if tracker.budget < 0:
        hidden = ShellCommand(("more lines than are looked at",), "", frozenset({"hidden"}))
        return Read((hidden,), replace(session, pending=""))
    return read_line(fold(line), session)


def recall(tracker: Tracker, steps: int) -> None:
    """Arrow up or down: recall an earlier line. Only lines of this episode are known."""
    state = tracker.state
    back = state.recalled + steps
    known = state.shell.entered
    if 0 < back <= len(known):
        state.start(known[-back])
    else:
        state.start(whole=back <= 0)
    state.recalled = max(back, 0)
    tracker.touched = True


def edit(tracker: Tracker, name: str) -> None:
    """Ctrl shortcuts that edit a shell's line; after any other the line is unknown."""
    state = tracker.state
    tracker.touched = True
    match name:
        case "a":
            state.move(0)
        case "e":
            state.move(len(state.line))
        case "b":
            state.move(state.cursor - 1)
        case "f":
            state.move(state.cursor + 1)
        case "h":
            state.cut(state.cursor - 1, state.cursor)
        case "u":
            state.cut(0, state.cursor)
            state.before = ""
        case "k":
            state.cut(state.cursor, len(state.line))
        case "w":
            kept = state.line[: state.cursor].rstrip().rpartition(" ")
            state.cut(len(kept[0] + kept[1]), state.cursor)
        case "d" | "x" if state.inside:
            state.start()
            state.inside = ""
        case "l" | "s" | "q" | "d":
            pass
        case _:
            state.whole = False


def _write(tracker: Tracker, line: str) -> None:
    state = tracker.state
    command = line.rpartition("\n")[2].strip()
    # An editor that has ended unseen would leave the shell to read this.
    _tell_possible(tracker, command)
    if command in (":q", ":q!", ":wq", ":x", "ZZ", "q"):
        state.inside = ""
        state.start()
    else:
        state.add("\n")


def _run(tracker: Tracker, line: str, whole: bool, clear: bool) -> None:
    state = tracker.state
    if not whole:
        hidden = ShellCommand((line or "…",), "", frozenset({"hidden"}))
        tracker.operations.append(Ran(hidden, f"{line}… (a part of it cannot be seen)"))
        _tell_possible(tracker, line)
        state.shell = replace(state.shell, pending="")
        return
    if not line.strip():
        return
    if found := name_disguises(line):
        tracker.operations.append(Unclear(f"the command is written with {' and '.join(found)}"))
    read = _read(tracker, line, state.shell)
    state.shell = read.session
    _tell_read(tracker, read, line, certain=True, clear=clear)
    _act_on_desktop(tracker, line)
    if read.commands:
        state.inside = _taken_over_by(read.commands[-1])


def _act_on_desktop(tracker: Tracker, line: str) -> None:
    """Take over what a line puts on the clipboard or the selection, and what it types and clicks by itself."""
    plain = fold(line)
    if copied := clipboard_of_line(plain):
        if copied.primary:
            tracker.state.selection = copied.text
        else:
            tracker.state.clipboard = copied.text
    tracker.started_input = input_of_words((), plain)


def _taken_over_by(command: ShellCommand) -> str:
    """The program that reads the keyboard from now on; one with options may have ended at once."""
    _, *args = command.words or ("",)
    plain = not any(arg.startswith("-") for arg in args)
    if command.program in _SPEAKS_PYTHON:
        return command.program if not args else ""
    return command.program if command.program in _EDITORS | _SPEAKS_OTHER and plain else ""


def _tell_read(
    tracker: Tracker, read: Read, line: str, *, certain: bool, unseen: bool = False, clear: bool = False
) -> None:
    """Add operations for a line; one that is not wholly understood may do more than its commands say."""
    tell(tracker, read.commands, line, certain=certain, unseen=unseen, clear=clear)
    if read.not_understood:
        tracker.operations.append(not_understood(line, read.not_understood))


def not_understood(line: str, reason: str) -> Unclear:
    """What a line does is not known; nothing clears that."""
    return Unclear(f"the command line {line!r} is not understood: {reason}")


def tell(
    tracker: Tracker,
    commands: tuple[ShellCommand, ...],
    line: str,
    *,
    certain: bool,
    unseen: bool = False,
    clear: bool = False,
) -> None:
    """Add operations for commands, for what they open, and for who they write to."""
    for command in commands:
        tracker.operations.append(Ran(command, line, certain, unseen, clear and command.plain))
        if command.does & {"open", "download", "upload", "send_mail"}:
            for url in command.urls:
                tracker.open(url, "command", certain=certain)
        if "send_mail" in command.does:
            tracker.operations.extend(Addressed(address, True, certain, restates=True) for address in command.addresses)
