from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trueline.desktop.settle import Restless, SettleDecision, SettleRules, Settling, Tile, changed_columns

RULES = SettleRules(quiet=0.15, awake=0.25, limit=3.0, poll=0.01)
NOTHING: frozenset[Tile] = frozenset()
MANY = frozenset(Tile(column, 3) for column in range(9))
EVERYWHERE = frozenset(Tile(column, row) for column in range(10) for row in range(10))
CARET = frozenset({Tile(4, 4)})


def play(
    changes: dict[float, frozenset[Tile]],
    restless: Restless | None = None,
    rules: SettleRules = RULES,
    began: float = 0.0,
    runs_until: float = 0.0,
) -> Settling:
    """Look every 10 ms; the changes come at the given moments, windows never change, programs sleep in the end."""
    decision = SettleDecision(rules, restless or Restless(), began, "windows")
    due = dict(changes)
    for tick in range(10_000):
        now = tick / 100
        seen = [tiles for moment, tiles in due.items() if moment <= now]
        due = {moment: tiles for moment, tiles in due.items() if moment > now}
        end = decision.see(began + now, frozenset().union(*seen), "windows", asleep=now > runs_until)
        if end is not None:
            return end
    raise AssertionError("it never ends")


def test_a_screen_where_nothing_happens_is_settled_once_the_programs_have_slept() -> None:
    assert play({}) == Settling(True, 0.15, None)
    assert play({}, runs_until=0.05) == Settling(True, 0.2, None)


def test_programs_that_go_on_are_waited_for_a_little_longer_only() -> None:
    assert play({}, runs_until=9) == Settling(True, 0.25, None)
    after_a_change = play({0.1: MANY}, runs_until=9)
    assert after_a_change.settled and after_a_change.seconds == pytest.approx(0.35, abs=0.011)
    asleep_since = play({0.1: MANY}, runs_until=0.15)
    assert asleep_since.settled and asleep_since.seconds == pytest.approx(0.3, abs=0.011)


def test_it_waits_for_quiet_after_the_last_change() -> None:
    end = play({0.05: MANY, 0.15: MANY, 0.28: MANY})
    assert end.settled and end.seconds == pytest.approx(0.43, abs=0.011) and end.last_change == pytest.approx(0.28)


def test_what_never_rests_ends_at_the_limit_and_says_so() -> None:
    end = play({tick / 20: EVERYWHERE for tick in range(200)})
    assert not end.settled and end.seconds == pytest.approx(3.0)


def test_a_caret_that_restless_is_learnt_and_then_ignored() -> None:
    restless = Restless()
    rules = SettleRules(quiet=0.6, awake=0.6, limit=3.0, poll=0.01)
    caret = {0.1 + 0.5 * n: CARET for n in range(20)}
    first = play(caret, restless, rules)
    assert first.settled and first.last_change == pytest.approx(0.6)
    assert restless.tiles == set(CARET)
    assert play(caret, restless, rules) == Settling(True, 0.6, None)
    assert play({0.1: CARET | {Tile(0, 0)}}, restless, rules).last_change == pytest.approx(0.1)


def test_typing_in_one_place_is_no_blinking() -> None:
    restless = Restless()
    play({tick / 10: CARET for tick in range(10)}, restless)
    assert not restless.tiles


def test_an_animation_is_learnt_and_then_ignored_and_changes_elsewhere_count() -> None:
    restless, spinner = Restless(), frozenset(Tile(column, 5) for column in range(4))
    moving = {tick / 25: spinner for tick in range(1000)}
    first = play(moving, restless)
    assert first.settled and first.last_change is not None and 1.4 < first.last_change < 1.6
    again = play(moving, restless, began=first.seconds)
    assert again.settled and again.last_change is None
    beside = play({**moving, 0.1: spinner | MANY}, restless, began=first.seconds + again.seconds)
    assert beside.settled and beside.last_change == pytest.approx(0.1)


def test_a_large_change_over_the_caret_counts_and_is_learnt_anew() -> None:
    restless = Restless({Tile(4, 4)}, _windows="windows")
    assert play({0.1: CARET | MANY}, restless).last_change == pytest.approx(0.1)
    assert not restless.tiles


def test_many_small_places_that_move_are_no_animation() -> None:
    restless, rows = Restless.on(800, 600), [frozenset(Tile(column, row) for column in range(3)) for row in range(12)]
    lines = {tick / 50: rows[tick % 12] | rows[(tick + 1) % 12] for tick in range(1000)}
    for wait in range(4):
        end = play(lines, restless, began=3.0 * wait)
        assert not end.settled and end.seconds == pytest.approx(3.0)
    assert Restless.on(1920, 1080).most == 48 and Restless.on(640, 480).most < 15


def test_what_is_restless_is_learnt_anew_when_the_windows_change() -> None:
    restless = Restless()
    moving = {tick / 25: CARET for tick in range(1000)}
    play(moving, restless)
    assert restless.tiles == CARET
    assert SettleDecision(RULES, restless, 3.0, "others").see(3.0, CARET, "others", asleep=True) is None
    assert not restless.tiles


def test_a_window_that_comes_is_a_change() -> None:
    decision = SettleDecision(RULES, Restless(), 0.0, (1,))
    assert decision.see(0.1, NOTHING, (1,), asleep=True) is None
    assert decision.see(0.2, NOTHING, (1, 2), asleep=True) is None
    assert decision.see(0.3, NOTHING, (1, 2), asleep=True) is None
    assert decision.see(0.36, NOTHING, (1, 2), asleep=True) == Settling(True, 0.36, 0.2)


@given(st.integers(1, 200), st.integers(1, 40), st.lists(st.tuples(st.integers(0, 199), st.integers(0, 39))))
@settings(deadline=None)
def test_exactly_the_tiles_with_a_changed_pixel_are_named(width: int, height: int, at: list[tuple[int, int]]) -> None:
    before = np.zeros((height, width * 4), np.uint8)
    now = before.copy()
    points = {(x % width, y % height) for x, y in at}
    for x, y in points:
        now[y, 4 * x] = 7
    assert changed_columns(before, now) == sorted({x // 64 for x, _ in points})
