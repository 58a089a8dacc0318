"""Metrics of pictures: similarity, size, brightness, saturation, contrast, mirror image."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import TypeVar

import numpy as np
from PIL import Image, ImageChops, ImageStat

from trueline.tasks.checkers.metrics.structural_similarity import WINDOW, structural_similarity
from trueline.tasks.checkers.values import (
    CheckResult,
    FileValue,
    Options,
    UnreadableResult,
    Value,
    flag,
    pass_if,
    required,
    rules_of,
)
from trueline.tasks.errors import CheckerError

Picture = Image.Image
T = TypeVar("T")
_FORMATS = ("PNG", "JPEG", "BMP", "GIF", "TIFF", "WEBP", "PPM", "ICO", "TGA")
"""Formats that Pillow decodes itself: others would start programs."""
_MOST_PIXELS = 100_000_000
_NO_FILE = CheckResult(0.0, "there is no such file")
_GREY = 128
_LEAST_GAIN = 0.01


def compare_images(result: Value, expected: Value, options: Options) -> CheckResult:
    """The structural similarity in grey values; with `reference_base_result`, how far it is above that."""
    base = options.get("reference_base_result")
    if base is not None and not isinstance(base, int | float):
        raise CheckerError("compare_images: reference_base_result must be a number")
    pair = _open_pair(result, expected)
    if pair is None:
        return _NO_FILE
    first, second = (picture.convert("L") for picture in pair)
    size = min(first.size, second.size)
    if min(size) < WINDOW:
        raise UnreadableResult("the picture is too small")
    arrays = [np.asarray(picture.resize(size, Image.Resampling.LANCZOS)) for picture in (first, second)]
    score = structural_similarity(arrays[0], arrays[1])
    if base is not None:
        score = (score - base) / (1 - base) if score >= base + _LEAST_GAIN else 0.0
    return CheckResult(min(max(score, 0.0), 1.0), "" if score == 1 else f"the pictures are alike to {score:.3f}")


def compare_image_list(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether all pictures are the same; one of another size is fitted first."""
    golds = expected if isinstance(expected, tuple) else (expected,)
    founds = result if isinstance(result, tuple) else (result,)
    for found, gold in zip(founds, golds, strict=False):
        pair = _open_pair(found, gold)
        if pair is None:
            return _NO_FILE
        first, second = pair
        if first.size != second.size:
            first = first.resize(second.size, Image.Resampling.LANCZOS)
        if first.mode != second.mode:
            first = first.convert(second.mode)
        if _difference(first, second):
            return CheckResult(0.0, "a picture differs")
    return CheckResult(1.0)


def _difference(first: Picture, second: Picture) -> bool:
    try:
        return ImageChops.difference(first, second).getbbox() is not None
    except ValueError as error:
        raise UnreadableResult(f"the pictures cannot be compared: {error}") from error


