"""How a table of scores is to be read: all choices that change a number, so that they can be printed beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from trueline.errors import RequestError
from trueline.stats.comparisons.mcnemar import McNemarMethod
from trueline.text import printable

MissingPolicy = Literal["bounds", "exclude", "fail"]
Inference = Literal["population", "suite"]


@dataclass(frozen=True, slots=True)
class AnalysisChoices:
    """The declared choices of an analysis.

    Raises:
        RequestError: A choice has a value that it cannot have; the message names it.
    """

    threshold: float = 1.0
    """The lowest score that is a success."""
    missing: MissingPolicy = "bounds"
    """`bounds`: rates over tasks whose runs all have a score, conclusions must hold at both ends of what is missing;
    `exclude`: the same rates, no such demand; `fail`: a missing trial is a failure."""
    inference: Inference = "population"
    """`population`: the tasks stand for others like them; `suite`: only these tasks, only the noise of the runs."""
    mcnemar: McNemarMethod = "exact"
    level: float = 0.95
    margin: float | None = None
    """Margin of the non-inferiority test: the largest loss that still counts as none."""
    generalise_goals: bool = False
    """In attack success, whether the goals of injections stand for others like them, as the tasks do."""
    worst_of: int | None = None
    """How many vectors were declared, the strongest of which is reported."""
    tries: int | None = None
    """How many tries an attacker has at each cell."""
    seed: int = 0
    """Seed of all random choices."""

    def __post_init__(self) -> None:
        """Check every value."""
        if not 0 < self.threshold <= 1:
            raise RequestError(f"`threshold` {self.threshold}: must be above 0 and at most 1")
        if not 0 < self.level < 1:
            raise RequestError(f"`level` {self.level}: must be between 0 and 1")
        if self.margin is not None and not 0 <= self.margin <= 1:
            raise RequestError(f"`margin` {self.margin}: must be from 0 to 1, such as 0.03 for three points")
        for name, number in (("worst_of", self.worst_of), ("tries", self.tries)):
            if number is not None and number < 1:
                raise RequestError(f"`{name}` {number}: must be at least 1")
        if self.seed < 0:
            raise RequestError(f"`seed` {self.seed}: must be a non-negative integer")
        check_choice("missing", self.missing, get_args(MissingPolicy))
        check_choice("inference", self.inference, get_args(Inference))
        check_choice("mcnemar", self.mcnemar, get_args(McNemarMethod))


def check_choice(name: str, value: str, choices: tuple[str, ...]) -> None:
    """Refuse a value that is not one of these.

    Raises:
        RequestError: Names the argument and the choices.
    """
    if value not in choices:
        raise RequestError(f"`{name}` {printable(str(value), 80)!r}: choose one of {', '.join(choices)}")
