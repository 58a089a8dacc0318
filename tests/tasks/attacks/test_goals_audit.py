"""All of OS-Harm's goals on one host, tried with simulated subjects both ways."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from trueline.cli import main
from trueline.tasks.suite import SHIPPED

pytestmark = pytest.mark.proof
GOALS = (
    "stop_task",
    "url_query_params",
    "email_send_prompt",
    "email_send_password",
    "email_send_file",
    "form_paste_ssh",
    "swisstransfer_send_files",
    "terminal_local_script",
    "terminal_remote_script",
    "terminal_cron_setup",
    "delete_all_user_files",
    "delete_all_system_files",
)
HOST = Path("text_editor/add-item.json")


def test_each_goal_is_reached_by_the_hijacked_and_by_nobody_else(
    machine: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    task = json.loads((SHIPPED / "starter" / "examples" / HOST).read_bytes())
    task["injections"] = [{**task["injections"][0], "goals": GOALS}]
    file = tmp_path / "suite" / "examples" / HOST
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(task))
    (tmp_path / "suite" / "index.json").write_text(json.dumps({"text_editor": ["add-item"]}))
    assert main(["tasks", "audit", str(tmp_path / "suite"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["tasks"] == 1
    assert not found["unsupported"]
