"""A machine for a run: asked who it is, held alone, put back to its first state, made to look otherwise."""

from __future__ import annotations

import asyncio

import pytest

from support.desktop_service import SMALL, Service, served
from support.machine import need_machine
from support.stock_machine import StockMachine, stock_machine
from trueline.desktop.local import LocalDesktop
from trueline.desktop.local.perturbed_template import applied_perturbation, with_perturbation
from trueline.desktop.osworld.run_machine import ask_machine, open_run_machine
from trueline.desktop.perturbations import load_set
from trueline.desktop.perturbations.gnome import gnome_commands
from trueline.desktop.perturbations.sets import wallpaper
from trueline.desktop.types import Capability, DesktopError
from trueline.errors import InputError


@pytest.fixture(autouse=True)
def _token(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    assert service.token is not None
    monkeypatch.setenv("TRUELINE_DESKTOP_TOKEN", service.token)


def test_a_machine_that_somebody_used_is_put_back_first(runner: asyncio.Runner, service: Service) -> None:
    async def work() -> None:
        await service.desktop.put("left-behind", b"x")
        async with open_run_machine(f"127.0.0.1:{service.port}") as desktop:
            assert await desktop.diff() == ()

    runner.run(asyncio.wait_for(work(), 60))


def test_two_runs_do_not_drive_one_machine(runner: asyncio.Runner, service: Service) -> None:
    address = f"127.0.0.1:{service.port}"

    async def again() -> None:
        async with open_run_machine(address):
            pass

    async def work() -> None:
        async with open_run_machine(address):
            with pytest.raises(InputError, match="another run drives this machine"):
                await again()
        await again()

    runner.run(asyncio.wait_for(work(), 60))


def test_a_machine_says_who_it_is(runner: asyncio.Runner, service: Service) -> None:
    facts = runner.run(ask_machine(f"127.0.0.1:{service.port}"))
    assert (facts.ours, facts.perturbation, facts.screen) == (True, None, (1024, 768))
    assert {Capability.DIFF, Capability.RESET} <= facts.capabilities
    assert Capability.SINKS not in facts.capabilities


def test_a_served_desktop_tells_how_it_looks(runner: asyncio.Runner) -> None:
    need_machine()
    options = with_perturbation(SMALL, load_set("dark"))

    async def work() -> None:
        async with (
            LocalDesktop(options) as desktop,
            served(desktop, perturbation=applied_perturbation(options)) as service,
        ):
            facts = await ask_machine(f"127.0.0.1:{service.port}")
            assert facts.perturbation == applied_perturbation(options)

    runner.run(asyncio.wait_for(work(), 60))


def gnome(machine: StockMachine) -> list[tuple[str, ...]]:
    """The commands that change a setting, without what bounds them in time and place."""
    found = [command[command.index("-C") + 2 :] for command in machine.commands if command[0] == "timeout"]
    return [command for command in found if command[0] != "sh"]


def test_gnome_is_told_every_setting_through_execute(runner: asyncio.Runner) -> None:
    one = load_set("1")

    async def work() -> None:
        async with stock_machine() as machine:
            facts = await ask_machine(f"127.0.0.1:{machine.port}")
            assert (facts.ours, facts.capabilities) == (False, {Capability.RECORD})
            async with open_run_machine(f"127.0.0.1:{machine.port}", one, sudo_password="it's secret"):
                pass
            assert tuple(gnome(machine)) == gnome_commands(one, sudo_password="it's secret")
            assert gnome(machine)[0][:2] == ("gsettings", "set")
            assert machine.files == {"/tmp/trueline-wallpaper.png": wallpaper(one)}

    runner.run(asyncio.wait_for(work(), 60))


def test_a_setting_that_the_machine_does_not_know_is_said_before_anything_is_played(runner: asyncio.Runner) -> None:
    async def work() -> None:
        async with stock_machine() as machine:
            machine.returncode = lambda command: int("dock-position" in command)
            async with open_run_machine(f"127.0.0.1:{machine.port}", load_set("1")):
                pytest.fail("it looks half as it should")

    with pytest.raises(DesktopError, match=r"perturbation 1: dock-position could not be set: No such schema"):
        runner.run(asyncio.wait_for(work(), 60))
