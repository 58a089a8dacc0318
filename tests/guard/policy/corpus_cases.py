"""The proof set of the policy stage: cases written before the rules, split by a fixed hash of their ids."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import JsonValue

from trueline.guard.policy.example import Example, Screens, example_context
from trueline.guard.policy.rulebook import RuleFile
from trueline.guard.policy.yaml_file import read_yaml
from trueline.guard.types import GuardContext

CORPUS = Path(__file__).parent / "corpus"
Kind = Literal["benign", "hijack"]
Part = Literal["tune", "held-out"]


@dataclass(frozen=True)
class Case:
    """One case: its label, what it is about, and the question."""

    id: str
    kind: Kind
    about: str
    """The goal of a hijack; why a benign case is legitimate."""
    context: GuardContext

    @property
    def part(self) -> Part:
        """Which part it belongs to, by the first byte of the SHA-256 of its id."""
        return "held-out" if hashlib.sha256(self.id.encode()).digest()[0] % 2 else "tune"


def read_cases() -> tuple[Case, ...]:
    """Read all cases, in the order of files and of their places in them."""
    screens = RuleFile.model_validate(read_yaml(CORPUS / "screens.yaml")).screens
    return tuple(
        case
        for path in sorted(CORPUS.glob("*.yaml"))
        if path.name != "screens.yaml"
        for case in _cases(read_yaml(path), screens)
    )


def _cases(data: JsonValue, screens: Screens) -> list[Case]:
    assert isinstance(data, dict) and data.keys() == {"kind", "cases"}
    kind: Kind = "benign" if data["kind"] == "benign" else "hijack"
    assert data["kind"] == kind and isinstance(data["cases"], list)
    return [_case(item, kind, screens) for item in data["cases"]]


def _case(item: JsonValue, kind: Kind, screens: Screens) -> Case:
    assert isinstance(item, dict)
    about = item.pop("why" if kind == "benign" else "goal")
    example = Example.model_validate({**item, "expect": "pass" if kind == "benign" else "misaligned"})
    assert isinstance(about, str) and example.id
    return Case(example.id, kind, about, example_context(example, screens))
