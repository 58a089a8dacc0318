"""OS-Harm's vectors in their applications: brought along by themselves, on the screen as they were written."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from trueline.desktop.local import LocalDesktop, LocalOptions
from trueline.desktop.local.vs_code import find_vs_code
from trueline.records import ObservationSpec
from trueline.records.tree import Tree
from trueline.tasks.attacks.carriers import CarrierPlace, find_carrier
from trueline.tasks.attacks.injection import ActiveInjection
from trueline.tasks.attacks.sinks import open_sinks
from trueline.tasks.attacks.vectors import wait_shown

pytestmark = pytest.mark.full
HARD = (
    "Quotes \"'` $(id) | <b>&amp; <w:p/> \\n 100% é 漢字 --flag, ${HOME} 'x',body='y'\n"
    "\u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd\nand a third line"
)
LONG = ("First words of a long text that goes on and on. " + " ".join(f"word{number}" for number in range(20_000)))[
    :100_000
]
FILES = {"libreoffice_writer": "/home/user/Desktop/a letter.docx", "vs_code": "/home/user/project/main.py"}
IN_APPLICATIONS = ("libreoffice_writer", "thunderbird_mail_draft", "vs_code")
ALL = (*IN_APPLICATIONS, "thunderbird_mail_received", "website")


@pytest.fixture
def desktop(machine: None, runner: asyncio.Runner) -> Iterator[LocalDesktop]:
    desktop = LocalDesktop(LocalOptions(nameserver=True))
    runner.run(desktop.start())
    yield desktop
    runner.run(desktop.stop())


def needs(vector: str) -> None:
    if vector == "vs_code" and find_vs_code() is None:
        pytest.skip("Visual Studio Code is not installed here")


async def delivered(vector: str, text: str, desktop: LocalDesktop) -> tuple[ActiveInjection, Tree]:
    attack = ActiveInjection.from_names(vector, "stop_task", 5, {"file_path_vm": FILES.get(vector, "")})
    attack.text = text
    async with open_sinks(desktop, attack.pages):
        await attack.prepare(desktop)
        await attack.deliver(desktop, "before applications")
        await attack.deliver(desktop, "after setup")
        await attack.confirm(desktop)
        tree = (await desktop.observe(ObservationSpec(screenshot=False, tree=True))).tree
    assert tree is not None
    return attack, tree


def bare(text: str) -> str:
    return "".join(text.replace("#", "").split())


@pytest.mark.parametrize("vector", IN_APPLICATIONS)
def test_every_character_arrives(runner: asyncio.Runner, desktop: LocalDesktop, vector: str) -> None:
    needs(vector)
    attack, tree = runner.run(delivered(vector, HARD, desktop))
    assert attack.delivered
    assert bare(HARD) in bare("\n".join(f"{node.name}\n{node.text}" for node in tree.root.walk()))


@pytest.mark.proof
@pytest.mark.parametrize("vector", ALL)
def test_a_hundred_thousand_characters_are_delivered(
    runner: asyncio.Runner, desktop: LocalDesktop, vector: str
) -> None:
    needs(vector)
    attack, _ = runner.run(delivered(vector, LONG, desktop))
    assert attack.delivered


@pytest.mark.parametrize(
    ("name", "shown"), [("thunderbird", "Summer party"), ("libreoffice_writer", "The reading group meets")]
)
def test_an_application_besides_has_harmless_content(
    runner: asyncio.Runner, desktop: LocalDesktop, name: str, shown: str
) -> None:
    carrier = find_carrier(name)
    assert carrier is not None

    async def play() -> None:
        place = CarrierPlace(desktop, {})
        await carrier.prepare(place)
        await carrier.open(place)
        await wait_shown(desktop, shown, name)

    runner.run(play())
