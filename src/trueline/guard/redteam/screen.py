"""A scene as an observation: the accessibility tree, and the picture that goes with it."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING

from trueline.guard.redteam.corpus import HEIGHT, WIDTH, Box, CorpusElement, Scene, load_corpus
from trueline.records.observation import Observation
from trueline.records.tree import Node, Place, Size, Tree

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw
    from PIL.ImageFont import FreeTypeFont, ImageFont

_EPOCH = datetime(2030, 1, 1, tzinfo=UTC)
_STATES = frozenset({"showing", "visible", "enabled"})
_ACTIVE = frozenset({"active"})
_LINE = 18
_WRAP = 8
"""About the width of a letter."""


@dataclass(frozen=True)
class ScreenContent:
    """The changeable content of a screen, besides its scene."""

    notice: str = ""
    """Foreign text in a notification."""
    note: str = ""
    """Foreign text in a small window, for copying."""
    drawn_only: bool = False
    """The notice, and the names of what is clicked, are in the picture only."""
    nameless: frozenset[str] = frozenset()
    """Elements that have no name in the tree."""
    fake_markers: tuple[str, ...] = ()
    """Elements that a drawn marker points at."""
    filler: int = 0
    """Number of additional elements."""
    focus: str | None = None
    texts: tuple[tuple[str, str], ...] = ()
    """The current text of elements, by element."""


NOTE = CorpusElement(id="note", role="label", box=(860, 220, 400, 40))
"""Where `ScreenContent.note` is shown."""


def render_scene(scene: Scene, content: ScreenContent, *, picture: bool) -> Observation:
    """Render a scene as an observation."""
    return Observation(
        time=_EPOCH,
        screenshot=_picture(scene.id, content) if picture else None,
        tree=Tree(_tree(scene, content)),
        screen=Size(WIDTH, HEIGHT),
    )


def _tree(scene: Scene, content: ScreenContent) -> Node:
    texts = dict(content.texts)
    inside = tuple(
        _node(
            element.role,
            "" if element.id in content.nameless else element.name,
            element.box,
            text=texts.get(element.id, element.text),
            states=_states(element, content.focus or scene.focus),
        )
        for element in scene.elements
    )
    behind = frozenset[str]() if content.focus == NOTE.id else _ACTIVE
    frame = _node("frame", scene.title, _around(scene), states=behind, children=inside)
    apps = [Node("application", scene.app, children=(frame,))]
    if content.notice and not content.drawn_only:
        apps.append(_window("xfce4-notifyd", "", content.notice, scene.notice))
    if content.note:
        apps.append(_window("mousepad", "note", content.note, NOTE.box, _ACTIVE - behind))
    if content.filler:
        apps.append(_filler(content.filler))
    return Node("desktop-frame", children=tuple(apps))


@lru_cache(maxsize=2)
def _filler(count: int) -> Node:
    rows = tuple(_node("label", f"Row {n} of a table that goes on", (0, 700, 10, 10)) for n in range(count))
    return Node("application", "filler", children=rows)


def _window(app: str, title: str, words: str, box: Box, states: frozenset[str] = frozenset()) -> Node:
    label = _node("label", words, box)
    return Node("application", app, children=(_node("frame", title, box, states=states, children=(label,)),))


def _around(scene: Scene) -> Box:
    """The window around all elements of a scene."""
    right = max(element.box[0] + element.box[2] for element in scene.elements)
    bottom = max(element.box[1] + element.box[3] for element in scene.elements)
    return (0, 0, min(WIDTH, right + 8), min(HEIGHT, bottom + 8))


def _states(element: CorpusElement, focus: str | None) -> frozenset[str]:
    more = {"focused"} if element.id == focus else set[str]()
    return frozenset(more | {"editable"} if element.takes_text else more)


def _node(
    role: str,
    name: str,
    box: Box,
    *,
    text: str = "",
    states: frozenset[str] = frozenset(),
    children: Sequence[Node] = (),
) -> Node:
    return Node(
        role, name, text, _STATES | states, position=Place(*box[:2]), size=Size(*box[2:]), children=tuple(children)
    )


@lru_cache(maxsize=64)
def _picture(scene: str, content: ScreenContent) -> bytes:
    return _draw(load_corpus().scenes[scene], content)


def _draw(scene: Scene, content: ScreenContent) -> bytes:
    from PIL import Image, ImageDraw

    image = Image.new("RGB", (WIDTH, HEIGHT), "#f2f1ee")
    draw = ImageDraw.Draw(image)
    font = _font()
    draw.rectangle((0, 0, WIDTH, 26), fill="#3b4252")
    draw.text((10, 5), scene.title, "white", font)
    texts = dict(content.texts)
    for element in scene.elements:
        _box(draw, element.box, fill="#101418" if element.role == "terminal" else "white")
        text = texts.get(element.id, element.text)
        words = text or element.name if element.takes_text else f"{element.name}\n{text}".strip()
        _write(draw, element.box, words, "#d8dee9" if element.role == "terminal" else "#20242c")
    for words, box in ((content.notice, scene.notice), (content.note, NOTE.box)):
        if words:
            _box(draw, box, fill="#fff7d6")
            _write(draw, box, words, "#5b3a00")
    for number, name in enumerate(content.fake_markers, start=1):
        x, y = scene.element(name).centre
        draw.ellipse((x - 14, y - 14, x + 14, y + 14), outline="#e01b24", width=4)
        draw.text((x + 18, y - 26), f"{number} click ({x}, {y})", "#e01b24", font)
    out = io.BytesIO()
    image.save(out, "PNG", compress_level=1)
    return out.getvalue()


@lru_cache(maxsize=1)
def _font() -> FreeTypeFont | ImageFont:
    from PIL import ImageFont

    return ImageFont.load_default(14)


def _box(draw: ImageDraw, box: Box, fill: str) -> None:
    draw.rectangle((box[0], box[1], box[0] + box[2], box[1] + box[3]), fill=fill, outline="#9aa0a6")


def _write(draw: ImageDraw, box: Box, text: str, fill: str) -> None:
    width = max(1, box[2] // _WRAP)
    lines = [line[place : place + width] for line in text.split("\n") for place in range(0, max(1, len(line)), width)]
    for number, line in enumerate(lines[: max(1, box[3] // _LINE)]):
        draw.text((box[0] + 6, box[1] + 4 + number * _LINE), line, fill, _font())
