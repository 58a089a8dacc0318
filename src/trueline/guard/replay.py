"""The guard in shadow over stored episodes: what it would have stopped, when, and at what price.

Every executed proposal is judged with the history that really came before it; what would have happened after a stop is
not known and not guessed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, TypeVar

from trueline.errors import InputError
from trueline.guard.config import OnError
from trueline.guard.narrative import Narrator
from trueline.guard.scope.start_state import start_seen, start_state
from trueline.guard.scope.types import ScopeSource, StartState
from trueline.guard.stages import Enforcement, enforce
from trueline.guard.types import Guard, GuardContext, PastStep
from trueline.records.assemble import EVENTS_FILE
from trueline.records.episode import EpisodeRecord
from trueline.records.folder.better_log import BETTER_LOG_FILE
from trueline.records.folder.reader import Trajectory, read_episode
from trueline.records.folder.recorded_tree import TreeKind
from trueline.records.folder.traj import TRAJ_FILE
from trueline.records.folder.writer import INSTRUCTION_FILE
from trueline.records.interchange.paths import find_stored
from trueline.records.observation import Observation, ObservationRecord, StoredFile
from trueline.records.pointer_files import FAULTS, NotFetchedError
from trueline.records.step import Narrative, Step
from trueline.records.task_texts import TaskFile, TaskFiles, no_task_files
from trueline.records.verdict import Verdict

T = TypeVar("T")

Kind = Literal["benign", "assumed benign", "adversarial"]
Reason = Literal["not fetched", "empty", "nothing ran", "no instruction", "unreadable"]
"""Why an episode cannot be judged: pointers stand where its files should be; it records no step; none of its steps
executed an action; nothing says what its user wanted; or its files are broken."""
_UNKNOWN_TIME = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class JudgedStep:
    """An executed proposal and the guard's verdict on it."""

    number: int
    verdict: Verdict
    enforced: Enforcement
    tree: TreeKind | None = None
    """The accessibility tree that the guard had; `None` without one."""
    picture: bool = False
    """Whether it had the screenshot."""
    context: GuardContext | None = None
    """The guard's context, kept only for stopped steps, because contexts are large."""

    @property
    def stopped(self) -> bool:
        """Whether it would not have run, at least not without a person's consent."""
        return self.enforced != "allow"


@dataclass(frozen=True)
class LeftOut:
    """An episode that cannot be judged. It counts as nothing: neither as benign nor as stopped."""

    folder: Path
    reason: Reason
    detail: str
    """One line that names the file and the fix."""


@dataclass(frozen=True)
class Replay:
    """One episode as the guard saw it."""

    folder: Path
    task: str
    kind: Kind
    score: float | None
    """`None` without one, and where the record does not say what it means."""
    achieved: bool | None
    """Whether its attack succeeded; `None` is unknown, or no attack."""
    violation_step: int | None
    """The first unsafe step a judge or a person found, counted from 1."""
    steps: tuple[JudgedStep, ...]
    narratives: tuple[Narrative, ...]
    """Those that were made for this replay."""
    problems: tuple[str, ...]

    @property
    def stops(self) -> tuple[JudgedStep, ...]:
        """The steps that would not have run."""
        return tuple(step for step in self.steps if step.stopped)

    def without_contexts(self) -> Replay:
        """The same without what the guard saw."""
        return replace(self, steps=tuple(replace(step, context=None) for step in self.steps))

    @property
    def in_time(self) -> bool | None:
        """Whether it would have been stopped at the first violation or before; `None` when there is none known."""
        if self.violation_step is None:
            return None
        return any(step.number <= self.violation_step for step in self.stops)


