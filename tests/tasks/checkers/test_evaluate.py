"""Evaluators on a real desktop: the grammar, the getters, and what is never a score."""

from __future__ import annotations

import pytest
from pydantic import JsonValue

from tasks.conftest import Do
from tasks.office_files import docx_file, xlsx_file
from tasks.samples import task
from trueline.tasks.checkers import CheckResult, evaluate, scored_by
from trueline.tasks.checkers.getters import commands
from trueline.tasks.errors import CheckerError
from trueline.tasks.loading import parse_task
from trueline.tasks.model import Evaluator
from trueline.tasks.workspace import Workspace

GOOD: dict[str, JsonValue] = {"type": "rule", "rules": {"include": ["yes"]}}
BAD: dict[str, JsonValue] = {"type": "rule", "rules": {"include": ["never"]}}
WRONG: dict[str, JsonValue] = {"type": "rule", "rules": {"include": "no list"}}
SAYS_YES: dict[str, JsonValue] = {"type": "vm_command_line", "command": "echo yes", "shell": True}


def evaluator(**fields: JsonValue) -> Evaluator:
    return parse_task(task(evaluator=fields), file="x").evaluator


def outcome(do: Do, workspace: Workspace, fields: dict[str, JsonValue], *, failed: bool = False) -> CheckResult:
    return do(evaluate(evaluator(**fields), workspace, failed=failed))


def score(do: Do, workspace: Workspace, fields: dict[str, JsonValue], *, failed: bool = False) -> float:
    return outcome(do, workspace, fields, failed=failed).score


def one(function: str, result: JsonValue, expected: JsonValue, **more: JsonValue) -> dict[str, JsonValue]:
    return {"func": function, "result": result, "expected": expected, **more}


def several(*expected: dict[str, JsonValue], conj: str | None = None) -> dict[str, JsonValue]:
    more: dict[str, JsonValue] = {} if conj is None else {"conj": conj}
    functions: list[JsonValue] = ["check_include_exclude" for _ in expected]
    return {"func": functions, "result": [SAYS_YES for _ in expected], "expected": [*expected], **more}


def test_a_task_that_cannot_be_done_is_right_for_who_says_so(do: Do, workspace: Workspace) -> None:
    assert score(do, workspace, {"func": "infeasible"}, failed=True) == 1
    assert score(do, workspace, {"func": "infeasible"}) == 0


def test_giving_up_on_any_other_task_is_0(do: Do, workspace: Workspace) -> None:
    fields: dict[str, JsonValue] = {"func": "check_include_exclude", "result": SAYS_YES, "expected": GOOD}
    assert score(do, workspace, fields) == 1
    assert score(do, workspace, fields, failed=True) == 0


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        (several(GOOD, GOOD), 1),
        (several(GOOD, BAD), 0),
        (several(BAD, WRONG), 0),  # 0 decides: the second is not asked
        (several(GOOD, BAD, conj="or"), 1),
        (several(BAD, GOOD, conj="or"), 1),
        (several(BAD, BAD, conj="or"), 0),
        (several(GOOD, WRONG, conj="or"), 1),  # 1 decides
    ],
)
def test_several_functions_are_join_scores(
    do: Do, workspace: Workspace, fields: dict[str, JsonValue], expected: float
) -> None:
    assert score(do, workspace, fields) == expected


def test_partial_scores_are_averaged_by_and_and_the_best_of_or(do: Do, workspace: Workspace) -> None:
    do(workspace.desktop.put("mine.docx", docx_file(["hello"]).content))
    do(workspace.desktop.put("gold.docx", docx_file(["hallo"]).content))
    files: list[JsonValue] = [
        {"type": "vm_file", "path": f"{name}.docx", "dest": "a.docx"} for name in ("mine", "gold")
    ]
    fields: dict[str, JsonValue] = {
        "func": ["compare_docx_files", "check_include_exclude"],
        "result": [files[0], SAYS_YES],
        "expected": [files[1], GOOD],
        "options": [{"content_only": True}, {}],
    }
    assert score(do, workspace, fields) == pytest.approx((0.8 + 1) / 2)
    fields |= {"conj": "or", "expected": [files[1], BAD]}
    assert score(do, workspace, fields) == pytest.approx(0.8)


@pytest.mark.parametrize(("conj", "expected"), [("and", 0), ("or", 1)])
def test_a_file_that_is_not_there_counts_for_its_own_function_only(
    do: Do, workspace: Workspace, conj: str, expected: float
) -> None:
    """OSWorld scores an `or` after a missing file with what was left of the function before."""
    missing: dict[str, JsonValue] = {"type": "vm_file", "path": "/home/user/none.txt", "dest": "a"}
    do(workspace.desktop.put("gold.txt", b"x"))
    gold: dict[str, JsonValue] = {"type": "vm_file", "path": "gold.txt", "dest": "b"}
    fields: dict[str, JsonValue] = {
        "func": ["compare_text_file", "check_include_exclude"], "conj": conj,
        "result": [missing, SAYS_YES], "expected": [gold, GOOD],
    }  # fmt: skip
    assert score(do, workspace, fields) == expected
    fields |= {"expected": [gold, BAD]}
    assert score(do, workspace, fields) == 0


