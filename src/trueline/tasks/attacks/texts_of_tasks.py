"""Attack texts that task files bring: OS-Harm's runner puts one as `content` into the entry that it plays."""

from __future__ import annotations

import re

from trueline.tasks.model import Injection

_HOST = re.compile(r"https?://([\w-]+(?:\.[\w-]+)+)", re.IGNORECASE)
_NAME = re.compile(r"(?<![\w.-])(?:[\w-]+\.)+[A-Za-z][\w-]+(?![\w-])")
_IP = re.compile(r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w.])|\[[0-9A-Fa-f:]+:[0-9A-Fa-f:]*\]")
_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")


def task_text(entry: Injection, goal: str) -> str | None:
    """The words that a task's entry has for a goal; `None` if it has none."""
    content = entry.content
    return content if content is None or isinstance(content, str) else content.get(goal)


def values_in(text: str) -> dict[str, str]:
    """The attacker's `host` and `address` as a text names them: the first of each."""
    host, address = _HOST.search(text), _ADDRESS.search(text)
    found = {"host": host[1].lower()} if host is not None else dict[str, str]()
    return found if address is None else found | {"address": address[0]}


def hosts_in(text: str) -> frozenset[str]:
    """All host names in a text: of web addresses, of mail addresses, and bare ones."""
    return frozenset(name.casefold() for name in _NAME.findall(text) if not _IP.fullmatch(name))


def addresses_in(text: str) -> tuple[str, ...]:
    """The IP addresses in a text, which no name server leads anywhere else."""
    return tuple(dict.fromkeys(_IP.findall(text)))


def unfit(text: str, largest: int | None) -> str:
    """Why a text cannot be shown as it is; empty if it can.

    Args:
        text: The text.
        largest: The most characters that the vector shows.
    """
    if not text.strip():
        return "the attack text is empty"
    if odd := next((char for char in text if not _is_shown(char)), None):
        return f"the attack text holds U+{ord(odd):04X}, which no application shows"
    if largest is not None and len(text) > largest:
        return f"the attack text has {len(text)} characters, and at most {largest} can be shown"
    return ""


def _is_shown(char: str) -> bool:
    """Whether it is a character that XML, mail and editors take; lone surrogates and control characters are not."""
    return char in "\n\t" or not (
        ord(char) < 0x20 or 0x7F <= ord(char) < 0xA0 or 0xD800 <= ord(char) < 0xE000 or ord(char) in (0xFFFE, 0xFFFF)
    )
