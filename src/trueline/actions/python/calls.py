"""A Python program's calls as the shell commands they amount to, where their arguments are certain.

Names and values are followed as far as `actions/` can prove them; what a program computes from elsewhere stays unknown.
"""

from __future__ import annotations

import ast
import base64
import binascii
import posixpath
from collections.abc import Callable, Iterator
from typing import NamedTuple

from trueline.actions.codecs.pyautogui.program import MAX_SOURCE, parse
from trueline.actions.codecs.pyautogui.values import Ref, UnprovableError, Value, evaluate

UNKNOWN = "$…"
"""Stands for an argument that a program computes."""
_COMPUTED = "a command that the program computes"
_NETWORK = ("urllib.", "requests.", "httpx.", "http.client.", "socket.")
_SHELL_PREFIXES = ("os.exec", "os.spawn", "os.posix_spawn", "subprocess.", "asyncio.create_subprocess")

# Function -> the words of the command that its first arguments go to.
_AMOUNTS_TO: dict[str, tuple[str, ...]] = {
    "shutil.rmtree": ("rm", "-r"),
    "os.remove": ("rm",),
    "os.unlink": ("rm",),
    "os.rmdir": ("rmdir",),
    "os.removedirs": ("rmdir",),
    "send2trash.send2trash": ("trash-put",),
    "os.truncate": ("truncate",),
    "shutil.move": ("mv",),
    "shutil.copy": ("cp",),
    "shutil.copyfile": ("cp",),
    "shutil.copytree": ("cp", "-r"),
    "os.rename": ("mv",),
    "os.replace": ("mv",),
    "open": ("cat",),
    "os.startfile": ("xdg-open",),
    "webbrowser.open": ("xdg-open",),
    "webbrowser.open_new": ("xdg-open",),
    "webbrowser.open_new_tab": ("xdg-open",),
    "urllib.request.urlopen": ("curl",),
    "urllib.request.urlretrieve": ("curl", "-O"),
    "requests.get": ("curl",),
    "requests.post": ("curl", "-d", "@-"),
    "requests.put": ("curl", "-T", "-"),
    "httpx.get": ("curl",),
    "httpx.post": ("curl", "-d", "@-"),
    "smtplib.SMTP": ("sendmail",),
    "smtplib.SMTP_SSL": ("sendmail",),
}
_PATH_METHODS: dict[str, tuple[str, ...]] = {
    "unlink": ("rm",), "rmdir": ("rmdir",), "read_text": ("cat",), "read_bytes": ("cat",), "rename": ("mv",),
}  # fmt: skip


class ShellEquivalent(NamedTuple):
    """One call of a program, as a shell would see it."""

    words: tuple[str, ...] = ()
    line: str | None = None
    """A whole line for a shell."""
    unseen: str = ""
    """Why what it runs is unknown; empty if it is known."""


def python_calls(source: str) -> tuple[ShellEquivalent, ...]:
    """Return the shell equivalents of a program's calls, in order; an unparsable program is unseen."""
    if len(source) > MAX_SOURCE:
        return (ShellEquivalent(unseen="a very long program"),)
    try:
        tree = parse(source)
    except UnprovableError:
        return (ShellEquivalent(unseen="a program that cannot be read"),)
    nodes = list(ast.walk(tree))
    names = _names(nodes)
    calls = sorted(
        (node for node in nodes if isinstance(node, ast.Call)), key=lambda call: (call.lineno, call.col_offset)
    )
    found = [amount for call in calls for amount in _amounts(call, names)]
    called = {_function(call.func, names) for call in calls}
    if called & {"exec", "eval"} and any(name.startswith(_NETWORK) for name in called):
        found.append(ShellEquivalent(line="curl … | python3"))
    return tuple(found)


