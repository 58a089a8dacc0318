"""The outcome of a gate as text, JSON, Markdown and JUnit XML."""

from __future__ import annotations

from dataclasses import dataclass
from xml.etree import ElementTree

from trueline.stats.gate.decide import GateResult
from trueline.tables import text_table
from trueline.text import printable

_WORDS = {"passed": "PASS", "failed": "FAIL", "inconclusive": "INCONCLUSIVE"}


@dataclass(frozen=True)
class GateReport:
    """What was decided about every rule, and whether the gate opens."""

    title: str
    rulings: tuple[GateResult, ...]
    opened: bool

    def to_text(self) -> str:
        """Return what was decided and why, for a terminal."""
        rows: list[tuple[str, str]] = []
        for ruling in self.rulings:
            rows += [(_WORDS[ruling.outcome], ruling.rule.text), ("", _why(ruling))]
        lines = [printable(self.title), "", text_table(rows, ruled=False)]
        if any(ruling.outcome == "inconclusive" for ruling in self.rulings):
            lines += [
                "",
                "Inconclusive: the data neither show that the rule holds nor that it does not. More tasks or repeats",
                "settle it (trueline power says how many); --inconclusive pass lets it through.",
            ]
        return "\n".join([*lines, "", f"gate: {self._state}", ""])

    def to_json(self) -> dict[str, object]:
        """Return the document that `trueline gate --json` prints."""
        return {
            "passed": self.opened,
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
                for ruling in self.rulings
            ],
        }

    def to_markdown(self) -> str:
        """Return a Markdown table for a pull request."""
        rows = [
            f"| {_WORDS[ruling.outcome]} | `{ruling.rule.text}` | {_cell(_why(ruling))} |" for ruling in self.rulings
        ]
        head = [f"### {_cell(printable(self.title))}: gate {self._state}", "", "| | rule | why |", "|---|---|---|"]
        return "\n".join([*head, *rows, ""])

    def to_junit(self) -> bytes:
        """Return JUnit XML, in which an inconclusive rule is a failure of its own type."""
        failed = sum(not ruling.passed for ruling in self.rulings)
        tests = str(len(self.rulings))
        suite = ElementTree.Element("testsuite", name=printable(self.title), tests=tests, failures=str(failed))
        for ruling in self.rulings:
            case = ElementTree.SubElement(suite, "testcase", classname="trueline.gate", name=ruling.rule.text)
            if not ruling.passed:
                ElementTree.SubElement(case, "failure", type=ruling.outcome, message=_why(ruling))
        return ElementTree.tostring(suite, encoding="utf-8", xml_declaration=True)

    @property
    def _state(self) -> str:
        return "open" if self.opened else "closed"


def _why(ruling: GateResult) -> str:
    return f"{ruling.reason} ({ruling.n_tasks} tasks)"


def _cell(text: str) -> str:
    """Folder names must not become markup."""
    for char in "\\`*_{}[]<>|#":
        text = text.replace(char, f"\\{char}")
    return text
