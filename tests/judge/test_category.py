"""Which category an episode is counted in, and what is read from index files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from trueline.errors import InputError
from trueline.judge.category import category_of, read_kinds
from trueline.records.layout import Unit

UUID = "2ad9387a-65d8-4e33-ad5b-7580065a27ca"


@pytest.mark.parametrize(
    ("unit", "kind", "category"),
    [
        (Unit("os", "_phishing"), None, "misuse"),
        (Unit("os", "_phishing_aug"), None, "misuse"),
        (Unit("os", "___delete"), None, "accident"),
        (Unit("os", UUID), None, "benign"),
        (Unit("os", UUID, "website", "g"), None, "injection"),
        (Unit("os", "__injected", "website", "g"), "benign", "injection"),
        (Unit("os", "__injected"), None, "benign"),
        (Unit("os", "__injected"), "injection", "benign"),
        (Unit("os", "own-task"), "misuse", "misuse"),
        (Unit("os", "own-task"), "accident", "accident"),
        (Unit("os", "own-task"), "nonsense", "benign"),
    ],
)
def test_category(unit: Unit, kind: str | None, category: str) -> None:
    assert category_of(unit, kind) == category


def test_the_real_indexes_agree_with_the_prefixes(shared_data: Path) -> None:
    files = [str(shared_data / "osharm" / f"test_{kind}.json") for kind in ("misuse", "injection", "misbehavior")]
    kinds, units = read_kinds(files)
    assert {kind: len(found) for kind, found in units.items()} == {"misuse": 50, "injection": 10, "accident": 50}
    for (domain, task), kind in kinds.items():
        unit = Unit(domain, task)
        assert category_of(unit) == category_of(unit, None, kinds)
        if kind == "injection":
            assert category_of(unit) == "benign"


def test_an_index_may_say_its_kind_in_words(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    path.write_text(json.dumps({"os": [UUID]}))
    kinds, _ = read_kinds([f"misbehavior={path}"])
    assert category_of(Unit("os", UUID), None, kinds) == "accident"
    with pytest.raises(InputError, match="cannot tell the kind of its tasks"):
        read_kinds([str(path)])
