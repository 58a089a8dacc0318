"""Results read from folders, and the report on them: `trueline metrics` from Python."""

from __future__ import annotations

import gc
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from trueline.errors import InputError, RequestError
from trueline.records.index import read_index
from trueline.records.scan import RESULT_FILE, Trial
from trueline.stats.mcnemar import McNemarMethod
from trueline.stats.metrics.analysis import Group, analyse
from trueline.stats.metrics.report import By, MetricsReport
from trueline.stats.options import Inference, MissingPolicy, Options, check_choice
from trueline.stats.runs import Run, read_runs
from trueline.text import printable

Folders = str | Path | Sequence[str | Path]
"""One folder of results or several: of runs, of one run, or anything deeper."""
Index = str | Path | Mapping[str, Sequence[str]]
"""An index file, or what it holds: `{domain: [task ids]}`."""
GeneraliseTo = Literal["hosts", "goals"]


@dataclass(frozen=True, repr=False)
class Results:
    """The episodes of one setting, run by run, as `read_results` found them.

    Iterating gives the episodes of all runs. Each has its folder, what ran (`condition`), which task (`unit`), its
    `score`, and where there is none, the `problem`.
    """

    runs: tuple[Run, ...]
    """One per repeat."""
    result_file: str = RESULT_FILE
    """The file of each episode that its score was read from."""

    def __iter__(self) -> Iterator[Trial]:
        """All episodes, run by run."""
        return (trial for run in self.runs for trials in run.trials.values() for trial in trials.values())

    def __len__(self) -> int:
        """How many episodes there are, scored or not."""
        return sum(len(trials) for run in self.runs for trials in run.trials.values())

    def __repr__(self) -> str:
        return f"Results({len(self)} episodes in {len(self.runs)} runs)"


def read_results(folders: Folders, *, result_file: str = RESULT_FILE) -> Results:
    """Read the scores of all episodes below the folders of one setting.

    Args:
        folders: One folder per repeat, at any level of a result folder, or a folder that holds `run1`, `run2` ….
        result_file: The file with an episode's score, e.g. `adversary_result.txt`.

    Raises:
        InputError: A folder is missing or holds no episode, one is named twice, or a run holds an episode twice.
    """
    if "/" in result_file or not result_file:
        raise RequestError(
            f"`result_file` {printable(result_file)!r}: must be the name of a file in each episode's folder, "
            "without a path"
        )
    names = [folders] if isinstance(folders, str | Path) else list(folders)
    if not names or "" in names:
        raise InputError("an empty name is not a folder of results" if names else "name at least one folder of results")
    with _collecting_paused():
        return Results(tuple(read_runs([Path(name) for name in names], result_file)), result_file)


def metrics(
    results: Results | Folders,
    /,
    *,
    compare_dirs: Results | Folders | Mapping[str, Results | Folders] | None = None,
    by: By = "setting",
    k: int | Sequence[int] | None = None,
    inference: Inference = "population",
    mcnemar: McNemarMethod | None = None,
    margin: float | None = None,
    mix_environments: bool = False,
    generalise: GeneraliseTo = "hosts",
    example_json: Index | None = None,
    threshold: float = 1.0,
    missing: MissingPolicy = "bounds",
    result_file: str | None = None,
    seed: int = 0,
) -> MetricsReport:
    """Return Pass^k of a setting with intervals, and its comparison with other settings.

    The options are the flags of `trueline metrics`, with the same meaning and the same defaults.

    Args:
        results: The runs of the base setting: folders, or what `read_results` returned.
        compare_dirs: The runs of a setting to compare with it, or several settings by name.
        by: Whether the tables have a row per setting, or per setting and domain.
        k: Which Pass^k the tables show, and further k to compare at; by default 1 and the number of runs.
        inference: `"population"`: the tasks stand for others like them; `"suite"`: they stand only for themselves.
        mcnemar: The test of the tasks that changed; by default the exact one.
        margin: Also test non-inferiority of Pass^n with this margin, a share such as 0.03.
        mix_environments: Compare runs of different recorded environments.
        generalise: Attack success is about other host tasks under these goals, or also about other goals.
        example_json: The tasks that should be there: an index file, or a mapping from domains to ids; by default those
            that are found.
        threshold: A score from here on is a success.
        missing: What a missing trial means: `"bounds"` reports what it could change, `"exclude"` leaves it out,
            `"fail"` counts it as a failure.
        result_file: The file with an episode's score; by default `result.txt`.
        seed: Of the bootstrap.

    Raises:
        InputError: An argument is wrong, or the folders cannot be read as settings that belong together.
    """
    check_choice("by", by, get_args(By))
    check_choice("generalise", generalise, get_args(GeneraliseTo))
    if inference == "suite" and (mcnemar or margin is not None):
        name = "mcnemar" if mcnemar else "margin"
        raise RequestError(f"`{name}`: is about a population of tasks and has no meaning with `inference` suite")
    options = Options(
        threshold=threshold,
        missing=missing,
        inference=inference,
        mcnemar=mcnemar or "exact",
        margin=margin,
        generalise_goals=generalise == "goals",
        seed=seed,
    )
    with _collecting_paused():
        groups = [Group(name, _read(given, result_file).runs) for name, given in _settings(results, compare_dirs)]
        index = read_index(Path(example_json)) if isinstance(example_json, str | Path) else example_json
        shown = [k] if isinstance(k, int) else k
        return analyse(groups, index, options, shown_k=shown, by=by, mix_environments=mix_environments)


def _settings(
    base: Results | Folders, others: Results | Folders | Mapping[str, Results | Folders] | None
) -> list[tuple[str, Results | Folders]]:
    """All settings by name, the base first."""
    if others is None or others == {}:
        return [("Runs", base)]
    named = others if isinstance(others, Mapping) else {"New": others}
    return [("Baseline", base), *named.items()]


def _read(given: Results | Folders, result_file: str | None) -> Results:
    if not isinstance(given, Results):
        return read_results(given, result_file=RESULT_FILE if result_file is None else result_file)
    if result_file not in (None, given.result_file):
        raise RequestError(
            f"`result_file` {printable(result_file or '')!r}: these scores were read from {given.result_file}; "
            "pass it to read_results"
        )
    return given


@contextmanager
def _collecting_paused() -> Generator[None]:
    """Pause the garbage collector: thousands of small objects all live to the end, so it would search in vain."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
