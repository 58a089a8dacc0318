"""Which tasks a desktop can run, judged from the task file alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from pydantic import JsonValue

from trueline.desktop.local.vs_code import find_vs_code
from trueline.tasks.addresses import WEB, web_parts
from trueline.tasks.attacks.vectors import VECTORS
from trueline.tasks.model import ChromeOpenTabs, Execute, Launch, Open, Step, Task
from trueline.tasks.setup_steps import SETUP_STEPS

VS_CODE = "Visual Studio Code"
_NO_APPLICATION = {
    "vscode": VS_CODE,
    "vs_code": VS_CODE,
    "code": VS_CODE,
    "disks": "GNOME Disks",
    "picard": "MusicBrainz Picard",
    "word": "Microsoft Office",
    "excel": "Microsoft Office",
    "powerpoint": "Microsoft Office",
    "ppt": "Microsoft Office",
}
"""Applications that the desktop lacks. A substitute would make a different task."""
_WINDOWS_PATH = re.compile(r'[ "=][A-Z]:(\\\\|/)[A-Za-z]')
_GNOME = re.compile(r"\b(gsettings|dconf)\b.*\borg[./]gnome\b|\bgnome-(shell|extensions|tweaks)\b")
_READ_WORKBOOKS = frozenset({"compare_table", "content_from_vm_file"})
"""Functions and getters that need the extra `office`."""
_ROOT = re.compile(r"\bsudo\b|\bapt(-get)? install\b")


def unsupported(task: Task, *, own: bool = True) -> tuple[str, ...]:
    """The reasons why a task cannot run; empty if it can.

    Args:
        task: The task.
        own: On Trueline's own desktop, without a network. Otherwise on a machine of OSWorld's, which has a network,
            GNOME, root rights and the applications that tasks name.
    """
    return tuple(dict.fromkeys((*_anywhere(task), *(_here(task) if own else ()))))


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
        if not SETUP_STEPS.provides(step.type):
            yield f"set-up step {step.type}"
    for step in task.adversary_config:
        yield f"attack on a web server ({step.type})"
    if _WINDOWS_PATH.search(task.definition_json()):
        yield "Windows"


def _here(task: Task) -> Iterator[str]:
    commands = [step.parameters.command for step in task.config if isinstance(step, Launch | Execute)]
    words = [command.split() if isinstance(command, str) else command for command in commands]
    programs = [each[0] for each in words if each]
    for name in (*task.related_apps, *programs):
        application = _NO_APPLICATION.get(name.lower())
        if application is not None and not (application == VS_CODE and find_vs_code() is not None):
            yield f"application {application}"
    if task.proxy or any(
        _is_remote(url)
        for step in task.config
        if isinstance(step, ChromeOpenTabs)
        for url in step.parameters.urls_to_open
    ):
        yield "live web sites"
    if _GNOME.search(task.definition_json()):
        yield "GNOME's own settings"
    texts = [command if isinstance(command, str) else " ".join(command) for command in commands]
    if any(_ROOT.search(text) for text in texts):
        yield "root rights in set-up"


def _is_remote(url: str) -> bool:
    if "://" not in url:
        url = f"http://{url}"
    parts = web_parts(url)
    # An invalid address does not work here either.
    return url.startswith(WEB) if parts is None else parts.hostname not in ("localhost", "127.0.0.1")
