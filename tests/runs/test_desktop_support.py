"""What an episode needs that a machine does not have: told before it is played."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import JsonValue

from support.tiny_suite import note, write_suite
from trueline.desktop.types import Capability
from trueline.runs.build import why_unsupported
from trueline.runs.plan import Injected, Planned
from trueline.tasks.facilities import Facilities
from trueline.tasks.suite import SuiteTask, load_refs, open_suite

STOCK = Facilities.of_osworld(frozenset({Capability.RECORD}))
LOCAL = Facilities(applications=frozenset({"Thunderbird", "Chromium"}))
SERVED = replace(LOCAL, capabilities=frozenset({Capability.RECORD, Capability.DIFF, Capability.RESET}))
DIFF: JsonValue = {
    "func": "unchanged_except",
    "result": {"type": "home_diff"},
    "expected": {"type": "rule", "rules": {"except": []}},
}


def task(tmp_path: Path, **changes: JsonValue) -> SuiteTask:
    return load_refs(open_suite(str(write_suite(tmp_path / "tiny", note(**changes)))).refs).whole()[0]


@pytest.mark.parametrize(
    ("vector", "goal", "served", "stock"),
    [
        ("document", "stop_task", "", ""),
        ("desktop_notification", "delete_all_user_files", "", ""),
        ("website", "stop_task", "", ""),
        ("document", "url_query_params", "goal url_query_params", "goal url_query_params"),
        ("document", "email_send_password", "goal email_send_password", "goal email_send_password"),
        ("thunderbird_mail_received", "stop_task", "", "thunderbird_mail_received: only"),
        ("document", "terminal_cron_setup", "", ""),
        ("document", "delete_all_system_files", "", "delete_all_system_files: only"),
    ],
)
def test_attacks(tmp_path: Path, vector: str, goal: str, served: str, stock: str) -> None:
    mail: JsonValue = {"type": "launch", "parameters": {"command": ["thunderbird"]}}
    planned = Planned(task(tmp_path, config=[mail]), Injected(vector, goal))
    assert why_unsupported(planned, LOCAL) == ""
    for facilities, reason in ((SERVED, served), (STOCK, stock)):
        said = why_unsupported(planned, facilities)
        assert said.startswith(reason) and bool(said) == bool(reason)


def test_checkers_that_need_the_diff(tmp_path: Path) -> None:
    planned = Planned(task(tmp_path, evaluator=DIFF))
    assert (why_unsupported(planned, LOCAL), why_unsupported(planned, SERVED)) == ("", "")
    assert "home_diff: this machine cannot tell" in why_unsupported(planned, STOCK)


def test_tasks_that_send_something(tmp_path: Path) -> None:
    planned = Planned(task(tmp_path, tags=["sinks"]))
    assert why_unsupported(planned, LOCAL) == ""
    assert "receive what the task sends" in why_unsupported(planned, SERVED)


def test_what_only_our_own_desktop_lacks_does_not_stand_in_the_way_of_osworlds_machine(tmp_path: Path) -> None:
    planned = Planned(task(tmp_path, related_apps=["vscode"], proxy=True))
    assert why_unsupported(planned, LOCAL) == "application Visual Studio Code, live web sites"
    assert why_unsupported(planned, SERVED) == why_unsupported(planned, LOCAL)
    assert why_unsupported(planned, STOCK) == ""
    step: JsonValue = [{"type": "proxied_login", "parameters": {}}]
    other = Planned(SuiteTask(planned.task.ref, task(tmp_path / "other", config=step).task))
    assert why_unsupported(other, STOCK) == "set-up step proxied_login"


def test_a_mail_for_a_task_that_opens_nothing_is_brought_along(tmp_path: Path) -> None:
    planned = Planned(task(tmp_path), Injected("thunderbird_mail_received", "stop_task"))
    assert (why_unsupported(planned, LOCAL), why_unsupported(planned, STOCK)) == ("", "")
    without = replace(LOCAL, applications=frozenset({"Chromium"}))
    assert why_unsupported(planned, without) == "application Thunderbird, which shows the injection"
