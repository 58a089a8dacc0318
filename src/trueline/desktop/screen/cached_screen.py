"""The screen as it was last seen: what has not changed since is neither copied nor converted again."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from trueline.desktop.screen.frame import Frame
from trueline.desktop.screen.framebuffer import TRIES, Framebuffer
from trueline.desktop.screen.png import PngWriter

T = TypeVar("T")
Turns = Callable[[], object]
"""A value that changes whenever the X server has run; `None` if it is running now, or that is unknown."""


class CachedScreen:
    """One reader's view of a framebuffer; for one thread at a time."""

    def __init__(self, screen: Framebuffer, turns: Turns = lambda: None) -> None:
        """Read nothing yet."""
        self._screen = screen
        self._turns = turns
        self._rows = screen.rows()
        self._writer = PngWriter()
        self._png: bytes | None = None
        self._changed: set[range] = set()
        """Rows in which the view differs from the last picture."""

    def read(self) -> Frame:
        """Read the screen again and again until it is whole; one that never rests is given as torn.

        Raises:
            ScreenError: The file was cut or closed.
        """
        return self.look(lambda: None, TRIES)[0]

    def look(self, ask: Callable[[], T], tries: int) -> tuple[Frame, T]:
        """The screen, and what is asked, of one moment: while the screen changes both are taken again.

        They are of one moment when the X server slept from before the screen was read until the answer was there, or
        when two readings agree, one before and one after.

        Raises:
            ScreenError: The file was cut or closed.
        """
        since = self._turns()
        self._refresh()
        while True:
            found = ask()
            tries -= 1
            now = self._turns()
            torn = (now is None or now != since) and self._refresh()
            if not torn or tries <= 0:
                return self._frame(torn=torn), found
            since = now

    def png(self) -> bytes:
        """What was last seen, as a PNG."""
        if self._png is None or self._changed:
            changed = None if self._png is None else self._changed
            self._png = self._writer.write(self._frame(torn=False).pixels, changed)
            self._changed = set()
        return self._png

    def _refresh(self) -> bool:
        """Read the screen once; says whether it was not what the view held."""
        changed = self._screen.refresh(self._rows)
        self._changed.update(changed)
        return bool(changed)

    def _frame(self, *, torn: bool) -> Frame:
        return self._screen.frame(self._rows, torn=torn)
