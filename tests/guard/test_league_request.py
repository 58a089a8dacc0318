"""The words that name the guards of a league."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from trueline.errors import InputError
from trueline.guard.league_request import (
    LeagueFile,
    LeagueGuard,
    labelled,
    parse_guard,
    request_of,
    with_baselines,
)
from trueline.guard.policy.strict_model import read_file
from trueline.guard.registry import guard_options

SET = Path("set/misactbench.json")


@pytest.mark.parametrize(
    ("word", "label", "guard", "options"),
    [
        ("policy", None, "policy", {}),
        ("policy:unmatched=block", None, "policy", {"unmatched": "block"}),
        ("mine=policy:rules=a.yaml,ocr=true", "mine", "policy", {"rules": "a.yaml", "ocr": True}),
        ('policy:rules=["a.yaml","b.yaml"],deadline=2.5', None, "policy",
         {"rules": ["a.yaml", "b.yaml"], "deadline": 2.5}),
        ("my_guards:Never", None, "my_guards:Never", {}),
        ("my_guards.py:Never:word=a:b,c", None, "my_guards.py:Never", {"word": "a:b,c"}),
        ("x=my_guards.py:Never:a=1,b={\"c\": 2}", "x", "my_guards.py:Never", {"a": 1, "b": {"c": 2}}),
        ("deaction:systematic_analysis_model=openai|gpt-5", None, "deaction",
         {"systematic_analysis_model": "openai|gpt-5"}),
    ],
)  # fmt: skip
def test_a_guard_with_label_and_options(word: str, label: str | None, guard: str, options: dict[str, Any]) -> None:
    assert parse_guard(word) == LeagueGuard(guard=guard, label=label, options=options)


@pytest.mark.parametrize(
    ("word", "error"), [("", "write"), ("a=", "write"), ("random:rate=0.1,rate=0.2", "rate twice")]
)
def test_a_wrong_word(word: str, error: str) -> None:
    with pytest.raises(InputError, match=error):
        parse_guard(word)


def test_labels_are_names_with_options_where_two_have_the_same_name() -> None:
    found = labelled([parse_guard(word) for word in ("policy", "random:rate=0.1", "random:rate=0.2", "task-shield")])
    assert list(found) == ["policy", "random:rate=0.1", "random:rate=0.2", "task-shield-like"]
    with pytest.raises(InputError, match="two guards are called policy"):
        labelled([parse_guard("policy"), parse_guard("policy")])


def test_baselines_join_once() -> None:
    found = with_baselines([parse_guard("random:rate=0.1"), parse_guard("policy")])
    assert [one.guard for one in found] == [
        "random", "policy", "always-aligned", "always-misaligned", "action-text-only"
    ]  # fmt: skip


def test_the_example_for_real_models_names_guards_and_options_that_there_are() -> None:
    file = read_file(Path(__file__).resolve().parents[2] / "docs" / "examples" / "league.yaml", LeagueFile)
    guards = labelled(with_baselines(file.guards))
    assert len(guards) == 12
    for one in guards.values():
        guard_options(request_of(one, file.options, SET))


def test_common_options_reach_the_guards_that_take_them() -> None:
    common = {"systematic_analysis_model": "openai|gpt-5", "rules": "mine.yaml", "max_tokens": 100}
    assert request_of(parse_guard("policy"), common, SET).options == {"rules": ["mine.yaml"]}
    assert request_of(parse_guard("random"), common, SET).options == {}
    shield = request_of(parse_guard("task-shield-like:max_tokens=9"), common, SET)
    assert shield.options == {"systematic_analysis_model": "openai|gpt-5", "max_tokens": 9}
    assert request_of(parse_guard("action-text-only"), common, SET).options == {"labelled_set": str(SET)}
    with pytest.raises(InputError, match="unknown guard"):
        request_of(parse_guard("nothing"), common, SET)
