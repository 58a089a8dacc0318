"""Compares our metrics with OSWorld's own functions on generated pairs, and writes the package's table.

    .venv/bin/python benchmarks/tasks/checker_agreement.py [--pairs 150] [--seed 0] [--write]

Needs `.venv-osworld` (./scripts/setup full). Prints pairs and differences by function; a difference that no class
explains is shown and ends the program with 1. `--write` writes src/trueline/tasks/checkers/agreement.json and the
tables in docs/reference/checkers.md.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
TABLE = ROOT / "src/trueline/tasks/checkers/agreement.json"
PAGE = ROOT / "docs/reference/checkers.md"
ABSENT_THERE = (
    "check_path_existence", "check_path_nonexistence", "check_play_and_exit", "check_structure_sim_with_threshold",
    "must_exclude", "must_include",
)  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description="Compare metrics with OSWorld's own functions on generated pairs")
    parser.add_argument("--pairs", type=int, default=150, help="pairs for each generator")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--family", nargs="+", help="only these families of functions; --write then keeps the others")
    parser.add_argument("--write", action="store_true", help="write the table of the package and of the docs")
    asked = parser.parse_args()
    sys.path.insert(0, str(ROOT / "tests"))
    agreement: Any = import_module("support.agreement")
    getters: Any = import_module("support.agreement.getters")
    with tempfile.TemporaryDirectory() as folder:
        cases = list(agreement.generate(agreement.all_generators(asked.family), asked.pairs, asked.seed))
        found = agreement.tally(agreement.compare(cases, Path(folder)))
    read = {} if asked.family else getters.tally_getters(asked.pairs, asked.seed)
    for name, entry in (*sorted(found.items()), *sorted(read.items())):
        print(f"{name:45} {entry.pairs:6} {dict(entry.differences) or ''}")
    unexplained = [pair for entry in (*found.values(), *read.values()) for pair in entry.unexplained]
    for pair in unexplained[:20]:
        print(f"unexplained: {pair!r}"[:2000], file=sys.stderr)
    total = sum(entry.pairs for entry in found.values())
    different = sum(sum(entry.differences.values()) for entry in found.values())
    print(f"{len(found)} functions, {total} pairs, {different} explained differences, {len(unexplained)} unexplained")
    if asked.write and not unexplained:
        write(found, read)
    return 1 if unexplained else 0


def write(found: dict[str, Any], read: dict[str, Any]) -> None:
    def entries(tallies: dict[str, Any]) -> dict[str, Any]:
        return {
            name: {"pairs": entry.pairs, "differences": dict(sorted(entry.differences.items()))}
            for name, entry in sorted(tallies.items())
        }

    before: dict[str, Any] = json.loads(TABLE.read_text("utf-8")) if TABLE.exists() and not read else {}
    table = {
        "reference": "desktop-env 1.0.2",
        "functions": dict(sorted({**before.get("functions", {}), **entries(found)}.items())),
        "absent_there": ABSENT_THERE,
        "getters": entries(read) or before.get("getters", {}),
    }
    TABLE.write_text(json.dumps(table, indent=1) + "\n")
    page: Any = import_module("support.agreement.page")
    PAGE.write_text(page.fill(PAGE.read_text("utf-8"), table), "utf-8")


if __name__ == "__main__":
    sys.exit(main())
