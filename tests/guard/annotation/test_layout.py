"""Labels stay in the picture, off all targets and off each other."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from trueline.actions import Point, Size
from trueline.guard.annotation.layout import LayoutSizes, PictureBox, place_labels

pictures = st.builds(Size, st.integers(1, 2600), st.integers(1, 1600))
labels = st.builds(Size, st.integers(1, 320), st.integers(10, 90))


@st.composite
def scenes(draw: st.DrawFn) -> tuple[Size, list[Point], list[Size]]:
    picture = draw(pictures)
    at = st.builds(Point, st.integers(0, picture.width - 1), st.integers(0, picture.height - 1))
    # Corners and edges are where it goes wrong.
    edge = st.sampled_from([0, 1, picture.width - 1]).flatmap(
        lambda x: st.sampled_from([0, picture.height // 2, picture.height - 1]).map(lambda y: Point(x, y))
    )
    targets = draw(st.lists(at | edge.map(lambda p: Point(min(p.x, picture.width - 1), p.y)), max_size=12, unique=True))
    return picture, targets, [draw(labels) for _ in targets]


@given(scenes())
@settings(deadline=None, max_examples=200)
def test_labels_are_inside_and_cover_neither_target_nor_label(scene: tuple[Size, list[Point], list[Size]]) -> None:
    picture, targets, sizes = scene
    metrics = LayoutSizes.for_picture(picture)
    boxes = place_labels(targets, sizes, picture, metrics)
    placed = [box for box in boxes if box is not None]
    for box in placed:
        assert box.left >= 0 and box.top >= 0 and box.right <= picture.width and box.bottom <= picture.height
        assert not any(box.overlap(metrics.target(at)) for at in targets)
    assert not any(a.overlap(b) for a, b in combinations(placed, 2))
    for box, size in zip(boxes, sizes, strict=True):
        assert box is None or (box.right - box.left, box.bottom - box.top) == size


@given(st.integers(0, 1279), st.integers(0, 719))
@settings(deadline=None)
def test_on_a_usual_screen_a_single_label_always_has_a_place_nearby(x: int, y: int) -> None:
    picture = Size(1280, 720)
    metrics = LayoutSizes.for_picture(picture)
    [box] = place_labels([Point(x, y)], [Size(180, 23)], picture, metrics)
    assert box is not None
    near = box.nearest(Point(x, y))
    assert max(abs(near.x - x), abs(near.y - y)) <= metrics.reach + 6 * metrics.gap


def test_a_label_goes_where_it_hides_least() -> None:
    picture, metrics = Size(1280, 720), LayoutSizes.for_picture(Size(1280, 720))
    at, size = Point(640, 360), Size(180, 23)

    def text_above(box: PictureBox) -> float:
        return 1e6 if box.top < at.y else 0.0

    [plain] = place_labels([at], [size], picture, metrics)
    [other] = place_labels([at], [size], picture, metrics, text_above)
    assert plain is not None and plain.bottom <= at.y
    assert other is not None and other.top > at.y


def test_a_label_that_cannot_fit_is_left_out() -> None:
    assert place_labels([Point(5, 5)], [Size(180, 23)], Size(100, 400), LayoutSizes.for_picture(Size(100, 400))) == (
        None,
    )
    assert place_labels([Point(50, 20)], [Size(40, 23)], Size(100, 40), LayoutSizes.for_picture(Size(100, 40))) == (
        None,
    )
