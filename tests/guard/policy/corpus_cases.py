"""The proof set, read by the benchmark that measures it."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[3]


def _benchmark() -> ModuleType:
    path = ROOT / "benchmarks" / "guard" / "policy_held_out.py"
    spec = importlib.util.spec_from_file_location("policy_held_out", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


BENCHMARK = _benchmark()
CASES = BENCHMARK.read_cases()
