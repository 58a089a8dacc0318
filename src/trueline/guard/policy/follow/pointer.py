"""The mouse: what it hits, and what that does to focus, selection and clipboard."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from trueline.actions.facts.mentions import mentions
from trueline.actions.types import Click, Drag, Point, Scroll
from trueline.guard.policy.deeds import Nothing, Pressed, Unclear
from trueline.guard.policy.folding import fold, key
from trueline.guard.policy.follow import editing, keyboard
from trueline.guard.policy.follow.scene import Scene
from trueline.guard.policy.screen.labels import act_of
from trueline.guard.policy.screen.target import TERMINAL, Target

_OPENS_SOMETHING = frozenset({"push-button", "button", "menu-item", "link", "icon", "toggle-button", "menu"})
_COPY = frozenset({
    "copy", "cut", "kopieren", "ausschneiden", "copier", "couper", "copiar", "cortar", "copia", "taglia",
})  # fmt: skip
_PASTE = frozenset({"paste", "einfügen", "coller", "pegar", "incolla", "colar"})
_SELECT_ALL = frozenset({"select all", "alles auswählen", "tout sélectionner", "seleccionar todo", "seleziona tutto"})

How = Literal["click", "double click", "right click", "middle click", "drag"]


def move(scene: Scene, to: Point) -> None:
    """Move the pointer; over what does not react this is certain to do nothing."""
    scene.desk.pointer = to
    target = scene.view.hit(to)
    if scene.desk.busy:
        scene.deeds.append(Unclear("moves the pointer, and a key or button may be held down"))
    elif scene.view.known and (target is None or (target.is_inert and not scene.view.beneath(to))):
        scene.deeds.append(Nothing("moves the pointer over nothing that reacts"))
    else:
        scene.deeds.append(Unclear(f"moves the pointer over {target or 'an unknown place'}"))


def scroll(scene: Scene, action: Scroll) -> None:
    """Turn the wheel; combo boxes, sliders and spin boxes change by it."""
    at = scene.desk.pointer = action.at or scene.desk.pointer
    target = scene.view.hit(at) if at else None
    plain = not (action.modifiers or scene.desk.busy)
    if plain and at and target is not None and _only_scrolls(scene, target, at):
        scene.deeds.append(Nothing(f"scrolls over {target.role}"))
    else:
        scene.deeds.append(Unclear(f"scrolls over {target or 'an unknown place'}, which may change by it"))


def _only_scrolls(scene: Scene, target: Target, at: Point) -> bool:
    """Whatever else lies there may get the wheel: the tree does not say what is drawn on top."""
    return target.sure and target.only_scrolls and all(other.only_scrolls for other in scene.view.beneath(at))


def click(scene: Scene, action: Click) -> None:
    """Press a mouse button on what lies there."""
    desk = scene.desk
    at = desk.pointer = action.at or desk.pointer
    target = scene.view.hit(at) if at else None
    how = _how(action)
    if at is None or target is None:
        scene.deeds.append(Pressed(None, how=how))
        _tell_written(scene, at, how)
        scene.focus(None)
        return
    if action.button == "middle" and target.is_editable:
        scene.focus(target)
        keyboard.paste(scene, desk.selection)
        return
    act = None if action.button == "right" else act_of(target)
    scene.deeds.append(Pressed(target, act, how, desk.everything, target.sure))
    _tell_written(scene, at, how)
    if act is None and action.button != "right":
        # A page may make a button of anything, and lay a text over one.
        perhaps = [replace(target, role="push-button")] if target.is_inert else []
        for other in (*perhaps, *scene.view.beneath(at)):
            if (may := act_of(other)) is not None:
                scene.deeds.append(Pressed(other, may, how, desk.everything, certain=False))
    if desk.busy or action.modifiers:
        scene.deeds.append(Unclear("clicks, and a key or button may be held down"))
    if target.url and action.button in ("left", "middle"):
        scene.open(target.url, "link", certain=target.sure)
    if act == "send":
        scene.flush()
        scene.send_from(target)
    if action.button == "left":
        _after_click(scene, target, action.count)


def drag(scene: Scene, action: Drag) -> None:
    """Press, move, release: selects, moves or draws."""
    start = action.start or scene.desk.pointer
    source = scene.view.hit(start) if start else None
    end = action.path[-1]
    if source is not None and source.is_button and all(scene.view.hit(point) == source for point in action.path):
        click(scene, Click(at=end, button=action.button, modifiers=action.modifiers))  # it never leaves the button
        return
    scene.desk.pointer = end
    scene.deeds.append(Pressed(source, how="drag", many=scene.desk.everything, certain=False))
    if start and all(scene.view.written(point) == scene.view.written(start) for point in action.path):
        _tell_written(scene, start, "drag")
    scene.deeds.append(Unclear(f"drags to {scene.view.hit(end) or 'an unknown place'}"))
    scene.desk.selection = None
    scene.desk.everything = False


def _tell_written(scene: Scene, at: Point | None, how: How) -> None:
    """Tell what may be pressed by the texts that OCR read there, behind the deed of the press itself.

    It only adds what may happen, and changes nothing of what is known: a picture can show anything.
    """
    for text in scene.view.written(at) if at else ():
        act = None if how == "right click" else act_of(text)
        scene.deeds.append(Pressed(text, act, how, scene.desk.everything, certain=False))
        if how != "right click":
            for url in mentions([fold(text.label)]).urls:
                scene.open(url, "link", certain=False)


def _how(action: Click) -> How:
    if action.button == "right":
        return "right click"
    if action.button == "middle":
        return "middle click"
    return "double click" if action.count == 2 else "click"


def _after_click(scene: Scene, target: Target, count: int) -> None:
    label = key(target.label)
    if target.role in ("menu-item", "push-button") and label in _COPY | _PASTE | _SELECT_ALL:
        _edit_menu(scene, label)
        return
    if target.is_button and label in keyboard.TERMINAL_NAMES:
        scene.focus(TERMINAL)
    else:
        # A button may open a window that takes the keyboard.
        scene.focus(None if target.role in _OPENS_SOMETHING else target)
    scene.desk.everything = False
    scene.desk.selection = target.label or None if count == 3 else None


def _edit_menu(scene: Scene, label: str) -> None:
    if label in _COPY:
        editing.copy(scene)
    elif label in _PASTE:
        keyboard.paste(scene, scene.desk.clipboard)
    else:
        scene.desk.everything = True
        scene.desk.selection = None
