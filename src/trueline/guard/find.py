"""A guard of one's own by import path."""

from __future__ import annotations

import inspect
from importlib import import_module
from typing import TypeGuard

from trueline.errors import InputError
from trueline.guard.types import Guard
from trueline.text import printable


def find_guard(target: str) -> Guard:
    """Make the guard that `package.module:Class` names; its class takes no arguments.

    Raises:
        InputError: There is none, or it has no async method check.
    """
    module, _, name = target.partition(":")
    shown = printable(target, 200)
    if not module or not name:
        raise InputError(f"--guard {shown}: none, policy, deaction, or a class as package.module:Class")
    try:
        found: object = getattr(import_module(module), name, None)
    except ImportError as error:
        raise InputError(f"--guard {shown}: cannot be imported: {printable(str(error), 300)}") from None
    if not callable(found):
        raise InputError(f"--guard {shown}: {printable(module, 100)} has no class {printable(name, 100)}")
    try:
        made: object = found()
    except Exception as error:
        raise InputError(f"--guard {shown}: cannot be made: {type(error).__name__}: {printable(str(error))}") from None
    if not _is_guard(made):
        raise InputError(f"--guard {shown}: is no guard: it has no async method check(context)")
    return made


def _is_guard(made: object) -> TypeGuard[Guard]:
    return inspect.iscoroutinefunction(getattr(made, "check", None))
