"""Labels the proposals of recorded runs by what they lead to, on fresh desktops."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from trueline.actions import Wait
from trueline.agents.registry import AgentMaker, find_agent
from trueline.agents.types import Agent, close_agent
from trueline.desktop.types import Desktop
from trueline.errors import InputError
from trueline.records.episode import EpisodeRecord
from trueline.records.folder.reader import Trajectory, read_episode
from trueline.records.interchange.paths import find_stored
from trueline.records.observation import Observation
from trueline.records.step import Step
from trueline.runs.build import PlannedEpisode
from trueline.runs.desktops import choose_desktops
from trueline.runs.request import RunRequest
from trueline.runs.truth.journal import Journal, TruthHeader, TruthRow
from trueline.runs.truth.labels import TruthLabel, end_label, needs_comparison, settled_label
from trueline.runs.truth.path_agent import PathStep
from trueline.runs.truth.play_path import PlayedPath, play_path
from trueline.runs.truth.proposals import ReplayPlan, SelectedProposal, attempts_at, replays_of, targets_of
from trueline.runs.truth.rebuild import NotRebuilt, Rebuilder
from trueline.runs.truth.reproduction import Reproduction, same_changes
from trueline.tasks.model.allowed_changes import AllowedChanges

TRIES = 2
"""How often a path is replayed if it does not come to where the recording was."""
_STAND_IN = "hijacked"
"""Who goes on in place of a model: the simulated subject that follows every injection that it sees."""


@dataclass(frozen=True)
class TruthOptions:
    """How proposals are drawn and replayed."""

    share: float = 0.25
    """The probability with which an allowed proposal is drawn; blocked ones all are."""
    seed: int = 0
    num_envs: int = 1
    suite: str | None = None


@dataclass(frozen=True)
class TruthProgress:
    """A replay that is done."""

    done: int
    total: int
    episode: str
    rows: tuple[TruthRow, ...]


@dataclass(frozen=True)
class LabelledProposal:
    """The labels of some runs."""

    rows: tuple[TruthRow, ...]
    left_out: Mapping[str, str] = field(default_factory=dict[str, str])
    """Episodes that could not be labelled, and why."""
    episodes: int = 0
    """How many were labelled."""


@dataclass(frozen=True)
class _Work:
    """One replay to do."""

    name: str
    trajectory: Trajectory
    episode: PlannedEpisode
    agent: AgentMaker | None
    plan: ReplayPlan
    allowed: AllowedChanges

    @property
    def keys(self) -> frozenset[tuple[str, int, int]]:
        """The labels that come of it; see `TruthRow.key`."""
        return frozenset((self.name, target.step, target.attempt) for target in self.plan.targets)


async def label_runs(
    folders: Mapping[str, Path], output: Path, options: TruthOptions, report: Callable[[TruthProgress], None]
) -> LabelledProposal:
    """Label the proposals of episodes; call it again with the same output folder to resume.

    Args:
        folders: Episodes by name.
        output: Where the labels are written.
        options: How proposals are drawn and replayed.
        report: Is told of each replay.

    Raises:
        InputError: An episode was recorded where consequences cannot be seen, or the output is of another run.
    """
    rebuilder, left_out = Rebuilder(options.suite), dict[str, str]()
    work: list[_Work] = []
    lists: dict[str, str] = {}
    for name, folder in folders.items():
        try:
            trajectory = read_episode(folder)
            _require_closed_desktop(trajectory)
            found = _works(name, trajectory, rebuilder, options)
        except NotRebuilt as error:
            left_out[name] = str(error)
            continue
        work += found
        lists |= {_task(trajectory.record): one.episode.listed for one in found if one.episode.listed}
    episodes = {one.name for one in work}
    header = TruthHeader(seed=options.seed, share=options.share, allowed=lists)
    with Journal(output, header) as journal:
        waiting = [one for one in work if not one.keys <= journal.rows.keys()]
        todo, done = iter(waiting), 0

        async def worker() -> None:
            nonlocal done
            for one in todo:
                rows = await _label(one)
                journal.add(rows)
                done += 1
                report(TruthProgress(done, len(waiting), one.name, rows))

        async with asyncio.TaskGroup() as group:
            for _ in range(min(options.num_envs, len(waiting))):
                group.create_task(worker())
        wanted = {key for one in work for key in one.keys}
        rows = tuple(row for key, row in journal.rows.items() if key in wanted)
    return LabelledProposal(rows, left_out, len(episodes))


def _require_closed_desktop(episode: Trajectory) -> None:
    setting = episode.record.setting
    if setting is None:
        return
    environment = setting.environment
    if environment.provider != "local":
        raise InputError(
            f"{episode.folder}: was recorded on a desktop of provider {environment.provider}, which has no sinks; "
            "guard truth takes runs of the local desktop"
        )
    if environment.options.get("network", "none") != "none":
        raise InputError(
            f"{episode.folder}: was recorded with an open network, where what leaves the desktop is not seen; "
            "guard truth takes runs without one"
        )


def _works(name: str, trajectory: Trajectory, rebuilder: Rebuilder, options: TruthOptions) -> list[_Work]:
    record = trajectory.record
    if record.retries:
        raise NotRebuilt(f"{name}: was retried, with a reset of the desktop in between")
    if record.setting is not None and record.setting.perturbation is not None:
        raise NotRebuilt(f"{name}: its desktop was perturbed")
    if not record.steps:
        raise NotRebuilt(f"{name}: has no steps")
    episode, agent = rebuilder.rebuild(trajectory)
    allowed = episode.task.allowed_changes
    if allowed is None:
        raise NotRebuilt(f"{name}: its task does not list what it may change (allowed_changes)")
    targets = targets_of(record, name, share=options.share, seed=options.seed)
    return [_Work(name, trajectory, episode, agent, plan, allowed) for plan in replays_of(targets)]


def _task(record: EpisodeRecord) -> str:
    return f"{record.task.domain}/{record.task.id}"


async def _label(work: _Work) -> tuple[TruthRow, ...]:
    """Replay, and again if it did not come to where the recording was; the better replay counts."""
    steps, path = _path(work)
    best: tuple[PlayedPath, dict[SelectedProposal, Reproduction]] | None = None
    goes_on: str | None = None
    for _ in range(TRIES):
        agent, goes_on = _who_goes_on(work)
        played = await _play(work, path, agent, follows=goes_on != _STAND_IN)
        found = {target: _reproduction(played, steps, _place(steps, target)) for target in work.plan.targets}
        if best is None or sum(one.same for one in found.values()) > sum(one.same for one in best[1].values()):
            best = played, found
        if all(one.same for one in found.values()):
            break
    assert best is not None, "it was tried"
    played, found = best
    if work.plan.last is not None and (goes_on is None or played.strayed):
        goes_on = None
    elif work.plan.last is None:
        goes_on = "the recording"
    return tuple(
        [
            await _row(work, target, played, found[target], path, _place(steps, target), goes_on)
            for target in work.plan.targets
        ]
    )


def _path(work: _Work) -> tuple[list[Step], tuple[PathStep, ...]]:
    """The recorded steps of a path, and the path made of them."""
    last = work.plan.last
    steps = [
        step for step in work.trajectory.record.steps if step.attempts and (last is None or step.number <= last.step)
    ]
    path: list[PathStep] = []
    for step in steps:
        attempts = attempts_at(step, work.plan)
        final = attempts[-1]
        runs = final.ran or (last is not None and step.number == last.step)
        path.append(PathStep(final.proposal if runs else None, attempts, _screens(work.trajectory, step)))
    return steps, tuple(path)


def _screens(episode: Trajectory, step: Step) -> tuple[Observation, ...]:
    """The screen of a step, and of those after it for as long as nothing but waiting was done."""
    found: list[Observation] = []
    for later in episode.record.steps[step.number - 1 :]:
        seen = _observation(episode, later)
        found += [] if seen is None else [seen]
        final = later.attempts[-1] if later.attempts else None
        if final is None or not final.ran or not all(isinstance(action, Wait) for action in final.proposal.actions):
            break
    return tuple(found)


def _place(steps: Sequence[Step], target: SelectedProposal) -> int:
    return next(place for place, step in enumerate(steps) if step.number == target.step)


def _observation(episode: Trajectory, step: Step) -> Observation | None:
    """The recorded screen; `None` where none was stored."""
    seen = step.observation
    if seen is None or seen.time is None:
        return None
    try:
        name = seen.screenshot.file if seen.screenshot else None
        screenshot = None if name is None else find_stored(episode.folder, name)
        found = episode.load_tree(seen)
        return Observation(time=seen.time, screenshot=screenshot, tree=found and found.tree)
    except InputError:
        return None


def _who_goes_on(work: _Work) -> tuple[Agent | None, str | None]:
    """The agent that goes on after a blocked proposal, and its name; nobody after the whole recording."""
    if work.plan.last is None:
        return None, None
    if work.agent is not None:
        return work.agent.make(), work.agent.name
    if work.episode.task.demo is None:
        return None, None
    return find_agent(_STAND_IN).make(), _STAND_IN


async def _play(
    work: _Work, path: tuple[PathStep, ...], agent: Agent | None, *, follows: bool, exposed: bool = False
) -> PlayedPath:
    try:
        async with _fresh_desktop(work.episode.config.screen) as desktop:
            return await play_path(work.episode, desktop, path, goes_on=agent, follows=follows, exposed=exposed)
    finally:
        if agent is not None:
            await close_agent(agent)


@asynccontextmanager
async def _fresh_desktop(screen: tuple[int, int]) -> AsyncGenerator[Desktop]:
    width, height = screen
    chosen = await choose_desktops(RunRequest(agent="noop", screen_width=width, screen_height=height))
    async with chosen.open() as desktop:
        yield desktop


def _reproduction(played: PlayedPath, steps: Sequence[Step], place: int) -> Reproduction:
    """Whether the replay was where the recording was, just before a step."""
    if place >= len(played.arrivals) or played.ended.unscored is not None:
        return Reproduction(ledger=False)
    recorded = [step.changes for step in steps[: place + 1]]
    ledger = same_changes(recorded, [played.changes_in(number) for number in range(place + 1)], place)
    return played.arrivals[place].screens.model_copy(update={"ledger": ledger})


async def _row(
    work: _Work,
    target: SelectedProposal,
    played: PlayedPath,
    reproduction: Reproduction,
    path: tuple[PathStep, ...],
    place: int,
    goes_on: str | None,
) -> TruthRow:
    if reproduction.same:
        settled = settled_label(played, place, work.allowed)
        end = None if goes_on is None else await _end(work, played, path, place)
    else:
        why = played.ended.detail if played.ended.unscored is not None else ", ".join(reproduction.differs)
        settled = end = TruthLabel(label="not reproducible", evidence=(why,))
    record = work.trajectory.record
    return TruthRow(
        episode=work.name,
        task=_task(record),
        vector=record.attack.vector if record.attack else None,
        goal=record.attack.goal if record.attack else None,
        step=target.step,
        attempt=target.attempt,
        proposal=target.proposal,
        flagged=target.flagged,
        ran=target.ran,
        probability=target.probability,
        reproduction=reproduction,
        settled=settled,
        end=end,
        went_on=goes_on,
        allowed=work.allowed.digest,
        changes=played.changes_in(place) if reproduction.same else None,
    )


async def _end(work: _Work, played: PlayedPath, path: tuple[PathStep, ...], place: int) -> TruthLabel:
    """What it led to in the end; where that is not plain, the same later actions run without it."""
    without = None
    if needs_comparison(played, place, work.allowed):
        later = (PathStep(step.attempts[-1].proposal) for step in played.steps[place + 1 :] if step.attempts)
        # The later actions are those of an agent that had seen the injection, whether or not the step showed it.
        without = await _play(work, (*path[:place], *later), None, follows=False, exposed=played.exposed)
        if without.ended.unscored is not None:
            return TruthLabel(label="not reproducible", evidence=(without.ended.detail,))
    return end_label(played, without, place, work.allowed)
