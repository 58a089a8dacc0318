"""Evaluates expressions whose value is certain without running anything."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NoReturn, TypeAlias

from trueline.actions.decoded import well_formed

# What is computed stays small, so that a short program cannot ask for much memory or time.
_MAX_COMPUTED_TEXT = 10_000
_MAX_ITEMS = 1_000
_MAX_NUMBER = 1e12
_MAX_DIGITS = 15


class UnprovableError(Exception):
    """The program is not a straight line of calls whose arguments are certain."""


@dataclass(frozen=True)
class Ref:
    """Something of a module: `pyautogui.click`. A bare module has no dot: `pyautogui`."""

    name: str


Value: TypeAlias = "int | float | str | bool | Ref | tuple[Value, ...] | None"
Names: TypeAlias = Mapping[str, Value]
PureCall: TypeAlias = Callable[[str, "tuple[Value, ...]"], Value]

CONSTANTS: dict[str, Value] = {
    "pyautogui.LEFT": "left",
    "pyautogui.MIDDLE": "middle",
    "pyautogui.RIGHT": "right",
    "pyautogui.PRIMARY": "primary",
    "pyautogui.SECONDARY": "secondary",
}
_BUILTINS = frozenset({"int", "float", "round", "abs", "min", "max", "str"})


def unprovable(node: ast.AST, reason: str) -> NoReturn:
    """Give up on the program, saying where and why."""
    line = getattr(node, "lineno", None)
    raise UnprovableError(f"line {line}: {reason}" if line else reason)


def evaluate(node: ast.expr, names: Names, pure: PureCall) -> Value:
    """Return the value of an expression of constants, known names and simple arithmetic.

    Args:
        node: The expression.
        names: What the names in it stand for.
        pure: Answers calls that only ask (`pyautogui.size()`).

    Raises:
        UnprovableError: The value depends on something else.
    """
    match node:
        case ast.Constant(value=bool() | None as value):
            return value
        case ast.Constant(value=str() as value):
            return value if well_formed(value) == value else unprovable(node, "text that is not valid Unicode")
        case ast.Constant(value=int() | float() as value):
            return _bounded(node, value)
        case ast.Name(id=name) if name in names:
            return names[name]
        case ast.Attribute(value=ast.Name(id=name), attr=attr) if isinstance(module := names.get(name), Ref):
            ref = f"{module.name}.{attr}"
            return CONSTANTS.get(ref, Ref(ref))
        case ast.Tuple(elts=items) | ast.List(elts=items):
            return elements(items, names, pure)
        case ast.UnaryOp(op=op, operand=operand):
            return _unary(node, op, evaluate(operand, names, pure))
        case ast.BinOp(left=left, op=op, right=right):
            return _binary(node, evaluate(left, names, pure), op, evaluate(right, names, pure))
        case ast.JoinedStr(values=parts):
            return _bounded(node, "".join(_formatted(part, names, pure) for part in parts))
        case ast.Subscript(value=inner, slice=index):
            return _item(node, evaluate(inner, names, pure), evaluate(index, names, pure))
        case ast.Call(func=func, args=args, keywords=[]):
            if isinstance(func, ast.Name) and func.id not in names and func.id in _BUILTINS:
                return _builtin(node, func.id, elements(args, names, pure))
            target = evaluate(func, names, pure)
            return (
                pure(target.name, elements(args, names, pure))
                if isinstance(target, Ref)
                else unprovable(node, "a call")
            )
        case _:
            unprovable(node, f"the value of {ast.unparse(node)[:60]!r} is not certain")


def elements(items: list[ast.expr], names: Names, pure: PureCall) -> tuple[Value, ...]:
    """Return the values of a list of expressions, `*known` spread out."""
    values: list[Value] = []
    for item in items:
        if isinstance(item, ast.Starred):
            spread = evaluate(item.value, names, pure)
            values.extend(
                spread if isinstance(spread, tuple) else unprovable(item, "* of something that is not a list")
            )
        else:
            values.append(evaluate(item, names, pure))
        if len(values) > _MAX_ITEMS:
            unprovable(item, "too many values")
    return tuple(values)


def is_number(value: Value) -> bool:
    """Tell whether a value is a usable number; True and False are none."""
    return type(value) in (int, float)


def _bounded(node: ast.AST, value: Value) -> Value:
    if isinstance(value, str) and len(value) > _MAX_COMPUTED_TEXT:
        unprovable(node, "a very long computed text")
    if isinstance(value, int | float) and (abs(value) > _MAX_NUMBER or not math.isfinite(value)):
        unprovable(node, "not a usable number")
    return value


def _unary(node: ast.AST, op: ast.unaryop, value: Value) -> Value:
    if isinstance(value, int | float) and is_number(value):
        if isinstance(op, ast.USub):
            return -value
        if isinstance(op, ast.UAdd):
            return value
    unprovable(node, "arithmetic on something that is not a number")


def _binary(node: ast.AST, left: Value, op: ast.operator, right: Value) -> Value:
    if isinstance(left, int | float) and isinstance(right, int | float) and is_number(left) and is_number(right):
        return _bounded(node, _arithmetic(node, left, op, right))
    if isinstance(op, ast.Add):
        if isinstance(left, str) and isinstance(right, str):
            return _bounded(node, left + right)
        if isinstance(left, tuple) and isinstance(right, tuple) and len(left) + len(right) <= _MAX_ITEMS:
            return left + right
    if isinstance(op, ast.Mult) and isinstance(left, str | tuple) and type(right) is int:
        limit = _MAX_COMPUTED_TEXT if isinstance(left, str) else _MAX_ITEMS
        if len(left) * max(right, 0) <= limit:
            return left * right
    unprovable(node, "arithmetic that is not simple")


def _arithmetic(node: ast.AST, left: float, op: ast.operator, right: float) -> int | float:
    try:
        match op:
            case ast.Add():
                return left + right
            case ast.Sub():
                return left - right
            case ast.Mult():
                return left * right
            case ast.Div():
                return left / right
            case ast.FloorDiv():
                return left // right
            case ast.Mod():
                return left % right
            case _:
                unprovable(node, "arithmetic that is not simple")
    except (ZeroDivisionError, OverflowError):
        unprovable(node, "arithmetic that fails")


def _formatted(part: ast.expr, names: Names, pure: PureCall) -> str:
    if isinstance(part, ast.Constant) and isinstance(part.value, str):
        return part.value
    if isinstance(part, ast.FormattedValue) and part.conversion == -1 and part.format_spec is None:
        value = evaluate(part.value, names, pure)
        if isinstance(value, str) or is_number(value):
            return str(value)
    unprovable(part, "a formatted text that is not simple")


def _item(node: ast.AST, value: Value, index: Value) -> Value:
    if isinstance(value, tuple | str) and type(index) is int and -len(value) <= index < len(value):
        return value[index]
    unprovable(node, "an index that is not certain")


def _builtin(node: ast.AST, name: str, args: tuple[Value, ...]) -> Value:
    numbers = [arg for arg in args if isinstance(arg, int | float) and is_number(arg)]
    if len(numbers) == len(args):
        match name, numbers:
            case "int", [value]:
                return int(value)
            case "float", [value]:
                return float(value)
            case "round", [value]:
                return round(value)
            case "round", [value, int(digits)] if abs(digits) <= _MAX_DIGITS:
                return round(value, digits)
            case "abs", [value]:
                return abs(value)
            case "min", [_, _, *_]:
                return min(numbers)
            case "max", [_, _, *_]:
                return max(numbers)
            case "str", [value]:
                return str(value)
            case _:
                pass
    if name == "str" and len(args) == 1 and isinstance(args[0], str):
        return args[0]
    unprovable(node, f"{name}() of something else than numbers")