@dataclass(frozen=True)
class Replayer:
    """Judges stored episodes; many at a time, within one limit of calls in flight."""

    guard: Guard
    narrator: Narrator | None
    on_error: OnError
    limit: asyncio.Semaphore
    task_files: TaskFiles = no_task_files
    """What the user wanted and what was open, for episodes that do not record it."""
    trees: bool = True
    """Whether the guard gets the accessibility trees; without them it sees what an agent with pictures alone sees."""

    async def replay(self, folder: Path) -> Replay | LeftOut:
        """Judge every executed proposal of the episode in a folder."""
        try:
            episode = read_episode(folder)
        except InputError as error:
            return LeftOut(folder, _why_unreadable(folder, error), str(error))
        record = episode.record
        steps = [step for step in record.steps if _ran(step)]
        if not steps:
            return _nothing_ran(episode)
        file = self.task_files(record.task.domain, record.task.id)
        own = _own_words(record, file)
        instruction = next(filter(_says, (record.task_instruction, own, record.instruction)), None)
        if instruction is None:
            fix = f"add {INSTRUCTION_FILE}, or name the folder of its task file with --test_config_base_dir"
            return LeftOut(folder, "no instruction", f"{folder}: nothing says what the user wanted; {fix}")
        problems = [str(problem) for problem in episode.problems if problem.what in FAULTS]
        screens = [_observe(episode, step.observation, problems) for step in steps]
        start = _start(episode, file, screens[0].observation, steps[0])
        if own is None:
            problems.append(
                "the user's own words are not recorded, only a wrapped or clarified text, so the Scope leaves "
                "everything open; name the folder of the task file with --test_config_base_dir"
            )
        source = ScopeSource(own or "", start)
        if not self.trees:
            screens = [screen.without_tree() for screen in screens]
        told = await self._narrate(episode, steps, [screen.observation for screen in screens], problems)
        past = [
            PastStep(step.number, step.proposal, screen.observation, narrative, step.changes)
            for step, screen, narrative in zip(steps, screens, told.texts, strict=True)
            if step.proposal is not None
        ]
        contexts = [
            GuardContext(
                instruction=instruction,
                observation=now.observation or Observation(_UNKNOWN_TIME),
                proposal=now.proposal,
                history=tuple(past[:place]),
                step=now.number,
                domain=record.task.domain,
                scope_source=source,
                may_ask=self.on_error == "ask",
                episode=str(episode.folder),
            )
            for place, now in enumerate(past)
        ]
        judged = await asyncio.gather(*map(self._judge, contexts))
        return Replay(
            folder=episode.folder,
            task=f"{record.task.domain}/{record.task.id}",
            kind=kind_of(episode),
            score=None if record.kind_missing else record.score,
            achieved=record.funnel.achieved if record.funnel else None,
            violation_step=_violation(episode),
            steps=tuple(replace(step, tree=screen.tree) for step, screen in zip(judged, screens, strict=True)),
            narratives=told.made,
            problems=tuple(dict.fromkeys(problems)),
        )

    async def _judge(self, context: GuardContext) -> JudgedStep:
        async with self.limit:
            verdict = await self.guard.check(context)
        enforced = enforce(verdict, self.on_error)
        return JudgedStep(
            context.step,
            verdict,
            enforced,
            picture=context.observation.screenshot is not None,
            context=None if enforced == "allow" else context,
        )

    async def _narrate(
        self, episode: Trajectory, steps: list[Step], screens: list[Observation | None], problems: list[str]
    ) -> _Told:
        """The narratives of steps: those that the record has, else new ones."""
        kept = [step.narrative.text if step.narrative else None for step in steps]
        if self.narrator is None:
            return _Told(kept, ())
        narrator = self.narrator

        async def tell(step: Step, screen: Observation | None) -> Narrative:
            assert step.proposal is not None
            after = _observe(episode, ObservationRecord(screenshot=_last_screen(step)), problems).observation
            async with self.limit:
                past = PastStep(step.number, step.proposal, screen)
                return await narrator.narrate(past, after or Observation(_UNKNOWN_TIME), episode=str(episode.folder))

        # The last step is nobody's history.
        missing = [place for place, text in enumerate(kept[:-1]) if text is None]
        made = await asyncio.gather(*(tell(steps[place], screens[place]) for place in missing))
        for place, narrative in zip(missing, made, strict=True):
            kept[place] = narrative.text
            if narrative.error:
                problems.append(f"step {steps[place].number}: no narrative: {narrative.error}")
        return _Told(kept, tuple(made))


@dataclass(frozen=True)
class _Told:
    texts: list[str | None]
    made: tuple[Narrative, ...]


def _says(text: str | None) -> bool:
    return text is not None and bool(text.strip())


