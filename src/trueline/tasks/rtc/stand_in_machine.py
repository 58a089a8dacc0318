"""Turning a desktop into the machine that RTC-Bench's tasks expect."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from importlib import resources

from trueline.desktop.types import DesktopError
from trueline.tasks.model import Getter, Launch, Task
from trueline.tasks.model.evaluator import checks
from trueline.tasks.rtc.reach import DATA_HOST
from trueline.tasks.setup.errors import StepFailed
from trueline.tasks.sites.code_hosts import CODE_HOSTS
from trueline.tasks.sites.stand_ins import HOST
from trueline.tasks.workspace import Workspace

_PACKAGES = ("apt", "apt-get", "pip", "pip3", "docker")
_SERVICES = ("ssh", "sshd", "openvpn", "cron", "nginx")
_UNIT = re.compile(r"\b(?:is-active|status)\s+([\w@.-]+)")
_WORD = re.compile(r"[\w.+-]+")
_INSTALLED_BY_TASK = ("check_htop_version", "check_nodejs")
"""Checks for a program that is not there at first."""
_PROFILE = "--user-data-dir="
_LIMIT = 60.0


async def prepare_machine(task: Task, workspace: Workspace) -> None:
    """Add the stand-in programs, and take away what the task is to install.

    Raises:
        StepFailed: It cannot be done; the desktop lacks root.
    """
    source = resources.files("trueline.tasks.rtc.machine")
    packages = (source / "packages.py").read_text("utf-8")
    systemctl = (source / "systemctl.py").read_text("utf-8")
    browser = _browser(task)
    wanted = {
        "absent": list(_absent(task)),
        "programs": {
            **dict.fromkeys(_PACKAGES, packages),
            "systemctl": systemctl,
            "service": systemctl,
            "gnome-terminal": (source / "gnome-terminal.sh").read_text("utf-8"),
            "google-chrome": browser,
            "google-chrome-stable": browser,
        },
        "services": sorted({*_SERVICES, *_services(task)}),
        "code_hosts": sorted(CODE_HOSTS),
        "hosts": sorted({*CODE_HOSTS, HOST, DATA_HOST}),
    }
    script = (source / "install.py").read_text("utf-8")
    argv = ("sudo", "-S", "-p", "", "python3", "-I", "-c", script, json.dumps(wanted))
    try:
        done = await workspace.desktop.run(argv, stdin=f"{workspace.password}\n".encode(), time_limit=_LIMIT)
    except DesktopError as error:
        raise StepFailed(f"the stand-in programs could not be installed: {error}") from error
    if done.returncode != 0:
        raise StepFailed("the stand-in programs could not be installed", done.stderr.decode("utf-8", "replace"))


def _browser(task: Task) -> str:
    """The browser under its usual name: on the machine of the tasks it has one profile."""
    words = (word for step in task.config if isinstance(step, Launch) for word in step.parameters.command)
    profile = next((word for word in words if word.startswith(_PROFILE)), "")
    return (
        f'#!/bin/sh\nexec /usr/local/bin/chromium {shlex.quote(profile)} "$@"\n'
        if profile
        else ('#!/bin/sh\nexec /usr/local/bin/chromium "$@"\n')
    )


def _absent(task: Task) -> Iterator[str]:
    for check in checks(task.evaluator):
        words = _command(check.result).split()
        if check.function in _INSTALLED_BY_TASK and words and _WORD.fullmatch(words[0]):
            yield words[0]


def _services(task: Task) -> Iterator[str]:
    for evaluator in (task.evaluator, task.adversary_evaluator):
        for getter in evaluator.getters if evaluator is not None else ():
            yield from _UNIT.findall(_command(getter))


def _command(getter: Getter | None) -> str:
    command = None if getter is None else (getter.model_extra or {}).get("command")
    return command if isinstance(command, str) else ""
