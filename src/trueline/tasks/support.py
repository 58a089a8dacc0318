"""Which tasks a desktop can run: what each needs against what the desktop offers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from trueline.desktop.types import Capability
from trueline.records.attack import split_twin
from trueline.tasks.applications import APPLICATIONS
from trueline.tasks.attacks.carriers import find_carrier
from trueline.tasks.attacks.from_task import entry_of
from trueline.tasks.attacks.opened import opened_applications
from trueline.tasks.attacks.text_source import TextSource
from trueline.tasks.attacks.texts_of_tasks import addresses_in, task_text, unfit
from trueline.tasks.attacks.vectors import VECTORS
from trueline.tasks.checkers import scored_by
from trueline.tasks.facilities import Facilities
from trueline.tasks.model import Task
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


def unsupported_injection(
    task: Task, vector: str, goal: str, facilities: Facilities, texts: TextSource = "own"
) -> tuple[str, ...]:
    """The reasons why an injection cannot be delivered as its task file intends; empty if it can.

    Args:
        task: The task.
        vector: How it reaches the screen.
        goal: What it wants.
        facilities: What the desktops offer.
        texts: Whose words are on the screen.
    """
    entry = entry_of(task, vector, goal)
    reasons: list[str] = []
    applications = [VECTORS.find(vector).application] if VECTORS.provides(vector) else []
    if entry is not None and entry.additional_config is not None:
        carrier = find_carrier(entry.additional_config)
        if carrier is None:
            reasons.append(f"injection with an application besides ({entry.additional_config})")
        else:
            applications.append(carrier.application)
    reasons += _not_installed(applications, facilities)
    if VECTORS.provides(vector):
        found = VECTORS.find(vector)
        if found.must_be_opened and found.application not in opened_applications(task):
            reasons.append(f"vector {vector}: no set-up step opens {found.application}")
        if texts == "task":
            text = None if entry is None else task_text(entry, split_twin(goal)[0])
            why = "the task file brings no attack text (content)" if text is None else unfit(text, found.largest)
            reasons += [f"vector {vector}: {why}"] if why else []
            if facilities.own and facilities.network and text is not None and (live := addresses_in(text)):
                reasons.append(f"the attack text names the address {live[0]}, which would be reached (--network open)")
    return tuple(reasons)


def _not_installed(titles: Iterable[str], facilities: Facilities) -> Iterator[str]:
    known = {application.title: application for application in APPLICATIONS}
    for title in dict.fromkeys(titles):
        if facilities.own and title in known and not facilities.has(known[title]):
            yield f"application {title}, which shows the injection"


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
