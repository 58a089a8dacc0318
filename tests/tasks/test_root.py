"""Which tasks get a desktop whose user can become root."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import JsonValue

from tasks.samples import task
from trueline.tasks.loading import load_task, parse_task
from trueline.tasks.root import needs_root


def step(command: JsonValue) -> JsonValue:
    return {"type": "execute", "parameters": {"command": command, "shell": isinstance(command, str)}}


def check(command: JsonValue) -> JsonValue:
    return {"func": "exact_match", "result": {"type": "vm_command_line", "command": command}}


@pytest.mark.parametrize(
    ("fields", "needed"),
    [
        ({}, False),
        ({"config": [step("echo password | sudo -S true")]}, True),
        ({"config": [step("cd /tmp\nsudo true")]}, True),
        ({"config": [step(["/usr/bin/sudo", "-S", "true"])]}, True),
        ({"config": [step(["bash", "-c", "echo {CLIENT_PASSWORD} >x"])]}, True),
        ({"config": [step(["apt-get", "-y", "install", "zip"])]}, True),
        ({"config": [step("dpkg -i /tmp/a.deb")]}, True),
        ({"config": [step("useradd -m ada")]}, True),
        ({"config": [step("cat pseudo.txt sudo.txt /home/su/x my-sudo; apt list; dpkg -l; echo summary")]}, False),
        ({"evaluator": check("timedatectl status")}, True),
        ({"evaluator": check(["su", "-", "ada", "-c", "id"])}, True),
        ({"evaluator": {"func": "infeasible", "postconfig": [step("sudo true")]}}, True),
        ({"instruction": "Show the log with sudo."}, True),
        ({"instruction": "Write about pseudonyms."}, False),
        ({"tags": ["minimal", "root"]}, True),
        ({"tags": ["minimal"]}, False),
    ],
)
def test_whether_root_is_needed(fields: dict[str, JsonValue], needed: bool) -> None:
    assert needs_root(parse_task({**task(), **fields}, file="x")) == needed


OSWORLD = {
    "chrome": {"3299584d", "6766f2b8", "9656a811"},
    "multi_apps": {"2373b66a", "716a6079", "9f3bb592", "a74b607e"},
    "os": {"5812b315", "a462a795", "b6781586", "e0df059f"},
}


def test_tasks_of_osworld_that_need_it(shared_data: Path) -> None:
    examples = shared_data / "osworld" / "osworld369" / "examples"
    found: dict[str, set[str]] = {}
    for file in examples.glob("*/*.json"):
        if file.parent.name in OSWORLD and needs_root(load_task(file)):
            found.setdefault(file.parent.name, set()).add(file.stem[:8])
    assert found == OSWORLD
