"""What was on the screen at one moment: in memory, and as the record refers to it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Literal, Self

from pydantic import JsonValue, SerializerFunctionWrapHandler, model_serializer

from trueline.records.base import Digest, FileName, Record
from trueline.records.shown_window import ShownWindow
from trueline.records.text_line import TextLine, plain_text
from trueline.records.tree import Mark, Size, Tree, write_xml

TreeScope = Literal["screen", "whole"]
"""Whether an accessibility tree covers what is on the screen, or is whole, as OSWorld's server gives it.

A tree of the screen holds other elements only as far as applications keep them at hand (menus), without what is asked
of each one.
"""


class ObservationSpec(Record):
    """What an agent, a guard or a recorder wants to see."""

    screenshot: bool = True
    tree: bool = False
    tree_scope: TreeScope = "screen"
    marks: bool = False
    ocr: bool = False
    size: tuple[int, int] | None = None
    """Width and height the screenshot is scaled to; `None` is the screen's own."""

    def __or__(self, other: Self) -> Self:
        """The union of both; two different sizes become the screen's own."""
        return self.model_copy(
            update={
                "screenshot": self.screenshot or other.screenshot,
                "tree": self.tree or other.tree,
                "tree_scope": "whole" if "whole" in (self.tree_scope, other.tree_scope) else "screen",
                "marks": self.marks or other.marks,
                "ocr": self.ocr or other.ocr,
                "size": self.size if self.size == other.size else None,
            }
        )


@dataclass(frozen=True)
class Observation:
    """One moment of the screen. Immutable; its digest is its name."""

    time: datetime
    screenshot: bytes | Path | None = None
    """PNG, or the file that holds it."""
    tree: Tree | None = None
    tree_scope: TreeScope | None = None
    """The scope of the tree; `None` if there is no tree, or it is unknown."""
    marks: tuple[Mark, ...] = ()
    text: str | None = None
    """What OCR read."""
    terminal: str | None = None
    screen: Size | None = None
    """The screen's own size."""
    partial: bool = False
    """Whether the tree is incomplete: an application did not answer in time, or there were too many elements."""
    lines: tuple[TextLine, ...] = ()
    """What OCR read, with its places on the screen."""
    windows: tuple[ShownWindow, ...] = ()
    """The windows on the screen, the lowest first; empty where the desktop does not tell. No part of the digest:
    nobody sees a process."""

    def with_lines(self, lines: tuple[TextLine, ...]) -> Observation:
        """The same screen with the text that OCR read; an existing text is kept."""
        return replace(self, lines=lines, text=plain_text(lines) if self.text is None else self.text)

    def png(self) -> bytes | None:
        """The screenshot's bytes, read from its file if need be."""
        return self.screenshot.read_bytes() if isinstance(self.screenshot, Path) else self.screenshot

    @cached_property
    def picture_digest(self) -> str | None:
        """SHA-256 of the screenshot."""
        png = self.png()
        return None if png is None else sha256(png)

    @cached_property
    def tree_xml(self) -> str | None:
        """The tree as OSWorld's XML."""
        return None if self.tree is None else write_xml(self.tree)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the content; the time is not part of it, so the same screen has the same name."""
        xml = self.tree_xml
        content: dict[str, object] = {
            "screenshot": self.picture_digest,
            "tree": None if xml is None else sha256(xml.encode()),
            "marks": [list(mark) for mark in self.marks],
            "text": self.text,
            "terminal": self.terminal,
        }
        if self.partial:
            content["partial"] = True
        if self.lines:
            content["lines"] = self.lines
        return sha256(json.dumps(content, sort_keys=True).encode())


def sha256(content: bytes) -> str:
    """The hex digest by which records refer to bytes."""
    return hashlib.sha256(content).hexdigest()


class StoredFile(Record):
    """A file of the episode's folder. Without a name it was not stored, without a digest nobody computed one."""

    file: FileName | None = None
    digest: Digest | None = None


class ObservationRecord(Record):
    """An observation as the record refers to it."""

    digest: Digest | None = None
    time: datetime | None = None
    screenshot: StoredFile | None = None
    tree: StoredFile | None = None
    """The whole tree as gzipped XML."""
    tree_scope: TreeScope | None = None
    """What the tree was read for; `None` in records of earlier versions, whose trees are those of the screen."""
    partial: bool = False
    """Something is missing from the tree."""
    tree_text: str | None = None
    """The tree as the table of OS-Harm's and OSWorld's agents, not cut."""
    text: str | None = None
    """The text that OCR read, unless `lines` has it."""
    terminal: str | None = None
    lines: tuple[TextLine, ...] = ()
    """What OCR read, with its places."""
    windows: tuple[ShownWindow, ...] = ()
    """The windows on the screen with their processes, the lowest first."""

    @property
    def read_text(self) -> str | None:
        """What OCR read, as one text."""
        return plain_text(self.lines) if self.text is None and self.lines else self.text

    @model_serializer(mode="wrap")
    def _without_no_lines(self, handler: SerializerFunctionWrapHandler) -> dict[str, JsonValue]:
        """Without OCR, windows and tree the record is the one that it was before there were lines and scopes."""
        data: dict[str, JsonValue] = handler(self)
        if not self.lines:
            data.pop("lines", None)
        if not self.windows:
            data.pop("windows", None)
        if self.tree_scope is None:
            data.pop("tree_scope", None)
        return data
