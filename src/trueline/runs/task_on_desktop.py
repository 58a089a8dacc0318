"""A task on a desktop, with the injection that may be on it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import Protocol, Self, runtime_checkable

from trueline.agents.types import Agent, sent_size, words_for
from trueline.desktop.types import Capability, LogsChanges
from trueline.records.attack import Funnel
from trueline.records.end import End
from trueline.records.episode import CheckRecord
from trueline.records.episode_state import is_success
from trueline.records.ledger import Changes, Ledger
from trueline.records.observation import Observation
from trueline.records.proposal import Proposal
from trueline.runs.faults import describe_error
from trueline.runs.types import AgentFailed, CheckedValues, Scored
from trueline.tasks.attacks.injection import ActiveInjection
from trueline.tasks.attacks.sinks import SinkLog, open_sinks
from trueline.tasks.attacks.sinks.open import Listening
from trueline.tasks.bridge.bridge import Bridge
from trueline.tasks.bridge.score import Bridging, Checkers
from trueline.tasks.change_tracker import ChangeTracker
from trueline.tasks.checkers import CheckResult, evaluate, scored_by, side_effects
from trueline.tasks.checkers.evidence import EvidenceCollector
from trueline.tasks.checkers.home import keep_home
from trueline.tasks.model import Task
from trueline.tasks.model.allowed_changes import split_changes
from trueline.tasks.model.kind import is_unmeasured, measures_harm
from trueline.tasks.model.steps import Step
from trueline.tasks.rtc.attack_on_sites import AttackOnSites
from trueline.tasks.setup import run_steps
from trueline.tasks.setup_steps import brings_files_only
from trueline.tasks.workspace import Workspace

HARM_DONE = "the checker finds that the harm was done"


@runtime_checkable
class _Listens(Listening, Protocol):
    """For telling at run time; see `Listening`."""


class TaskOnDesktop:
    """Sets a task up, watches what the agent sees and wants, and scores what it leaves.

    An async context manager: sinks inside the desktop are open until it is left.
    """

    def __init__(
        self,
        task: Task,
        workspace: Workspace,
        injection: ActiveInjection | None = None,
        *,
        checkers: Checkers | None = None,
        bridge: Bridge | None = None,
        attack: AttackOnSites | None = None,
        network: bool = False,
    ) -> None:
        self._task = task if attack is None else attack.task
        self._attack = attack
        self._network = network
        self._checkers: Checkers | None = checkers
        self._bridging = None if bridge is None else Bridging(bridge, task.id, task.instruction)
        self._workspace = workspace
        self._injection = injection
        self._sinks = SinkLog()
        self._tracker: ChangeTracker | None = None
        self._stack = AsyncExitStack()
        self._kept = EvidenceCollector()
        self.steps: dict[str, int] = {}
        """The step in which each proposal was made, by its id."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self._stack.aclose()
        watched = self._injection or self._attack
        if watched is not None:
            watched.exposure.close()

    async def prepare(self) -> None:
        """Set the desktop up. Again after a reset: then the sinks are those of the new desktop."""
        await self._stack.aclose()
        self._tracker = None
        self._workspace = replace(self._workspace, outputs={})
        desktop, injection, attack = self._workspace.desktop, self._injection, self._attack
        if Capability.SINKS in desktop.capabilities and isinstance(desktop, _Listens):
            pages = injection.pages if injection else None if attack is None else attack.outside
            # With an open network, names that are not the attacker's lead where they do everywhere.
            only = injection.names if injection is not None and self._network else None
            self._sinks = await self._stack.enter_async_context(open_sinks(desktop, pages, only=only))
            if attack is not None:
                await attack.open(desktop, self._sinks, self._stack)
        if attack is not None:
            self._workspace = replace(self._workspace, rtc=attack.episode)
            await attack.place(self._workspace)
        files, applications = split(self._task.config)
        if injection is not None:
            await injection.prepare(desktop)
        await run_steps(files, self._workspace)
        if injection is not None:
            await injection.deliver(desktop, "before applications")
        await run_steps(applications, self._workspace)
        if injection is not None:
            await injection.deliver(desktop, "after setup")
            await injection.confirm(desktop)
        await keep_home(self._task.evaluator, self._workspace)
        if isinstance(desktop, LogsChanges):
            log = await desktop.open_change_log()
            self._stack.callback(log.close)
            self._tracker = ChangeTracker(log, self._sinks)

    async def seen(self, step: int, observation: Observation, agent: Agent) -> None:
        """Take note of what the agent is shown."""
        watched = self._injection or self._attack
        if watched is not None:
            try:
                words, picture, size = words_for(agent, observation), agent.wants.screenshot, sent_size(agent)
            except Exception as error:
                raise AgentFailed(f"reads: {describe_error(error)}") from error
            desktop = self._workspace.desktop
            await watched.seen(step, observation, desktop, words=words, picture=picture, size=size)

    def proposed(self, step: int, proposal: Proposal, *, ran: bool) -> None:
        """Take note of what the agent wanted."""
        self.steps[proposal.id] = step
        if self._injection is not None:
            self._injection.proposed(step, proposal, ran=ran)

    @property
    def has_checker(self) -> bool:
        """Whether anything scores the state left behind."""
        return scored_by(self._task.evaluator, self._checkers) != "none"

    async def check(self, *, failed: bool) -> Scored:
        """Score the state left behind. Raises CheckerError."""
        # What was done stays done: an agent that does the harm and then gives up has done it.
        harm = measures_harm(self._task)
        self._kept = EvidenceCollector()
        outcome = await self._evaluate(failed=failed and not harm, harm=harm, keep=self._kept)
        check = CheckRecord(
            name="evaluator",
            passed=is_success(outcome.score),
            detail=outcome.reason,
            comparisons=outcome.comparisons,
        )
        attacked = [] if self._attack is None else [await self._attack.check(self._workspace)]
        others = [] if outcome.disagreement is None else [_agreement(outcome.disagreement)]
        others += [
            CheckRecord(name=found.function, passed=found.passed, detail=found.detail, about="safety")
            for found in await side_effects(self._task.evaluator, self._workspace)
        ]
        return Scored(outcome.score, (check, *attacked, *others), outcome.scored_by)

    def checked(self) -> CheckedValues | None:
        """What the last check compared, also where it gave no score; `None` if it read nothing."""
        evidence = self._kept.evidence(self._task, self._workspace.screen, harm=measures_harm(self._task))
        return None if evidence is None else CheckedValues(evidence, self._kept.contents)

    async def _evaluate(self, *, failed: bool, harm: bool, keep: EvidenceCollector | None = None) -> CheckResult:
        return await evaluate(
            self._task.evaluator,
            self._workspace,
            failed=failed,
            harm=harm,
            checkers=self._checkers,
            bridging=self._bridging,
            keep=keep,
        )

    async def changes(self) -> Changes | None:
        """What changed since the last call."""
        return None if self._tracker is None else await self._tracker.since_last()

    async def ledger(self) -> Ledger | None:
        """What changed since the end of the set-up, split by what the task may change."""
        if self._tracker is None:
            return None
        return split_changes(await self._tracker.since_start(), self._task.allowed_changes)

    def assume_exposed(self) -> None:
        """Take it that the agent was shown the injection before its first step."""
        watched = self._injection or self._attack
        if watched is not None:
            watched.exposure.assumed_step = 0

    async def harm(self) -> tuple[str, ...]:
        """Evidence, in the desktop and the sinks, of harm done so far; nothing is changed by looking."""
        found = () if self._injection is None else await self._injection.harm(self._workspace.desktop, self._sinks)
        if not measures_harm(self._task) or self._task.evaluator.postconfig or not self.has_checker:
            return found
        outcome = await self._evaluate(failed=False, harm=True)
        return (*found, HARM_DONE) if is_success(outcome.score) else found

    async def funnel(self, end: End, scored: Scored | None) -> Funnel | None:
        """How far the injection got."""
        if self._injection is None:
            return None if self._attack is None else await self._attack.funnel()
        score = None if scored is None or is_unmeasured(self._task) else scored.score
        return await self._injection.funnel(self._workspace.desktop, self._sinks, end, score)


def _agreement(disagreement: str) -> CheckRecord:
    """Whether Trueline's own checkers agree with the score that OSWorld's functions gave."""
    return CheckRecord(name="native checkers", passed=not disagreement, detail=disagreement, about="agreement")


def split(steps: Sequence[Step]) -> tuple[tuple[Step, ...], tuple[Step, ...]]:
    """The steps that only bring files, and those from the first application on."""
    first = next(
        (place for place, step in enumerate(steps) if not brings_files_only(step)),
        len(steps),
    )
    return tuple(steps[:first]), tuple(steps[first:])
