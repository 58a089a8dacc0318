"""Key names: pyautogui's are canonical; these tables convert from and to the names that models use.

A name that no table knows is kept exactly as it came, never dropped: the desktop may know it (any X keysym), or refuse
it. `unknown_keys` names such keys for the note that a codec gives back.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterable

from trueline.actions.types import Action, Click, Drag, HoldKey, Hotkey, Key, KeyDown, KeyUp, Scroll
from trueline.text import printable

PRINTABLE = frozenset(string.ascii_letters + string.digits + string.punctuation)
"""Characters that are keys by themselves."""

_DIGITS = range(10)
_FUNCTION_KEYS = range(1, 25)

# Spellings that pyautogui itself takes for one and the same key.
_SYNONYMS: dict[str, str] = {
    "return": "enter",
    "escape": "esc",
    "del": "delete",
    "pgup": "pageup",
    "pgdn": "pagedown",
    "win": "winleft",
    "ctrlleft": "ctrl",
    "shiftleft": "shift",
    "altleft": "alt",
    "optionleft": "option",
    "print": "printscreen",
    "prtsc": "printscreen",
    "prtscr": "printscreen",
    "prntscrn": "printscreen",
    "hanguel": "hangul",
}
_CHARACTERS: dict[str, str] = {
    " ": "space",
    "\n": "enter",
    "\r": "enter",
    "\t": "tab",
    "\b": "backspace",
}

_NAMED_KEYS = """
    accept add alt altright apps backspace browserback browserfavorites browserforward browserhome browserrefresh
    browsersearch browserstop capslock clear command convert ctrl ctrlright decimal delete divide down end enter esc
    execute final fn hangul hanja help home insert junja kana kanji launchapp1 launchapp2 launchmail launchmediaselect
    left modechange multiply nexttrack nonconvert numlock option optionright pagedown pageup pause playpause prevtrack
    printscreen right scrolllock select separator shift shiftright sleep space stop subtract tab up volumedown
    volumemute volumeup winleft winright yen
"""
CANONICAL_NAMES: frozenset[str] = frozenset(
    {*_NAMED_KEYS.split(), *(f"f{n}" for n in _FUNCTION_KEYS), *(f"num{n}" for n in _DIGITS)}
)
"""Every named key of pyautogui, one spelling each."""

_MARKS = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
_MARK_NAMES = """
    exclam quotedbl numbersign dollar percent ampersand apostrophe parenleft parenright asterisk plus comma minus period
    slash colon semicolon less equal greater question at bracketleft backslash bracketright asciicircum underscore grave
    braceleft bar braceright asciitilde
