"""The picture with the proposal on it: what must stay visible does, what must be drawn is."""

from __future__ import annotations

import io
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageChops

from trueline.actions import (
    Action,
    Click,
    Code,
    Done,
    Drag,
    Hotkey,
    MouseDown,
    MouseUp,
    Move,
    Point,
    Scroll,
    Size,
    Type,
    Wait,
)
from trueline.actions.codecs import pyautogui
from trueline.errors import InputError
from trueline.guard.annotation import Annotation, annotate
from trueline.guard.annotation.draw import target_mask
from trueline.guard.annotation.layout import LayoutSizes
from trueline.guard.annotation.marks import MOST_MARKS
from trueline.guard.annotation.style import COLOURS, SHAPES, draw_style

W, H = 320, 240
xs, ys = st.integers(-20, W + 20), st.integers(-20, H + 20)
points = st.builds(Point, xs, ys)
actions = st.one_of(
    st.builds(Click, at=points, count=st.integers(1, 3)),
    st.builds(Move, to=points),
    st.builds(Drag, start=points, path=st.lists(points, min_size=1, max_size=4).map(tuple)),
    st.builds(Scroll, at=points, dy=st.integers(-9, 9)),
    st.builds(MouseDown, at=points),
    st.builds(MouseUp, at=points),
    st.just(Click()),
)


def screenshot(kind: str = "noise", size: tuple[int, int] = (W, H)) -> Image.Image:
    if kind == "noise":
        return Image.frombytes("RGB", size, random.Random(4).randbytes(size[0] * size[1] * 3))
    return Image.new("RGB", size, kind)


def encoded(picture: Image.Image, form: str = "PNG") -> bytes:
    file = io.BytesIO()
    picture.save(file, form)
    return file.getvalue()


NOISE = screenshot()
NOISE_PNG = encoded(NOISE)


def drawn(*acts: Action, seed: str = "s", picture: bytes = NOISE_PNG, **more: Point | Size) -> Annotation:
    made = annotate(picture, acts, seed=seed, **more)  # pyright: ignore[reportArgumentType] -- pointer or screen
    assert made is not None
    return made


def opened(annotation: Annotation) -> Image.Image:
    return Image.open(io.BytesIO(annotation.png)).convert("RGB")


def kept(before: Image.Image, after: Image.Image, at: Point) -> bool:
    """Whether the target and the row through it are as they were."""
    mask = target_mask(LayoutSizes.for_picture(Size(*before.size)))
    left, top = at.x - mask.width // 2, at.y - mask.height // 2
    window = (left, top, left + mask.width, top + mask.height)
    changed = ImageChops.difference(before.crop(window), after.crop(window)).convert("L")
    return ImageChops.multiply(changed, mask).getbbox() is None


@given(st.lists(actions, min_size=1, max_size=8), st.text(max_size=4))
@settings(deadline=None, max_examples=80)
def test_no_target_is_ever_covered(acts: list[Action], seed: str) -> None:
    made = annotate(NOISE_PNG, acts, seed=seed)
    if made is None:
        assert not any(
            isinstance(act, Click | Move | Drag | Scroll | MouseDown | MouseUp) and act != Click() for act in acts
        )
        return
    after = opened(made)
    assert after.size == NOISE.size
    assert ImageChops.difference(NOISE, after).getbbox() is not None
    for mark in made.marks:
        assert 0 <= mark.at.x < W and 0 <= mark.at.y < H
        assert kept(NOISE, after, mark.at)
    assert [mark.number for mark in made.marks] == list(range(1, len(made.marks) + 1))
    assert made.labelled <= {mark.number for mark in made.marks}


@pytest.mark.parametrize("background", ["white", "black", "noise", "red", "#808080"])
@pytest.mark.parametrize("at", [(0, 0), (W - 1, 0), (0, H - 1), (W - 1, H - 1), (160, 120)])
def test_marks_show_on_any_background(background: str, at: tuple[int, int]) -> None:
    before = screenshot(background)
    made = drawn(Click(at=Point(*at)), picture=encoded(before))
    after = opened(made)
    assert made.labelled == {1}
    colours = {colour for _, colour in after.getcolors(W * H) or []} - (
        set() if background == "noise" else {colour for _, colour in before.getcolors(W * H) or []}
    )
    # The label: its own colour with black on it, edged in black and white.
    assert made.style.colour(0).rgb in colours
    changed = ImageChops.difference(before, after).getbbox()
    assert changed is not None and changed[2] - changed[0] > 60


def test_the_same_seed_gives_the_same_picture_and_another_one_another() -> None:
    acts = (Click(at=Point(50, 60)), Drag(start=Point(100, 100), path=(Point(200, 150),)))
    assert drawn(*acts) == drawn(*acts)
    assert len({drawn(*acts, seed=str(n)).png for n in range(20)}) == 20


def test_styles_are_drawn_by_lot() -> None:
    styles = [draw_style(str(n)) for n in range(300)]
    assert len({style.code for style in styles}) > 290
    assert {style.shape for style in styles} == set(SHAPES)
    assert {style.colours[0] for style in styles} == set(COLOURS)
    assert all(sorted(style.colours) == sorted(COLOURS) for style in styles)


