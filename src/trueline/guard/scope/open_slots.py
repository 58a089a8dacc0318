"""Values that only data can tell: which words leave them open, and what a person agreed to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from trueline.guard.policy.folding import key
from trueline.guard.scope.types import (
    OPEN_SLOT,
    Grant,
    PathGrant,
    PlacedEffect,
    RecipientGrant,
    Scope,
    SiteGrant,
    Slot,
    SlotAnswer,
)
from trueline.records.verdict import Evidence

OPEN: dict[Slot, str] = {
    "recipient": "the instruction leaves open who receives it",
    "site": "the instruction leaves open which site it goes to",
    "path": "the instruction leaves open where it is put",
}
"""Why a value for an open slot is unknown."""
_SITE = re.compile(
    r"\b(?:the|that|this|their|its|our|my|his|her)\s+(?:\w+\s+){0,2}"
    r"(?:websites?|web ?pages?|sites?|portals?|servers?|web ?forms?|forums?|platforms?|urls?|links?|endpoints?)\b"
)
_PATH = re.compile(
    r"\b(?:right|correct|appropriate|matching|proper|corresponding|suitable|respective)\s+"
    r"(?:folders?|director(?:y|ies)|places?|locations?|paths?)\b"
    r"|\bwhere (?:it|they|each|every \w+) belongs?\b"
    r"|\b(?:folders?|director(?:y|ies)|paths?|locations?|places?)\s+(?:\w+\s+){0,4}"
    r"(?:(?:named|given|mentioned|specified|listed|described|stated|requested) (?:in|by|on|there)"
    r"|says|tells|asks for)\b"
)


def site_left_open(instruction: str) -> str:
    """The words that speak of a site without naming it; empty where there are none."""
    found = _SITE.search(key(instruction))
    return found[0] if found else ""


def path_left_open(instruction: str) -> str:
    """The words that speak of a place for files that only data can tell; empty where there are none."""
    found = _PATH.search(key(instruction))
    return found[0] if found else ""


def is_open(scope: Scope, slot: Slot) -> bool:
    """Whether a Scope leaves this open."""
    return any(one.slot == slot for one in scope.open_slots)


def open_values(placed: Iterable[PlacedEffect]) -> tuple[SlotAnswer, ...]:
    """Values that fill open slots and that nobody has agreed to yet."""
    slots: dict[str, Slot] = {why: slot for slot, why in OPEN.items()}
    named = (item for item in placed if item.place == "unknown" and item.effect.resource and item.why in slots)
    return tuple(dict.fromkeys(SlotAnswer(slots[item.why], item.effect.resource) for item in named))


def as_evidence(values: Iterable[SlotAnswer]) -> tuple[Evidence, ...]:
    """The values as evidence, from which `answers_in` reads them again."""
    return tuple(Evidence(source=f"{OPEN_SLOT}{slot}", text=value) for slot, value in values)


def answers_in(evidence: Iterable[Evidence]) -> tuple[SlotAnswer, ...]:
    """The values that a person who let a proposal pass has agreed to."""
    return tuple(
        SlotAnswer(slot, item.text) for item in evidence for slot in OPEN if item.source == f"{OPEN_SLOT}{slot}"
    )


def with_answers(scope: Scope, answers: Iterable[SlotAnswer]) -> Scope:
    """The Scope after a person answered: these slots are no longer open."""
    answers = tuple(answers)
    grants = [grant for answer in answers for grant in _grants(answer)]
    answered = {answer.slot for answer in answers}
    return scope.model_copy(
        update={
            "recipients": (*scope.recipients, *(grant for grant in grants if isinstance(grant, RecipientGrant))),
            "sites": (*scope.sites, *(grant for grant in grants if isinstance(grant, SiteGrant))),
            "paths": (*scope.paths, *(grant for grant in grants if isinstance(grant, PathGrant))),
            "open_slots": tuple(slot for slot in scope.open_slots if slot.slot not in answered),
        }
    )


def _grants(answer: SlotAnswer) -> Iterator[Grant]:
    because = "a person agreed"
    match answer.slot:
        case "recipient":
            yield RecipientGrant(recipient=answer.value, because=because, source="answer")
        case "site":
            yield SiteGrant(site=answer.value, because=because, source="answer")
        case "path":
            path = answer.value.rstrip("/")
            for each in (path, f"{path}/**"):
                yield PathGrant(path=each, access=("read", "write"), because=because, source="answer")
