"""Statements, and which ways they may take."""

from __future__ import annotations

import ast

from trueline.actions.codecs.pyautogui.program import MAX_SOURCE, parse
from trueline.actions.codecs.pyautogui.values import UnprovableError
from trueline.actions.python.definitions import Definitions
from trueline.actions.python.effects import ShellEquivalent
from trueline.actions.python.machine import (
    BreakLoop,
    ContinueLoop,
    ExhaustedError,
    LeaveError,
    RaiseError,
    ReturnValue,
)
from trueline.actions.python.values import (
    DATA,
    Listing,
    Value,
    may_act,
)

_MOST_TIMES = 400
"""How often the body of one loop is followed before it counts as repeated any number of times."""
_MOST_LOOP_STEPS = 6_000

_TOO_MUCH = ShellEquivalent(unseen="a program that does more than is followed")
_TOO_DEEP = ShellEquivalent(unseen="a program that is nested too deeply to be followed")


class Statements(Definitions):
    """Follows statements."""

    def run_source(self, source: str) -> None:
        """Follow a whole program, or the text given to `exec`."""
        if len(source) > MAX_SOURCE:
            self.not_understood("a very long program")
            return
        try:
            tree = parse(source)
        except UnprovableError:
            self.not_understood("a program that cannot be read")
            return
        self.block(tree.body)

    def block(self, body: list[ast.stmt]) -> None:
        """Follow statements one after the other."""
        for statement in body:
            self.spend()
            self.statement(statement)

    def statement(self, node: ast.stmt) -> None:
        """Follow one statement."""
        match node:
            case ast.Expr(value=value):
                self.value(value)
            case ast.Assign(targets=targets, value=value):
                result = self.value(value)
                for target in targets:
                    self.assign(target, result)
            case ast.AnnAssign(target=target, annotation=annotation, value=value):
                self.value(annotation)
                if value is not None:
                    self.assign(target, self.value(value))
            case ast.AugAssign(target=target, op=op, value=value):
                self._change(target, op, value)
            case ast.Import() | ast.ImportFrom():
                self._import(node)
            case ast.If(test=test, body=body, orelse=orelse):
                truth = self.truth(test)
                if truth is None:
                    self.either(lambda: self.block(body), lambda: self.block(orelse))
                else:
                    self.block(body if truth else orelse)
            case ast.For() | ast.AsyncFor():
                self._for(node)
            case ast.While():
                self._while(node)
            case ast.With() | ast.AsyncWith():
                self._with(node)
            case ast.Try() | ast.TryStar():
                self._try(node)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self._define(node)
            case ast.ClassDef():
                self._class(node)
            case ast.Return(value=value):
                raise ReturnValue(None if value is None else self.value(value))
            case ast.Raise(exc=error, cause=cause):
                for part in (error, cause):
                    if part is not None:
                        self.value(part)
                raise RaiseError
            case ast.Break():
                raise BreakLoop
            case ast.Continue():
                raise ContinueLoop
            case ast.Global(names=names):
                self.scope.outer_names |= dict.fromkeys(names, self.scope.top)
            case ast.Nonlocal(names=names):
                above = self.scope.parent
                found = {name: above.find(name) for name in names} if above else {}
                self.scope.outer_names |= {name: scope for name, scope in found.items() if scope is not None}
            case ast.Delete(targets=targets):
                for target in targets:
                    self._delete(target)
            case ast.Assert(test=test, msg=message):
                self.value(test)
                if message is not None:
                    self.value(message)
            case ast.Match(subject=subject, cases=cases):
                value = self.value(subject)
                self.either(*(self._case(case, value) for case in cases), lambda: None)
            case _:
                pass

    def _case(self, case: ast.match_case, value: Value):
        def follow() -> None:
            for pattern in ast.walk(case.pattern):
                name = getattr(pattern, "name", None) or getattr(pattern, "rest", None)
                if isinstance(name, str):
                    self.bind(name, self.unknown_element(value))
                if isinstance(pattern, ast.MatchClass):
                    self.value(pattern.cls)
                    if may_act(value):
                        self.not_understood("matches the attributes of something")
            if case.guard is not None:
                self.value(case.guard)
            self.block(case.body)

        return follow

    def _for(self, node: ast.For | ast.AsyncFor) -> None:
        source = self.value(node.iter)
        elements = self.elements(source)
        if elements is None or isinstance(source, Listing) or len(elements) > _MOST_TIMES:
            stands = elements[0] if isinstance(source, Listing) and elements else self.unknown_element(source)

            def body() -> None:
                self.assign(node.target, stands)
                self.block(node.body)

            self.repeat(body)
            self.block(node.orelse)
            return
        spent = self.steps
        for place, element in enumerate(elements):
            if spent - self.steps > _MOST_LOOP_STEPS:
                self._any_number_of_times(node, elements[place:])
                break
            self.assign(node.target, element)
            try:
                self.block(node.body)
            except ContinueLoop:
                continue
            except BreakLoop:
                return
        self.block(node.orelse)

    def _any_number_of_times(self, node: ast.For | ast.AsyncFor, rest: list[Value]) -> None:
        def body() -> None:
            self.assign(node.target, self.unknown_element(tuple(rest)))
            self.block(node.body)

        self.repeat(body)

    def _while(self, node: ast.While) -> None:
        spent, truth = self.steps, self.truth(node.test)
        for _ in range(_MOST_TIMES):
            if truth is None or spent - self.steps > _MOST_LOOP_STEPS:
                break
            if not truth:
                self.block(node.orelse)
                return
            try:
                self.block(node.body)
            except ContinueLoop:
                pass
            except BreakLoop:
                return
            truth = self.truth(node.test)

        def body() -> None:
            self.block(node.body)
            self.truth(node.test)

        self.repeat(body)
        self.block(node.orelse)

    def _with(self, node: ast.With | ast.AsyncWith) -> None:
        entered: list[Value] = []
        for item in node.items:
            context = self.value(item.context_expr)
            entered.append(context)
            inner = self.enter(context)
            if item.optional_vars is not None:
                self.assign(item.optional_vars, inner)
        try:
            self.block(node.body)
        finally:
            for context in reversed(entered):
                self.leave(context)

    def enter(self, context: Value) -> Value:
        """Enter a `with`; return what it binds."""
        return context

    def leave(self, context: Value) -> None:
        """Leave a `with`."""

    def _try(self, node: ast.Try | ast.TryStar) -> None:
        before = self.snapshot()
        left: LeaveError | None = None
        raised = False
        try:
            self.block(node.body)
            self.block(node.orelse)
        except RaiseError:
            raised = True
        except LeaveError as leave:
            left = leave
        after = self.snapshot()
        self.merge(before, after)
        try:
            if node.handlers:
                handled = [self._handler(handler) for handler in node.handlers]
                if raised:
                    self.either(*handled)
                else:
                    self.either(*handled, lambda: self.restore(after))
            elif raised:
                left = RaiseError()
        except LeaveError as leave:
            left = left or (leave if raised else None)
            self.doubt = True
        finally:
            self.block(node.finalbody)
        if left is not None:
            raise left

    def _handler(self, handler: ast.ExceptHandler):
        def follow() -> None:
            if handler.type is not None:
                self.value(handler.type)
            if handler.name:
                self.bind(handler.name, DATA)
            self.block(handler.body)

        return follow

    def end_quietly(self, source: str) -> None:
        """Follow a program to its end, however it ends."""
        try:
            self.run_source(source)
        except LeaveError:
            pass
        except ExhaustedError:
            self.effects.append(_TOO_MUCH)
        except RecursionError:
            self.effects.append(_TOO_DEEP)