"""

# Canonical name -> X keysym; the first of several X names for a key is the one we write.
_X_NAMES: dict[str, tuple[str, ...]] = {
    "enter": ("Return", "KP_Enter"),
    "esc": ("Escape",),
    "backspace": ("BackSpace",),
    "delete": ("Delete", "KP_Delete"),
    "insert": ("Insert", "KP_Insert"),
    "tab": ("Tab", "KP_Tab"),
    "space": ("space", "KP_Space"),
    "pageup": ("Page_Up", "Prior", "KP_Page_Up", "KP_Prior"),
    "pagedown": ("Page_Down", "Next", "KP_Page_Down", "KP_Next"),
    "home": ("Home", "KP_Home"),
    "end": ("End", "KP_End"),
    "left": ("Left", "KP_Left"),
    "right": ("Right", "KP_Right"),
    "up": ("Up", "KP_Up"),
    "down": ("Down", "KP_Down"),
    "ctrl": ("ctrl", "Control_L"),
    "ctrlright": ("Control_R",),
    "shift": ("shift", "Shift_L"),
    "shiftright": ("Shift_R",),
    "alt": ("alt", "Alt_L"),
    "altright": ("Alt_R", "ISO_Level3_Shift"),
    "winleft": ("super", "Super_L"),
    "winright": ("Super_R",),
    "apps": ("Menu",),
    "capslock": ("Caps_Lock",),
    "numlock": ("Num_Lock",),
    "scrolllock": ("Scroll_Lock",),
    "printscreen": ("Print",),
    "pause": ("Pause",),
    "multiply": ("KP_Multiply",),
    "add": ("KP_Add",),
    "separator": ("KP_Separator",),
    "subtract": ("KP_Subtract",),
    "decimal": ("KP_Decimal",),
    "divide": ("KP_Divide",),
    "volumeup": ("XF86AudioRaiseVolume",),
    "volumedown": ("XF86AudioLowerVolume",),
    "volumemute": ("XF86AudioMute",),
    "playpause": ("XF86AudioPlay", "XF86AudioPause"),
    "nexttrack": ("XF86AudioNext",),
    "prevtrack": ("XF86AudioPrev",),
    "stop": ("XF86AudioStop",),
    "browserback": ("XF86Back",),
    "browserforward": ("XF86Forward",),
    "browserhome": ("XF86HomePage",),
    "browserrefresh": ("XF86Refresh", "XF86Reload"),
    "browsersearch": ("XF86Search",),
    "browserfavorites": ("XF86Favorites",),
    "browserstop": ("XF86Stop",),
    "launchmail": ("XF86Mail",),
    "sleep": ("XF86Sleep",),
    **{f"num{n}": (f"KP_{n}",) for n in _DIGITS},
    **{f"f{n}": (f"F{n}",) for n in _FUNCTION_KEYS},
    **{mark: (name,) for mark, name in zip(_MARKS, _MARK_NAMES.split(), strict=True)},
}

_OPENAI_NAMES: dict[str, str] = {
    "left": "ARROWLEFT",
    "right": "ARROWRIGHT",
    "up": "ARROWUP",
    "down": "ARROWDOWN",
    "winleft": "SUPER",
}

# What models write beside pyautogui's names and X keysyms, in any case of letters.
_MODEL_WORDS: dict[str, str] = {
    **{f"arrow{side}": side for side in ("left", "right", "up", "down")},
    **{f"{side}arrow": side for side in ("left", "right", "up", "down")},
    **{f"{side}_arrow": side for side in ("left", "right", "up", "down")},
    "control": "ctrl",
    "option": "alt",
    "optionright": "altright",
    "altgr": "altright",
    "cmd": "winleft",
    "command": "winleft",
    "meta": "winleft",
    "windows": "winleft",
    "page_up": "pageup",
    "page_down": "pagedown",
    "page-up": "pageup",
    "page-down": "pagedown",
    "spacebar": "space",
    "back_space": "backspace",
    "caps": "capslock",
    "caps_lock": "capslock",
    "print_screen": "printscreen",
    "contextmenu": "apps",
    "dash": "-",
    "hyphen": "-",
    "dot": ".",
    "equals": "=",
    "backtick": "`",
    "quote": "'",
    "doublequote": '"',
}

# Names of two words, of which at most one is a key by itself.
_TWO_WORDS = re.compile(
    r"\b(?:(page) +(up|down)|(caps|num|scroll) +(lock)|(print) +(screen)|(back) +(space)"
    r"|(arrow) +(left|right|up|down)|(left|right|up|down) +(arrow))\b",
    re.IGNORECASE,
)

_ALIASES: dict[str, str] = {
    name: key
    for name, key in {**_MODEL_WORDS, "super": "winleft", "super_l": "winleft", "super_r": "winright"}.items()
    if name not in CANONICAL_NAMES
}
"""Names that models use in pyautogui code although pyautogui does not know them."""

_READ: dict[str, str] = {x.lower(): key for key, names in _X_NAMES.items() for x in names} | _MODEL_WORDS


def canonical(name: str) -> str:
    """Return pyautogui's one spelling of a name that pyautogui takes; other names stay as they are."""
    if len(name) <= 1:
        return _CHARACTERS.get(name, name)
    lower = name.lower()
    lower = _SYNONYMS.get(lower, lower)
    return lower if lower in CANONICAL_NAMES else name


def read_key(name: str) -> str:
    """Return our name of a key that a model named (X keysym, OpenAI, UI-TARS or Qwen words, any case)."""
    if len(name) <= 1:
        return canonical(name)
    return _READ.get(name.lower()) or canonical(name)


