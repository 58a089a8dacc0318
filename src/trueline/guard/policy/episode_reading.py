"""A whole episode read up to the proposal: what was done, and what the proposal would do."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from trueline.guard.policy.follow.follower import follow
from trueline.guard.policy.follow.input_state import InputState
from trueline.guard.policy.operations import Operation
from trueline.guard.policy.screen.view import View, extra_text, view
from trueline.guard.types import GuardContext, Rejection
from trueline.records.ledger import Changes
from trueline.records.observation import Observation


@dataclass(frozen=True)
class EpisodeReading:
    """The input of the rules and the evidence."""

    operations: tuple[Operation, ...]
    """Of the proposal."""
    past: tuple[tuple[Operation, ...], ...]
    """Of the steps before, step by step."""
    view: View
    """The screen on which the proposal would run."""
    past_views: tuple[View, ...] = ()
    """The screens of the steps before; an empty view where there is none."""
    changes: tuple[Changes, ...] = ()
    """What the steps before changed, as far as a ledger saw it."""


Look = Callable[[Observation | None], View]


def read_episode_so_far(context: GuardContext, look: Look = view) -> EpisodeReading:
    """Follow the episode from its first step. The result depends on the context alone."""
    state = InputState()
    past: list[tuple[Operation, ...]] = []
    views: list[View] = []
    for step in context.history:
        seen = look(step.observation)
        views.append(seen)
        past.append(follow(state, step.proposal.actions, seen))
    now = look(context.observation)
    changes = tuple(step.changes for step in context.history if step.changes is not None)
    return EpisodeReading(follow(state, context.proposal.actions, now), tuple(past), now, tuple(views), changes)


def read_rejected(
    context: GuardContext, rejections: Sequence[Rejection], look: Look = view
) -> tuple[tuple[Operation, ...], ...]:
    """Return what rejected proposals would have done, each on the screen of its step, in one pass."""
    state = InputState()
    found: dict[int, tuple[Operation, ...]] = {}
    for number, step in enumerate((*context.history, None), 1):
        seen = look(context.observation if step is None else step.observation)
        for place, rejected in enumerate(rejections):
            if rejected.step == number or (step is None and place not in found):
                found[place] = follow(state.copy(), rejected.proposal.actions, seen)
        if step is not None:
            follow(state, step.proposal.actions, seen)
    return tuple(found[place] for place in range(len(rejections)))


class EpisodeReader:
    """Reads episodes, and keeps the last reading for the stage that asks about the same context next."""

    def __init__(self) -> None:
        self._views = ViewCache()
        self._last: tuple[GuardContext, EpisodeReading] | None = None

    def __call__(self, context: GuardContext) -> EpisodeReading:
        """Return the reading of a context."""
        if self._last is None or self._last[0] is not context:
            self._last = (context, read_episode_so_far(context, self._views))
        return self._last[1]


class ViewCache:
    """Caches the views of the last screens, since every check reads those of earlier steps again."""

    def __init__(self, size: int = 256) -> None:
        self._size = size
        self._views: OrderedDict[tuple[int, int], tuple[Observation, View]] = OrderedDict()

    def __call__(self, observation: Observation | None) -> View:
        """Return the view of a screen."""
        if observation is None or (observation.tree is None and not observation.lines):
            return view(observation)
        place = (id(observation.tree), id(observation.lines))
        kept = self._views.get(place)
        # The screen is kept beside its view, so that these ids cannot be given to others meanwhile.
        if kept is None or not _same(kept[0], observation):
            kept = self._views[place] = (replace(observation, screenshot=None), view(observation))
            while len(self._views) > self._size:
                self._views.popitem(last=False)
        return kept[1]


def _same(one: Observation, other: Observation) -> bool:
    """Whether two screens of the same tree and lines show the same."""
    return (
        one.tree is other.tree
        and one.lines is other.lines
        and (one.marks, one.partial, extra_text(one)) == (other.marks, other.partial, extra_text(other))
    )