def test_steps_before_checking_are_done_and_gone_windows_are_no_error(do: Do, workspace: Workspace) -> None:
    steps: list[JsonValue] = [
        {"type": "activate_window", "parameters": {"window_name": "closed by the agent"}},
        {"type": "execute", "parameters": {"command": "echo ready", "shell": True, "stdout": "said.txt"}},
    ]
    kept: dict[str, JsonValue] = {"type": "cache_file", "path": "said.txt"}
    rules: dict[str, JsonValue] = {"type": "rule", "rules": {"expect": ["^ready$"]}}
    assert score(do, workspace, one("check_list", kept, rules, postconfig=steps)) == 1


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        ({"type": "vm_command_line", "command": ["printf", "a\\r\\nb"]}, "a\nb"),
        ({"type": "vm_command_line", "command": "printf '%s' 'a b'"}, "a b"),
        ({"type": "vm_command_error", "command": "echo no >&2", "shell": "true"}, "no\n"),
        ({"type": "rule", "rules": [1, {"a": None}]}, [1, {"a": None}]),
        (
            {"type": "list_directory", "path": "/home/user/tree"},
            {"type": "directory", "name": "tree", "children": [
                {"type": "directory", "name": "in", "children": [{"type": "file", "name": "f"}]}]},
        ),
        ({"type": "list_directory", "path": "/home/user/none"}, None),
        ({"type": "vm_file", "path": "/home/user/tree", "dest": "a"}, None),
        ({}, None),
    ],
)  # fmt: skip
def test_what_getters_read(do: Do, workspace: Workspace, result: JsonValue, expected: JsonValue) -> None:
    do(workspace.desktop.put("tree/in/f", b""))
    rules: dict[str, JsonValue] = {"type": "rule", "rules": {"expected": expected}}
    assert outcome(do, workspace, one("exact_match", result, rules)) == CheckResult(1.0)


def test_the_tree_is_read(do: Do, workspace: Workspace) -> None:
    rules: dict[str, JsonValue] = {"type": "rule", "rules": {"include": ["<desktop-frame", "xfce4-panel"]}}
    tree: dict[str, JsonValue] = {"type": "accessibility_tree"}
    assert score(do, workspace, one("check_include_exclude", tree, rules)) == 1


def test_of_several_files_those_named_are_given(do: Do, workspace: Workspace) -> None:
    for name in ("a", "b", "c"):
        do(workspace.desktop.put(f"{name}.csv", name.encode()))
    result: dict[str, JsonValue] = {"type": "vm_file", "path": "c.csv", "dest": "c.csv"}
    names: list[JsonValue] = ["a.csv", "b.csv", "c.csv"]
    gold: dict[str, JsonValue] = {"type": "vm_file", "path": names, "dest": names, "multi": "true"}
    assert score(do, workspace, one("compare_csv", result, {**gold, "gives": [0, 2]})) == 1
    assert score(do, workspace, one("compare_csv", result, {**gold, "gives": [1]})) == 0
    assert score(do, workspace, one("compare_csv", result, gold)) == 0
    # Each once and in the order of the paths: one file alone is no list of files.
    assert score(do, workspace, one("compare_csv", {**gold, "gives": [2, 2]}, result)) == 1


LISTED: dict[str, JsonValue] = {"type": "list_directory", "path": "/home/user/listed"}


def listed(do: Do, workspace: Workspace, script: str, *names: str) -> CheckResult:
    """What comes of listing a folder that holds these files, after somebody was at work in the home folder."""
    do(workspace.desktop.run(("sh", "-c", f"rm -rf ~/listed ~/json.py; mkdir ~/listed; {script}")))
    children: list[JsonValue] = [{"type": "file", "name": name} for name in names]
    rules: dict[str, JsonValue] = {"expected": {"type": "directory", "name": "listed", "children": children}}
    return outcome(do, workspace, one("exact_match", LISTED, {"type": "rule", "rules": rules}))


def test_a_listing_is_not_made_by_what_lies_in_the_home_folder(do: Do, workspace: Workspace) -> None:
    forger = "printf 'def dump(tree, file):\\n    file.write(\"forged\")\\n' > ~/json.py; touch ~/listed/a"
    assert listed(do, workspace, forger, "a").score == 1
    do(workspace.desktop.run(("sh", "-c", "rm ~/json.py; test ! -e ~/__pycache__")))


def test_a_listing_of_odd_files(do: Do, workspace: Workspace) -> None:
    assert listed(do, workspace, "touch ~/listed/\"$(printf 'a\\377')\"", "a\\udcff").score == 1
    locked = listed(do, workspace, "mkdir -m 0 ~/listed/in")
    assert (locked.score, "not readable" in locked.reason) == (0.0, True)
    many = listed(do, workspace, "cd ~/listed; seq 20001 | xargs touch")
    assert (many.score, "too many files" in many.reason) == (0.0, True)
    do(workspace.desktop.run(("sh", "-c", "chmod 700 ~/listed/* ; rm -rf ~/listed")))


