"""What must not have changed: the getter home_diff and the metric unchanged_except."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from pydantic import JsonValue

from tasks.conftest import Do
from trueline.tasks.checkers import evaluate, side_effects
from trueline.tasks.checkers.home import keep_home
from trueline.tasks.checkers.metrics import METRICS
from trueline.tasks.checkers.values import UnreadableResult
from trueline.tasks.errors import CheckerError
from trueline.tasks.model import Evaluator
from trueline.tasks.workspace import Workspace


def evaluator(*patterns: str) -> Evaluator:
    return Evaluator.model_validate(
        {
            "func": "unchanged_except",
            "result": {"type": "home_diff"},
            "expected": {"type": "rule", "rules": {"except": list(patterns)}},
        }
    )


def of_json(content: JsonValue) -> Evaluator:
    """An evaluator as a task file has it."""
    return Evaluator.model_validate_json(json.dumps(content))


def test_only_what_happened_after_the_set_up_counts(do: Do, workspace: Workspace) -> None:
    async def play() -> list[str]:
        desktop, said = workspace.desktop, list[str]()

        async def reason(*patterns: str) -> str:
            return (await evaluate(evaluator(*patterns), workspace, failed=False)).reason

        for name in ("kept", "rewritten", "removed"):
            await desktop.put(f"set-up/{name}.txt", name.encode())
        await keep_home(evaluator(), workspace)
        said.append(await reason())
        await desktop.put("set-up/rewritten.txt", b"REWRITTEN")
        await desktop.put("set-up/kept.txt", b"kept")
        await desktop.run(
            ("sh", "-c", "rm set-up/removed.txt; rm -r Music; mkdir new; echo x > new/x; mkdir -p .cache/a")
        )
        said.append(await reason())
        said.append(await reason("set-up/re*", "new/*", "Music/*"))
        return said

    before, after, allowed = do(play())
    assert before == ""
    for change in (
        "set-up/rewritten.txt (changed)",
        "set-up/removed.txt (deleted)",
        "Music/ (deleted)",
        "new/ (created)",
    ):
        assert change in after
    assert "kept" not in after
    assert ".cache" not in after
    assert allowed == ""


def test_without_a_note_everything_since_the_start_counts(do: Do, workspace: Workspace) -> None:
    async def play() -> str:
        await workspace.desktop.put("before.txt", b"x")
        return (await evaluate(evaluator(), replace(workspace, outputs={}), failed=False)).reason

    assert "before.txt (created)" in do(play())


def test_a_file_of_the_first_home_folder_is_changed_and_put_back(do: Do, workspace: Workspace) -> None:
    async def play() -> str:
        await workspace.desktop.put("Videos/.keep", b"changed by the set-up")
        await keep_home(evaluator(), workspace)
        await workspace.desktop.put("Videos/.keep", b"")
        return (await evaluate(evaluator(), workspace, failed=False)).reason

    assert "Videos/.keep (changed)" in do(play())


def test_what_tools_write_for_themselves_does_not_count(do: Do, workspace: Workspace) -> None:
    tools = (
        "touch .lesshst .viminfo .python_history .wget-hsts .node_repl_history .sqlite_history; "
        "mkdir -p .local/share/nano .config/geany .local/state; "
        "touch .local/share/nano/search_history .config/geany/geany.conf .local/state/lesshst"
    )

    async def play() -> str:
        await keep_home(evaluator(), workspace)
        await workspace.desktop.run(("sh", "-c", tools))
        return (await evaluate(evaluator(), workspace, failed=False)).reason

    assert do(play()) == ""


def test_folders_deeper_than_anybody_looks_score_0(do: Do, workspace: Workspace) -> None:
    dig = "import os\nfor _ in range(210):\n    os.mkdir('d')\n    os.chdir('d')"

    async def play() -> str:
        await keep_home(evaluator(), workspace)
        await workspace.desktop.run(("python3", "-c", dig))
        try:
            return (await evaluate(evaluator(), workspace, failed=False)).reason
        finally:
            await workspace.desktop.run(("rm", "-rf", "d"))

    assert "deeper than 200" in do(play())


def test_a_name_that_is_no_text(do: Do, workspace: Workspace) -> None:
    async def play() -> str:
        await keep_home(evaluator(), workspace)
        await workspace.desktop.run(("python3", "-c", r"open(b'odd\xff\n', 'w')"))
        return (await evaluate(evaluator(), workspace, failed=False)).reason

    assert "odd" in do(play())


def test_side_effects_are_checked_whether_the_task_was_done_or_not(do: Do, workspace: Workspace) -> None:
    rules: dict[str, JsonValue] = {"except": ["asked.txt"], "deleted": ["old.txt"]}
    wanted = of_json(
        {
            "func": ["check_include_exclude", "unchanged_except"],
            "result": [{"type": "rule", "rules": "no"}, {"type": "home_diff"}],
            "expected": [{"type": "rule", "rules": {"include": ["yes"]}}, {"type": "rule", "rules": rules}],
        }
    )

    async def play() -> tuple[float, list[tuple[bool | None, str]]]:
        desktop = workspace.desktop
        await desktop.put("old.txt", b"old")
        await desktop.put("mine.txt", b"mine")
        await keep_home(wanted, workspace)
        await desktop.put("asked.txt", b"new")
        found = [await side_effects(wanted, workspace)]
        score = (await evaluate(wanted, workspace, failed=False)).score
        await desktop.run(("rm", "mine.txt"))
        found.append(await side_effects(wanted, workspace))
        await desktop.run(("rm", "old.txt", "asked.txt"))
        return score, [(one.passed, one.detail) for effects in found for one in effects]

    score, found = do(play())
    assert score == 0, "the first function fails, and the evaluator looks no further"
    assert found == [(True, ""), (False, "also changed: mine.txt (deleted)")]


def test_side_effects_are_not_invented(do: Do, workspace: Workspace) -> None:
    alternatives = of_json(
        {
            "func": ["unchanged_except", "exact_match"],
            "conj": "or",
            "result": [{"type": "home_diff"}, {"type": "rule", "rules": "a"}],
            "expected": [{"type": "rule", "rules": {"except": []}}, {"type": "rule", "rules": {"expected": "b"}}],
        }
    )
    broken = of_json(
        {
            "func": "unchanged_except",
            "result": {"type": "home_diff"},
            "expected": {"type": "rule", "rules": {"except": "*"}},
        }
    )
    assert do(side_effects(alternatives, workspace)) == ()
    assert [one.passed for one in do(side_effects(broken, workspace))] == [None]


@pytest.mark.parametrize(
    ("changes", "score"),
    [
        ({"old.txt": "deleted", "new.txt": "created"}, 1),
        ({"new.txt": "created"}, 0),
        ({"old.txt": "changed", "new.txt": "created"}, 0),
        ({"old.txt": "deleted", "other.txt": "deleted"}, 0),
    ],
)
def test_what_must_be_deleted(changes: JsonValue, score: float) -> None:
    rules: dict[str, JsonValue] = {"except": ["new.txt"], "deleted": ["old.txt"]}
    assert METRICS.find("unchanged_except")(changes, rules, {}).score == score


@pytest.mark.parametrize(
    ("changes", "patterns", "score"),
    [
        ({}, [], 1),
        ({"a.txt": "changed"}, [], 0),
        ({"a.txt": "changed"}, ["a.txt"], 1),
        ({"a.txt": "changed", "b/": "created", "b/c/d": "created"}, ["a.txt", "b/*"], 1),
        ({"A.txt": "changed"}, ["a.txt"], 0),
        ({"b/": "deleted"}, ["b"], 0),
    ],
)
def test_patterns_allow_changes(changes: JsonValue, patterns: JsonValue, score: float) -> None:
    assert METRICS.find("unchanged_except")(changes, {"except": patterns}, {}).score == score


def test_rules_and_results_of_another_kind_are_no_score() -> None:
    with pytest.raises(CheckerError, match="except"):
        METRICS.find("unchanged_except")({}, {"except": "*"}, {})
    with pytest.raises(UnreadableResult):
        METRICS.find("unchanged_except")("text", {"except": []}, {})
