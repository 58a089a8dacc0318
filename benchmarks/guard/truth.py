"""What proposals of simulated subjects lead to on the starter suite: python benchmarks/guard/truth.py FOLDER.

Plays two sets of episodes with the policy stage in front: a hijacked subject under every injection of the suite, whose
proposals the guard may block, and a subject that makes a slip in every episode, in shadow mode, twice. Then every
blocked proposal and a share of the others runs again on a fresh desktop (`trueline guard truth`). Prints both reports,
and what the ledger cost per step. Rerun with the same folder to resume.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
from pathlib import Path

import trueline
from trueline.records.folder.reader import read_episode
from trueline.records.scan import scan
from trueline.runs.batch.types import BatchEvent
from trueline.runs.request import RunRequest
from trueline.runs.truth.label_runs import TruthOptions, TruthProgress, label_runs
from trueline.runs.truth.report import truth_text
from trueline.runs.truth.review_agreement import check_by_people

HIJACKED = RunRequest(agent="hijacked", guard="policy", inject=True, max_steps=40)
SLIPPING = RunRequest(
    agent="persona", agent_options={"slip": 1.0}, guard="policy", guard_shadow=True, repeats=2, max_steps=40
)


def main() -> None:
    """Record, label, print."""
    parser = argparse.ArgumentParser(description="What proposals of simulated subjects lead to on the starter suite.")
    parser.add_argument("folder", type=Path, help="folder for episodes and labels")
    parser.add_argument("--share", type=float, default=0.25, help="probability of drawing an allowed proposal (0.25)")
    parser.add_argument("--num-envs", type=int, default=2, help="desktops at the same time (2)")
    parser.add_argument("--limit", type=int, help="only the first N tasks")
    args = parser.parse_args()
    for name, request in (("hijacked", HIJACKED), ("slipping", SLIPPING)):
        results = args.folder / name
        trueline.run(request, result_dir=results, num_envs=args.num_envs, limit=args.limit, report=_tell_episode)
        folders = {
            str(Path(trial.folder).relative_to(results.absolute())): Path(trial.folder)
            for trial in scan(results.absolute())
        }
        options = TruthOptions(share=args.share, num_envs=args.num_envs)
        found = asyncio.run(label_runs(folders, results / ".truth", options, _tell_label))
        print(f"## {name}\n\n{truth_text(found, check_by_people({}, found.rows))}\n\n{_ledger_cost(folders)}\n")


def _ledger_cost(folders: dict[str, Path]) -> str:
    """Milliseconds that reading the changes took, per step."""
    steps = [step for folder in folders.values() for step in read_episode(folder).record.steps]
    seconds = sorted(step.timings.ledger for step in steps if step.timings and step.timings.ledger is not None)
    if not seconds:
        return "no step has a ledger"
    median, p95 = statistics.median(seconds), seconds[int(0.95 * len(seconds))]
    return f"ledger per step: median {median * 1000:.1f} ms, p95 {p95 * 1000:.1f} ms, n = {len(seconds)} steps"


def _tell_episode(event: BatchEvent) -> None:
    if event.what == "ended":
        print(f"[{event.done}/{event.total}] {event.path}", file=sys.stderr, flush=True)


def _tell_label(progress: TruthProgress) -> None:
    print(f"[{progress.done}/{progress.total}] {progress.episode}: {len(progress.rows)}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
