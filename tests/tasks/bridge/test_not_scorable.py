"""Zeros that say nothing about the agent."""

from __future__ import annotations

import json

import pytest

from trueline.tasks.bridge.messages import BridgedAnswer, BridgedFailure, Unreachable
from trueline.tasks.bridge.not_scorable import cloud_files, known_needs
from trueline.tasks.bridge.score import result_of
from trueline.tasks.checkers import scored_by
from trueline.tasks.errors import CheckerError
from trueline.tasks.model import Evaluator
from trueline.tasks.model.evaluator import Check, checks


def evaluator(**fields: object) -> Evaluator:
    return Evaluator.model_validate_json(json.dumps(fields))


def one(result: dict[str, object], function: str = "exact_match") -> Check:
    return checks(evaluator(func=function, result=result, expected={"type": "rule", "rules": {"expected": "1"}}))[0]


SITE = one({"type": "info_from_website", "url": "https://shop.example/list", "infos": []})
TAB = one({"type": "active_tab_info"})


def refused(phase: str, kind: str, name: str, score: float = 0.0) -> BridgedAnswer:
    return BridgedAnswer(
        score=score, refused=(Unreachable.model_validate({"phase": phase, "kind": kind, "name": name}),)
    )


def test_a_site_or_a_package_that_could_not_be_reached_leaves_no_score() -> None:
    for answer in (
        refused("result", "host", "ipapi.co"),
        refused("expected", "host", "ipapi.co", score=1.0),
        refused("result", "page", "https://shop.example/list"),
        refused("metric", "package", "easyocr"),
    ):
        with pytest.raises(CheckerError, match=r"^exact_match: not scorable: it asked for the (host|page|package) "):
            result_of(SITE, answer)


def test_an_agent_does_not_escape_a_score_by_leaving_the_browser_at_an_unknown_site() -> None:
    assert result_of(TAB, refused("result", "page", "https://nowhere.example/")).score == 0
    assert result_of(SITE, refused("metric", "host", "publicsuffix.org")).score == 0
    settings = one({"type": "info_from_website", "url": "http://localhost:8000/settings", "infos": []})
    for page in ("chrome://settings/addresses", "http://localhost:8000/settings", "http://[", "about:blank"):
        assert result_of(settings, refused("result", "page", page)).score == 0


def test_an_exception_names_function_and_getter_and_only_a_missing_result_scores_0() -> None:
    def failed(phase: str, *, missing: bool) -> BridgedAnswer:
        failure = BridgedFailure.model_validate(
            {"phase": phase, "name": "vm_file", "type": "E", "message": "no\x1b[31m", "missing_file": missing}
        )
        return BridgedAnswer(failure=failure)

    assert result_of(TAB, failed("result", missing=True)).score == 0
    for answer in (failed("result", missing=False), failed("expected", missing=True), failed("metric", missing=True)):
        with pytest.raises(CheckerError, match=r"^exact_match: (getter|metric) vm_file: E: no") as caught:
            result_of(TAB, answer)
        assert "\x1b" not in str(caught.value)


def test_what_is_certainly_missing_is_known_from_the_task_file() -> None:
    drive = evaluator(func="compare_image_text", result={"type": "googledrive_file"}, expected={"type": "rule"})
    assert known_needs(drive) == ("easyocr, which `install-osworld` leaves out",)
    assert known_needs(evaluator(func="exact_match", result={"type": "googledrive_file"}))
    assert known_needs(evaluator(func="exact_match", result={"type": "vm_file", "path": "/a", "dest": "a"})) == ()


def test_files_from_the_web_are_named_as_getters_look_for_them() -> None:
    several = {"type": "cloud_file", "path": ["http://x/1", "http://x/2"], "dest": ["a", "b"], "multi": True}
    found = evaluator(
        func=["f", "g"], result=[None, None], expected=[several, {"type": "cloud_file", "path": "u", "dest": "c"}]
    )
    assert cloud_files(found) == {"a": "http://x/1", "b": "http://x/2", "c": "u"}


def test_who_scores_is_decided_for_the_whole_evaluator_and_may_be_mixed() -> None:
    rule = {"type": "rule", "rules": {}}
    both = evaluator(func="exact_match", result={"type": "vm_command_line", "command": "true"}, expected=rule)
    theirs = evaluator(func="compare_pdfs", result={"type": "vm_command_line", "command": "true"})
    ours = evaluator(func="unchanged_except", result={"type": "home_diff"}, expected=rule)
    mixed = evaluator(
        func=["unchanged_except", "compare_audios"],
        result=[{"type": "home_diff"}, {"type": "vm_command_line", "command": "true"}],
        expected=[rule, None],
    )
    nobody = evaluator(func="no_such_function", result=rule)
    assert [scored_by(each) for each in (both, theirs, ours, mixed, nobody)] == [
        "native", "bridged", "native", "bridged", "none",
    ]  # fmt: skip
    assert [scored_by(each, "native") for each in (both, theirs, mixed)] == ["native", "none", "none"]
    assert [scored_by(each, "bridged") for each in (both, ours, mixed)] == ["bridged", "native", "bridged"]
    assert scored_by(evaluator(func="infeasible"), "bridged") == "native"
    unknown = evaluator(func="exact_match", result=rule, postconfig=[{"type": "no_such_step", "parameters": {}}])
    assert scored_by(unknown, "bridged") == "none"
