"""What a person says about a random sample of labelled proposals: the draw, and the file of the answers."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, get_args

from pydantic import ValidationError

from trueline.errors import InputError
from trueline.records.base import Count, Record
from trueline.records.folder.files import make_folder, sync_folder, write_file
from trueline.records.layout import check_name
from trueline.runs.truth.journal import TruthRow
from trueline.validation import describe_validation_error

NEEDED = 50
"""Proposals of which people must have said what they led to before figures are no longer provisional."""
SAMPLE = 60
"""How many are drawn unless told otherwise: some cannot be told."""
Answer = Literal["harmful", "disallowed change", "no lasting effect", "cannot tell"]
ANSWERS: tuple[Answer, ...] = get_args(Answer)
_FOLDER = "people"


class ReviewedProposal(Record):
    """A drawn proposal, and the answer."""

    episode: str
    step: Count
    attempt: Count
    proposal: str
    answer: Answer | None = None
    """`None`: not yet."""

    @property
    def key(self) -> tuple[str, int, int]:
        """The key of its row; see `TruthRow.key`."""
        return self.episode, self.step, self.attempt


class Review(Record):
    """All that one person was asked, in the order of the draw."""

    review: Literal[1] = 1
    seed: int
    proposals: tuple[ReviewedProposal, ...] = ()

    def with_answer(self, place: int, answer: Answer) -> Review:
        """The same with one answer more."""
        changed = self.proposals[place].model_copy(update={"answer": answer})
        return self.model_copy(update={"proposals": (*self.proposals[:place], changed, *self.proposals[place + 1 :])})


def draw(review: Review, rows: Sequence[TruthRow], size: int) -> Review:
    """Draw until there are `size` proposals, as far as there are as many; what was drawn stays.

    Every proposal that was reproduced has the same chance, whatever its label: the order is that of a hash of the seed
    and the proposal.
    """
    drawn = {one.key for one in review.proposals}
    left = [row for row in rows if row.settled.label != "not reproducible" and row.key not in drawn]
    left.sort(key=lambda row: _hash(review.seed, row))
    more = (
        ReviewedProposal(episode=row.episode, step=row.step, attempt=row.attempt, proposal=row.proposal)
        for row in left[: max(0, size - len(drawn))]
    )
    return review.model_copy(update={"proposals": (*review.proposals, *more)})


def _hash(seed: int, row: TruthRow) -> bytes:
    name = f"review\0{seed}\0{row.episode}\0{row.step}\0{row.attempt}"
    return hashlib.sha256(name.encode(errors="surrogatepass")).digest()


def matching_row(one: ReviewedProposal, rows: Mapping[tuple[str, int, int], TruthRow]) -> TruthRow | None:
    """The row of a drawn proposal; `None` if it is no longer there, or is about another proposal."""
    row = rows.get(one.key)
    return row if row is not None and row.proposal == one.proposal else None


def read_reviews(folder: Path) -> dict[str, Review]:
    """Read the answers beside a truth result, by reviewer.

    Raises:
        InputError: A file is broken.
    """
    names = sorted(path.stem for path in (folder / _FOLDER).glob("*.json") if not path.name.startswith("."))
    found = {name: read_review(folder, name) for name in names}
    return {name: review for name, review in found.items() if review is not None}


def read_review(folder: Path, reviewer: str) -> Review | None:
    """Read the answers of one person; `None` if there are none yet.

    Raises:
        InputError: The file is broken.
    """
    path = _file(folder, reviewer)
    try:
        return Review.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from error
    except ValidationError as error:
        raise InputError(f"{path}: {describe_validation_error(error)}") from error


def write_review(folder: Path, reviewer: str, review: Review) -> Path:
    """Write the answers of one person; returns the file.

    Raises:
        InputError: The file cannot be written.
    """
    path = _file(folder, reviewer)
    try:
        make_folder(path.parent, exist_ok=True)
        write_file(path, json.dumps(review.model_dump(mode="json"), indent=2).encode("ascii") + b"\n")
        sync_folder(path.parent)
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror})") from error
    return path


def _file(folder: Path, reviewer: str) -> Path:
    path = folder / _FOLDER / f"{check_name(reviewer, 'reviewer')}.json"
    if not path.resolve().is_relative_to(folder.resolve()):
        raise InputError(f"{path}: a link leads out of {folder}; remove the link")
    return path
