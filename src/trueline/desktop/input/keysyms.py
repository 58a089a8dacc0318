"""The symbols X has for keys and characters. Standard library only: the action worker uses it inside the sandbox."""

from __future__ import annotations

SHIFT = 0xFFE1
RETURN, TAB, BACKSPACE = 0xFF0D, 0xFF09, 0xFF08
ENTERS = frozenset({RETURN})
"""What ends a line."""
_UNICODE = 0x01000000
_XF86 = 0x1008FF00

_CONTROLS = {"\n": RETURN, "\r": RETURN, "\t": TAB, "\b": BACKSPACE}

_NAMES: dict[str, int] = {
    "enter": RETURN, "return": RETURN, "tab": TAB, "backspace": BACKSPACE, "space": 0x20,
    "esc": 0xFF1B, "escape": 0xFF1B, "delete": 0xFFFF, "del": 0xFFFF, "insert": 0xFF63, "clear": 0xFF0B,
    "home": 0xFF50, "left": 0xFF51, "up": 0xFF52, "right": 0xFF53, "down": 0xFF54, "end": 0xFF57,
    "pageup": 0xFF55, "pgup": 0xFF55, "pagedown": 0xFF56, "pgdn": 0xFF56,
    "shift": SHIFT, "shiftleft": SHIFT, "shiftright": 0xFFE2,
    "ctrl": 0xFFE3, "control": 0xFFE3, "ctrlleft": 0xFFE3, "ctrlright": 0xFFE4,
    "alt": 0xFFE9, "altleft": 0xFFE9, "option": 0xFFE9, "optionleft": 0xFFE9, "altright": 0xFFEA, "optionright": 0xFFEA,
    "win": 0xFFEB, "winleft": 0xFFEB, "super": 0xFFEB, "command": 0xFFEB, "cmd": 0xFFEB, "winright": 0xFFEC,
    "apps": 0xFF67, "menu": 0xFF67,
    "capslock": 0xFFE5, "numlock": 0xFF7F, "scrolllock": 0xFF14, "pause": 0xFF13,
    "print": 0xFF61, "printscreen": 0xFF61, "prtsc": 0xFF61, "prtscr": 0xFF61, "prntscrn": 0xFF61,
    "select": 0xFF60, "execute": 0xFF62, "help": 0xFF6A, "modechange": 0xFF7E,
    "multiply": 0xFFAA, "add": 0xFFAB, "separator": 0xFFAC, "subtract": 0xFFAD, "decimal": 0xFFAE, "divide": 0xFFAF,
    "kanji": 0xFF21, "nonconvert": 0xFF22, "convert": 0xFF23, "kana": 0xFF2D,
    "hangul": 0xFF31, "hanguel": 0xFF31, "hanja": 0xFF34, "junja": 0xFF38, "yen": 0xA5,
    "volumedown": _XF86 + 0x11, "volumemute": _XF86 + 0x12, "volumeup": _XF86 + 0x13, "playpause": _XF86 + 0x14,
    "stop": _XF86 + 0x15, "prevtrack": _XF86 + 0x16, "nexttrack": _XF86 + 0x17, "browserhome": _XF86 + 0x18,
    "launchmail": _XF86 + 0x19, "browsersearch": _XF86 + 0x1B, "browserback": _XF86 + 0x26,
    "browserforward": _XF86 + 0x27, "browserstop": _XF86 + 0x28, "browserrefresh": _XF86 + 0x29,
    "sleep": _XF86 + 0x2F, "browserfavorites": _XF86 + 0x30, "launchmediaselect": _XF86 + 0x32,
    "launchapp1": _XF86 + 0x40, "launchapp2": _XF86 + 0x41,
    **{f"f{n}": 0xFFBD + n for n in range(1, 25)},
    **{f"num{n}": 0xFFB0 + n for n in range(10)},
}  # fmt: skip
"""pyautogui's names, any case, and the few others that everybody uses."""

NAMES = frozenset(_NAMES)


class UnknownKeyError(ValueError):
    """There is no such key, or no way to type such a character."""


def character_symbol(char: str) -> int:
    """The symbol of one character. Raises UnknownKeyError for a control character that no key makes."""
    if char in _CONTROLS:
        return _CONTROLS[char]
    point = ord(char)
    if 0x20 <= point <= 0x7E or 0xA0 <= point <= 0xFF:
        return point
    if point < 0xA0 or 0xD800 <= point <= 0xDFFF:
        raise UnknownKeyError(f"the character {char!r} cannot be typed")
    return _UNICODE + point


def key_symbol(name: str) -> int:
    """The symbol of a key by pyautogui's name, or of the one character that it is."""
    if len(name) == 1:
        return character_symbol(name)
    symbol = _NAMES.get(name.lower())
    if symbol is None:
        raise UnknownKeyError(f"there is no key named {name!r}")
    return symbol


def typed_text(text: str) -> str:
    """A text as it is typed, one key for each character: every kind of newline is one Enter."""
    return text.replace("\r\n", "\n")


def text_symbols(text: str) -> list[int]:
    """The symbols to type a text."""
    return [character_symbol(char) for char in typed_text(text)]


def is_borrowed(symbols: tuple[int, ...]) -> bool:
    """Whether a key looks like one that was lent to a character by us: that character with and without Shift."""
    if len(symbols) < 2 or symbols[0] != symbols[1]:
        return False
    return 0x21 <= symbols[0] <= 0xFF or _UNICODE < symbols[0] <= _UNICODE + 0x10FFFF
