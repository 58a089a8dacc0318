"""A newcomer must be able to tell from a name what is behind it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[1] / "src" / "trueline"

# Names that say nothing by themselves: whoever meets one has to open the file to know what it is.
OPAQUE = frozenset({
    "of", "one", "own", "known", "kept", "apart", "handed", "telling", "deeds", "senses", "idle", "see_same",
    "in_words",
})  # fmt: skip


def modules() -> list[Path]:
    return sorted(SOURCE.rglob("*.py"))


def is_opaque(name: str) -> bool:
    return name.strip("_") in OPAQUE


@pytest.mark.parametrize("name", ["of", "_of", "in_words", "kept"])
def test_opaque_names_are_found(name: str) -> None:
    assert is_opaque(name)


@pytest.mark.parametrize("name", ["of_proposal", "known_sets", "describe"])
def test_names_that_hold_such_a_word_are_allowed(name: str) -> None:
    assert not is_opaque(name)


def test_no_file_or_package_has_an_opaque_name() -> None:
    below = {path.relative_to(SOURCE) for path in modules()}
    assert [str(path) for path in sorted(below) if any(is_opaque(Path(part).stem) for part in path.parts)] == []


def test_no_function_method_or_class_has_an_opaque_name() -> None:
    found = [
        f"{path.relative_to(SOURCE)}:{node.lineno} {node.name}"
        for path in modules()
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and is_opaque(node.name)
    ]
    assert found == []


# Classes that are the same thing on both sides of the sandbox, or of two servers.
SHARED_CLASS_NAMES = frozenset({
    "ChangeLog", "ErrorBody", "Point", "SessionRequest", "Size", "TooDeep", "Application", "Message",
})  # fmt: skip


def test_a_class_name_stands_for_one_thing() -> None:
    places: dict[str, list[str]] = {}
    for path in modules():
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places.setdefault(node.name, []).append(str(path.relative_to(SOURCE)))
    twice = {name: found for name, found in places.items() if len(found) > 1 and name not in SHARED_CLASS_NAMES}
    assert twice == {}