def labels(source: str) -> list[str]:
    """The labels of what a program does."""
    made = annotate(NOISE_PNG, pyautogui.decode(source).actions, seed="s")
    return [mark.label for mark in made.marks] if made else []


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("pyautogui.click(81, 73)", ["click (81, 73)"]),
        ("pyautogui.leftClick(81, 73)", ["click (81, 73)"]),
        ("pyautogui.tripleClick(81, 73)", ["triple click (81, 73)"]),
        ("pyautogui.rightClick(x=81, y=73)", ["right click (81, 73)"]),
        ("pyautogui.middleClick(81, y=73)", ["middle click (81, 73)"]),
        ("pyautogui.moveTo(81, 73)\npyautogui.click()", ["move (81, 73)", "click (81, 73)"]),
        ("x = 80\npyautogui.click(x + 1, 146 / 2)", ["click (81, 73)"]),
        ("pyautogui.scroll(-5, 81, 73)", ["scroll down 5 (81, 73)"]),
        ("pyautogui.moveTo(1, 2)\npyautogui.dragTo(81, 73)", ["move (1, 2)", "drag start (1, 2)", "drag end (81, 73)"]),
        ("pyautogui.mouseDown(1, 2)\npyautogui.mouseUp(81, 73)", ["mouse down (1, 2)", "mouse up (81, 73)"]),
        ("pyautogui.click(5000, 73)", ["click (5000, 73) off screen"]),
        ("if x:\n    pyautogui.click(81, 73)", ["maybe click (81, 73)"]),
        ("pyautogui.write('hi')\npyautogui.hotkey('ctrl', 's')", []),
    ],
)
def test_every_point_of_a_program_is_marked(source: str, expected: list[str]) -> None:
    assert labels(f"import pyautogui\n{source}") == expected


def test_gestures_have_colours_of_their_own() -> None:
    made = drawn(
        Click(at=Point(20, 20)),
        Drag(start=Point(60, 60), path=(Point(90, 90), Point(120, 60))),
        MouseDown(at=Point(200, 40)),
        Move(to=Point(220, 60)),
        MouseUp(),
        Click(at=Point(20, 200)),
    )
    assert [(mark.label.partition(" (")[0], mark.gesture) for mark in made.marks] == [
        ("click", 0),
        ("drag start", 1),
        ("drag end", 1),
        ("mouse down", 2),
        ("move", 2),
        ("mouse up", 2),
        ("click", 3),
    ]


@pytest.mark.parametrize(
    "acts",
    [
        (Drag(start=Point(60, 60), path=(Point(60, 180), Point(240, 180))),),
        (MouseDown(at=Point(60, 60)), Move(to=Point(60, 180)), MouseUp(at=Point(240, 180))),
    ],
    ids=["drag", "by hand"],
)
def test_the_way_of_a_drag_is_a_line(acts: tuple[Action, ...]) -> None:
    before = screenshot("white")
    made = drawn(*acts, picture=encoded(before))
    after = opened(made)
    colour = made.style.colour(0).rgb
    assert after.getpixel((60, 120)) == colour
    assert after.getpixel((150, 180)) == colour


def test_too_many_points_are_counted_not_drawn() -> None:
    made = drawn(*(Click(at=Point(5 * n, 4 * n)) for n in range(40)))
    assert len(made.marks) == MOST_MARKS
    assert made.left_out == 40 - MOST_MARKS


def test_points_of_a_scaled_picture_are_scaled_but_told_as_they_are() -> None:
    made = drawn(Click(at=Point(960, 540)), screen=Size(1920, 1080))
    assert made.marks[0].at == (W // 2, H // 2)
    assert made.marks[0].label == "click (960, 540)"


def test_without_a_point_nothing_is_drawn() -> None:
    acts = (Type(text="x"), Hotkey(keys=("ctrl", "c")), Wait(), Done(), Click(), Code(source="print(1)"))
    assert annotate(NOISE_PNG, acts, seed="s") is None
    assert annotate(NOISE_PNG, (Click(),), seed="s", pointer=Point(9, 9)) is not None


@pytest.mark.parametrize("size", [(1, 1), (2, 300), (300, 2), (40, 30)])
def test_tiny_pictures_do_not_break_it(size: tuple[int, int]) -> None:
    made = drawn(Click(at=Point(0, 0)), Move(to=Point(500, 500)), picture=encoded(screenshot("white", size)))
    assert opened(made).size == size


@pytest.mark.parametrize("form", ["PNG", "JPEG", "WEBP"])
def test_pictures_of_other_kinds_are_taken(form: str) -> None:
    assert drawn(Click(at=Point(9, 9)), picture=encoded(NOISE, form)).labelled == {1}


def test_transparent_and_palette_pictures_are_taken() -> None:
    for picture in (NOISE.convert("RGBA"), NOISE.convert("P"), NOISE.convert("L"), NOISE.convert("1")):
        assert opened(drawn(Click(at=Point(9, 9)), picture=encoded(picture))).size == NOISE.size


@pytest.mark.parametrize(
    "data", [b"", b"no picture", NOISE_PNG[:2000], NOISE_PNG[:40], b"GIF89a" + bytes(40)], ids=range(5)
)
def test_a_damaged_picture_is_an_error_of_ours(data: bytes) -> None:
    with pytest.raises(InputError):
        annotate(data, (Click(at=Point(1, 1)),), seed="s")


def test_a_huge_picture_is_refused_before_it_is_unpacked() -> None:
    huge = Image.new("1", (9000, 9000))
    with pytest.raises(InputError, match="too large"):
        annotate(encoded(huge), (Click(at=Point(1, 1)),), seed="s")


def test_huge_coordinates_do_not_break_it() -> None:
    made = drawn(Click(at=Point(10**30, -(10**30))))
    assert made.marks[0].at == (W - 1, 0)
    assert len(made.marks[0].label) <= 48
