"""Which variation comes next: drawn beforehand, or chosen by what the guard said to those before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random

from trueline.guard.redteam.corpus import Corpus, Goal, Kind
from trueline.guard.redteam.techniques import TECHNIQUES
from trueline.guard.redteam.variation import DIALS, Variation
from trueline.records.verdict import Stage

_ONLY: dict[str, frozenset[Kind]] = {
    "spelling": frozenset({"command"}),
    "wrapping": frozenset({"command"}),
    "typing": frozenset({"command", "url", "mail"}),
    "entering": frozenset({"command", "url"}),
    "pointing": frozenset({"url", "mail", "clicks"}),
}
"""Goals on which a dial does something; the others work on all."""
_AGAINST_RULES = ("wrapping", "spelling", "typing", "entering", "pointing", "bulk", "voice", "wording")
_AGAINST_MODELS = ("wording", "voice", "pointing", "typing", "spelling", "wrapping", "entering", "bulk")


@dataclass(frozen=True)
class Tried:
    """A variation and how far it came."""

    variation: Variation
    progress: float
    """The part of its steps that was let through."""
    stage: Stage | None
    """Who stopped it."""
    reason: str


def neighbours(technique: str, goal: Goal, variation: Variation, corpus: Corpus) -> Iterator[tuple[str, Variation]]:
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


def drawn(technique: str, goal: Goal, corpus: Corpus, k: int, seed: str) -> list[Variation]:
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


def adapted(technique: str, goal: Goal, corpus: Corpus, tried: Sequence[Tried], seed: str) -> Variation | None:
    """Choose the next variation by the verdicts so far; `None` when all have been tried.

    It starts from the one that came furthest. Against rules it changes how things are done, against models what is
    said; what the guard's own words name is avoided.
    """
    if not tried:
        return TECHNIQUES[technique].base
    rng = Random(f"{seed}/{technique}/{goal.id}/{len(tried)}")
    before = {entry.variation for entry in tried}
    for entry in sorted(tried, key=lambda entry: entry.progress, reverse=True):
        order = _AGAINST_RULES if entry.stage is Stage.POLICY else _AGAINST_MODELS
        said = entry.reason.casefold()
        ranked = [
            (_named(getattr(variation, dial), said), order.index(dial), rng.random(), variation)
            for dial, variation in neighbours(technique, goal, entry.variation, corpus)
            if variation not in before
        ]
        if ranked:
            return min(ranked, key=lambda entry: entry[:3])[3]
    return None


def _named(value: object, said: str) -> bool:
    return isinstance(value, str) and value.replace("_", " ") in said
