"""OSWorld's accessibility XML, read safely and written exactly."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from functools import lru_cache
from typing import get_args
from xml.parsers import expat

from trueline.actions.coordinates import Size
from trueline.errors import InputError
from trueline.records.tree.node import Node, NodeAction, NodeValue, Place, Platform, Tree

MAX_DEPTH = 256
"""OSWorld's server stops at 50; what nests deeper than this is an attack on the reader."""

_TAILS = {
    "st": "state", "attr": "attributes", "cp": "component", "doc": "document", "docattr": "document/attributes",
    "txt": "text", "val": "value", "act": "action",
}  # fmt: skip
_EXTRA_TAILS = {"ubuntu": {}, "windows": {"class": "class"}, "macos": {"role": "role"}}
_URI = re.compile(r"https://accessibility\.(ubuntu|windows|macos)\.example\.org/ns/(.+)")
_PREFIXES = {tail: prefix for tails in (_TAILS, *_EXTRA_TAILS.values()) for prefix, tail in tails.items()}
_PAIR = re.compile(r"\((-?\d{1,9}), (-?\d{1,9})\)")
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NOT_IN_NAME = re.compile(r"[^A-Za-z0-9_.-]")
_XML_URI = "http://www.w3.org/XML/1998/namespace"
_XMLNS_URI = "http://www.w3.org/2000/xmlns/"
_FLAGS = {("", "image"), ("", "selection"), ("cp", "covered")}
_IN_TEXT = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;"})
_IN_QUOTES = _IN_TEXT | str.maketrans({'"': "&quot;", "\t": "&#9;", "\n": "&#10;"})


class TreeError(InputError):
    """The XML is not an accessibility tree that can be read safely."""


def parse_xml(xml: str) -> Tree:
    """Read OSWorld's XML. Document types and entities are refused.

    Raises:
        TreeError: It is not well-formed, too deep, or holds a document type.
    """
    builder = _Builder()
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.ordered_attributes = True
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.text
    parser.StartNamespaceDeclHandler = builder.namespace
    parser.StartDoctypeDeclHandler = _refuse_doctype
    try:
        parser.Parse(xml.encode(), True)
    except (expat.ExpatError, UnicodeEncodeError) as error:
        raise TreeError(f"accessibility tree: not well-formed XML: {error}") from error
    assert builder.root is not None, "expat accepts no document without an element"
    return Tree(builder.root, builder.platform)


def _refuse_doctype(*_: object) -> None:
    raise TreeError("accessibility tree: a document type (DTD) is not allowed in it")


class _Open:
    """An element that is still being read."""

    __slots__ = ("attributes", "children", "tag", "tail", "text")

    def __init__(self, tag: str, attributes: list[str]) -> None:
        self.tag = tag
        self.attributes = attributes
        self.text: list[str] = []
        self.tail: list[str] = []
        self.children: list[Node] = []


class _Builder:
    """Turns expat's calls into nodes, without recursion."""

    def __init__(self) -> None:
        self.root: Node | None = None
        self.platform: Platform = "ubuntu"
        self._open: list[_Open] = []
        self._keys: dict[str, tuple[str, str]] = {}

    def namespace(self, _prefix: str | None, uri: str) -> None:
        match = _URI.fullmatch(uri)
        if match and not self._open:
            self.platform = next(p for p in get_args(Platform) if p == match[1])

    def start(self, tag: str, attributes: list[str]) -> None:
        if len(self._open) >= MAX_DEPTH:
            raise TreeError(f"accessibility tree: nested deeper than {MAX_DEPTH} elements")
        self._open.append(_Open(tag, attributes))

    def text(self, data: str) -> None:
        if self._open:
            top = self._open[-1]
            (top.tail if top.children else top.text).append(data)

    def end(self, _tag: str) -> None:
        done = self._open.pop()
        node = self._node(done)
        if self._open:
            self._open[-1].children.append(node)
        else:
            self.root = node

    def _key(self, name: str) -> tuple[str, str]:
        """Split expat's `uri local` into our prefix (or the URI in braces) and the local name."""
        known = self._keys.get(name)
        if known is None:
            uri, _, local = name.rpartition(" ")
            match = _URI.fullmatch(uri)
            if not uri:
                known = ("", local)
            elif match and match[1] == self.platform and match[2] in _PREFIXES:
                known = (_PREFIXES[match[2]], local)
            else:
                known = (f"{{{uri}}}", local)
            self._keys[name] = known
        return known

    def _node(self, done: _Open) -> Node:
        name, position, size, visible_point = "", None, None, None
        flags: set[str] = set()
        states: set[str] = set()
        attributes: dict[str, str] = {}
        value: dict[str, str] = {}
        descriptions: dict[str, str] = {}
        keys: dict[str, str] = {}
        other: dict[str, str] = {}
        pairs = iter(done.attributes)
        for raw, text in zip(pairs, pairs, strict=True):
            prefix, local = self._key(raw)
            if prefix == "st" and text == "true":
                states.add(local)
            elif prefix == "attr":
                attributes[local] = text
            elif prefix == "" and local == "name":
                name = text
            elif prefix == "cp" and local == "screencoord" and (match := _PAIR.fullmatch(text)):
                position = Place(int(match[1]), int(match[2]))
            elif prefix == "cp" and local == "size" and (match := _PAIR.fullmatch(text)):
                size = Size(int(match[1]), int(match[2]))
            elif prefix == "cp" and local == "visiblepoint" and (match := _PAIR.fullmatch(text)):
                visible_point = Place(int(match[1]), int(match[2]))
            elif (prefix, local) in _FLAGS and text == "true":
                flags.add(local)
            elif prefix == "val" and local in NodeValue._fields:
                value[local] = text
            elif prefix == "act" and local.endswith("_desc"):
                descriptions[local.removesuffix("_desc")] = text
            elif prefix == "act" and local.endswith("_kb"):
                keys[local.removesuffix("_kb")] = text
            else:
                other[_joined(prefix, local)] = text
        tail = "".join(done.tail)
        return Node(
            role=_joined(*self._key(done.tag)),
            name=name,
            text="".join(done.text) + (tail if tail.strip() else ""),
            states=frozenset(states),
            attributes=attributes,
            position=position,
            size=size,
            covered="covered" in flags,
            visible_point=visible_point,
            value=NodeValue(**value) if value else None,
            actions=tuple(NodeAction(a, descriptions.get(a), keys.get(a)) for a in {**descriptions, **keys}),
            image="image" in flags,
            selection="selection" in flags,
            other=other,
            children=tuple(done.children),
        )


