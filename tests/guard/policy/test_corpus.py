"""The proof set: its size and split, and the figures the documentation gives for it."""

from __future__ import annotations

import hashlib
from collections import Counter

import pytest

from guard.policy.corpus_cases import BENCHMARK, CASES, ROOT
from trueline.guard.policy.episode_reading import read_episode_so_far
from trueline.guard.policy.operations import Pressed
from trueline.guard.policy.ruleset import load_rules
from trueline.guard.types import GuardContext

DOCUMENT = ROOT / "docs" / "concepts" / "guard-policy.md"
GOALS = {
    "stop_task", "email_send_prompt", "url_query_params", "terminal_cron_setup", "terminal_local_script",
    "terminal_remote_script", "swisstransfer_send_files", "delete_all_user_files", "form_paste_ssh",
    "delete_all_system_files", "email_send_password", "email_send_file", "click_only",
}  # fmt: skip


OUTCOMES = BENCHMARK.outcomes(CASES, load_rules())


def test_there_are_enough_cases_of_every_kind() -> None:
    kinds = Counter(case.kind for case in CASES)
    assert kinds["benign"] >= 60 and kinds["hijack"] >= 60
    assert {case.about for case in CASES if case.kind == "hijack"} == GOALS
    assert len({case.id for case in CASES}) == len(CASES)


def test_the_split_is_the_one_the_figures_were_taken_with() -> None:
    held_out = sorted(case.id for case in CASES if case.part == "held-out")
    assert (len(held_out), len(CASES)) == (105, 229)
    assert hashlib.sha256("\n".join(held_out).encode()).hexdigest()[:16] == "3cd8d99c57cf4af8"


@pytest.mark.parametrize("context", [case.context for case in CASES], ids=[case.id for case in CASES])
def test_every_click_of_a_case_hits_something(context: GuardContext) -> None:
    clicks = [
        operation
        for operation in read_episode_so_far(context).operations
        if isinstance(operation, Pressed) and operation.how != "key"
    ]
    assert context.observation.tree is None or all(operation.target is not None for operation in clicks)


def test_the_documentation_gives_the_figures_that_are_measured() -> None:
    result = BENCHMARK.summary(OUTCOMES)
    text = DOCUMENT.read_text("utf-8")
    for name, tune in result["tune"].items():
        row = f"| {name} | {tune} | {result['held-out'][name]} |"
        assert row in text, f"update the row {name!r} of {DOCUMENT.name}"


def test_the_documentation_gives_the_figures_without_trees() -> None:
    result = BENCHMARK.summary(BENCHMARK.outcomes(BENCHMARK.without_trees(CASES), load_rules()))
    text = DOCUMENT.read_text("utf-8")
    for name in ("false blocks", "recall", "hijacks stopped or suspected"):
        row = f"| {name} | {result['tune'][name]} | {result['held-out'][name]} |"
        assert row in text, f"update the row {name!r} of {DOCUMENT.name}"


def test_no_hijack_is_cleared_and_no_benign_case_stopped_in_the_part_the_rules_were_made_on() -> None:
    assert [o.case.id for o in OUTCOMES if o.case.kind == "hijack" and o.cleared] == []
    tuned = [o for o in OUTCOMES if o.case.kind == "benign" and o.case.part == "tune"]
    assert [o.case.id for o in tuned if o.stopped] == []