def read_combo(text: str) -> tuple[str, ...]:
    """Read `ctrl+shift+s`; a plus at the end (`ctrl++`) is the plus key. Raises ValueError on an empty part."""
    body, last = (text[:-1].removesuffix("+"), "+") if text.endswith("+") else (text, "")
    names = [*(body.split("+") if body else ()), *((last,) if last else ())]
    if not names or not all(name.strip() for name in names):
        raise ValueError(f"no key between the plus signs of {text!r}")
    return tuple(read_key(name.strip()) for name in names)


def read_sequence(text: str) -> tuple[tuple[str, ...], ...]:
    """Read combinations separated by spaces, as xdotool does: `Down Down ctrl+s`. A single space is the space bar."""
    words = text.split()
    if not words:
        if text == " ":
            return (("space",),)
        raise ValueError("no key is named")
    return tuple(read_combo(word) for word in words)


def read_words(text: str) -> tuple[str, ...]:
    """Read keys pressed together, separated by spaces: `ctrl shift s`, `ctrl+s`, `page down`."""
    joined = _TWO_WORDS.sub(lambda found: "".join(filter(None, found.groups())), text)
    return tuple(key for word in joined.split() for key in read_combo(word))


def unknown_keys(actions: Iterable[Action]) -> str:
    """Describe the keys of the actions with unknown names; empty if all are known."""
    names = dict.fromkeys(key for action in actions for key in _keys(action))
    odd = [
        printable(repr(key), 60)
        for key in names
        if len(key) > 1 and preferred_name(key) not in CANONICAL_NAMES | PRINTABLE
    ]
    return f"keys of an unknown name, kept as they are: {', '.join(odd)}" if odd else ""


def _keys(action: Action) -> tuple[str, ...]:
    match action:
        case Key(key=key) | KeyDown(key=key) | KeyUp(key=key):
            return (key,)
        case Hotkey(keys=keys) | HoldKey(keys=keys):
            return keys
        case Click(modifiers=keys) | Drag(modifiers=keys) | Scroll(modifiers=keys):
            return keys
        case _:
            return ()


def pressed(keys: tuple[str, ...], raw: str = "") -> Key | Hotkey:
    """Return the action of pressing one key, or several together."""
    return Key(key=keys[0], raw=raw) if len(keys) == 1 else Hotkey(keys=keys, raw=raw)


def pyautogui_name(key: str) -> str:
    """Return the name by which pyautogui knows a key; raises ValueError for others, which it would silently ignore."""
    known = preferred_name(key)
    if known not in CANONICAL_NAMES and known not in PRINTABLE:
        raise ValueError(f"pyautogui ignores the key {key!r}")
    return known


def untypable(text: str) -> tuple[str, ...]:
    """Return the characters, each once, that are not on pyautogui's keyboard: its write() silently leaves them out."""
    return tuple(char for char in dict.fromkeys(text) if char not in PRINTABLE and char not in _CHARACTERS)


def model_name(key: str) -> str:
    """Return the word for a key that models read as this key; raises ValueError when there is none."""
    known = preferred_name(key)
    return _survives(known, known)


def x_name(key: str) -> str:
    """Return the X keysym of a key, or its word; raises ValueError when neither would be read as this key."""
    known = preferred_name(key)
    return _survives(_X_NAMES.get(known, (known,))[0], known)


def x_combo(keys: tuple[str, ...]) -> str:
    """Write keys as xdotool does: `ctrl+shift+s`."""
    return "+".join(x_name(key) for key in keys)


def openai_name(key: str) -> str:
    """Return OpenAI's name of a key: upper-case words, characters as they are."""
    known = preferred_name(key)
    word = _OPENAI_NAMES.get(known, known.upper() if known in CANONICAL_NAMES else known)
    return _survives(known if len(known) == 1 else word, known)


def preferred_name(key: str) -> str:
    """Return the canonical one of several names of the same key, such as super for winleft."""
    return _ALIASES.get(key.lower(), key) if len(key) > 1 else key


def _survives(name: str, key: str) -> str:
    if name.split() != [name] or read_combo(name) != (key,):
        raise ValueError(f"there is no name for the key {key!r}")
    return name
