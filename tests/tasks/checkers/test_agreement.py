"""Our metrics and getters give what OSWorld's own functions give, on generated pairs of files and values."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.agreement import Tally, all_generators, compare, generate, tally
from support.agreement.getters import tally_getters
from trueline.tasks.checkers.agreement import agreement_table
from trueline.tasks.checkers.metrics import METRICS, is_native


def explained(found: dict[str, Tally]) -> None:
    wrong = [pair for entry in found.values() for pair in entry.unexplained]
    assert not wrong, f"{len(wrong)} differences that nothing explains: {wrong[:5]}"


@pytest.mark.full
def test_a_few_pairs_of_each_function(tmp_path: Path) -> None:
    found = tally(compare(list(generate(all_generators(), 6, seed=1)), tmp_path))
    explained(found)
    # The table in the package is about the functions that are compared.
    assert found.keys() == agreement_table().functions.keys()


@pytest.mark.full
def test_a_few_questions_to_each_getter() -> None:
    found = tally_getters(8, seed=1)
    explained(found)
    assert found.keys() == agreement_table().getters.keys()


@pytest.mark.proof
def test_thousands_of_pairs(tmp_path: Path) -> None:
    found = tally(compare(list(generate(all_generators(), 150, seed=2)), tmp_path))
    explained(found)
    assert sum(entry.pairs for entry in found.values()) >= 5000
    for name, entry in found.items():
        # A generator that makes only pairs of one kind proves nothing.
        assert 0 in entry.scores and max(entry.scores) > 0.9, name
    explained(tally_getters(150, seed=2))


def test_the_table_is_about_metrics_that_exist() -> None:
    table = agreement_table()
    for name in (*table.functions, *table.absent_there):
        assert name in METRICS
    assert all(entry.pairs >= 60 for entry in table.functions.values())
    assert sum(entry.pairs for entry in table.functions.values()) >= 5000


def test_only_what_was_compared_is_native() -> None:
    assert is_native("compare_pptx_files", {})
    assert is_native("check_play_and_exit", {})
    assert is_native("same_lines", {})
    assert not is_native("compare_pdfs", {})
