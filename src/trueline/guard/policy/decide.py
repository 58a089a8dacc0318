"""Decides what is certain from operations and rules.

Precedence: every rule looks at every operation. A forbid that is certain and not excepted wins, unless an allow with a
higher priority is about the same operation. Without such a forbid, a proposal is aligned only when each of its
operations certainly does nothing or is covered by an allow that knows all of it. A suspect never decides.

Policies in Cedar take part in this: a forbid that is satisfied is a forbid that nothing outranks, a permit is an allow
that outranks nothing. A forbid whose result depends on what is not known here decides nothing and lets nothing be
cleared.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from trueline.guard.policy.cedar.evaluate import CedarMatch
from trueline.guard.policy.cedar.policy_file import CedarPolicy
from trueline.guard.policy.episode_reading import EpisodeReading
from trueline.guard.policy.folding import key
from trueline.guard.policy.globs import matches
from trueline.guard.policy.instruction import names, speaks_of
from trueline.guard.policy.operations import Addressed, Nothing, Opened, Operation, Pressed, Ran, Typed
from trueline.guard.policy.rule_matching import matches_operation, subjects
from trueline.guard.policy.rulebook import Rule, Unless
from trueline.guard.policy.ruleset import Rules
from trueline.guard.policy.screen.view import View
from trueline.guard.types import GuardContext

_WILD = re.compile(r"[*?\[\]]")


@dataclass(frozen=True)
class Match:
    """A rule that matches an operation of the proposal, or its screen."""

    rule: Rule | CedarPolicy
    operation: Operation | None
    """None for a rule about the screen."""
    certain: bool
    excepted: str = ""
    """Why the rule does not apply here; empty if it does."""
    found: str = ""
    """The element's text, for a rule about the screen."""
    undecided: str = ""
    """What a policy's result depends on, where that is not known."""

    @property
    def holds(self) -> bool:
        """Whether the rule applies for certain."""
        return self.certain and not self.excepted


@dataclass(frozen=True)
class Decided:
    """The result of applying the rules."""

    matches: tuple[Match, ...] = ()
    forbidden: Match | None = None
    harmless: str = ""
    """Why the proposal certainly has no effect; empty if that is not certain."""


def decide(context: GuardContext, reading: EpisodeReading, rules: Rules) -> Decided:
    """Apply the rules to a proposal."""
    found = tuple(match for rule in rules.holding_in(context.domain) for match in _look(rule, context, reading, rules))
    policies = rules.policies.match(context, reading, rules.words, rules.marked)
    found = (*found, *(_policy_match(match) for match in policies))
    forbidding = [
        match for match in found if match.rule.effect == "forbid" and match.holds and not _outranked(match, found)
    ]
    if forbidding:
        return Decided(found, max(forbidding, key=lambda match: match.rule.priority))
    harmless = _harmless(reading.operations, found) if context.proposal.actions else "nothing would run"
    return Decided(found, None, harmless)


def _policy_match(match: CedarMatch) -> Match:
    policy, operation, undecided = match
    certain = not undecided and _happens(policy.unseen, operation)
    return Match(policy, operation, certain, undecided=undecided)


def _look(rule: Rule, context: GuardContext, reading: EpisodeReading, rules: Rules) -> list[Match]:
    if rule.when.screen is not None:
        # What is only read from a picture or stands in a terminal speaks for nothing.
        seen = replace(reading.view, extra="") if rule.effect == "allow" else reading.view
        element = _on_screen(seen, rule.when.screen.matches)
        return [] if element is None else [Match(rule, None, True, _exception(rule, None, context, rules), element)]
    fitting = [
        operation
        for operation in reading.operations
        if matches_operation(rule.when, operation, context.step, rules.marked)
    ]
    if rule.more_than is not None and fitting:
        before = sum(len(_counted(rule, step, number, rules)) for number, step in enumerate(reading.past, 1))
        fitting = _counted(rule, reading.operations, context.step, rules)[max(0, rule.more_than - before) :]
    return [
        Match(rule, operation, _certain(rule, operation), _exception(rule, operation, context, rules))
        for operation in fitting
    ]


def _counted(rule: Rule, operations: Sequence[Operation], step: int, rules: Rules) -> list[Operation]:
    """The operations that count towards a budget; a press repeated by OCR counts once."""
    found: list[Operation] = []
    counted = False
    for operation in operations:
        again = isinstance(operation, Pressed) and operation.by_ocr
        if matches_operation(rule.when, operation, step, rules.marked) and not (again and counted):
            found.append(operation)
            counted = True
        elif isinstance(operation, Pressed) and not again:
            counted = False
    return found


def _certain(rule: Rule, operation: Operation) -> bool:
    """Whether a match is certain; some rules also decide where the keyboard focus is unknown."""
    return _happens(rule.when.command is not None and rule.when.command.unseen, operation)


def _happens(unseen: bool, operation: Operation) -> bool:
    return operation.certain or (unseen and isinstance(operation, Ran) and operation.unseen)


def _exception(rule: Rule, operation: Operation | None, context: GuardContext, rules: Rules) -> str:
    for clause in rule.unless:
        if _excepts(clause, operation, context.instruction, rules):
            what = "asks for it" if clause.asked else "names it"
            return f"the instruction {what}, as far as its words show"
    return ""


def _excepts(clause: Unless, operation: Operation | None, instruction: str, rules: Rules) -> bool:
    if clause.asked and not any(speaks_of(instruction, rules.words[group]) for group in clause.asked):
        return False
    if clause.named is None:
        return True
    return any(names(instruction, thing) for thing in (subjects(operation) if operation else ())) == clause.named


def _outranked(forbid: Match, found: Sequence[Match]) -> bool:
    if isinstance(forbid.rule, CedarPolicy):
        return False
    return any(
        isinstance(other.rule, Rule)
        and other.rule.effect == "allow"
        and not other.excepted
        and other.operation is forbid.operation
        and other.rule.priority > forbid.rule.priority
        for other in found
    )


def _harmless(operations: Sequence[Operation], found: Sequence[Match]) -> str:
    if any(match.undecided and match.rule.effect == "forbid" for match in found):
        return ""
    if operations and all(isinstance(operation, Nothing) for operation in operations):
        return "; ".join(dict.fromkeys(str(operation) for operation in operations))
    allowed = [match for match in found if match.rule.effect == "allow" and match.holds and _settled(match.operation)]
    covered = {id(match.operation) for match in allowed}
    if allowed and all(
        isinstance(operation, Nothing) or id(operation) in covered or _follows_from(operation)
        for operation in operations
    ):
        return f"allowed by {', '.join(dict.fromkeys(match.rule.id for match in allowed))}"
    return ""


def _settled(operation: Operation | None) -> bool:
    """Whether the operation and all of its effects are certain; only then can it be cleared."""
    match operation:
        case Ran():
            return operation.alone
        case Typed():
            return operation.into is not None and operation.whole
        case Pressed():
            return operation.target is not None
        case _:
            return operation is not None


def _follows_from(operation: Operation) -> bool:
    """Whether an operation only restates a command, which an allow must cover itself."""
    return (isinstance(operation, Opened) and operation.by == "command") or (
        isinstance(operation, Addressed) and operation.restates
    )


def _on_screen(view: View, patterns: tuple[str, ...]) -> str | None:
    """The first element that matches. The longest plain part of a pattern is searched in the whole screen first."""
    likely = tuple(pattern for pattern in patterns if key(max(_WILD.split(pattern), key=len)) in view.joined)
    return next((text for text in view.texts if matches(text, likely)), None) if likely else None
