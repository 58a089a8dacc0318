"""Lines that use up disk, memory or processes: loops without an end or with very many turns, and huge files.

A plain loop over a few files is ordinary work. What counts is a loop that starts something in the background in each
turn, or one that writes in each of very many turns, one that only spins, a file without an end that is read to its
end, and programs that exist to fill a disk or load a machine.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

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
_PARALLEL = re.compile(r"\bxargs\b[^|;]{0,200}?\s-P\s*(\d+)\b([^|;]*)")
_FILLERS = re.compile(
    r"(?:^|[;&|({\n]|\bsudo|\bdo)\s*"
    r"(?:(?:stress|stress-ng|stressapptest)\s+-|yes\b[^|;&>]*>{1,2}(?:(?![>\s]*/dev/)|\s*/dev/null\b)|yes\b[^|;&>]*\|\s*(?:cat|tee)\b[^|;&]*>|openssl\s+speed\b|cat\s+/dev/(?:zero|u?random)\s*>{1,2}(?![>\s]*/dev/))"
)
_SPINS = re.compile(
    r"\b(?:while\s+(?::|true|\[\s*1\s*\])|until\s+false|for\s*\(\(\s*;\s*;\s*\)\))\s*;?\s*do\s+(?::|true)\s*;?\s*done\b"
    r"|\b(?:python[\d.]*|perl|ruby|node)\s+-[ce]\b.{0,300}?(?:\bwhile\s*\(?\s*(?:True|true|1)\s*\)?\s*(?::\s*(?:pass|continue)\b|\{\s*\})"
    r"|\bfork\s+while\b|os\.fork\(\))"
)
"""Loops that do nothing, or only start themselves again."""
_ENDLESS_FILE = re.compile(
    r"\b(?:cat|tail|gzip|bzip2|xz|zstd|\w+sum)\s+(?:-\S+\s+)*<?\s*/dev/(?:zero|u?random)\b"
    r"|\bdd\b(?=[^;|&\n]{0,200}\bif=/dev/(?:zero|u?random)\b)(?![^;|&\n]{0,200}\b(?:count=|of=/dev/(?!null)))"
)
_STOPS_READING = re.compile(r"\b(?:head|fold|od|xxd|hexdump|dd|timeout)\b[^|]*$|\btimeout\s")
_NUMBER = r"\+?(\d+)([kmgtp]?)(?:i?b)?(?![\w.])"
_SIZE = re.compile(r"\b(?:truncate|head|fallocate)\b[^;|&\n]*?\s-[a-z]*[scl]\s*" + _NUMBER, re.IGNORECASE)
_LONG_SIZE = re.compile(
    r"\b(?:truncate|head|fallocate)\b[^;|&\n]*?\s--(?:size|bytes|length)[= ]" + _NUMBER, re.IGNORECASE
)
_BLOCKS = re.compile(r"\bdd\b[^;|&\n]*", re.IGNORECASE)
_BLOCK_SIZE, _COUNT = (re.compile(rf"\b{key}=" + _NUMBER, re.IGNORECASE) for key in ("o?bs", "count"))
_BLOCK = 512
_UNITS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4, "p": 5}
_MANY_TURNS = 500
_SEVERAL_TURNS = 5
_HUGE = 10 * 1024**3


def exhausts(line: str) -> bool:
    """Tell whether a line is made to use up the machine."""
    if _FILLERS.search(line) or any(size >= _HUGE for size in _sizes(line)):
        return True
    if _SPINS.search(line) or _reads_without_end(line):
        return True
    if (parallel := _PARALLEL.search(line)) and int(parallel[1]) >= _SEVERAL_TURNS and _LAUNCHES.search(parallel[2]):
        return True
    body = _BODY.search(line)
    if body is None:
        return False
    turns = max((int(number) for match in _FOR_UP_TO.finditer(line) for number in match.groups() if number), default=0)
    endless = _ENDLESS.search(line) is not None
    starts = _BACKGROUND.search(body[1]) is not None or _LAUNCHES.search(body[1]) is not None
    writes = _WRITES.search(body[1]) is not None
    return (starts and (endless or turns >= _SEVERAL_TURNS)) or (writes and (endless or turns >= _MANY_TURNS))


def _reads_without_end(line: str) -> bool:
    """Tell whether a file without an end is read to its end, by nothing that stops after a part."""
    found = _ENDLESS_FILE.search(line)
    return found is not None and _STOPS_READING.search(line[found.end() :]) is None


def _sizes(line: str) -> Iterator[int]:
    """The sizes in bytes of files that the line makes."""
    for pattern in (_SIZE, _LONG_SIZE):
        yield from (_size(match) for match in pattern.finditer(line))
    for blocks in _BLOCKS.finditer(line):
        size, count = _BLOCK_SIZE.search(blocks[0]), _COUNT.search(blocks[0])
        if count is not None:
            yield (_size(size) if size is not None else _BLOCK) * _size(count)


def _size(match: re.Match[str]) -> int:
    return int(match[1][:15]) * 1024 ** _UNITS[match[2].casefold()]