def test_a_command_that_waits_for_what_was_left_there_scores_0(
    do: Do, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commands, "TIME_LIMIT", 0.5)
    waits: dict[str, JsonValue] = {"type": "vm_command_line", "command": ["cat", "/home/user/pipe"]}
    do(workspace.desktop.run(("sh", "-c", "rm -f ~/pipe; mkfifo ~/pipe")))
    left = outcome(do, workspace, one("check_include_exclude", waits, GOOD))
    assert (left.score, "did not end within" in left.reason) == (0.0, True)
    with pytest.raises(CheckerError, match="the expected value cannot be read"):
        outcome(do, workspace, one("check_include_exclude", SAYS_YES, waits))


def test_output_that_was_cut_off_is_not_checked(do: Do, workspace: Workspace) -> None:
    much: dict[str, JsonValue] = {
        "type": "vm_command_line", "command": "head -c 1100000 /dev/zero; echo SECRET", "shell": True,
    }  # fmt: skip
    rules: dict[str, JsonValue] = {"type": "rule", "rules": {"exclude": ["SECRET"]}}
    cut = outcome(do, workspace, one("check_include_exclude", much, rules))
    assert (cut.score, "cut off" in cut.reason) == (0.0, True)


@pytest.mark.parametrize(
    "fields",
    [
        {"func": "no_such_function", "result": SAYS_YES},
        {"func": "exact_match", "result": {"type": "no_such_getter"}, "expected": GOOD},
        {"func": "exact_match", "result": {"type": "vm_command_line"}, "expected": GOOD},
        one("exact_match", {"type": "vm_command_line", "command": ["no-such-program"]}, GOOD),
        {"func": "exact_match", "result": {"type": "cache_file", "path": "never kept"}, "expected": GOOD},
        {"func": "check_include_exclude", "result": SAYS_YES, "expected": WRONG},
        {"func": "compare_text_file", "result": SAYS_YES,
         "expected": {"type": "cloud_file", "path": "http://127.0.0.1:9/x", "dest": "x"}},
        {"func": "exact_match", "result": SAYS_YES, "expected": GOOD,
         "postconfig": [{"type": "login", "parameters": {}}]},
    ],
)  # fmt: skip
def test_what_cannot_be_checked_is_an_error_and_never_0(
    do: Do, workspace: Workspace, fields: dict[str, JsonValue]
) -> None:
    with pytest.raises(CheckerError):
        score(do, workspace, fields)


@pytest.mark.parametrize(
    ("fields", "who"),
    [
        ({"func": "infeasible"}, "native"),
        ({"func": "exact_match", "result": SAYS_YES, "expected": GOOD}, "native"),
        ({"func": "compare_pptx_files", "result": SAYS_YES, "expected": GOOD}, "native"),
        ({"func": "compare_pdfs", "result": SAYS_YES, "expected": GOOD}, "bridged"),
        ({"func": "exact_match", "result": {"type": "bookmarks"}, "expected": GOOD}, "native"),
        ({"func": "exact_match", "result": {"type": "googledrive_file"}, "expected": GOOD}, "bridged"),
        ({"func": "exact_match", "result": SAYS_YES, "expected": GOOD,
          "postconfig": [{"type": "googledrive", "parameters": {}}]}, "none"),
    ],
)  # fmt: skip
def test_who_scores_what(fields: dict[str, JsonValue], who: str) -> None:
    assert scored_by(evaluator(**fields)) == who


@pytest.mark.full
def test_a_row_of_a_workbook_is_read(do: Do, workspace: Workspace) -> None:
    do(workspace.desktop.put("a.xlsx", xlsx_file({"S": [["a", "b"], [1, "x"]]}).content))
    result: dict[str, JsonValue] = {
        "type": "content_from_vm_file", "path": "/home/user/a.xlsx", "file_type": "xlsx", "file_content": "last_row",
    }  # fmt: skip
    rules: dict[str, JsonValue] = {"type": "rule", "rules": {"expected": ["1", "x"]}}
    assert score(do, workspace, one("exact_match", result, rules)) == 1


def test_an_outcome_says_what_was_found_and_what_was_expected(do: Do, workspace: Workspace) -> None:
    huge: dict[str, JsonValue] = {"type": "vm_command_line", "command": "yes | head -c 2000000", "shell": True}
    good, bad = outcome(do, workspace, several(GOOD, BAD)).comparisons
    assert (good.function, good.score, good.found) == ("check_include_exclude", 1, '"yes\\n"')
    assert (bad.score, bad.expected) == (0, '{"include": ["never"]}')
    (large,) = outcome(do, workspace, one("check_include_exclude", huge, BAD)).comparisons
    assert len(large.found) <= 300
