"""Pairs of pictures: a random one, and the same with something changed around each threshold."""

from __future__ import annotations

import io
import random

import numpy as np
from PIL import Image, ImageEnhance, ImageFilter
from pydantic import JsonValue

from support.agreement import Case, Generator
from support.agreement.words import maybe_missing
from trueline.tasks.checkers.values import FileValue

Picture = Image.Image


def picture(rng: random.Random, side: int | None = None) -> Picture:
    """Smooth shapes and some noise."""
    width, height = (side, side) if side else (rng.choice((7, 24, 40, 41)), rng.choice((7, 24, 40, 41)))
    noise = np.random.default_rng(rng.randrange(1 << 30)).integers(0, 256, (height, width, 3), dtype=np.uint8)
    made = Image.fromarray(noise).filter(ImageFilter.GaussianBlur(rng.choice((0.5, 2, 4))))
    return made if rng.random() < 0.8 else Image.new("RGB", (width, height), rng.choice(("red", "black", "#808080")))


def converted(rng: random.Random, made: Picture) -> Picture:
    mode = rng.choice(("RGB",) * 8 + ("L", "RGBA", "P", "LA", "1", "CMYK"))
    if mode == "RGBA":
        made = made.convert("RGBA")
        alpha = Image.new("L", made.size, rng.choice((0, 255, 128)))
        alpha.paste(255, (2, 2, made.width - 2, made.height - 3))
        made.putalpha(alpha)
        return made
    return made.convert(mode)


