"""The style of the marks of one call: random, so that nobody can draw the same marks on the screen beforehand."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Literal, NamedTuple

Shape = Literal["round", "square", "pointed"]
"""Shape of the two brackets above and below a point."""
SHAPES: tuple[Shape, ...] = ("round", "square", "pointed")


class Colour(NamedTuple):
    """A bright colour: black reads well on it, and it shows on dark and, edged in black, on light."""

    name: str
    rgb: tuple[int, int, int]


COLOURS = (
    Colour("yellow", (255, 221, 0)),
    Colour("cyan", (0, 225, 255)),
    Colour("lime", (120, 240, 40)),
    Colour("orange", (255, 150, 40)),
    Colour("pink", (255, 120, 200)),
    Colour("violet", (190, 150, 255)),
    Colour("red", (255, 105, 95)),
    Colour("mint", (120, 255, 200)),
)
# Without what is easily misread: 0 O Q D, 1 I L J, 2 Z, 5 S, 8 B, U V.
_LETTERS = "ACEFGHKMNPRTWXY34679"


@dataclass(frozen=True)
class Style:
    """The look of genuine marks."""

    code: str
    """Printed in each label."""
    shape: Shape
    colours: tuple[Colour, ...]

    def colour(self, gesture: int) -> Colour:
        """The colour of a gesture."""
        return self.colours[gesture % len(self.colours)]


def draw_style(seed: str) -> Style:
    """Choose a random style; the same seed gives the same one."""
    lots = random.Random(seed)
    code = "".join(lots.choices(_LETTERS, k=4))
    return Style(code, lots.choice(SHAPES), tuple(lots.sample(COLOURS, len(COLOURS))))
