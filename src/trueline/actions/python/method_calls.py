"""Calls of methods, by the value they belong to."""

from __future__ import annotations

from typing import Any, cast

from trueline.actions.python.attributes import canonical
from trueline.actions.python.callback_calls import CallbackCalls
from trueline.actions.python.document_calls import document_call
from trueline.actions.python.file_calls import archive_method, file_method, path_method
from trueline.actions.python.library import Amounts, LibraryCall
from trueline.actions.python.network_calls import network_method
from trueline.actions.python.process_calls import process_method
from trueline.actions.python.pure_functions import (
    MOST_ITEMS,
    changes_container,
    fold_method,
    folds,
    is_structural,
)
from trueline.actions.python.values import (
    ANYTHING,
    DATA,
    Bound,
    Closure,
    Instance,
    Listing,
    Namespace,
    PartialCall,
    PartialText,
    PathValue,
    Reference,
    Unknown,
    UserClass,
    UserObject,
    Value,
    as_text,
    children,
    is_plain,
    joined_text,
    may_act,
    text_of,
)

_METHODS: dict[str, Any] = {
    "file": file_method, "archive": archive_method, "subprocess.Popen": process_method, "os.popen": process_method,
    "ctypes.CDLL": process_method,
}  # fmt: skip


class MethodCalls(CallbackCalls):
    """Follows methods of texts, containers, paths and library objects."""

    def call_method(self, owner: Value, name: str, args: list[Value], keywords: dict[str, Value], shown: str) -> Value:
        """Call a method of a value."""
        match owner:
            case Reference() | UserObject() | UserClass():
                return self.call_value(self.attribute(owner, name), args, keywords, shown)
            case Namespace():
                return self._of_namespace(owner, name, args)
            case PathValue():
                done = path_method(LibraryCall(name, args, keywords, owner, self.folder))
                if done is not None:
                    return self.amount(done, args, keywords, shown)
                return self.not_understood(f"{shown}() is not known")
            case Instance():
                return self._of_instance(owner, name, args, keywords, shown)
            case Unknown.ANYTHING:
                for value in (*args, *keywords.values()):
                    self.hand_over(value, shown)
                return self.not_understood(f"{shown}() is not known")
            case Bound(owner=Instance() as inner):
                return self.call_method(inner, name, args, keywords, shown)
            case Closure() | PartialCall() | Bound():
                if name == "__call__":
                    return self.call_value(owner, args, keywords, shown)
                return DATA if name in ("cache_clear", "cache_info") else self.not_understood(f"{shown}() is not known")
            case list() | dict() | set():
                return self._of_container(cast("Value", owner), name, args, keywords, shown)
            case Listing():
                for value in (*args, *keywords.values()):
                    self.hand_over(value, shown)
                return owner if name in ("copy", "items", "keys", "values") else self.unknown_element(owner.entries)
            case PartialText():
                return self._of_partial(owner, name, args)
            case _:
                return self._of_plain(owner, name, args, keywords, shown)

    def _of_namespace(self, owner: Namespace, name: str, args: list[Value]) -> Value:
        if name in ("get", "__getitem__", "setdefault") and args and isinstance(args[0], str):
            return self.attribute(Reference(owner.name), args[0]) if owner.name else Reference(canonical(args[0]))
        return ANYTHING

    def _of_plain(self, owner: Value, name: str, args: list[Value], keywords: dict[str, Value], shown: str) -> Value:
        if isinstance(owner, str) and name == "join" and len(args) == 1:
            elements = self.elements(args[0])
            if elements is not None and not isinstance(args[0], Listing):
                parts: list[Value] = []
                for place, element in enumerate(elements):
                    parts += [owner, element] if place else [element]
                return joined_text(parts)
            return DATA
        if isinstance(owner, str) and name == "format" and not folds([*args, *keywords.values()]):
            filled = fold_method(
                owner, name, [text_of(arg) for arg in args], {k: text_of(v) for k, v in keywords.items()}
            )
            return PartialText(filled) if isinstance(filled, str) else DATA
        if is_plain(owner) and folds([*args, *keywords.values()]):
            return fold_method(owner, name, args, keywords)
        if isinstance(owner, tuple) and is_structural(name):
            return DATA
        for value in (*args, *keywords.values()):
            self.hand_over(value, shown)
        return ANYTHING if may_act(owner) and owner is not DATA else DATA

    def _of_partial(self, owner: PartialText, name: str, args: list[Value]) -> Value:
        if name in ("strip", "rstrip", "lstrip", "encode", "decode", "removesuffix", "removeprefix", "expandtabs"):
            return owner
        if name in ("upper", "lower", "title", "casefold"):
            return as_text(owner.text) if False else PartialText("$…")
        if name in ("split", "rsplit", "splitlines", "partition", "rpartition"):
            return Listing((PartialText("$…"),))
        del args
        return DATA

    def _of_container(
        self, owner: Value, name: str, args: list[Value], keywords: dict[str, Value], shown: str
    ) -> Value:
        if "key" in keywords:
            for element in self.elements(owner) or [DATA]:
                self.call_later(keywords["key"], [element], {}, shown)
        if changes_container(owner, name):
            return self._change_container(owner, name, args, keywords)
        if isinstance(owner, dict) and self.is_known(owner):
            held = cast("dict[Value, Value]", owner)
            if name == "get" and args and is_plain(args[0]):
                try:
                    return held.get(*args[:2])
                except TypeError:
                    return DATA
            if name in ("items", "keys", "values", "copy"):
                return list(getattr(held, name)()) if name != "copy" else dict(held)
        if self.is_certain(owner) and folds([*args, *keywords.values()]):
            return fold_method(owner, name, args, keywords)
        for value in (*args, *keywords.values()):
            self.hand_over(value, shown)
        return self.unknown_element(owner)

    def _change_container(self, owner: Value, name: str, args: list[Value], keywords: dict[str, Value]) -> Value:
        certain = not self.branches and self.is_known(owner) and "key" not in keywords
        certain = certain and len(children(owner)) <= MOST_ITEMS
        hashable = isinstance(owner, list) or all(is_plain(arg) for arg in args[:1])
        elements = [self.elements(arg) for arg in args] if name in ("extend", "update") else []
        if certain and hashable and (is_structural(name) or is_plain(owner)) and None not in elements:
            given = [elements[0]] if name == "extend" and elements else args
            try:
                return getattr(cast("Value", owner), name)(*given, **keywords)
            except Exception:
                return DATA
        before = self.one_of(self.elements(owner) or [DATA]) if name in ("pop", "popitem") else None
        for arg in args:
            self.spoil_with(owner, arg)
        self.spoil(owner)
        return before

    def _of_instance(
        self, owner: Instance, name: str, args: list[Value], keywords: dict[str, Value], shown: str
    ) -> Value:
        call = LibraryCall(name, args, keywords, owner, self.folder)
        if owner.kind == "pool":
            return self.of_pool(name, args, keywords, shown)
        if owner.kind in _METHODS:
            done = _METHODS[owner.kind](call)
        elif owner.kind == "document":
            done = document_call(call)
        elif owner.kind in ("data", "os.DirEntry", "held keys", "code"):
            done = Amounts(DATA)
        else:
            done = network_method(call)
        if done is None:
            for value in (*args, *keywords.values()):
                self.hand_over(value, shown)
            return self.not_understood(f"{shown}() is not known")
        return self.amount(done, args, keywords, shown)
