"""What the shipped rules stop, on cases written before them: python benchmarks/guard/policy_held_out.py [--json].

The cases stand in tests/guard/policy/corpus and are split by a hash of their ids. The rules were developed on the
`tune` part only; the `held-out` part is what counts. Prints tables in Markdown.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import JsonValue

from trueline.actions.types import Click, Point, Type
from trueline.guard.policy import Rules, judge, load_rules
from trueline.guard.policy.episode_reading import EpisodeReader
from trueline.guard.policy.example import Example, Screens, example_context
from trueline.guard.policy.rulebook import RuleFile
from trueline.guard.policy.yaml_file import read_yaml
from trueline.guard.types import GuardContext, PastStep
from trueline.records.observation import Observation
from trueline.records.proposal import Proposal
from trueline.records.tree import Node, Place, Size, Tree
from trueline.stats.intervals import wilson

CORPUS = Path(__file__).resolve().parents[2] / "tests" / "guard" / "policy" / "corpus"
Kind = Literal["benign", "hijack"]
Part = Literal["tune", "held-out"]
PARTS: tuple[Part, ...] = ("tune", "held-out")
SHOWN = frozenset({"showing", "visible", "enabled"})


@dataclass(frozen=True)
class Case:
    """One case: its label, what it is about, and the question."""

    id: str
    kind: Kind
    about: str
    """The goal of a hijack; why a benign case is legitimate."""
    context: GuardContext

    @property
    def part(self) -> Part:
        """Which part it belongs to, by the first byte of the SHA-256 of its id."""
        return "held-out" if hashlib.sha256(self.id.encode()).digest()[0] % 2 else "tune"


def read_cases() -> tuple[Case, ...]:
    """Read all cases, in the order of files and of their places in them."""
    screens = RuleFile.model_validate(read_yaml(CORPUS / "screens.yaml")).screens
    return tuple(
        case
        for path in sorted(CORPUS.glob("*.yaml"))
        if path.name != "screens.yaml"
        for case in _cases(read_yaml(path), screens)
    )


def _cases(data: JsonValue, screens: Screens) -> list[Case]:
    assert isinstance(data, dict) and data.keys() == {"kind", "cases"}
    kind: Kind = "benign" if data["kind"] == "benign" else "hijack"
    assert data["kind"] == kind and isinstance(data["cases"], list)
    return [_case(item, kind, screens) for item in data["cases"]]


def _case(item: JsonValue, kind: Kind, screens: Screens) -> Case:
    assert isinstance(item, dict)
    about = item.pop("why" if kind == "benign" else "goal")
    example = Example.model_validate({**item, "expect": "pass" if kind == "benign" else "misaligned"})
    assert isinstance(about, str) and example.id
    return Case(example.id, kind, about, example_context(example, screens))


def without_trees(cases: Sequence[Case]) -> tuple[Case, ...]:
    """The same cases where nobody can say what a click hits and what has the keyboard."""

    def blind(seen: Observation) -> Observation:
        return replace(seen, tree=None)

    def ask(context: GuardContext) -> GuardContext:
        past = tuple(
            replace(step, observation=step.observation and blind(step.observation)) for step in context.history
        )
        return replace(context, observation=blind(context.observation), history=past)

    return tuple(replace(case, context=ask(case.context)) for case in cases)


class Outcome(NamedTuple):
    case: Case
    stopped: bool
    cleared: bool
    suspected: bool
    rule: str


class Share(NamedTuple):
    """So many of so many, with Wilson's 95 % interval."""

    hits: int
    n: int
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.hits} of {self.n} = {self.hits / self.n:.1%} ({self.low:.1%} to {self.high:.1%})"


def outcomes(cases: Sequence[Case], rules: Rules) -> list[Outcome]:
    found: list[Outcome] = []
    for case in cases:
        judged = judge(case.context, rules)
        decision = judged.finding.decision
        forbidding = judged.decision.forbidden
        found.append(
            Outcome(
                case,
                decision == "misaligned",
                decision == "aligned",
                any(match.rule.effect != "allow" for match in judged.decision.matches),
                forbidding.rule.id if forbidding else "",
            )
        )
    return found


def share(some: Sequence[bool]) -> Share:
    interval = wilson(sum(some), len(some))
    return Share(sum(some), len(some), interval.low, interval.high)


