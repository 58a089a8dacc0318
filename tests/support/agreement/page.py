"""The tables of docs/reference/checkers.md."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Mapping
from typing import Any, cast

from support.osworld_reference import PYTHON

_NAMES = """
import json, sys, types, inspect
sys.modules["easyocr"] = types.ModuleType("easyocr")
from desktop_env.evaluators import getters, metrics
def names(module, start=""):
    return sorted(name[len(start):] for name, found in vars(module).items()
                  if inspect.isfunction(found) and name.startswith(start) and not name.startswith("_"))
print(json.dumps({"metrics": names(metrics), "getters": names(getters, "get_")}))
"""


def fill(page: str, table: Mapping[str, Any]) -> str:
    """The page with fresh tables between its marks."""
    names = _names_there()
    bridged = [name for name in names["metrics"] if name not in table["functions"] and name != "infeasible"]
    getters = [name for name in names["getters"] if name not in _getters_here()]
    for mark, rows in {
        "functions": _rows(table["functions"]), "getters": _rows(table["getters"]),
        "bridged": iter([", ".join(f"`{name}`" for name in bridged) + "."]),
        "bridged-getters": iter([", ".join(f"`{name}`" for name in getters) + "."]),
        "total": iter([_total(table)]),
    }.items():  # fmt: skip
        begin, end = f"<!-- {mark} -->\n", f"\n<!-- end of {mark} -->"
        before, _, rest = page.partition(begin)
        _, _, after = rest.partition(end)
        page = before + begin + "\n".join(rows) + end + after
    return page


def _names_there() -> dict[str, list[str]]:
    done = subprocess.run([str(PYTHON), "-c", _NAMES], capture_output=True, text=True, timeout=300, check=True)
    return cast("dict[str, list[str]]", json.loads(done.stdout.strip().rpartition("\n")[2]))


def _getters_here() -> tuple[str, ...]:
    from trueline.tasks.checkers.getters import GETTERS

    return GETTERS.names()


def _rows(entries: Mapping[str, Any]) -> Iterator[str]:
    yield "| name | pairs | differences |"
    yield "|---|---:|---|"
    for name, entry in sorted(entries.items()):
        listed = ", ".join(f"{kind}: {count}" for kind, count in entry["differences"].items())
        yield f"| `{name}` | {entry['pairs']} | {listed or 'none'} |"


def _total(table: Mapping[str, Any]) -> str:
    entries = table["functions"].values()
    pairs = sum(entry["pairs"] for entry in entries)
    different = sum(sum(entry["differences"].values()) for entry in entries)
    read = sum(entry["pairs"] for entry in table["getters"].values())
    return (f"{len(table['functions'])} functions on {pairs:,} pairs, with {different:,} differences, all of them in a class "  # noqa: E501
            f"below; {len(table['getters'])} getters on {read:,} machines of files.")  # fmt: skip
