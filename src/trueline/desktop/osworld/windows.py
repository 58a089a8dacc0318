"""The windows of a machine that is not ours, as `wmctrl` and `xprop` tell of them."""

from __future__ import annotations

import re
from dataclasses import replace

from trueline.desktop.types import Window

LIST = ["sh", "-c", "wmctrl -lpGx && xprop -root -notype _NET_CLIENT_LIST_STACKING _NET_ACTIVE_WINDOW"]
_LINE = re.compile(r"(0x[0-9a-f]+) +(-?\d+) +(\d+) +(-?\d+) +(-?\d+) +(\d+) +(\d+) +(\S+) +(\S+) ?(.*)")
_NUMBER = re.compile(r"0x[0-9a-f]{1,8}\b")


def parse_windows(text: str) -> tuple[Window, ...]:
    """Read them, the lowest first; what `wmctrl` lists but nobody stacks comes first."""
    order: list[int] = []
    active = 0
    found: list[Window] = []
    for line in text.splitlines():
        if line.startswith("_NET_"):
            numbers = [int(number, 16) for number in _NUMBER.findall(line)]
            if line.startswith("_NET_ACTIVE_WINDOW"):
                active = numbers[0] if numbers else 0
            else:
                order = numbers
        elif match := _LINE.fullmatch(line):
            number, _, pid, x, y, width, height, name, _, title = match.groups()
            app = name.rpartition(".")[2].lower()
            place = (int(x), int(y), int(width), int(height))
            found.append(Window(int(number, 16), title, app, int(pid) or None, *place))
    found = [replace(window, active=window.id == active) for window in found]
    return tuple(sorted(found, key=lambda window: order.index(window.id) if window.id in order else -1))
