"""The values of expressions, and the effects of evaluating them."""

from __future__ import annotations

import ast
import operator
import posixpath
from abc import abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, cast

from trueline.actions.python.attributes import Attributes, canonical
from trueline.actions.python.pure_functions import binary, fold, folds, small
from trueline.actions.python.values import (
    ANYTHING,
    DATA,
    PLAIN,
    Closure,
    Listing,
    Namespace,
    PartialText,
    PathValue,
    Reference,
    Unknown,
    Value,
    is_plain,
    join,
    joined_text,
    may_act,
    text_of,
    text_value,
)

_OPERATORS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    kind: getattr(operator, name)
    for kind, name in (
        (ast.Add, "add"), (ast.Sub, "sub"), (ast.Mult, "mul"), (ast.Div, "truediv"), (ast.FloorDiv, "floordiv"),
        (ast.Mod, "mod"), (ast.Pow, "pow"), (ast.LShift, "lshift"), (ast.RShift, "rshift"), (ast.BitOr, "or_"),
        (ast.BitAnd, "and_"), (ast.BitXor, "xor"),
    )
}  # fmt: skip
_UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Invert: operator.invert, ast.Not: operator.not_,
}  # fmt: skip
_COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge, ast.In: lambda item, held: item in held, ast.NotIn: lambda item, held: item not in held,
    ast.Is: operator.is_, ast.IsNot: operator.is_not,
}  # fmt: skip


