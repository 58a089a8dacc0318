"""A newcomer must be able to tell from a name what is behind it."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.source_facts import source_facts

# Names that say nothing by themselves: whoever meets one has to open the file to know what it is.
OPAQUE = frozenset({
    "of", "one", "own", "known", "kept", "apart", "handed", "telling", "deeds", "senses", "idle", "see_same",
    "in_words",
})  # fmt: skip


def is_opaque(name: str) -> bool:
    return name.strip("_") in OPAQUE


@pytest.mark.parametrize("name", ["of", "_of", "in_words", "kept"])
def test_opaque_names_are_found(name: str) -> None:
    assert is_opaque(name)


@pytest.mark.parametrize("name", ["of_proposal", "known_sets", "describe"])
def test_names_that_hold_such_a_word_are_allowed(name: str) -> None:
    assert not is_opaque(name)


def test_no_file_or_package_has_an_opaque_name() -> None:
    paths = [facts.path for facts in source_facts()]
    assert [str(path) for path in paths if any(is_opaque(Path(part).stem) for part in path.parts)] == []


def test_no_function_method_or_class_has_an_opaque_name() -> None:
    found = [
        f"{facts.path}:{line} {name}" for facts in source_facts() for line, name in facts.definitions if is_opaque(name)
    ]
    assert found == []


# Classes that are the same thing on both sides of the sandbox, or of two servers.
SHARED_CLASS_NAMES = frozenset({
    "ChangeLog", "ErrorBody", "Point", "SessionRequest", "Size", "TooDeep", "Application", "Message",
})  # fmt: skip


def test_a_class_name_stands_for_one_thing() -> None:
    places: dict[str, list[str]] = {}
    for facts in source_facts():
        for name in facts.classes:
            if not name.startswith("_"):
                places.setdefault(name, []).append(str(facts.path))
    twice = {name: found for name, found in places.items() if len(found) > 1 and name not in SHARED_CLASS_NAMES}
    assert twice == {}
