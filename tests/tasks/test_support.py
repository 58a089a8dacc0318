"""Why the local desktop cannot run a task, told from its file."""

from __future__ import annotations

import pytest
from pydantic import JsonValue

from tasks.samples import task
from trueline.tasks import parse_task
from trueline.tasks.support import unsupported


def step(name: str, **parameters: JsonValue) -> JsonValue:
    return {"type": name, "parameters": parameters}


@pytest.mark.parametrize(
    ("fields", "reasons"),
    [
        ({}, ()),
        ({"instruction": " \n"}, ("empty instruction",)),
        ({"config": [step("login", platform="x"), step("login", platform="y")]}, ("set-up step login",)),
        ({"config": [step("launch", command=["code", "/home/user"])]}, ("application Visual Studio Code",)),
        ({"config": [step("launch", command="code .", shell=True)]}, ("application Visual Studio Code",)),
        ({"config": [step("execute", command=["echo", "code"])]}, ()),
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
