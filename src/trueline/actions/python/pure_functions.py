"""Functions and methods without effects, computed where all of their arguments are certain and the result is small."""

from __future__ import annotations

import ast
import base64
import binascii
import codecs
import functools
import html
import itertools
import json
import math
import operator
import posixpath
import re
import shlex
import string
import textwrap
import urllib.parse
import zlib
from collections.abc import Callable
from typing import Any, cast

from trueline.actions.python.name_sets import names
from trueline.actions.python.values import DATA, Value, children, is_plain

MOST_TEXT = 100_000
MOST_ITEMS = 5_000
_MOST_BITS = 4_000
_MOST_NUMBER = 10**15
_ENCODINGS = names(
    "utf8 utf8sig u8 utf ascii usascii latin1 iso88591 cp1252 cp437 utf16 utf16le utf16be utf32 rot13 hex "
    "hexcodec base64 base64codec unicodeescape rawunicodeescape"
)


def _unzip(data: bytes, *_ignored: object) -> bytes:
    inflater = zlib.decompressobj(47)
    return inflater.decompress(data, MOST_TEXT)


def _decode_text(value: Any, encoding: str = "utf-8", *_ignored: object) -> Any:
    name = encoding.replace("-", "").replace("_", "").lower()
    if name in ("zip", "zlib", "zlibcodec"):
        return _unzip(value)
    if name not in _ENCODINGS:
        raise ValueError(encoding)
    return codecs.decode(value, encoding)


def _roll(value: Value) -> list[Value]:
    return list(itertools.islice(value, MOST_ITEMS + 1))


def _turned(value: Value) -> list[Value]:
    return _roll(reversed(value))


def _numbered(value: Value, start: int = 0) -> list[Value]:
    return _roll(enumerate(value, start))


def _zipped(*values: Value, strict: bool = False) -> list[Value]:
    return _roll(zip(*values, strict=strict))


def _zipped_longest(*values: Value, fillvalue: Value = None) -> list[Value]:
    return _roll(itertools.zip_longest(*values, fillvalue=fillvalue))


def _product(*values: Value, repeat: int = 1) -> list[Value]:
    return _roll(itertools.product(*values, repeat=repeat))


def _repeated(value: Value, times: int = MOST_ITEMS + 1) -> list[Value]:
    return _roll(itertools.repeat(value, times))


BUILTINS: dict[str, Callable[..., Any]] = {
    **{
        function.__name__: function
        for function in (
            abs, all, any, ascii, bin, bool, bytes, chr, dict, divmod, float, format, frozenset, hex, int, len, max,
            min, oct, ord, range, repr, round, set, slice, str, sum, tuple,
        )
    },
    "bytearray": bytes,
    "list": _roll,
    "iter": _roll,
    "sorted": sorted,
    "reversed": _turned,
    "enumerate": _numbered,
    "zip": _zipped,
}  # fmt: skip
"""Builtins that fold; `pow` and all that depends on objects of the program are treated where calls are."""

