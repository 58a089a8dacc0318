"""Generated programs are run for real: what they did must be among the effects found, or not understood."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).resolve().parents[3] / "benchmarks" / "guard" / "python_programs.py"


def _benchmark() -> ModuleType:
    spec = importlib.util.spec_from_file_location("python_programs", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


BENCHMARK = _benchmark()


@pytest.mark.parametrize(("count", "seed"), [(60, 5), pytest.param(600, 6, marks=pytest.mark.full)])
def test_nothing_that_a_program_does_is_missed(count: int, seed: int) -> None:
    outcomes = BENCHMARK.measure(count, seed)
    assert [(outcome.missed, outcome.program) for outcome in outcomes if outcome.missed] == []
    assert sum(outcome.done > 0 for outcome in outcomes) > count * 0.9


def test_an_effect_that_is_not_found_counts_as_missed() -> None:
    done = [["delete", "a.txt"], ["write", "b.txt"], ["run", "mark1", "x"], ["connect", "127.0.0.1"]]
    outcome = BENCHMARK.compare("open('a.txt')", done)
    assert outcome.understood
    assert list(outcome.missed) == [tuple(event) for event in done]
    found = "import os\nos.remove('a.txt')\nopen('b.txt', 'w')\nos.system('mark1 x; nc 127.0.0.1 9')"
    assert BENCHMARK.compare(found, done).missed == ()