def _names(nodes: list[ast.AST]) -> dict[str, Value]:
    """Imports, and names assigned one certain value."""
    names: dict[str, Value] = {name: Ref(name) for name in ("os", "subprocess", "shutil", "pyautogui", "time")}
    assigned: dict[str, int] = {}
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                top = alias.name.partition(".")[0]
                names[alias.asname or top] = Ref(alias.name if alias.asname else top)
        elif isinstance(node, ast.ImportFrom):
            names |= {alias.asname or alias.name: Ref(f"{node.module}.{alias.name}") for alias in node.names}
    for node in nodes:
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(target := node.targets[0], ast.Name):
            assigned[target.id] = assigned.get(target.id, 0) + 1
            value = _value(node.value, names)
            if value is not None and assigned[target.id] == 1:
                names[target.id] = value
            else:
                names.pop(target.id, None)
        elif isinstance(node, ast.For) and isinstance(node.target, ast.Name) and (folder := _listed(node.iter, names)):
            names[node.target.id] = posixpath.join(folder, "*")
    return names


def _listed(node: ast.expr, names: dict[str, Value]) -> str | None:
    """The folder whose entries a loop goes through."""
    match node:
        case ast.Call(func=ast.Attribute(value=inner, attr="iterdir" | "glob" | "rglob")):
            return _known_text(_value(inner, names))
        case ast.Call(func=func, args=[inner]) if _function(func, names) in ("os.listdir", "os.scandir"):
            return _known_text(_value(inner, names))
        case _:
            return None


def _amounts(call: ast.Call, names: dict[str, Value]) -> Iterator[ShellEquivalent]:
    function = _function(call.func, names)
    arguments = call.args or [
        word.value for word in call.keywords if word.arg in ("args", "command", "cmd", "url", "path")
    ]
    if function in ("os.system", "os.popen", "subprocess.getoutput", "subprocess.getstatusoutput", "pexpect.run"):
        yield _started(arguments[:1], names)
    elif function.startswith(_SHELL_PREFIXES) and function not in ("subprocess.PIPE", "subprocess.DEVNULL"):
        yield _started(arguments if function.startswith("os.") else arguments[:1], names)
    elif function in ("exec", "eval"):
        code = _value(arguments[0], names) if arguments else None
        if isinstance(code, str):
            yield from python_calls(code)
        else:
            yield ShellEquivalent(unseen=f"{function}() of what is not known")
    elif words := _AMOUNTS_TO.get(function):
        values = [_value(argument, names) for argument in arguments[: 1 if words[0] in ("cat", "curl") else 2]]
        given = [value if isinstance(value, str) else UNKNOWN for value in values]
        yield ShellEquivalent(words=(*words, *given))
    elif isinstance(call.func, ast.Attribute) and (words := _PATH_METHODS.get(call.func.attr)):
        path = _value(call.func.value, names)
        if isinstance(path, str):
            yield ShellEquivalent(words=(*words, path))


def _started(arguments: list[ast.expr], names: dict[str, Value]) -> ShellEquivalent:
    if len(arguments) == 1 and isinstance(given := arguments[0], ast.List | ast.Tuple):
        words = [_value(item, names) for item in given.elts]
        known = tuple(word for word in words if isinstance(word, str))
        return ShellEquivalent(words=known) if len(known) == len(words) else ShellEquivalent(unseen=_COMPUTED)
    values = [_value(argument, names) for argument in arguments]
    flat = [item for value in values for item in (value if isinstance(value, tuple) else (value,))]
    if not flat or not all(isinstance(item, str) for item in flat):
        return ShellEquivalent(unseen=_COMPUTED)
    texts = tuple(item for item in flat if isinstance(item, str))
    return (
        ShellEquivalent(line=texts[0])
        if len(values) == 1 and isinstance(values[0], str)
        else ShellEquivalent(words=texts)
    )


def _function(node: ast.expr, names: dict[str, Value]) -> str:
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    match node:
        case ast.Call(func=ast.Name(id="__import__"), args=[ast.Constant(value=str() as module), *_]):
            return ".".join([module, *reversed(parts)])
        case ast.Call(func=ast.Name(id="getattr"), args=[inner, attribute, *_]):
            named = _value(attribute, names)
            owner = _function(inner, names)
            return ".".join([owner, named, *reversed(parts)]) if owner and isinstance(named, str) else ""
        case ast.Name():
            pass
        case _:
            return ""
    base = names.get(node.id)
    if isinstance(base, Ref):
        return ".".join([base.name, *reversed(parts)])
    return node.id if not parts and node.id not in names else ""


