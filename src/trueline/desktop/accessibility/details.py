"""Box, text, attributes, value and actions of elements, asked in one go."""

from __future__ import annotations

from collections.abc import Sequence

from trueline.desktop.accessibility.answers import (
    Details,
    Raw,
    Ref,
    ask,
    ask_property,
    attributes_of,
    text_of,
    value_of,
)
from trueline.desktop.accessibility.bus import Bus
from trueline.desktop.accessibility.connection import Answer, MethodCall
from trueline.desktop.accessibility.marshal import is_row
from trueline.desktop.accessibility.names import UNKNOWN_ROLES
from trueline.records.tree import NodeAction, NodeValue, Place, Size

_SCREEN = 0
_MOST_ACTIONS = 32
_MOST_NAMES = 10_000
VALUES = ("CurrentValue", "MinimumValue", "MaximumValue", "MinimumIncrement")
_NOT_TEXT = str.maketrans("", "", "\ufffc\ufffd")
"""Marks that stand where a picture or a widget is."""

ActionKey = tuple[str, str, int, int, str]
"""Application, what tells elements apart, role, number and name in the user's language of an action."""
ActionNames = dict[ActionKey, str]
"""Untranslated names of actions, which are the same in every reading."""


def read_details(
    bus: Bus, nodes: Sequence[Raw], end: float, names: ActionNames | None = None
) -> tuple[dict[Ref, Details], bool]:
    """Ask everything about these elements; says whether all answered in time. `names` is kept for the next reading."""
    complete = True
    found: dict[Ref, dict[str, Answer]] = {}
    actions: dict[Ref, list[NodeAction]] = {}
    for node, answers in bus.of_each(nodes, lambda node: list(_questions(node).values()), end):
        replies = dict(zip(_questions(node), answers, strict=True))
        complete &= None not in answers
        found[node.ref] = replies
        actions[node.ref] = _actions(replies.get("actions"))
    _name_actions(bus, nodes, actions, end, {} if names is None else names)
    return {node.ref: _details(node, found[node.ref], actions[node.ref]) for node in nodes}, complete


def _questions(node: Raw) -> dict[str, MethodCall]:
    ref = node.ref
    questions: dict[str, MethodCall] = {}
    if node.attributes is None:
        questions["attributes"] = ask(ref, "Accessible", "GetAttributes")
    if node.role in UNKNOWN_ROLES:
        questions["role"] = ask(ref, "Accessible", "GetRoleName")
    if node.on_screen and node.has("Component"):  # of what is hidden OSWorld's XML has no box
        questions["box"] = ask(ref, "Component", "GetExtents", "u", _SCREEN)
    if node.has("Text"):
        questions["text"] = ask(ref, "Text", "GetText", "ii", 0, -1)
    if node.has("Value"):
        # One by one: asked for all at once, an element that is just going away ends its application (ATK's bridge).
        questions |= {name: ask_property(ref, "Value", name) for name in VALUES if name not in node.bounds}
    if node.has("Action"):
        questions["actions"] = ask(ref, "Action", "GetActions")
    return questions


def _details(node: Raw, replies: dict[str, Answer], actions: list[NodeAction]) -> Details:
    position, size = _box(replies.get("box"))
    attributes = attributes_of(value_of(replies.get("attributes"))) if node.attributes is None else node.attributes
    return Details(
        role=text_of(replies.get("role")).replace(" ", "-") or None,
        position=position,
        size=size,
        text=text_of(replies.get("text")).translate(_NOT_TEXT),
        attributes=attributes or {},
        value=_value(node, replies),
        actions=tuple(actions),
    )


def _box(answer: Answer) -> tuple[Place | None, Size | None]:
    box = value_of(answer)
    if not is_row(box) or len(box) != 4:
        return None, None
    x, y, width, height = box
    if not (isinstance(x, int) and isinstance(y, int) and isinstance(width, int) and isinstance(height, int)):
        return None, None
    return Place(x, y), Size(width, height)


def _value(node: Raw, replies: dict[str, Answer]) -> NodeValue | None:
    if not node.has("Value"):
        return None
    values = {name: value_of(replies.get(name)) for name in VALUES} | dict(node.bounds)
    words = [str(value) if isinstance(value := values.get(name), int | float) else None for name in VALUES]
    return NodeValue(*words) if any(words) else None


def _actions(answer: Answer) -> list[NodeAction]:
    found = answer[0] if isinstance(answer, tuple) and answer else None
    actions: list[NodeAction] = []
    for row in found if is_row(found) else ():
        if is_row(row) and len(row) == 3:
            name, description, keys = (part if isinstance(part, str) else "" for part in row)
            actions.append(NodeAction(name.replace(" ", "-"), description, keys))
    return actions[:_MOST_ACTIONS]


def _name_actions(
    bus: Bus, nodes: Sequence[Raw], actions: dict[Ref, list[NodeAction]], end: float, names: ActionNames
) -> None:
    """Replace the translated names of GetActions by the untranslated ones, each queried once.

    One that has no name in the user's language (a browser's have none) tells nothing of the name proper. The first
    action is then asked of every element; those after it are the same for elements of one kind in one state.
    """
    if len(names) > _MOST_NAMES:
        names.clear()
    ones: dict[ActionKey, list[tuple[Ref, int]]] = {}
    for node in nodes:
        for number, action in enumerate(actions[node.ref]):
            like = "" if action.name else node.ref[1] if number == 0 else f"{node.states} {len(actions[node.ref])}"
            ones.setdefault((node.ref[0], like, node.role, number, action.name), []).append((node.ref, number))
    unknown = {key: places[0] for key, places in ones.items() if key not in names}
    answers = bus.call_all([ask(ref, "Action", "GetName", "i", number) for ref, number in unknown.values()], end)
    told = {key: text_of(answer).replace(" ", "-") for key, answer in zip(unknown, answers, strict=True)}
    names.update({key: name for key, name in told.items() if name and not key[1].startswith("/")})
    for key, places in ones.items():
        name = names.get(key) or told.get(key) or key[4]
        for ref, number in places:
            actions[ref][number] = actions[ref][number]._replace(name=name)
