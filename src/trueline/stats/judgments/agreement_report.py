"""The report of `trueline judge agreement` as text, JSON and CSV."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from trueline.stats.judgments.agreement import Agreement, AgreementGroup, AgreementScores, Figure, Pair
from trueline.stats.judgments.alpha import Alpha
from trueline.stats.judgments.rows import Rating
from trueline.stats.judgments.summary_report import ends
from trueline.tables import csv_table, text_table
from trueline.text import printable

Json = dict[str, object]

_SHOWN = 20


@dataclass(frozen=True)
class Labelled:
    """The human labels, beyond those that were compared."""

    reviewers: tuple[str, ...]
    episodes: int
    """Episodes with at least one label."""
    split: tuple[str, ...]
    """Episodes on which the reviewers are split evenly."""
    unmatched: tuple[str, ...]
    """Labels of episodes that were not found."""
    not_judged: tuple[str, ...]
    """Labelled episodes without a judgment."""
    safety_alpha: Alpha | None
    """Krippendorff's alpha among reviewers, where there are several."""
    success_alpha: Alpha | None
    faulty: tuple[str, ...] = ()
    """Problems in the files of labels."""


def agreement_text(compared: Sequence[tuple[Agreement, Labelled]], *, verbose: bool = False) -> str:
    """The report; `verbose` lists every disagreement."""
    return "\n\n".join(_block(agreement, labelled, verbose=verbose) for agreement, labelled in compared) + "\n"


def _block(agreement: Agreement, labelled: Labelled, *, verbose: bool) -> str:
    groups = {**agreement.categories, "overall": agreement.overall}
    tables = [
        text_table([[title, "agreement %", "precision %", "recall %", "F1 %", "kappa", "n", "tp fp fn tn"], *rows])
        for title, rows in (
            ("unsafe", [_row(name, group.unsafe) for name, group in groups.items()]),
            ("completed", [_row(name, group.completed) for name, group in groups.items()]),
        )
    ]
    head = f"Judge {printable(agreement.judge, 200)} against {', '.join(map(printable, labelled.reviewers))}"
    return "\n\n".join([head, *tables, _steps(agreement.overall), _people(labelled), _disagreements(agreement, verbose),
                        f"intervals: {agreement.method}"])  # fmt: skip


def _row(name: str, scores: AgreementScores) -> list[str]:
    shown = [_shown(figure, 1 if key == "kappa" else 100) for key, figure in scores.figures.items()]
    return [printable(name), *shown, str(scores.n), f"{scores.tp} {scores.fp} {scores.fn} {scores.tn}"]


def _shown(figure: Figure, scale: int) -> str:
    if figure.value is None:
        return "–"
    digits = 1 if scale == 100 else 2
    text = f"{scale * figure.value:.{digits}f}"
    if figure.interval is None:
        return text
    return f"{text} [{scale * figure.interval.low:.{digits}f}, {scale * figure.interval.high:.{digits}f}]"


def _steps(group: AgreementGroup) -> str:
    steps = group.steps
    if steps.mean is None or steps.mean_absolute is None:
        return "First violation: no episode that both call unsafe with a step"
    return (
        f"First violation, of {steps.n} episodes that both call unsafe with a step: {steps.same} the same, "
        f"{steps.within_one} at most one apart; the judge is {steps.mean:+.2f} steps off on average, "
        f"{steps.mean_absolute:.2f} without sign"
    )


def _people(labelled: Labelled) -> str:
    lines = [f"Labels: {labelled.episodes} episodes, reviewers: {len(labelled.reviewers)}"]
    for name, alpha in (("safety", labelled.safety_alpha), ("success", labelled.success_alpha)):
        if alpha is not None:
            lines.append(f"  among reviewers, {alpha_text(name, alpha)}")
    for words, items in (
        ("without a majority", labelled.split),
        ("labelled but not judged", labelled.not_judged),
        ("labels without an episode", labelled.unmatched),
        ("faults in files of labels", labelled.faulty),
    ):
        if items:
            lines += [f"  {words}: {len(items)}", *(f"    {printable(item)}" for item in items[:_SHOWN])]
            lines += [f"    and {len(items) - _SHOWN} more (--json lists all)"] if len(items) > _SHOWN else []
    return "\n".join(lines)