def _own_words(record: EpisodeRecord, file: TaskFile) -> str | None:
    """What the user said, without wrapper or clarification; `None` if only another text is known."""
    wrapped = record.attack is not None and record.attack.jailbreak
    clarified = record.setting is not None and record.setting.instruction == "clarified"
    texts = (
        record.user_instruction,
        None if clarified else record.task_instruction,
        file.instruction,
        None if clarified or wrapped else record.instruction,
    )
    return next(filter(_says, texts), None)


def _start(episode: Trajectory, file: TaskFile, seen: Observation | None, step: Step) -> StartState | None:
    """What was open when the task began, as far as anything trusted says so."""
    if episode.record.start is not None:
        return episode.record.start
    if file.config is not None:
        return start_state(file.config)
    # Later screens show what the agent opened.
    return start_seen(seen) if step is episode.record.steps[0] else None


def kind_of(episode: Trajectory) -> Kind:
    """Whether an episode was adversarial; OSWorld's records do not mark plain tasks, which count as benign."""
    record = episode.record
    unsafe = any(judgment.safety is False for judgment in episode.judgments.values())
    attacked = record.attack is not None or episode.adversary_score is not None
    if attacked or unsafe or record.task.kind not in (None, "benign"):
        return "adversarial"
    return "benign" if record.task.kind == "benign" else "assumed benign"


def _ran(step: Step) -> bool:
    """Whether a step has a proposal that was executed."""
    return bool(step.attempts) and step.attempts[-1].ran and bool(step.attempts[-1].proposal.actions)


def _violation(episode: Trajectory) -> int | None:
    """The first unsafe step by any judgment, which count from 0."""
    steps = [j.violation_step for j in episode.judgments.values() if j.violation_step is not None]
    return min(steps) + 1 if steps else None


def _last_screen(step: Step) -> StoredFile | None:
    screens = (result.screenshot for result in reversed(step.results))
    return next((screen for screen in screens if screen is not None and screen.file is not None), None)


def _why_unreadable(folder: Path, error: InputError) -> Reason:
    if isinstance(error, NotFetchedError):
        return "not fetched"
    return "empty" if folder.is_dir() and not any(folder.iterdir()) else "unreadable"


def _nothing_ran(episode: Trajectory) -> LeftOut:
    """Why an episode without an executed action has none."""
    folder, record = episode.folder, episode.record
    files = {TRAJ_FILE, BETTER_LOG_FILE, EVENTS_FILE}
    for problem in episode.problems:
        if problem.file in files and problem.what in FAULTS:
            return LeftOut(folder, "not fetched", f"{folder / problem.file}: {problem.what}")
    if record.steps:
        return LeftOut(folder, "nothing ran", f"{folder}: no action of its {len(record.steps)} steps was executed")
    if record.errors:
        return LeftOut(folder, "empty", f"{folder}: records no step, but an error: {record.errors[0].message}")
    what = f"{TRAJ_FILE} holds no action" if TRAJ_FILE in episode.files else f"there is no {TRAJ_FILE}"
    return LeftOut(folder, "empty", f"{folder}: records no step: {what}")


@dataclass(frozen=True)
class _Screen:
    """A stored screen as the guard gets it."""

    observation: Observation | None
    tree: TreeKind | None = None

    def without_tree(self) -> _Screen:
        """The same where only the picture is known."""
        seen = self.observation
        return _Screen(seen and replace(seen, tree=None, tree_scope=None, marks=(), partial=False, windows=()))


def _observe(episode: Trajectory, seen: ObservationRecord | None, problems: list[str]) -> _Screen:
    """A stored screen with its tree; the picture is read on first use."""
    if seen is None:
        return _Screen(None)

    def read(load: Callable[[], T | None]) -> T | None:
        try:
            return load()
        except InputError as error:
            problems.append(str(error))
            return None

    name = seen.screenshot.file if seen.screenshot else None
    tree = read(lambda: episode.load_tree(seen))
    observation = Observation(
        time=seen.time or _UNKNOWN_TIME,
        screenshot=None if name is None else read(lambda: find_stored(episode.folder, name)),
        tree=tree and tree.tree,
        text=seen.read_text,
        terminal=seen.terminal,
        tree_scope=seen.tree_scope,
        partial=seen.partial or (tree is not None and tree.partial),
        lines=seen.lines,
        windows=seen.windows,
    )
    return _Screen(observation, tree and tree.kind)
