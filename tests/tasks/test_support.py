"""Why the local desktop cannot run a task, told from its file."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import JsonValue

from tasks.samples import task
from trueline.desktop.local.vs_code import find_vs_code
from trueline.tasks import parse_task
from trueline.tasks.support import needed_extras, unsupported, unsupported_injection


def step(name: str, **parameters: JsonValue) -> JsonValue:
    return {"type": name, "parameters": parameters}


@pytest.mark.parametrize(
    ("fields", "reasons"),
    [
        ({}, ()),
        ({"instruction": " \n"}, ("empty instruction",)),
        ({"config": [step("login", platform="x"), step("login", platform="y")]}, ("set-up step login",)),
        ({"config": [step("execute", command=["echo", "code"])]}, ()),
        ({"config": [step("launch", command=" ")]}, ()),
        ({"config": [step("chrome_open_tabs", urls_to_open=["http://[bad"])]}, ("live web sites",)),
        ({"related_apps": ["Excel", "word"]}, ("application Microsoft Office",)),
        ({"proxy": True}, ("live web sites",)),
        ({"config": [step("chrome_open_tabs", urls_to_open=["www.shop.example"])]}, ("live web sites",)),
        ({"config": [step("chrome_open_tabs", urls_to_open=["file:///home/user/a.html", "http://localhost/"])]}, ()),
        ({"config": [step("execute", command="echo pw | sudo -S useradd x", shell=True)]}, ("root rights in set-up",)),
        ({"config": [step("open", path="C:\\Users\\a.docx")]}, ("Windows",)),
        ({"config": [step("execute", command=["python", "-c", "try:\n  f()\nexcept E as e:\n  pass"])]}, ()),
        ({"config": [step("execute", command="gsettings set org.gnome.desktop a b")]}, ("GNOME's own settings",)),
        ({"adversary_config": [step("reddit_adv_setup")]}, ("attack on a web server (reddit_adv_setup)",)),
        ({"proxy": True, "instruction": ""}, ("empty instruction", "live web sites")),
    ],
)
def test_reasons(fields: dict[str, JsonValue], reasons: tuple[str, ...]) -> None:
    assert unsupported(parse_task({**task(), **fields}, file="x")) == reasons


@pytest.mark.parametrize("words", [{"command": ["code", "/home/user"]}, {"command": "code .", "shell": True}])
def test_visual_studio_code_where_it_is_installed(
    words: dict[str, JsonValue], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRUELINE_VS_CODE", str(tmp_path / "none"))
    wanted = parse_task({**task(), "config": [step("launch", **words)]}, file="x")
    assert unsupported(wanted) == (() if find_vs_code() else ("application Visual Studio Code",))
    assert unsupported(wanted, own=False) == ()


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


MAIL, NOTE = "thunderbird_mail_received", "desktop_notification"


@pytest.mark.parametrize(
    ("config", "vector", "additional", "reasons"),
    [
        ([], NOTE, None, ()),
        ([], NOTE, "thunderbird", ("injection with an application besides (thunderbird)",)),
        ([], MAIL, None, (f"vector {MAIL}: no set-up step opens Thunderbird",)),
        ([step("launch", command=["/usr/bin/thunderbird"])], MAIL, None, ()),
        ([step("launch", command="thunderbird -mail")], MAIL, None, ()),
        ([step("open", path="thunderbird")], MAIL, None, ()),
        (
            [step("execute", command="tar xf ~/thunderbird-profile.tar.xz -C ~/.thunderbird", shell=True)],
            MAIL,
            None,
            (f"vector {MAIL}: no set-up step opens Thunderbird",),
        ),
    ],
)
def test_injections_that_lack_what_their_runner_brings_are_not_run(
    config: list[JsonValue], vector: str, additional: str | None, reasons: tuple[str, ...]
) -> None:
    assert unsupported_injection(parse_task(task(config=config), file="x"), vector, additional) == reasons