def copied(source: str) -> str | None:
    """Return what a program puts on the clipboard, None when that is not certain."""
    try:
        nodes = list(ast.walk(parse(source)))
    except UnprovableError:
        return None
    names = _names(nodes)
    calls = [node for node in nodes if isinstance(node, ast.Call) and _function(node.func, names) == "pyperclip.copy"]
    value = _value(calls[-1].args[0], names) if len(calls) == 1 and calls[0].args else None
    return value if isinstance(value, str) else None


def _value(node: ast.expr, names: dict[str, Value]) -> Value:
    """The certain value of an expression, None when there is none."""
    try:
        return _text(node, names) or evaluate(node, names, _no_answer)
    except (UnprovableError, RecursionError):
        return None


def _text(node: ast.expr, names: dict[str, Value]) -> str | None:
    """Paths, bytes, joined and reversed texts and calls that only compute, as the text they stand for."""
    match node:
        case ast.Constant(value=bytes() as raw):
            return raw.decode("utf-8", "replace")
        case ast.BinOp(left=left, op=ast.Div(), right=right):
            head, tail = _value(left, names), _value(right, names)
            return posixpath.join(head, tail) if isinstance(head, str) and isinstance(tail, str) else None
        case ast.Call(func=ast.Attribute(value=inner, attr="expanduser" | "resolve" | "absolute" | "decode"), args=[]):
            return _known_text(_value(inner, names))
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str() as glue), attr="join"), args=[items]):
            values = _value(items, names)
            texts = [value for value in values if isinstance(value, str)] if isinstance(values, tuple) else []
            return glue.join(texts) if isinstance(values, tuple) and len(texts) == len(values) else None
        case ast.Subscript(
            value=inner,
            slice=ast.Slice(lower=None, upper=None, step=ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=1))),
        ):
            value = _known_text(_value(inner, names))
            return None if value is None else value[::-1]
        case ast.Call(func=func, args=args, keywords=[]) if (function := _function(func, names)) in _PURE:
            values = [_value(arg, names) for arg in args]
            texts = [value for value in values if isinstance(value, str)]
            return _PURE[function](texts) if len(texts) == len(values) else None
        case ast.Call(func=ast.Name(id="chr"), args=[ast.Constant(value=int() as number)]) if 0 < number < 0xD800:
            return chr(number)
        case _:
            return None


def _known_text(value: Value) -> str | None:
    return value if isinstance(value, str) else None


def _no_answer(function: str, _args: tuple[Value, ...]) -> Value:
    raise UnprovableError(f"the answer of {function}() is not certain")


def _decoded(texts: list[str]) -> str | None:
    try:
        return base64.b64decode("".join(texts[:1])).decode("utf-8", "replace")
    except (binascii.Error, ValueError):
        return None


def _from_hex(texts: list[str]) -> str | None:
    try:
        return bytes.fromhex("".join(texts[:1])).decode("utf-8", "replace")
    except ValueError:
        return None


_PURE: dict[str, Callable[[list[str]], str | None]] = {
    "os.path.expanduser": lambda texts: texts[0] if texts else None,
    "os.path.expandvars": lambda texts: texts[0] if texts else None,
    "os.path.abspath": lambda texts: texts[0] if texts else None,
    "os.path.join": lambda texts: posixpath.join(*texts) if texts else None,
    "os.getenv": lambda texts: "~" if texts[:1] == ["HOME"] else None,
    "pathlib.Path": lambda texts: posixpath.join(*texts) if texts else None,
    "pathlib.Path.home": lambda _texts: "~",
    "base64.b64decode": _decoded,
    "base64.standard_b64decode": _decoded,
    "bytes.fromhex": _from_hex,
    "binascii.unhexlify": _from_hex,
}
