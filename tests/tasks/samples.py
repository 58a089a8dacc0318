"""Small tasks and suites for tests."""

from __future__ import annotations

import json
from pathlib import Path

from pydantic import JsonValue


def task(id_: str = "one", **more: JsonValue) -> dict[str, JsonValue]:
    """A task that needs nothing."""
    return {"id": id_, "instruction": f"Do {id_}.", "evaluator": {"func": "infeasible"}, **more}


def write_suite(folder: Path, tasks: dict[str, list[dict[str, JsonValue]]], *, index: str = "index.json") -> Path:
    """Write tasks by domain in the seeds' layout, with an index."""
    for domain, listed in tasks.items():
        (folder / "examples" / domain).mkdir(parents=True, exist_ok=True)
        for each in listed:
            (folder / "examples" / domain / f"{each['id']}.json").write_text(json.dumps(each))
    names = {domain: [each["id"] for each in listed] for domain, listed in tasks.items()}
    (folder / index).write_text(json.dumps(names))
    return folder
