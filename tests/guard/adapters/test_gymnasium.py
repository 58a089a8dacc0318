"""The wrapper around real Gymnasium environments, in both styles."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

from support.guarding import TREE, WordGuard, png
from trueline.errors import InputError

pytestmark = pytest.mark.full


def gymnasium() -> Any:
    return importlib.import_module("gymnasium")


def wrapper() -> Any:
    return importlib.import_module("trueline.guard.adapters.gymnasium").GuardWrapper


def make_env(osworld: bool = False, **observation: Any) -> Any:
    """A desktop whose observations are a screenshot and a tree, and which counts what it is told to do."""

    class Desktop(gymnasium().Env):
        action_space = gymnasium().spaces.Text(1000)
        observation_space = gymnasium().spaces.Dict()

        def __init__(self) -> None:
            self.ran: list[str] = []

        def observe(self) -> dict[str, Any]:
            seen: dict[str, Any] = {"screenshot": png(colour="red" if self.ran else "blue"), "accessibility_tree": TREE}
            return seen | observation

        def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
            super().reset(seed=seed)
            self.ran = []
            return self.observe() if osworld else (self.observe(), {"seed": seed})

        def step(self, action: str, pause: float = 2.0) -> Any:
            self.ran.append(action)
            ends = (False,) if osworld else (False, False)
            return (self.observe(), 1.0, *ends, {"pause": pause})

    return Desktop()


def test_a_blocked_action_does_not_reach_the_environment() -> None:
    env, guard = make_env(), WordGuard()
    guarded = wrapper()(env, guard, instruction="Rename the file", blocked_reward=-1.0, stop_after=2)
    observation, info = guarded.reset(seed=7)
    assert info == {"seed": 7} and observation["screenshot"] == png(colour="blue")
    _, reward, terminated, truncated, info = guarded.step("pyautogui.write('one')")
    assert (reward, terminated, truncated, info["guard"]["decision"]) == (1.0, False, False, "aligned")
    results = [guarded.step("pyautogui.write('delete')") for _ in range(2)]
    assert [(reward, terminated, truncated) for _, reward, terminated, truncated, _ in results] == [
        (-1.0, False, False), (-1.0, False, True)
    ]  # fmt: skip
    assert results[0][0]["screenshot"] == png(colour="red")
    assert "Instead: Rename the file." in results[0][4]["guard"]["feedback_text"]
    assert env.ran == ["pyautogui.write('one')"]
    last = guard.seen[-1]
    assert len(last.history) == 1 and len(last.rejections) == 1
    assert last.observation.tree is not None and last.observation.screen == (64, 48)


def test_the_style_of_osworld() -> None:
    env = make_env(osworld=True, instruction="Rename the file")
    guard = WordGuard()
    guarded = wrapper()(env, guard, style="osworld")
    assert guarded.reset()["instruction"] == "Rename the file"
    observation, reward, done, info = guarded.step("pyautogui.write('one')", pause=0.5)
    assert (reward, done, info["pause"], info["guard"]["allowed"]) == (1.0, False, 0.5, True)
    blocked = guarded.step("pyautogui.write('delete')")
    assert blocked[:3] == (observation, 0.0, False) and blocked[3]["guard"]["allowed"] is False
    assert guard.seen[0].instruction == "Rename the file"
    guarded.reset()
    guarded.step("WAIT")
    assert guard.seen[-1].history == () and guard.seen[-1].rejections == ()


@pytest.mark.parametrize("words", ["doubt", "boom"])
def test_undecided_does_not_run(words: str) -> None:
    env = make_env()
    guarded = wrapper()(env, WordGuard(), instruction="x")
    guarded.reset()
    assert guarded.step(f"pyautogui.write({words!r})")[4]["guard"]["allowed"] is False
    assert env.ran == []


def test_other_wrappers_may_stand_around_it() -> None:
    guarded = wrapper()(make_env(), WordGuard(), instruction="x")
    limited = gymnasium().wrappers.TimeLimit(guarded, max_episode_steps=1)
    limited.reset()
    assert limited.step("WAIT")[3] is True
    assert limited.unwrapped.ran == ["WAIT"]


def test_what_is_missing_is_said_and_nothing_runs() -> None:
    env = make_env()
    with pytest.raises(InputError, match="call reset"):
        wrapper()(env, WordGuard(), instruction="x").step("WAIT")
    with pytest.raises(InputError, match="instruction"):
        wrapper()(env, WordGuard()).reset()
    odd = wrapper()(make_env(screenshot=[1, 2, 3]), WordGuard(), instruction="x")
    odd.reset()
    with pytest.raises(InputError, match="observe"):
        odd.step("WAIT")
    assert env.ran == [] and odd.unwrapped.ran == []
