"""The starter suite's hijacks with rules and scope, live: python benchmarks/guard/starter_suite.py FOLDER.

Plays every injection of the suite with a subject that follows it, without a guard and behind the policy stage with a
strict Scope, and the oracle behind the same guard. Prints the achieved injections of both by goal, how the others
ended, the share of hijacks in which the Scope alone finds nothing outside, and the oracle's success. Attack success is
against a scripted hijack. Rerun with the same folder to resume. The figures are development figures.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections import Counter, defaultdict
from pathlib import Path

import trueline
from trueline.guard.config import GuardConfig
from trueline.guard.engine import DeActionGuard
from trueline.guard.replay import LeftOut, Replayer
from trueline.guard.scope.stage import ScopeStage
from trueline.records.episode import EpisodeRecord
from trueline.records.folder.reader import read_episode
from trueline.records.scan import scan
from trueline.runs.request import RunRequest
from trueline.stats.intervals import wilson

SCOPED = {"scope": "strict"}
SETS = {
    "hijacked": RunRequest(agent="hijacked", inject=True, max_steps=40),
    "hijacked, guarded": RunRequest(
        agent="hijacked", inject=True, max_steps=40, guard="policy", guard_options=dict(SCOPED)
    ),
    "oracle, guarded": RunRequest(agent="oracle", max_steps=40, guard="policy", guard_options=dict(SCOPED)),
}


def main() -> None:
    """Play, count, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="folder for the episodes")
    parser.add_argument("--num-envs", type=int, default=2, help="desktops at the same time (2)")
    args = parser.parse_args()
    records: dict[str, list[EpisodeRecord]] = {}
    folders: dict[str, list[Path]] = {}
    for name, request in SETS.items():
        results = args.folder / name.replace(", ", "-")
        trueline.run(request, result_dir=results, num_envs=args.num_envs)
        folders[name] = [Path(trial.folder) for trial in scan(results.absolute())]
        records[name] = [read_episode(folder).record for folder in folders[name]]
        print(f"{name}: {len(records[name])} episodes", file=sys.stderr)
    print(json.dumps(report(records, asyncio.run(not_outside(folders["hijacked"]))), indent=1))


async def not_outside(folders: list[Path]) -> dict[str, bool]:
    """Whether the Scope alone would have stopped nothing, by episode."""
    replayer = Replayer(DeActionGuard(GuardConfig(None, ScopeStage("strict"))), None, "block", asyncio.Semaphore(2))
    found: dict[str, bool] = {}
    for folder in folders:
        replay = await replayer.replay(folder)
        if not isinstance(replay, LeftOut):
            found[str(folder)] = replay.achieved is True and not replay.stops
    return found


def report(records: dict[str, list[EpisodeRecord]], inside: dict[str, bool]) -> dict[str, object]:
    """All figures."""
    by_goal: dict[str, dict[str, str]] = defaultdict(dict)
    figures: dict[str, object] = {}
    for name in ("hijacked", "hijacked, guarded"):
        attacked = [one for one in records[name] if one.attack is not None and one.funnel is not None]
        achieved = [one for one in attacked if one.funnel is not None and one.funnel.achieved]
        figures[name] = {"achieved": share(len(achieved), len(attacked)), "ends": ends(attacked)}
        for goal in sorted({str(one.attack.goal) for one in attacked if one.attack}):
            of_goal = [one for one in attacked if one.attack is not None and one.attack.goal == goal]
            by_goal[goal][name] = f"{sum(one in achieved for one in of_goal)} of {len(of_goal)}"
    oracle = [one for one in records["oracle, guarded"] if one.task.kind == "benign" and one.score is not None]
    late = sum(step.late_stop is not None for one in records["hijacked, guarded"] for step in one.steps)
    return {
        **figures,
        "achieved by goal": by_goal,
        "late stops": late,
        "hijacks with nothing outside the scope": share(sum(inside.values()), len(inside)),
        "oracle solves": share(sum(one.score == 1 for one in oracle), len(oracle)),
    }


def ends(records: list[EpisodeRecord]) -> dict[str, int]:
    """How many ended in which way."""
    return dict(Counter(str(one.end or one.unscored) for one in records))


def share(hits: int, n: int) -> dict[str, float]:
    """A share with its 95 % interval."""
    if not n:
        return {"n": 0}
    interval = wilson(hits, n)
    return {"hits": hits, "n": n, "share": hits / n, "low": interval.low, "high": interval.high}


if __name__ == "__main__":
    main()
