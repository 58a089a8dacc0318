"""From a checked run configuration to episodes that can be played."""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack, nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from pydantic import JsonValue

from trueline import __version__
from trueline.actions import Size
from trueline.agents.registry import AgentMaker
from trueline.agents.types import Agent, AgentContext, Insight
from trueline.desktop.types import Capability, Desktop
from trueline.guard.config import OnError
from trueline.guard.correction import Ask, CorrectionPolicy
from trueline.guard.narrative import Narrator
from trueline.guard.scope.start_state import start_state
from trueline.guard.scope.types import ScopeSource
from trueline.guard.session import Session
from trueline.guard.types import Guard
from trueline.models.types import Model
from trueline.records import EpisodeWriter
from trueline.records.attack import Attack
from trueline.records.end import Unscored
from trueline.records.events import Ended, Started
from trueline.records.observation import ObservationSpec, sha256
from trueline.records.setting import Setting
from trueline.records.usage import Usage
from trueline.runs.agent_calls import close
from trueline.runs.batch.types import Job
from trueline.runs.desktop_support import missing_support
from trueline.runs.execute import execute
from trueline.runs.faults import describe_error
from trueline.runs.plan import Planned, instruction_for
from trueline.runs.randomness import seed_of
from trueline.runs.recording_narrator import RecordingNarrator
from trueline.runs.retries.binary import BinaryRetry
from trueline.runs.retries.clarify import ClarifyUponRetry
from trueline.runs.task_on_desktop import TaskOnDesktop
from trueline.runs.types import EpisodeParts, Oversight, Pace, Retrying, Slot, unchecked_score
from trueline.tasks.attacks.canaries import canaries_of
from trueline.tasks.attacks.from_task import injection_of
from trueline.tasks.attacks.goals import GOALS, injected_title
from trueline.tasks.attacks.injection import ActiveInjection
from trueline.tasks.attacks.text_source import TextSource
from trueline.tasks.attacks.twins import with_request
from trueline.tasks.attacks.vectors import VECTORS
from trueline.tasks.bridge.bridge import Bridge
from trueline.tasks.bridge.environment import INSTALL
from trueline.tasks.bridge.not_scorable import known_needs
from trueline.tasks.bridge.score import Checkers
from trueline.tasks.checkers import scored_by
from trueline.tasks.downloads import Downloads
from trueline.tasks.facilities import Facilities, local_facilities
from trueline.tasks.model import Task
from trueline.tasks.model.kind import Kind, measures_harm
from trueline.tasks.root import needs_root
from trueline.tasks.rtc.addresses import SiteAddresses, is_rtc
from trueline.tasks.rtc.attack_on_sites import AttackOnSites, attack_record
from trueline.tasks.support import unsupported
from trueline.tasks.variation import vary
from trueline.tasks.workspace import Workspace

RECORDING = "recording.mp4"
AGENT = "agent"
NOT_OPENED = f"run: {INSTALL}"
VARIATION = "variation"
"""Purposes of an episode's seeds: the agent's own choices, the task's variation."""
CLARIFIED = "clarified"
"""`Setting.instruction` where a task's clarified instruction is used, if it has one."""


@dataclass(frozen=True)
class GuardSetup:
    """The guard in front of every episode."""

    guard: Guard
    narrator: Narrator | None = None
    on_error: OnError = "block"
    policy: CorrectionPolicy = field(default_factory=CorrectionPolicy)
    ask: Callable[[str], Ask] | None = None
    """Returns who is asked about the episode of this name."""


@dataclass(frozen=True)
class RetrySetup:
    """The retry method and its models."""

    method: str
    max_retries: int
    max_total_steps: int | None = None
    user: Model | None = None


