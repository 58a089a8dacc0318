"""Checks a machine's pictures, trees and answers before use; they may be hostile."""

from __future__ import annotations

import io
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from trueline.desktop.osworld.http import Malformed
from trueline.records.tree import Size, Tree, TreeError, parse_xml
from trueline.validation import describe_validation_error

MAX_PIXELS = 40_000_000
"""An 8K screen has 33 million; more is an attack on memory."""
MAX_TREE = 16 << 20
"""Characters of XML."""
T = TypeVar("T")


class _Accessibility(BaseModel):
    model_config = ConfigDict(extra="ignore")

    AT: str


def read_png(data: bytes) -> tuple[bytes, Size]:
    """Return a screenshot with its size.

    Raises:
        Malformed: It is no PNG, is damaged or too large.
    """
    from PIL import Image

    try:
        with Image.open(io.BytesIO(data), formats=("PNG",)) as picture:
            size = Size(*picture.size)
            if size.width * size.height > MAX_PIXELS:
                raise Malformed(f"the screenshot has {size.width}x{size.height} pixels; at most {MAX_PIXELS} are read")
            picture.load()
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise Malformed("the screenshot is not a PNG or is damaged") from error
    return data, size


def scaled(png: bytes, size: tuple[int, int]) -> bytes:
    """A screenshot in another size."""
    from PIL import Image

    out = io.BytesIO()
    with Image.open(io.BytesIO(png), formats=("PNG",)) as picture:
        picture.convert("RGB").resize(size, Image.Resampling.LANCZOS).save(out, "PNG")
    return out.getvalue()


def read_tree(body: bytes) -> Tree:
    """Read the answer of `/accessibility`.

    Raises:
        Malformed: It is not a tree.
    """
    xml = read_json(body, TypeAdapter(_Accessibility)).AT
    if len(xml) > MAX_TREE:
        raise Malformed(f"the tree has {len(xml)} characters; at most {MAX_TREE} are read")
    try:
        return parse_xml(xml)
    except TreeError as error:
        raise Malformed(str(error)) from error


def read_json(body: bytes, shape: TypeAdapter[T]) -> T:
    """Read an answer of a given shape.

    Raises:
        Malformed: It has another.
    """
    try:
        return shape.validate_json(body)
    except ValidationError as error:
        raise Malformed(f"invalid answer: {describe_validation_error(error)}") from None
