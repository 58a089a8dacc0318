"""`trueline metrics` from Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, get_args

from trueline.errors import RequestError
from trueline.records.scan import RESULT_FILE
from trueline.stats.comparisons.mcnemar import McNemarMethod
from trueline.stats.metrics.analysis import SettingRuns, analyse
from trueline.stats.metrics.report import By, MetricsReport
from trueline.stats.options import AnalysisChoices, Inference, MissingPolicy, check_choice
from trueline.stats.results.read import Folders, Index, Results, collecting_paused, load_index, read_results
from trueline.text import printable

GeneraliseTo = Literal["hosts", "goals"]


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
    worst_of: int | None = None,
    tries: int | None = None,
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
        worst_of: Also report the strongest of so many vectors; the number that was declared before the runs.
        tries: Also report the success of an attacker with so many tries at each cell.
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
    options = AnalysisChoices(
        threshold=threshold,
        missing=missing,
        inference=inference,
        mcnemar=mcnemar or "exact",
        margin=margin,
        generalise_goals=generalise == "goals",
        worst_of=worst_of,
        tries=tries,
        seed=seed,
    )
    with collecting_paused():
        groups = [SettingRuns(name, _read(given, result_file).runs) for name, given in _settings(results, compare_dirs)]
        index = load_index(example_json)
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
