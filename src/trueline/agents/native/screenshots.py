"""Screenshots for models: scaled or cropped where needed."""

from __future__ import annotations

import asyncio
import io

from PIL import Image as Pillow

from trueline.actions import Size, Zoom
from trueline.models import Image, image_from_bytes

_FAST = 1  # screens are flat: a stronger deflate takes long and saves little


def fitting(screen: Size, longest: int) -> Size:
    """Return the screen size scaled down, if needed, so that no side is longer than `longest`."""
    side = max(screen)
    if side <= longest:
        return screen
    return Size(round(screen.width * longest / side), round(screen.height * longest / side))


async def picture(png: bytes, size: Size) -> Image:
    """Return a screenshot scaled to a size, for a model."""
    return (await asyncio.to_thread(_scaled, png, size)).model_copy(update={"detail": "original"})


async def zoomed(png: bytes, zoom: Zoom) -> Image | None:
    """Return a part of a screenshot at full resolution; None if it is outside the screen."""
    return await asyncio.to_thread(_cut, png, zoom)


def _scaled(png: bytes, size: Size) -> Image:
    with Pillow.open(io.BytesIO(png)) as opened:
        if opened.size == tuple(size):
            return image_from_bytes(png)
        return _png(opened.convert("RGB").resize(size, Pillow.Resampling.LANCZOS))


def _cut(png: bytes, zoom: Zoom) -> Image | None:
    with Pillow.open(io.BytesIO(png)) as opened:
        left, top = zoom.top_left
        right, bottom = min(zoom.bottom_right.x + 1, opened.width), min(zoom.bottom_right.y + 1, opened.height)
        if left >= right or top >= bottom:
            return None
        return _png(opened.convert("RGB").crop((left, top, right, bottom)))


def _png(picture: Pillow.Image) -> Image:
    out = io.BytesIO()
    picture.save(out, "PNG", compress_level=_FAST)
    return Image(data=out.getvalue())
