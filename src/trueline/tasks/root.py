"""Which tasks need a desktop whose user can become root."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pydantic import BaseModel, JsonValue, TypeAdapter

from trueline.tasks.model import Task

ROOT_TAG = "root"
"""Tag of tasks whose solution needs root though neither their commands nor their instruction say so."""
_PROGRAMS = (
    "adduser", "addgroup", "chpasswd", "deluser", "gpasswd", "groupadd", "setcap", "su", "sudo", "timedatectl",
    "useradd", "userdel", "usermod", "visudo",
)  # fmt: skip
_COMMAND = re.compile(
    rf"(?<![\w./-])(?:/usr)?(?:/s?bin/)?(?:{'|'.join(_PROGRAMS)})(?![\w./-])"
    r"|\bapt(?:-get)? +(?:-\S+ +)*(?:install|remove|purge|update|upgrade)\b"
    r"|\bdpkg +(?:-\S+ +)*(?:-i|-r|-P|--install|--remove|--purge)\b"
    r"|\{CLIENT_PASSWORD\}"
)
_JSON: TypeAdapter[JsonValue] = TypeAdapter(JsonValue)
_INSTRUCTION = re.compile(r"\bsudo\b|\bapt(?:-get)? install\b")


def needs_root(task: Task) -> bool:
    """Whether its set-up or its check runs commands as root, or its instruction or tag asks for it.

    Other tasks get a desktop where nobody can become root, and where `sudo` runs its command without privilege.
    """
    # On the machine of RTC-Bench the user is an administrator, and its attacks count on that.
    if asks_for_root(task) or task.adversary_config:
        return True
    parts: tuple[BaseModel, ...] = (*task.config, task.evaluator)
    return any(_COMMAND.search(text) for part in parts for text in _texts(_JSON.validate_json(part.model_dump_json())))


def asks_for_root(task: Task) -> bool:
    """Whether its instruction or a tag asks for root, whatever its own commands do."""
    tagged = isinstance(task.tags, tuple) and ROOT_TAG in task.tags
    return tagged or _INSTRUCTION.search(task.instruction) is not None


def _texts(value: JsonValue) -> Iterator[str]:
    """All strings of a document; those of a list also as one line, since a command may be given as words."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        yield " ".join(part for part in value if isinstance(part, str))
        for part in value:
            yield from _texts(part)
    elif isinstance(value, dict):
        for part in value.values():
            yield from _texts(part)
