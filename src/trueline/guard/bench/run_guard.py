"""One guard over a benchmark: its setting and what is known already, then the steps that are left."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from trueline.guard.bench.cases import LabelledTrajectory
from trueline.guard.bench.connection_watch import ConnectionWatch, WatchedModel, WatchedRetry
from trueline.guard.bench.evaluate import Report, run_bench, steps_left
from trueline.guard.bench.store import BenchStore
from trueline.guard.registry import GuardRequest, open_guard
from trueline.models.build import Config
from trueline.models.limits import Limiters, ProviderLimits
from trueline.models.prompt_fence import STORED_KEY
from trueline.models.types import Model
from trueline.records.setting import GuardSetting

_IN_FLIGHT = 64


@dataclass(frozen=True)
class GuardPlan:
    """What is to be judged, by which guard, and the progress so far."""

    sources: Sequence[LabelledTrajectory]
    guard: GuardRequest
    setting: GuardSetting
    store: BenchStore

    @property
    def steps(self) -> int:
        """Labelled steps."""
        return sum(case.labelled for source in self.sources for case in source.cases)

    @property
    def steps_left(self) -> int:
        """Labelled steps without a verdict."""
        return sum(steps_left(source, self.store.progress) for source in self.sources)


async def verdict_setting(guard: GuardRequest) -> GuardSetting:
    """What of a guard's configuration shapes its verdicts; no key is needed.

    Raises:
        InputError: There is no such guard, or an option is wrong.
    """
    async with open_guard(guard, config=Config(named_only=True)) as opened:
        return opened.verdict_setting


async def plan_guard(
    guard: GuardRequest,
    everything: Sequence[LabelledTrajectory],
    sources: Sequence[LabelledTrajectory],
    result_file: Path,
    cache_file: Callable[[GuardSetting], Path | None],
) -> GuardPlan:
    """Read what is known already; nothing is asked and no file changed.

    Args:
        guard: Judges.
        everything: All steps of the benchmark.
        sources: Those that are asked about.
        result_file: Takes the verdicts.
        cache_file: The file of narratives for a setting.

    Raises:
        InputError: The guard or a file is wrong, or the file holds verdicts of another setting.
    """
    setting = await verdict_setting(guard)
    return GuardPlan(sources, guard, setting, BenchStore(result_file, cache_file(setting), everything, setting))


async def run_guard(plan: GuardPlan, *, workers: int, report: Report) -> None:
    """Make the missing narratives and verdicts.

    Raises:
        ModelsUnreachableError: The models cannot be reached; run it again later.
    """
    watch = ConnectionWatch()
    # The workers are the limit; a lower one here would let checks wait while their deadline runs.
    limiters = Limiters(ProviderLimits(in_flight=max(_IN_FLIGHT, workers)))
    # With nothing left to ask, models are only named and no key is needed.
    shared = Config(retry=WatchedRetry(watch=watch), limiters=limiters, named_only=not plan.steps_left)

    def watched(model: Model) -> Model:
        return WatchedModel(model, watch)

    # What is judged here was recorded before: a fixed key makes questions repeatable.
    guard = open_guard(plan.guard, config=shared, key=STORED_KEY, wrap=watched)
    async with guard as opened, plan.store as store:
        await run_bench(
            plan.sources,
            opened.guard,
            None if opened.narrator is None else replace(opened.narrator, deadline=None),
            store,
            plan.setting,
            workers=workers,
            calls_per_check=opened.calls_per_check,
            watch=watch,
            report=report,
        )