def file(made: Picture, rng: random.Random, name: str = "a.png") -> FileValue:
    buffer = io.BytesIO()
    if made.mode == "CMYK":
        made.save(buffer, "TIFF")
    elif made.mode == "P" and rng.random() < 0.3:
        made.save(buffer, "PNG", transparency=0)
    else:
        made.save(buffer, "PNG")
    content = buffer.getvalue()
    if rng.random() < 0.02:
        content = rng.choice((b"", b"\x89PNG\r\n\x1a\n", content[: len(content) // 2]))
    return FileValue(name, content)


def near(rng: random.Random, made: Picture) -> Picture:
    """The same, or nearly."""
    match rng.randrange(9):
        case 0:
            return ImageEnhance.Brightness(made).enhance(rng.choice((0.4, 0.8, 0.99, 1.3)))
        case 1:
            return ImageEnhance.Contrast(made).enhance(rng.choice((0.5, 0.9, 1.2, 2)))
        case 2:
            return ImageEnhance.Color(made).enhance(rng.choice((0.5, 0.95, 1.05, 1.5)))
        case 3:
            return made.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
        case 4:
            return made.resize((made.width + rng.choice((0, 1, 9)), made.height + rng.choice((0, 3))))
        case 5:
            return made.filter(ImageFilter.GaussianBlur(rng.choice((0.3, 0.6, 1, 2))))
        case 6:
            pixels = np.array(made).astype(np.int16)
            noise = np.random.default_rng(rng.randrange(1 << 30)).normal(0, rng.choice((1, 4, 9, 20)), pixels.shape)
            return Image.fromarray(np.clip(pixels + noise, 0, 255).astype(np.uint8))
        case 7:
            return picture(rng)
        case _:
            return made.copy()


def pair(rng: random.Random) -> tuple[FileValue | None, FileValue]:
    gold = picture(rng)
    found = near(rng, gold)
    return maybe_missing(rng, file(converted(rng, found), rng)), file(converted(rng, gold), rng, "e.png")


def _pairs(name: str) -> Generator:
    def make(rng: random.Random) -> Case:
        return Case(name, *pair(rng))

    make.__name__ = name
    return make


def compare_images(rng: random.Random) -> Case:
    gold = picture(rng)
    found = near(rng, gold)
    options: dict[str, JsonValue] = {}
    if rng.random() < 0.4:
        options["reference_base_result"] = rng.choice((0.11, 0.54, 0.9, 0))
    files = maybe_missing(rng, file(converted(rng, found), rng)), file(converted(rng, gold), rng, "e.png")
    return Case("compare_images", *files, options)


def check_palette_and_structure_sim(rng: random.Random) -> Case:
    gold = picture(rng)
    found = near(rng, gold).quantize(rng.choice((256, 64, 8)))
    files = maybe_missing(rng, file(found if rng.random() < 0.8 else found.convert("RGB"), rng)), file(gold, rng)
    return Case("check_palette_and_structure_sim", *files)


def compare_image_list(rng: random.Random) -> Case:
    if rng.random() < 0.4:
        pairs = [pair(rng) for _ in range(2)]
        return Case("compare_image_list", tuple(found for found, _ in pairs), tuple(gold for _, gold in pairs))
    gold = picture(rng)
    found = gold.copy()
    if rng.random() < 0.5:
        found.putpixel((3, 3), (1, 2, 3))
    return Case("compare_image_list", file(found, rng), file(gold, rng, "e.png"))


def check_brightness_decrease_and_structure_sim(rng: random.Random) -> Case:
    gold = picture(rng)
    found = ImageEnhance.Brightness(gold).enhance(rng.choice((0.1, 0.3, 0.6, 0.9, 1.0, 1.1)))
    options: dict[str, JsonValue] = {"threshold": rng.choice((0.15, 0.001))} if rng.random() < 0.4 else {}
    files = maybe_missing(rng, file(converted(rng, found), rng)), file(converted(rng, gold), rng, "e.png")
    return Case("check_brightness_decrease_and_structure_sim", *files, options)


def check_image_size(rng: random.Random) -> Case:
    made = converted(rng, picture(rng))
    rules: dict[str, JsonValue] = {}
    for name, size in (("width", made.width), ("height", made.height)):
        if rng.random() < 0.7:
            rules[name] = rng.choice((size, size, size - 4, size - 5, None))
    if rng.random() < 0.5:
        rules["ignore_transparent"] = rng.random() < 0.7
    return Case("check_image_size", maybe_missing(rng, file(made, rng)), rules)


def check_image_file_size(rng: random.Random) -> Case:
    made = file(picture(rng), rng)
    most = len(made.content) + rng.choice((-1, 0, 1, 1000))
    return Case("check_image_file_size", maybe_missing(rng, made), {"max_size": most})


def check_textbox_on_leftside(rng: random.Random) -> Case:
    made = Image.new("RGB", (rng.choice((40, 100)), 30), "white")
    level = rng.choice((0, 127, 128))
    if rng.random() < 0.9:
        made.putpixel((rng.choice((0, 1, 2, 4, 5, 6)), 7), (level, level, level))
    return Case("check_textbox_on_leftside", maybe_missing(rng, file(converted(rng, made), rng)), None, arguments=1)


def check_triangle_position(rng: random.Random) -> Case:
    side = 40
    made = Image.new("RGB", (side, side), "white")
    if rng.random() < 0.5:
        made.paste("blue", (0, 0, 2, 2))
    left, top = (rng.choice((15, 16, 17, 18, 19, 3)) for _ in range(2))
    if rng.random() < 0.95:
        made.paste("yellow", (left, top, left + 8, top + 8))
    return Case("check_triangle_position", maybe_missing(rng, file(converted(rng, made), rng)), None, arguments=1)


def check_green_background(rng: random.Random) -> Case:
    side = 12
    model = Image.new("RGB", (side, rng.choice((side, side, side, side + 1))), "white")
    model.paste("black", (4, 4, 8, 8))
    found = Image.new("RGB", model.size, rng.choice(("green", "#01ff00", "#00ff00")))
    found.paste("red", (4, 4, 8, 8))
    if rng.random() < 0.4:
        found.putpixel((rng.randrange(side), rng.randrange(side)), rng.choice(((9, 9, 9), (9, 10, 9), (10, 10, 9))))
    files = maybe_missing(rng, file(found, rng)), file(converted(rng, model), rng, "e.png")
    return Case("check_green_background", *files)


GENERATORS: dict[str, Generator] = {
    make.__name__: make
    for make in (
        compare_images, compare_image_list, _pairs("check_structure_sim"), _pairs("check_structure_sim_resized"),
        _pairs("check_file_exists_and_structure_sim"), check_palette_and_structure_sim,
        _pairs("check_image_mirror"), check_brightness_decrease_and_structure_sim,
        _pairs("check_saturation_increase_and_structure_sim"), _pairs("check_contrast_increase_and_structure_sim"),
        _pairs("increase_saturation"), _pairs("decrease_brightness"), check_image_size, check_image_file_size,
        check_textbox_on_leftside, check_triangle_position, check_green_background,
    )
}  # fmt: skip
