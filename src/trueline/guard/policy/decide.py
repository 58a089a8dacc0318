"""From deeds and rules to what is certain.

Precedence: every rule looks at every deed. A forbid that is certain and not excepted wins, unless an allow with a
higher priority is about the same deed. Without such a forbid, a proposal is aligned only when each of its deeds
certainly does nothing or is covered by an allow that knows all of it. A suspect never decides.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from trueline.guard.policy.deeds import Addressed, Deed, Nothing, Opened, Pressed, Ran, Typed
from trueline.guard.policy.folding import key
from trueline.guard.policy.globs import matches
from trueline.guard.policy.instruction import names, speaks_of
from trueline.guard.policy.match import fits, subjects
from trueline.guard.policy.reading import Reading
from trueline.guard.policy.rulebook import Rule, Unless
from trueline.guard.policy.ruleset import Rules
from trueline.guard.policy.screen.view import View
from trueline.guard.types import GuardContext

_WILD = re.compile(r"[*?\[\]]")


@dataclass(frozen=True)
class Match:
    """A rule that is about something in the proposal."""

    rule: Rule
    deed: Deed | None
    """None for what stands on the screen."""
    certain: bool
    excepted: str = ""
    """Why the rule does not hold here, if so."""
    found: str = ""
    """The element's text, for what stands on the screen."""

    @property
    def holds(self) -> bool:
        """Whether the rule applies for certain."""
        return self.certain and not self.excepted


@dataclass(frozen=True)
class Decided:
    """What the rules say."""

    matches: tuple[Match, ...] = ()
    forbidden: Match | None = None
    harmless: str = ""
    """Why nothing can come of it, if that is certain."""


def decide(context: GuardContext, reading: Reading, rules: Rules) -> Decided:
    """Apply the rules to a proposal."""
    found = tuple(match for rule in rules.holding_in(context.domain) for match in _look(rule, context, reading, rules))
    forbidding = [
        match for match in found if match.rule.effect == "forbid" and match.holds and not _outranked(match, found)
    ]
    if forbidding:
        return Decided(found, max(forbidding, key=lambda match: match.rule.priority))
    harmless = _harmless(reading.deeds, found) if context.proposal.actions else "nothing would run"
    return Decided(found, None, harmless)


def _look(rule: Rule, context: GuardContext, reading: Reading, rules: Rules) -> list[Match]:
    if rule.when.screen is not None:
        # What is only read from a picture or stands in a terminal speaks for nothing.
        seen = replace(reading.view, extra="") if rule.effect == "allow" else reading.view
        element = _on_screen(seen, rule.when.screen.matches)
        return [] if element is None else [Match(rule, None, True, _exception(rule, None, context, rules), element)]
    fitting = [deed for deed in reading.deeds if fits(rule.when, deed, context.step, rules.marked)]
    if rule.more_than is not None and fitting:
        before = sum(len(_counted(rule, step, number, rules)) for number, step in enumerate(reading.past, 1))
        fitting = _counted(rule, reading.deeds, context.step, rules)[max(0, rule.more_than - before) :]
    return [Match(rule, deed, _certain(rule, deed), _exception(rule, deed, context, rules)) for deed in fitting]


def _counted(rule: Rule, deeds: Sequence[Deed], step: int, rules: Rules) -> list[Deed]:
    """The deeds that use up a budget; a press that is told once more by OCR does not use it up twice."""
    found: list[Deed] = []
    counted = False
    for deed in deeds:
        again = isinstance(deed, Pressed) and deed.by_ocr
        if fits(rule.when, deed, step, rules.marked) and not (again and counted):
            found.append(deed)
            counted = True
        elif isinstance(deed, Pressed) and not again:
            counted = False
    return found


def _certain(rule: Rule, deed: Deed) -> bool:
    """Some commands are enough for a rule where nothing says what has the keyboard."""
    unseen = rule.when.command is not None and rule.when.command.unseen
    return deed.certain or (unseen and isinstance(deed, Ran) and deed.unseen)


def _exception(rule: Rule, deed: Deed | None, context: GuardContext, rules: Rules) -> str:
    for clause in rule.unless:
        if _excepts(clause, deed, context.instruction, rules):
            what = "asks for it" if clause.asked else "names it"
            return f"the instruction {what}, as far as its words show"
    return ""


def _excepts(clause: Unless, deed: Deed | None, instruction: str, rules: Rules) -> bool:
    if clause.asked and not any(speaks_of(instruction, rules.words[group]) for group in clause.asked):
        return False
    if clause.named is None:
        return True
    return any(names(instruction, thing) for thing in (subjects(deed) if deed else ())) == clause.named


def _outranked(forbid: Match, found: Sequence[Match]) -> bool:
    return any(
        other.rule.effect == "allow"
        and not other.excepted
        and other.deed is forbid.deed
        and other.rule.priority > forbid.rule.priority
        for other in found
    )


def _harmless(deeds: Sequence[Deed], found: Sequence[Match]) -> str:
    if deeds and all(isinstance(deed, Nothing) for deed in deeds):
        return "; ".join(dict.fromkeys(str(deed) for deed in deeds))
    allowed = [match for match in found if match.rule.effect == "allow" and match.holds and _settled(match.deed)]
    covered = {id(match.deed) for match in allowed}
    if allowed and all(isinstance(deed, Nothing) or id(deed) in covered or _follows_from(deed) for deed in deeds):
        return f"allowed by {', '.join(dict.fromkeys(match.rule.id for match in allowed))}"
    return ""


def _settled(deed: Deed | None) -> bool:
    """Whether it is certain what this is, and that nothing else happens with it: only that can be cleared."""
    match deed:
        case Ran():
            return deed.alone
        case Typed():
            return deed.into is not None and deed.whole
        case Pressed():
            return deed.target is not None
        case _:
            return deed is not None


def _follows_from(deed: Deed) -> bool:
    """What only restates a command that an allow must cover itself."""
    return (isinstance(deed, Opened) and deed.by == "command") or (isinstance(deed, Addressed) and deed.restates)


def _on_screen(view: View, patterns: tuple[str, ...]) -> str | None:
    """The first element that fits. A pattern's longest plain part is looked for in the whole screen first."""
    likely = tuple(pattern for pattern in patterns if key(max(_WILD.split(pattern), key=len)) in view.joined)
    return next((text for text in view.texts if matches(text, likely)), None) if likely else None
