"""Asks Cedar policies about the operations of a proposal.

A forbid matches an operation if one of its requests satisfies it. Permits cover an operation if each of its requests is
permitted. A policy that the engine cannot evaluate, because its result depends on what is not known here or because it
fails, is undecided: it neither forbids nor permits, and nothing that an undecided forbid is about is cleared.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from trueline.guard.policy.cedar.library import CedarAnswer, PolicySet, cedar_library
from trueline.guard.policy.cedar.literals import QUESTIONS
from trueline.guard.policy.cedar.policy_file import CedarPolicy
from trueline.guard.policy.cedar.request import NAMESPACE, OPERATIONS, CedarRequest, Data
from trueline.guard.policy.cedar.requests import Asking, requests_of
from trueline.guard.policy.episode_reading import EpisodeReading
from trueline.guard.policy.operations import Operation
from trueline.guard.policy.secrets import Marked
from trueline.guard.types import GuardContext

_FAILED = re.compile(r"error while evaluating policy `policy(\d+)`")
_UNKNOWN = re.compile(r'unknown\("((?:resource|context)\.\w+)"\)')
_EFFECT: dict[str, object] = {"type": f"{NAMESPACE}::Action", "id": "effect"}
_PRINCIPAL: dict[str, object] = {"type": f"{NAMESPACE}::Agent", "id": "agent"}


Requests = Sequence[Sequence[CedarRequest]]
"""The requests of each operation."""


class CedarMatch(NamedTuple):
    """A policy that is about an operation."""

    policy: CedarPolicy
    operation: Operation
    undecided: str = ""
    """What its result depends on, if that is not known; empty if the policy is satisfied."""


class CedarResult(NamedTuple):
    """The policies that one request satisfies, and those that could not be evaluated, by their place."""

    satisfied: frozenset[int]
    failed: Mapping[int, str]


@dataclass(frozen=True)
class CedarPolicies:
    """Policies in force, in the order of their files."""

    policies: tuple[CedarPolicy, ...] = ()

    @cached_property
    def forbids(self) -> tuple[CedarPolicy, ...]:
        """Those that forbid or suspect."""
        return tuple(policy for policy in self.policies if policy.effect != "allow")

    @cached_property
    def permits(self) -> tuple[CedarPolicy, ...]:
        """Those that permit."""
        return tuple(policy for policy in self.policies if policy.effect == "allow")

    # Forbids and permits are asked apart: the engine does not tell which permits hold where something is forbidden.
    @cached_property
    def _forbidding(self) -> PolicySet:
        return _parsed(self.forbids)

    @cached_property
    def _permitting(self) -> PolicySet:
        return _parsed(self.permits)

    @cached_property
    def attributes(self) -> frozenset[str]:
        """The attributes that they mention."""
        return frozenset(name for policy in self.policies for name in policy.attributes)

    @cached_property
    def questions(self) -> dict[str, frozenset[str]]:
        """The patterns that they ask `touches`, `covers` and `within` for."""
        return {
            name: frozenset(
                pattern for policy in self.policies for pattern in policy.questions.get(name, frozenset[str]())
            )
            for name in QUESTIONS
        }

    @cached_property
    def about_effects(self) -> bool:
        """Whether one can be about what operations bring about."""
        forbidding = any(not policy.actions or policy.actions - OPERATIONS for policy in self.forbids)
        return forbidding or "effects" in self.attributes

    def match(
        self,
        context: GuardContext,
        reading: EpisodeReading,
        words: Mapping[str, tuple[str, ...]],
        marked: tuple[Marked, ...],
    ) -> tuple[CedarMatch, ...]:
        """Return the policies that are about an operation of the proposal."""
        if not self.policies or not reading.operations:
            return ()
        asking = Asking(context, reading, words, marked, self.attributes, self.questions, self.about_effects)
        requests = requests_of(asking)
        found = self._forbidden(requests, reading.operations) if self.forbids else []
        return (*found, *(self._permitted(requests, reading.operations) if self.permits else ()))

    def ask_forbids(self, requests: Requests) -> list[list[CedarResult]]:
        """Return what the forbids answer to the requests of each operation."""
        return _ask(requests, self._forbidding, len(self.forbids))

    def _forbidden(self, requests: Requests, operations: Sequence[Operation]) -> list[CedarMatch]:
        results = self.ask_forbids(requests)
        found: list[CedarMatch] = []
        for place, policy in enumerate(self.forbids):
            for operation, own in zip(operations, results, strict=True):
                if any(place in result.satisfied for result in own):
                    found.append(CedarMatch(policy, operation))
                elif failed := [result.failed[place] for result in own if place in result.failed]:
                    found.append(CedarMatch(policy, operation, failed[0]))
        return found

    def _permitted(self, requests: Requests, operations: Sequence[Operation]) -> list[CedarMatch]:
        # A permit clears operations, not what follows from them.
        requests = [[request for request in own if not request.effect] for own in requests]
        results = _ask(requests, self._permitting, len(self.permits))
        found: list[CedarMatch] = []
        for operation, asked, answered in zip(operations, requests, results, strict=True):
            permits = [
                {place for place in result.satisfied if request.exact or not self._asks(place)}
                for request, result in zip(asked, answered, strict=True)
            ]
            if all(permits):
                found += [CedarMatch(self.permits[place], operation) for place in sorted(set[int]().union(*permits))]
        return found

    def _asks(self, place: int) -> bool:
        """Whether a permit asks what a path can be, which clears no path that is not fully known."""
        return not self.permits[place].attributes.isdisjoint(QUESTIONS)


def _parsed(policies: Sequence[CedarPolicy]) -> PolicySet:
    return cedar_library().PolicySet.from_str("\n".join(policy.source for policy in policies))


def _ask(requests: Requests, policies: PolicySet, count: int) -> list[list[CedarResult]]:
    """Ask all requests at once; the results of each operation."""
    asked: list[Data] = []
    entities: list[Data] = []
    for place, request in enumerate(request for own in requests for request in own):
        resource: Data = {"type": f"{NAMESPACE}::{request.resource}", "id": str(place)}
        entities.append({"uid": resource, "attrs": request.attributes, "parents": []})
        asked.append({
            "principal": _PRINCIPAL,
            "action": {"type": f"{NAMESPACE}::Action", "id": request.action},
            "resource": resource,
            "context": request.context,
        })  # fmt: skip
    kinds = {request.action for own in requests for request in own if request.effect}
    for kind in sorted(kinds):
        action: Data = {"type": f"{NAMESPACE}::Action", "id": kind}
        entities.append({"uid": action, "attrs": {}, "parents": [_EFFECT]})
    answers = iter(cedar_library().is_authorized_batch(asked, policies, entities))
    return [[_result(next(answers), count) for _ in own] for own in requests]


def _result(answer: CedarAnswer, count: int) -> CedarResult:
    failed: dict[int, str] = {}
    for message in answer.diagnostics.errors:
        policy = _FAILED.match(message)
        needs = ", ".join(dict.fromkeys(_UNKNOWN.findall(message))) or "what cannot be evaluated"
        # An error that names no policy is one of all.
        for place in range(count) if policy is None else (int(policy[1]),):
            failed[place] = needs
    if answer.decision.name == "NoDecision":
        failed = dict.fromkeys(range(count), "what cannot be evaluated") | failed
    satisfied = frozenset(int(name.removeprefix("policy")) for name in answer.diagnostics.reasons)
    return CedarResult(satisfied, failed)
