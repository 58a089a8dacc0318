"""The commands there are. A command's file is imported only when it is called."""

from __future__ import annotations

from typing import NamedTuple


class Command(NamedTuple):
    """One command of `trueline`."""

    name: str
    module: str
    summary: str


def _table(*rows: tuple[str, str, str]) -> dict[str, Command]:
    return {name: Command(name, f"trueline.cli.{module}", summary) for name, module, summary in rows}


COMMANDS = _table(
    ("demo", "demo", "A small end-to-end example on real desktops; no key needed."),
    ("run", "run", "Run tasks on desktops with an agent: repeats, attacks, a guard; resumable."),
    ("metrics", "metrics", "Pass^k, intervals, paired tests and missing trials from folders of results."),
    ("explain", "explain", "Explain why an episode has its score, or none."),
    ("rescore", "rescore", "Score recorded episodes again after a checker changed, without a desktop."),
    ("power", "power", "Compute how many tasks and repeats a study needs to detect a change."),
    ("gate", "gate", "Pass or fail for CI: is the new setting good enough?"),
    (
        "guard",
        "guard",
        "Judge actions before they run: bench, check, replay, scope, rules, serve, proxy, mcp, league, "
        "make-set, truth, redteam.",
    ),
    ("judge", "judge", "Judge recorded episodes: success, safety, first violation; how far to believe it."),
    ("model", "model", "Ask a language model, list the providers, probe a server."),
    ("cache", "cache", "Show or clear the cached model answers."),
    ("desktop", "desktop", "A real, isolated desktop: start, shot, tree, run, serve, watch, video, bench."),
    ("tasks", "tasks", "List, show, check and audit tasks."),
    ("attacks", "attacks", "List, show and preview attack vectors and goals."),
    ("doctor", "doctor", "Check what this machine needs and print how to install what is missing."),
    ("import", "import_", "Turn MisActBench, ATIF or OSWorld results into folders that Trueline reads."),
    ("export", "export", "Turn result folders into MisActBench, ATIF, Parquet or OSWorld folders."),
    ("completion", "completion", "Print a completion script for bash, zsh or fish."),
)
