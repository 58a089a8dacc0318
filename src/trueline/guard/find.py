"""A guard of one's own by import path."""

from __future__ import annotations

import inspect
from typing import TypeGuard

from trueline.errors import InputError
from trueline.guard.types import Guard
from trueline.text import printable
from trueline.user_code import FORMS, import_object


def find_guard(target: str) -> Guard:
    """Make the guard that `package.module:Class` or `file.py:Class` names; its class takes no arguments.

    Raises:
        InputError: There is none, it cannot be imported, or it has no async method check.
    """
    shown = printable(target, 200)
    if ":" not in target:
        raise InputError(f"--guard {shown}: choose none, policy or deaction, or name a class as {FORMS}")
    try:
        found = import_object(target)
    except InputError as error:
        raise InputError(f"--guard {error}") from None
    if not callable(found):
        raise InputError(f"--guard {shown}: is no class")
    try:
        made: object = found()
    except Exception as error:
        raise InputError(f"--guard {shown}: cannot be made: {type(error).__name__}: {printable(str(error))}") from None
    if not _is_guard(made):
        raise InputError(f"--guard {shown}: is no guard: it has no async method check(context)")
    return made


def _is_guard(made: object) -> TypeGuard[Guard]:
    return inspect.iscoroutinefunction(getattr(made, "check", None))
