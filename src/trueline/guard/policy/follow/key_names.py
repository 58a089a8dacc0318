"""Keys: their names, and the characters they type."""

from __future__ import annotations

MODIFIERS = frozenset({
    "ctrl", "ctrlright", "shift", "shiftright", "alt", "altright", "winleft", "winright", "command", "option", "fn",
})  # fmt: skip
SHIFTS = frozenset({"shift", "shiftright"})
_SAME = {
    "winleft": "win", "winright": "win", "command": "win", "ctrlright": "ctrl", "shiftright": "shift",
    "altright": "alt", "option": "alt", "return": "enter", "numpadenter": "enter", "kp_enter": "enter",
    "kpenter": "enter", "num_enter": "enter",
}  # fmt: skip
_CHARACTERS = {
    "space": " ", "add": "+", "subtract": "-", "multiply": "*", "divide": "/", "decimal": ".", "kp_add": "+",
    "kp_subtract": "-", "kp_multiply": "*", "kp_divide": "/", "kp_decimal": ".", "separator": ",",
    **{f"{pad}{digit}": str(digit) for pad in ("num", "kp_", "numpad") for digit in range(10)},
}  # fmt: skip
_SHIFTED = dict(zip("`1234567890-=[]\\;',./", '~!@#$%^&*()_+{}|:"<>?', strict=True))
"""On a US keyboard, which agents assume when they press Shift with another key."""


def plain(name: str) -> str:
    """Return one name for keys that do the same."""
    return _SAME.get(name, name)


def character(name: str, *, shift: bool) -> str | None:
    """Return what a key types, None when it types nothing."""
    typed = name if len(name) == 1 else _CHARACTERS.get(name)
    return shifted(typed) if typed and shift else typed


def shifted(text: str) -> str:
    """Return the text that results from typing with Shift held."""
    return "".join(_SHIFTED.get(char, char.upper()) for char in text)
