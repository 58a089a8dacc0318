"""A Python program followed from its first statement to its last, without running it."""

from __future__ import annotations

from trueline.actions.codecs.pyautogui.signatures import HOTKEYS, PARAMETERS
from trueline.actions.python.attributes import canonical
from trueline.actions.python.callback_calls import POOLS, STARTERS
from trueline.actions.python.document_calls import document_call
from trueline.actions.python.effects import PythonProgram
from trueline.actions.python.file_calls import FILE_CALLS
from trueline.actions.python.library import Handler, LibraryCall
from trueline.actions.python.method_calls import MethodCalls
from trueline.actions.python.modules import is_quiet
from trueline.actions.python.network_calls import NETWORK_CALLS
from trueline.actions.python.process_calls import PROCESS_CALLS
from trueline.actions.python.pure_functions import (
    BUILTINS,
    FOLDED,
)
from trueline.actions.python.values import (
    DATA,
    Instance,
    Reference,
    Value,
)

_LIBRARY: dict[str, Handler] = {**FILE_CALLS, **PROCESS_CALLS, **NETWORK_CALLS}
_EVERYTHING: dict[str, tuple[str, ...]] = {}
for _name in (*_LIBRARY, *(f"pyautogui.{name}" for name in (*PARAMETERS, *HOTKEYS))):
    _module, _, _last = _name.rpartition(".")
    _EVERYTHING[_module] = (*_EVERYTHING.get(_module, ()), _last)
_ENDS = frozenset({"sys.exit", "os._exit", "builtins.exit", "builtins.quit", "os.abort"})


class Program(MethodCalls):
    """Follows a whole program."""

    def call_reference(self, name: str, args: list[Value], keywords: dict[str, Value], shown: str) -> Value:
        """Call a function of a module, by its name."""
        name = canonical(name)
        if name.startswith("builtins.") and name[9:] in FOLDED:
            return self.fold_library(name[9:], args, keywords)
        if name.startswith("builtins.") and (special := getattr(self, f"_builtin_{name[9:]}", None)) is not None:
            return special(args, keywords)
        if name in _ENDS:
            return self.end()
        if name.startswith("builtins.") and name[9:] in BUILTINS:
            return self.fold_builtin(name[9:], args, keywords)
        if name in FOLDED:
            return self.fold_library(name, args, keywords)
        if name.startswith("pyautogui.") and name[10:] in (*PARAMETERS, *HOTKEYS):
            return self.input(name[10:], args, keywords)
        if name in ("pyperclip.copy", "pyperclip.copy_xclip", "clipboard.copy", "pandas.io.clipboard.copy"):
            return self.copy_to_clipboard(args, keywords)
        if name == "pyautogui.screenshot":
            return self.screenshot(args, keywords)
        if (special := getattr(self, "_library_" + name.replace(".", "_"), None)) is not None:
            return special(args, keywords)
        if name in STARTERS:
            return self.start(name, args, keywords)
        if name in POOLS:
            return Instance("pool")
        if name in _LIBRARY:
            return self.amount(
                _LIBRARY[name](LibraryCall(name, args, keywords, folder=self.folder)), args, keywords, shown
            )
        documents = document_call(LibraryCall(name, args, keywords, folder=self.folder))
        if documents is not None:
            return self.amount(documents, args, keywords, shown)
        for value in (*args, *keywords.values()):
            self.hand_over(value, shown)
        if is_quiet(name):
            return Reference("collections.made") if name in ("collections.namedtuple", "enum.Enum") else DATA
        return self.not_understood(f"{shown}() is not known" if name != shown else f"{name}() is not known")

    def import_everything(self, module: str) -> None:
        """`from module import *`."""
        name = canonical(module)
        for last in _EVERYTHING.get(name, ()):
            self.bind(last, Reference(f"{name}.{last}"))


def read_program(source: str) -> PythonProgram:
    """Follow a program; return its effects in order."""
    program = Program()
    program.end_quietly(source)
    return PythonProgram(tuple(program.effects))
