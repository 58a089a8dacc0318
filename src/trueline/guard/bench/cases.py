"""The steps of a benchmark as questions to a guard. Screens are read from disk when they are needed."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from trueline.errors import InputError
from trueline.guard.scope.types import ScopeSource, StartState
from trueline.guard.types import GuardContext, PastStep
from trueline.records.folder.action_text import decode_action
from trueline.records.folder.recorded_tree import read_tree_file
from trueline.records.interchange.misactbench import START, BenchmarkStep, BenchmarkTrajectory, Screens, find_screens
from trueline.records.interchange.misactbench.trees import TREE_SCOPE, find_trees
from trueline.records.observation import Observation
from trueline.records.pointer_files import NotFetchedError
from trueline.records.proposal import Proposal

_UNKNOWN_TIME = datetime(1970, 1, 1, tzinfo=UTC)
"""The benchmark does not say when a screen was seen."""


class StepKey(NamedTuple):
    """Identifies a step of the benchmark."""

    trajectory: str
    step: int


@dataclass(frozen=True)
class LabelledStep:
    """One step: an action on a screen, and its human label if it has one."""

    key: StepKey
    entry: BenchmarkStep
    proposal: Proposal
    screens: Screens
    after_path: str | None = None
    """The screen after it, as the benchmark would name it."""
    tree: Path | None = None
    """The accessibility tree of the screen before it, in sets that have trees."""

    @property
    def labelled(self) -> bool:
        """Whether the step has a label; without one it is only history of later steps."""
        return self.entry.label is not None

    @property
    def observation(self) -> Observation:
        """The screen before it; its tree is read here."""
        seen = observe(self.screens.before)
        if self.tree is None:
            return seen
        scope = "whole" if self.entry.unknown.get(TREE_SCOPE) == "whole" else "screen"
        return replace(seen, tree=read_tree_file(self.tree), tree_scope=scope)


@dataclass(frozen=True)
class LabelledTrajectory:
    """A trajectory with its steps up to the last one that is labelled."""

    entry: BenchmarkTrajectory
    cases: tuple[LabelledStep, ...]
    problem: str | None = None
    """Why its screens were not searched; empty if they were."""
    fetched: bool = True
    """False if pointers of Git LFS or git-annex stand where its screens should be: nothing can be said of a guard that
    would see them."""

    def contexts(self, narratives: Mapping[StepKey, str]) -> Iterator[tuple[LabelledStep, GuardContext]]:
        """The labelled steps with all that a guard may look at: for each, the steps before it as they were executed."""
        history: list[PastStep] = []
        source = _scope_source(self.entry)
        for case in self.cases:
            # Screens and trees are kept only as long as somebody asks about this trajectory.
            past = PastStep(case.key.step, case.proposal, case.observation)
            if case.labelled:
                yield (
                    case,
                    GuardContext(
                        instruction=self.entry.instruction,
                        observation=past.observation or observe(None),
                        proposal=case.proposal,
                        history=tuple(history),
                        step=case.key.step,
                        episode=self.entry.trajectory_id,
                        scope_source=source,
                    ),
                )
            history.append(replace(past, narrative=narratives.get(case.key)))


def _scope_source(entry: BenchmarkTrajectory) -> ScopeSource | None:
    """The instruction and what was open when the task began, where the set says so."""
    known = entry.metadata.unknown.get(START)
    if not isinstance(known, dict):
        return None

    def names(key: str) -> tuple[str, ...]:
        values = known.get(key)
        return tuple(value for value in values if isinstance(value, str)) if isinstance(values, list) else ()

    start = StartState(executables=names("executables"), files=names("files"), sites=names("sites"))
    return ScopeSource(entry.instruction, start)


def observe(screen: Path | None) -> Observation:
    """An observation of a benchmark screen; the file is read on first use."""
    return Observation(time=_UNKNOWN_TIME, screenshot=screen)


def read_sources(file: Path, trajectories: tuple[BenchmarkTrajectory, ...]) -> list[LabelledTrajectory]:
    """Find the screens and decode the actions of trajectories; those without a label have nothing to ask."""
    return [_source(file, entry) for entry in trajectories if any(step.label is not None for step in entry.steps)]


def _source(file: Path, entry: BenchmarkTrajectory) -> LabelledTrajectory:
    last = max(step.step_idx for step in entry.steps if step.label is not None)
    problem, fetched = None, True
    try:
        screens, trees = find_screens(file, entry), find_trees(file, entry)
    except InputError as error:
        screens, trees = {}, {}
        problem, fetched = str(error), not isinstance(error, NotFetchedError)
    cases = tuple(
        LabelledStep(
            key=StepKey(entry.trajectory_id, step.step_idx),
            entry=step,
            proposal=Proposal(
                id=str(step.step_idx), actions=decode_action(step.agent_output)[0], raw=step.agent_output
            ),
            screens=(found := screens.get(step.step_idx, Screens())),
            after_path=_named(found.after, file),
            tree=trees.get(step.step_idx),
        )
        for step in entry.steps
        if step.step_idx <= last
    )
    return LabelledTrajectory(entry, cases, problem, fetched)


def _named(screen: Path | None, file: Path) -> str | None:
    """A path as the benchmark writes it, relative to its folder."""
    if screen is None:
        return None
    home = Path(os.path.realpath(file)).parent.parent
    return screen.relative_to(home).as_posix() if screen.is_relative_to(home) else str(screen)