FOLDED: dict[str, Callable[..., Any]] = {
    "base64.b64decode": base64.b64decode,
    "base64.standard_b64decode": base64.standard_b64decode,
    "base64.urlsafe_b64decode": base64.urlsafe_b64decode,
    "base64.b64encode": base64.b64encode,
    "base64.b32decode": base64.b32decode,
    "base64.b16decode": base64.b16decode,
    "base64.b85decode": base64.b85decode,
    "base64.a85decode": base64.a85decode,
    "base64.decodebytes": base64.decodebytes,
    "binascii.unhexlify": binascii.unhexlify,
    "binascii.a2b_hex": binascii.a2b_hex,
    "binascii.a2b_base64": binascii.a2b_base64,
    "binascii.hexlify": binascii.hexlify,
    "bytes.fromhex": bytes.fromhex,
    "bytearray.fromhex": bytes.fromhex,
    "bytes.decode": bytes.decode,
    "str.encode": str.encode,
    "str.join": str.join,
    "str.format": str.format,
    "str.replace": str.replace,
    "str.upper": str.upper,
    "str.lower": str.lower,
    "str.strip": str.strip,
    "str.split": str.split,
    "str.maketrans": str.maketrans,
    "bytes.maketrans": bytes.maketrans,
    "int.from_bytes": int.from_bytes,
    "dict.fromkeys": dict.fromkeys,
    "codecs.decode": _decode_text,
    "codecs.encode": codecs.encode,
    "zlib.decompress": _unzip,
    "gzip.decompress": _unzip,
    "html.unescape": html.unescape,
    "json.loads": json.loads,
    "json.dumps": json.dumps,
    "ast.literal_eval": ast.literal_eval,
    "shlex.quote": shlex.quote,
    "shlex.split": shlex.split,
    "shlex.join": shlex.join,
    "textwrap.dedent": textwrap.dedent,
    "urllib.parse.quote": urllib.parse.quote,
    "urllib.parse.quote_plus": urllib.parse.quote_plus,
    "urllib.parse.unquote": urllib.parse.unquote,
    "urllib.parse.unquote_plus": urllib.parse.unquote_plus,
    "urllib.parse.urlencode": urllib.parse.urlencode,
    "urllib.parse.urljoin": urllib.parse.urljoin,
    "os.path.basename": posixpath.basename,
    "os.path.dirname": posixpath.dirname,
    "os.path.splitext": posixpath.splitext,
    "os.path.split": posixpath.split,
    "os.path.normpath": posixpath.normpath,
    "itertools.chain": lambda *values: _roll(itertools.chain(*values)),
    "itertools.product": _product,
    "itertools.repeat": _repeated,
    "itertools.permutations": lambda *values: _roll(itertools.permutations(*values)),
    "itertools.combinations": lambda *values: _roll(itertools.combinations(*values)),
    "itertools.zip_longest": _zipped_longest,
    "itertools.islice": lambda *values: _roll(itertools.islice(*values)),
    "math.floor": math.floor,
    "math.ceil": math.ceil,
    "math.sqrt": math.sqrt,
    "operator.add": operator.add,
    "operator.concat": operator.concat,
    "operator.getitem": operator.getitem,
}

CONSTANTS: dict[str, Value] = {
    "os.sep": "/", "os.path.sep": "/", "os.curdir": ".", "os.pardir": "..",
    "os.devnull": "/dev/null", "os.path.pardir": "..", "sys.executable": "python3",
    "math.pi": math.pi, "string.ascii_letters": string.ascii_letters, "string.digits": string.digits,
    "string.ascii_lowercase": string.ascii_lowercase, "string.ascii_uppercase": string.ascii_uppercase,
    "string.printable": string.printable, "string.punctuation": string.punctuation,
    "string.hexdigits": string.hexdigits, "string.whitespace": string.whitespace,
    "os.O_RDONLY": 0, "subprocess.PIPE": -1, "subprocess.STDOUT": -2, "subprocess.DEVNULL": -3,
}  # fmt: skip

_CHANGES: dict[type, frozenset[str]] = {
    list: frozenset(
        {"append", "extend", "insert", "remove", "pop", "clear", "sort", "reverse", "__setitem__", "__delitem__"}
    ),
    dict: frozenset({"update", "pop", "popitem", "clear", "setdefault", "__setitem__", "__delitem__"}),
    set: frozenset({
        "add", "update", "remove", "discard", "pop", "clear", "difference_update", "intersection_update",
        "symmetric_difference_update",
    }),
}  # fmt: skip
_STRUCTURE = frozenset({"append", "extend", "insert", "pop", "clear", "reverse", "copy", "add", "update", "setdefault"})
"""Methods that do not look at what is in the container, beyond keys."""
_GROWS = frozenset({"ljust", "rjust", "center", "zfill", "expandtabs", "format", "format_map", "replace", "translate"})


def changes_container(owner: Value, name: str) -> bool:
    """Whether a method changes the container it belongs to."""
    return any(name in names for kind, names in _CHANGES.items() if type(owner) is kind)


def is_structural(name: str) -> bool:
    """Whether a method of a container works without knowing what is in it."""
    return name in _STRUCTURE


