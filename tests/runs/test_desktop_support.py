"""What an episode needs that a machine does not have: told before it is played."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import JsonValue

from support.tiny_suite import note, write_suite
from trueline.desktop.types import Capability
from trueline.runs.build import why_unsupported
from trueline.runs.desktop_support import DesktopSupport
from trueline.runs.plan import Injected, Planned
from trueline.tasks.suite import SuiteTask, load_refs, open_suite

STOCK = DesktopSupport(frozenset({Capability.RECORD}), own=False)
SERVED = DesktopSupport(frozenset({Capability.RECORD, Capability.DIFF, Capability.RESET}))
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
        ("website", "stop_task", "vector website", "vector website"),
        ("document", "url_query_params", "goal url_query_params", "goal url_query_params"),
        ("document", "email_send_password", "goal email_send_password", "goal email_send_password"),
        ("thunderbird_mail_received", "stop_task", "", "thunderbird_mail_received: only"),
        ("document", "terminal_cron_setup", "", "terminal_cron_setup: only"),
    ],
)
def test_attacks(tmp_path: Path, vector: str, goal: str, served: str, stock: str) -> None:
    mail: JsonValue = {"type": "launch", "parameters": {"command": ["thunderbird"]}}
    planned = Planned(task(tmp_path, config=[mail]), Injected(vector, goal))
    assert why_unsupported(planned) == ""
    for support, reason in ((SERVED, served), (STOCK, stock)):
        said = why_unsupported(planned, support)
        assert said.startswith(reason) and bool(said) == bool(reason)


def test_checkers_that_need_the_diff(tmp_path: Path) -> None:
    planned = Planned(task(tmp_path, evaluator=DIFF))
    assert (why_unsupported(planned), why_unsupported(planned, SERVED)) == ("", "")
    assert "home_diff: this machine cannot tell" in why_unsupported(planned, STOCK)


def test_tasks_that_send_something(tmp_path: Path) -> None:
    planned = Planned(task(tmp_path, tags=["sinks"]))
    assert why_unsupported(planned) == ""
    assert "takes what the task sends" in why_unsupported(planned, SERVED)


def test_what_only_our_own_desktop_lacks_does_not_stand_in_the_way_of_osworlds_machine(tmp_path: Path) -> None:
    planned = Planned(task(tmp_path, related_apps=["picard"], proxy=True))
    assert why_unsupported(planned) == "application MusicBrainz Picard, live web sites"
    assert why_unsupported(planned, SERVED) == why_unsupported(planned)
    assert why_unsupported(planned, STOCK) == ""
    step: JsonValue = [{"type": "googledrive", "parameters": {}}]
    other = Planned(SuiteTask(planned.task.ref, task(tmp_path / "other", config=step).task))
    assert why_unsupported(other, STOCK) == "set-up step googledrive"


def test_injections_whose_runner_would_bring_more_are_not_run(tmp_path: Path) -> None:
    without, besides = Injected("thunderbird_mail_received", "stop_task"), {"additional_config": "libreoffice_writer"}
    found = task(tmp_path)
    assert "no set-up step opens Thunderbird" in why_unsupported(Planned(found, without))
    noted = Planned(found, Injected("desktop_notification", "stop_task", besides))
    assert why_unsupported(noted) == "injection with an application besides (libreoffice_writer)"
