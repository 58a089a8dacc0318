"""Keys that change what stands in a field, or what is chosen in a list."""

from __future__ import annotations

from trueline.guard.policy.deeds import Pressed
from trueline.guard.policy.follow import terminal
from trueline.guard.policy.follow.scene import Scene


def copy(scene: Scene) -> None:
    """Put the selection on the clipboard."""
    scene.desk.clipboard = scene.desk.selection


def backspace(scene: Scene) -> None:
    """Take away what is selected, or the character before the cursor."""
    desk = scene.desk
    if desk.everything:
        desk.add("")
    else:
        desk.cut(desk.cursor - 1, desk.cursor)
    scene.touched = True


def delete(scene: Scene) -> None:
    """Take away what is selected, or the character behind the cursor; elsewhere than in a text, what is chosen."""
    desk = scene.desk
    if desk.focus is not None and desk.focus.is_editable:
        if desk.everything:
            desk.add("")
        else:
            desk.cut(desk.cursor, desk.cursor + 1)
        scene.touched = True
        return
    scene.deeds.append(Pressed(desk.focus, "delete", "key", desk.everything, certain=desk.focus is not None))


def delete_forever(scene: Scene) -> None:
    """Shift+Delete: past the trash in a file manager, cuts in a text."""
    desk = scene.desk
    focus = desk.focus
    if focus is not None and not (focus.in_file_manager or focus.in_mail):
        copy(scene)  # elsewhere it cuts
        return
    scene.deeds.append(Pressed(focus, "delete_forever", "key", desk.everything, certain=focus is not None))


def select_all_or_home(scene: Scene) -> None:
    """Ctrl+A."""
    desk = scene.desk
    if in_terminal(scene):
        desk.move(0)
        return
    desk.everything = True
    editable = desk.focus is not None and desk.focus.is_editable
    desk.selection = (desk.focus.text or desk.line or None) if editable and desk.focus else None


def copy_or_interrupt(scene: Scene) -> None:
    """Ctrl+C."""
    if in_terminal(scene):
        scene.desk.start()
        scene.desk.inside = ""
        scene.touched = False
    else:
        copy(scene)


def cut(scene: Scene) -> None:
    """Ctrl+X."""
    copy(scene)
    if scene.desk.everything:
        scene.desk.add("")
    else:
        scene.desk.whole = False  # which part is gone is not known
    scene.touched = True


def move(scene: Scene, modifiers: frozenset[str], name: str) -> None:
    """Move the cursor, or the selection, or the choice in a list."""
    desk = scene.desk
    desk.everything = False
    if "shift" in modifiers:
        desk.selection = None
    if name in ("up", "down") and in_terminal(scene) and not modifiers:
        terminal.recall(scene, 1 if name == "up" else -1)
    elif name in ("left", "right") and not modifiers:
        desk.move(desk.cursor + (1 if name == "right" else -1))
    elif name in ("home", "end") and not modifiers and "\n" not in desk.line:
        desk.move(len(desk.line) if name == "end" else 0)
    elif desk.line:
        desk.whole = False  # what follows goes in somewhere else


def in_terminal(scene: Scene) -> bool:
    """Whether a terminal has the keyboard."""
    return scene.desk.focus is not None and scene.desk.focus.is_terminal
