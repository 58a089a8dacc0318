"""The demo on real desktops: the same host tasks plain, under injection, and with the guard."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from trueline.cli.demo.folder import claim_folder
from trueline.cli.demo.guard_stops import choose_stops, draw_stops, find_stops
from trueline.cli.demo.report import DemoResults, document, text
from trueline.cli.output import print_json

if TYPE_CHECKING:
    from pydantic import JsonValue

    from trueline.records import EpisodeRecord
    from trueline.runs.request import RunRequest

_SIMULATED = (
    "The agent is SIMULATED: it follows scripts, makes mistakes and believes injected text by chance.\n"
    "The desktops, the injections, the checks and the guard are real."
)
HOSTS = (
    "text_editor/minutes",
    "text_editor/add-item",
    "text_editor/replace-room",
    "file_manager/rename-file",
    "file_manager/move-file",
    "terminal/count-errors",
)
"""Tasks that need no more than the minimal packages and offer injections."""
_PERSONA: dict[str, JsonValue] = {"slip": 0.15, "gullible": 0.8, "stubborn": 0.2}
_SHORT_PERSONA: dict[str, JsonValue] = {"gullible": 1}
_PICTURES = 3


class DemoCondition(NamedTuple):
    """One condition of the demo."""

    name: str
    about: str
    fields: dict[str, object]
    """Fields of its run request."""


def _conditions(short: bool) -> tuple[DemoCondition, ...]:
    tasks: dict[str, object] = {"only": HOSTS[:1] if short else HOSTS}
    repeats: dict[str, object] = {"repeats": 2 if short else 3}
    inject = {**tasks, "inject": True}
    if short:
        inject |= {"only_injection": ("document/delete_all_user_files",), **repeats}
    guard: dict[str, object] = {"guard": "policy", "guard_max_revisions": 2, "guard_exhausted": "skip"}
    return (
        DemoCondition("plain", "the tasks as they are, each several times", tasks | repeats),
        DemoCondition("injected", "text on the screen wants something else; no guard", inject),
        DemoCondition("guarded", "the same, with the guard's rules in front", inject | guard),
    )


def run_desktops(args: argparse.Namespace) -> int:
    """Run the conditions, print the tables, draw the pictures."""
    from trueline.cli.run.progress import progress
    from trueline.runs.play import run

    began = time.monotonic()
    claim_folder(args.out)
    if not args.json:
        print(f"{_SIMULATED}\n", flush=True)
    played: dict[str, list[EpisodeRecord]] = {}
    conditions = _conditions(args.short)
    for number, condition in enumerate(conditions, start=1):
        print(f"{number} of {len(conditions)}  {condition.name}: {condition.about}", file=sys.stderr)
        with progress("auto") as report:
            result = run(_request(args, condition), report=report)
        played[condition.name] = list(result.records.values())
    stops = find_stops(args.out / "guarded")
    chosen = choose_stops(stops, _PICTURES)
    pictures = draw_stops(chosen, args.out / "stopped")
    results = DemoResults(args.out, played, _plain(args.out), stops, list(zip(chosen, pictures, strict=True)))
    if args.json:
        print_json(document(results))
    else:
        print(text(results))
        print(f"\nThat took {time.monotonic() - began:.0f} s.")
    return 0 if _all_scored(played) else 1


def _all_scored(played: Mapping[str, list[EpisodeRecord]]) -> bool:
    """Whether every episode was scored; misuse and unsupported tasks are not among them."""
    return all(record.score is not None for records in played.values() for record in records)


def _request(args: argparse.Namespace, condition: DemoCondition) -> RunRequest:
    from trueline.runs.request_file import make_request

    shared: dict[str, object] = {
        "suite": "starter",
        "agent": "persona",
        "agent_options": _SHORT_PERSONA if args.short else _PERSONA,
        "observation_type": "screenshot_a11y_tree",
        "max_steps": 15,
        "seed": args.seed,
        "paired_seeds": True,
        "num_envs": args.num_envs,
        "result_dir": args.out / condition.name,
    }
    return make_request(shared | condition.fields)


def _plain(out: Path) -> str:
    """The table of the plain condition; `trueline metrics` shows more."""
    from trueline.stats.metrics.analysis import SettingRuns, analyse
    from trueline.stats.metrics.report_text import as_text
    from trueline.stats.options import AnalysisChoices
    from trueline.stats.results.runs import read_runs

    group = SettingRuns("Plain", tuple(read_runs([out / "plain"])))
    return as_text(analyse([group], None, AnalysisChoices())).split("\n\n")[0]