def check_structure_sim(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether two pictures of one size have the same structure."""
    pair = _open_pair(result, expected)
    if pair is None:
        return _NO_FILE
    if pair[0].size != pair[1].size:
        return CheckResult(0.0, f"the size is {pair[0].size}, not {pair[1].size}")
    return _same_structure(*pair)


def check_structure_sim_with_threshold(result: Value, expected: Value, options: Options) -> CheckResult:
    """Whether two pictures are alike to `ssim_threshold`; one of another size is fitted first."""
    threshold = options.get("ssim_threshold", 0.85)
    if not isinstance(threshold, int | float):
        raise CheckerError("check_structure_sim_with_threshold: ssim_threshold must be a number")
    pair = _open_pair(result, expected)
    if pair is None:
        return _NO_FILE
    first, second = pair
    if first.size != second.size:
        first = first.resize(second.size, Image.Resampling.LANCZOS)
    return _same_structure(first, second, threshold)


def check_structure_sim_resized(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether two pictures have the same structure once transparent edges are cut off and the sizes are equal."""
    pair = _open_pair(result, expected)
    if pair is None:
        return _NO_FILE
    first, second = pair
    if _has_transparency(first):
        first = first if first.mode == "RGBA" else first.convert("RGBA")
        box = first.getchannel("A").getbbox()
        if box is None:
            return CheckResult(0.0, "the picture is transparent")
        first = first.crop(box).convert("RGB")
    return _same_structure(first.resize(second.size), second)


def check_file_exists_and_structure_sim(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether there is a picture, and it has the expected structure."""
    pair = _open_pair(result, expected)
    return _NO_FILE if pair is None else _same_structure(*pair)


def check_palette_and_structure_sim(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether a picture has a palette, and the expected structure."""
    pair = _open_pair(result, expected)
    if pair is None:
        return _NO_FILE
    if pair[0].mode != "P":
        return CheckResult(0.0, f"the picture's colours are {pair[0].mode}, without a palette")
    return _same_structure(*pair)


def check_image_mirror(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether a picture is the mirror image of another."""
    pair = _open_pair(result, expected)
    if pair is None:
        return _NO_FILE
    return _same_structure(pair[0].transpose(Image.Transpose.FLIP_LEFT_RIGHT), pair[1], 0.99)


def check_brightness_decrease_and_structure_sim(result: Value, expected: Value, options: Options) -> CheckResult:
    """Whether a picture is darker than another, and the same at equal brightness, within `threshold`."""
    threshold = options.get("threshold", 0.03)
    if not isinstance(threshold, int | float):
        raise CheckerError("check_brightness_decrease_and_structure_sim: threshold must be a number")
    pair = _open_pair(result, expected)
    if pair is None:
        return _NO_FILE
    brightness = [_brightness(picture) for picture in pair]
    if not all(brightness):
        raise UnreadableResult("a picture is black")
    if brightness[0] >= brightness[1]:
        return CheckResult(0.0, "the picture is not darker")
    first, second = (_brighten(picture, _GREY / level) for picture, level in zip(pair, brightness, strict=True))
    if first.size != second.size:
        first = first.resize(second.size, Image.Resampling.LANCZOS)
    arrays = [np.array(_rgb(picture), dtype=np.float32) / 255 for picture in (first, second)]
    error = float(np.mean((arrays[0] - arrays[1]) ** 2))
    return pass_if(error < threshold, f"the mean squared error is {error:.4f}")


def _brighten(picture: Picture, factor: float) -> Picture:
    def scale(level: float) -> int:
        return min(255, max(0, int(level * factor)))

    try:
        return picture.point(scale)
    except (ValueError, TypeError, AttributeError) as error:
        raise UnreadableResult(f"a picture cannot be made brighter: {error}") from error


def _brightness(picture: Picture) -> float:
    return ImageStat.Stat(picture.convert("L")).mean[0]


def check_saturation_increase_and_structure_sim(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether a picture is more saturated than another, of the same hues and values."""
    pair = _open_pair(result, expected)
    if pair is None:
        return _NO_FILE
    (hue, saturation, value), (hue2, saturation2, value2) = (_hsv(picture) for picture in pair)
    if not np.mean(np.array(saturation2)) < np.mean(np.array(saturation)):
        return CheckResult(0.0, "the picture is not more saturated")
    for first, second in ((hue, hue2), (value, value2)):
        checked = _same_structure(first, second)
        if not checked.score:
            return checked
    return CheckResult(1.0)


def increase_saturation(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether the second picture is more saturated than the first."""
    pair = _open_pair(result, expected)
    if pair is None:
        return _NO_FILE
    first, second = (ImageStat.Stat(_hsv(picture)[1]).mean[0] for picture in pair)
    return pass_if(first < second, "the picture is not more saturated")


def decrease_brightness(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether the second picture is darker than the first."""
    pair = _open_pair(result, expected)
    if pair is None:
        return _NO_FILE
    first, second = (_brightness(picture) for picture in pair)
    return pass_if(first > second, "the picture is not darker")


def _hsv(picture: Picture) -> tuple[Picture, Picture, Picture]:
    try:
        hue, saturation, value = picture.convert("HSV").split()
    except ValueError as error:
        raise UnreadableResult(f"a picture's colours cannot be converted: {error}") from error
    return hue, saturation, value


def check_contrast_increase_and_structure_sim(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether a picture has more contrast than another, and roughly the same structure."""
    pair = _open_pair(result, expected)
    if pair is None:
        return _NO_FILE
    first, second = (float(np.std(np.asarray(picture, dtype=np.float32))) for picture in pair)
    if not second < first:
        return CheckResult(0.0, "the picture has no more contrast")
    return _same_structure(*pair, 0.65)


def check_image_size(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether a picture is `rules.width` wide and `rules.height` high; transparent edges may be left out."""
    rules = rules_of(expected)
    picture = _open(result, UnreadableResult)
    if picture is None:
        return _NO_FILE
    width, height = picture.size
    if (flag(rules, "ignore_transparent") and picture.mode in ("RGBA", "LA")) or "transparency" in picture.info:
        box = (picture if picture.mode == "RGBA" else picture.convert("RGBA")).getchannel("A").getbbox()
        width, height = (0, 0) if box is None else (box[2] - box[0], box[3] - box[1])
    good = all(rules.get(name) in (None, size) for name, size in (("width", width), ("height", height)))
    return pass_if(good, f"the size is {width} by {height}")


def check_image_file_size(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether a file has fewer than `rules.max_size` bytes."""
    most = required(rules_of(expected), "max_size")
    if not isinstance(most, int | float):
        raise CheckerError("check_image_file_size: rules.max_size must be a number")
    if not isinstance(result, FileValue):
        return _NO_FILE
    return pass_if(len(result.content) < most, f"the file has {len(result.content)} bytes")


def check_textbox_on_leftside(result: Value, _: Value, __: Options) -> CheckResult:
    """Whether something dark is in the leftmost twentieth of a picture."""
    picture = _open(result, UnreadableResult)
    if picture is None:
        return _NO_FILE
    columns = np.asarray(picture.convert("L")).min(axis=0) < _GREY
    left = int(np.argmax(columns)) if columns.any() else picture.width
    return pass_if(left < picture.width * 0.05, f"the first dark column is {left}")


def check_triangle_position(result: Value, _: Value, __: Options) -> CheckResult:
    """Whether the second rarest colour of a picture is in its middle."""
    picture = _open(result, UnreadableResult)
    if picture is None:
        return _NO_FILE
    pixels = np.array(picture)
    if pixels.ndim != 3:
        raise UnreadableResult("the picture has no colours")
    colours, counts = np.unique(pixels.reshape(-1, pixels.shape[2]), axis=0, return_counts=True)
    if len(colours) < 2:
        raise UnreadableResult("the picture has one colour")
    colour = colours[np.argsort(counts)][1]
    places = np.argwhere(np.all(pixels == colour, axis=2))
    size = np.array(pixels.shape[:2])
    off = np.abs(places.mean(axis=0) - size / 2)
    return pass_if(bool(np.all(off < 0.05 * size)), "the triangle is not in the middle")


def check_green_background(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether a square picture is green wherever another is not black."""
    pair = _open_pair(result, expected)
    if pair is None:
        return _NO_FILE
    found, model = (np.array(picture) for picture in pair)
    side = pair[1].width
    # OSWorld takes rows for columns, so anything but a square fails there.
    square = model.ndim == found.ndim == 3 and model.shape[:2] == (side, side) and min(found.shape[:2]) >= side
    if not square or min(model.shape[2], found.shape[2]) < 3:
        raise UnreadableResult("the pictures are not square, or have no colours")
    background = np.any(model[..., :3] != 0, axis=2)
    red, green, blue = (found[:side, :side, channel][background] for channel in range(3))
    return pass_if(bool(np.all((green > red) & (green > blue))), "the background is not green")


def _same_structure(first: Picture, second: Picture, threshold: float = 0.9) -> CheckResult:
    if min(*first.size, *second.size) < WINDOW:
        return CheckResult(0.0, "the picture is too small")
    if first.size != second.size:
        return CheckResult(0.0, f"the size is {first.size}, not {second.size}")
    score = structural_similarity(np.array(_rgb(first)), np.array(_rgb(second)))
    return pass_if(score >= threshold, f"the structures are alike to {score:.3f}")


def _rgb(picture: Picture) -> Picture:
    return picture if picture.mode == "RGB" else picture.convert("RGB")


def _has_transparency(picture: Picture) -> bool:
    return picture.mode in ("RGBA", "LA") or "transparency" in picture.info


def _open_pair(result: Value, expected: Value) -> tuple[Picture, Picture] | None:
    """Both pictures; `None` if one is missing."""
    if result is None or expected is None:
        return None
    second, first = _open(expected, CheckerError), _open(result, UnreadableResult)
    return None if first is None or second is None else (first, second)


def _open(value: Value, error: type[CheckerError] | type[UnreadableResult]) -> Picture | None:
    if value is None:
        return None
    if not isinstance(value, FileValue):
        raise error("there is no picture")
    return _guarded(value, error, lambda: _load(value.content))


def _load(content: bytes) -> Picture:
    picture = Image.open(io.BytesIO(content), formats=_FORMATS)
    if picture.width * picture.height > _MOST_PIXELS:
        raise ValueError(f"more than {_MOST_PIXELS} pixels")
    picture.load()
    return picture


def _guarded(file: FileValue, error: type[CheckerError] | type[UnreadableResult], load: Callable[[], T]) -> T:
    try:
        return load()
    except MemoryError:
        raise
    except Exception as problem:
        # Pillow has no error class of its own: a broken picture can raise anything.
        raise error(f"{file.name}: is not a picture that can be read: {type(problem).__name__}: {problem}") from problem


def same_pixels(first: bytes, second: bytes) -> bool:
    """Whether two pictures of a document hold the same values, whatever their sizes and modes.

    Raises:
        UnreadableResult: One cannot be read.
    """
    pair = [
        _guarded(FileValue("a picture", each), UnreadableResult, lambda each=each: _load(each))
        for each in (first, second)
    ]
    return pair[0].tobytes() == pair[1].tobytes()