def fold(function: Callable[..., Any], args: list[Value], keywords: dict[str, Value]) -> Value:
    """Call a function without effects on certain arguments; unknown data if it fails or is too large."""
    if any(type(number) is int and abs(number) > _MOST_NUMBER for number in (*args, *keywords.values())):
        return DATA
    try:
        value = function(*args, **keywords)
    except Exception:
        return DATA
    return small(value)


def fold_method(owner: Value, name: str, args: list[Value], keywords: dict[str, Value]) -> Value:
    """Call a method of a certain value."""
    if name.startswith("__") and name not in (
        "__add__",
        "__mul__",
        "__getitem__",
        "__len__",
        "__contains__",
        "__mod__",
    ):
        return DATA
    if name == "decode" and isinstance(owner, bytes):
        return fold(_decode_text, [owner, *args], keywords)
    if name in _GROWS and not _grows_little(owner, name, args, keywords):
        return DATA
    if name == "__mul__":
        return binary(owner, operator.mul, args[0]) if len(args) == 1 else DATA
    return fold(getattr(owner, name, _missing), args, keywords)


def _missing(*_args: object, **_keywords: object) -> Value:
    raise TypeError


def _grows_little(owner: Value, name: str, args: list[Value], keywords: dict[str, Value]) -> bool:
    text = owner if isinstance(owner, str | bytes) else b""
    if name == "replace":
        new = args[1] if len(args) > 1 and isinstance(args[1], str | bytes) else b""
        return (len(text) + 1) * (len(new) + 1) <= 20 * MOST_TEXT
    if name == "translate":
        return True
    if name in ("format", "format_map"):
        return isinstance(owner, str) and not _WIDE.search(owner) and "." not in _field_names(owner)
    return all(not isinstance(arg, int) or abs(arg) <= MOST_TEXT for arg in (*args, *keywords.values()))


_WIDE = re.compile(r"\d{5}|\{[^{}]*\{|%[^%]*\*")


def _field_names(text: str) -> str:
    return "".join(re.findall(r"\{([^{}:!]*)", text))


def small(value: Value) -> Value:
    """The value, or unknown data if it is large or not of a known kind."""
    if isinstance(value, bytearray):
        value = bytes(value)
    if isinstance(value, str):
        if len(value) > MOST_TEXT:
            return DATA
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if isinstance(value, bytes):
        return value if len(value) <= MOST_TEXT else DATA
    if type(value) is int:
        return value if value.bit_length() <= _MOST_BITS else DATA
    if isinstance(value, float | bool | range) or value is None:
        return value
    if isinstance(value, list | tuple | set | frozenset | dict):
        return cast("Value", value) if len(children(value)) <= MOST_ITEMS else DATA
    if isinstance(value, slice):
        return DATA
    if hasattr(value, "__iter__") and type(value).__name__ in ("dict_keys", "dict_values", "dict_items", "zip", "map"):
        return small(_roll(value))
    return DATA


_POW: Callable[[Any, Any], Any] = getattr(operator, "pow")  # noqa: B009 - its own type is not known
_SHIFT: Callable[[Any, Any], Any] = getattr(operator, "lshift")  # noqa: B009


def binary(left: Value, operation: Callable[[Any, Any], Any], right: Value) -> Value:
    """Apply an operator, as `OPERATORS` has it, to certain values."""
    if operation is operator.mod and isinstance(left, str | bytes) and _WIDE.search(str(left)):
        return DATA
    if operation in (_POW, _SHIFT) and isinstance(left, int) and isinstance(right, int):
        bits = left.bit_length() * abs(right) if operation is _POW else left.bit_length() + abs(right)
        if bits > _MOST_BITS:
            return DATA
    if operation is operator.mul:
        for one, times in ((left, right), (right, left)):
            if (
                isinstance(one, str | bytes | list | tuple)
                and type(times) is int
                and len(cast("Any", one)) * times > MOST_ITEMS * 2
            ):
                return DATA
    try:
        return small(operation(left, right))
    except Exception:
        return DATA


def reduce_known(function: Callable[[Value, Value], Value], items: list[Value], start: list[Value]) -> Value:
    """`functools.reduce` over known items."""
    return functools.reduce(function, items, *start) if items or start else DATA


def folds(values: list[Value]) -> bool:
    """Whether all values are certain."""
    return all(is_plain(value) for value in values)
