"""pyautogui source read as actions with `ast`; nothing is executed.

A straight line of known calls becomes actions. Anything else (a loop, a condition, an unknown call or keyword,
a value that is not certain, a syntax error) leaves the whole program as one `Code`: never a guess, never a part of it.

A text that is put on the clipboard and pasted becomes one `Type` with the keys that paste it. Commands of `xdotool`,
and commands that fill the clipboard, are read as what they do.

Two settings of pyautogui are followed: PAUSE becomes the `pause_after` of each action. FAILSAFE stops a program when
the pointer is in a corner of the screen; it counts only when the program itself goes there.
"""

from __future__ import annotations

import ast
import threading
import warnings
from collections.abc import Callable

from trueline.actions.codecs.pyautogui.calls import KnownDesktop, Place, perform, pixels
from trueline.actions.codecs.pyautogui.clipboard import (
    COMMANDS,
    PASTE_CHORDS,
    is_clipboard_prologue,
    keeps_clipboard,
    read_command,
)
from trueline.actions.codecs.pyautogui.signatures import HOTKEYS, PARAMETERS, Args, bind
from trueline.actions.codecs.pyautogui.source_segments import Segments
from trueline.actions.codecs.pyautogui.values import (
    CONSTANTS,
    Ref,
    UnprovableError,
    Value,
    elements,
    evaluate,
    unprovable,
)
from trueline.actions.coordinates import Size
from trueline.actions.decoded import Decoded, well_formed
from trueline.actions.types import (
    Action,
    Click,
    Code,
    Done,
    Drag,
    Fail,
    HoldKey,
    KeyDown,
    KeyUp,
    Scroll,
    Type,
    Wait,
)

MAX_SOURCE = 100_000
"""Longer programs stay `Code`, to bound the time for reading them."""
_MAX_RAW = 1_000_000
SPECIAL_CODES: dict[str, Callable[[str], Action]] = {
    "WAIT": lambda raw: Wait(raw=raw),
    "DONE": lambda raw: Done(raw=raw),
    "FAIL": lambda raw: Fail(raw=raw),
}

_FUNCTIONS = {f"pyautogui.{name}" for name in (*PARAMETERS, *HOTKEYS)} | {"time.sleep"}
# Modules whose import alone does nothing. Of most nothing is known, so a use of one is not provable.
_QUIET_IMPORTS = frozenset(
    {"datetime", "json", "math", "os", "pyautogui", "pyperclip", "random", "re", "string", "subprocess", "sys", "time"}
)
_warnings_lock = threading.Lock()

Extension = Callable[[KnownDesktop, str, ast.AST, "tuple[Value, ...]", "dict[str, Value]"], bool]
"""Performs a call that is not pyautogui's; False when it does not know the function."""


def decode(source: str, *, screen: Size | None = None) -> Decoded:
    """Read one OSWorld action: a program, or one of the words WAIT, DONE, FAIL.

    Args:
        source: What the model wants to run. `pyautogui` and `time` count as imported, as OSWorld's runner imports them.
        screen: Size of the screen, if it is known; `pyautogui.size()` is certain then.
    """
    special = SPECIAL_CODES.get(source.strip())
    if special:
        return Decoded((special(source),))
    try:
        return Decoded(read_program(source, screen=screen))
    except UnprovableError as reason:
        text = well_formed(source)
        return Decoded((Code(source=text, raw=text),), note=str(reason))


def read_program(
    source: str,
    *,
    screen: Size | None = None,
    place: Place = pixels,
    names: dict[str, Value] | None = None,
    extension: Extension | None = None,
) -> tuple[Action, ...]:
    """Return the actions of a program; raises UnprovableError when it is not a straight line of known calls."""
    if len(source) > MAX_SOURCE:
        raise UnprovableError("a very long program")
    machine = KnownDesktop(place=place, screen=screen)
    known: dict[str, Value] = {"pyautogui": Ref("pyautogui"), "time": Ref("time")} | (names or {})
    try:
        reader = _Reader(machine, known, Segments(source), extension)
        for statement in parse(source).body:
            reader.statement(statement)
        reader.check_clipboard()
    except RecursionError:
        raise UnprovableError("nested too deeply") from None
    return tuple(machine.actions)


