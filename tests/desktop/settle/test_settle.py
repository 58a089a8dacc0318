from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.seen import Editor, editor
from trueline.actions import Hotkey, Key, Type
from trueline.desktop.screen import Framebuffer
from trueline.desktop.settle import Blinks, Decision, Rules, Settling, Tile, Watch, changed_tiles, settle
from trueline.desktop.x11 import XConnection, open_socket

RULES = Rules(quiet=0.15, idle=0.25, limit=3.0, poll=0.01)
NOTHING: frozenset[Tile] = frozenset()
MANY = frozenset(Tile(column, 3) for column in range(9))
CARET = frozenset({Tile(4, 4)})


def play(changes: dict[float, frozenset[Tile]], blinks: Blinks | None = None, rules: Rules = RULES) -> Settling:
    """Look every 10 ms; the changes come at the given moments, windows never change."""
    decision = Decision(rules, blinks or Blinks(), 0.0, "windows")
    due = dict(changes)
    for tick in range(10_000):
        now = tick / 100
        seen = [tiles for moment, tiles in due.items() if moment <= now]
        due = {moment: tiles for moment, tiles in due.items() if moment > now}
        end = decision.see(now, frozenset().union(*seen), "windows")
        if end is not None:
            return end
    raise AssertionError("it never ends")


def test_a_screen_where_nothing_happens_is_settled_after_the_idle_time() -> None:
    assert play({}) == Settling(True, 0.25, None)


def test_it_waits_for_quiet_after_the_last_change() -> None:
    end = play({0.05: MANY, 0.15: MANY, 0.28: MANY})
    assert end.settled and end.seconds == pytest.approx(0.43, abs=0.011) and end.last_change == pytest.approx(0.28)


def test_what_never_rests_ends_at_the_limit_and_says_so() -> None:
    end = play({tick / 20: MANY for tick in range(200)})
    assert not end.settled and end.seconds == pytest.approx(3.0)


def test_a_caret_that_blinks_is_learnt_and_then_ignored() -> None:
    blinks = Blinks()
    rules = Rules(quiet=0.6, idle=0.6, limit=3.0, poll=0.01)
    caret = {0.1 + 0.5 * n: CARET for n in range(20)}
    first = play(caret, blinks, rules)
    assert first.settled and first.last_change == pytest.approx(0.6)
    assert blinks.tiles == set(CARET)
    assert play(caret, blinks, rules) == Settling(True, 0.6, None)
    assert play({0.1: CARET | {Tile(0, 0)}}, blinks, rules).last_change == pytest.approx(0.1)


def test_typing_in_one_place_is_no_blinking() -> None:
    blinks = Blinks()
    play({tick / 10: CARET for tick in range(10)}, blinks)
    assert not blinks.tiles


def test_a_large_change_over_the_caret_counts_and_is_learnt_anew() -> None:
    blinks = Blinks({Tile(4, 4)})
    assert play({0.1: CARET | MANY}, blinks).last_change == pytest.approx(0.1)
    assert not blinks.tiles


def test_a_window_that_comes_is_a_change() -> None:
    decision = Decision(RULES, Blinks(), 0.0, (1,))
    assert decision.see(0.2, NOTHING, (1, 2)) is None
    assert decision.see(0.3, NOTHING, (1, 2)) is None
    assert decision.see(0.36, NOTHING, (1, 2)) == Settling(True, 0.36, 0.2)


@given(st.integers(1, 200), st.integers(1, 130), st.lists(st.tuples(st.integers(0, 199), st.integers(0, 129))))
@settings(deadline=None)
def test_exactly_the_tiles_with_a_changed_pixel_are_named(width: int, height: int, at: list[tuple[int, int]]) -> None:
    before = np.zeros((height, width * 4), np.uint8)
    now = before.copy()
    points = {(x % width, y % height) for x, y in at}
    for x, y in points:
        now[y, 4 * x] = 7
    assert changed_tiles(before, now) == {Tile(x // 64, y // 40) for x, y in points}


@pytest.fixture(scope="module")
def running() -> Iterator[Editor]:
    with editor() as one:
        yield one


def test_a_real_screen_settles_after_typing_and_after_a_dialog(running: Editor) -> None:
    running.clear()
    x = XConnection(open_socket(running.bare.display))
    with Framebuffer(running.bare.framebuffer) as screen:
        watch = Watch(screen)

        def windows() -> tuple[int, ...]:
            return x.root_numbers("_NET_CLIENT_LIST_STACKING")

        assert settle(watch.look, windows, rules=Rules(limit=20)).settled
        running.hands.do(Type(text="hello"))
        typed = settle(watch.look, windows)
        assert typed.settled and typed.last_change is not None
        running.wait_text("hello")
        known = windows()
        running.hands.do(Hotkey(keys=("ctrl", "o")))
        opened = settle(watch.look, windows, rules=Rules(idle=10, limit=20))
        assert opened.settled and opened.last_change is not None
        assert len(windows()) == len(known) + 1
        running.hands.do(Key(key="esc"))
        assert settle(watch.look, windows, rules=Rules(idle=10, limit=20)).settled
        assert windows() == known
    x.close()


def test_a_terminal_that_prints_without_end_ends_at_the_limit(running: Editor) -> None:
    running.bare.launch("xfce4-terminal", "-T", "ENDLESS", "-x", "sh", "-c", "while :; do date +%N; done")
    running.bare.wait_window("ENDLESS")
    with Framebuffer(running.bare.framebuffer) as screen:
        watch = Watch(screen)
        began = time.monotonic()
        while not watch.look():
            assert time.monotonic() - began < 20
            time.sleep(0.01)
        end = settle(watch.look, lambda: 0, rules=Rules(limit=1.0))
    assert not end.settled and 1.0 <= end.seconds < 3.0
