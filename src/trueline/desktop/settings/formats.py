"""Settings files of applications as keys and values. The content is hostile."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import cast
from xml.parsers import expat

_PREFERENCE = re.compile(r"""^user_pref\("((?:[^"\\]|\\.)*)",\s*(.*)\);\s*$""", re.MULTILINE)
_DEEPEST = 32


def read_json(content: bytes) -> dict[str, str]:
    """The values of a JSON object by their dotted keys; a list is one value.

    Raises:
        ValueError: It is no JSON object.
    """
    found: dict[str, str] = {}

    def walk(key: str, value: object, depth: int) -> None:
        if isinstance(value, dict) and depth < _DEEPEST:
            for name, item in cast("dict[str, object]", value).items():
                walk(f"{key}.{name}" if key else name, item, depth + 1)
        else:
            found[key] = json.dumps(value, sort_keys=True)

    try:
        document = json.loads(content)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    if not isinstance(document, dict):
        raise ValueError("not a JSON object")
    walk("", cast("object", document), 0)
    return found


def read_preferences(content: bytes) -> dict[str, str]:
    """The `user_pref` lines of a profile of Thunderbird or Firefox."""
    return dict(_PREFERENCE.findall(content.decode("utf-8", "replace")))


def read_key_file(content: bytes) -> dict[str, str]:
    """The lines `key=value`, with the section in front: `Default Applications/text/plain`."""
    found: dict[str, str] = {}
    section = ""
    for line in content.decode("utf-8", "replace").splitlines():
        text = line.strip()
        if text.startswith("[") and text.endswith("]"):
            section = f"{text[1:-1]}/"
        elif "=" in text and text[0] not in "#;":
            key, _, value = text.partition("=")
            found[section + key.strip()] = value.strip()
    return found


def read_lines(content: bytes) -> dict[str, str]:
    """A file in which each line is a setting of its own, such as a crontab."""
    lines = (line.strip() for line in content.decode("utf-8", "replace").splitlines())
    return {line: "present" for line in lines if line and not line.startswith("#")}


def read_xfconf(content: bytes) -> dict[str, str]:
    """The properties of a channel of Xfce's settings by their path.

    Raises:
        ValueError: It is no such file.
    """
    found: dict[str, str] = {}
    place: list[str] = []

    def start(tag: str, attributes: dict[str, str]) -> None:
        name = attributes.get("name", "")
        if tag == "value" and place:
            key = "/".join(place)
            found[key] = f"{found.get(key, '')} {attributes.get('value', '')}".strip()
            return
        place.append(name)
        if tag == "property" and "value" in attributes:
            found["/".join(place)] = attributes["value"]

    def end(tag: str) -> None:
        if tag != "value":
            place.pop()

    _parse(content, start, end, lambda _: None)
    return found


def read_registry(content: bytes) -> dict[str, str]:
    """The items of LibreOffice's `registrymodifications.xcu` by path and property.

    Raises:
        ValueError: It is no such file.
    """
    found: dict[str, str] = {}
    path: list[str] = []
    text: list[str] = []

    def start(tag: str, attributes: dict[str, str]) -> None:
        if tag == "item":
            path[:] = [attributes.get("oor:path", "")]
        elif tag in ("node", "prop"):
            path.append(attributes.get("oor:name", ""))
        elif tag == "value":
            text.clear()

    def end(tag: str) -> None:
        if tag == "value":
            key = "/".join(path)
            found[key] = f"{found[key]} {''.join(text)}" if key in found else "".join(text)
        elif tag in ("node", "prop") and path:
            path.pop()

    _parse(content, start, end, text.append)
    return found


def _parse(
    content: bytes,
    start: Callable[[str, dict[str, str]], None],
    end: Callable[[str], None],
    text: Callable[[str], None],
) -> None:
    """Parse XML. Document types, with their entities, are refused. Raises ValueError."""
    parser = expat.ParserCreate()
    parser.buffer_text = True
    depth = 0

    def begin(tag: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > _DEEPEST:
            raise ValueError("nested too deeply")
        start(tag, attributes)

    def finish(tag: str) -> None:
        nonlocal depth
        depth -= 1
        end(tag)

    parser.StartElementHandler = begin
    parser.EndElementHandler = finish
    parser.CharacterDataHandler = text
    parser.StartDoctypeDeclHandler = _refuse
    try:
        parser.Parse(content, True)
    except expat.ExpatError as error:
        raise ValueError("not well-formed") from error


def _refuse(*_: object) -> None:
    raise ValueError("a document type")
