"""Calls that move the mouse, press keys or fill the clipboard, and commands that do so."""

from __future__ import annotations

import ast
from typing import Any, cast

from trueline.actions.codecs.pyautogui.calls import KnownDesktop as InputMachine
from trueline.actions.codecs.pyautogui.calls import perform
from trueline.actions.codecs.pyautogui.signatures import HOTKEYS, Args, bind
from trueline.actions.codecs.pyautogui.values import UnprovableError
from trueline.actions.input_commands import clipboard_of_line, input_of_words
from trueline.actions.python.effects import ClipboardSet, ProgramInput, ShellEquivalent
from trueline.actions.python.function_calls import FunctionCalls
from trueline.actions.python.library import Amounts, LibraryCall, run
from trueline.actions.python.values import (
    DATA,
    Instance,
    Listing,
    Reference,
    Unknown,
    UserObject,
    Value,
    text_of,
)


class InputCalls(FunctionCalls):
    """Follows input, and records what library functions amount to."""

    def __init__(self) -> None:
        super().__init__()
        self.hands = InputMachine()
        self.connected: tuple[str, ...] = ()
        """Host and port of the last connection."""

    def amount(self, done: Amounts, args: list[Value], keywords: dict[str, Value], shown: str) -> Value:
        """Record what a call amounts to, and follow what it calls."""
        for effect in done.effects:
            self.record_equivalent(effect)
        for function, given, words in done.calls:
            self.hand_over(function, shown) if function is DATA else self.call_later(function, given, words, shown)
        if not done.takes_callables:
            for value in (*args, *keywords.values()):
                self.hand_over(value, shown)
        return done.value

    def record_equivalent(self, effect: ShellEquivalent) -> None:
        """Record a command, with what it types, clicks or copies."""
        self.record(effect)
        if actions := input_of_words(effect.words, effect.line):
            self.record(ProgramInput(actions, self.certain))
        if copied := clipboard_of_line(effect.line):
            self.record(ClipboardSet(copied.text, copied.primary, self.certain))
        if effect.words[:1] == ("nc",) and "-l" not in effect.words:
            self.connected = effect.words[1:]
        if effect.words[:1] == ("tee",):
            self._opened_for_writing = True

    def input(self, function: str, args: list[Value], keywords: dict[str, Value]) -> Value:
        """A function of pyautogui that moves, clicks or types."""
        node = ast.Constant(None)
        machine = self.hands
        machine.actions.clear()
        if self.branches:
            machine.pointer = None
        if function == "hold":
            return Instance("held keys", tuple(text_of(key) for key in _key_names(args, keywords)))
        try:
            given = tuple(_for_input(arg) for arg in args)
            words = {name: _for_input(value) for name, value in keywords.items()}
            if function in HOTKEYS:
                keys = given[0] if len(given) == 1 else given
                bound = Args(node, {**words, "keys": keys})
                bound.check()
            else:
                bound = bind(node, function, given, words)
            perform(machine, function, bound)
        except (UnprovableError, RecursionError):
            machine.actions.clear()
            if function == "sleep":
                return None
            self.record(ProgramInput((), certain=False))
            return None
        if machine.actions:
            self.record(ProgramInput(tuple(machine.actions), self.certain))
        machine.actions.clear()
        return None

    def set_pyautogui(self, name: str, value: Value) -> None:
        """Pauses do not matter here."""

    def copy_to_clipboard(self, args: list[Value], keywords: dict[str, Value]) -> Value:
        """A text is put on the clipboard."""
        value = args[0] if args else keywords.get("text", DATA)
        primary = (args[1] if len(args) > 1 else keywords.get("primary")) is True
        text = value if isinstance(value, str) else str(value) if type(value) in (int, float) else None
        self.record(ClipboardSet(text, primary, self.certain))
        return None

    def screenshot(self, args: list[Value], keywords: dict[str, Value]) -> Value:
        """A picture of the screen, perhaps in a file."""
        call = LibraryCall("pyautogui.screenshot", args, keywords, folder=self.folder)
        if call.arg(0, "imageFilename") is not None:
            self.record(run("tee", call.path(0, "imageFilename")))
        return Instance("document", ("",))

    def enter(self, context: Value) -> Value:
        """What `with` binds."""
        match context:
            case Instance(kind="held keys", detail=keys):
                self._hold(keys, down=True)
                return None
            case UserObject() if "__enter__" in context.of.scope.variables:
                return self.call_value(self.attribute(context, "__enter__"), [], {}, "with")
            case UserObject():
                return self.not_understood("with something of its own")
            case list() if context:
                return cast("list[Value]", context)[0]
            case Listing(entries=(first, *_)):
                return first
            case Unknown.ANYTHING:
                return self.not_understood("with something that is not known")
            case _:
                return context

    def leave(self, context: Value) -> None:
        """What happens at the end of `with`."""
        if isinstance(context, Instance) and context.kind == "held keys":
            self._hold(context.detail, down=False)
        elif isinstance(context, UserObject) and "__exit__" in context.of.scope.variables:
            self.call_value(self.attribute(context, "__exit__"), [None, None, None], {}, "with")

    def _hold(self, keys: tuple[str, ...], *, down: bool) -> None:
        for key in keys if down else tuple(reversed(keys)):
            self.input("keyDown" if down else "keyUp", [key], {})


def _key_names(args: list[Value], keywords: dict[str, Value]) -> list[Value]:
    given = args[0] if args else keywords.get("keys", "")
    return list(cast("list[Value]", given)) if isinstance(given, list | tuple) else [given]


def _for_input(value: Value) -> Any:
    """A value as the reader of pyautogui's arguments takes it."""
    if isinstance(value, Reference):
        from trueline.actions.codecs.pyautogui.values import CONSTANTS, Ref

        return CONSTANTS.get(value.name, Ref(value.name))
    if isinstance(value, list):
        return tuple(_for_input(item) for item in cast("list[Value]", value))
    if isinstance(value, tuple):
        return tuple(_for_input(item) for item in cast("tuple[Value, ...]", value))
    if isinstance(value, str | int | float | bool) or value is None:
        return value
    raise UnprovableError("an argument that is not certain")