def read_call(call: ast.Call, names: dict[str, Value]) -> tuple[Action, ...]:
    """Return the actions of one call alone; raises UnprovableError when they are not certain."""
    machine = KnownDesktop()
    _Reader(machine, names, Segments(""), None).call(call)
    return tuple(machine.actions)


def parse(source: str) -> ast.Module:
    """Parse Python; raises UnprovableError on a syntax error."""
    try:
        with _warnings_lock, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # odd escapes in a model's text are not our user's business
            return ast.parse(source)
    except SyntaxError as error:
        raise UnprovableError(f"line {error.lineno}: {error.msg}") from None
    except (ValueError, RecursionError, MemoryError, OverflowError):
        raise UnprovableError("not readable as Python") from None


class _Reader:
    """Reads statement after statement into a machine."""

    def __init__(
        self, machine: KnownDesktop, names: dict[str, Value], segments: Segments, extension: Extension | None
    ) -> None:
        self.machine = machine
        self.names = names
        self.segments = segments
        self.extension = extension
        self.clipboard: str | None = None
        """What the program itself put on the clipboard, as long as nothing else can have replaced it."""
        self.unpasted: ast.expr | None = None
        """Where it did, if it has not been pasted yet."""
        self.copied_at = 0
        """How many actions there were before."""
        self.copy_node: ast.stmt | ast.expr | None = None
        """Where the text of the last paste was copied, for the raw text of the action."""

    def statement(self, node: ast.stmt) -> None:
        before = len(self.machine.actions)
        match node:
            case ast.Expr(value=ast.Constant()) | ast.Pass():
                pass
            case ast.Expr(value=ast.Call() as call):
                self.call(call)
            case ast.Import():
                self.import_modules(node)
            case ast.ImportFrom():
                self.import_names(node)
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    self.assign(target, self.value(value))
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                self.assign(target, self.value(value))
            case ast.AugAssign(target=ast.Name(id=name) as target, op=op, value=value):
                left = ast.copy_location(ast.Name(name, ast.Load()), node)
                result = self.value(ast.copy_location(ast.BinOp(left, op, value), node))
                self.assign(target, result if not isinstance(result, tuple) else unprovable(node, "a changed list"))
            case ast.With(items=[ast.withitem(context_expr=ast.Call() as call, optional_vars=None)], body=body):
                self.hold(call, body)
            case ast.Try() if is_clipboard_prologue(node):
                self.bind(node, "pyperclip", Ref("pyperclip"))
            case _:
                unprovable(node, f"{type(node).__name__.lower()} is not a plain call")
        self.keep_raw(node, before)
        self.check_failsafe(node)

    def keep_raw(self, node: ast.stmt, before: int) -> None:
        actions = self.machine.actions
        if len(actions) > before:
            raw = self.segments.text(node)
            if self.copy_node is not None and any(isinstance(action, Type) for action in actions[before:]):
                raw = f"{self.segments.text(self.copy_node)}\n{raw}" if self.copy_node is not node else raw
                self.copy_node = None
            if len(raw) * (len(actions) - before) > _MAX_RAW:
                unprovable(node, "one long statement for many actions")
            actions[before:] = [action.model_copy(update={"raw": raw}) for action in actions[before:]]

    def check_failsafe(self, node: ast.stmt) -> None:
        right, bottom = (side - 1 for side in self.machine.screen or (1, 1))
        corners = {(0, 0), (right, 0), (0, bottom), (right, bottom)}
        if self.machine.failsafe and self.machine.pointer in corners:
            unprovable(node, "the pointer is in a corner of the screen with FAILSAFE on")

    def value(self, node: ast.expr) -> Value:
        return evaluate(node, self.names, self.ask)

    def ask(self, function: str, args: tuple[Value, ...]) -> Value:
        """Evaluate the calls that only query something."""
        match function, args:
            case "pyautogui.size" | "pyautogui.resolution", () if self.machine.screen:
                return tuple(self.machine.screen)
            case "pyautogui.position", () if self.machine.pointer:
                return tuple(self.machine.pointer)
            case _:
                raise UnprovableError(f"the answer of {function}() is not certain")

    def given(self, node: ast.Call) -> tuple[tuple[Value, ...], dict[str, Value]]:
        """Return the arguments and the keyword arguments of a call."""
        keywords = {word.arg or unprovable(node, "** in a call"): self.value(word.value) for word in node.keywords}
        return elements(node.args, self.names, self.ask), keywords

    def call(self, node: ast.Call) -> None:
        target = self.value(node.func)
        if not isinstance(target, Ref):
            unprovable(node, "a call of something that is not a function")
        args, keywords = self.given(node)
        if self.extension and self.extension(self.machine, target.name, node, args, keywords):
            return
        if target.name == "pyperclip.copy":
            self.copy(node, args, keywords)
            return
        if target.name in COMMANDS:
            self.command(node, target.name, args, keywords)
            return
        if target.name not in _FUNCTIONS:
            unprovable(node, f"{target.name}() is not a plain input")
        function = target.name.rpartition(".")[2]
        if function in HOTKEYS and self.paste(node, args, keywords):
            return
        if target.name == "time.sleep" and keywords:
            unprovable(node, "time.sleep() takes no keywords")
        perform(self.machine, function, self.arguments(node, function, args, keywords))

    def copy(self, node: ast.expr, args: tuple[Value, ...], keywords: dict[str, Value]) -> None:
        """`pyperclip.copy(text)`: certain only if it is pasted before anything else can replace it."""
        match args, keywords:
            case ((str() as text,), {}) | ((), {"text": str() as text}) if len(keywords) < 2:
                self.put_on_clipboard(node, text)
            case _:
                unprovable(node, "copy() of something that is not certain")

    def put_on_clipboard(self, node: ast.expr, text: str) -> None:
        self.check_clipboard()
        self.clipboard, self.unpasted, self.copied_at = text, node, len(self.machine.actions)

    def check_clipboard(self) -> None:
        """Refuse a program that leaves something on the clipboard: no action says so."""
        if self.unpasted is not None:
            unprovable(self.unpasted, "a text is put on the clipboard and not pasted")

    def paste(self, node: ast.AST, args: tuple[Value, ...], keywords: dict[str, Value]) -> bool:
        """A chord that pastes what the program itself put on the clipboard; False if it is another."""
        if self.clipboard is None or keywords:
            return False
        keys = Args(node, {"keys": args[0] if len(args) == 1 else args}).keys("keys")
        if frozenset(keys) not in PASTE_CHORDS:
            return False
        if not keeps_clipboard(self.machine.actions[self.copied_at :]):
            unprovable(node, "what is pasted is not certain")
        self.machine.do(Type(text=self.clipboard, paste=keys))
        self.machine.rest(self.machine.pause)
        self.copy_node, self.unpasted = self.unpasted, None
        self.copied_at = len(self.machine.actions)
        return True

    def command(self, node: ast.expr, function: str, args: tuple[Value, ...], keywords: dict[str, Value]) -> None:
        """A command that acts as the keyboard and the mouse, or fills the clipboard."""
        read = read_command(function, args, keywords)
        if read is None:
            unprovable(node, f"{function}() of a command that is not plain input")
        elif isinstance(read, str):
            self.put_on_clipboard(node, read)
        else:
            self.machine.do(*read)

    def arguments(self, node: ast.AST, function: str, args: tuple[Value, ...], keywords: dict[str, Value]) -> Args:
        if function not in HOTKEYS:
            return bind(node, function, args, keywords)
        if not set(keywords) <= {"interval", "logScreenshot", "_pause"}:
            unprovable(node, "hotkey() does not take these arguments")
        keys: Value = args[0] if len(args) == 1 else args
        bound = Args(node, {**keywords, "keys": keys})
        bound.check()
        return bound

    def hold(self, node: ast.Call, body: list[ast.stmt]) -> None:
        """`with pyautogui.hold(keys):` is one action with modifiers when one pointer action is inside."""
        if self.value(node.func) != Ref("pyautogui.hold"):
            unprovable(node, "with is only known with pyautogui.hold()")
        bound = bind(node, "hold", *self.given(node))
        keys = bound.keys("keys")
        machine = self.machine
        if bound.flag("_pause"):
            machine.rest(machine.pause)  # before the keys go down; before the first action it does not matter
        before = len(machine.actions)
        for statement in body:
            self.statement(statement)
        match machine.actions[before:]:
            case [(Click(modifiers=()) | Drag(modifiers=()) | Scroll(modifiers=())) as held]:
                machine.actions[before:] = [held.model_copy(update={"modifiers": keys})]
            case [Wait(seconds=float(seconds), pause_after=0.0)]:
                machine.actions[before:] = [HoldKey(keys=keys, duration=seconds)]
            case inside:
                machine.actions[before:] = [
                    *(KeyDown(key=key) for key in keys),
                    *inside,
                    *(KeyUp(key=key) for key in keys),
                ]

    def assign(self, target: ast.expr, value: Value) -> None:
        match target:
            case ast.Name(id=name):
                if isinstance(self.names.get(name), Ref) or isinstance(value, Ref):
                    unprovable(target, f"{name} gets another meaning")
                self.names[name] = value
            case ast.Tuple(elts=targets) | ast.List(elts=targets):
                if not isinstance(value, tuple) or len(value) != len(targets):
                    unprovable(target, "an assignment that does not fit")
                for inner, item in zip(targets, value, strict=True):
                    self.assign(inner, item)
            case ast.Attribute() if self.value(target) == Ref("pyautogui.PAUSE"):
                self.machine.pause = Args(target, {"PAUSE": value}).seconds("PAUSE")
            case ast.Attribute() if self.value(target) == Ref("pyautogui.FAILSAFE"):
                self.machine.failsafe = Args(target, {"FAILSAFE": value}).flag("FAILSAFE")
            case _:
                unprovable(target, "an assignment to something else than a name")

    def import_modules(self, node: ast.Import) -> None:
        for alias in node.names:
            if alias.name not in _QUIET_IMPORTS:
                unprovable(node, f"import of {alias.name}")
            self.bind(node, alias.asname or alias.name, Ref(alias.name))

    def import_names(self, node: ast.ImportFrom) -> None:
        if node.level or node.module not in ("pyautogui", "time"):
            unprovable(node, f"import from {node.module}")
        for alias in node.names:
            if alias.name == "*":
                if node.module == "time" or not all(_own_name(name, value) for name, value in self.names.items()):
                    unprovable(node, "an import of everything, which may change a meaning")
                self.names |= {name.partition(".")[2]: Ref(name) for name in _FUNCTIONS if name != "time.sleep"}
                self.names |= {name.partition(".")[2]: value for name, value in CONSTANTS.items()}
            else:
                full = f"{node.module}.{alias.name}"
                if full not in _FUNCTIONS and full not in CONSTANTS:
                    unprovable(node, f"import of {full}")
                self.bind(node, alias.asname or alias.name, CONSTANTS.get(full, Ref(full)))

    def bind(self, node: ast.AST, name: str, value: Value) -> None:
        if self.names.get(name, value) != value:
            unprovable(node, f"{name} gets another meaning")
        self.names[name] = value


def _own_name(name: str, value: Value) -> bool:
    return isinstance(value, Ref) and value.name.rpartition(".")[2] == name
