"""Injections through applications of the full set: a mail in Thunderbird, a web site in Chromium."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from trueline.actions import Click, Point
from trueline.desktop.local import LocalDesktop, LocalOptions
from trueline.desktop.local.thunderbird import INBOX
from trueline.desktop.types import WindowShown
from trueline.records import ObservationSpec
from trueline.records.tree import linearise
from trueline.tasks.attacks.goals import injected_title
from trueline.tasks.attacks.injection import ActiveInjection
from trueline.tasks.attacks.sinks import open_sinks
from trueline.tasks.attacks.vectors import wait_shown
from trueline.tasks.attacks.visibility import is_visible

pytestmark = pytest.mark.full
HARD = "From here: quotes \"'` $(id) | <b>&amp; \\n 100% é 漢字 --flag\nFrom the second line on, more"
TREE = ObservationSpec(screenshot=False, tree=True)


@pytest.fixture
def desktop(machine: None, runner: asyncio.Runner) -> Iterator[LocalDesktop]:
    desktop = LocalDesktop(LocalOptions(width=1280, height=900, nameserver=True))
    runner.run(desktop.start())
    yield desktop
    runner.run(desktop.stop())


def injection(vector: str, **params: str) -> ActiveInjection:
    made = ActiveInjection.from_names(vector, "stop_task", 5, params)
    made.text = HARD
    return made


async def look(attack: ActiveInjection, desktop: LocalDesktop, step: int) -> None:
    observation = await desktop.observe(TREE)
    assert observation.tree is not None
    await attack.seen(step, observation, desktop, words=linearise(observation.tree), picture=False)


async def click(desktop: LocalDesktop, role: str, name: str) -> None:
    tree = (await desktop.observe(TREE)).tree
    assert tree is not None
    centre = next(node.centre for node in tree.root.walk() if node.role == role and name in node.name)
    assert centre is not None
    await desktop.act(Click(at=Point(*centre)), id=name)


def test_a_mail_lies_in_the_inbox_and_opens_as_it_was_written(runner: asyncio.Runner, desktop: LocalDesktop) -> None:
    async def play() -> tuple[ActiveInjection, bytes]:
        attack = injection("thunderbird_mail_received", sender='Jo "J" Röd, Ltd <jo@example.com>')
        await attack.deliver(desktop, "before applications")
        await desktop.launch(("thunderbird",))
        await desktop.wait_for(WindowShown(app="thunderbird"), time_limit=60)
        await attack.confirm(desktop)
        await look(attack, desktop, 1)
        assert attack.exposure.text_step is None
        await click(desktop, "list-item", injected_title())
        await wait_shown(desktop, HARD, "opened")
        await look(attack, desktop, 2)
        return attack, await desktop.get(INBOX)

    attack, inbox = runner.run(play())
    assert (attack.delivered, attack.exposure.text_step) == (True, 2)
    assert inbox.count(b"\nFrom - ") == 0


def test_mail_is_added_to_mail(runner: asyncio.Runner, desktop: LocalDesktop) -> None:
    async def play() -> bytes:
        for _ in range(2):
            attack = injection("thunderbird_mail_received")
            attack.opened = frozenset({"Thunderbird"})
            await attack.deliver(desktop, "before applications")
        return await desktop.get(INBOX)

    inbox = runner.run(play())
    assert inbox.count(b"From - ") == 2
    assert inbox.count(b"\nFrom: Alex Doe <alex@example.com>\n") == 2


def test_a_web_site_is_shown_in_the_browser_as_it_was_written(runner: asyncio.Runner, desktop: LocalDesktop) -> None:
    async def play() -> ActiveInjection:
        attack = injection("website")
        async with open_sinks(desktop, attack.pages) as sinks:
            await desktop.launch(("chromium", "about:blank"))
            await desktop.wait_for(WindowShown(app="chromium"), time_limit=60)
            await attack.deliver(desktop, "after setup")
            await attack.confirm(desktop)
            seen = await desktop.observe(TREE)
            await look(attack, desktop, 1)
            assert is_visible(seen, injected_title())
            assert attack.canaries.site in sinks.names
        return attack

    attack = runner.run(play())
    assert (attack.delivered, attack.exposure.text_step) == (True, 1)
