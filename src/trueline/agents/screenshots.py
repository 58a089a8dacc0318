"""Screenshots made to fit a model: scaled, cut, kept as they are where nothing has to be done."""

from __future__ import annotations

import asyncio
import io

from PIL import Image as Pillow

from trueline.actions import Size, Zoom
from trueline.errors import InputError
from trueline.models import Image, image_from_bytes
from trueline.records.observation import Observation

_FAST = 1  # screens are flat: a stronger deflate takes long and saves little


def screenshot(obs: Observation) -> bytes:
    """Return the screenshot's bytes; there must be one."""
    png = obs.png()
    if png is None:
        raise InputError("the observation has no screenshot, which the agent wants")
    return png


def fitting(screen: Size, longest: int) -> Size:
    """Return the size at which no side is longer, of the same shape; never larger than the screen."""
    side = max(screen)
    if side <= longest:
        return screen
    return Size(round(screen.width * longest / side), round(screen.height * longest / side))


async def picture(png: bytes, size: Size) -> Image:
    """Return the screenshot for a model, scaled to a size."""
    return (await asyncio.to_thread(_scaled, png, size)).model_copy(update={"detail": "original"})


async def zoomed(png: bytes, zoom: Zoom) -> Image | None:
    """Return a part of the screenshot at its full resolution; None when nothing of it is on the screen."""
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
