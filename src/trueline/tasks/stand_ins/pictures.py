"""Pictures: what Pillow writes, SVG, and layered pictures of GIMP."""

from __future__ import annotations

import io
import struct

from PIL import Image, ImageDraw

from trueline.tasks.stand_ins.content import Content

SIZE = (640, 480)
"""All have one size, so that those of one task can be compared."""
_FORMATS = {"jpg": "JPEG", "jpeg": "JPEG", "png": "PNG", "gif": "GIF", "webp": "WEBP", "bmp": "BMP", "tiff": "TIFF",
            "tif": "TIFF", "ico": "ICO"}  # fmt: skip
KINDS = frozenset(_FORMATS)
_TILE = 64


def draw(content: Content, size: tuple[int, int] = SIZE) -> Image.Image:
    """Shapes of several colours over two areas, with a line of text."""
    width, height = size
    image = Image.new("RGB", size, content.colour())
    pen = ImageDraw.Draw(image)
    pen.rectangle((0, height * 2 // 3, width, height), fill=content.colour())
    for _ in range(6):
        left, top = content.number(0, width * 3 // 4), content.number(0, height * 3 // 4)
        right, bottom = left + content.number(width // 10, width // 3), top + content.number(height // 10, height // 3)
        shape = pen.ellipse if content.number(0, 1) else pen.rectangle
        shape((left, top, right, bottom), fill=content.colour())
    pen.text((width // 20, height // 20), content.title(), fill="black")
    return image


def picture(content: Content, kind: str) -> bytes:
    """A picture in one of the formats of `KINDS`."""
    return encoded(draw(content), kind)


def encoded(image: Image.Image, kind: str) -> bytes:
    """A picture as a file."""
    buffer = io.BytesIO()
    image.save(buffer, _FORMATS[kind])
    return buffer.getvalue()


def svg(content: Content) -> bytes:
    """A vector picture."""
    shapes = "".join(
        f'<circle cx="{content.number(40, 600)}" cy="{content.number(40, 440)}" r="{content.number(10, 80)}" '
        f'fill="rgb{content.colour()}"/>'
        for _ in range(6)
    )
    width, height = SIZE
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}"><title>{content.title()}</title>'
        f'<rect width="{width}" height="{height}" fill="rgb{content.colour()}"/>{shapes}</svg>\n'
    ).encode()


def raw_pixels(content: Content) -> bytes:
    """Pixels without a header, three bytes each."""
    return draw(content).tobytes()


def xcf(content: Content) -> bytes:
    """A picture of GIMP's with a background and an object on a layer above it."""
    width, height = SIZE
    item = Image.new("RGBA", SIZE, (0, 0, 0, 0))
    left, top = content.number(60, 300), content.number(60, 200)
    ImageDraw.Draw(item).polygon(
        ((left, top + 180), (left + 110, top), (left + 220, top + 180)), fill=(*content.colour(), 255)
    )
    background = Image.new("RGBA", SIZE, (*content.colour(), 255))
    layers = (("Object", item), ("Background", background))
    out = bytearray(b"gimp xcf v001\0" + struct.pack(">3I", width, height, 0))
    out += struct.pack(">2IB", 17, 1, 0) + struct.pack(">2I", 0, 0)  # not compressed
    pointers = len(out)
    out += bytes(4 * (len(layers) + 2))
    for place, (name, layer) in enumerate(layers):
        struct.pack_into(">I", out, pointers + 4 * place, len(out))
        _add_layer(out, name, layer)
    return bytes(out)


def _add_layer(out: bytearray, name: str, layer: Image.Image) -> None:
    width, height = layer.size
    label = name.encode() + b"\0"
    out += struct.pack(">4I", width, height, 1, len(label)) + label
    out += struct.pack(">3I", 6, 4, 255) + struct.pack(">3I", 8, 4, 1) + struct.pack(">2I", 0, 0)  # opaque, visible
    out += struct.pack(">2I", len(out) + 8, 0)
    out += struct.pack(">5I", width, height, 4, len(out) + 20, 0)
    tiles = [(x, y) for y in range(0, height, _TILE) for x in range(0, width, _TILE)]
    out += struct.pack(">2I", width, height)
    pointers = len(out)
    out += bytes(4 * (len(tiles) + 1))
    for place, (x, y) in enumerate(tiles):
        struct.pack_into(">I", out, pointers + 4 * place, len(out))
        out += layer.crop((x, y, min(x + _TILE, width), min(y + _TILE, height))).tobytes()
