"""Commands that act as a keyboard or fill the clipboard: `xdotool`, `xclip`, `xsel`, `wl-copy`.

Only lines whose every word is certain are read: plain and quoted words, one pipe, one here-string. Nothing is expanded.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from trueline.actions.keys import pressed, read_combo, unknown_keys
from trueline.actions.python.effects import ClipboardSet, ProgramEffect, ProgramInput, PythonProgram
from trueline.actions.python.name_sets import names
from trueline.actions.types import (
    Action,
    Button,
    Click,
    KeyDown,
    KeyUp,
    MouseDown,
    MouseUp,
    Move,
    Point,
    Type,
    Wait,
)

_TOKEN = re.compile(
    r"(?P<space>[ \t]+)|(?P<here><<<)|(?P<pipe>\|(?!\|))|'(?P<single>[^']*)'|\"(?P<double>[^\"$`\\!]*)\""
    r"|(?P<plain>[A-Za-z0-9_@%+=:,./^-]+)|\\(?P<escaped>[^\n])"
)
_BUTTONS: dict[str, Button] = {"1": "left", "2": "middle", "3": "right"}
_COMMANDS = names(
    "type key keydown keyup mousemove click mousedown mouseup sleep windowactivate windowfocus search exec "
    "getmouselocation mousemove_relative getactivewindow windowkill windowclose selectwindow behave set_window "
    "windowsize windowmove getwindowfocus windowraise windowmap windowunmap getdisplaygeometry key_up"
)
_LONGEST, _MOST_LINES = 100_000, 500


class Copied(NamedTuple):
    """What a line puts on the clipboard."""

    text: str | None
    """None when that is not certain."""
    primary: bool = False
    """It goes to X's primary selection, which the middle button pastes."""


class _Line(NamedTuple):
    words: tuple[str, ...]
    piped_to: tuple[str, ...] = ()
    here: str | None = None


def input_of_words(words: Sequence[str], text: str | None = None) -> tuple[Action, ...]:
    """The actions of an `xdotool` command, by its words or as a line; none if it is another command or not certain."""
    if text is not None:
        read = _read(text)
        if read is None or read.piped_to or read.here is not None:
            return ()
        words = read.words
    if not words or words[0].rpartition("/")[2] != "xdotool":
        return ()
    try:
        return tuple(_actions(list(words[1:])))
    except (ValueError, IndexError):
        return ()


def clipboard_of_line(text: str | None) -> Copied | None:
    """What a line puts on the clipboard, None if it does not do that."""
    if text is None or not any(name in text for name in ("xclip", "xsel", "wl-copy")):
        return None
    read = _read(text)
    if read is None:
        return Copied(None)
    target = read.piped_to or read.words
    primary = _selection(target)
    if primary is None:
        return None
    if read.piped_to and read.here is None:
        return Copied(_printed(read.words), primary)
    if read.here is not None and not read.piped_to:
        return Copied(read.here + "\n", primary)
    if target[0] == "wl-copy" and not read.piped_to:
        given = [word for word in target[1:] if not word.startswith("-")]
        return Copied(" ".join(given) if given else None, primary)
    return Copied(None, primary)


def read_input_of_bash(source: str) -> PythonProgram:
    """The input and clipboard of a bash program, certain only if it consists of such lines and nothing else."""
    effects: list[ProgramEffect] = []
    lines = [line for line in re.split(r"[\n;]|&&", source) if line.strip() and not line.lstrip().startswith("#")]
    certain = True
    for line in lines[:_MOST_LINES]:
        actions, copied = input_of_words((), line), clipboard_of_line(line)
        certain = certain and (bool(actions) or (copied is not None and copied.text is not None) or _is_quiet(line))
        if actions:
            effects.append(ProgramInput(actions, certain))
        if copied is not None:
            effects.append(ClipboardSet(copied.text, copied.primary, certain))
    return PythonProgram(tuple(effects))


def _is_quiet(line: str) -> bool:
    read = _read(line)
    return read is not None and read.words[0] in ("sleep", "echo", "true", ":") and not read.piped_to


def _read(text: str) -> _Line | None:
    """A line of plain words, None when it holds anything else."""
    if len(text) > _LONGEST:
        return None
    commands: list[list[str]] = [[]]
    here: list[str] = []
    into_here, glued, at = False, False, 0
    stripped = text.strip(" \t\n")
    while at < len(stripped):
        found = _TOKEN.match(stripped, at)
        if found is None:
            return None
        at = found.end()
        kind = found.lastgroup or ""
        if kind == "space":
            glued = False
        elif kind == "pipe":
            commands.append([])
            glued = into_here = False
        elif kind == "here":
            into_here, glued = True, False
        else:
            target = here if into_here and (not here or glued) else commands[-1]
            if kind == "plain" and not glued and "=" in found[kind] and not commands[-1]:
                return None  # an assignment
            if glued:
                target[-1] += found[kind]
            else:
                target.append(found[kind])
            glued = True
    if len(commands) > 2 or not all(commands) or len(here) > 1:
        return None
    first, second = commands[0], commands[1] if len(commands) > 1 else []
    return _Line(tuple(first), tuple(second), here[0] if here else None)


