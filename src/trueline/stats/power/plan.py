"""Plan a study: fit or take its rates, then simulate."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from trueline.errors import InputError, RequestError
from trueline.records.scan import RESULT_FILE
from trueline.stats.options import AnalysisChoices
from trueline.stats.power.design import MOST_REPEATS, MOST_TASKS, Design, sensitivity
from trueline.stats.power.fit import fit_runs
from trueline.stats.power.report import PowerReport, SensitivityTable
from trueline.stats.results.read import Folders, Index, load_index, read_results

if TYPE_CHECKING:
    from trueline.stats.power.attack_fit import AttackFit
    from trueline.stats.power.attack_report import AttackPlan


@dataclass(frozen=True, kw_only=True)
class StudyRequest:
    """A study to plan. The fields are the flags of `trueline power`, with the same meaning."""

    tasks: int
    """Number of tasks; for attack success, of host tasks."""
    repeats: int
    metric: str = "pass_1"
    """`pass_hat_K`, `pass_1` or `attack_success`."""
    goals: int | None = None
    vectors: int | None = None
    source: Folders | None = None
    """Runs to fit the base rate and rho to; the flag is `--from`."""
    base: float | None = None
    new: float | None = None
    rho: float | None = None
    rho_host: float | None = None
    link: float = 1.0
    power: float = 0.8
    alpha: float = 0.05
    studies: int = 4000
    """Simulated studies per figure."""
    example_json: Index | None = None
    threshold: float = 1.0
    result_file: str = RESULT_FILE
    seed: int = 0


def plan_study(study: StudyRequest) -> PowerReport | AttackPlan | SensitivityTable:
    """Simulate what a study can see, and what it would need.

    Returns:
        A plan; or a table over the assumptions about the tasks, where rates are given without rho.

    Raises:
        InputError: A field is wrong or missing, or the runs cannot be fitted.
    """
    AnalysisChoices(threshold=study.threshold)  # checks it
    if not 0 < study.power < 1:
        raise RequestError(f"`power` {study.power}: must be between 0 and 1")
    if not 100 <= study.studies <= 200_000:
        raise RequestError(f"`studies` {study.studies}: must be from 100 (fewer give only noise) to 200000")
    if study.metric == "attack_success":
        return _plan_attacks(study)
    for name in ("goals", "vectors", "rho_host"):
        if getattr(study, name) is not None:
            raise RequestError(f"`{name}` is about `metric` attack_success")
    k = _k(study.metric)
    if study.repeats > MOST_REPEATS or study.tasks > MOST_TASKS:
        raise RequestError(f"at most {MOST_TASKS} `tasks` and {MOST_REPEATS} `repeats` can be simulated")
    base, rho, source = _rates(study, k)
    new = base if study.new is None else study.new
    design = Design(study.tasks, study.repeats, k, base, new, rho or 0.0, link=study.link, alpha=study.alpha)
    if rho is None:
        if study.new is None:
            raise RequestError("`new` is missing: give the rate to detect, or `from` or `rho`")
        rows = sensitivity(design, wanted=study.power, studies=study.studies, seed=study.seed)
        return SensitivityTable(design, study.metric, study.power, tuple(rows))
    return PowerReport.from_design(
        design,
        study.metric,
        study.power,
        study.studies,
        study.seed,
        changed=study.new is not None,
        source=source,
    )


def _k(metric: str) -> int:
    match = re.fullmatch(r"pass_(?:hat_)?(\d{1,3})", metric)
    if match is None or int(match[1]) < 1:
        raise RequestError(f"`metric` {metric}: must be pass_hat_K (such as pass_hat_3), pass_1 or attack_success")
    return int(match[1])


def _rates(study: StudyRequest, k: int) -> tuple[float, float | None, str]:
    """Base rate and rho, stated or fitted, and a line on where they come from."""
    if study.source is None:
        if study.base is None:
            raise _no_base_rate()
        return study.base, study.rho, "as stated"
    results = read_results(study.source, result_file=study.result_file)
    fit = fit_runs(results, load_index(study.example_json), study.threshold)
    rho = study.rho if study.rho is not None else fit.difficulty.rho
    base = study.base if study.base is not None else replace(fit.difficulty, rho=rho).pass_hat(k)
    source = (
        f"fitted to {fit.tasks} tasks, {fit.runs} runs: Pass^1 {100 * fit.difficulty.mean:.1f} %, rho "
        f"{fit.difficulty.rho:.2f} [{fit.rho_low:.2f}, {fit.rho_high:.2f}]"
    )
    return base, rho, source


def _plan_attacks(study: StudyRequest) -> AttackPlan:
    """Plan a study of attack success: the unit is the host task."""
    from trueline.stats.power.attack_design import AttackDesign
    from trueline.stats.power.attack_report import AttackPlan

    base, rho, rho_host, source = _attack_rates(study)
    for name in ("goals", "vectors"):
        number = getattr(study, name)
        if number is not None and number < 1:
            raise RequestError(f"`{name}` {number}: must be at least 1")
    goals, vectors = study.goals or 1, study.vectors or 1
    design = AttackDesign(
        hosts=study.tasks,
        cells=goals * vectors,
        repeats=study.repeats,
        base=base,
        new=base if study.new is None else study.new,
        rho=rho,
        rho_host=rho_host,
        link=study.link,
        alpha=study.alpha,
    )
    return AttackPlan.from_design(
        design,
        goals=goals,
        vectors=vectors,
        wanted=study.power,
        source=source,
        studies=study.studies,
        seed=study.seed,
        changed=study.new is not None,
    )


def _attack_rates(study: StudyRequest) -> tuple[float, float, float, str]:
    """Base rate and the two correlations, stated, fitted or assumed, and a line on where they come from."""
    # Loaded only here: the typed records of episodes take longer to load than scores.
    from trueline.stats.power.attack_fit import DEFAULT_RHO, fit_attack_runs

    fit: AttackFit | None = None
    if study.source is not None:
        results = read_results(study.source, result_file=study.result_file)
        fit = fit_attack_runs(results, load_index(study.example_json))
    if study.base is not None:
        base = study.base
    elif fit is not None:
        base = fit.base
    else:
        raise _no_base_rate()
    fitted = (fit.rho, fit.rho_host) if fit else (None, None)
    rho = next(value for value in (study.rho, fitted[0], DEFAULT_RHO) if value is not None)
    rho_host = next(value for value in (study.rho_host, fitted[1], rho / 2) if value is not None)
    if study.rho_host is None:
        rho_host = min(rho_host, rho)
    source = [] if fit is None else [f"fitted to {fit.hosts} host tasks, {fit.cells} cells, {fit.episodes} episodes"]
    source += [] if study.base is None else ["base rate as stated"]
    if study.rho is None and fitted[0] is None:
        source.append("rho within a cell assumed")
    if study.rho_host is None and fitted[1] is None:
        source.append("rho within a host assumed")
    return base, rho, rho_host, "; ".join(source)


def _no_base_rate() -> InputError:
    return RequestError("the base rate is missing: give `base` P, or `from` with folders of runs")
