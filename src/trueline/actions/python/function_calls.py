"""Calls of the functions and classes that a program defines itself."""

from __future__ import annotations

import ast
from abc import abstractmethod
from typing import cast

from trueline.actions.python.attributes import canonical
from trueline.actions.python.machine import LeaveError, ReturnValue, callables_in
from trueline.actions.python.modules import is_quiet
from trueline.actions.python.pure_functions import (
    BUILTINS,
    FOLDED,
)
from trueline.actions.python.statements import Statements
from trueline.actions.python.values import (
    ANYTHING,
    DATA,
    PLAIN,
    Bound,
    Closure,
    Instance,
    Listing,
    PartialCall,
    Reference,
    UserClass,
    UserObject,
    Value,
    join,
)

MOST_CALLS_DEEP = 25
_POWERFUL = frozenset({
    "subprocess.Popen", "os.popen", "ctypes.CDLL", "socket.socket", "requests.Session", "smtplib.SMTP", "ftplib.FTP",
    "http.client.HTTPConnection", "nc", "pool", "server",
})  # fmt: skip
"""Kinds of objects whose methods have effects."""


class FunctionCalls(Statements):
    """Binds arguments and follows the bodies of functions."""

    def __init__(self) -> None:
        super().__init__()
        self.deep = 0

    @abstractmethod
    def call_reference(self, name: str, args: list[Value], keywords: dict[str, Value], shown: str) -> Value:
        """Call something of a module."""
        ...

    @abstractmethod
    def call_method(self, owner: Value, name: str, args: list[Value], keywords: dict[str, Value], shown: str) -> Value:
        """Call a method of a value."""
        ...

    def call(self, node: ast.Call) -> Value:
        """A call with its arguments."""
        shown = ast.unparse(node.func)[:60]
        if isinstance(node.func, ast.Attribute):
            owner = self.value(node.func.value)
            args, keywords = self._arguments(node)
            if isinstance(owner, Reference | UserObject | UserClass):
                return self.call_value(self.attribute(owner, node.func.attr), args, keywords, shown)
            return self.call_method(owner, node.func.attr, args, keywords, shown)
        function = self.value(node.func)
        args, keywords = self._arguments(node)
        return self.call_value(function, args, keywords, shown)

    def _arguments(self, node: ast.Call) -> tuple[list[Value], dict[str, Value]]:
        keywords: dict[str, Value] = {}
        args = self.items(node.args)
        for word in node.keywords:
            value = self.value(word.value)
            if word.arg is not None:
                keywords[word.arg] = value
            elif isinstance(value, dict) and self.is_known(cast("Value", value)):
                keywords |= {
                    key: item for key, item in cast("dict[Value, Value]", value).items() if isinstance(key, str)
                }
            else:
                self.not_understood("a call with ** of what is not known")
        return args, keywords

    def call_value(self, function: Value, args: list[Value], keywords: dict[str, Value], shown: str) -> Value:
        """Call a value."""
        self.spend()
        match function:
            case Reference(name=name):
                return self.call_reference(name, args, keywords, shown)
            case Closure():
                return self.call_closure(function, args, keywords)
            case UserClass():
                return self._instantiate(function, args, keywords)
            case PartialCall(function=inner, args=first, keywords=more):
                return self.call_value(inner, [*first, *args], {**more, **keywords}, shown)
            case Bound(owner=owner, name=name):
                return self.call_method(owner, name, args, keywords, shown)
            case UserObject() if "__call__" in function.of.scope.variables:
                return self.call_value(self.attribute(function, "__call__"), args, keywords, shown)
            case _:
                for value in (*args, *keywords.values()):
                    self.hand_over(value, shown)
                return self.not_understood(f"{shown}() is not known")

    def call_closure(self, function: Closure, args: list[Value], keywords: dict[str, Value]) -> Value:
        """Follow the body of a function."""
        if self.deep >= MOST_CALLS_DEEP:
            return self.not_understood("functions that call each other too deeply")
        node = function.node
        outer, self.scope = self.scope, self.new_scope(function.scope)
        self.deep += 1
        self.returns.append([])
        self.yields.append([])
        doubt = self.doubt
        try:
            self._bind_parameters(node.args, function, args, keywords)
            result: Value = None
            if isinstance(node, ast.Lambda):
                result = self.value(node.body)
            else:
                try:
                    self.block(node.body)
                except ReturnValue as returned:
                    result = returned.value
            maybe, yielded = self.returns[-1], self.yields[-1]
            for value in maybe:
                result = join(result, value)
            if maybe:
                self.doubt = doubt  # it has returned one way or the other
            if yielded:
                return Listing((self.one_of(yielded),)) if maybe or self.branches else yielded
            return result
        finally:
            self.returns.pop()
            self.yields.pop()
            self.deep -= 1
            self.scope = outer

    @staticmethod
    def one_of(values: list[Value]) -> Value:
        """A value that is one of several."""
        found = values[0]
        for value in values[1:]:
            found = join(found, value)
        return found

    def _bind_parameters(
        self, given: ast.arguments, function: Closure, args: list[Value], keywords: dict[str, Value]
    ) -> None:
        positional = [arg.arg for arg in (*given.posonlyargs, *given.args)]
        names = [*positional, *(arg.arg for arg in given.kwonlyargs)]
        values = {name: function.defaults.get(name, ANYTHING) for name in names}
        values |= dict(zip(positional, args, strict=False))
        values |= {name: value for name, value in keywords.items() if name in names}
        if given.vararg:
            values[given.vararg.arg] = tuple(args[len(positional) :])
        if given.kwarg:
            values[given.kwarg.arg] = {name: value for name, value in keywords.items() if name not in names}
        self.scope.variables |= values

    def _instantiate(self, made: UserClass, args: list[Value], keywords: dict[str, Value]) -> Value:
        object_ = UserObject(made, self.new_scope(None))
        start = made.scope.variables.get("__init__")
        if isinstance(start, Closure):
            self.call_closure(start, [object_, *args], keywords)
        elif start is not None:
            self.not_understood(f"{made.name}() is not known")
        else:
            fields = [name for name in made.scope.variables if not name.startswith("_")]
            object_.scope.variables |= {**dict(zip(fields, args, strict=False)), **keywords}
        return object_

    def call_later(self, function: Value, args: list[Value], keywords: dict[str, Value], shown: str) -> None:
        """Something calls a function, now or at another time."""
        try:
            with self.branch():
                self.call_value(function, args, keywords, shown)
        except LeaveError:
            self.doubt = True

    def hand_over(self, value: Value, where: str) -> None:
        """A value goes where something may call it."""
        for item in callables_in(value):
            match item:
                case Closure():
                    self.call_later(item, [DATA] * 8, {}, where)
                case PartialCall() if not (
                    isinstance(item.function, Reference) and item.function.name.startswith("builtins.")
                ):
                    self.call_later(item, [], {}, where)
                case UserObject() | UserClass():
                    self.not_understood(f"{where} is given an object of the program")
                case Instance(kind=kind) if kind in _POWERFUL:
                    self.not_understood(f"{where} is given a {kind}")
                case Reference(name=name) if not _is_harmless(name):
                    self.not_understood(f"{where} is given {name}")
                case Bound(owner=owner, name=name) if not isinstance(owner, PLAIN) and owner is not DATA:
                    self.call_later(item, [], {}, where)
                case _:
                    pass


def _is_harmless(name: str) -> bool:
    name = canonical(name)
    if "." not in name:
        return is_quiet(name)  # a module
    return (
        is_quiet(name)
        or name in FOLDED
        or (name.startswith("builtins.") and name[9:] in BUILTINS)
        or name.startswith(("pyautogui.", "time."))
        or name in ("functools.partial", "pathlib.Path")
    )
