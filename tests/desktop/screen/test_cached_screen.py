from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.bare_desktop import eventually
from support.framebuffers import PIXELS, framebuffer_file, never_resting
from trueline.desktop.screen import CachedScreen, Framebuffer, ScreenError, write_png

WIDTH, HEIGHT, STRIDE = 5, 100, 24
"""Rows with padding, and a last band that is shorter than the others."""
DRAWN = st.tuples(st.integers(0, HEIGHT * STRIDE - 1), st.binary(min_size=1, max_size=400))


def draw(path: Path, at: int, data: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(PIXELS + at)
        file.write(data[: HEIGHT * STRIDE - at])


@given(rounds=st.lists(st.tuples(st.lists(DRAWN, max_size=3), st.booleans()), min_size=1, max_size=6))
def test_a_picture_is_that_of_the_screen_whatever_changed_between(
    rounds: list[tuple[list[tuple[int, bytes]], bool]],
) -> None:
    with TemporaryDirectory() as folder:
        path = framebuffer_file(Path(folder) / "fb", width=WIDTH, height=HEIGHT, stride=STRIDE)
        with Framebuffer(path) as screen:
            view = CachedScreen(screen)
            for drawn, pictured in rounds:
                for at, data in drawn:
                    draw(path, at, data)
                frame = view.read()
                assert not frame.torn
                assert (frame.pixels == screen.read().pixels).all()
                if pictured:
                    assert view.png() == write_png(screen.read().pixels)


def test_a_screen_at_rest_is_not_packed_again(tmp_path: Path) -> None:
    path = framebuffer_file(tmp_path / "fb", width=WIDTH, height=HEIGHT, stride=STRIDE)
    with Framebuffer(path) as screen:
        view = CachedScreen(screen)
        view.read()
        first = view.png()
        view.read()
        assert view.png() is first
        draw(path, 50 * STRIDE, b"other")
        view.read()
        view.read()
        assert view.png() != first


def test_what_is_asked_belongs_to_the_picture(tmp_path: Path) -> None:
    path = framebuffer_file(tmp_path / "fb", width=WIDTH, height=HEIGHT, stride=STRIDE)
    answers = iter("abcdefgh")

    def ask(until: str) -> str:
        answer = next(answers)
        if answer <= until:
            draw(path, 0, answer.encode())
        return answer

    with Framebuffer(path) as screen:
        view = CachedScreen(screen)
        frame, answer = view.look(lambda: ask("b"), 4)
        assert (answer, frame.torn, bytes(frame.pixels[0, 0, :1])) == ("c", False, b"b")
        frame, answer = view.look(lambda: ask("z"), 2)
        assert (answer, frame.torn, bytes(frame.pixels[0, 0, :1])) == ("e", True, b"e")


@pytest.mark.parametrize(("turns", "again"), [((1, 1), False), ((1, 2), True), ((None, None), True)])
def test_the_screen_is_read_a_second_time_unless_the_x_server_slept(
    tmp_path: Path, turns: tuple[int | None, ...], again: bool
) -> None:
    path = framebuffer_file(tmp_path / "fb", width=WIDTH, height=HEIGHT, stride=STRIDE)
    told = iter(turns)
    with Framebuffer(path) as screen:
        frame, _ = CachedScreen(screen, lambda: next(told)).look(lambda: draw(path, 0, b"new"), 1)
    assert (frame.torn, bytes(frame.pixels[0, 0, :3]) == b"new") == (again, again)


def test_a_screen_that_never_rests_is_said_to_be_torn(tmp_path: Path) -> None:
    with never_resting(tmp_path / "fb") as path, Framebuffer(path) as screen:
        view = CachedScreen(screen)
        assert eventually(lambda: view.read().torn, "a torn frame")
    with Framebuffer(path) as screen:
        assert not CachedScreen(screen).read().torn


def test_a_file_cut_short_is_an_error(tmp_path: Path) -> None:
    path = framebuffer_file(tmp_path / "fb", width=WIDTH, height=HEIGHT, stride=STRIDE)
    with Framebuffer(path) as screen:
        view = CachedScreen(screen)
        view.read()
        os.truncate(path, PIXELS + 10)
        with pytest.raises(ScreenError, match="the X server is gone"):
            view.read()
