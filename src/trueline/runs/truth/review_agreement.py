"""How far the labels agree with what people say about a random sample of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from trueline.records.layout import Unit
from trueline.runs.truth.journal import TruthRow
from trueline.runs.truth.labels import Consequence
from trueline.runs.truth.review import ANSWERS, NEEDED, Answer, Review, matching_row
from trueline.stats.judgments.agreement import AgreementScores, Figure, score_agreement
from trueline.text import printable

POSITIVE: dict[str, frozenset[Consequence]] = {
    "harmful": frozenset({"harmful"}),
    "harmful or disallowed": frozenset({"harmful", "disallowed change"}),
}
"""What counts, in each of the questions that rates are given for."""


@dataclass(frozen=True)
class ReviewAgreement:
    """How far the labels agree with one person."""

    reviewer: str
    drawn: int
    answers: Mapping[tuple[Answer, Consequence], int]
    """How often the person and the label said what."""
    scores: Mapping[str, AgreementScores]
    """By question. What the person cannot tell does not count."""
    gone: int
    """Drawn proposals that the labels no longer hold."""

    @property
    def decided(self) -> int:
        """Proposals of which the person could tell."""
        return sum(n for (answer, _), n in self.answers.items() if answer != "cannot tell")

    @property
    def unanswered(self) -> int:
        """Drawn proposals without an answer."""
        return self.drawn - self.gone - sum(self.answers.values())


@dataclass(frozen=True)
class PeopleCheck:
    """What people say about the labels."""

    reviews: tuple[ReviewAgreement, ...]
    labelled: int
    """Different proposals of which somebody could tell."""

    @property
    def provisional(self) -> bool:
        """Whether too few were looked at."""
        return self.labelled < NEEDED


def check_by_people(reviews: Mapping[str, Review], rows: Sequence[TruthRow]) -> PeopleCheck:
    """Compare labels with what people say about the proposals themselves, once they had settled."""
    by_key = {row.key: row for row in rows}
    told = {
        row.key
        for review in reviews.values()
        for one in review.proposals
        if one.answer not in (None, "cannot tell") and (row := matching_row(one, by_key)) is not None
    }
    return PeopleCheck(tuple(_agree(name, review, by_key) for name, review in reviews.items()), len(told))


def _agree(reviewer: str, review: Review, rows: Mapping[tuple[str, int, int], TruthRow]) -> ReviewAgreement:
    found = [(one, row) for one in review.proposals if (row := matching_row(one, rows)) is not None]
    pairs: list[tuple[Answer, TruthRow]] = [(one.answer, row) for one, row in found if one.answer is not None]
    decided = [(answer, row) for answer, row in pairs if answer != "cannot tell"]
    units = [Unit(*row.task.split("/", 1)) for _, row in decided]
    scores = {
        name: score_agreement(units, [(answer in positive, row.settled.label in positive) for answer, row in decided])
        for name, positive in POSITIVE.items()
    }
    answers = Counter[tuple[Answer, Consequence]]((answer, row.settled.label) for answer, row in pairs)
    return ReviewAgreement(
        reviewer=reviewer,
        drawn=len(review.proposals),
        answers=answers,
        scores=scores,
        gone=len(review.proposals) - len(found),
    )


def people_text(check: PeopleCheck) -> list[str]:
    """The lines of the report."""
    lines: list[str] = []
    for review in check.reviews:
        cannot = sum(n for (answer, _), n in review.answers.items() if answer == "cannot tell")
        rest = [
            *([f"{cannot} could not be told"] if cannot else []),
            *([f"{review.unanswered} without an answer"] if review.unanswered else []),
            *([f"{review.gone} no longer there"] if review.gone else []),
        ]
        head = f"Labels once it had settled, against {printable(review.reviewer, 80)}"
        lines.append(f"{head}: {', '.join([f'{review.decided} of {review.drawn} drawn proposals', *rest])}")
        for name, scores in review.scores.items():
            lines.append(f"  {name}: agreement {_figure(scores.agreement)}, kappa {_figure(scores.kappa)}")
    if check.provisional:
        return [*lines, f"Provisional: people have labelled {check.labelled} of at least {NEEDED} proposals drawn at "
                        "random (trueline judge label --steps)."]  # fmt: skip
    return [*lines, f"People have labelled {check.labelled} proposals drawn at random, once they had settled; "
                    "nobody has looked at the labels of the end."]  # fmt: skip


def _figure(figure: Figure) -> str:
    if figure.value is None:
        return "not defined"
    interval = figure.interval
    return f"{figure.value:.2f}" + ("" if interval is None else f" [{interval.low:.2f}, {interval.high:.2f}]")


def people_json(check: PeopleCheck) -> dict[str, JsonValue]:
    """All figures."""
    return {
        "labelled": check.labelled,
        "needed": NEEDED,
        "reviewers": [_review_json(review) for review in check.reviews],
    }


def _review_json(review: ReviewAgreement) -> dict[str, JsonValue]:
    answers: dict[str, JsonValue] = {}
    for answer in ANSWERS:
        by_label: dict[str, JsonValue] = {
            label: n for (said, label), n in sorted(review.answers.items()) if said == answer
        }
        if by_label:
            answers[answer] = by_label
    questions: dict[str, JsonValue] = {
        name: {
            "n": scores.n,
            "agreement": _figure_json(scores.agreement),
            "kappa": _figure_json(scores.kappa),
        }
        for name, scores in review.scores.items()
    }
    return {
        "reviewer": review.reviewer,
        "drawn": review.drawn,
        "decided": review.decided,
        "unanswered": review.unanswered,
        "gone": review.gone,
        "answers": answers,
        "questions": questions,
    }


def _figure_json(figure: Figure) -> dict[str, JsonValue]:
    interval = figure.interval
    return {
        "value": figure.value,
        "interval": None if interval is None else [interval.low, interval.high],
        "method": None if interval is None else interval.method,
    }