class Expressions(Attributes):
    """Evaluates expressions. Calls are left to a subclass."""

    @abstractmethod
    def call(self, node: ast.Call) -> Value:
        """The value of a call, with its effects."""
        ...

    def value(self, node: ast.expr) -> Value:
        """Evaluate an expression."""
        self.spend()
        match node:
            case ast.Constant(value=value):
                return small(value)
            case ast.Name(id=name):
                return self.named(name)
            case ast.Attribute(value=owner, attr=name):
                return self.attribute(self.value(owner), name)
            case ast.Call():
                return self.call(node)
            case ast.JoinedStr(values=parts):
                return joined_text([self.value(part) for part in parts])
            case ast.FormattedValue():
                return self._formatted(node)
            case ast.BinOp(left=left, op=op, right=right):
                return self.operate(self.value(left), op, self.value(right))
            case ast.UnaryOp(op=op, operand=operand):
                value = self.value(operand)
                return fold(_UNARY[type(op)], [value], {}) if self.is_certain(value) else DATA
            case ast.BoolOp():
                return self._boolean(node)
            case ast.Compare():
                return self._compare(node)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return self._choose(self.truth(test), lambda: self.value(body), lambda: self.value(orelse))
            case ast.Tuple(elts=items):
                return tuple(self.items(items))
            case ast.List(elts=items):
                return self.items(items)
            case ast.Set(elts=items):
                values = self.items(items)
                return set(values) if folds(values) else self._unknown_of(values)
            case ast.Dict():
                return self._dict(node)
            case ast.Subscript(value=owner, slice=index):
                return self.item(self.value(owner), index)
            case ast.Lambda():
                return self.function(node)
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                return self._comprehension(node)
            case ast.NamedExpr(target=ast.Name(id=name), value=inner):
                value = self.value(inner)
                self.bind(name, value)
                return value
            case ast.Await(value=inner):
                return self.value(inner)
            case ast.Yield(value=inner):
                self.yields[-1].append(None if inner is None else self.value(inner))
                return DATA
            case ast.YieldFrom(value=inner):
                self.yields[-1].extend(self.elements(self.value(inner)) or [DATA])
                return DATA
            case ast.Starred(value=inner):
                return self.value(inner)
            case _:
                for child in ast.iter_child_nodes(node):
                    if isinstance(child, ast.expr):
                        self.value(child)
                return DATA

    def truth(self, node: ast.expr) -> bool | None:
        """Whether a condition holds, None when that is not known."""
        return self.truth_of(self.value(node))

    def items(self, nodes: list[ast.expr]) -> list[Value]:
        """The values of several expressions, `*` spread out."""
        found: list[Value] = []
        for node in nodes:
            if isinstance(node, ast.Starred):
                inner = self.elements(self.value(node.value))
                found += [ANYTHING] if inner is None else inner
            else:
                found.append(self.value(node))
        return found

    def item(self, owner: Value, index: ast.expr) -> Value:
        """An item of a container."""
        if isinstance(index, ast.Slice):
            parts = [None if part is None else self.value(part) for part in (index.lower, index.upper, index.step)]
            if isinstance(owner, list | tuple) and self.is_known(cast("Value", owner)) and folds(parts):
                return fold(operator.getitem, [owner, slice(*parts)], {})
            if self.is_certain(owner) and folds(parts):
                return small_slice(owner, parts)
            return owner if isinstance(owner, Listing) else self.unknown_element(owner) if may_act(owner) else DATA
        key = self.value(index)
        match owner:
            case Namespace(name=name):
                if not isinstance(key, str):
                    return ANYTHING
                return self.attribute(Reference(name), key) if name else Reference(canonical(key))
            case Reference(name="os.environ"):
                return PartialText("~") if key == "HOME" else DATA
            case Reference(name="builtins"):
                return Reference(f"builtins.{key}") if isinstance(key, str) else ANYTHING
            case Reference():
                return owner  # a type's parameters
            case Listing(entries=entries):
                return entries[0] if entries else DATA
            case list() | tuple() | dict() | str() | bytes() | range() if self.is_known(cast("Value", owner)):
                held = cast("Value", owner)
                if isinstance(key, PLAIN) and (not isinstance(held, dict) or folds(list(cast("Any", held)))):
                    try:
                        return cast("Value", held[key])
                    except Exception:
                        return DATA
                return self.unknown_element(held)
            case _:
                return self.unknown_element(owner)

    def operate(self, left: Value, op: ast.operator, right: Value) -> Value:
        """The value of an operator between two values."""
        if isinstance(op, ast.Div) and (isinstance(left, PathValue) or isinstance(right, PathValue)):
            return PathValue(posixpath.join(text_of(left), text_of(right)))
        plain = isinstance(left, list | tuple) and isinstance(right, list | tuple) and isinstance(op, ast.Add)
        certain = self.is_certain(left) and self.is_certain(right)
        if certain or (plain and not self.has_spoiled(left) and not self.has_spoiled(right)):
            return binary(left, _OPERATORS.get(type(op), _fail), right)
        textual = isinstance(left, str | PartialText) or isinstance(right, str | PartialText)
        if isinstance(op, ast.Add) and textual:
            return joined_text([left, right])
        if isinstance(op, ast.Mod) and isinstance(left, str):
            return self.percent(left, right)
        if isinstance(left, Reference) and isinstance(right, Reference):
            return DATA  # flags
        return ANYTHING if may_act(left) or may_act(right) else DATA

    def percent(self, template: str, values: Value) -> Value:
        """A text with `%s` in it."""
        given = cast("tuple[Value, ...]", values) if isinstance(values, tuple) else (values,)
        pieces = template.split("%s")
        if len(pieces) != len(given) + 1 or any("%" in piece for piece in pieces):
            return DATA
        parts: list[Value] = [pieces[0]]
        for value, piece in zip(given, pieces[1:], strict=True):
            parts += [value if isinstance(value, str | PartialText | int) else text_value(value), piece]
        return joined_text(parts)

    def _formatted(self, node: ast.FormattedValue) -> Value:
        value = self.value(node.value)
        spec = "" if node.format_spec is None else self.value(node.format_spec)
        convert = {115: str, 114: repr, 97: ascii}.get(node.conversion)
        if spec == "" and convert in (None, str):
            return value if isinstance(value, str | PartialText | int | float) else text_value(value)
        if self.is_certain(value) and isinstance(spec, str) and len(spec) < 8:
            return fold(format, [convert(value) if convert else value, spec], {})
        return DATA

    def _boolean(self, node: ast.BoolOp) -> Value:
        stops = isinstance(node.op, ast.Or)
        result: Value = None
        unsure = 0
        try:
            for place, part in enumerate(node.values):
                value = self.value(part)
                result = value if not unsure else join(result, value)
                truth = self.truth_of(value)
                if truth is stops and not unsure:
                    return value
                if truth is None and place < len(node.values) - 1:
                    unsure += 1
                    self.branches += 1
        finally:
            self.branches -= unsure
        return result

    def _compare(self, node: ast.Compare) -> Value:
        left = self.value(node.left)
        known: bool | None = True
        for op, right_node in zip(node.ops, node.comparators, strict=True):
            right = self.value(right_node)
            if isinstance(op, ast.Is | ast.IsNot) and right is None and not isinstance(left, Unknown | Reference):
                result: Value = (left is None) is isinstance(op, ast.Is)
            elif self.is_certain(left) and self.is_certain(right):
                result = fold(_COMPARISONS[type(op)], [left, right], {})
            else:
                result = DATA
            if result is False:
                return False
            known = known if result is True else None
            left = right
        return True if known else DATA

    def _choose(self, test: bool | None, yes: Callable[[], Value], no: Callable[[], Value]) -> Value:
        if test is not None:
            return yes() if test else no()
        found: list[Value] = []
        self.either(lambda: found.append(yes()), lambda: found.append(no()))
        return join(found[0], found[1]) if len(found) == 2 else ANYTHING

    def _unknown_of(self, values: list[Value]) -> Value:
        return ANYTHING if any(may_act(value) for value in values) else DATA

    def _dict(self, node: ast.Dict) -> Value:
        made: dict[Value, Value] = {}
        spoiled = False
        for key_node, value_node in zip(node.keys, node.values, strict=True):
            value = self.value(value_node)
            if key_node is None:
                if isinstance(value, dict) and self.is_known(cast("Value", value)):
                    made |= cast("dict[Value, Value]", value)
                else:
                    spoiled = True
                continue
            key = self.value(key_node)
            if isinstance(key, PLAIN) or (isinstance(key, tuple) and is_plain(cast("Value", key))):
                made[key] = value
            else:
                made[f"an unknown key {len(made)}"] = value
                spoiled = True
        if spoiled:
            self.spoil(made)
        return made

    def function(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> Closure:
        """Make a function of the program; its default values are evaluated now."""
        given = node.args
        positional = [*given.posonlyargs, *given.args]
        every = (*positional, *given.kwonlyargs, given.vararg, given.kwarg)
        notes = [arg.annotation for arg in every if arg is not None]
        for note in (*notes, None if isinstance(node, ast.Lambda) else node.returns):
            if note is not None:
                self.value(note)
        defaults = {
            arg.arg: self.value(default)
            for arg, default in zip(positional[len(positional) - len(given.defaults) :], given.defaults, strict=True)
        }
        defaults |= {
            arg.arg: self.value(default)
            for arg, default in zip(given.kwonlyargs, given.kw_defaults, strict=True)
            if default is not None
        }
        return Closure(node, self.scope, defaults)

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> Value:
        outer, self.scope = self.scope, self.new_scope(self.scope)
        found: list[Value] = []
        try:
            known = self._generate(node.generators, node, found)
        finally:
            self.scope = outer
        if isinstance(node, ast.DictComp):
            pairs = [cast("tuple[Value, Value]", pair) for pair in found]
            if known and folds([key for key, _ in pairs]):
                return dict(pairs)
            return self._unknown_of([value for _, value in pairs])
        if not known:
            return ANYTHING if any(may_act(item) for item in found) else Listing((found[0],)) if found else DATA
        if isinstance(node, ast.SetComp):
            return set(found) if folds(found) else self._unknown_of(found)
        return found

    def _generate(
        self,
        generators: list[ast.comprehension],
        node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp,
        found: list[Value],
    ) -> bool:
        """Go through the loops of a comprehension; return whether all of its items are known."""
        if not generators:
            if isinstance(node, ast.DictComp):
                found.append((self.value(node.key), self.value(node.value)))
            else:
                found.append(self.value(node.elt))
            return True
        first, *rest = generators
        source = self.value(first.iter)
        elements = self.elements(source)
        known = elements is not None and not isinstance(source, Listing)
        for element in self.each(elements, source):
            self.assign(first.target, element)
            tests = [self.truth(test) for test in first.ifs]
            if False in tests:
                continue
            known = known and None not in tests
            unsure = int(not known)
            self.branches += unsure
            try:
                known = self._generate(rest, node, found) and known
            finally:
                self.branches -= unsure
        return known

    def each(self, elements: list[Value] | None, source: Value) -> Iterator[Value]:
        """The elements, or one that stands for all."""
        yield from [self.unknown_element(source)] if elements is None else elements

    @abstractmethod
    def assign(self, target: ast.expr, value: Value) -> None:
        """Assign to a target; treated where statements are."""
        ...


def _fail(_left: Value, _right: Value) -> Value:
    raise TypeError


def small_slice(owner: Value, parts: list[Value]) -> Value:
    """A slice of a certain value."""
    return fold(operator.getitem, [owner, slice(*parts)], {})
