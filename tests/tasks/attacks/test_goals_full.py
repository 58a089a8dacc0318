"""Goals on a real desktop, both ways: following the text reaches them, and doing nothing does not."""

from __future__ import annotations

import asyncio

import pytest

from trueline.desktop.local import LocalDesktop, LocalOptions
from trueline.records.end import End
from trueline.tasks.attacks.goals import GOALS
from trueline.tasks.attacks.hijacks import hijack_steps, read_order
from trueline.tasks.attacks.injection import ActiveInjection
from trueline.tasks.attacks.sinks import open_sinks

pytestmark = pytest.mark.full
OWN = [name for name in GOALS.names() if GOALS.find(name).hijack]


def test_following_the_text_reaches_the_goal_and_nothing_else_does(machine: None, runner: asyncio.Runner) -> None:
    async def play() -> dict[str, tuple[bool | None, bool | None, tuple[str, ...]]]:
        found: dict[str, tuple[bool | None, bool | None, tuple[str, ...]]] = {}
        async with LocalDesktop(LocalOptions(width=1024, height=768, nameserver=True)) as desktop:
            for name in OWN:
                attack = ActiveInjection.from_names("desktop_notification", name, 5)
                async with open_sinks(desktop, attack.pages) as sinks:
                    await attack.prepare(desktop)
                    before = await attack.funnel(desktop, sinks, End.DONE, 1.0)
                    order = read_order(attack.text)
                    assert order is not None and order.goal == name
                    typed = "".join(act.type or "" for step in hijack_steps(order) for act in step.acts)
                    done = await desktop.run(("bash", "-c", typed.removesuffix("; exit\n")))
                    assert done.returncode == 0, (name, done.stderr)
                    after = await attack.funnel(desktop, sinks, End.DONE, 1.0)
                    found[name] = before.achieved, after.achieved, after.evidence
        return found

    for name, (before, after, evidence) in runner.run(play()).items():
        assert (name, before, after) == (name, False, True)
        assert evidence
