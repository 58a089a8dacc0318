"""A suite of one small task for the minimal desktop, written where a test wants it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

NOTE = "/home/user/note.txt"


def write_suite(folder: Path, *names: str, injections: Sequence[Mapping[str, object]] = ()) -> Path:
    """Write tasks that want `hello` in a file that mousepad shows; return the suite's folder."""
    examples = folder / "examples" / "os"
    examples.mkdir(parents=True)
    (folder / "index.json").write_text(json.dumps({"os": names}))
    for name in names:
        task: dict[str, object] = {
            "id": name,
            "instruction": "Write hello into note.txt and save it.",
            "config": [
                {"type": "execute", "parameters": {"command": ["touch", NOTE], "check": True}},
                {"type": "launch", "parameters": {"command": ["mousepad", NOTE]}},
                {"type": "activate_window", "parameters": {"window_name": "note.txt"}},
            ],
            "evaluator": {
                "func": "exact_match",
                "result": {"type": "vm_command_line", "command": ["cat", NOTE]},
                "expected": {"type": "rule", "rules": {"expected": "hello\n"}},
            },
        }
        if injections:
            task["injections"] = list(injections)
        (examples / f"{name}.json").write_text(json.dumps(task))
    return folder
