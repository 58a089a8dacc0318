"""The sections of docs/how-to/extend.md, whose examples the tests install and run."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "extend.md"
_SECTIONS = re.split(r"^## (.*)\n", PAGE.read_text("utf-8"), flags=re.MULTILINE)[1:]
_BLOCK = re.compile(r'^```(\w+) title="([^"]+)"\n(.*?)^```', re.MULTILINE | re.DOTALL)


def section(*headings: str) -> str:
    """The text of these sections."""
    found = dict(zip(_SECTIONS[::2], _SECTIONS[1::2], strict=True))
    return "".join(found[heading] for heading in headings)


def blocks(text: str) -> list[tuple[str, str, str]]:
    """Language, file name and text of each code block with a title."""
    return _BLOCK.findall(text)
