"""A screenshot and an accessibility tree from outside, as an observation."""

from __future__ import annotations

import base64
import io
from datetime import UTC, datetime

from trueline.errors import InputError
from trueline.records.observation import Observation
from trueline.records.tree import Size, parse_xml

MAX_PIXELS = 40_000_000
"""An 8K screen has 33 million; more is an attack on memory."""
MAX_TREE = 8_000_000
"""Characters of XML."""
_FORMATS = ("PNG", "JPEG", "WEBP")


def read_observation(
    screenshot: bytes | None = None,
    *,
    tree: str | None = None,
    text: str | None = None,
    screen: tuple[int, int] | None = None,
) -> Observation:
    """Make an observation from a caller's input.

    Args:
        screenshot: A PNG, JPEG or WebP picture; it becomes PNG.
        tree: OSWorld's accessibility XML.
        text: What OCR read.
        screen: The screen's own size, where the screenshot has another.

    Raises:
        InputError: The picture or the tree cannot be read safely.
    """
    png, size = read_screenshot(screenshot) if screenshot is not None else (None, None)
    if tree is not None and len(tree) > MAX_TREE:
        raise InputError(f"tree: {len(tree)} characters of XML; at most {MAX_TREE}")
    return Observation(
        time=datetime.now(UTC),
        screenshot=png,
        tree=parse_xml(tree) if tree is not None else None,
        text=text,
        screen=Size(*screen) if screen else size,
    )


def read_screenshot(data: bytes) -> tuple[bytes, Size]:
    """Return the picture as PNG with its size; a PNG is returned unchanged.

    Raises:
        InputError: It is not a picture, is damaged, or is too large.
    """
    from PIL import Image

    try:
        with Image.open(io.BytesIO(data), formats=_FORMATS) as picture:
            size = Size(*picture.size)
            if size.width * size.height > MAX_PIXELS:
                raise InputError(f"screenshot: {size.width}x{size.height} pixels; at most {MAX_PIXELS}")
            picture.load()
            if picture.format == "PNG":
                return data, size
            out = io.BytesIO()
            picture.convert("RGB").save(out, "PNG", compress_level=1)
            return out.getvalue(), size
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise InputError(f"screenshot: must be a readable PNG, JPEG or WebP picture ({type(error).__name__})") from None


def read_base64(text: str, name: str = "screenshot") -> bytes:
    """Decode strict base64, also inside a `data:` URL.

    Raises:
        InputError: It is not base64.
    """
    head, comma, rest = text.partition("base64,")
    body = rest if comma and head.startswith("data:") else text
    try:
        data = base64.b64decode(body, validate=True)
    except ValueError:
        data = b""
    if not data:
        raise InputError(f"{name}: must be base64")
    return data
