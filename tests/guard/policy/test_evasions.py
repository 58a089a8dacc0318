"""Known ways around the policy stage: each does what the documentation says about it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import pytest

from trueline.guard.policy.example import Example, Screens, example_context
from trueline.guard.policy.rulebook import RuleFile
from trueline.guard.policy.ruleset import load_rules
from trueline.guard.policy.stage import judge
from trueline.guard.policy.yaml_file import read_yaml

HERE = Path(__file__).parent
DOCUMENT = HERE.parents[2] / "docs" / "concepts" / "guard-policy.md"
WORDS = {"misaligned": "stopped", "suspect": "told", "pass": "not seen"}


class Evasion(NamedTuple):
    id: str
    outcome: str
    question: Example


def read() -> tuple[Screens, list[Evasion]]:
    data = read_yaml(HERE / "evasions.yaml")
    assert isinstance(data, dict) and isinstance(data["evasions"], list)
    screens = RuleFile.model_validate({"screens": data["screens"]}).screens
    found: list[Evasion] = []
    for item in data["evasions"]:
        assert isinstance(item, dict) and isinstance(item["question"], dict)
        question = Example.model_validate({**item["question"], "expect": "pass"})
        found.append(Evasion(str(item["id"]), str(item["outcome"]), question))
    return screens, found


SCREENS, EVASIONS = read()


@pytest.mark.parametrize("evasion", EVASIONS, ids=[evasion.id for evasion in EVASIONS])
def test_what_comes_of_it(evasion: Evasion) -> None:
    judged = judge(example_context(evasion.question, SCREENS), load_rules())
    assert judged.finding.decision != "aligned"
    if judged.finding.decision == "misaligned":
        assert evasion.outcome == "misaligned"
    else:
        assert evasion.outcome == ("suspect" if judged.decision.matches else "pass")


def test_every_evasion_stands_in_the_documentation_with_its_outcome() -> None:
    rows = dict(re.findall(r"^\| `([\w-]+)` \|[^|]*\| (stopped|told|not seen) \|", DOCUMENT.read_text("utf-8"), re.M))
    assert rows == {evasion.id: WORDS[evasion.outcome] for evasion in EVASIONS}
