"""Getters by name: what an evaluator reads. OSWorld's, some of ours, and those of packages (`trueline.getters`).

A getter is an async function `(getter, workspace) -> value`. `getter` holds the fields of the task file. It may raise
UnreadableResult for what the agent left in an unreadable state, and CheckerError for everything else.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from inspect import iscoroutinefunction
from typing import cast

from pydantic import ValidationError

from trueline.desktop.types import DesktopLost, TooDeep
from trueline.errors import InputError, TruelineError
from trueline.registry import Registry
from trueline.tasks.checkers.values import LastRow, UnreadableResult, Value
from trueline.tasks.errors import CheckerError
from trueline.tasks.model import Getter
from trueline.tasks.workspace import Workspace
from trueline.text import printable

ReadGetter = Callable[[Getter, Workspace], Awaitable[Value | LastRow]]
_MODULES = {
    "rule": "stored",
    "cache_file": "stored",
    "vm_file": "files",
    "cloud_file": "files",
    "content_from_vm_file": "files",
    "vm_command_line": "commands",
    "vm_command_error": "commands",
    "list_directory": "list_directory",
    "accessibility_tree": "accessibility_tree",
    "home_diff": "home",
    "changed_files": "home",
    "kept_file": "kept_file",
    "mail_folders": "mail_folders",
}
"""The file of each getter of ours; its function has the getter's name."""


def _adapt(name: str, found: object) -> ReadGetter:
    if not iscoroutinefunction(found):
        raise InputError(f"getter {printable(name, 100)}: must be an async function (getter, workspace)")
    return cast("ReadGetter", found)


GETTERS: Registry[ReadGetter] = Registry(
    "getter", "trueline.getters", {name: f"{__name__}.{module}:{name}" for name, module in _MODULES.items()}, _adapt
)
"""The getters that a task's evaluator may name."""


async def get(getter: Getter | None, workspace: Workspace) -> Value | LastRow:
    """Read what a getter names; `None` is a file that does not exist.

    Raises:
        UnreadableResult: What the agent left there cannot be read.
        CheckerError: It cannot be read, through no doing of the agent.
        DesktopLost: The desktop is gone.
    """
    if getter is None:
        return None
    try:
        read = GETTERS.find(getter.type)
    except InputError as error:
        raise CheckerError(str(error)) from error
    try:
        return await read(getter, workspace)
    except (CheckerError, DesktopLost):
        raise
    except TooDeep as error:
        raise UnreadableResult(str(error)) from error
    except ValidationError as error:
        wrong = "; ".join(f"{'.'.join(map(str, item['loc'][:1]))}: {item['msg']}" for item in error.errors())
        raise CheckerError(f"getter {getter.type}: {wrong}") from error
    except TruelineError as error:
        raise CheckerError(f"getter {getter.type}: {error}") from error
