"""How a table of scores is to be read: all choices that change a number, so that they can be printed beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from trueline.stats.mcnemar import McNemarMethod

MissingPolicy = Literal["bounds", "exclude", "fail"]
Inference = Literal["population", "suite"]


@dataclass(frozen=True, slots=True)
class Options:
    """The declared choices of an analysis."""

    threshold: float = 1.0
    """A score from here on is a success."""
    missing: MissingPolicy = "bounds"
    """`bounds`: rates over tasks whose runs all have a score, conclusions must hold at both ends of what is missing;
    `exclude`: the same rates, no such demand; `fail`: a missing trial is a failure."""
    inference: Inference = "population"
    """`population`: the tasks stand for others like them; `suite`: only these tasks, only the noise of runs."""
    mcnemar: McNemarMethod = "exact"
    level: float = 0.95
    margin: float | None = None
    """For non-inferiority: how much worse is still not worse."""
    generalise_goals: bool = False
    """For attack success: the goals of injections stand for others like them, as the tasks do."""
    seed: int = 0
    """Of random deals and draws."""