def alpha_text(name: str, alpha: Alpha) -> str:
    """One line about Krippendorff's alpha."""
    value = "not defined (all say the same)" if alpha.value is None else f"{alpha.value:.3f}"
    return f"{name}: Krippendorff's alpha {value} ({alpha.values} values on {alpha.units} episodes)"


def _disagreements(agreement: Agreement, verbose: bool) -> str:
    pairs = agreement.disagreements
    if not pairs:
        return "Disagreements: none"
    shown = pairs if verbose else pairs[:_SHOWN]
    lines = [f"Disagreements: {len(pairs)}"]
    lines += [
        f"  {printable(pair.name)}: people say {_rating(pair.human)}; judge {_rating(pair.judge)}" for pair in shown
    ]
    return "\n".join(
        [*lines, *([f"  and {len(pairs) - len(shown)} more (--verbose)"] if len(shown) < len(pairs) else [])]
    )


def _rating(rating: Rating) -> str:
    step = "" if rating.violation_step is None else f" at step {rating.violation_step}"
    unsafe = {None: "safety unknown", True: "unsafe", False: "safe"}[rating.unsafe]
    done = {None: "success unknown", True: "completed", False: "not completed"}[rating.success]
    return f"{unsafe}{step}, {done}"


def agreement_json(compared: Sequence[tuple[Agreement, Labelled]]) -> Json:
    """The report as plain data."""
    return {"judges": [_judge_json(agreement, labelled) for agreement, labelled in compared]}


def _judge_json(agreement: Agreement, labelled: Labelled) -> Json:
    return {
        "judge": agreement.judge,
        "overall": _group_json(agreement.overall),
        "by_category": {name: _group_json(group) for name, group in agreement.categories.items()},
        "disagreements": [_pair_json(pair) for pair in agreement.disagreements],
        "reviewers": list(labelled.reviewers),
        "labelled": labelled.episodes,
        "no_majority": list(labelled.split),
        "not_judged": list(labelled.not_judged),
        "unmatched": list(labelled.unmatched),
        "faulty": list(labelled.faulty),
        "alpha": {
            "safety": labelled.safety_alpha and labelled.safety_alpha.value,
            "success": labelled.success_alpha and labelled.success_alpha.value,
        },
        "intervals": agreement.method,
    }


def _group_json(group: AgreementGroup) -> Json:
    steps = group.steps
    return {
        "unsafe": _scores_json(group.unsafe),
        "completed": _scores_json(group.completed),
        "violation_step": {
            "n": steps.n,
            "same": steps.same,
            "within_one": steps.within_one,
            "mean": steps.mean,
            "mean_absolute": steps.mean_absolute,
        },
    }


def _scores_json(scores: AgreementScores) -> Json:
    return {
        "n": scores.n,
        "tp": scores.tp,
        "fp": scores.fp,
        "fn": scores.fn,
        "tn": scores.tn,
        **{name: figure.value for name, figure in scores.figures.items()},
        "ci": {name: ends(figure.interval) for name, figure in scores.figures.items()},
    }


def _pair_json(pair: Pair) -> Json:
    return {
        "path": pair.name,
        "task": str(pair.unit),
        "category": pair.category,
        "human": pair.human._asdict(),
        "judge": pair.judge._asdict(),
    }


def agreement_csv(compared: Sequence[tuple[Agreement, Labelled]]) -> str:
    """One row per judge, category, question and figure."""
    rows = [
        [agreement.judge, category, positive, name, scores.n, figure.value, *(ends(figure.interval) or ("", ""))]
        for agreement, _ in compared
        for category, group in {"overall": agreement.overall, **agreement.categories}.items()
        for positive, scores in (("unsafe", group.unsafe), ("completed", group.completed))
        for name, figure in scores.figures.items()
    ]
    return csv_table(["judge", "category", "positive", "figure", "n", "value", "ci_low", "ci_high"], rows)
