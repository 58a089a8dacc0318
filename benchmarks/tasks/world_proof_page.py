"""The page that `world_proof.py` writes: docs/reference/world-proof.md."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

REASONS = Path(__file__).with_name("world_proof_reasons.json")
"""Why tasks score other than 0 from the start, or have no score: by id, written by hand."""
TASKS = {"osworld": 369, "osharm": 110}
# Pages of the docs quote no task file.
_ADDRESS = re.compile(r"(?<=the (?:host|page) )[^ ,]+")
_OUTCOME = re.compile(r"\w+: (?:exit code \d+|no window)")
TARGETS = {"scored": 355, "online": 330, "osharm": 103}


_ABOUT = """\
Every task of both benchmarks was set up on a fresh local desktop, and OSWorld's were scored right away, without an
agent: `benchmarks/tasks/world_proof.py`, with [stand-ins](task-support.md#stand-ins) for all files and no network. The
tables say what works on such a desktop; they say nothing about an agent. Tasks were tried over one evening, some of
them again after a defect was mended; of tasks with the same set-up, OS-Harm's were set up once."""


@dataclass
class Outcome:
    """How one task went; a line of the file."""

    suite: str
    task: str
    domain: str
    unsupported: list[str] = field(default_factory=list[str])
    """Why a run without a network leaves it out."""
    online_unsupported: list[str] = field(default_factory=list[str])
    """Why one with a network does."""
    downloads: bool = False
    """It needs files from the web, which were stood in for."""
    root: bool = False
    setup: str = "done"
    """`done`, or the step that failed."""
    skipped: list[str] = field(default_factory=list[str])
    """Steps that no part of this program provides."""
    codes: list[str] = field(default_factory=list[str])
    """Commands of the set-up that did not exit with 0, and windows that were passed over."""
    scorer: str = ""
    score: float | None = None
    reason: str = ""
    stand_in_answer: str = ""
    """What was missing, where a check was done with a stand-in for it."""
    error: str = ""
    """Why there is no score."""
    seconds: float = 0.0
    date: str = ""


def page(outcomes: Iterable[Outcome], longest_sleep: float) -> str:
    """The whole page."""
    every = sorted(outcomes, key=lambda one: (one.suite, one.task))
    reasons: Mapping[str, str] = json.loads(REASONS.read_text("utf-8"))
    osworld = [one for one in every if one.suite == "osworld"]
    osharm = [one for one in every if one.suite == "osharm"]
    dates = sorted({one.date for one in every})
    parts = [
        "# OSWorld and OS-Harm, tried\n",
        f"{_ABOUT} Sleeping steps were cut to\n{longest_sleep:g} s, since nobody acted. "
        f"Measured {' to '.join(sorted({dates[0], dates[-1]})) if dates else 'never'}.\n",
        *_targets(osworld, osharm),
        *_osworld(osworld),
        *_osharm(osharm),
        *_not_zero(osworld, reasons),
        *_stand_in_answers(osworld),
        *_failures(every, reasons),
        *_codes(every),
    ]  # fmt: skip
    return "\n".join(parts) + "\n"


def _targets(osworld: Sequence[Outcome], osharm: Sequence[Outcome]) -> Iterator[str]:
    def count(found: Iterable[bool]) -> str:
        listed = [*found]
        return f"{sum(listed)} of {len(listed)}"

    rows = (
        ("OSWorld: scored without an exception, stand-in answers included", (one.score is not None for one in osworld),
         TARGETS["scored"]),
        ("OSWorld: can run with `--network open`", (not one.online_unsupported for one in osworld), TARGETS["online"]),
        ("OSWorld: can run without a network", (not one.unsupported for one in osworld), ""),
        ("OSWorld: set up without a failing step", (one.setup == "done" for one in osworld), ""),
        ("of these, tasks that download nothing", (one.setup == "done" for one in osworld if not one.downloads), ""),
        ("OS-Harm: can run without a network", (not one.unsupported for one in osharm), TARGETS["osharm"]),
        ("OS-Harm: set up without a failing step", (one.setup == "done" for one in osharm), ""),
    )  # fmt: skip
    yield "| | measured | wanted |\n|---|---:|---:|"
    yield from (f"| {what} | {count(found)} | {wanted} |" for what, found, wanted in rows)
    tried = len(osworld) + len(osharm)
    left = sum(TASKS.values()) - tried
    yield f"\n{left} of {tried + left} tasks were not tried yet: `--resume` goes on.\n" if left else ""


def _osworld(outcomes: Sequence[Outcome]) -> Iterator[str]:
    yield "## OSWorld\n"
    heads = ("domain", "tasks", "set up", "native", "bridged", "stand-in answer", "no score", "untouched not 0",
             "needs the network", "cannot run")  # fmt: skip
    yield f"| {' | '.join(heads)} |\n|---{'|---:' * (len(heads) - 1)}|"
    for domain, group in _by_domain(outcomes):
        scored = [one for one in group if one.score is not None]
        answered = sum(bool(one.stand_in_answer) for one in scored)
        native = sum(one.scorer == "native" and not one.stand_in_answer for one in scored)
        yield (
            f"| {domain} | {len(group)} | {sum(one.setup == 'done' for one in group)} | {native} | "
            f"{len(scored) - native - answered} | {answered} | {len(group) - len(scored)} | "
            f"{sum(bool(one.score) for one in scored)} | "
            f"{sum(bool(one.unsupported) and not one.online_unsupported for one in group)} | "
            f"{sum(bool(one.online_unsupported) for one in group)} |"
        )
    yield (
        "\n*Stand-in answer*: the check needs a site or credentials, and OSWorld's function ran on an unreachable\n"
        "page or on a stand-in for the file. *Needs the network*: a run without `--network open` leaves the task out;\n"
        "here it was set up anyway.\n"
    )


def _osharm(outcomes: Sequence[Outcome]) -> Iterator[str]:
    yield "## OS-Harm\n"
    yield "Only the judge scores them.\n\n| domain | tasks | set up | can run without a network | cannot run |"
    yield "|---|---:|---:|---:|---:|"
    for domain, group in _by_domain(outcomes):
        yield (
            f"| {domain} | {len(group)} | {sum(one.setup == 'done' for one in group)} | "
            f"{sum(not one.unsupported for one in group)} | {sum(bool(one.unsupported) for one in group)} |"
        )
    yield ""


def _by_domain(outcomes: Sequence[Outcome]) -> Iterator[tuple[str, list[Outcome]]]:
    for domain in sorted({one.domain for one in outcomes}):
        yield domain, [one for one in outcomes if one.domain == domain]
    yield "**all**", list(outcomes)


def _not_zero(outcomes: Sequence[Outcome], reasons: Mapping[str, str]) -> Iterator[str]:
    yield "## Untouched desktops that do not score 0\n\n| task | score | scored by | why |"
    yield "|---|---:|---|---|"
    for one in outcomes:
        if one.score:
            yield f"| `{one.task}` | {one.score:g} | {one.scorer} | {reasons.get(one.task, 'not explained')} |"
    yield ""


def _stand_in_answers(outcomes: Sequence[Outcome]) -> Iterator[str]:
    yield "## Checks that need a site or credentials\n\n| task | what was missing | score with a stand-in |"
    yield "|---|---|---:|"
    for one in outcomes:
        if one.stand_in_answer:
            score = "none" if one.score is None else f"{one.score:g}"
            yield f"| `{one.task}` | {_cell(_ADDRESS.sub('of the web', one.stand_in_answer))} | {score} |"
    yield ""


def _failures(outcomes: Sequence[Outcome], reasons: Mapping[str, str]) -> Iterator[str]:
    yield "## Not set up, not scored, or left out by runs\n\n| task | what | why |\n|---|---|---|"
    for one in outcomes:
        said = [("set-up", one.setup)] if one.setup != "done" else []
        said += [("set-up step left out", ", ".join(one.skipped))] if one.skipped else []
        said += [("no score", one.error)] if one.error else []
        said += [("cannot run", "; ".join(one.online_unsupported))] if one.online_unsupported else []
        offline = [why for why in one.unsupported if why not in one.online_unsupported and why != "live web sites"]
        said += [("without a network", "; ".join(offline))] if offline else []
        for what, why in said:
            yield f"| `{one.task}` | {what} | {_cell(reasons.get(f'{one.task} {what}', why))} |"
    sites = sum("live web sites" in one.unsupported for one in outcomes)
    yield f"\nRuns without a network also leave out {sites} tasks that open live web sites.\n"


def _codes(outcomes: Sequence[Outcome]) -> Iterator[str]:
    yield "## Commands of set-ups that did not exit with 0\n\nAs in OSWorld, this does not fail a set-up.\n"
    yield "| task | step |\n|---|---|"
    for one in outcomes:
        for code in one.codes:
            outcome = _OUTCOME.match(code)
            yield f"| `{one.task}` | {_cell(outcome[0] if outcome else code)} |"


def _cell(text: str) -> str:
    """Text of a program for a cell: on one line, without anything that Markdown or HTML would read."""
    plain = " ".join(text.split())[:220].replace("`", "'").replace("|", "/")
    return f"`{plain}`" if plain else ""
