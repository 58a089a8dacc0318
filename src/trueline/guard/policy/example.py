"""Examples in rule files: a small screen, what was done before, what is proposed, and what should come of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Annotated, Literal, Self

from pydantic import Field, JsonValue, StringConstraints, model_validator

from trueline.actions import Action
from trueline.actions.codecs.pyautogui import decode
from trueline.actions.types import ACTION
from trueline.errors import InputError
from trueline.guard.policy.strict_model import StrictModel
from trueline.guard.types import GuardContext, PastStep
from trueline.records.observation import Observation
from trueline.records.proposal import Proposal
from trueline.records.text_line import TextLine
from trueline.records.tree import Node, Place, Size, Tree

Expect = Literal["misaligned", "aligned", "suspect", "pass"]
_SHOWN = frozenset({"showing", "visible", "enabled"})
_NO_TIME = datetime(2000, 1, 1, tzinfo=UTC)


class Element(StrictModel):
    """One element of an example's screen."""

    role: str
    name: str = ""
    text: str = ""
    box: tuple[int, int, int, int] | None = None
    """x, y, width, height."""
    states: tuple[str, ...] = ()
    """Besides showing, visible and enabled."""
    url: str | None = None
    slot: str | None = None
    """A slot that an example can fill."""
    children: tuple[Element, ...] = ()


class ExampleText(StrictModel):
    """A piece of text where OCR read it."""

    text: str
    box: tuple[int, int, int, int]
    """x, y, width, height."""


Screens = dict[str, tuple[Element, ...]]


class ExampleScreen(StrictModel):
    """A screen, by name or written out, with this example's changes. Without either there is no tree."""

    screen: str | None = None
    tree: tuple[Element, ...] | None = None
    also: tuple[Element, ...] = ()
    """Elements beside the screen's own: a notification, a pop-up."""
    fill: dict[str, tuple[Element, ...]] = Field(default_factory=dict[str, tuple[Element, ...]])
    """Elements to put in the screen's slots."""
    texts: dict[str, str] = Field(default_factory=dict[str, str])
    """Texts of the screen's slots."""
    ocr: str | tuple[ExampleText, ...] | None = None
    """What OCR read, as one text or with its places."""

    @model_validator(mode="after")
    def _one_screen(self) -> Self:
        if self.screen is not None and self.tree is not None:
            raise ValueError("give either screen or tree, not both")
        return self


class ExampleActions(ExampleScreen):
    """A screen, and what is done on it."""

    actions: Annotated[tuple[str | dict[str, JsonValue], ...], Field(min_length=1)]
    """pyautogui source, or an action as data (`{kind: click, at: [3, 4]}`)."""

    @model_validator(mode="before")
    @classmethod
    def _single(cls, data: JsonValue) -> JsonValue:
        if isinstance(data, dict) and "action" in data and "actions" not in data:
            return {**{name: value for name, value in data.items() if name != "action"}, "actions": [data["action"]]}
        return data


class ExampleStep(ExampleActions):
    """A step that was executed before."""

    times: Annotated[int, Field(ge=1, le=100)] = 1
    """How often, one after the other."""


class Example(ExampleActions):
    """A whole example: the question and the expected answer."""

    id: str | None = None
    instruction: str
    domain: str | None = None
    history: tuple[ExampleStep, ...] = ()
    secrets: tuple[Annotated[str, StringConstraints(min_length=4)], ...] = ()
    """Values that are declared secret in this example; never put a real one here."""
    expect: Expect


def example_context(example: Example, screens: Screens) -> GuardContext:
    """Make the guard's context for an example.

    Raises:
        InputError: It names a screen or slot that is not there, or an action that is none.
    """
    history = tuple(
        PastStep(number, _proposal(f"past-{number}", step), _observation(step, screens))
        for number, step in enumerate((step for step in example.history for _ in range(step.times)), 1)
    )
    return GuardContext(
        instruction=example.instruction,
        observation=_observation(example, screens),
        proposal=_proposal("example", example),
        history=history,
        step=len(history) + 1,
        domain=example.domain,
    )


def _proposal(name: str, step: ExampleActions) -> Proposal:
    actions: list[Action] = []
    for item in step.actions:
        if isinstance(item, str):
            actions += decode(item).actions
            continue
        try:
            actions.append(ACTION.validate_python(item))
        except ValueError as error:
            raise InputError(f"{item} is not an action: {error}") from error
    return Proposal(id=name, actions=tuple(actions))


def _observation(shown: ExampleScreen, screens: Screens) -> Observation:
    seen = Observation(time=_NO_TIME, tree=_tree(shown, screens))
    if shown.ocr is None or isinstance(shown.ocr, str):
        return replace(seen, text=shown.ocr)
    boxes = ((piece.text, *piece.box) for piece in shown.ocr)
    return seen.with_lines(tuple(TextLine(text, x, y, x + width, y + height) for text, x, y, width, height in boxes))


def _tree(shown: ExampleScreen, screens: Screens) -> Tree | None:
    if shown.screen is None and shown.tree is None:
        return None
    if shown.screen is not None and shown.screen not in screens:
        raise InputError(f"unknown screen {shown.screen!r}; choose one of {', '.join(sorted(screens)) or 'none'}")
    elements = screens[shown.screen] if shown.screen is not None else shown.tree or ()
    open_slots = {*shown.fill, *shown.texts}
    nodes = tuple(_node(element, shown.fill, shown.texts, open_slots) for element in (*elements, *shown.also))
    if open_slots:
        raise InputError(f"the screen has no slot {min(open_slots)!r}")
    return Tree(Node("desktop-frame", states=_SHOWN, children=nodes))


def _node(
    element: Element, fill: Mapping[str, tuple[Element, ...]], texts: Mapping[str, str], open_slots: set[str]
) -> Node:
    slot = element.slot or ""
    open_slots.discard(slot)
    inner = (*element.children, *fill.get(slot, ()))
    x, y, width, height = element.box or (0, 0, 0, 0)
    return Node(
        role=element.role,
        name=element.name,
        text=texts.get(slot, element.text),
        states=_SHOWN | {*element.states},
        attributes={"url": element.url} if element.url else {},
        position=Place(x, y) if element.box else None,
        size=Size(width, height) if element.box else None,
        children=tuple(_node(child, fill, texts, open_slots) for child in inner),
    )
