"""Which desktops a run is played on, from its flags."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trueline.errors import InputError
from trueline.records.setting import Environment
from trueline.runs.abilities import Abilities

if TYPE_CHECKING:
    from trueline.desktop.osworld.fresh import Facts
    from trueline.desktop.perturbations import Applied, Perturbation
    from trueline.desktop.types import Desktop

_NO_MACHINES = (
    "there is no provider {name} here: use local, or osworld with --path_to_vm host:port for any machine that runs "
    "OSWorld's server"
)

_IMAGES = (".vmx", ".vbox", ".vdi", ".qcow2", ".ova")


@dataclass(frozen=True)
class Chosen:
    """The desktops of a run."""

    open: Callable[[], AbstractAsyncContextManager[Desktop]]
    environment: Environment
    abilities: Abilities
    look: Applied | None
    """How they look otherwise."""
    ahead: int = 0
    """How many more of them are set up while others are played on."""


def see_provider(args: argparse.Namespace) -> None:
    """Refuse what no desktop here can be.

    Raises:
        InputError: The flags do not go together.
    """
    if args.provider_name not in ("local", "osworld"):
        raise InputError(_NO_MACHINES.format(name=args.provider_name))
    if args.provider_name == "osworld" and not args.path_to_vm:
        raise InputError("--provider_name osworld needs --path_to_vm host:port")
    if args.provider_name == "local" and args.path_to_vm:
        raise InputError(f"--path_to_vm {args.path_to_vm} needs --provider_name osworld and an address host:port")
    if args.path_to_vm and args.path_to_vm.lower().endswith(_IMAGES):
        raise InputError(
            f"--path_to_vm {args.path_to_vm}: files of virtual machines are not started here: start the machine "
            "yourself and give host:port of the server in it"
        )
    if args.provider_name == "osworld" and args.num_envs > 1:
        raise InputError("--provider_name osworld drives one machine: leave --num_envs out")


async def choose_desktops(args: argparse.Namespace) -> Chosen:
    """Find out what there is to play on; a machine elsewhere is asked who it is.

    Raises:
        InputError: The desktops are not as the flags say, or cannot do what they ask for.
        DesktopLost: The machine cannot be reached.
    """
    from trueline.desktop.perturbations import load_set

    perturbation = load_set(args.perturbations) if args.perturbations else None
    return await _remote(args, perturbation) if args.provider_name == "osworld" else _local(args, perturbation)


def _local(args: argparse.Namespace, perturbation: Perturbation | None) -> Chosen:
    from trueline.desktop.local import LocalDesktop, LocalOptions
    from trueline.desktop.local.look import applied_to, perturbed
    from trueline.desktop.local.template import machine_version

    screen = (args.screen_width, args.screen_height)
    # Every name leads to the sinks: what leaves a desktop is seen, and nothing leaves it.
    options = LocalOptions(*screen, nameserver=True, sudo_password=args.client_password)
    if perturbation is not None:
        options = perturbed(options, perturbation)
    environment = Environment(
        provider="local", version=machine_version()[:16], screen=screen, options={"network": options.network}
    )
    ahead = (args.num_envs + 1) // 2
    return Chosen(lambda: LocalDesktop(options), environment, Abilities(), applied_to(options), ahead)


async def _remote(args: argparse.Namespace, perturbation: Perturbation | None) -> Chosen:
    from trueline.desktop.osworld.fresh import ask_machine, fresh
    from trueline.desktop.perturbations import gnome_applied
    from trueline.desktop.types import Capability

    address = args.path_to_vm
    facts = await ask_machine(address)
    screen = (args.screen_width, args.screen_height)
    if facts.screen is not None and tuple(facts.screen) != screen:
        width, height = facts.screen
        raise InputError(
            f"{address}: its screen is {width}x{height}, not {screen[0]}x{screen[1]}: "
            f"say --screen_width {width} --screen_height {height}"
        )
    if args.method is not None and Capability.RESET not in facts.capabilities:
        raise InputError(f"--method {args.method}: {address} cannot be put back to its first state for another try")
    environment = Environment(provider="osworld", version=address, screen=screen)
    abilities = Abilities(facts.capabilities, own=facts.ours)
    if facts.ours:
        look = _served_look(address, facts, perturbation)
        return Chosen(lambda: fresh(address), environment, abilities, look)
    open_ = lambda: fresh(address, perturbation, sudo_password=args.client_password)  # noqa: E731
    return Chosen(open_, environment, abilities, None if perturbation is None else gnome_applied(perturbation))


def _served_look(address: str, facts: Facts, wanted: Perturbation | None) -> Applied | None:
    """How our own server made its desktop look, which must be what was asked for: it is made so at its start."""
    from trueline.desktop.perturbations import digest_of

    look = facts.look
    if (None if look is None else look.digest) == (None if wanted is None else digest_of(wanted)):
        return look
    if wanted is None:
        assert look is not None, "they differ"
        raise InputError(f"{address}: its desktop looks as perturbation {look.name}: say --perturbations {look.name}")
    raise InputError(
        f"{address}: its desktop does not look as version {wanted.version} of perturbation {wanted.name}: start it "
        "with trueline desktop serve --perturbations"
    )
