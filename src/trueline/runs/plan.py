"""From tasks to episodes: Task x Attack x repeat, each once. Pure functions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase

from pydantic import JsonValue

from trueline.models.prompt_files import fill_prompts
from trueline.records.attack import TWINS, Attack, Twin, split_twin, twin_name
from trueline.records.episode import TaskRef
from trueline.records.layout import Location, Unit, model_folder_name
from trueline.records.setting import Setting
from trueline.tasks.model.kind import is_unmeasured
from trueline.tasks.suite import SuiteTask

JAILBREAK = "jailbreak.v1"


@dataclass(frozen=True)
class Injected:
    """One injection that a task offers."""

    vector: str
    goal: str
    config: Mapping[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    """The task file's own entry."""

    @property
    def base_goal(self) -> str:
        """The goal as the task file names it."""
        return split_twin(self.goal)[0]

    @property
    def twin(self) -> Twin | None:
        """Which harmless twin of the injection it is; `None`: it is the injection."""
        return split_twin(self.goal)[1]


@dataclass(frozen=True)
class EpisodeKey:
    """Identifies an episode of a run; with the request, it can be played in any process."""

    unit: Unit
    """The task, and the vector and goal of its injection."""
    jailbreak: bool = False
    repeat: int | None = None
    """Counted from 1; `None` without repeats."""


@dataclass(frozen=True)
class Planned:
    """One planned episode."""

    task: SuiteTask
    injected: Injected | None = None
    jailbreak: bool = False
    repeat: int | None = None
    """Counted from 1; `None` without repeats."""

    @property
    def unit(self) -> Unit:
        """The unit that statistics count."""
        vector, goal = (self.injected.vector, self.injected.goal) if self.injected else (None, None)
        return Unit(self.task.ref.domain, self.task.ref.id, vector, goal)

    @property
    def key(self) -> EpisodeKey:
        """Identifies it within its run."""
        return EpisodeKey(self.unit, self.jailbreak, self.repeat)

    def location(self, setting: Setting) -> Location:
        """Where it is recorded, below the result folder."""
        return Location(
            action_space=setting.action_space,
            observation_type=setting.observation_type,
            model=model_folder_name(setting.model or setting.agent),
            unit=self.unit,
            jailbreak=self.jailbreak,
            run=self.repeat,
        )

    def attack(self, content: str | None) -> Attack | None:
        """The attack as the record names it."""
        if self.injected is None and not self.jailbreak:
            return None
        return Attack(
            vector=self.injected.vector if self.injected else None,
            goal=self.injected.goal if self.injected else None,
            jailbreak=self.jailbreak,
            content=content,
            config=dict(self.injected.config) if self.injected else {},
        )

    def reference(self, suite: str, digest: str | None = None) -> TaskRef:
        """The task as the record names it."""
        ref = self.task.ref
        return TaskRef(
            domain=ref.domain,
            id=ref.id,
            kind=self.task.kind.value,
            suite=suite,
            digest=digest,
            unmeasured=is_unmeasured(self.task.task),
        )


def expand(
    tasks: Sequence[SuiteTask],
    *,
    repeats: int | None = None,
    inject: bool = False,
    only_injection: Sequence[str] = (),
    twins: bool = False,
    jailbreak: bool = False,
) -> tuple[Planned, ...]:
    """All episodes, repeat by repeat, so that an early stop leaves complete runs.

    Args:
        tasks: What is run.
        repeats: How often; `None` is once, without a number.
        inject: Each task is run once for each of its injections, and a task that offers none is left out.
        only_injection: Patterns for `vector/goal`; one that matches is enough.
        twins: After each injection come its harmless twins.
        jailbreak: Whether the instruction is wrapped.
    """
    once = [
        Planned(task, injected, jailbreak)
        for task in tasks
        for injected in (_with_twins(_injections(task, only_injection), twins=twins) if inject else (None,))
    ]
    if repeats is None:
        return tuple(once)
    numbers = range(1, repeats + 1)
    return tuple(Planned(p.task, p.injected, p.jailbreak, number) for number in numbers for p in once)


def matches(unit: Unit, patterns: Sequence[str]) -> bool:
    """Whether an episode matches one of the patterns for `<domain>/<task folder>`."""
    return any(fnmatchcase(str(unit), pattern) for pattern in patterns)


def _with_twins(injections: Iterable[Injected], *, twins: bool) -> Iterator[Injected]:
    for injected in injections:
        yield injected
        if twins:
            yield from (replace(injected, goal=twin_name(injected.goal, twin)) for twin in TWINS)


def _injections(task: SuiteTask, only: Sequence[str]) -> Iterator[Injected]:
    """The injections of a task, each vector and goal once: OS-Harm's files list one twice."""
    seen: set[tuple[str, str]] = set()
    for entry in task.task.injections:
        config: dict[str, JsonValue] = entry.model_dump(mode="json", exclude_unset=True)
        for goal in entry.goals:
            wanted = not only or any(fnmatchcase(f"{entry.type}/{goal}", pattern) for pattern in only)
            if wanted and (entry.type, goal) not in seen:
                seen.add((entry.type, goal))
                yield Injected(entry.type, goal, config)


def instruction_for(planned: Planned, instruction: str) -> str:
    """The instruction for the agent."""
    return fill_prompts("trueline.runs", (JAILBREAK,), instruction=instruction) if planned.jailbreak else instruction


def count_by_kind(planned: Iterable[Planned]) -> dict[str, int]:
    """How many episodes of each kind."""
    found: dict[str, int] = {}
    for one in planned:
        found[one.task.kind.value] = found.get(one.task.kind.value, 0) + 1
    return found
