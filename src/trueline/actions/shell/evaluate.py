"""Evaluates the commands of a text: what each would run, nested ones too. Nothing is run.

Where only run time tells whether something runs, it is evaluated, and afterwards a variable has a known value only if
it has the same one either way. A loop's body is evaluated until that changes nothing more.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from trueline.actions.shell.command import ShellCommand, ShellSession
from trueline.actions.shell.command_input import CommandInput
from trueline.actions.shell.desugar import COPROCESS
from trueline.actions.shell.exhaustion import exhausts
from trueline.actions.shell.expand import Field, Nested, Run, expand, expand_to_one_field
from trueline.actions.shell.parse import fragments, parse
from trueline.actions.shell.shell_builtins import LEAVES, QUIET, assigned_in_arithmetic
from trueline.actions.shell.simple_commands import Redirected, SimpleCommands
from trueline.actions.shell.state import ShellState, either, state_of
from trueline.actions.shell.syntax import (
    Chain,
    Choice,
    Expression,
    Function,
    Group,
    Loop,
    NotUnderstoodError,
    PartKind,
    Pipe,
    Script,
    Simple,
    Statement,
    UnfinishedError,
    Word,
)
from trueline.actions.shell.unseen import MAX_DEPTH, unseen

Result = TypeVar("Result")

_MAX_STEPS = 3000
_MAX_ROUNDS = 5
_MAX_VALUES = 40
_FORK_BOMB = re.compile(r"([\w:.]{1,20})\(\)\{\1\|\1&\};\1")


class Shell(SimpleCommands):
    """Evaluates text; `commands` collects all that would run, nested ones too."""

    def __init__(self, session: ShellSession) -> None:
        super().__init__(state_of(session), interactive=session.interactive)
        self.steps = 0
        self.calls: list[str] = []
        """The functions that are being evaluated."""

    def run(self, text: str, depth: int, feed: CommandInput | None = None, *, within: bool = False) -> Nested:
        """Read a text; its output is known when that of every part is."""
        before = len(self.commands)
        feed = feed or CommandInput()
        if depth > MAX_DEPTH:
            self.not_known(text, "commands nested too deeply")
            return Nested(None, tuple(self.commands[before:]))
        if _FORK_BOMB.search("".join(text.split())):
            self.commands.append(ShellCommand((text[:200],), ":", frozenset({"fork_bomb"})))
        if exhausts(text):  # and what else stands in the line runs too
            self.commands.append(ShellCommand((text[:200],), ":", frozenset({"exhaust"})))
        try:
            script = parse(text, within=within)
        except NotUnderstoodError as error:
            self._piecemeal(text, str(error), depth, feed)
            return Nested(None, tuple(self.commands[before:]))
        except UnfinishedError:
            self._piecemeal(text, "a text that does not end", depth, feed)
            return Nested(None, tuple(self.commands[before:]))
        return Nested(self._script(script, depth, feed), tuple(self.commands[before:]))

    def run_in_subshell(
        self, text: str, depth: int, feed: CommandInput | None = None, state: ShellState | None = None
    ) -> Nested:
        """Read a text as a shell of its own would; what it sets is lost, what it writes stays."""
        return self._in_subshell(lambda: self.run(text, depth, feed), state)

    def _in_subshell(self, evaluate: Callable[[], Result], state: ShellState | None = None) -> Result:
        outside = self.state
        self.state = state or outside.copy()
        try:
            return evaluate()
        finally:
            outside.files = self.state.files
            outside.altered = outside.altered or self.state.altered
            self.state = outside

    def _piecemeal(self, text: str, reason: str, depth: int, feed: CommandInput) -> None:
        """Read the lines before what is not understood, which a shell runs first, and what can be recognized in it."""
        lines = text.split("\n")
        kept: list[str] = []
        for line in lines if len(lines) > 1 else ():
            kept.append(line)
            try:
                script = parse("\n".join(kept))
            except UnfinishedError:
                continue
            except NotUnderstoodError:
                break
            kept.clear()
            self._script(script, depth, feed)
        rest = "\n".join(kept) if len(lines) > 1 else text
        self.not_known(rest or text, reason)
        for fragment in fragments(rest):
            try:
                script = parse(fragment)
            except (NotUnderstoodError, UnfinishedError):
                continue
            self._perhaps(script, depth, feed)

    def not_known(self, text: str, reason: str) -> None:
        """A part of the text is not understood."""
        self.commands.append(unseen(text))
        self.not_understood = self.not_understood or reason

    def _perhaps(self, script: Script, depth: int, feed: CommandInput) -> None:
        """Evaluate what may run."""
        before = self.state.copy()
        self._script(script, depth, feed)
        self.state = either(before, self.state)

    def _script(self, script: Script, depth: int, feed: CommandInput) -> str | None:
        texts: list[str | None] = []
        for statement in script:
            before = len(self.commands)
            texts.append(self._statement(statement, depth, feed))
            if any(command.program not in QUIET for command in self.commands[before:]):
                feed = feed._replace(text=None)  # it may have read a part of it
        return _together(texts)

    def _statement(self, statement: Statement, depth: int, feed: CommandInput) -> str | None:
        self.steps += 1
        if self.steps > _MAX_STEPS:
            self.give_up()
            return None
        match statement:
            case Simple():
                return self.simple(statement, depth, feed)
            case Pipe(stages):
                return self._pipe(stages, depth, feed)
            case Chain(statements):
                return self._chain(statements, depth, feed)
            case Group():
                return self._group(statement, depth, feed)
            case Choice():
                return self._choice(statement, depth, feed)
            case Loop():
                return self._loop(statement, depth, feed)
            case Function(name, body):
                self.state.functions[name] = (*self.state.functions.get(name, ())[-3:], body)
                self.state.altered = True
                self._look_at_function(body, depth)
                return ""
            case Expression(words, arithmetic):
                for word in words:
                    found = expand_to_one_field(word, self.state, self.nested(depth, feed))
                    if arithmetic:
                        self._compute(found.text)
                return ""

    def _look_at_function(self, body: Statement, depth: int) -> None:
        """Record what a function would run in any case; what depends on its arguments is told where it is called."""
        mark, understood = len(self.commands), self.not_understood
        inner = self.state.copy()
        inner.arguments = None
        self._in_subshell(lambda: self._statement(body, depth, CommandInput(None, (), True)), inner)
        self.commands[mark:] = [command for command in self.commands[mark:] if "hidden" not in command.does]
        self.not_understood = understood

    def _pipe(self, stages: tuple[Statement, ...], depth: int, feed: CommandInput) -> str | None:
        text: str | None = None
        for place, stage in enumerate(stages):
            before, state = len(self.commands), self.state.copy()
            text = None if _is_coprocess(stage) else self._statement(stage, depth, feed)
            files = self.state.files
            self.state = either(state, self.state)  # some shells run the last one themselves
            self.state.files = files
            feed = CommandInput(text, (*(feed.sources if place else ()), *self.commands[before:]), True)
        return text

    def _chain(self, statements: tuple[Statement, ...], depth: int, feed: CommandInput) -> str | None:
        texts: list[str | None] = []
        for place, statement in enumerate(statements):
            before, mark = self.state.copy(), len(self.commands)
            texts.append(self._statement(statement, depth, feed))
            if place:
                self.state = either(before, self.state)
            if any(command.program not in QUIET for command in self.commands[mark:]):
                feed = feed._replace(text=None)
        return _together(texts) if len([text for text in texts if text != ""]) < 2 else None

    def _group(self, group: Group, depth: int, feed: CommandInput) -> str | None:
        mark = len(self.commands)
        sent = self.redirect(group.redirections, feed, depth)
        if group.apart:
            text = self._in_subshell(lambda: self._script(group.body, depth, sent.feed))
        else:
            text = self._script(group.body, depth, sent.feed)
        if sent.read and not sent.written:
            self.call([], Redirected(CommandInput(), (), sent.read), depth)
        if not sent.written:
            return text
        output = CommandInput(text, tuple(self.commands[mark:]), True)
        return self.call([], sent._replace(feed=output), depth)

    def _choice(self, choice: Choice, depth: int, feed: CommandInput) -> str | None:
        mark = len(self.commands)
        for word in choice.words:
            expand_to_one_field(word, self.state, self.nested(depth, feed))
        self._script(choice.first, depth, feed)
        if any(command.program not in QUIET for command in self.commands[mark:]):
            feed = feed._replace(text=None)
        before = self.state
        after = before
        texts: list[str | None] = []
        for branch in choice.branches:
            self.state = before.copy()
            texts.append(self._script(branch, depth, feed))
            after = either(after, self.state)
        self.state = after
        return "" if all(text == "" for text in texts) else None

    def _loop(self, loop: Loop, depth: int, feed: CommandInput) -> str | None:
        values = self._values(loop, depth, feed)
        feed = feed._replace(text=None)
        mark, exits = len(self.commands), len(self.exits)
        text: str | None = ""
        for _ in range(_MAX_ROUNDS):
            before = self.state.copy()
            for value in values:
                start = self.state.copy()
                if loop.name:
                    self.state.set(
                        loop.name, None if value is None else value.text, pattern=bool(value and value.pattern)
                    )
                text = "" if self._script(loop.body, depth, feed) == "" and text == "" else None
                self.state = either(start, self.state)
            for left in self.exits[exits:]:
                self.state = either(self.state, left)
            if self.steps > _MAX_STEPS or _same_but(loop.name, before, self.state):
                break
        else:
            self.state.blind = True
            self._script(loop.body, depth, feed)
        self.commands[mark:] = list(dict.fromkeys(self.commands[mark:]))
        if loop.name and values != [None]:
            self.state.set(loop.name, None)
        return text

    def _values(self, loop: Loop, depth: int, feed: CommandInput) -> list[Field | None]:
        if loop.words is None:
            return [None]
        fields = [field for word in loop.words for field in expand(word, self.state, self.nested(depth, feed))]
        if len(fields) > _MAX_VALUES or not all(field.known and not field.several for field in fields):
            return [None]
        return list(fields)

    def call_function(self, name: str, fields: Sequence[Field], depth: int, feed: CommandInput) -> None:
        """Evaluate the bodies that a function may have, if there is one of this name."""
        bodies = self.state.functions.get(name, ())
        if bodies and (len(self.calls) > MAX_DEPTH or self.calls.count(name) > 1):
            self.not_known(name, "functions that call themselves")
            return
        certain = all(field.known and not field.pattern and not field.several for field in fields)
        self.calls.append(name)
        for body in bodies:
            before, exits = self.state.copy(), len(self.exits)
            self.state.arguments = tuple(field.text for field in fields) if certain else None
            self._statement(body, depth, feed)
            for left in self.exits[exits:]:
                self.state = either(self.state, left)
            self.state = either(before, self.state)
            self.state.arguments = before.arguments
        self.calls.pop()

    def leave(self, program: str) -> None:
        """Remember what is known where a loop, a function or the shell may be left."""
        if program in LEAVES:
            self.exits.append(self.state.copy())

    def nested(self, depth: int, feed: CommandInput) -> Run:
        """How nested commands are evaluated: in a shell of their own, with the same input."""

        def evaluate(text: str, kind: PartKind) -> Nested:
            if kind == "arithmetic":
                self._compute(text)
                return Nested("", ())
            given = CommandInput(None, (), True) if kind == "consumer" else feed
            return self._in_subshell(lambda: self.run(text, depth + 1, given, within=True))

        return evaluate

    def _compute(self, expression: str) -> None:
        if assigned_in_arithmetic(self.state, expression):
            self.not_known(expression, "arithmetic with a value that may hold a command")


def _is_coprocess(statement: Statement) -> bool:
    match statement:
        case Simple(words=(Word(parts=(part,)),)):
            return part.value == COPROCESS
        case _:
            return False


def _together(texts: Sequence[str | None]) -> str | None:
    """The output of several commands, known when each of theirs is."""
    return None if any(text is None for text in texts) else "".join(text or "" for text in texts)


def _same_but(name: str, one: ShellState, other: ShellState) -> bool:
    """Whether two states tell the same, but for one variable."""
    mine = {key: value for key, value in one.variables.items() if key != name}
    theirs = {key: value for key, value in other.variables.items() if key != name}
    return (mine, replace(one, variables={}, files={}, altered=False)) == (
        theirs,
        replace(other, variables={}, files={}, altered=False),
    )
