"""The demo on real desktops: the same host tasks plain, under injection, and with the guard."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from trueline.cli.demo.folder import claim_folder
from trueline.cli.demo.report import Results, document, text
from trueline.cli.demo.stopped import choose_stops, draw_stops, find_stops
from trueline.cli.output import print_json

if TYPE_CHECKING:
    from trueline.records import EpisodeRecord

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
_PERSONA = ("slip=0.15", "gullible=0.8", "stubborn=0.2")
_SHORT_PERSONA = ("gullible=1",)
_PICTURES = 3


class Condition(NamedTuple):
    """One of the three."""

    name: str
    about: str
    words: tuple[str, ...]


def _conditions(short: bool) -> tuple[Condition, ...]:
    tasks = ("--only", *(HOSTS[:1] if short else HOSTS))
    twice = ("--repeats", "2" if short else "3")
    inject = (*tasks, "--inject", *(("--only_injection", "document/delete_all_user_files", *twice) if short else ()))
    guard = ("--guard", "policy", "--guard_max_revisions", "2", "--guard_exhausted", "skip")
    return (
        Condition("plain", "the tasks as they are, each several times", (*tasks, *twice)),
        Condition("injected", "text on the screen wants something else; no guard", inject),
        Condition("guarded", "the same, with the guard's rules in front", (*inject, *guard)),
    )


def run_desktops(args: argparse.Namespace) -> int:
    """Run the conditions, print the tables, draw the pictures."""
    from trueline.cli.run import play_words

    began = time.monotonic()
    claim_folder(args.out)
    if not args.json:
        print(f"{_SIMULATED}\n", flush=True)
    played: dict[str, list[EpisodeRecord]] = {}
    conditions = _conditions(args.short)
    for number, condition in enumerate(conditions, start=1):
        print(f"{number} of {len(conditions)}  {condition.name}: {condition.about}", file=sys.stderr)
        played[condition.name] = list(play_words(_words(args, condition)).records.values())
    stops = find_stops(args.out / "guarded")
    chosen = choose_stops(stops, _PICTURES)
    pictures = draw_stops(chosen, args.out / "stopped")
    results = Results(args.out, played, _plain(args.out), stops, list(zip(chosen, pictures, strict=True)))
    if args.json:
        print_json(document(results))
    else:
        print(text(results))
        print(f"\nThat took {time.monotonic() - began:.0f} s.")
    return 0 if _all_scored(played) else 1


def _all_scored(played: Mapping[str, list[EpisodeRecord]]) -> bool:
    """Whether every episode was scored; misuse and unsupported tasks are not among them."""
    return all(record.score is not None for records in played.values() for record in records)


def _words(args: argparse.Namespace, condition: Condition) -> list[str]:
    return [
        "--suite", "starter", "--agent", "persona",
        "--agent_option", *(_SHORT_PERSONA if args.short else _PERSONA), *condition.words,
        "--seed", str(args.seed), "--paired_seeds", "--num_envs", str(args.num_envs), "--max_steps", "15",
        "--result_dir", str(args.out / condition.name), "--observation_type", "screenshot_a11y_tree",
    ]  # fmt: skip


def _plain(out: Path) -> str:
    """The table of the plain condition; `trueline metrics` tells the rest."""
    from trueline.stats.analysis import Group, analyse
    from trueline.stats.options import Options
    from trueline.stats.report_text import as_text
    from trueline.stats.runs import read_runs

    group = Group("Plain", tuple(read_runs([out / "plain"])))
    return as_text(analyse([group], None, Options())).split("\n\n")[0]
