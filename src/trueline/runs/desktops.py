"""Chooses the desktops of a run from its request."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trueline.errors import RequestError
from trueline.records.setting import Environment
from trueline.runs.request import RunRequest
from trueline.tasks.facilities import Facilities, local_facilities

if TYPE_CHECKING:
    from trueline.desktop.osworld.run_machine import MachineInfo
    from trueline.desktop.perturbations import Applied, Perturbation
    from trueline.desktop.types import Desktop


@dataclass(frozen=True)
class Chosen:
    """The desktops of a run."""

    open: Callable[[], AbstractAsyncContextManager[Desktop]]
    environment: Environment
    facilities: Facilities
    perturbation: Applied | None
    """The perturbation that is applied to them."""
    ahead: int = 0
    """How many more to set up in advance."""


async def choose_desktops(request: RunRequest) -> Chosen:
    """Choose the desktops of a request; a remote machine is queried.

    Raises:
        RequestError: The desktops are not as the request says, or cannot do what it asks for.
        DesktopLost: The machine cannot be reached.
    """
    from trueline.desktop.perturbations import load_set

    perturbation = load_set(request.perturbations) if request.perturbations else None
    return await _remote(request, perturbation) if request.provider_name == "osworld" else _local(request, perturbation)


def _local(request: RunRequest, perturbation: Perturbation | None) -> Chosen:
    from trueline.desktop.local import LocalDesktop, LocalOptions
    from trueline.desktop.local.perturbed_template import applied_perturbation, with_perturbation
    from trueline.desktop.local.template import machine_version

    screen = request.screen
    # Without a network every name leads to the sinks: what leaves a desktop is seen, and nothing leaves it.
    # Under attack the attacker's names do so with a network as well.
    options = LocalOptions(
        *screen,
        network=request.network,
        nameserver=request.network == "none" or request.inject,
        sudo_password=request.client_password,
    )
    if perturbation is not None:
        options = with_perturbation(options, perturbation)
    environment = Environment(
        provider="local", version=machine_version()[:16], screen=screen, options={"network": options.network}
    )
    ahead = (request.num_envs + 1) // 2
    facilities = local_facilities(network=request.network == "open", sinks=request.inject)
    return Chosen(lambda: LocalDesktop(options), environment, facilities, applied_perturbation(options), ahead)


async def _remote(request: RunRequest, perturbation: Perturbation | None) -> Chosen:
    from trueline.desktop.osworld.run_machine import ask_machine, open_run_machine
    from trueline.desktop.perturbations import gnome_applied
    from trueline.desktop.types import Capability

    address = request.path_to_vm
    assert address is not None, "checked with the request"
    facts = await ask_machine(address)
    screen = request.screen
    if facts.screen is not None and tuple(facts.screen) != screen:
        width, height = facts.screen
        raise RequestError(
            f"{address}: its screen is {width}x{height}, not {screen[0]}x{screen[1]}: "
            f"set `screen_width` {width} and `screen_height` {height}"
        )
    if request.method is not None and Capability.RESET not in facts.capabilities:
        raise RequestError(f"`method` {request.method}: {address} cannot be reset for another try")
    environment = Environment(provider="osworld", version=address, screen=screen)
    if facts.ours:
        applied = _served_perturbation(address, facts, perturbation)
        # It is taken to have what this machine has.
        facilities = local_facilities(capabilities=facts.capabilities)
        return Chosen(lambda: open_run_machine(address), environment, facilities, applied)
    open_ = lambda: open_run_machine(address, perturbation, sudo_password=request.client_password)  # noqa: E731
    facilities = Facilities.of_osworld(facts.capabilities)
    return Chosen(open_, environment, facilities, None if perturbation is None else gnome_applied(perturbation))


def _served_perturbation(address: str, facts: MachineInfo, wanted: Perturbation | None) -> Applied | None:
    """The perturbation of a served desktop, which must be the requested one, because it is set at its start."""
    from trueline.desktop.perturbations import digest_of

    applied = facts.perturbation
    if (None if applied is None else applied.digest) == (None if wanted is None else digest_of(wanted)):
        return applied
    if wanted is None:
        assert applied is not None, "they differ"
        raise RequestError(
            f"{address}: its desktop shows perturbation {applied.name}: set `perturbations` {applied.name}"
        )
    raise RequestError(
        f"{address}: its desktop does not show version {wanted.version} of perturbation {wanted.name}: start it "
        "with trueline desktop serve --perturbations"
    )
