"""Labelled proposals, as `trueline guard truth` writes them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from trueline.records.ledger import Changes, FileChange
from trueline.runs.truth.journal import Journal, TruthHeader, TruthRow
from trueline.runs.truth.labels import Consequence, TruthLabel
from trueline.runs.truth.reproduction import Reproduction

CHANGES = Changes(files=(FileChange(path="other.txt", change="created"),))


def truth_row(
    episode: str, step: int, label: Consequence, *, task: str = "os/t", ran: bool = True, changes: Changes = CHANGES
) -> TruthRow:
    return TruthRow(
        episode=episode,
        task=task,
        step=step,
        attempt=0,
        proposal=str(step),
        flagged=not ran,
        ran=ran,
        probability=1.0,
        reproduction=Reproduction(focus=label != "not reproducible"),
        settled=TruthLabel(label=label, evidence=("the evidence",)),
        allowed="0" * 64,
        changes=changes,
    )


def write_truth(folder: Path, rows: Sequence[TruthRow]) -> Path:
    with Journal(folder, TruthHeader(seed=0, share=1.0)) as journal:
        journal.add(rows)
    return folder
