"""Box, text, attributes, value and actions of elements on the screen, asked in one go."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from trueline.desktop.accessibility.bus import Answer, Bus, Call
from trueline.desktop.accessibility.names import UNKNOWN_ROLES
from trueline.desktop.accessibility.raw import (
    Details,
    Raw,
    Ref,
    ask,
    ask_properties,
    is_row,
    is_table,
    text_of,
    value_of,
    variant,
)
from trueline.records.tree import NodeAction, NodeValue, Place, Size

_SCREEN = 0
_MOST_ACTIONS = 32
_NOT_TEXT = str.maketrans("", "", "\ufffc\ufffd")
"""Marks that stand where a picture or a widget is."""

Fill = Callable[[Details, Answer], Details]


def read_details(bus: Bus, nodes: Sequence[Raw], end: float) -> tuple[dict[Ref, Details], bool]:
    """Ask everything about these elements; says whether all answered in time."""
    found = {node.ref: Details() for node in nodes}
    asked: list[tuple[Ref, Fill]] = []
    calls: list[Call] = []
    for node in nodes:
        for call, fill in _questions(node):
            calls.append(call)
            asked.append((node.ref, fill))
    complete = True
    for (ref, fill), answer in zip(asked, bus.many(calls, end), strict=True):
        complete &= answer is not None
        if isinstance(answer, tuple) and answer:
            found[ref] = fill(found[ref], answer)
    _name_actions(bus, found, end)
    return found, complete


def _name_actions(bus: Bus, found: dict[Ref, Details], end: float) -> None:
    """GetActions gives names in the user's language; put the names proper in their place."""
    places = [(ref, number) for ref, details in found.items() for number in range(len(details.actions))]
    answers = bus.many([ask(ref, "Action", "GetName", "i", number) for ref, number in places], end)
    for (ref, number), answer in zip(places, answers, strict=True):
        actions = list(found[ref].actions)
        name = text_of(answer).replace(" ", "-") or actions[number].name
        actions[number] = actions[number]._replace(name=name)
        found[ref] = replace(found[ref], actions=tuple(actions))


def _questions(node: Raw) -> list[tuple[Call, Fill]]:
    ref = node.ref
    questions: list[tuple[Call, Fill]] = [(ask(ref, "Accessible", "GetAttributes"), _attributes)]
    if node.role in UNKNOWN_ROLES:
        questions.append((ask(ref, "Accessible", "GetRoleName"), _role))
    if node.has("Component"):
        questions.append((ask(ref, "Component", "GetExtents", "u", _SCREEN), _box))
    if node.has("Text"):
        questions.append((ask(ref, "Text", "GetText", "ii", 0, -1), _text))
    if node.has("Value"):
        questions.append((ask_properties(ref, "Value"), _value))
    if node.has("Action"):
        questions.append((ask(ref, "Action", "GetActions"), _actions))
    return questions


def _role(details: Details, answer: Answer) -> Details:
    return replace(details, role=text_of(answer).replace(" ", "-") or None)


def _box(details: Details, answer: Answer) -> Details:
    box = value_of(answer)
    if not is_row(box) or len(box) != 4:
        return details
    x, y, width, height = box
    if not (isinstance(x, int) and isinstance(y, int) and isinstance(width, int) and isinstance(height, int)):
        return details
    return replace(details, position=Place(x, y), size=Size(width, height))


def _text(details: Details, answer: Answer) -> Details:
    return replace(details, text=text_of(answer).translate(_NOT_TEXT))


def _attributes(details: Details, answer: Answer) -> Details:
    found = value_of(answer)
    if not is_table(found):
        return details
    words = {str(key): str(value) for key, value in found.items()}
    return replace(details, attributes=dict(sorted(words.items())))


def _value(details: Details, answer: Answer) -> Details:
    found = value_of(answer)
    if not is_table(found):
        return details
    values = {key: variant(value) for key, value in found.items()}

    def word(name: str) -> str | None:
        value = values.get(name)
        return str(value) if isinstance(value, int | float) else None

    return replace(
        details,
        value=NodeValue(word("CurrentValue"), word("MinimumValue"), word("MaximumValue"), word("MinimumIncrement")),
    )


def _actions(details: Details, answer: Answer) -> Details:
    found = answer[0] if isinstance(answer, tuple) else None
    actions: list[NodeAction] = []
    for row in found if is_row(found) else ():
        if is_row(row) and len(row) == 3:
            name, description, keys = (part if isinstance(part, str) else "" for part in row)
            actions.append(NodeAction(name.replace(" ", "-"), description, keys))
    return replace(details, actions=tuple(actions[:_MOST_ACTIONS]))
