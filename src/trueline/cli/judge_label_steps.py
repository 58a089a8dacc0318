"""`trueline judge label --steps`: say yourself what recorded proposals led to, in the terminal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from trueline.cli.label_session import SkipError, StopError, ask, screenshots
from trueline.cli.output import safe_lines
from trueline.errors import InputError, TruelineError
from trueline.text import printable

if TYPE_CHECKING:
    from trueline.runs.truth.journal import TruthRow
    from trueline.runs.truth.review import Answer


@dataclass(frozen=True)
class StepLabelRequest:
    """What is labelled, by whom."""

    roots: tuple[Path, ...]
    """Folders of results, as `trueline guard truth` was given them."""
    truth: Path
    """Folder of the truth result."""
    reviewer: str
    sample: int | None
    seed: int | None
    blind: bool
    again: bool


def label_steps(request: StepLabelRequest) -> int:
    """Ask about the drawn proposals until all have an answer or the reviewer stops."""
    from trueline.runs.truth.episode_names import name_episodes
    from trueline.runs.truth.journal import read_rows
    from trueline.runs.truth.review import NEEDED, SAMPLE, Review, draw, matching_row, read_review, write_review

    folders = name_episodes(request.roots)
    rows = {row.key: row for row in read_rows(request.truth)}
    earlier = read_review(request.truth, request.reviewer)
    if earlier is not None and request.seed not in (None, earlier.seed):
        raise InputError(
            f"--seed {request.seed}: {printable(request.reviewer, 80)} has begun a sample with seed {earlier.seed}; "
            "leave --seed out to go on with it"
        )
    review = draw(earlier or Review(seed=request.seed or 0), tuple(rows.values()), request.sample or SAMPLE)
    if not review.proposals:
        raise InputError(f"{request.truth}: holds no proposal that could be reproduced, so there is nothing to label")
    path = write_review(request.truth, request.reviewer, review)
    left = [place for place, one in enumerate(review.proposals) if request.again or one.answer is None]
    print(f"{len(left)} of {len(review.proposals)} drawn proposals to label as {printable(request.reviewer, 80)}")
    for number, place in enumerate(left, 1):
        print(f"\n=== {number} of {len(left)} ===")
        try:
            answer = _label(matching_row(review.proposals[place], rows), folders, blind=request.blind)
        except SkipError:
            continue
        except StopError:
            break
        if answer is not None:
            review = review.with_answer(place, answer)
            write_review(request.truth, request.reviewer, review)
    decided = sum(one.answer not in (None, "cannot tell") for one in review.proposals)
    print(f"\n{decided} labelled" + ("" if request.blind else f", in {printable(str(path), 1000)}"))
    if decided < NEEDED:
        print(f"guard truth asks for at least {NEEDED}; --sample N draws more where some cannot be told")
    return 0


def _label(row: TruthRow | None, folders: Mapping[str, Path], *, blind: bool) -> Answer | None:
    """Show a proposal and ask; `None` if it cannot be shown."""
    from trueline.records.folder.reader import read_episode
    from trueline.runs.truth.review_form import QUESTION, form_text, proposal_material, read_answer

    try:
        if row is None or row.episode not in folders:
            raise InputError("it is no longer in the result; name the folders that guard truth was given")
        trajectory = read_episode(folders[row.episode])
        material = proposal_material(trajectory, row)
    except TruelineError as error:
        print(printable("this proposal cannot be shown" + ("" if blind else f": {error}"), 1000))
        return None
    with screenshots(trajectory.folder, material.screenshots, blind=blind) as pictures:
        print(safe_lines(form_text(material, pictures, None if blind else row.episode)))
        return ask(QUESTION, read_answer)
