"""People say what a random sample of proposals led to, and the report says how far the labels agree."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from runs.truth.samples import truth_row, write_truth
from trueline.errors import InputError
from trueline.records.ledger import Changes, FileChange
from trueline.runs.truth.journal import TruthRow, read_rows
from trueline.runs.truth.label_runs import LabelledProposal
from trueline.runs.truth.labels import Consequence
from trueline.runs.truth.report import truth_json, truth_text
from trueline.runs.truth.review import NEEDED, Answer, Review, draw, read_reviews, write_review
from trueline.runs.truth.review_agreement import check_by_people

LABELS: tuple[Consequence, ...] = ("harmful", "disallowed change", "no lasting effect")


def rows_of(count: int) -> list[TruthRow]:
    return [truth_row(f"e{n // 3}", n % 3, LABELS[n % 3], task=f"os/t{n % 7}") for n in range(count)]


def answered(review: Review, answers: list[Answer]) -> Review:
    for place, answer in enumerate(answers):
        review = review.with_answer(place, answer)
    return review


def test_the_draw_depends_on_the_seed_alone() -> None:
    rows = rows_of(90)
    review = draw(Review(seed=1), rows, 20)
    assert draw(Review(seed=1), rows[::-1], 20) == review
    assert draw(Review(seed=2), rows, 20) != review
    # Other labels, the same draw; more rows and a larger sample keep what was drawn.
    relabelled = [truth_row(row.episode, row.step, "harmful", task=row.task) for row in rows]
    assert draw(Review(seed=1), relabelled, 20) == review
    larger = draw(review, [*rows_of(120)], 30)
    assert larger.proposals[:20] == review.proposals and len({one.key for one in larger.proposals}) == 30
    assert draw(review, rows, 5) == review


def test_what_could_not_be_reproduced_is_not_drawn() -> None:
    rows = [truth_row("e", 1, "not reproducible"), truth_row("e", 2, "harmful")]
    assert [one.step for one in draw(Review(seed=0), rows, 10).proposals] == [2]


def test_answers_come_back_from_their_file(tmp_path: Path) -> None:
    review = answered(draw(Review(seed=0), rows_of(9), 4), ["harmful", "cannot tell"])
    path = write_review(tmp_path, "ann", review)
    assert read_reviews(tmp_path) == {"ann": review}
    path.write_text("{}")
    with pytest.raises(InputError, match=r"ann\.json: .*seed"):
        read_reviews(tmp_path)


def test_no_link_leads_out(tmp_path: Path) -> None:
    (tmp_path / "truth").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "truth/people").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InputError, match="a link leads out"):
        write_review(tmp_path / "truth", "ann", Review(seed=0))
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_labels_are_provisional_until_enough_are_checked() -> None:
    rows = rows_of(90)
    by_key = {row.key: row for row in rows}
    review = draw(Review(seed=0), rows, NEEDED + 1)
    right: list[Answer] = [
        label for one in review.proposals if (label := by_key[one.key].settled.label) != "not reproducible"
    ]
    few = check_by_people({"ann": answered(review, [*right[: NEEDED - 1], "cannot tell"])}, rows)
    assert few.provisional and few.labelled == NEEDED - 1
    found = LabelledProposal(tuple(rows), {}, 30)
    text = truth_text(found, few)
    assert f"Provisional: people have labelled {NEEDED - 1} of at least {NEEDED} proposals drawn at random" in text
    assert (
        f"against ann: {NEEDED - 1} of {NEEDED + 1} drawn proposals, 1 could not be told, 1 without an answer" in text
    )
    enough = check_by_people({"ann": answered(review, right)}, rows)
    assert not enough.provisional
    assert "rovisional" not in truth_text(found, enough)
    document = json.loads(json.dumps(truth_json(found, enough)))
    assert document["provisional"] is None and document["people"]["labelled"] == NEEDED + 1
    (shown,) = document["people"]["reviewers"]
    assert shown["questions"]["harmful"]["agreement"]["value"] == shown["questions"]["harmful"]["kappa"]["value"] == 1.0


def test_agreement_is_that_of_the_answers() -> None:
    # 10 proposals of 5 tasks: the person calls two of the four harmful ones harmless, and one harmless one a change.
    rows = [truth_row("e", n, "harmful" if n < 4 else "no lasting effect", task=f"os/t{n % 5}") for n in range(10)]
    changed: dict[int, Answer] = {0: "harmful", 1: "harmful", 9: "disallowed change"}
    review = draw(Review(seed=0), rows, 10)
    review = answered(review, [changed.get(one.step, "no lasting effect") for one in review.proposals])
    (found,) = check_by_people({"ann": review}, rows).reviews
    harmful, either = found.scores["harmful"], found.scores["harmful or disallowed"]
    assert (harmful.tp, harmful.fp, harmful.fn, harmful.tn) == (2, 2, 0, 6)
    # (0.8 - 0.56) / (1 - 0.56), and (0.7 - 0.54) / (1 - 0.54)
    assert harmful.agreement.value == pytest.approx(0.8) and harmful.kappa.value == pytest.approx(0.24 / 0.44)
    assert either.agreement.value == pytest.approx(0.7) and either.kappa.value == pytest.approx(0.16 / 0.46)
    assert harmful.kappa.interval is not None and harmful.agreement.interval is not None


def test_answers_about_another_proposal_do_not_count() -> None:
    rows = rows_of(9)
    review = answered(draw(Review(seed=0), rows, 2), ["harmful", "harmful"])
    replaced = [row.model_copy(update={"proposal": "another"}) for row in rows]
    check = check_by_people({"ann": review}, replaced)
    assert check.labelled == 0 and check.reviews[0].gone == 2


def test_labels_of_earlier_versions_can_be_read(tmp_path: Path) -> None:
    folder = write_truth(tmp_path / "truth", [truth_row("e", 1, "harmful")])
    path = folder / "truth.jsonl"
    header, line = path.read_text().splitlines()
    old = {key: value for key, value in json.loads(line).items() if key != "changes"}
    path.write_text(f"{header}\n{json.dumps(old)}\n{line[:20]}")
    assert [row.changes for row in read_rows(folder)] == [None]
    with pytest.raises(InputError, match="run trueline guard truth first"):
        read_rows(tmp_path)


def test_changes_are_kept_with_a_label(tmp_path: Path) -> None:
    changes = Changes(files=(FileChange(path="a\x1b[2J", change="created"),))
    folder = write_truth(tmp_path, [truth_row("e", 1, "harmful", changes=changes)])
    assert read_rows(folder)[0].changes == changes
