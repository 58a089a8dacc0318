from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trueline.actions import Point, Size
from trueline.actions.coordinates import Scale, relative, same, smart_resize

SCREEN = Size(1920, 1080)
sides = st.integers(2, 8000)
sizes = st.builds(Size, sides, sides)


@given(screen=sizes, data=st.data())
def test_a_model_point_survives_a_screen_that_is_not_smaller(screen: Size, data: st.DataObject) -> None:
    space = Size(data.draw(st.integers(1, screen.width)), data.draw(st.integers(1, screen.height)))
    scale = Scale(screen, space)
    x, y = data.draw(st.integers(0, space.width - 1)), data.draw(st.integers(0, space.height - 1))
    assert scale.from_screen(scale.to_screen(x, y)) == (x, y)


@given(screen=sizes, data=st.data())
def test_a_pixel_survives_fractions_of_the_screen(screen: Size, data: st.DataObject) -> None:
    at = Point(data.draw(st.integers(0, screen.width - 1)), data.draw(st.integers(0, screen.height - 1)))
    assert relative(screen).to_screen(*relative(screen).from_screen(at)) == at


@given(screen=sizes, space=sizes, data=st.data())
def test_every_point_of_the_space_is_on_the_screen(screen: Size, space: Size, data: st.DataObject) -> None:
    at = Scale(screen, space).to_screen(data.draw(st.floats(0, space.width)), data.draw(st.floats(0, space.height)))
    assert 0 <= at.x < screen.width and 0 <= at.y < screen.height


@pytest.mark.parametrize("point", [(-1, 5), (5, -0.1), (1281, 5), (5, 721), (float("nan"), 5), (5, float("inf"))])
def test_a_point_outside_the_space_is_refused_not_moved(point: tuple[float, float]) -> None:
    with pytest.raises(ValueError, match="outside"):
        Scale(SCREEN, (1280, 720)).to_screen(*point)


def test_a_pixel_outside_the_screen_has_no_coordinates() -> None:
    with pytest.raises(ValueError, match="outside the screen"):
        same(SCREEN).from_screen(Point(1920, 0))


def test_known_points() -> None:
    scale = Scale(SCREEN, (1280, 720))
    assert scale.to_screen(640, 360) == (960, 540)
    assert scale.to_screen(1280, 720) == (1919, 1079)
    assert scale.from_screen(Point(960, 540)) == (640, 360)


@pytest.mark.parametrize(
    ("size", "factor", "low", "high", "expected"),
    [
        (Size(1920, 1080), 28, 100 * 28**2, 16384 * 28**2, (1932, 1092)),
        (Size(1920, 1080), 28, 3136, 12_845_056, (1932, 1092)),
        (Size(1920, 1080), 32, 3136, 13_107_200, (1920, 1088)),
        (Size(7680, 4320), 28, 3136, 12_845_056, (4760, 2688)),
        (Size(20, 10), 28, 3136, 12_845_056, (84, 56)),
    ],
)
def test_smart_resize_as_the_model_processors_do(
    size: Size, factor: int, low: int, high: int, expected: tuple[int, int]
) -> None:
    assert smart_resize(size, factor=factor, min_pixels=low, max_pixels=high) == expected


@given(size=sizes, factor=st.sampled_from([28, 32]))
def test_smart_resize_keeps_its_promises(size: Size, factor: int) -> None:
    if max(size) > 200 * min(size):
        with pytest.raises(ValueError, match="200:1"):
            smart_resize(size, factor=factor, min_pixels=3136, max_pixels=12_845_056)
        return
    wide, high = smart_resize(size, factor=factor, min_pixels=3136, max_pixels=12_845_056)
    assert wide % factor == 0 and high % factor == 0 and wide > 0 and high > 0
    assert wide * high <= 12_845_056


@pytest.mark.parametrize("size", [Size(0, 10), Size(-5, 5)])
def test_smart_resize_refuses_no_picture(size: Size) -> None:
    with pytest.raises(ValueError, match="positive"):
        smart_resize(size, factor=28, min_pixels=1, max_pixels=10)
