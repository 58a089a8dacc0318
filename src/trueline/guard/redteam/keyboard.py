"""What keys do to the line that is being typed: for showing it on the screen, and for proving that a disguise works."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from trueline.actions import Action, Hotkey, Key, Type

ENTERS = frozenset({("ctrl", "j"), ("ctrl", "m")})
"""In a terminal these are Enter."""

SHIFT_PAIRS = {"~": "`", "*": "8", "|": "\\", "&": "7", "$": "4", "(": "9", ")": "0", '"': "'", ">": ".", ":": ";"}
"""Signs, and the keys that type them with Shift on a US keyboard."""
_SHIFTED = {key: sign for sign, key in SHIFT_PAIRS.items()}


@dataclass(frozen=True)
class TypedLine:
    """The line at the cursor, the lines entered before, and the clipboard."""

    text: str = ""
    cursor: int = 0
    entered: tuple[str, ...] = ()
    clipboard: str = ""

    def typed(self, text: str) -> TypedLine:
        """Insert text at the cursor; a newline enters the line."""
        line = self
        for place, part in enumerate(text.split("\n")):
            line = line.enter() if place else line
            line = replace(
                line, text=line.text[: line.cursor] + part + line.text[line.cursor :], cursor=line.cursor + len(part)
            )
        return line

    def enter(self) -> TypedLine:
        """Press Enter."""
        return replace(self, text="", cursor=0, entered=(*self.entered, self.text))


def press(line: TypedLine, actions: Iterable[Action]) -> TypedLine:
    """Apply what is typed; everything else leaves the line as it is."""
    for action in actions:
        match action:
            case Type(text=text):
                line = line.typed(text)
            case Key(key=key, presses=presses):
                for _ in range(presses):
                    line = _key(line, key)
            case Hotkey(keys=("ctrl", "v") | ("ctrl", "shift", "v")):
                line = line.typed(line.clipboard)
            case Hotkey(keys=("ctrl", "u")):
                line = replace(line, text="", cursor=0)
            case Hotkey(keys=("shift", key)) if key in _SHIFTED:
                line = line.typed(_SHIFTED[key])
            case Hotkey(keys=keys) if keys in ENTERS:
                line = line.enter()
            case _:
                pass
    return line


def _key(line: TypedLine, key: str) -> TypedLine:
    text, cursor = line.text, line.cursor
    match key:
        case "enter" | "numpadenter":
            return line.enter()
        case "backspace":
            return replace(line, text=text[: max(0, cursor - 1)] + text[cursor:], cursor=max(0, cursor - 1))
        case "delete":
            return replace(line, text=text[:cursor] + text[cursor + 1 :])
        case "home":
            return replace(line, cursor=0)
        case "end":
            return replace(line, cursor=len(text))
        case "left":
            return replace(line, cursor=max(0, cursor - 1))
        case "right":
            return replace(line, cursor=min(len(text), cursor + 1))
        case _:
            return line.typed(key) if len(key) == 1 else line