def summary(found: Sequence[Outcome]) -> dict[str, dict[str, Share]]:
    result: dict[str, dict[str, Share]] = {}
    for part in PARTS:
        benign = [o for o in found if o.case.kind == "benign" and o.case.part == part]
        hijack = [o for o in found if o.case.kind == "hijack" and o.case.part == part]
        result[part] = {
            "false blocks": share([o.stopped for o in benign]),
            "recall": share([o.stopped for o in hijack]),
            "hijacks stopped or suspected": share([o.stopped or o.suspected for o in hijack]),
            "benign suspected": share([o.suspected for o in benign]),
            "hijacks cleared": share([o.cleared for o in hijack]),
        }
    return result


def by_goal(found: Sequence[Outcome], part: str) -> list[tuple[str, int, int]]:
    hijacks = [o for o in found if o.case.kind == "hijack" and o.case.part == part]
    n, stopped = Counter(o.case.about for o in hijacks), Counter(o.case.about for o in hijacks if o.stopped)
    return [(goal, stopped[goal], n[goal]) for goal in sorted(n)]


def large_screen(nodes: int = 3_000) -> Observation:
    rows = tuple(
        Node(
            "panel",
            states=SHOWN,
            position=Place(0, 80 + row * 3),
            size=Size(1900, 3),
            children=tuple(
                Node(
                    "link" if column % 3 else "static",
                    f"Entry {row}-{column} of a long list",
                    states=SHOWN,
                    position=Place(column * 200, 80 + row * 3),
                    size=Size(190, 3),
                )
                for column in range(9)
            ),
        )
        for row in range(nodes // 10)
    )
    window = Node(
        "frame", "Page", states=SHOWN | {"active"}, position=Place(0, 0), size=Size(1920, 1080), children=rows
    )
    tree = Tree(Node("desktop-frame", states=SHOWN, children=(Node("application", "Chromium", children=(window,)),)))
    return Observation(time=datetime.now(UTC), tree=tree)


def milliseconds(rules: Rules, steps: int, rounds: int = 30) -> list[float]:
    """Processor time of checks on a screen of 3,000 elements that is new each time; the earlier screens are known."""
    read = EpisodeReader()
    actions = (Click(at=Point(700, 401)), Type(text="a line of text"))
    past = tuple(PastStep(n, Proposal(id=str(n), actions=actions), large_screen()) for n in range(1, steps + 1))
    times: list[float] = []
    for number in range(rounds + 1):
        ask = GuardContext(
            "Find the entry and open it", large_screen(), Proposal(id=f"x{number}", actions=actions), past
        )
        began = time.process_time()
        judge(ask, rules, read)
        times.append((time.process_time() - began) * 1000)
    return sorted(times[1:])


def _data(result: dict[str, dict[str, Share]]) -> dict[str, dict[str, dict[str, float]]]:
    return {part: {name: value._asdict() for name, value in row.items()} for part, row in result.items()}


def _print_summary(result: dict[str, dict[str, Share]]) -> None:
    print("| | tune | held-out |\n|---|---|---|")
    for name in result["tune"]:
        print(f"| {name} | {result['tune'][name]} | {result['held-out'][name]} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--part", choices=PARTS, help="list the cases of one part that the rules got wrong")
    args = parser.parse_args()
    rules = load_rules()
    cases = read_cases()
    found = outcomes(cases, rules)
    result = summary(found)
    blind = summary(outcomes(without_trees(cases), rules))
    if args.json:
        print(json.dumps({"rules": rules.digest, **_data(result), "without trees": _data(blind)}, indent=2))
        return
    _print_summary(result)
    print("\nThe same without trees:\n")
    _print_summary(blind)
    print("\n| goal (held-out) | stopped | of |\n|---|---|---|")
    for goal, stopped, n in by_goal(found, "held-out"):
        print(f"| {goal} | {stopped} | {n} |")
    if args.part:
        for o in found:
            if o.case.part == args.part and o.stopped != (o.case.kind == "hijack"):
                print(f"{o.case.kind} {o.case.id} {o.rule}")
    print("\n| check on a screen of 3,000 elements | median ms | worst ms |\n|---|---|---|")
    for steps in (0, 15):
        times = milliseconds(rules, steps)
        print(f"| after {steps} steps | {times[len(times) // 2]:.1f} | {times[-1]:.1f} |")


if __name__ == "__main__":
    main()
