"""Images for models: read, re-encoded only if the policy says so, base64-encoded once and reused."""

from __future__ import annotations

import base64
import io
import threading
from collections import OrderedDict
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from trueline.errors import InputError
from trueline.models.types import Image, ImagePolicy, MediaType

if TYPE_CHECKING:
    from PIL.Image import Image as Picture

KEEP = ImagePolicy()
MAX_PIXELS = 100_000_000
CACHE_CHARACTERS = 96 * 1024 * 1024

_SIGNATURES: tuple[tuple[bytes, MediaType], ...] = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
)


class Encoded(NamedTuple):
    """A picture as the providers take it."""

    base64: str
    media_type: MediaType

    @property
    def data_url(self) -> str:
        """The picture as a URL that holds its own data."""
        return f"data:{self.media_type};base64,{self.base64}"


def image_from_bytes(data: bytes, name: str = "image") -> Image:
    """Recognise the format of encoded bytes.

    Raises:
        InputError: It is not a format that models accept.
    """
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return Image(data=data, media_type="image/webp")
    for signature, media_type in _SIGNATURES:
        if data.startswith(signature):
            return Image(data=data, media_type=media_type)
    raise InputError(f"{name}: must be a PNG, JPEG, WebP or GIF image; convert it first")


def read_image(path: Path) -> Image:
    """Read a picture from a file."""
    try:
        return image_from_bytes(path.read_bytes(), str(path))
    except OSError as e:
        raise InputError(f"{path}: cannot be read ({e.strerror or type(e).__name__})") from None


class _Store:
    """The last encoded pictures, up to a number of characters; safe for threads."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._held = 0
        self._entries: OrderedDict[tuple[str, str, ImagePolicy], Encoded] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, image: Image, policy: ImagePolicy) -> Encoded:
        key = (image.digest, image.media_type, policy)
        with self._lock:
            if found := self._entries.get(key):
                self._entries.move_to_end(key)
                return found
        made = _encode(image, policy)
        with self._lock:
            if key not in self._entries:
                self._entries[key] = made
                self._held += len(made.base64)
            while self._held > self._limit and len(self._entries) > 1:
                _, dropped = self._entries.popitem(last=False)
                self._held -= len(dropped.base64)
        return made


_store = _Store(CACHE_CHARACTERS)


def encode_image(image: Image, policy: ImagePolicy = KEEP) -> Encoded:
    """Return the picture as base64, changed only as the policy allows."""
    return _store.get(image, policy)


def _encode(image: Image, policy: ImagePolicy) -> Encoded:
    data, media_type = image.data, image.media_type
    if policy != KEEP:
        data, media_type = _redraw(image, policy)
    return Encoded(base64.b64encode(data).decode("ascii"), media_type)


def _redraw(image: Image, policy: ImagePolicy) -> tuple[bytes, MediaType]:
    from PIL import Image as Pillow

    own = "jpeg" if image.media_type == "image/jpeg" else "png"
    try:
        with Pillow.open(io.BytesIO(image.data)) as opened:
            if opened.width * opened.height > MAX_PIXELS:
                raise InputError(f"a picture of {opened.width}x{opened.height} pixels is too large to re-encode")
            side = min(policy.max_side or MAX_PIXELS, max(opened.size))
            shrinks = side < max(opened.size)
            if not shrinks and policy.format in ("keep", image.media_type.removeprefix("image/")):
                return image.data, image.media_type
            picture = opened.convert("RGB")
    except (OSError, ValueError, SyntaxError, Pillow.DecompressionBombError) as e:
        raise InputError(f"a picture cannot be re-encoded: it is damaged ({type(e).__name__})") from None
    if shrinks:
        picture.thumbnail((side, side), Pillow.Resampling.LANCZOS)
    made: list[tuple[bytes, MediaType]] = []
    if policy.format in ("png", "smallest") or (policy.format == "keep" and own == "png"):
        made.append((_save(picture, "PNG", {}), "image/png"))
    if policy.format in ("jpeg", "smallest") or (policy.format == "keep" and own == "jpeg"):
        made.append((_save(picture, "JPEG", {"quality": policy.quality}), "image/jpeg"))
    if policy.format == "smallest" and not shrinks:
        made.append((image.data, image.media_type))
    return min(made, key=lambda m: len(m[0]))


def _save(picture: Picture, format: str, options: dict[str, int]) -> bytes:
    out = io.BytesIO()
    picture.save(out, format, **options)
    return out.getvalue()
