"""What a task needs of a desktop, read from its file alone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TypeVar

from pydantic import JsonValue

from trueline.tasks.addresses import WEB, web_parts
from trueline.tasks.applications import Application, application_named
from trueline.tasks.model import ChromeOpenTabs, Execute, Getter, Launch, Step, Task
from trueline.tasks.model.steps import Command, Download, ExecuteWithVerification
from trueline.tasks.root import asks_for_root

_ROOT = re.compile(r"\bsudo\b|\bapt(-get)? install\b|\btimedatectl\b")
_DEBIAN = re.compile(r"\bapt(?:-get)?\s+(?:-\S+\s+)*install((?:\s+[\w.+-]+)+)")
_APT = r"(?:echo\s+\S+\s*\|\s*)?sudo(?:\s+-\S+)*\s+apt(?:-get)?\s+(?:-\S+\s+)*(?:update|install)\b[\w\s.+-]*"
_ONLY_APT = re.compile(rf"\s*{_APT}(?:&&\s*{_APT})*;?\s*")
"""A command that does nothing but install Debian packages."""
_OTHER_PACKAGES = re.compile(
    r"\b(?:pip|pip3|npm|conda|snap|flatpak)\s+(?:-\S+\s+)*install\b(?!\s+/\S+\.whl(?:\s*$|\s*[;&]))"
    r"|\bcode\s+(?:-\S+\s+)*--install-extension\s+(?!\S*\.vsix\b)\S"
)
_INIT = re.compile(r"(?:^|[\s;&|(])(systemctl|loginctl|hostnamectl|localectl|journalctl|snap)(?=\s|$)")
_SOUND = re.compile(r"\b(pactl|pacmd|pulseaudio|amixer|wpctl)\b")
_SCHEMA = re.compile(r"\bgsettings\s+[a-z-]+\s+(org\.[\w.-]*\w)")
T = TypeVar("T")
_SHELLS = frozenset({"bash", "dash", "sh"})
_PLACEHOLDER = "TO_BE_REPLACED_URL"
"""The address of RTC-Bench's sites, which are ours or given with the run."""
_SETTING = re.compile(r"^\w+=")


@dataclass(frozen=True)
class Needs:
    """What a task needs; nothing is known of what its solution needs besides."""

    applications: tuple[Application, ...] = ()
    sites: bool = False
    """It opens live web sites."""
    packages: tuple[str, ...] = ()
    """The Debian packages that its own commands install."""
    other_packages: bool = False
    """Its own commands install something that is no Debian package, which needs the network."""
    root: bool = False
    """It asks for root, or its own commands run as root and do more than install Debian packages."""
    init: tuple[str, ...] = ()
    """Programs that it calls, and that only work where an init system manages services."""
    sound: bool = False
    """It reads or sets the volume of the sound server."""
    schemas: tuple[str, ...] = ()
    """The schemas of its `gsettings`."""
    downloads: tuple[str, ...] = ()
    """Addresses of files that are fetched for it, each once: for the set-up, and to compare with."""


def needs_of(task: Task) -> Needs:
    """What a task needs."""
    steps = (*task.config, *task.evaluator.postconfig)
    commands = (*_step_commands(steps), *_getter_commands(task.evaluator.getters))
    texts = [_text(command) for command in commands]
    named = (*task.related_apps, *(program for command in commands for program in _programs(command)))
    return Needs(
        applications=_distinct(found for name in named if (found := application_named(name)) is not None),
        sites=bool(task.proxy) or any(_is_remote(url) for step in steps for url in _pages(step)),
        packages=_distinct(name for text in texts for name in _debian_packages(text)),
        other_packages=any(_OTHER_PACKAGES.search(text) for text in texts),
        root=asks_for_root(task)
        or bool(task.adversary_config)
        or any(_ROOT.search(text) and not _ONLY_APT.fullmatch(text) for text in texts),
        init=_distinct(name for text in texts for name in _INIT.findall(text)),
        sound=any(_SOUND.search(text) for text in texts),
        schemas=_distinct(name for text in texts for name in _SCHEMA.findall(text)),
        downloads=_distinct(_downloads(task)),
    )


def _distinct(found: Iterable[T]) -> tuple[T, ...]:
    return tuple(dict.fromkeys(found))


def _step_commands(steps: Iterable[Step]) -> Iterator[Command]:
    for step in steps:
        if isinstance(step, Launch | Execute | ExecuteWithVerification):
            yield step.parameters.command


def _getter_commands(getters: Iterable[Getter]) -> Iterator[Command]:
    for getter in getters:
        command: JsonValue = (getter.model_extra or {}).get("command")
        if isinstance(command, str):
            yield command
        elif isinstance(command, list):
            yield tuple(word for word in command if isinstance(word, str))


def _text(command: Command) -> str:
    return command if isinstance(command, str) else " ".join(command)


def _programs(command: Command) -> Iterator[str]:
    """The programs that a command begins with: it itself, and the first one of a shell's line."""
    words = command.split() if isinstance(command, str) else list(command)
    words = words[next((place for place, word in enumerate(words) if not _SETTING.match(word)), len(words)) :]
    if not words:
        return
    name = PurePosixPath(words[0]).name
    yield name
    if name in _SHELLS and len(words) > 2 and words[1].startswith("-"):
        yield from _programs(words[2])


def _debian_packages(text: str) -> Iterator[str]:
    for named in _DEBIAN.findall(text):
        yield from (word for word in named.split() if not word.startswith("-"))


def _pages(step: Step) -> tuple[str, ...]:
    return step.parameters.urls_to_open if isinstance(step, ChromeOpenTabs) else ()


def _downloads(task: Task) -> Iterator[str]:
    for step in (*task.config, *task.evaluator.postconfig):
        if isinstance(step, Download):
            yield from (file.url for file in step.parameters.files)
    for getter in task.evaluator.getters:
        if getter.type == "cloud_file":
            path: JsonValue = (getter.model_extra or {}).get("path")
            yield from (url for url in (path if isinstance(path, list) else [path]) if isinstance(url, str))


def _is_remote(url: str) -> bool:
    if url.startswith(_PLACEHOLDER):
        return False
    if "://" not in url:
        url = f"http://{url}"
    parts = web_parts(url)
    # An invalid address does not work here either.
    return url.startswith(WEB) if parts is None else parts.hostname not in ("localhost", "127.0.0.1")
