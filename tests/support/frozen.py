"""Snapshots of behaviour that must not change by itself: `TRUELINE_FREEZE=1 pytest tests/frozen` writes them again."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

DATA = Path(__file__).resolve().parents[1] / "frozen" / "data"


def check_frozen(name: str, found: Any) -> None:
    """Compare with the snapshot of this name; a difference is shown key by key."""
    path = DATA / f"{name}.json"
    plain = json.loads(json.dumps(found, sort_keys=True, allow_nan=False))
    if os.environ.get("TRUELINE_FREEZE"):
        path.write_text(json.dumps(plain, indent=1, sort_keys=True, ensure_ascii=False) + "\n", "utf-8")
    kept = json.loads(path.read_text("utf-8"))
    if isinstance(plain, dict) and isinstance(kept, dict):
        assert plain.keys() == kept.keys()
        for key, value in kept.items():
            assert plain[key] == value, key
    assert plain == kept
