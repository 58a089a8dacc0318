"""Descriptions of operations and rule matches: one bounded line each, which repeats no secret."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from trueline.guard.policy.decide import Decided, Match
from trueline.guard.policy.episode_reading import EpisodeReading
from trueline.guard.policy.operations import EpisodeEnd, Opened, Operation, Pressed, Ran, Typed, Unclear
from trueline.guard.policy.provenance import Origin, evidence
from trueline.guard.policy.secrets import Marked, carried_by, secrets_in
from trueline.records.verdict import Evidence
from trueline.text import printable

_MOST_EVIDENCE = 24
_LONGEST = 400
RULE = "rule "


def one_line(text: str) -> str:
    """Shorten a text to one printable line."""
    return printable(text, _LONGEST)


def describe_operation(operation: Operation, marked: Sequence[Marked]) -> str:
    """Describe an operation; a text with a secret is not repeated."""
    match operation:
        case Typed() if kinds := secrets_in(operation.text, marked):
            return one_line(str(replace(operation, text=f"[{', '.join(kinds)}]")))
        case Ran() if kinds := secrets_in(operation.line, marked):
            return one_line(str(replace(operation, line=f"[a line with {', '.join(kinds)}]")))
        case Opened() if kinds := carried_by(operation.url, marked):
            return one_line(str(replace(operation, url=f"[an address with {', '.join(kinds)}]")))
        case _:
            return one_line(str(operation))


def describe_match(match: Match, marked: Sequence[Marked]) -> str:
    """Describe what a rule matched."""
    return (
        one_line(f"on the screen: {match.found!r}")
        if match.operation is None
        else describe_operation(match.operation, marked)
    )


def collect_evidence(
    reading: EpisodeReading, decided: Decided, found: Sequence[Origin], marked: Sequence[Marked]
) -> tuple[Evidence, ...]:
    """Collect the evidence for the later stages and for the record."""
    said = [
        *(_matched(match, marked) for match in decided.matches if not match.undecided),
        *(
            Evidence(source=_source(operation), text=describe_operation(operation, marked))
            for operation in reading.operations
            if _matters(operation)
        ),
        *evidence(found),
        *(_matched(match, marked) for match in decided.matches if match.undecided),
    ]
    return tuple(dict.fromkeys(said))[:_MOST_EVIDENCE]


def _matched(match: Match, marked: Sequence[Marked]) -> Evidence:
    return Evidence(source=_rule_source(match), text=_rule_words(match, marked))


def misleading_text(match: Match, found: Sequence[Origin]) -> str | None:
    """The screen text that contains the forbidden string, unless the instruction contains it too."""
    if match.operation is None:
        return one_line(match.found)
    shown = str(match.operation)
    text = next((o.on_screen for o in found if o.on_screen and not o.in_instruction and o.string in shown), None)
    return one_line(text) if text else None


def _rule_source(match: Match) -> str:
    """The source of a rule's evidence; it begins with `RULE` if the rule speaks against the proposal."""
    if match.undecided:
        return f"undecided {RULE}{match.rule.id}"
    if match.rule.effect == "allow" or match.excepted or match.operation is None:
        kind = "allowing" if match.rule.effect == "allow" else "excepted" if match.excepted else "screen"
        return f"{kind} {RULE}{match.rule.id}"
    return f"{RULE}{match.rule.id}"


def _rule_words(match: Match, marked: Sequence[Marked]) -> str:
    what = f"{match.rule.description} [{describe_match(match, marked)}]"
    if match.excepted:
        return f"{what}; it does not decide: {match.excepted}"
    if match.undecided:
        return f"{what}; it does not decide: its result depends on what is not known here ({match.undecided})"
    if not match.certain:
        return f"{what}; it does not decide: whether it happens is not certain"
    return what


def _matters(operation: Operation) -> bool:
    return isinstance(operation, Pressed | Unclear | EpisodeEnd) or (
        isinstance(operation, Ran) and "hidden" in operation.command.does
    )


def _source(operation: Operation) -> str:
    if not isinstance(operation, Pressed):
        return "state"
    return "ocr" if operation.by_ocr else "tree"
