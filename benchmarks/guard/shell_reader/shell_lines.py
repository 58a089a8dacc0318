"""Shell lines made from a grammar: every construct that runs something, around programs that only log that they ran.

A line is valid bash, ends soon, and writes only into its own folder. The same seed gives the same line.
"""

from __future__ import annotations

import random

from constructs import STATEMENTS, WORDS
from line_maker import MARKERS, LineMaker

_PIECES = (
    "'", '"', "`", "$", "\\", "(", ")", "{", "}", "<", ">", "|", "&", ";", "#", "\n", " ", "$(", "${", "((", "))",
    "<<E\n", "<(", "$'", '$"', "\\\n", "\\'", '\\"', "=", "[", "]", "[[ ", " ]]", ";;", "!", "*", "~", "\t", "\r",
    "esac ", "case x in ", "; fi ", "\nE\n", "=(", "@(", "<<<", "<<-", "&&", "||", "|&", "&>", ">(", "$((", "coproc ",
    "time ", "function f ", "() ", "in ", "do ",
)  # fmt: skip
__all__ = ["MARKERS", "make_broken_line", "make_line"]


def make_line(seed: int) -> str:
    """Return one line, or several lines that belong together."""
    maker = LineMaker(random.Random(seed), STATEMENTS, WORDS)
    parts = [maker.statement(0) for _ in range(maker.random.choice((1, 1, 2, 3)))]
    line = parts[0]
    for part in parts[1:]:
        between = ("\n", "\n", "\n\n", "\n# it's a comment (\n", *(() if "\n" in line else (" && ", " || ")))
        line += maker.random.choice(between) + part
    return line + maker.random.choice(("", "", "\n", "\n# and 'this"))


def make_broken_line(seed: int) -> str:
    """Return a line with a few characters put in, taken out or exchanged: often wrong, or another command."""
    chance = random.Random(f"broken {seed}")
    line = make_line(seed)
    for _ in range(chance.choice((1, 1, 2, 3))):
        at = chance.randrange(len(line) + 1)
        match chance.randrange(4):
            case 0:
                line = line[:at] + line[at + 1 :]
            case 1:
                line = line[:at] + chance.choice(_PIECES) + line[at:]
            case 2:
                line = line[:at] + chance.choice(_PIECES) + line[at + 1 :]
            case _:
                end = at + chance.randrange(12)
                line = line[:at] + line[end:] if chance.random() < 0.5 else line[:end] + line[at:end] + line[end:]
    return line
