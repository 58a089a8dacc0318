"""What the value of an expression is known to be.

A value that is certain is the Python object itself: numbers, texts, bytes, tuples, lists, dicts, sets, ranges. All
others are one of the classes here. `DATA` is plain data of unknown content: its methods have no effect outside of the
program. `ANYTHING` may be any object, so calling it or one of its methods is not understood.
"""

from __future__ import annotations

import ast
import posixpath
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, TypeAlias, cast

from trueline.actions.python.effects import UNKNOWN

Value: TypeAlias = Any
"""An object whose class says how much is known."""
_MOST_LOOKED_AT = 5_000


class Unknown(Enum):
    """A value that is not known."""

    DATA = "data"
    ANYTHING = "anything"


DATA, ANYTHING = Unknown.DATA, Unknown.ANYTHING


@dataclass(frozen=True)
class PartialText:
    """A text of which parts are unknown: `$…` stands for a computed part, `*` for each name in a folder."""

    text: str


@dataclass(frozen=True)
class PathValue:
    """A `pathlib` path; the text may have unknown parts."""

    text: str


@dataclass(frozen=True)
class Reference:
    """A module, or something in one: `os`, `os.system`, `builtins.open`."""

    name: str


@dataclass(frozen=True)
class Namespace:
    """The names of a module as a dict: `vars(os)`, `os.__dict__`, `sys.modules`."""

    name: str
    """Empty for the table of all modules."""


@dataclass(frozen=True)
class Instance:
    """An object of a library class."""

    kind: str
    """The class: `socket.socket`."""
    detail: tuple[str, ...] = ()
    """What its effects depend on: a host, a path, a mode."""


@dataclass(frozen=True)
class Listing:
    """What goes through the entries of a folder."""

    entries: tuple[Value, ...]
    """One entry that stands for all."""


@dataclass(eq=False)
class Variables:
    """Variables of a function, a module or an object."""

    variables: dict[str, Value] = field(default_factory=dict[str, Value])
    parent: Variables | None = None
    outer_names: dict[str, Variables] = field(default_factory=dict[str, "Variables"])
    """Names declared `global` or `nonlocal`, and where they live."""
    is_class: bool = False

    def find(self, name: str) -> Variables | None:
        """The scope in which a name is bound, as seen from here."""
        if name in self.outer_names:
            return self.outer_names[name]
        scope: Variables | None = self
        while scope is not None:
            if name in scope.variables and (scope is self or not scope.is_class):
                return scope
            scope = scope.parent
        return None

    @property
    def top(self) -> Variables:
        """The module's scope."""
        scope = self
        while scope.parent is not None:
            scope = scope.parent
        return scope


FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


@dataclass(frozen=True, eq=False)
class Closure:
    """A function of the program."""

    node: FunctionNode
    scope: Variables
    defaults: dict[str, Value] = field(default_factory=dict[str, Value])


@dataclass(frozen=True, eq=False)
class UserClass:
    """A class of the program, without anything that gives its instances hidden behaviour."""

    name: str
    scope: Variables


@dataclass(frozen=True, eq=False)
class UserObject:
    """An instance of a class of the program."""

    of: UserClass
    scope: Variables


@dataclass(frozen=True, eq=False)
class Bound:
    """A method of something: `x.append`, not called yet."""

    owner: Value
    name: str


@dataclass(frozen=True, eq=False)
class PartialCall:
    """A function with some of its arguments: `functools.partial`."""

    function: Value
    args: tuple[Value, ...]
    keywords: dict[str, Value]


CALLABLE = (Reference, Closure, UserClass, UserObject, Bound, PartialCall, Namespace, Instance)
PLAIN = (str, int, float, bool, bytes, type(None), range)


def children(value: Value) -> list[Value]:
    """What a container holds."""
    if isinstance(value, dict):
        held = cast("dict[Value, Value]", value)
        return [*held.keys(), *held.values()]
    return list(cast("list[Value]", value)) if isinstance(value, tuple | list | set | frozenset) else []


def leaves(value: Value) -> list[Value] | None:
    """Everything in a value that is not a container; None when it is too much to look at."""
    found: list[Value] = []
    todo, looked = [value], 0
    while todo:
        looked += 1
        if looked > _MOST_LOOKED_AT:
            return None
        item = todo.pop()
        if isinstance(item, tuple | list | set | frozenset | dict):
            todo += children(item)
        else:
            found.append(item)
    return found


def is_plain(value: Value) -> bool:
    """Whether a value is certain through and through, apart from lists that were changed unseen."""
    found = leaves(value)
    return found is not None and all(isinstance(item, PLAIN) for item in found)


def may_act(value: Value) -> bool:
    """Whether there is something in the value that does something when it is called or used."""
    found = leaves(value)
    return found is None or any(item is ANYTHING or isinstance(item, CALLABLE) for item in found)


def join(one: Value, other: Value) -> Value:
    """A value that is one of two."""
    if is_same(one, other):
        return one
    return ANYTHING if may_act(one) or may_act(other) else DATA


def is_same(one: Value, other: Value) -> bool:
    """Whether two values are the same for certain."""
    if one is other:
        return True
    if type(one) is not type(other) or isinstance(one, list | dict | set):
        return False
    try:
        return bool(one == other)
    except Exception:
        return False


def text_of(value: Value) -> str:
    """A value as it appears in a text or as an argument of a command; `$…` for what is unknown."""
    match value:
        case PartialText(text=text) | PathValue(text=text):
            return text
        case str():
            return value
        case bytes():
            return value.decode("utf-8", "replace")
        case bool() | int() | float() | None:
            return str(value) if not isinstance(value, int) or abs(value) < 10**400 else UNKNOWN
        case _:
            return UNKNOWN


def as_text(text: str) -> str | PartialText:
    """A text that may have unknown parts, as a value."""
    return PartialText(text) if UNKNOWN in text else text


def joined_text(parts: list[Value]) -> Value:
    """Texts put together; what is not a text is unknown in it."""
    whole = "".join(text_of(part) for part in parts)
    unsure = any(not isinstance(part, PLAIN) for part in parts)
    return PartialText(whole) if unsure else whole


def joined_path(parts: list[Value]) -> Value:
    """Paths put together."""
    texts = [text_of(part) for part in parts]
    if not texts:
        return ""
    whole = posixpath.join(*texts)
    unsure = any(not isinstance(part, str | PathValue) for part in parts) or UNKNOWN in whole
    return PartialText(whole) if unsure or "*" in whole or whole.startswith("~") else whole


def text_value(value: Value) -> Value:
    """`str(value)`."""
    match value:
        case PathValue(text=text):
            return PartialText(text) if "$…" in text or "*" in text or text.startswith(("~", ".")) else text
        case PartialText():
            return value
        case _ if is_plain(value):
            return str(value)[:100_000]
        case _:
            return DATA
