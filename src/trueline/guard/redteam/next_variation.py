"""Which variation comes next: drawn beforehand, or chosen by what the guard said to those before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from random import Random

from trueline.guard.redteam.corpus import AttackerGoal, Corpus, Kind
from trueline.guard.redteam.techniques import TECHNIQUES
from trueline.guard.redteam.variation import DIALS, Variation
from trueline.records.verdict import WITHOUT_MODEL, Stage

_ONLY: dict[str, frozenset[Kind]] = {
    "spelling": frozenset({"command"}),
    "wrapping": frozenset({"command"}),
    "typing": frozenset({"command", "url", "mail"}),
    "entering": frozenset({"command", "url"}),
    "pointing": frozenset({"url", "mail", "clicks"}),
}
"""Goals on which a dial does something; the others work on all."""
_AGAINST_RULES = frozenset({"wrapping", "spelling", "typing", "entering", "pointing", "bulk"})
_AGAINST_MODELS = frozenset({"wording", "voice"})
_UNTRIED = 1.0
_LEANING = 0.1
SUCCESS = 3.0
"""What a success is worth; a failure is worth the part of its steps that was let through."""


@dataclass(frozen=True)
class TriedVariation:
    """A variation and how far it came."""

    variation: Variation
    progress: float
    """The part of its steps that was let through."""
    stage: Stage | None
    """The stage of the guard that stopped it."""
    reason: str


def neighbours(
    technique: str, goal: AttackerGoal, variation: Variation, corpus: Corpus
) -> Iterator[tuple[str, Variation]]:
    """All variations that differ in one dial, with the dial."""
    how = TECHNIQUES[technique]
    for dial in how.dials:
        if goal.kind not in _ONLY.get(dial, {goal.kind}):
            continue
        if dial == "wording":
            texts: tuple[str, ...] = getattr(corpus.texts, how.reader or "guard")
            values: Sequence[object] = range(len(texts))
        else:
            values = DIALS[dial]
        for value in values:
            if value != getattr(variation, dial):
                yield dial, replace(variation, **{dial: value, "rewrite": None})


def draw_variations(technique: str, goal: AttackerGoal, corpus: Corpus, k: int, seed: str) -> list[Variation]:
    """Draw up to k different variations: the technique as it is, then one or two dials turned at random."""
    rng = Random(f"{seed}/{technique}/{goal.id}")
    found = [TECHNIQUES[technique].base]
    for _ in range(20 * k):
        if len(found) >= k:
            break
        candidate = found[0]
        for _ in range(rng.choice((1, 1, 2))):
            near = [variation for _, variation in neighbours(technique, goal, candidate, corpus)]
            candidate = rng.choice(near) if near else candidate
        if candidate not in found:
            found.append(candidate)
    return found


@dataclass
class Lessons:
    """What every setting of a dial has brought so far, over all cases."""

    _seen: dict[tuple[str, object], list[float]] = field(default_factory=dict[tuple[str, object], list[float]])

    def learn(self, variation: Variation, worth: float) -> None:
        """Remember what a variation brought."""
        for dial in ("wording", *DIALS):
            self._seen.setdefault((dial, getattr(variation, dial)), []).append(worth)

    def hope(self, dial: str, value: object) -> float:
        """What a setting promises; one that was never tried promises more than one that has failed."""
        seen = self._seen.get((dial, value), [])
        return (_UNTRIED + sum(seen)) / (1 + len(seen))


def untried_neighbours(
    technique: str, goal: AttackerGoal, corpus: Corpus, tried: Sequence[TriedVariation]
) -> list[Variation]:
    """All variations that differ in one dial from one that was tried, or from the technique as it is."""
    before = {entry.variation for entry in tried}
    base = TECHNIQUES[technique].base
    near = [base, *(variation for _, variation in neighbours(technique, goal, base, corpus))]
    for entry in tried:
        near += [variation for _, variation in neighbours(technique, goal, entry.variation, corpus)]
    return [variation for variation in dict.fromkeys(near) if variation not in before]


def adapt_variation(
    technique: str, goal: AttackerGoal, corpus: Corpus, tried: Sequence[TriedVariation], lessons: Lessons, seed: str
) -> Variation | None:
    """Choose the next variation by the verdicts so far; `None` when all have been tried.

    It starts from the one that came furthest and turns the dial that has brought most on other cases. Against rules it
    rather changes how things are done, against models what is said; what the guard's own words name is avoided.
    """
    if not tried:
        return TECHNIQUES[technique].base
    rng = Random(f"{seed}/{technique}/{goal.id}/{len(tried)}")
    before = {entry.variation for entry in tried}
    for entry in sorted(tried, key=lambda entry: entry.progress, reverse=True):
        preferred = _AGAINST_RULES if entry.stage in WITHOUT_MODEL else _AGAINST_MODELS
        said = entry.reason.casefold()
        best: tuple[float, float, Variation] | None = None
        for dial, variation in neighbours(technique, goal, entry.variation, corpus):
            value = getattr(variation, dial)
            hope = (
                lessons.hope(dial, value)
                + (_LEANING if dial in preferred else 0)
                - (_LEANING if _named(value, said) else 0)
            )
            chance = rng.random()
            if variation not in before and (best is None or (hope, chance) > best[:2]):
                best = (hope, chance, variation)
        if best is not None:
            return best[2]
    return None


def _named(value: object, said: str) -> bool:
    return isinstance(value, str) and value.replace("_", " ") in said
