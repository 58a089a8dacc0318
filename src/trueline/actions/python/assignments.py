"""Assignments, deletions and changes of variables, attributes and items."""

from __future__ import annotations

import ast
from abc import abstractmethod
from typing import cast

from trueline.actions.python.expressions import Expressions
from trueline.actions.python.values import (
    ANYTHING,
    PLAIN,
    Closure,
    Listing,
    PartialCall,
    Reference,
    UserClass,
    UserObject,
    Value,
    may_act,
)

_TELLING_VARIABLES = (
    "PATH",
    "LD_",
    "PYTHON",
    "BASH",
    "ENV",
    "PROMPT_COMMAND",
    "SHELL",
    "IFS",
    "EDITOR",
    "PAGER",
    "GIT_",
)


class Assignments(Expressions):
    """Follows what is assigned."""

    def assign(self, target: ast.expr, value: Value) -> None:
        """Assign to a name, an attribute, an item or several of them."""
        match target:
            case ast.Name(id=name):
                self.bind(name, value)
            case ast.Tuple(elts=targets) | ast.List(elts=targets):
                self._unpack(targets, value)
            case ast.Starred(value=inner):
                self.assign(inner, value)
            case ast.Attribute(value=owner_node, attr=name):
                self._set_attribute(self.value(owner_node), name, value)
            case ast.Subscript(value=owner_node, slice=index):
                self._set_item(self.value(owner_node), index, value)
            case _:
                pass

    def _unpack(self, targets: list[ast.expr], value: Value) -> None:
        elements = self.elements(value)
        starred = any(isinstance(target, ast.Starred) for target in targets)
        if elements is None or isinstance(value, Listing) or starred or len(elements) != len(targets):
            inner = elements[0] if isinstance(value, Listing) and elements else self.unknown_element(value)
            if isinstance(inner, tuple) and len(cast("tuple[Value, ...]", inner)) == len(targets):
                inner = ANYTHING
            for target in targets:
                self.assign(target, inner if not isinstance(target, ast.Starred) else [inner])
            return
        for target, element in zip(targets, elements, strict=True):
            self.assign(target, element)

    def _set_attribute(self, owner: Value, name: str, value: Value) -> None:
        match owner:
            case UserObject() | UserClass():
                owner.scope.variables[name] = value
                if isinstance(owner, UserClass) and name.startswith("__"):
                    self.not_understood(f"gives a class another {name}")
            case Reference(name="pyautogui") if name in ("PAUSE", "FAILSAFE"):
                self.set_pyautogui(name, value)
            case Reference(name=module):
                self.not_understood(f"changes what {module}.{name} means")
            case Closure() | PartialCall():
                pass
            case _ if owner is ANYTHING:
                self.not_understood(f"sets {name} of something that is not known")
            case _:
                self.hand_over(value, f"sets {name}")

    def set_pyautogui(self, name: str, value: Value) -> None:
        """A setting of pyautogui is changed."""

    @abstractmethod
    def block(self, body: list[ast.stmt]) -> None:
        """Follow statements one after the other."""
        ...

    @abstractmethod
    def hand_over(self, value: Value, where: str) -> None:
        """Something else may call what is in a value; treated where calls are."""
        ...

    def _set_item(self, owner: Value, index: ast.expr, value: Value) -> None:
        key = self.value(index)
        if isinstance(owner, Reference):
            if owner.name == "os.environ" and isinstance(key, str) and not key.startswith(_TELLING_VARIABLES):
                return
            self.not_understood(f"changes {owner.name}[…]")
        elif isinstance(owner, list | dict):
            held = cast("Value", owner)
            if self.branches or not isinstance(key, PLAIN) or isinstance(index, ast.Slice):
                self.spoil_with(held, value)
                return
            try:
                held[key] = value
            except Exception:
                self.spoil_with(held, value)
        elif owner is ANYTHING:
            self.not_understood("changes an item of something that is not known")
        else:
            self.hand_over(value, "puts it into something")

    def spoil_with(self, held: Value, value: Value) -> None:
        """Forget what is in a container, but not that something that acts is in it."""
        if isinstance(held, list):
            cast("list[Value]", held).append(value)
        elif isinstance(held, dict):
            cast("dict[Value, Value]", held)[f"an unknown key {len(cast('dict[Value, Value]', held))}"] = value
        elif isinstance(held, set) and may_act(value):
            cast("set[Value]", held).add(ANYTHING)
        self.spoil(held)

    def _delete(self, target: ast.expr) -> None:
        match target:
            case ast.Name(id=name):
                scope = self.scope.find(name)
                if scope is not None and not self.branches:
                    scope.variables.pop(name, None)
                elif scope is not None:
                    scope.variables[name] = ANYTHING
            case ast.Subscript(value=owner, slice=index):
                held = self.value(owner)
                self.value(index)
                if isinstance(held, list | dict):
                    self.spoil(cast("Value", held))
                elif isinstance(held, Reference) or held is ANYTHING:
                    self.not_understood("deletes an item of something")
            case ast.Attribute(value=owner):
                self.value(owner)
            case ast.Tuple(elts=targets) | ast.List(elts=targets):
                for inner in targets:
                    self._delete(inner)
            case _:
                pass

    def _change(self, target: ast.expr, op: ast.operator, node: ast.expr) -> None:
        left = ast.copy_location(_as_read(target), target)
        before = self.value(left)
        added = self.value(node)
        if isinstance(before, list) and isinstance(op, ast.Add):
            held = cast("list[Value]", before)
            elements = self.elements(added)
            if self.branches or elements is None:
                for element in elements or [self.unknown_element(added)]:
                    self.spoil_with(held, element)
            else:
                held.extend(elements)
            return
        self.assign(target, self.operate(before, op, added))


def _as_read(target: ast.expr) -> ast.expr:
    match target:
        case ast.Name(id=name):
            return ast.Name(name, ast.Load())
        case ast.Attribute(value=owner, attr=name):
            return ast.Attribute(owner, name, ast.Load())
        case ast.Subscript(value=owner, slice=index):
            return ast.Subscript(owner, index, ast.Load())
        case _:
            return target
