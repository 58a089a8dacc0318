"""How often repeating a script blindly would do a task in another repeat."""

from __future__ import annotations

from itertools import pairwise

import pytest
from pydantic import JsonValue

from trueline.tasks.loading import parse_task
from trueline.tasks.model import Task
from trueline.tasks.suite import SuiteTask, load_refs, open_suite
from trueline.tasks.variation import drawn
from trueline.tasks.variation_replay import replay_chance, same_for_replay

STARTER = load_refs(open_suite("starter").refs).whole()


def task(*acts: JsonValue, **variation: JsonValue) -> Task:
    move: list[JsonValue] = ["xdotool", "search", "--class", "X", "windowmove", "${x}", "40"]
    document: JsonValue = {
        "id": "one",
        "instruction": "Do ${word.a}.",
        "variation": {"word": ["unused"], "x": [10, 60], **variation},
        "config": [{"type": "execute", "parameters": {"command": move}}],
        "evaluator": {"func": "infeasible"},
        "demo": {"solution": [{"acts": [*acts, {"done": ""}]}]},
    }
    return parse_task(document, file="one.json")


def test_what_is_typed_must_be_the_same() -> None:
    typed: JsonValue = {"type": "${word.a} ${count}\n"}
    words: JsonValue = [{"a": "x", "b": 1}, {"a": "x", "b": 2}, {"a": "y", "b": 1}, {"a": "z", "b": 1}]
    one = task(typed, word=words, count=[1, 2])
    # Two of four alternatives type the same word; the place of the window does not matter.
    assert replay_chance(one) == pytest.approx((0.5**2 + 2 * 0.25**2) * 0.5)
    assert same_for_replay(one, {"word": {"a": "x", "b": 1}, "count": 1}, {"word": {"a": "x", "b": 2}, "count": 1})
    assert not same_for_replay(one, {"word": {"a": "x"}, "count": 1}, {"word": {"a": "x"}, "count": 2})


def test_without_typing_the_place_of_the_window_decides() -> None:
    click: JsonValue = {"click": {"role": "menu", "name": "${word}"}}
    assert replay_chance(task(click, word=["a", "b", "c"])) == pytest.approx(0.5)
    assert replay_chance(task({"type": "always the same"})) == pytest.approx(0.5)


def test_the_chance_is_that_of_two_draws() -> None:
    one = task({"type": "${word} ${count}"}, word=["a", "b", "c"], count=[1, 2, 3, 4])
    draws = [drawn(one, seed) for seed in range(4000)]
    agreeing = sum(same_for_replay(one, first, second) for first, second in pairwise(draws))
    assert agreeing / len(draws) == pytest.approx(replay_chance(one), abs=0.02)


@pytest.mark.parametrize("starter", STARTER, ids=lambda starter: starter.ref.id)
def test_a_replay_of_a_starter_task_hardly_ever_passes(starter: SuiteTask) -> None:
    assert replay_chance(starter.task) < 0.01


def test_windows_that_decide_stand_apart_by_more_than_what_is_clicked_in_them() -> None:
    """In move-file a click on the menu Edit, 41 x 25, must miss it whenever the window stands elsewhere."""
    variation = next(starter.task.variation for starter in STARTER if starter.ref.id == "move-file")
    for name, half in (("x", 21), ("y", 13)):
        places = sorted(int(str(place)) for place in variation[name])
        assert min(second - first for first, second in pairwise(places)) > half
