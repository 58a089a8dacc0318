"""Set-of-marks: the numbered elements that an agent may name instead of coordinates."""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from trueline.actions.coordinates import Size
from trueline.records.tree.node import Place, Tree
from trueline.records.tree.table import quoted_text, row_of, shown

if TYPE_CHECKING:
    from PIL.Image import Image

HEADER = "index\ttag\tname\ttext"


class Mark(NamedTuple):
    """One numbered element."""

    number: int
    """Counted from 1."""
    tag: str
    name: str
    text: str
    """As the list writes it."""
    position: Place
    size: Size

    @property
    def centre(self) -> Place:
        """Where `tag_<number>` points to."""
        return Place(self.position.x + self.size.width // 2, self.position.y + self.size.height // 2)


def marks(tree: Tree, screenshot: bytes | None = None) -> tuple[Mark, ...]:
    """Number the shown elements; with a screenshot, those with a box of one colour are left out, as in OSWorld."""
    image = None if screenshot is None else _opened(screenshot)
    found: list[Mark] = []
    for node in shown(tree, images=True):
        assert node.position is not None and node.size is not None, "shown nodes have a box"
        if image is not None and _one_colour(image, node.position, node.size):
            continue
        found.append(Mark(len(found) + 1, node.role, node.name, quoted_text(node), node.position, node.size))
    return tuple(found)


def marks_text(found: Iterable[Mark]) -> str:
    """The list that goes with the marked picture: a header, then one line per mark."""
    return "\n".join((HEADER, *(row_of(str(mark.number), mark.tag, mark.name, mark.text) for mark in found)))


def _opened(screenshot: bytes) -> Image:
    from PIL import Image

    with Image.open(io.BytesIO(screenshot)) as image:
        return image.convert("RGB")


def _one_colour(image: Image, position: Place, size: Size) -> bool:
    box = (position.x, position.y, position.x + size.width, position.y + size.height)
    return all(low == high for low, high in (band.getextrema() for band in image.crop(box).split()))
