"""Which tasks a desktop can run: what each needs against what the desktop offers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from pydantic import JsonValue

from trueline.desktop.types import Capability
from trueline.tasks.attacks.vectors import VECTORS
from trueline.tasks.checkers import scored_by
from trueline.tasks.facilities import Facilities
from trueline.tasks.model import Execute, Launch, Open, Step, Task
from trueline.tasks.needs import needs_of
from trueline.tasks.rtc.addresses import SITE_OF, SiteAddresses, is_rtc
from trueline.tasks.rtc.place import parse_attack
from trueline.tasks.setup.errors import StepFailed
from trueline.tasks.setup_steps import SETUP_STEPS

_WINDOWS_PATH = re.compile(r'[ "=][A-Z]:(\\\\|/)[A-Za-z]')
_ACCOUNT = " (needs a Google account, which Trueline does not use)"
_ACCOUNTS = {"googledrive": _ACCOUNT, "login": _ACCOUNT}
"""Why steps of OSWorld's are not provided."""
_READ_WORKBOOKS = frozenset({"compare_table", "content_from_vm_file"})
"""Functions and getters that need the extra `office`."""


def unsupported(task: Task, facilities: Facilities, sites: SiteAddresses | None = None) -> tuple[str, ...]:
    """The reasons why a task cannot run on a desktop with these facilities; empty if it can.

    Args:
        task: The task.
        facilities: What the desktop offers.
        sites: Where the sites of RTC-Bench's tasks are; by default they are stand-ins.
    """
    found = (*_anywhere(task), *_on_sites(task, facilities, sites or SiteAddresses()), *_lacking(task, facilities))
    return tuple(dict.fromkeys(found))


def needed_extras(task: Task) -> tuple[str, ...]:
    """The optional dependencies without which a task could be played, but not checked."""
    names = {*task.evaluator.functions, *(getter.type for getter in task.evaluator.getters)}
    return () if names.isdisjoint(_READ_WORKBOOKS) else ("office",)


def unsupported_injection(task: Task, vector: str, additional: JsonValue = None) -> tuple[str, ...]:
    """The reasons why an injection cannot be delivered as its task file intends; empty if it can.

    Args:
        task: The task.
        vector: How it reaches the screen.
        additional: The entry's `additional_config`. OS-Harm's runner then brings an application with a document or
            mails that no step of the task names; the same injection without them would be another episode.
    """
    reasons: list[str] = []
    if additional is not None:
        reasons.append(f"injection with an application besides ({additional})")
    application = VECTORS.find(vector).application if VECTORS.provides(vector) else ""
    if application and not any(_opens(step, application.lower()) for step in task.config):
        reasons.append(f"vector {vector}: no set-up step opens {application}")
    return tuple(reasons)


def _opens(step: Step, application: str) -> bool:
    match step:
        case Launch() | Execute():
            command = step.parameters.command
            words = (command if isinstance(command, str) else " ".join(command)).split()
            return any(PurePosixPath(word).name == application for word in words)
        case Open():
            return step.parameters.path == application
        case _:
            return False


def _anywhere(task: Task) -> Iterator[str]:
    if not task.instruction.strip():
        yield "empty instruction"
    for step in (*task.config, *task.evaluator.postconfig):
        if not SETUP_STEPS.provides(step.type) or (step.type == "login" and not is_rtc(task)):
            yield f"set-up step {step.type}{_ACCOUNTS.get(step.type, '')}"
    if _WINDOWS_PATH.search(task.definition_json()):
        yield "Windows"


def _on_sites(task: Task, facilities: Facilities, sites: SiteAddresses) -> Iterator[str]:
    """What a task of RTC-Bench lacks."""
    if not is_rtc(task):
        return
    site = SITE_OF.get(task.platform or "")
    if site is None:
        yield f"platform {task.platform}: must be one of {', '.join(SITE_OF)}"
        return
    for step in task.adversary_config:
        try:
            parse_attack(step)
        except StepFailed as error:
            yield str(error)
    if task.adversary_evaluator is None:
        yield "attack without an adversary_evaluator"
    elif scored_by(task.adversary_evaluator, "native") != "native":
        yield f"checker of the attack {'/'.join(task.adversary_evaluator.functions)}"
    if site in sites.originals:
        return
    if not facilities.own or Capability.SINKS not in facilities.capabilities:
        yield f"stand-in sites (they need local desktops with --network none, or --sites {site}=URL)"


def _lacking(task: Task, facilities: Facilities) -> Iterator[str]:
    if not facilities.own:
        return
    needs = needs_of(task)
    for application in needs.applications:
        if not facilities.has(application):
            yield f"application {application.title}{application.lacks and f' ({application.lacks})'}"
    if needs.sites and not facilities.network:
        yield "live web sites"
    there = facilities.has_packages(needs.packages)
    if not facilities.network and (needs.other_packages or not there):
        yield "packages from the network"
    # Installing what is there already fails without root, and leaves nothing undone.
    if (needs.root or not there) and not facilities.root:
        yield "root rights"
    if not facilities.init:
        yield from (f"{name}: no init system" for name in needs.init)
    if needs.sound and not facilities.sound:
        yield "sound"
    for schema in needs.schemas:
        if facilities.schemas is not None and schema not in facilities.schemas:
            yield f"gsettings schema {schema}"
