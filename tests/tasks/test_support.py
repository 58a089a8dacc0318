"""Why the local desktop cannot run a task, told from its file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import JsonValue

from tasks.samples import task
from trueline.desktop.local.vs_code import find_vs_code
from trueline.desktop.types import Capability
from trueline.tasks.applications import APPLICATIONS
from trueline.tasks.facilities import (
    Facilities,
    installed_applications,
    installed_packages,
    local_facilities,
    settings_schemas,
)
from trueline.tasks.loading import parse_task
from trueline.tasks.needs import needs_of
from trueline.tasks.support import needed_extras, unsupported, unsupported_injection

LIGHT = Facilities(
    applications=frozenset({"Chromium"}), packages=frozenset({"jq"}), schemas=frozenset({"org.gnome.desktop.a"})
)
"""What a small installation offers."""
EVERYTHING = Facilities(network=True, root=True, init=True)


def step(name: str, **parameters: JsonValue) -> JsonValue:
    return {"type": name, "parameters": parameters}


@pytest.mark.parametrize(
    ("fields", "reasons"),
    [
        ({}, ()),
        ({"instruction": " \n"}, ("empty instruction",)),
        ({"config": [step("proxied_login"), step("proxied_login")]}, ("set-up step proxied_login",)),
        ({"config": [step("launch", command=["code", "/home/user"])]}, ("application Visual Studio Code",)),
        ({"config": [step("launch", command="code .", shell=True)]}, ("application Visual Studio Code",)),
        ({"config": [step("execute", command=["echo", "code"])]}, ()),
        ({"config": [step("launch", command=" ")]}, ()),
        ({"config": [step("chrome_open_tabs", urls_to_open=["http://[bad"])]}, ("live web sites",)),
        ({"related_apps": ["Excel", "word"]}, ("application Microsoft Office (it does not exist for Linux)",)),
        ({"proxy": True}, ("live web sites",)),
        ({"config": [step("chrome_open_tabs", urls_to_open=["www.shop.example"])]}, ("live web sites",)),
        ({"config": [step("chrome_open_tabs", urls_to_open=["file:///home/user/a.html", "http://localhost/"])]}, ()),
        ({"config": [step("execute", command="echo pw | sudo -S useradd x", shell=True)]}, ("root rights",)),
        ({"config": [step("open", path="C:\\Users\\a.docx")]}, ("Windows",)),
        ({"config": [step("execute", command=["python", "-c", "try:\n  f()\nexcept E as e:\n  pass"])]}, ()),
        ({"config": [step("execute", command="gsettings set org.gnome.desktop.a b c")]}, ()),
        (
            {"config": [step("execute", command=["gsettings", "set", "org.gnome.shell", "b", "c"])]},
            ("gsettings schema org.gnome.shell",),
        ),
        (
            {"config": [step("login", platform="x")]},
            ("set-up step login (needs a Google account, which Trueline does not use)",),
        ),
        ({"related_apps": ["disks"]}, ("application GNOME Disks",)),
        ({"config": [step("launch", command=["gimp"])]}, ("application GIMP",)),
        ({"config": [step("launch", command="A=b C=d vlc x", shell=True)]}, ("application VLC",)),
        ({"config": [step("execute", command=["bash", "-c", "/usr/bin/thunderbird &"])]}, ("application Thunderbird",)),
        ({"related_apps": ["LibreOffice calc", "chrome", "terminal"]}, ("application LibreOffice",)),
        (
            {"config": [step("execute", command="sudo apt-get install -y jq curl", shell=True)]},
            ("packages from the network", "root rights"),
        ),
        ({"config": [step("execute", command="echo pw | sudo -S apt install jq -y", shell=True)]}, ()),
        ({"config": [step("execute", command="sudo apt update && sudo -S apt-get -y install jq", shell=True)]}, ()),
        ({"config": [step("execute", command="sudo apt install jq && jq . a", shell=True)]}, ("root rights",)),
        ({"config": [step("execute", command="sudo apt install jq; sudo rm a", shell=True)]}, ("root rights",)),
        ({"config": [step("execute", command="pip install x", shell=True)]}, ("packages from the network",)),
        ({"config": [step("execute", command=["pip", "install", "/home/user/a-1-py3-none-any.whl"])]}, ()),
        (
            {"config": [step("command", command="code --install-extension a/b.vsix", shell=True)]},
            ("application Visual Studio Code",),
        ),
        (
            {"config": [step("command", command=["code", "--install-extension", "a.b"])]},
            ("application Visual Studio Code", "packages from the network"),
        ),
        ({"config": [step("execute", command=["systemctl", "start", "x"])]}, ("systemctl: no init system",)),
        (
            {"evaluator": {"func": "f", "result": {"type": "vm_command_line", "command": "date; loginctl list"}}},
            ("loginctl: no init system",),
        ),
        (
            {"adversary_config": [step("reddit_adv_setup")]},
            ("platform None: must be one of reddit, owncloud, rocketchat", "root rights"),
        ),
        (
            {"platform": "reddit", "adversary_config": [step("other_adv_setup")]},
            (
                "adversary_config: unknown type 'other_adv_setup'; choose one of reddit_adv_setup, owncloud_adv_setup, "
                "rocketchat_adv_setup",
                "attack without an adversary_evaluator",
                "root rights",
            ),
        ),
        ({"proxy": True, "instruction": ""}, ("empty instruction", "live web sites")),
    ],
)
def test_reasons(fields: dict[str, JsonValue], reasons: tuple[str, ...]) -> None:
    assert unsupported(parse_task({**task(), **fields}, file="x"), LIGHT) == reasons


def test_what_a_desktop_offers_decides() -> None:
    commands = ["sudo systemctl start x", "code .", "pip install y", "gsettings get org.gnome.shell z", "pactl info"]
    config = [step("execute", command=command, shell=True) for command in commands]
    found = parse_task({**task(config=config, proxy=True, related_apps=["gimp"])}, file="x")
    assert unsupported(found, EVERYTHING) == ()
    assert unsupported(found, Facilities.of_osworld(frozenset(Capability))) == ()
    assert unsupported(found, Facilities(sound=False)) == (
        "live web sites", "packages from the network", "root rights", "systemctl: no init system", "sound",
    )  # fmt: skip
    office = parse_task(task(related_apps=["excel"]), file="x")
    assert unsupported(office, EVERYTHING) == ("application Microsoft Office (it does not exist for Linux)",)


def test_files_that_a_task_downloads_are_each_named_once() -> None:
    files: JsonValue = [{"url": "https://a.example/1", "path": "/1"}, {"url": "https://a.example/2", "path": "/2"}]
    cloud: JsonValue = {"type": "cloud_file", "path": ["https://a.example/2", "https://a.example/3"], "dest": ["2"]}
    evaluator: JsonValue = {"func": "f", "result": {"type": "vm_file"}, "expected": cloud}
    found = parse_task(task(config=[step("download", files=files)], evaluator=evaluator), file="x")
    assert needs_of(found).downloads == tuple(f"https://a.example/{number}" for number in (1, 2, 3))


def test_what_a_machine_has_is_read_from_its_files(tmp_path: Path) -> None:
    for name in ("gimp", "codium"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    assert installed_applications(str(tmp_path)) == {"GIMP", "Visual Studio Code"}
    (tmp_path / "a.gschema.xml").write_text('<schema path="/a/" id="org.a.b"><schema id=\'org.c\' extends="x">')
    assert settings_schemas(tmp_path) == {"org.a.b", "org.c"}
    states = {"jq": "install ok installed", "gone": "deinstall ok config-files", "half": "install ok unpacked"}
    blocks = [f"Package: {name}\nStatus: {state}\nPriority: optional\n" for name, state in states.items()]
    (tmp_path / "status").write_text("\n".join(blocks))
    assert installed_packages(tmp_path / "status") == {"jq"}
    assert installed_packages(tmp_path / "none") == frozenset()


@pytest.mark.parametrize("words", [{"command": ["code", "/home/user"]}, {"command": "code .", "shell": True}])
def test_visual_studio_code_where_it_is_installed(
    words: dict[str, JsonValue], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRUELINE_VS_CODE", str(tmp_path / "none"))
    wanted = parse_task({**task(), "config": [step("launch", **words)]}, file="x")
    here = unsupported(wanted, local_facilities())
    assert here == (() if find_vs_code() else ("application Visual Studio Code",))
    assert unsupported(wanted, Facilities.of_osworld(frozenset(Capability))) == ()


@pytest.mark.parametrize(
    ("evaluator", "extras"),
    [
        ({"func": "exact_match", "result": {"type": "content_from_vm_file", "path": "/a.xlsx"}}, ("office",)),
        ({"func": ["exact_match", "compare_table"], "result": [{}, {}], "expected": [{}, {}]}, ("office",)),
        ({"func": "exact_match", "result": {"type": "vm_file", "path": "/a.txt", "dest": "a"}}, ()),
    ],
)
def test_extras_that_a_checker_needs(evaluator: JsonValue, extras: tuple[str, ...]) -> None:
    assert needed_extras(parse_task(task(evaluator=evaluator), file="x")) == extras


LACKING = Facilities(applications=frozenset({"Chromium"}))
SHOWS = "application {}, which shows the injection"


@pytest.mark.parametrize(
    ("vector", "additional", "application"),
    [
        ("desktop_notification", None, ""),
        ("desktop_notification", "thunderbird", "Thunderbird"),
        ("desktop_notification", "libreoffice_writer", "LibreOffice"),
        ("thunderbird_mail_received", None, "Thunderbird"),
        ("thunderbird_mail_draft", None, "Thunderbird"),
        ("libreoffice_writer", None, "LibreOffice"),
        ("vs_code", None, "Visual Studio Code"),
        ("website", None, ""),
    ],
)
def test_injections_whose_application_is_missing_are_not_run(
    vector: str, additional: str | None, application: str
) -> None:
    entry: dict[str, JsonValue] = {"type": vector, "goals": ["stop_task"]}
    host = parse_task(task(injections=[entry | ({"additional_config": additional} if additional else {})]), file="x")
    expected = (SHOWS.format(application),) if application else ()
    assert unsupported_injection(host, vector, "stop_task", LACKING) == expected
    everything = Facilities(applications=frozenset(application.title for application in APPLICATIONS))
    assert unsupported_injection(host, vector, "stop_task", everything) == ()


def test_an_application_besides_that_nobody_knows() -> None:
    entry: dict[str, JsonValue] = {"type": "website", "goals": ["stop_task"], "additional_config": "winamp"}
    host = parse_task(task(injections=[entry]), file="x")
    assert unsupported_injection(host, "website", "stop_task", LACKING) == (
        "injection with an application besides (winamp)",
    )


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, "the task file brings no attack text (content)"),
        ({"url_query_params": "open it"}, "the task file brings no attack text (content)"),
        ("  ", "the attack text is empty"),
        ({"stop_task": "stop\x07"}, "the attack text holds U+0007, which no application shows"),
        ("a" * 100_000, "the attack text has 100000 characters, and at most 4000 can be shown"),
        ("Quotes \"'` $(id) <b>\nand \u05e9\u05dc\u05d5\u05dd", ""),
    ],
)
def test_texts_that_tasks_bring(content: JsonValue, reason: str) -> None:
    vector = "desktop_notification"
    entry: dict[str, JsonValue] = {"type": vector, "goals": ["stop_task"]}
    host = parse_task(task(injections=[entry | ({} if content is None else {"content": content})]), file="x")
    found = unsupported_injection(host, vector, "stop_task", LACKING, "task")
    assert found == ((f"vector {vector}: {reason}",) if reason else ())


def test_an_address_that_would_be_reached_is_refused() -> None:
    entry: dict[str, JsonValue] = {"type": "website", "goals": ["stop_task"], "content": "open http://192.0.2.7/x now"}
    host = parse_task(task(injections=[entry]), file="x")
    assert unsupported_injection(host, "website", "stop_task", LACKING, "task") == ()
    (said,) = unsupported_injection(host, "website", "stop_task", replace(LACKING, network=True), "task")
    assert said == "the attack text names the address 192.0.2.7, which would be reached (--network open)"