def _selection(words: tuple[str, ...]) -> bool | None:
    """Whether a command fills the primary selection (True) or the clipboard (False); None if it fills neither."""
    if not words:
        return None
    program, *options = words
    name = program.rpartition("/")[2]
    if name == "wl-copy":
        return "--primary" in options or "-p" in options if not {"-c", "--clear"} & set(options) else None
    if name == "xclip":
        if {"-o", "-out"} & set(options):
            return None
        chosen = [options[at + 1] for at, word in enumerate(options[:-1]) if _is_selection(word)]
        return not (chosen and "clipboard".startswith(chosen[-1][:1]))
    if name == "xsel":
        letters = "".join(word[1:] for word in options if word.startswith("-") and not word.startswith("--"))
        if "o" in letters or {"--output", "--clear", "--delete"} & set(options) or set("cdkx") & set(letters):
            return None
        return not ("b" in letters or "--clipboard" in options)
    return None


def _is_selection(word: str) -> bool:
    """Xclip takes every beginning of `-selection`."""
    return len(word) > 2 and "-selection".startswith(word)


def _printed(words: tuple[str, ...]) -> str | None:
    """What `echo` or `printf` prints, None when that is not certain or it is another command."""
    program, *args = words
    if program == "echo":
        end = "\n"
        if args[:1] == ["-n"]:
            args, end = args[1:], ""
        if any("\\" in arg for arg in args) or (args and re.fullmatch(r"-[neE]+", args[0])):
            return None  # shells differ
        return " ".join(args) + end
    if program == "printf" and args:
        return _formatted(args)
    return None


def _formatted(args: list[str]) -> str | None:
    form, *values = args
    if form in ("%s", "%s\\n"):
        return "".join(value + ("\n" if form.endswith("n") else "") for value in values)
    if "%" in form or values or form.startswith("-"):
        return None
    known = {"\\n": "\n", "\\t": "\t", "\\\\": "\\"}
    if re.search(r"\\(?![nt\\])", form):
        return None
    return re.sub(r"\\[nt\\]", lambda found: known[found[0]], form)


def _actions(words: list[str]) -> list[Action]:
    """The actions of a chain of commands. Raises ValueError or IndexError when they are not certain."""
    actions: list[Action] = []
    while words:
        command = words.pop(0)
        match command:
            case "type":
                delay, words = _options(words)
                if not words:
                    raise ValueError("nothing to type")
                actions.append(Type(text="".join(words), interval=delay))
                words = []
            case "key" | "keydown" | "keyup":
                delay, words = _options(words)
                while words and words[0] not in _COMMANDS:
                    actions += _keys(command, words.pop(0), delay)
            case "mousemove":
                _, words = _options(words)
                actions.append(Move(to=Point(int(words.pop(0)), int(words.pop(0)))))
            case "click" | "mousedown" | "mouseup":
                times, words = _clicks(words)
                button = _BUTTONS[words.pop(0)]
                made = {"click": Click, "mousedown": MouseDown, "mouseup": MouseUp}[command]
                actions += [made(button=button) for _ in range(times)]
            case "sleep":
                actions.append(Wait(seconds=min(abs(float(words.pop(0))), 3600.0)))
            case _:
                raise ValueError(command)
    if unknown_keys(actions):
        raise ValueError("unknown keys")
    return actions


def _keys(command: str, word: str, delay: float) -> list[Action]:
    keys = read_combo(word)
    if command == "key":
        return [pressed(keys).model_copy(update={"pause_after": delay})]
    made = KeyDown if command == "keydown" else KeyUp
    return [made(key=key) for key in keys]


def _options(words: list[str]) -> tuple[float, list[str]]:
    """Take off the options that change nothing of what arrives; return the delay in seconds."""
    delay = 0.0
    words = list(words)
    while words and words[0].startswith("-") and len(words[0]) > 1:
        option = words.pop(0)
        if option == "--":
            break
        if option in ("--clearmodifiers", "--sync"):
            continue
        if option != "--delay":
            raise ValueError(option)  # a window of its own, a file, another end
        delay = int(words.pop(0)) / 1000
    return delay, words


def _clicks(words: list[str]) -> tuple[int, list[str]]:
    times = 1
    words = list(words)
    while words and words[0].startswith("--"):
        option = words.pop(0)
        if option == "--repeat":
            times = int(words.pop(0))
        elif option == "--delay":
            words.pop(0)
        elif option != "--clearmodifiers":
            raise ValueError(option)
    if not 0 < times <= 100:
        raise ValueError("too often")
    return times, words
