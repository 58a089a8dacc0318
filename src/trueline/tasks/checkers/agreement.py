"""Which of OSWorld's functions have a metric here whose agreement was proved, and how.

`benchmarks/tasks/checker_agreement.py` makes the table: it compares the metrics with OSWorld's own functions on
generated pairs of files and values.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import resources

from trueline.records.base import Record

_TABLE = "agreement.json"


class FunctionAgreement(Record):
    """How one metric and OSWorld's function of its name agree."""

    pairs: int
    differences: Mapping[str, int]
    """How many pairs differ, by class; docs/reference/checkers.md explains the classes."""


class AgreementTable(Record):
    """What the proof found."""

    reference: str
    """The package whose functions were called."""
    functions: Mapping[str, FunctionAgreement]
    absent_there: tuple[str, ...]
    """Functions that tasks name and the package lacks; they follow later versions of it, or other benchmarks."""
    getters: Mapping[str, FunctionAgreement]


@cache
def agreement_table() -> AgreementTable:
    """The table that comes with the package."""
    return AgreementTable.model_validate_json(resources.files("trueline.tasks.checkers").joinpath(_TABLE).read_bytes())


def is_proved(function: str) -> bool:
    """Whether a metric may stand in for OSWorld's function of its name."""
    table = agreement_table()
    return function in table.functions or function in table.absent_there
