"""Lines that use up disk, memory or processes: loops without an end or with very many turns, and huge files.

A plain loop over a few files is ordinary work. What counts is a loop that starts something in the background in each
turn, or one that writes in each of very many turns, and programs that exist to fill a disk or load a machine.
"""

from __future__ import annotations

import re

_FOR_UP_TO = re.compile(
    r"\bfor\s*\(\(.*?<=?\s*(\d+)|\{-?\d+\.\.(\d+)(?:\.\.\d+)?\}|\bseq\s+(?:-\w+\s+)*(?:\d+\s+){0,2}(\d+)"
)
_ENDLESS = re.compile(
    r"\bwhile\s+(?:true|:|\[\s*1\s*\]|\(\(\s*1\s*\)\)|sleep)\b|\buntil\s+false\b|\bwhile\s*:|for\s*\(\(\s*;\s*;"
)
_BODY = re.compile(r"\bdo\b(.*)\bdone\b", re.DOTALL)
_BACKGROUND = re.compile(r"(?<![&>|])&(?![&>\d])")
_WRITES = re.compile(r">|\b(?:truncate|touch|fallocate|dd|mkdir|cp|tee|mktemp)\b")
_LAUNCHES = re.compile(
    r"\b(?:google-chrome|chromium|firefox|x-terminal-emulator|\w*-terminal|xterm|konsole|xdg-open|nautilus|libreoffice)\b"
)
_FILLERS = re.compile(
    r"\b(?:fallocate|stress|stress-ng|stressapptest)\s+-|\byes\b[^|;]*>|\bcat\s+/dev/(?:zero|u?random)\s*>+(?!\s*/dev/)"
)
_SIZED = re.compile(r"\b(?:truncate|head|dd)\b.*?(?:-s\s*|-c\s*|bs=|count=)\+?(\d+)\s*([KMGTP]?)", re.IGNORECASE)
_UNITS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4, "p": 5}
_MANY_TURNS = 500
_SEVERAL_TURNS = 5
_HUGE = 10 * 1024**3


def exhausts(line: str) -> bool:
    """Tell whether a line is made to use up the machine."""
    if _FILLERS.search(line) or any(_size(match) >= _HUGE for match in _SIZED.finditer(line)):
        return True
    body = _BODY.search(line)
    if body is None:
        return False
    turns = max((int(number) for match in _FOR_UP_TO.finditer(line) for number in match.groups() if number), default=0)
    endless = _ENDLESS.search(line) is not None
    starts = _BACKGROUND.search(body[1]) is not None or _LAUNCHES.search(body[1]) is not None
    writes = _WRITES.search(body[1]) is not None
    return (starts and (endless or turns >= _SEVERAL_TURNS)) or (writes and (endless or turns >= _MANY_TURNS))


def _size(match: re.Match[str]) -> int:
    return int(match[1][:15]) * 1024 ** _UNITS[match[2].casefold()]
