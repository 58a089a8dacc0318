"""The state of a program that is followed: variables, effects so far, how certain it is that this place is reached.

Where a condition is not known, both ways are followed one after the other and what they leave behind is joined. A
container that is changed on such a way is no longer known (`spoiled`). All work is counted, so that a program cannot
keep the reader busy.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TypeAlias

from trueline.actions.python.effects import ProgramEffect, ShellEquivalent
from trueline.actions.python.values import ANYTHING, Value, Variables, is_same, join, leaves

MOST_STEPS = 20_000
MOST_EFFECTS = 300
_MOST_SCOPES = 400
_MOST_PASSES = 6

Snapshot: TypeAlias = "list[tuple[Variables, dict[str, Value]]]"


class LeaveError(Exception):
    """The program leaves the block that it is in."""


class BreakLoop(LeaveError):
    """`break`."""


class ContinueLoop(LeaveError):
    """`continue`."""


class ReturnValue(LeaveError):
    """`return`, with its value."""

    def __init__(self, value: Value) -> None:
        super().__init__()
        self.value = value


class RaiseError(LeaveError):
    """An exception that the program raises, or the end of the program."""


class ExhaustedError(Exception):
    """The program does more than is followed."""


class ProgramState:
    """Scopes, effects and certainty."""

    def __init__(self) -> None:
        self.effects: list[ProgramEffect] = []
        self.top = Variables()
        self.scope = self.top
        self.scopes: list[Variables] = [self.top]
        self.branches: int = 0
        """How many conditions that are not known this place depends on."""
        self.doubt = False
        """Whether the program may have ended, or left the loop or function, before this place."""
        self.steps = MOST_STEPS
        self.folder = ""
        """The working folder, empty while it is the one that the program was started in."""
        self.spoiled: dict[int, Value] = {}
        self.returns: list[list[Value]] = [[]]
        """Values that the functions being followed may have returned already."""
        self.yields: list[list[Value]] = [[]]

    @property
    def certain(self) -> bool:
        """Whether this place is reached whenever the program runs."""
        return not self.branches and not self.doubt

    def spend(self) -> None:
        """Count one step."""
        self.steps -= 1
        if self.steps < 0:
            raise ExhaustedError

    def record(self, effect: ProgramEffect) -> None:
        """Add an effect; a command that is there already is not added again."""
        if isinstance(effect, ShellEquivalent) and effect in self.effects:
            return
        if len(self.effects) >= MOST_EFFECTS:
            raise ExhaustedError
        self.effects.append(effect)

    def not_understood(self, why: str) -> Value:
        """Record that something happens which is not known."""
        self.record(ShellEquivalent(unseen=why))
        return ANYTHING

    def new_scope(self, parent: Variables | None, *, is_class: bool = False) -> Variables:
        """Make a scope that takes part in branches."""
        if len(self.scopes) > _MOST_SCOPES:
            self.scopes = self.scopes[:1] + [scope for scope in self.scopes[1:] if scope.variables]
            if len(self.scopes) > _MOST_SCOPES:
                raise ExhaustedError
        scope = Variables(parent=parent, is_class=is_class)
        self.scopes.append(scope)
        return scope

    def spoil(self, value: Value) -> None:
        """Forget what is in a container."""
        self.spoiled[id(value)] = value

    def is_known(self, value: Value) -> bool:
        """Whether the content of a container is known, as far as this level goes."""
        return id(value) not in self.spoiled

    def has_spoiled(self, value: Value) -> bool:
        """Whether a container, or one inside it, is not known any more."""
        if not self.spoiled:
            return False
        todo, looked = [value], 0
        while todo:
            item = todo.pop()
            looked += 1
            if id(item) in self.spoiled or looked > 1_000:
                return True
            if isinstance(item, dict):
                todo += item.values()
            elif isinstance(item, tuple | list):
                todo += item
        return False

    def snapshot(self) -> Snapshot:
        """What all variables are now."""
        self.steps -= len(self.scopes) // 8
        return [(scope, dict(scope.variables)) for scope in self.scopes]

    def restore(self, state: Snapshot) -> None:
        """Go back to what all variables were."""
        for scope, variables in state:
            scope.variables = dict(variables)

    def merge(self, one: Snapshot, other: Snapshot) -> bool:
        """Make each variable what it is in either state; return whether that is not simply `one`."""
        changed = False
        second = {id(scope): variables for scope, variables in other}
        for scope, variables in one:
            theirs = second.get(id(scope), variables)
            merged = dict(variables)
            for name, value in theirs.items():
                if name not in merged:
                    merged[name] = value
                    changed = True
                elif not is_same(merged[name], value):
                    joined = join(merged[name], value)
                    changed = changed or joined is not merged[name]
                    merged[name] = joined
            scope.variables = merged
        return changed

    @contextmanager
    def branch(self) -> Generator[None]:
        """Code that may not be reached."""
        self.branches += 1
        try:
            yield
        finally:
            self.branches -= 1

    def either(self, *ways: Callable[[], None]) -> None:
        """Follow several ways of which one is taken."""
        before = self.snapshot()
        states: list[Snapshot] = []
        left: list[LeaveError] = []
        for way in ways:
            self.restore(before)
            try:
                with self.branch():
                    way()
            except LeaveError as leave:
                left.append(leave)
                if isinstance(leave, ReturnValue):
                    self.returns[-1].append(leave.value)
                continue
            states.append(self.snapshot())
        if left:
            self.doubt = True
        if not states:
            stay = next((leave for leave in left if isinstance(leave, BreakLoop | ContinueLoop)), left[0])
            raise stay
        self.restore(states[0])
        for state in states[1:]:
            self.merge(self.snapshot(), state)

    def repeat(self, body: Callable[[], None]) -> None:
        """Follow code that runs any number of times, until one more time changes nothing."""
        for number in range(_MOST_PASSES):
            before = self.snapshot()
            try:
                with self.branch():
                    body()
            except (BreakLoop, ContinueLoop):
                pass
            except LeaveError as leave:
                self.doubt = True
                if isinstance(leave, ReturnValue):
                    self.returns[-1].append(leave.value)
            changed = self.merge(before, self.snapshot())
            if not changed:
                return
            if number == _MOST_PASSES - 2:
                self.forget_changes(before)

    def forget_changes(self, before: Snapshot) -> None:
        """Variables that differ from an earlier state can be anything from now on."""
        for scope, variables in before:
            for name, value in scope.variables.items():
                if name not in variables or not is_same(variables[name], value):
                    scope.variables[name] = ANYTHING


def callables_in(value: Value) -> list[Value]:
    """What could be called by whoever is given the value; the value itself where that is too much to look at."""
    found = leaves(value)
    return [ANYTHING] if found is None else found