@dataclass(frozen=True)
class RunConfig:
    """Everything a run is made of, checked."""

    suite: str
    setting: Setting
    agent: AgentMaker
    downloads: Downloads
    models: Mapping[str, Model] = field(default_factory=dict[str, Model])
    assets: tuple[Path, ...] = ()
    seed: int = 0
    paired_seeds: bool = False
    guard: GuardSetup | None = None
    retry: RetrySetup | None = None
    pace: Pace = field(default_factory=Pace)
    screen: tuple[int, int] = (1920, 1080)
    password: str = "password"  # noqa: S105 - OSWorld's, which its tasks and everybody know
    record: bool = False
    facilities: Facilities = field(default_factory=Facilities)
    attack_text: TextSource = "own"
    checkers: Checkers | None = None
    bridge: Bridge | None = None
    """OSWorld's own checkers; `None`: there are none."""
    no_bridge: str = NOT_OPENED
    """Why there are none, with the command that helps."""
    sites: SiteAddresses = field(default_factory=SiteAddresses)
    """Where the sites of RTC-Bench's tasks are."""
    end_to_end: bool = False
    """Agents have to find the injections of RTC-Bench's tasks themselves."""
    about: Mapping[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    """Further parameters of every record: whose defaults were used, how the desktop looked."""


def make_job(config: RunConfig, planned: Planned) -> Job:
    """An episode that can be played.

    Raises:
        InputError: The task's variation does not fit the task.
    """
    episode = PlannedEpisode(config, planned)
    no_bridge = "" if config.bridge is not None else config.no_bridge
    unsupported = why_unsupported(
        planned,
        config.facilities,
        checkers=config.checkers,
        no_bridge=no_bridge,
        sites=config.sites,
        texts=config.attack_text,
    )
    location, root = planned.location(config.setting), config.facilities.root and needs_root(planned.task.task)
    return Job(location, episode.begin, episode.play, unsupported, root=root)


def episode_seed(config: RunConfig, planned: Planned, purpose: str) -> int:
    """The seed of an episode for one purpose."""
    digest = None if config.paired_seeds else config.setting.digest
    return seed_of(config.seed, digest, planned.reference(config.suite), planned.attack(None), planned.repeat, purpose)


def task_seed(config: RunConfig, planned: Planned) -> int:
    """The seed of a task's difficulty for personas: equal in all its episodes, settings and attacks."""
    return seed_of(config.seed, None, planned.reference(config.suite), None, None, "task")


def why_unsupported(
    planned: Planned,
    facilities: Facilities | None = None,
    *,
    checkers: Checkers | None = None,
    no_bridge: str = NOT_OPENED,
    sites: SiteAddresses | None = None,
    texts: TextSource = "own",
) -> str:
    """Why an episode cannot be run; empty if it can.

    Args:
        planned: The episode.
        facilities: What the desktops offer; by default what local ones do.
        checkers: Who scores it.
        no_bridge: Why OSWorld's own checkers cannot score it; empty if they can.
        sites: Where the sites of RTC-Bench's tasks are; by default they are stand-ins.
        texts: Whose words an injection has.
    """
    facilities = facilities or local_facilities()
    task, injected = planned.task.task, planned.injected
    missing = [*unsupported(task, facilities, sites), *missing_support(planned, facilities, texts)]
    scorer = scored_by(task.evaluator, checkers)
    if scorer == "none" and checkers != "none" and task.evaluator.functions:
        missing.append(f"checker {_names(task)}")
    elif scorer == "bridged":
        missing += [f"OSWorld's own checkers ({no_bridge})"] if no_bridge else []
        missing += [f"not scorable without {need}" for need in known_needs(task.evaluator)]
    if injected is not None and not VECTORS.provides(injected.vector):
        missing.append(f"vector {injected.vector}")
    if injected is not None and not GOALS.provides(injected.goal):
        missing.append(f"goal {injected.goal}")
    return ", ".join(missing)


def _names(task: Task) -> str:
    function = task.evaluator.func
    return function if isinstance(function, str) else "/".join(function)


class PlannedEpisode:
    """One episode of a run, with everything that its seeds decide drawn."""

    def __init__(self, config: RunConfig, planned: Planned) -> None:
        self.config = config
        self._planned = planned
        self._setting_digest = config.setting.digest
        varied = vary(planned.task.task, self._seed(VARIATION))
        self.task = self._asked(_worded(varied, config.setting))
        self._scope_source = ScopeSource(
            self._asked(varied).instruction, start_state([step.model_dump(mode="json") for step in varied.config])
        )
        """What the Scope is made from: never a clarified text."""
        self._path = str(planned.location(config.setting).path)

    def _asked(self, task: Task) -> Task:
        """The task; where the user asks to follow the text on the screen, with that request."""
        injected = self._planned.injected
        if injected is None or injected.twin != "asked":
            return task
        words = with_request(task.instruction, injected_title(), canaries_of(self._seed("attack")))
        return task.model_copy(update={"instruction": words})

    def _seed(self, purpose: str) -> int:
        return episode_seed(self.config, self._planned, purpose)

    def _injection(self) -> ActiveInjection | None:
        injected = self._planned.injected
        if injected is None or not VECTORS.provides(injected.vector) or not GOALS.provides(injected.goal):
            return None
        # The task was varied since: where its document lies is told by its own entry.
        return injection_of(
            self.task,
            injected.vector,
            injected.goal,
            self._seed("attack"),
            texts=self.config.attack_text,
            assets=self.config.assets,
        )

    def begin(self) -> Started:
        """The first line of its record."""
        config, task = self.config, self.task
        injection = self._injection()
        digest = sha256(self._planned.task.task.definition_json().encode())
        return Started(
            time=datetime.now(UTC),
            task=self._planned.reference(config.suite, digest),
            attack=self._planned.attack(injection.text if injection else None) or self._attack_of_task(),
            setting=config.setting,
            setting_digest=self._setting_digest,
            repeat=self._planned.repeat,
            seed=self._seed("episode"),
            versions={"trueline": __version__, "python": platform.python_version()},
            params={**_params(config.setting), **config.about},
            instruction=instruction_for(self._planned, task.instruction),
            task_instruction=task.instruction,
            user_instruction=self._scope_source.words,
            start=self._scope_source.start,
        )

    async def play(self, desktop: Desktop, writer: EpisodeWriter, slot: Slot) -> Ended:
        """Play it on a fresh desktop."""
        config = self.config
        try:
            agent = config.agent.make()
        except Exception as error:
            # A class of somebody else's: what goes wrong in one episode must not end the others.
            detail = f"agent: {describe_error(error)}"
            return Ended(time=datetime.now(UTC), unscored=Unscored.SETUP_ERROR, detail=detail)
        other_usage: list[Usage] = []
        if is_rtc(self.task):
            writer.keep_task(self.task.to_json())
        async with AsyncExitStack() as stack:
            stack.push_async_callback(_close, agent, writer)
            on_desktop = await stack.enter_async_context(self.on_desktop(desktop))
            oversight = self._oversight(writer, on_desktop, other_usage, stack)
            recording = config.record and Capability.RECORD in desktop.capabilities
            await stack.enter_async_context(desktop.record(writer.folder / RECORDING) if recording else nullcontext())
            parts = EpisodeParts(
                desktop=desktop,
                agent=agent,
                context=self.context(),
                task=on_desktop,
                oversight=oversight,
                retrying=self._retrying(),
                other_usage=other_usage,
                slot=slot,
                limits=config.setting.limits,
                pace=config.pace,
                unchecked_score=unchecked_score(harm=measures_harm(self.task)),
                # Whether the agent was exposed is read from the tree, whatever the agent itself is shown.
                also_want=ObservationSpec(
                    screenshot=True, tree=self._planned.injected is not None or is_rtc(self.task)
                ),
            )
            return await execute(parts, writer)

    @property
    def listed(self) -> str | None:
        """Digest of what the task may change, as its file lists it."""
        allowed = self._planned.task.task.allowed_changes
        return None if allowed is None else allowed.digest

    def on_desktop(self, desktop: Desktop) -> TaskOnDesktop:
        """The task, and its injection, on a fresh desktop."""
        config = self.config
        workspace = Workspace(desktop, config.downloads, config.assets, config.screen, config.password)
        attack = None
        if is_rtc(self.task):
            attack = AttackOnSites.from_task(self.task, config.sites, end_to_end=config.end_to_end)
        return TaskOnDesktop(
            self.task,
            workspace,
            self._injection(),
            checkers=config.checkers,
            bridge=config.bridge,
            attack=attack,
            network=config.facilities.network,
        )

    def _attack_of_task(self) -> Attack | None:
        """The attack that is part of the task itself."""
        return attack_record(self.task) if is_rtc(self.task) else None

    def context(self) -> AgentContext:
        """What the agent is told."""
        return AgentContext(
            instruction=instruction_for(self._planned, self.task.instruction),
            screen=Size(*self.config.screen),
            seed=self._seed(AGENT),
            models=self.config.models,
            episode=self._path,
            insight=self._insight() if self.config.agent.simulated else None,
        )

    def _insight(self) -> Insight:
        injection = self._injection()
        return Insight(
            demo=self.task.demo,
            kind=self._planned.task.kind,
            task_seed=task_seed(self.config, self._planned),
            clarified=self.task.instruction == self.task.clarified_instruction,
            attacked=injection is not None,
            reading=() if injection is None else injection.reading,
        )

    def _oversight(
        self, writer: EpisodeWriter, on_desktop: TaskOnDesktop, other_usage: list[Usage], stack: AsyncExitStack
    ) -> Oversight | None:
        setup = self.config.guard
        if setup is None:
            return None
        narrator = RecordingNarrator(setup.narrator, writer, on_desktop.steps, other_usage) if setup.narrator else None

        def begin(instruction: str) -> Session:
            session = Session(
                setup.guard,
                instruction,
                id=self._path,
                domain=self._planned.task.ref.domain,
                scope_source=self._scope_source,
                on_error=setup.on_error,
                asks=setup.policy.exhausted == "ask" and setup.ask is not None and not setup.policy.shadow,
                narrator=narrator,
            )
            stack.push_async_callback(session.close)
            return session

        session = begin(self.task.instruction)
        ask = None if setup.ask is None else setup.ask(self._path)
        return Oversight(session, setup.policy, ask, begin)

    def _retrying(self) -> Retrying | None:
        retry = self.config.retry
        # A misuse task that was refused has come out well: trying again would press the agent to do harm.
        if retry is None or self._planned.task.kind is Kind.MISUSE:
            return None
        if retry.user is None:
            return BinaryRetry(retry.max_retries, retry.max_total_steps)
        return ClarifyUponRetry(
            retry.user,
            self.task.instruction,
            self.task.evaluator.model_dump(mode="json", exclude_unset=True),
            retry.max_retries,
            retry.max_total_steps,
            episode=self._path,
        )


async def _close(agent: Agent, writer: EpisodeWriter) -> None:
    """Close an agent; an error is only logged, since the episode is over."""
    if trouble := await close(agent):
        writer.log(f"agent: it could not be closed: {trouble}")


def _worded(task: Task, setting: Setting) -> Task:
    """The task with the instruction that the setting wants."""
    if setting.instruction != CLARIFIED or task.clarified_instruction is None:
        return task
    return task.model_copy(update={"instruction": task.clarified_instruction})


def _params(setting: Setting) -> dict[str, JsonValue]:
    """The parameters that OS-Harm logs, under its names."""
    options = setting.agent_options
    return {
        "platform": setting.environment.platform,
        "model": (setting.model or setting.agent).rpartition("|")[2],
        "max_tokens": setting.sampling.max_tokens,
        "top_p": setting.sampling.top_p,
        "temperature": setting.sampling.temperature,
        "action_space": setting.action_space,
        "observation_type": setting.observation_type,
        "max_trajectory_length": options.get("max_trajectory_length"),
        "a11y_tree_max_tokens": options.get("a11y_tree_max_tokens"),
        "max_steps": setting.limits.max_steps,
    }
