"""Calls of builtins that have to do with objects of the program, and of functions that fold."""

from __future__ import annotations

import ast

from trueline.actions.python.attributes import parent_folder
from trueline.actions.python.effects import UNKNOWN
from trueline.actions.python.file_calls import file_method
from trueline.actions.python.function_calls import MOST_CALLS_DEEP
from trueline.actions.python.input_calls import InputCalls
from trueline.actions.python.library import LibraryCall, line
from trueline.actions.python.pure_functions import (
    BUILTINS,
    FOLDED,
    fold,
    folds,
)
from trueline.actions.python.values import (
    ANYTHING,
    DATA,
    Instance,
    Listing,
    Namespace,
    PartialText,
    Reference,
    UserObject,
    Value,
    may_act,
    text_of,
    text_value,
)

_ORDERED = frozenset({"list", "tuple", "iter", "reversed", "enumerate", "zip", "str", "repr", "format", "ascii"})
"""Builtins whose result depends on the order of a set, which differs from run to run."""


class BuiltinCalls(InputCalls):
    """`_builtin_NAME` follows the builtin of that name."""

    def _builtin_print(self, _args: list[Value], _keywords: dict[str, Value]) -> Value:
        target = _keywords.get("file")
        if isinstance(target, UserObject):
            self.call_later(self.attribute(target, "write"), [DATA], {}, "print")
        if isinstance(target, Instance) and target.kind == "file" and len(_args) == 1:
            self.amount(file_method(LibraryCall("write", [_args[0]], {}, target)), [], {}, "print")
        return None

    def _builtin_exec(self, args: list[Value], _keywords: dict[str, Value]) -> Value:
        return self.execute(args[0] if args else DATA, "exec")

    def _builtin_eval(self, args: list[Value], _keywords: dict[str, Value]) -> Value:
        return self.execute(args[0] if args else DATA, "eval")

    def _builtin_compile(self, args: list[Value], keywords: dict[str, Value]) -> Value:
        source = args[0] if args else keywords.get("source", DATA)
        if isinstance(source, str | bytes):
            return Instance("code", (text_of(source),))
        return Instance("code", ())

    def execute(self, source: Value, function: str) -> Value:
        """Follow the text or code given to `exec` or `eval`."""
        if isinstance(source, Instance) and source.kind == "code" and source.detail:
            source = source.detail[0]
        if isinstance(source, Instance) and source.kind == "response":
            self.record(line("curl … | python3"))
        if not isinstance(source, str | bytes):
            return self.not_understood(f"{function}() of what is not known")
        if self.deep >= MOST_CALLS_DEEP:
            return self.not_understood(f"{function}() nested too deeply")
        self.deep += 1
        try:
            text = text_of(source)
            try:
                expression = ast.parse(text.strip(), mode="eval") if function == "eval" else None
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                expression = None
            if expression is not None:
                return self.value(expression.body)
            self.run_source(text)
            return None
        finally:
            self.deep -= 1

    def _builtin___import__(self, args: list[Value], keywords: dict[str, Value]) -> Value:
        name = args[0] if args else keywords.get("name", DATA)
        if not isinstance(name, str):
            return self.not_understood("imports a module whose name it computes")
        self.check_import(name)
        return Reference(name if "importlib" in keywords else name.partition(".")[0])

    def _builtin_getattr(self, args: list[Value], _keywords: dict[str, Value]) -> Value:
        if len(args) < 2 or not isinstance(args[1], str):
            return ANYTHING
        return self.attribute(args[0], args[1])

    def _builtin_setattr(self, args: list[Value], _keywords: dict[str, Value]) -> Value:
        if len(args) == 3 and isinstance(args[1], str):
            self._set_attribute(args[0], args[1], args[2])
        else:
            self.not_understood("sets an attribute whose name it computes")
        return None

    def _builtin_delattr(self, args: list[Value], _keywords: dict[str, Value]) -> Value:
        if not args or not isinstance(args[0], UserObject):
            self.not_understood("deletes an attribute")
        return None

    def _builtin_vars(self, args: list[Value], _keywords: dict[str, Value]) -> Value:
        if args and isinstance(args[0], Reference):
            return Namespace(args[0].name)
        if not args and self.scope is self.top:
            return self._names_of_module()
        return ANYTHING

    def _names_of_module(self) -> Value:
        held: dict[Value, Value] = {**dict.fromkeys(("__builtins__",), Reference("builtins")), **self.top.variables}
        return held

    def _builtin_globals(self, _args: list[Value], _keywords: dict[str, Value]) -> Value:
        return self._names_of_module()

    def _builtin_locals(self, _args: list[Value], _keywords: dict[str, Value]) -> Value:
        return self._names_of_module() if self.scope is self.top else ANYTHING

    def _builtin_map(self, args: list[Value], _keywords: dict[str, Value]) -> Value:
        if len(args) < 2:
            return DATA
        function, *sources = args
        columns = [self.elements(source) for source in sources]
        known = [column for column in columns if column is not None]
        if len(known) < len(columns) or any(isinstance(source, Listing) for source in sources):
            with self.branch():
                stand = [
                    column[0] if column else self.unknown_element(source)
                    for column, source in zip(columns, sources, strict=True)
                ]
                result = self.call_value(function, stand, {}, "map")
            return Listing((result,))
        return [self.call_value(function, list(row), {}, "map") for row in zip(*known, strict=False)]

    def _builtin_filter(self, args: list[Value], _keywords: dict[str, Value]) -> Value:
        if len(args) != 2:
            return DATA
        elements = self.elements(args[1])
        if elements is None or isinstance(args[1], Listing):
            if args[0] is not None:
                with self.branch():
                    self.call_value(args[0], [elements[0] if elements else self.unknown_element(args[1])], {}, "filter")
            return args[1]
        kept: list[Value] = []
        sure = True
        for element in elements:
            truth = self.truth_of(element if args[0] is None else self.call_value(args[0], [element], {}, "filter"))
            sure = sure and truth is not None
            if truth is not False:
                kept.append(element)
        return kept if sure else Listing((self.one_of(kept),)) if kept else DATA

    def _builtin_next(self, args: list[Value], _keywords: dict[str, Value]) -> Value:
        elements = self.elements(args[0]) if args else None
        return self.one_of(elements) if elements else self.unknown_element(args[0]) if args else DATA

    def _builtin_isinstance(self, _args: list[Value], _keywords: dict[str, Value]) -> Value:
        return DATA

    _builtin_issubclass = _builtin_hasattr = _builtin_callable = _builtin_isinstance

    def _builtin_type(self, args: list[Value], _keywords: dict[str, Value]) -> Value:
        if len(args) == 1:
            return args[0].of if isinstance(args[0], UserObject) else ANYTHING
        return self.not_understood("makes a class by itself")

    def _builtin_super(self, _args: list[Value], _keywords: dict[str, Value]) -> Value:
        return ANYTHING

    def _builtin_breakpoint(self, _args: list[Value], _keywords: dict[str, Value]) -> Value:
        return self.not_understood("breakpoint()")

    def _builtin_pow(self, args: list[Value], _keywords: dict[str, Value]) -> Value:
        return self.operate(args[0], ast.Pow(), args[1]) if len(args) == 2 else DATA

    def _builtin_str(self, args: list[Value], keywords: dict[str, Value]) -> Value:
        if len(args) == 1 and not keywords:
            return text_value(args[0])
        return self.fold_builtin("str", args, keywords)

    def fold_builtin(self, name: str, args: list[Value], keywords: dict[str, Value]) -> Value:
        """A builtin that folds; where it does not, what it may hold."""
        for word in ("key",):
            if (function := keywords.get(word)) is not None:
                for element in (self.elements(args[0]) if len(args) == 1 else args) or [DATA]:
                    self.call_later(function, [element], {}, name)
        if (
            len(args) == 1
            and isinstance(args[0], Listing)
            and name in ("list", "sorted", "tuple", "set", "reversed", "iter")
        ):
            return args[0]
        if name in _ORDERED and any(isinstance(arg, set | frozenset) and self.elements(arg) is None for arg in args):
            return DATA
        if "key" not in keywords and folds([*args, *keywords.values()]) and not any(map(self.has_spoiled, args)):
            return fold(BUILTINS[name], args, keywords)
        arranges = name in ("list", "tuple", "iter", "reversed", "enumerate", "zip", "dict", "len")
        held = all(isinstance(arg, list | tuple | dict) for arg in args)
        if arranges and not keywords and held and not any(map(self.has_spoiled, args)):
            return fold(BUILTINS[name], args, keywords)
        if name in ("enumerate", "zip") and any(isinstance(arg, Listing) for arg in args):
            entries = [arg.entries[0] if isinstance(arg, Listing) else self.unknown_element(arg) for arg in args]
            return Listing(((DATA, *entries) if name == "enumerate" else tuple(entries),))
        acts = any(may_act(arg) for arg in (*args, *keywords.values()))
        return ANYTHING if acts and name not in ("len", "bool", "repr") else DATA

    def fold_library(self, name: str, args: list[Value], keywords: dict[str, Value]) -> Value:
        """A library function that folds; where it does not, what it may hold."""
        if folds([*args, *keywords.values()]) and not any(map(self.has_spoiled, args)):
            return fold(FOLDED[name], args, keywords)
        if name in ("os.path.basename", "os.path.dirname") and args:
            given = text_of(args[0])
            text = parent_folder(given) if name.endswith("dirname") else fold(FOLDED[name], [given], {})
            text = UNKNOWN if given in ("~", ".", "..") and name.endswith("basename") else text
            return PartialText(text) if isinstance(text, str) else DATA
        if name.startswith("itertools."):
            return (
                self.fold_builtin("list", args, {})
                if name == "itertools.chain" and len(args) == 1
                else (ANYTHING if any(may_act(arg) for arg in args) else DATA)
            )
        for value in (*args, *keywords.values()):
            self.hand_over(value, name)
        return DATA
