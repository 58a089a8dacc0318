"""Implementations by name: Trueline's own, those of installed packages (entry points), and classes by import path."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Generic, TypeVar

from trueline.errors import InputError
from trueline.text import printable
from trueline.user_code import FORMS, import_object

T = TypeVar("T")


class Registry(Generic[T]):
    """All implementations of one kind.

    Nothing is imported before it is looked up. A package adds an implementation with an entry point:

        [project.entry-points."trueline.guards"]
        my-guard = "my_package.guard:MyGuard"
    """

    def __init__(
        self,
        kind: str,
        group: str,
        builtin: Mapping[str, str],
        adapt: Callable[[str, object], T],
        *,
        import_paths: bool = False,
        former: Mapping[str, str] | None = None,
    ) -> None:
        """Describe the kind.

        Args:
            kind: What is registered, as errors call it: `guard`.
            group: The group of entry points: `trueline.guards`.
            builtin: From the name of each of our own to its import path, `package.module:NAME`.
            adapt: From name and imported object to the implementation; raises InputError when it has the wrong shape.
            import_paths: Whether `package.module:Class` and `file.py:Class` are names as well.
            former: From former names of our own, which stay valid, to the present ones.
        """
        self.kind = kind
        self.group = group
        self._builtin = builtin
        self._adapt = adapt
        self._import_paths = import_paths
        self._former = dict(former or {})
        self._found: dict[str, T] = {}
        self._points: tuple[tuple[str, ...], dict[str, list[EntryPoint]]] | None = None

    def names(self) -> tuple[str, ...]:
        """All names: our own first, then those of installed packages."""
        return (*self._builtin, *sorted(self._installed().keys() - self._builtin.keys()))

    def __contains__(self, name: str) -> bool:
        return self.present_name(name) in self._builtin or name in self._installed()

    def present_name(self, name: str) -> str:
        """The name that a former name stands for; any other name as it is."""
        return self._former.get(name, name)

    def require(self, name: str) -> None:
        """Check that a name has one meaning, without importing anything.

        Raises:
            InputError: There is no such implementation, or two packages use the name.
        """
        name = self.present_name(name)
        points = self._installed().get(name, ())
        if len(points) > (0 if name in self._builtin else 1):
            rivals = ", ".join(printable(point.value) for point in points)
            raise InputError(f"{self.kind} {printable(name)!r} is defined more than once: also by {rivals}")
        if name in self._builtin or points or (self._import_paths and ":" in name):
            return
        choices = ", ".join(self.names())
        own = f", or name your own as {FORMS}" if self._import_paths else ""
        raise InputError(f"unknown {self.kind} {printable(name, 100)!r}; choose one of {choices}{own}")

    def provides(self, name: str) -> bool:
        """Whether there is an implementation of this name. Ours is not imported; that of a package is, and is checked.

        Raises:
            InputError: Two packages use the name, or the package's implementation cannot be imported or is wrong.
        """
        if name not in self:
            return False
        self.require(name)
        if name not in self._builtin:
            self.find(name)
        return True

    def location(self, name: str) -> str | None:
        """The folder that the package of this name is installed in; `None` for our own."""
        points = self._installed().get(name, ())
        dist = points[0].dist if points else None
        return None if name in self._builtin or dist is None else str(dist.locate_file(""))

    def find(self, name: str) -> T:
        """Find the implementation of this name.

        Raises:
            InputError: There is none, two packages use the name, or it cannot be imported or has the wrong shape.
        """
        name = self.present_name(name)
        if name not in self:
            # An import path, or unknown: what it stands for may change.
            return self._adapt(name, self._import(name))
        if name not in self._found:
            self._found[name] = self._adapt(name, self._import(name))
        return self._found[name]

    def import_path(self, name: str) -> str | None:
        """The import path that a name of an installed package stands for, or that a name is itself; else `None`."""
        points = self._installed().get(name, ())
        if points:
            return points[0].value
        return name if self._import_paths and ":" in name and name not in self._builtin else None

    def _import(self, name: str) -> object:
        self.require(name)
        if name in self._builtin:
            module, _, attribute = self._builtin[name].partition(":")
            return getattr(import_module(module), attribute)
        try:
            points = self._installed().get(name)
            return _load(points[0]) if points else import_object(name)
        except InputError as error:
            raise InputError(f"{self.kind} {error}") from None

    def _installed(self) -> dict[str, list[EntryPoint]]:
        """Entry points by name. They are read again when the search path changes."""
        path = tuple(sys.path)
        if self._points is None or self._points[0] != path:
            found: dict[str, list[EntryPoint]] = {}
            for point in entry_points(group=self.group):
                found.setdefault(point.name, []).append(point)
            self._points = path, found
        return self._points[1]


def _load(point: EntryPoint) -> object:
    """Import from the installed package only: the current folder is not searched, unlike for import paths."""
    shown = printable(point.value)
    try:
        return point.load()
    except Exception as error:
        problem = printable(f"{type(error).__name__}: {error}")
        raise InputError(f"{shown}: the module cannot be imported: {problem}") from None
