"""Which key makes which symbol, and how keys without a use are lent to characters that have no key.

An X keyboard has about twenty keys with nothing on them. A text with more strange characters than that is typed in
batches; a lent key is given another symbol, never none: applications lose a character when a key is cleared.
Standard library only: the action worker uses it inside the sandbox.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from trueline.desktop.input.keysyms import UnknownKeyError, is_borrowed


class Stroke(NamedTuple):
    """The key to press for a symbol, and whether with Shift."""

    code: int
    shift: bool


class KeyBatch(NamedTuple):
    """Keys to lend, then keys to press."""

    lent: tuple[tuple[int, int], ...]
    """Key code and the symbol it gets."""
    takes_back: bool
    """A lent key had another symbol, which an application may still have to read."""
    strokes: tuple[Stroke, ...]


class Keyboard:
    """The current key map. A symbol without a key is mapped to an unused key on demand."""

    def __init__(self, rows: Mapping[int, tuple[int, ...]]) -> None:
        """Take the symbols on each key, as the server gives them."""
        self._strokes: dict[int, Stroke] = {}
        self._lendable: dict[int, int] = {}
        """Code to the symbol mapped to it now (0 for none), least recently used first."""
        for code, symbols in rows.items():
            if not any(symbols):
                self._lendable[code] = 0
                continue
            if is_borrowed(symbols):
                self._lendable[code] = symbols[0]
            for symbol, shift in zip(symbols[:2], (False, True), strict=False):
                known = self._strokes.get(symbol)
                if symbol and (known is None or (known.shift and not shift)):
                    self._strokes[symbol] = Stroke(code, shift)

    def batches(self, symbols: Sequence[int]) -> Iterator[KeyBatch]:
        """How to make these symbols, in order. Each batch must be carried out before the next is asked for."""
        done = 0
        while done < len(symbols):
            in_use: set[int] = set()
            lent: list[tuple[int, int]] = []
            strokes: list[Stroke] = []
            takes_back = False
            for symbol in symbols[done:]:
                stroke = self._strokes.get(symbol)
                if stroke is None:
                    code = next((code for code in self._lendable if code not in in_use), None)
                    if code is None:
                        break
                    takes_back |= self._forget(code)
                    stroke = self._strokes[symbol] = Stroke(code, shift=False)
                    lent.append((code, symbol))
                if stroke.code in self._lendable:
                    in_use.add(stroke.code)
                    del self._lendable[stroke.code]
                    self._lendable[stroke.code] = symbol
                strokes.append(stroke)
            if not strokes:
                raise UnknownKeyError("the keyboard has no free key to lend to a character")
            done += len(strokes)
            yield KeyBatch(tuple(lent), takes_back, tuple(strokes))

    def _forget(self, code: int) -> bool:
        old = self._lendable[code]
        if old and self._strokes.get(old) == Stroke(code, shift=False):
            del self._strokes[old]
        return old != 0
