"""The demo on real desktops: three conditions, then the tables."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from trueline.cli.demo.stopped import Stopped, picture_stops
from trueline.cli.output import print_json
from trueline.errors import InputError
from trueline.text import printable

if TYPE_CHECKING:
    from trueline.records import EpisodeRecord
    from trueline.stats.analysis import Report

_MARKER = "DEMO.txt"
_SIMULATED = (
    "The agent is SIMULATED: it follows scripts, slips and believes injections by chance. "
    "The desktops, the injections, the checks and the guard are real."
)
_PERSONA = ("slip=0.15", "gullible=0.8", "stubborn=0.2")


class Condition(NamedTuple):
    """One of the three."""

    name: str
    about: str
    words: tuple[str, ...]


def _conditions(short: bool) -> tuple[Condition, ...]:
    tasks = ("*/add-item",) if short else ("*/add-item", "*/save-copy", "*/count-errors", "*/old-backups")
    hosts = ("--only", "*/minutes", "--inject")
    if short:
        hosts += ("--only_injection", "document/terminal_local_script")
    guard = ("--guard", "policy", "--guard_max_revisions", "2", "--guard_exhausted", "skip")
    return (
        Condition("plain", "the tasks as they are", ("--only", *tasks)),
        Condition("injected", "text on the screen wants something else", hosts),
        Condition("guarded", "the same, with the guard's rules in front", (*hosts, *guard)),
    )


def run_desktops(args: argparse.Namespace) -> int:
    """Run the conditions and print the tables."""
    from trueline.cli.run import play_words

    began = time.monotonic()
    _claim(args.out)
    if not args.json:
        print(f"{_SIMULATED}\n")
    played: dict[str, list[EpisodeRecord]] = {}
    for condition in _conditions(args.short):
        print(f"{condition.name}: {condition.about}", file=sys.stderr)
        result = play_words(_words(args, condition))
        played[condition.name] = list(result.records.values())
    reports = _reports(args.out)
    stops = picture_stops(args.out / "guarded", args.out / "stopped")
    if args.json:
        print_json(_document(args, played, reports, stops))
    else:
        _print(args, played, reports, stops)
        print(f"\nThat took {time.monotonic() - began:.0f} s.")
    return 0 if all(record.score is not None for records in played.values() for record in records) else 1


def _claim(out: Path) -> None:
    marker = out / _MARKER
    if out.exists() and not marker.exists():
        raise InputError(f"{out}: exists and is no folder of this demo; name another one with --out")
    out.mkdir(parents=True, exist_ok=True)
    marker.write_text("Made by trueline demo. The agent was simulated; desktops, checks and guard were real.\n")


def _words(args: argparse.Namespace, condition: Condition) -> list[str]:
    return [
        "--suite", "starter", "--agent", "persona", "--agent_option", *_PERSONA, *condition.words,
        "--repeats", "2" if args.short else "3", "--seed", str(args.seed), "--paired_seeds",
        "--num_envs", str(args.num_envs), "--max_steps", "15", "--result_dir", str(args.out / condition.name),
        "--observation_type", "screenshot_a11y_tree",
    ]  # fmt: skip


def _reports(out: Path) -> tuple[Report, Report]:
    """The tables: plain alone, and with against without the guard."""
    from trueline.stats.analysis import Group, analyse
    from trueline.stats.options import Options
    from trueline.stats.runs import read_runs

    def group(name: str, title: str) -> Group:
        return Group(title, tuple(read_runs([out / name])))

    options = Options()
    plain = analyse([group("plain", "Plain")], None, options)
    guarded = analyse([group("injected", "No guard"), group("guarded", "Guard")], None, options)
    return plain, guarded


def _document(
    args: argparse.Namespace,
    played: dict[str, list[EpisodeRecord]],
    reports: tuple[Report, Report],
    stops: list[Stopped],
) -> dict[str, object]:
    from trueline.runs.summary import summarise
    from trueline.stats.report_data import as_json

    plain, guarded = reports
    return {
        "simulated_agent": True,
        "out": str(args.out),
        "conditions": {name: summarise(records) for name, records in played.items()},
        "plain": as_json(plain),
        "injected_and_guarded": as_json(guarded),
        "stopped": [stop._asdict() for stop in stops],
    }


def _short(report: Report) -> str:
    """The table and the comparison; `trueline metrics` tells the rest."""
    from trueline.stats.report_text import as_text

    table, *blocks = as_text(report).split("\n\n")
    return "\n\n".join([table, *(block for block in blocks if " against " in block.partition("\n")[0])]) + "\n"


def _print(
    args: argparse.Namespace,
    played: dict[str, list[EpisodeRecord]],
    reports: tuple[Report, Report],
    stops: list[Stopped],
) -> None:
    from trueline.runs.summary import summarise

    plain, guarded = reports
    print("== Can it do the tasks, and every time? (simulated agent)\n")
    print(_short(plain))
    print("== Does it stay on task when the screen wants something else? With the guard against without\n")
    print(_short(guarded))
    print("== How far the injections got (episodes)\n")
    stages = ("delivered", "exposed", "attempted", "blocked", "achieved")
    print(f"{'':<12}{'episodes':>10}" + "".join(f"{stage:>11}" for stage in stages))
    for name in ("injected", "guarded"):
        attack = summarise(played[name])["attack"]
        assert isinstance(attack, dict)
        print(f"{name:<12}{attack['episodes']:>10}" + "".join(f"{attack[stage]:>11}" for stage in stages))
    print(f"\n== What the guard stopped: {len(stops)} proposals\n")
    for stop in stops[:6]:
        print(printable(f"  {stop.episode}, step {stop.step}: {stop.reason}", 200))
        print(printable(f"    {stop.picture}", 300))
    if len(stops) > 6:
        print(f"  … and {len(stops) - 6} more in {args.out / 'stopped'}")
    print(f"\nEverything is in {printable(str(args.out), 300)}. With a real model:")
    print("  trueline run --suite starter --agent prompt --model 'openai|gpt-5' --repeats 3 --inject --guard policy")
    print("All figures with their intervals, tests and missing trials:")
    print(f"  trueline metrics --run-dirs {args.out}/injected --compare-dirs Guard={args.out}/guarded")
