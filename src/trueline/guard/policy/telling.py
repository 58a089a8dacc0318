"""What is said about a proposal: on one line, bounded, and without repeating a secret."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from trueline.guard.policy.decide import Decided, Match
from trueline.guard.policy.deeds import Deed, Ended, Opened, Pressed, Ran, Typed, Unclear
from trueline.guard.policy.provenance import Origin, evidence
from trueline.guard.policy.reading import Reading
from trueline.guard.policy.secrets import Marked, carried_by, secrets_in
from trueline.records.verdict import Evidence
from trueline.text import printable

_MOST_EVIDENCE = 24
_LONGEST = 400
RULE = "rule "


def told(text: str) -> str:
    """One bounded line."""
    return printable(text, _LONGEST)


def told_deed(deed: Deed, marked: Sequence[Marked]) -> str:
    """A deed in words; a text that holds a secret is not repeated."""
    match deed:
        case Typed() if kinds := secrets_in(deed.text, marked):
            return told(str(replace(deed, text=f"[{', '.join(kinds)}]")))
        case Ran() if kinds := secrets_in(deed.line, marked):
            return told(str(replace(deed, line=f"[a line with {', '.join(kinds)}]")))
        case Opened() if kinds := carried_by(deed.url, marked):
            return told(str(replace(deed, url=f"[an address with {', '.join(kinds)}]")))
        case _:
            return told(str(deed))


def told_match(match: Match, marked: Sequence[Marked]) -> str:
    """What a rule found."""
    return told(f"on the screen: {match.found!r}") if match.deed is None else told_deed(match.deed, marked)


def told_evidence(
    reading: Reading, decided: Decided, found: Sequence[Origin], marked: Sequence[Marked]
) -> tuple[Evidence, ...]:
    """All that is worth telling the stages behind and the reader of a record."""
    said = [
        *(Evidence(source=_rule_source(match), text=_rule_words(match, marked)) for match in decided.matches),
        *(Evidence(source=_source(deed), text=told_deed(deed, marked)) for deed in reading.deeds if _matters(deed)),
        *evidence(found),
    ]
    return tuple(dict.fromkeys(said))[:_MOST_EVIDENCE]


def misled_by(match: Match, found: Sequence[Origin]) -> str | None:
    """The screen's text in which the forbidden thing stands, unless the instruction names it too."""
    if match.deed is None:
        return told(match.found)
    shown = str(match.deed)
    text = next((o.on_screen for o in found if o.on_screen and not o.in_instruction and o.string in shown), None)
    return told(text) if text else None


def _rule_source(match: Match) -> str:
    """Names the rule; `RULE` begins the name of one that speaks against what is proposed."""
    if match.rule.effect == "allow" or match.excepted or match.deed is None:
        kind = "allowing" if match.rule.effect == "allow" else "excepted" if match.excepted else "screen"
        return f"{kind} {RULE}{match.rule.id}"
    return f"{RULE}{match.rule.id}"


def _rule_words(match: Match, marked: Sequence[Marked]) -> str:
    what = f"{match.rule.description} [{told_match(match, marked)}]"
    if match.excepted:
        return f"{what}; it does not decide: {match.excepted}"
    if not match.certain:
        return f"{what}; it does not decide: whether it happens is not certain"
    return what


def _matters(deed: Deed) -> bool:
    return isinstance(deed, Pressed | Unclear | Ended) or (isinstance(deed, Ran) and "hidden" in deed.command.does)


def _source(deed: Deed) -> str:
    if not isinstance(deed, Pressed):
        return "state"
    return "ocr" if deed.by_ocr else "tree"
