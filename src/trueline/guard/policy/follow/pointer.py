"""The mouse: what it hits, and what that does to focus, selection and clipboard."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from trueline.actions.facts.mentions import mentions
from trueline.actions.types import Click, Drag, Point, Scroll
from trueline.guard.policy.folding import fold, key
from trueline.guard.policy.follow import editing, keyboard
from trueline.guard.policy.follow.tracker import Tracker
from trueline.guard.policy.operations import Nothing, Pressed, Unclear
from trueline.guard.policy.screen.labels import meaning_of_press
from trueline.guard.policy.screen.target import TERMINAL, Target

_OPENS_SOMETHING = frozenset({"push-button", "button", "menu-item", "link", "icon", "toggle-button", "menu"})
_COPY = frozenset({
    "copy", "cut", "kopieren", "ausschneiden", "copier", "couper", "copiar", "cortar", "copia", "taglia",
})  # fmt: skip
_PASTE = frozenset({"paste", "einfügen", "coller", "pegar", "incolla", "colar"})
_SELECT_ALL = frozenset({"select all", "alles auswählen", "tout sélectionner", "seleccionar todo", "seleziona tutto"})

How = Literal["click", "double click", "right click", "middle click", "drag"]


def move(tracker: Tracker, to: Point) -> None:
    """Move the pointer; over inert elements this certainly has no effect."""
    tracker.state.pointer = to
    target = tracker.view.hit(to)
    if tracker.state.busy:
        tracker.operations.append(Unclear("moves the pointer, and a key or button may be held down"))
    elif tracker.view.complete and (target is None or (target.is_inert and not tracker.view.beneath(to))):
        tracker.operations.append(Nothing("moves the pointer over nothing that reacts"))
    else:
        tracker.operations.append(Unclear(f"moves the pointer over {target or 'an unknown place'}"))


def scroll(tracker: Tracker, action: Scroll) -> None:
    """Turn the wheel; it changes combo boxes, sliders and spin boxes."""
    at = tracker.state.pointer = action.at or tracker.state.pointer
    target = tracker.view.hit(at) if at else None
    plain = not (action.modifiers or tracker.state.busy)
    if plain and at and target is not None and _only_scrolls(tracker, target, at):
        tracker.operations.append(Nothing(f"scrolls over {target.role}"))
    else:
        tracker.operations.append(Unclear(f"scrolls over {target or 'an unknown place'}, which may change by it"))


def _only_scrolls(tracker: Tracker, target: Target, at: Point) -> bool:
    """Whether every element there only scrolls; the tree does not say which is on top."""
    return target.sure and target.only_scrolls and all(other.only_scrolls for other in tracker.view.beneath(at))


def click(tracker: Tracker, action: Click) -> None:
    """Press a mouse button on the element there."""
    state = tracker.state
    at = state.pointer = action.at or state.pointer
    target = tracker.view.hit(at) if at else None
    how = _how(action)
    if at is None or target is None:
        tracker.operations.append(Pressed(None, how=how))
        _tell_written(tracker, at, how)
        tracker.focus(None)
        return
    if action.button == "middle" and target.is_editable:
        tracker.focus(target)
        keyboard.paste(tracker, state.selection)
        return
    act = None if action.button == "right" else meaning_of_press(target)
    tracker.operations.append(Pressed(target, act, how, state.everything, target.sure))
    _tell_written(tracker, at, how)
    if act is None and action.button != "right":
        # A page may make a button of anything, and lay a text over one.
        perhaps = [replace(target, role="push-button")] if target.is_inert else []
        for other in (*perhaps, *tracker.view.beneath(at)):
            if (may := meaning_of_press(other)) is not None:
                tracker.operations.append(Pressed(other, may, how, state.everything, certain=False))
    if state.busy or action.modifiers:
        tracker.operations.append(Unclear("clicks, and a key or button may be held down"))
    if target.url and action.button in ("left", "middle"):
        tracker.open(target.url, "link", certain=target.sure)
    if act == "send":
        tracker.flush()
        tracker.send_from(target)
    if action.button == "left":
        _after_click(tracker, target, action.count)


def drag(tracker: Tracker, action: Drag) -> None:
    """Press, move, release: selects, moves or draws."""
    start = action.start or tracker.state.pointer
    source = tracker.view.hit(start) if start else None
    end = action.path[-1]
    if source is not None and source.is_button and all(tracker.view.hit(point) == source for point in action.path):
        click(tracker, Click(at=end, button=action.button, modifiers=action.modifiers))  # it never leaves the button
        return
    tracker.state.pointer = end
    tracker.operations.append(Pressed(source, how="drag", many=tracker.state.everything, certain=False))
    if start and all(tracker.view.written(point) == tracker.view.written(start) for point in action.path):
        _tell_written(tracker, start, "drag")
    tracker.operations.append(Unclear(f"drags to {tracker.view.hit(end) or 'an unknown place'}"))
    tracker.state.selection = None
    tracker.state.everything = False


def _tell_written(tracker: Tracker, at: Point | None, how: How) -> None:
    """Add possible presses by the texts that OCR read there, after the press itself.

    It only adds what may happen, and changes nothing of what is known: a picture can show anything.
    """
    for text in tracker.view.written(at) if at else ():
        act = None if how == "right click" else meaning_of_press(text)
        tracker.operations.append(Pressed(text, act, how, tracker.state.everything, certain=False))
        if how != "right click":
            for url in mentions([fold(text.label)]).urls:
                tracker.open(url, "link", certain=False)


def _how(action: Click) -> How:
    if action.button == "right":
        return "right click"
    if action.button == "middle":
        return "middle click"
    return "double click" if action.count == 2 else "click"


def _after_click(tracker: Tracker, target: Target, count: int) -> None:
    label = key(target.label)
    if target.role in ("menu-item", "push-button") and label in _COPY | _PASTE | _SELECT_ALL:
        _edit_menu(tracker, label)
        return
    if target.is_button and label in keyboard.TERMINAL_NAMES:
        tracker.focus(TERMINAL)
    else:
        # A button may open a window that takes the keyboard.
        tracker.focus(None if target.role in _OPENS_SOMETHING else target)
    tracker.state.everything = False
    tracker.state.selection = target.label or None if count == 3 else None


def _edit_menu(tracker: Tracker, label: str) -> None:
    if label in _COPY:
        editing.copy(tracker)
    elif label in _PASTE:
        keyboard.paste(tracker, tracker.state.clipboard)
    else:
        tracker.state.everything = True
        tracker.state.selection = None
