"""What is open when a task begins: from the steps that set its desktop up, or else from its first screen."""

from __future__ import annotations

import posixpath
import shlex
from collections.abc import Iterable, Mapping, Sequence
from urllib.parse import urlsplit

from pydantic import JsonValue

from trueline.guard.policy.globs import matches
from trueline.guard.scope.processes import application_of
from trueline.guard.scope.types import StartState
from trueline.guard.scope.vocabulary import vocabulary
from trueline.records.observation import Observation

_WINDOWS = frozenset({"frame", "window", "dialog"})
_NOT_SHOWN = frozenset({"socat", "bash", "sh", "sudo", "python", "python3", "env"})


def start_state(config: Iterable[Mapping[str, JsonValue]]) -> StartState:
    """Return what a task's set-up opens and puts in place.

    Args:
        config: The steps, in OSWorld's format: `type` and `parameters`. What a step's command prints, and the titles
            and contents of what it opens, are not looked at.
    """
    executables: dict[str, None] = {}
    files: dict[str, None] = {}
    sites: dict[str, None] = {}
    for step in config:
        parameters = step.get("parameters")
        if not isinstance(parameters, Mapping):
            continue
        match step.get("type"):
            case "open":
                files |= dict.fromkeys(_texts(parameters.get("path")))
            case "launch":
                words = _command(parameters.get("command"))
                if words and (program := posixpath.basename(words[0])) not in _NOT_SHOWN:
                    executables[program] = None
                    files |= dict.fromkeys(word for word in words[1:] if word.startswith(("/", "~")))
                    sites |= dict.fromkeys(_host(word) for word in words[1:] if "://" in word)
            case "download":
                items = parameters.get("files")
                for item in items if isinstance(items, Sequence) and not isinstance(items, str) else ():
                    if isinstance(item, Mapping):
                        files |= dict.fromkeys(_texts(item.get("path")))
            case "chrome_open_tabs" | "update_browse_history":
                sites |= dict.fromkeys(_host(url) for url in _texts(parameters.get("urls_to_open")))
            case _:
                pass
    kept = (path for path in files if path.startswith(("/", "~")) and not posixpath.basename(path).startswith("."))
    return StartState(tuple(executables), tuple(kept), tuple(site for site in sites if site))


def start_seen(observation: Observation | None) -> StartState:
    """Return which known applications have a window on a screen; for episodes whose set-up is not known.

    Only the screen on which nothing has been done yet tells what was open. Where the desktop tells the processes behind
    windows, their programs count. Else an application says its own name to the accessibility bus; no page, document,
    mail or window title can write it. Files and sites are left out: a tree tells them only in texts.
    """
    if observation is not None and observation.windows:
        programs = (application_of(window.executable or "") for window in observation.windows)
        return StartState(tuple(dict.fromkeys(name for program in programs if (name := _executable(program)))))
    if observation is None or observation.tree is None:
        return StartState()
    found: dict[str, None] = {}
    for node in observation.tree.root.children:
        opened = any(child.role in _WINDOWS and "showing" in child.states for child in node.children)
        if node.role == "application" and opened and (name := _executable(node.name)):
            found[name] = None
    return StartState(tuple(found))


def _executable(application: str) -> str:
    """The executable of a known application by its file's name, or the one it gives itself; empty for another."""
    name = application.casefold().removeprefix("org.gnome.").removeprefix("org.").strip().replace(" ", "-")
    known = vocabulary().applications.values()
    return name if any(matches(name, entry.executables) for entry in known) else ""


def _texts(value: JsonValue | None) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()


def _command(value: JsonValue | None) -> tuple[str, ...]:
    if isinstance(value, str):
        try:
            return tuple(shlex.split(value))
        except ValueError:
            return tuple(value.split())
    return _texts(value)


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""
