"""Imports, functions and classes."""

from __future__ import annotations

import ast
from abc import abstractmethod

from trueline.actions.python.assignments import Assignments
from trueline.actions.python.attributes import canonical
from trueline.actions.python.modules import is_quiet_import
from trueline.actions.python.values import (
    DATA,
    Closure,
    PartialCall,
    Reference,
    UserClass,
    Value,
    Variables,
)

_QUIET_BASES = frozenset(
    {"object", "Exception", "BaseException", "ValueError", "RuntimeError", "str", "int", "dict", "list", "tuple"}
)
_HARMLESS_METHODS = frozenset({"__init__", "__enter__", "__exit__", "__call__"})


_QUIET_DECORATORS = frozenset({
    "functools.cache", "functools.lru_cache", "functools.wraps", "contextlib.contextmanager", "typing.overload",
    "typing.final", "abc.abstractmethod", "dataclasses.dataclass", "contextlib.asynccontextmanager",
    "functools.singledispatch", "typing.no_type_check", "functools.cached_property",
})  # fmt: skip


class Definitions(Assignments):
    """Follows definitions."""

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        if isinstance(node, ast.Import):
            for alias in node.names:
                self.check_import(alias.name)
                top = alias.name.partition(".")[0]
                self.bind(alias.asname or top, Reference(canonical(alias.name) if alias.asname else top))
            return
        module = node.module or ""
        self.check_import(("." if node.level else "") + module)
        for alias in node.names:
            if alias.name == "*":
                self.import_everything(module)
            else:
                self.bind(alias.asname or alias.name, self.attribute(Reference(module), alias.name))

    def check_import(self, module: str) -> None:
        """A module whose code is not known does something when it is imported."""
        if not is_quiet_import(module):
            self.not_understood(f"imports {module}, whose code is not known")

    @abstractmethod
    def import_everything(self, module: str) -> None:
        """`from module import *`."""
        ...

    def _define(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        made: Value = self.function(node)
        for decorator in reversed(node.decorator_list):
            made = self.decorate(self.value(decorator), made, ast.unparse(decorator)[:60])
        self.bind(node.name, made)

    def decorate(self, decorator: Value, function: Value, shown: str) -> Value:
        """Apply a decorator."""
        if isinstance(decorator, Reference):
            if decorator.name in ("builtins.property", "builtins.staticmethod", "builtins.classmethod"):
                return PartialCall(decorator, (function,), {})
            if decorator.name in _QUIET_DECORATORS:
                return function
        if decorator is DATA:
            return function  # what `lru_cache(…)` or `wraps(…)` gave back
        return self.call_value(decorator, [function], {}, shown)

    def _class(self, node: ast.ClassDef) -> None:
        bases = [self.value(base) for base in node.bases]
        plain = all(
            isinstance(base, UserClass)
            or (isinstance(base, Reference) and base.name.rpartition(".")[2] in _QUIET_BASES)
            for base in bases
        )
        outer, self.scope = self.scope, self.new_scope(self.scope, is_class=True)
        scope = self.scope
        for base in bases:
            if isinstance(base, UserClass):
                scope.variables |= base.scope.variables
        try:
            self.block(node.body)
        finally:
            self.scope = outer
        hidden = [
            name for name in scope.variables if name.startswith("__") and name not in _HARMLESS_METHODS
            and name.endswith("__") and isinstance(scope.variables[name], Closure)
            and not (name in ("__str__", "__repr__") and _only_shows(scope, name))
        ]  # fmt: skip
        quiet = {"dataclasses.dataclass"}
        decorators = [self.value(decorator) for decorator in node.decorator_list]
        odd = [d for d in decorators if not (isinstance(d, Reference) and d.name in quiet) and d is not DATA]
        made: Value = UserClass(node.name, scope)
        if not plain or hidden or odd or node.keywords:
            self.not_understood(f"class {node.name} does things by itself")
            for value in list(scope.variables.values()):
                self.hand_over(value, f"class {node.name}")
        self.bind(node.name, made)


def _only_shows(scope: Variables, name: str) -> bool:
    """Whether a method that is called unseen only puts a text together: it calls nothing, nor does an attribute."""
    method = scope.variables[name]
    calls = any(isinstance(part, ast.Call | ast.Await | ast.Yield) for part in ast.walk(method.node))
    return not calls and not any(isinstance(value, PartialCall) for value in scope.variables.values())