def _joined(prefix: str, local: str) -> str:
    return local if not prefix else prefix + local if prefix.startswith("{") else f"{prefix}:{local}"


def write_xml(tree: Tree) -> str:
    """Write OSWorld's XML. Characters that XML cannot hold are left out, names are made valid."""
    base = f"https://accessibility.{tree.platform}.example.org/ns/"
    spaces = {prefix: base + tail for prefix, tail in {**_TAILS, **_EXTRA_TAILS[tree.platform]}.items()}
    head = "".join(f' xmlns:{prefix}="{uri}"' for prefix, uri in spaces.items())
    out: list[str] = []
    # Each entry is a node to open or the text that closes one; a loop, since recursion would end at a depth of its own.
    todo: list[Node | str] = [tree.root]
    while todo:
        node = todo.pop()
        if isinstance(node, str):
            out.append(node)
            continue
        foreign: dict[str, str] = {}
        tag = _qualified(node.role.replace(" ", "-") or "unknown", spaces, foreign)
        written: dict[str, str] = {}
        for key, text in _attributes(node, spaces, foreign):
            written.setdefault(key, text)
        if node is tree.root and not node.name:
            del written["name"]  # OSWorld names every element but the desktop itself
        declared = "".join(f' xmlns:{prefix}="{_quoted(uri)}"' for uri, prefix in foreign.items())
        out.append(f"<{tag}{head}{declared}" + "".join(f' {key}="{_quoted(text)}"' for key, text in written.items()))
        head = ""
        text = _NOT_XML.sub("", node.text).translate(_IN_TEXT)
        if text or node.children:
            out.append(f">{text}")
            todo.append(f"</{tag}>")
            todo.extend(reversed(node.children))
        else:
            out.append("/>")
    return "".join(out)


def _attributes(node: Node, spaces: Container[str], foreign: dict[str, str]) -> Iterator[tuple[str, str]]:
    yield "name", node.name
    for state in sorted(node.states):
        yield f"st:{_name(state)}", "true"
    for key, text in node.attributes.items():
        yield f"attr:{_name(key)}", text
    if node.position is not None:
        yield "cp:screencoord", str(tuple(node.position))
    if node.size is not None:
        yield "cp:size", str(tuple(node.size))
    if node.covered:
        yield "cp:covered", "true"
    if node.visible_point is not None:
        yield "cp:visiblepoint", str(tuple(node.visible_point))
    if node.image:
        yield "image", "true"
    if node.selection:
        yield "selection", "true"
    if node.value is not None:
        for key, text in node.value._asdict().items():
            if text is not None:
                yield f"val:{key}", text
    for action in node.actions:
        if action.description is not None:
            yield f"act:{_name(action.name)}_desc", action.description
        if action.keys is not None:
            yield f"act:{_name(action.name)}_kb", action.keys
    for key, text in node.other.items():
        yield _qualified(key, spaces, foreign), text


def _qualified(key: str, spaces: Container[str], foreign: dict[str, str]) -> str:
    """The XML name of a key as the reader gives it; a foreign namespace gets a prefix, which its element declares."""
    uri, brace, local = key.removeprefix("{").rpartition("}") if key.startswith("{") else ("", "", key)
    if uri == _XML_URI:
        return f"xml:{_name(local)}"
    if brace and uri and uri != _XMLNS_URI:
        return f"{foreign.setdefault(uri, f'ns{len(foreign)}')}:{_name(local)}"
    prefix, colon, local = key.partition(":")
    return f"{prefix}:{_name(local)}" if colon and prefix in spaces else _name(key)


@lru_cache(maxsize=4096)
def _name(text: str) -> str:
    """A valid XML name as close to the text as can be; OSWorld's own server fails on such names."""
    name = _NOT_IN_NAME.sub("-", text)
    return name if name[:1].isalpha() and name != "xmlns" else f"_{name.removeprefix('_')}"


def _quoted(text: str) -> str:
    if text.isalnum():  # most are: `true`, a number, a word
        return text
    return _NOT_XML.sub("", text).translate(_IN_QUOTES)
