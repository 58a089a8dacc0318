"""Pictures go out as they are unless the policy says otherwise."""

from __future__ import annotations

import base64
import io
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PIL import Image as Pillow

from trueline.errors import InputError
from trueline.models import Image, ImagePolicy, Request, image_from_bytes, user
from trueline.models.images import encode_image, read_image
from trueline.models.testing import FakeServer

if TYPE_CHECKING:
    from models.conftest import Lab


def picture(kind: str, noisy: bool = False, size: tuple[int, int] = (320, 200)) -> bytes:
    rng = np.random.default_rng(1)
    shape = (size[1], size[0], 3)
    pixels = rng.integers(0, 256, shape, dtype=np.uint8) if noisy else np.full(shape, 200, dtype=np.uint8)
    out = io.BytesIO()
    Pillow.fromarray(pixels).save(out, kind)
    return out.getvalue()


def opened(encoded: str) -> Pillow.Image:
    return Pillow.open(io.BytesIO(base64.b64decode(encoded)))


@pytest.mark.parametrize(("kind", "media"), [("PNG", "png"), ("JPEG", "jpeg"), ("WEBP", "webp"), ("GIF", "gif")])
def test_formats_are_recognised_and_sent_unchanged(tmp_path: Path, kind: str, media: str) -> None:
    data = picture(kind)
    (tmp_path / "shot").write_bytes(data)
    image = read_image(tmp_path / "shot")
    assert image.media_type == f"image/{media}"
    encoded = encode_image(image)
    assert base64.b64decode(encoded.base64) == data
    assert encoded.data_url.startswith(f"data:image/{media};base64,")


def test_what_is_no_picture_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("hello")
    with pytest.raises(InputError, match=r"notes\.txt"):
        read_image(tmp_path / "notes.txt")
    with pytest.raises(InputError, match="missing"):
        read_image(tmp_path / "missing.png")


def test_the_same_picture_is_encoded_once() -> None:
    data = picture("PNG", noisy=True)
    one, two = Image(data=data), Image(data=bytes(bytearray(data)))
    assert one.data is not two.data
    assert encode_image(one).base64 is encode_image(two).base64
    small = ImagePolicy(max_side=100)
    assert encode_image(one, small).base64 is encode_image(two, small).base64


def test_shrinking_keeps_the_shape_and_the_format() -> None:
    for kind in ("PNG", "JPEG"):
        image = image_from_bytes(picture(kind, noisy=True))
        shrunk = encode_image(image, ImagePolicy(max_side=160))
        assert opened(shrunk.base64).size == (160, 100)
        assert shrunk.media_type == image.media_type


def test_a_picture_that_is_small_enough_is_left_alone() -> None:
    image = image_from_bytes(picture("PNG"))
    assert base64.b64decode(encode_image(image, ImagePolicy(max_side=320)).base64) == image.data


def test_smallest_takes_jpeg_for_noise_and_png_for_flat_screens() -> None:
    policy = ImagePolicy(format="smallest")
    noisy, flat = image_from_bytes(picture("PNG", noisy=True)), image_from_bytes(picture("PNG"))
    assert encode_image(noisy, policy).media_type == "image/jpeg"
    assert encode_image(flat, policy).media_type == "image/png"
    assert len(encode_image(noisy, policy).base64) < len(noisy.data)


def test_formats_can_be_asked_for() -> None:
    image = image_from_bytes(picture("PNG", noisy=True))
    jpeg = encode_image(image, ImagePolicy(format="jpeg", quality=50))
    assert opened(jpeg.base64).format == "JPEG"
    assert len(jpeg.base64) < len(encode_image(image, ImagePolicy(format="jpeg", quality=90)).base64)
    webp = image_from_bytes(picture("WEBP"))
    assert opened(encode_image(webp, ImagePolicy(format="png")).base64).format == "PNG"


def test_a_damaged_picture_cannot_be_redrawn() -> None:
    broken = Image(data=picture("PNG", noisy=True)[:100])
    with pytest.raises(InputError, match="damaged"):
        encode_image(broken, ImagePolicy(max_side=10))


def test_the_policy_of_a_request_holds_for_all_its_pictures(lab: Lab, protocol_wire: str) -> None:
    image = image_from_bytes(picture("PNG", noisy=True))
    server = FakeServer()
    request = Request(messages=(user("look", image),), images=ImagePolicy(max_side=64, format="jpeg"))
    lab.run(protocol_wire, server, request)
    assert server.seen[0].pictures() != [image.digest]
    assert "image/jpeg" in server.seen[0].raw.decode()
