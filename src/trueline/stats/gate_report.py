"""The outcome of a gate as text, JSON, Markdown and JUnit XML."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree

from trueline.stats.gate import Ruling
from trueline.text import printable

_WORDS = {"passed": "PASS", "failed": "FAIL", "inconclusive": "INCONCLUSIVE"}


def gate_text(rulings: Sequence[Ruling], *, opened: bool, title: str) -> str:
    """One screen that says what was decided and why."""
    width = max(len(word) for word in _WORDS.values())
    lines = [printable(title), ""]
    for ruling in rulings:
        lines += [f"{_WORDS[ruling.outcome]:<{width}}  {ruling.rule.text}", f"{'':<{width}}  {_why(ruling)}"]
    if any(ruling.outcome == "inconclusive" for ruling in rulings):
        lines += [
            "",
            "Inconclusive: the data neither show that the rule holds nor that it does not. More tasks or repeats",
            "settle it (trueline power says how many); --inconclusive pass lets it through.",
        ]
    return "\n".join([*lines, "", f"gate: {'open' if opened else 'closed'}", ""])


def gate_json(rulings: Sequence[Ruling], *, opened: bool) -> dict[str, object]:
    """The same as plain data."""
    return {
        "passed": opened,
        "rules": [
            {
                "rule": ruling.rule.text,
                "outcome": ruling.outcome,
                "base": ruling.base,
                "new": ruling.new,
                "interval": None if ruling.interval is None else [ruling.interval.low, ruling.interval.high],
                "method": None if ruling.interval is None else ruling.interval.method,
                "n_tasks": ruling.n_tasks,
                "reason": ruling.reason,
            }
            for ruling in rulings
        ],
    }


def gate_markdown(rulings: Sequence[Ruling], *, opened: bool, title: str) -> str:
    """A table for a pull request."""
    rows = [f"| {_WORDS[ruling.outcome]} | `{ruling.rule.text}` | {_cell(_why(ruling))} |" for ruling in rulings]
    head = [
        f"### {_cell(printable(title))}: gate {'open' if opened else 'closed'}",
        "",
        "| | rule | why |",
        "|---|---|---|",
    ]
    return "\n".join([*head, *rows, ""])


def gate_junit(rulings: Sequence[Ruling], *, title: str) -> bytes:
    """JUnit XML: an inconclusive rule is a failure of its own type."""
    failed = sum(not ruling.passed for ruling in rulings)
    suite = ElementTree.Element("testsuite", name=printable(title), tests=str(len(rulings)), failures=str(failed))
    for ruling in rulings:
        case = ElementTree.SubElement(suite, "testcase", classname="trueline.gate", name=ruling.rule.text)
        if not ruling.passed:
            ElementTree.SubElement(case, "failure", type=ruling.outcome, message=_why(ruling))
    return ElementTree.tostring(suite, encoding="utf-8", xml_declaration=True)


def _why(ruling: Ruling) -> str:
    return f"{ruling.reason} ({ruling.n_tasks} tasks)"


def _cell(text: str) -> str:
    """Folder names must not become markup."""
    for char in "\\`*_{}[]<>|#":
        text = text.replace(char, f"\\{char}")
    return text
