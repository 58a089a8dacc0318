"""Names, attributes and what is known about a value."""

from __future__ import annotations

import posixpath
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import cast

from trueline.actions.python.effects import UNKNOWN
from trueline.actions.python.machine import ProgramState
from trueline.actions.python.name_sets import names
from trueline.actions.python.pure_functions import CONSTANTS
from trueline.actions.python.values import (
    ANYTHING,
    DATA,
    PLAIN,
    Bound,
    Closure,
    Instance,
    Listing,
    Namespace,
    PartialCall,
    PartialText,
    PathValue,
    Reference,
    Unknown,
    UserClass,
    UserObject,
    Value,
    is_plain,
    may_act,
)

PREPARED = frozenset({"os", "subprocess", "shutil", "pyautogui", "time"})
"""Modules that a runner may have imported beforehand."""
_SPELLED_ALIKE = {"posix": "os", "posixpath": "os.path", "io.open": "open", "_io.open": "open", "nt": "os"}
_WELL_KNOWN = names(
    "os sys subprocess shutil socket importlib builtins ctypes pathlib tempfile io pty signal threading urllib "
    "http time multiprocessing asyncio glob codecs base64 json re pickle platform"
)
_PATH_PARTS: dict[str, Callable[[str], str]] = {
    "name": posixpath.basename,
    "stem": lambda path: posixpath.splitext(posixpath.basename(path))[0],
    "suffix": lambda path: posixpath.splitext(path)[1],
}


def canonical(name: str) -> str:
    """The usual name of something that modules also have under other names: `shutil.os.system`."""
    parts = name.split(".")
    for place in range(len(parts) - 2, 0, -1):
        if parts[place] in _WELL_KNOWN:
            return canonical(".".join(parts[place:]))
    for alike, usual in _SPELLED_ALIKE.items():
        if name == alike or name.startswith(alike + "."):
            return usual + name[len(alike) :]
    return name


class Attributes(ProgramState, ABC):
    """Looks up names and attributes."""

    @abstractmethod
    def call_value(self, function: Value, args: list[Value], keywords: dict[str, Value], shown: str) -> Value:
        """Call a value."""
        ...

    def named(self, name: str) -> Value:
        """What a name stands for here."""
        scope = self.scope.find(name)
        if scope is not None:
            return scope.variables.get(name, ANYTHING)
        if name == "__builtins__":
            return Reference("builtins")
        if name.startswith("__") and name.endswith("__") and name != "__import__":
            return DATA
        if name in PREPARED:
            return Reference(name)
        return Reference(f"builtins.{name}")

    def bind(self, name: str, value: Value) -> None:
        """Assign a variable."""
        self.scope.outer_names.get(name, self.scope).variables[name] = value

    def is_certain(self, value: Value) -> bool:
        """Whether a value is known through and through."""
        return is_plain(value) and not self.has_spoiled(value)

    def truth_of(self, value: Value) -> bool | None:
        """Whether a value counts as true, None when that is not known."""
        if isinstance(value, list | dict | set | tuple) and self.is_known(cast("Value", value)):
            return bool(cast("Value", value))
        if isinstance(value, Closure | UserClass | PathValue):
            return True
        return bool(cast("Value", value)) if isinstance(value, PLAIN) else None

    def elements(self, value: Value) -> list[Value] | None:
        """What a loop goes through, None when that is not known."""
        if isinstance(value, Listing):
            return list(value.entries)
        if not self.is_known(value):
            return None
        if isinstance(value, set | frozenset) and len(cast("set[Value]", value)) > 1:
            return None  # their order differs from run to run
        if isinstance(value, list | tuple | set | frozenset | dict | str | bytes | range):
            found = cast("Value", value)
            return list(found) if len(found) <= 5_000 else None
        return None

    def unknown_element(self, value: Value) -> Value:
        """An element of something whose elements are not known."""
        inner = value.owner if isinstance(value, Bound) else value
        if isinstance(inner, Instance):
            return inner if inner.kind == "document" else DATA
        return ANYTHING if may_act(value) else DATA

    def attribute(self, owner: Value, name: str) -> Value:
        """An attribute of a value."""
        match owner:
            case Reference():
                return self._of_module(owner, name)
            case UserObject():
                return self._of_object(owner, name)
            case UserClass() if name in owner.scope.variables:
                return owner.scope.variables[name]
            case PathValue(text=path):
                return self._of_path(path, name)
            case Instance(kind="os.DirEntry", detail=(path,)) if name in ("path", "name"):
                return PartialText(path if name == "path" else posixpath.basename(path))
            case Instance(kind="response") if name in ("text", "content"):
                return owner
            case Instance() | Namespace():
                return Bound(owner, name)
            case Unknown.DATA | PartialText():
                return ANYTHING if name.startswith("__") else DATA
            case Unknown.ANYTHING:
                return ANYTHING
            case Closure() | PartialCall() | Bound():
                return ANYTHING if name not in ("__name__", "__doc__") else DATA
            case _:
                if name in ("__class__", "__init__", "__subclasshook__", "__reduce__", "__reduce_ex__"):
                    return ANYTHING
                return Bound(owner, name)

    def _of_module(self, owner: Reference, name: str) -> Value:
        if name in ("__dict__",):
            return Namespace(owner.name)
        if name.startswith("__") and name not in ("__import__", "__name__", "__version__", "__file__"):
            return ANYTHING
        whole = canonical(f"{owner.name}.{name}")
        if whole == "sys.modules":
            return Namespace("")
        if whole in ("sys.argv", "os.environ.copy"):
            return DATA
        return CONSTANTS[whole] if whole in CONSTANTS else Reference(whole)

    def _of_object(self, owner: UserObject, name: str) -> Value:
        if name in owner.scope.variables:
            return owner.scope.variables[name]
        if name == "__class__":
            return owner.of
        if name == "__dict__":
            return ANYTHING
        found = owner.of.scope.variables.get(name, ANYTHING)
        match found:
            case PartialCall(function=Reference(name="builtins.property"), args=(getter, *_)):
                return self.call_value(getter, [owner], {}, name)
            case PartialCall(function=Reference(name="builtins.staticmethod"), args=(function, *_)):
                return function
            case PartialCall(function=Reference(name="builtins.classmethod"), args=(function, *_)):
                return PartialCall(function, (owner.of,), {})
            case Closure():
                return PartialCall(found, (owner,), {})
            case _:
                return found

    def _of_path(self, path: str, name: str) -> Value:
        if name in ("parent",):
            return PathValue(parent_folder(path))
        if name == "parents":
            return tuple(PathValue(part) for part in _parents(path))
        if name in _PATH_PARTS:
            part = _PATH_PARTS[name](path) if path not in ("~", ".", "..") else UNKNOWN
            return PartialText(part) if "$…" in path or "*" in path else part
        return Bound(PathValue(path), name)


def parent_folder(path: str) -> str:
    """The folder that a path lies in."""
    match path:
        case "~":
            return "/home"
        case "." | "..":
            return posixpath.join(path, "..")
        case _:
            return posixpath.dirname(path) or "."


def _parents(path: str) -> list[str]:
    found: list[str] = []
    while (above := posixpath.dirname(path)) != path and above and len(found) < 20:
        found.append(above)
        path = above
    return found or ["."]
