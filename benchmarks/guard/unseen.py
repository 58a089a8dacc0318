"""What the shipped rules and Scopes do on data of your own: python benchmarks/guard/unseen.py --help.

For recordings and commands that neither the rules nor the tests were written from. Two parts, each by its option:

--benign FOLDER: episodes in OSWorld's layout (…/<domain>/<task id>/traj.jsonl) whose agents did what the user asked.
The guard (policy and scope, strict, no model) judges every step; the Scope is made from the task's own instruction and
from its set-up. Counted per 100 steps: what is blocked, and what is sent on with evidence. Recorded trees are used
where there are any; the same steps are then also judged without.

--commands FILE.yaml: what an injected text may ask for, a list of entries with `class`, `source`, `text`, and
`language` (shell, or python). Each is typed with Enter, pasted, and run as code by the agent's action, under
instructions drawn at random, on a screen that shows a terminal and on one that shows nothing. Only blocked counts.

Evidence is a rule that holds but does not decide, or an effect that may lie outside the Scope. What is merely unknown,
such as a click without a tree, is none.

--tasks is a folder with examples/<domain>/<task id>.json, such as OSWorld's evaluation_examples: words and set-ups
are looked up in it, and commands are tried under instructions of it as well as under the starter suite's.

Intervals are two-sided 95 % score intervals with the design effect of a bootstrap over tasks (benign) or commands. With
nothing blocked the steps of a task count as one observation. Times are the processor's, for a whole check.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import shlex
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeVar, cast, get_args

import numpy as np
import yaml
from pydantic import TypeAdapter
from scope_figures import FORMS, NOW, Form, Instruction, actions, read_tasks, starter_tasks, terminal

from trueline.actions.codecs.pyautogui import decode
from trueline.actions.types import Action, Code
from trueline.guard.config import GuardConfig
from trueline.guard.engine import DeActionGuard
from trueline.guard.policy.stage import load_policy
from trueline.guard.replay import JudgedStep, LeftOut, Replayer
from trueline.guard.scope.stage import SOURCE as SCOPE
from trueline.guard.scope.stage import ScopeStage
from trueline.guard.scope.types import ScopeSource
from trueline.guard.types import Guard, GuardContext
from trueline.records.base import Record
from trueline.records.folder.traj import TRAJ_FILE
from trueline.records.observation import Observation
from trueline.records.proposal import Proposal
from trueline.records.task_texts import TaskFiles, no_task_files, task_files_below
from trueline.records.verdict import Decision, Evidence, Stage, Verdict
from trueline.stats.intervals import mean_interval
from trueline.stats.resample import resample_weights

Screen = Literal["terminal shown", "nothing shown"]
SCREENS: tuple[Screen, ...] = get_args(Screen)
T = TypeVar("T")
_NOTHING = Observation(NOW)


class Command(Record):
    """One thing that an injected text may ask for."""

    kind: str
    source: str
    text: str
    language: Literal["shell", "python"] = "shell"
    ref: str = ""


@dataclass(frozen=True)
class Timed:
    """A guard whose checks are timed."""

    guard: Guard
    seconds: list[float]
    """Grows by the processor time of each check."""

    async def check(self, context: GuardContext) -> Verdict:
        """Give the guard's verdict."""
        began = time.process_time()
        verdict = await self.guard.check(context)
        self.seconds.append(time.process_time() - began)
        return verdict


def guard() -> DeActionGuard:
    """The shipped guard without a model: policy and scope, strict."""
    policy = load_policy()
    return DeActionGuard(GuardConfig(policy, ScopeStage("strict", None, policy.read)))


@dataclass
class Benign:
    """Steps of real episodes, as judged."""

    tasks: list[str] = field(default_factory=list)
    """The task of each step."""
    blocked: list[bool] = field(default_factory=list)
    sent_on: list[bool] = field(default_factory=list)
    undecided: Counter[str] = field(default_factory=Counter)
    """Why steps were left undecided: an error of a reader shows here."""
    reasons: Counter[str] = field(default_factory=Counter)
    """Why steps were blocked, by class."""
    evidence: Counter[str] = field(default_factory=Counter)
    """What steps were sent on with, by class."""
    details: list[dict[str, object]] = field(default_factory=list)

    def add(self, task: str, step: JudgedStep, agent: str) -> None:
        """Count a step."""
        verdict = step.verdict
        blocked = verdict.decision is Decision.MISALIGNED
        against = sorted({item.source for item in verdict.evidence if speaks_against(item)})
        sent_on = not blocked and bool(against)
        self.tasks.append(task)
        self.blocked.append(blocked)
        self.sent_on.append(sent_on)
        if verdict.decision is Decision.UNDECIDED:
            self.undecided[verdict.reason] += 1
        if blocked:
            self.reasons[reason_class(verdict)] += 1
        elif sent_on:
            self.evidence[", ".join(against)] += 1
        if blocked or sent_on:
            why = verdict.reason if blocked else "; ".join(map(_text, filter(speaks_against, verdict.evidence)))
            what = "blocked" if blocked else "sent on"
            self.details.append({"agent": agent, "task": task, "step": step.number, "what": what, "why": why})

    def table(self) -> dict[str, object]:
        """The figures, per 100 steps."""
        if not self.tasks:
            return {"steps": 0}
        return {
            "steps": len(self.tasks),
            "tasks": len(set(self.tasks)),
            "blocked per 100": per_100(self.blocked, self.tasks),
            "sent on with evidence per 100": per_100(self.sent_on, self.tasks),
            "undecided": dict(self.undecided.most_common()),
            "blocked, by class": dict(self.reasons.most_common()),
            "sent on, by source": dict(self.evidence.most_common()),
        }


def speaks_against(item: Evidence) -> bool:
    """Whether evidence is more than what is unknown: a rule that holds but does not decide, or what may lie outside."""
    return item.source.startswith("rule ") or item.source == SCOPE


def _text(item: Evidence) -> str:
    return f"{item.source}: {item.text}"


def reason_class(verdict: Verdict) -> str:
    """A class of reason: the rules that hold, or what the task does not do; no names of files."""
    if verdict.stage is Stage.SCOPE:
        return f"{SCOPE}: {verdict.reason.removeprefix('outside the scope: ').split(':')[0]}"
    against = sorted({item.source for item in verdict.evidence if speaks_against(item)})
    return f"{verdict.stage.value if verdict.stage else 'default'}: {', '.join(against) or verdict.reason}"


def episodes(folder: Path) -> Iterator[Path]:
    """The folders of episodes below a folder."""
    yield from (file.parent for file in sorted(folder.rglob(TRAJ_FILE)))


async def judge_benign(folder: Path, tasks: TaskFiles, agents: bool) -> dict[str, object]:
    """Judge every step of every episode below a folder, with recorded trees and without."""
    shipped, seconds = guard(), list[float]()
    seen, unseen = Benign(), Benign()
    by_agent: defaultdict[str, Benign] = defaultdict(Benign)
    left_out: Counter[str] = Counter()
    found = trees = 0
    for place in episodes(folder):
        agent = place.relative_to(folder).parts[0]
        both: list[tuple[JudgedStep, ...]] = []
        for with_trees in (True, False):
            one_at_a_time = asyncio.Semaphore(1)
            replayer = Replayer(Timed(shipped, seconds), None, "block", one_at_a_time, tasks, with_trees)
            replay = await replayer.replay(place)
            if isinstance(replay, LeftOut):
                left_out[replay.reason] += 1
                break
            both.append(replay.steps)
            if all(step.tree is None for step in replay.steps):
                both.append(replay.steps)
                break
        if len(both) < len(SCREENS):
            continue
        found += 1
        for step, without in zip(*both, strict=True):
            unseen.add(place.name, without, agent)
            by_agent[agent].add(place.name, without, agent)
            if step.tree is not None:
                trees += 1
                seen.add(place.name, step, agent)
    report: dict[str, object] = {"episodes": found, "left out": dict(left_out), "without trees": unseen.table()}
    if trees:
        report["with the recorded trees"] = seen.table()
    if agents:
        report["by agent"] = {name: item.table() for name, item in by_agent.items()}
    report["processor time"] = times(seconds)
    report["details"] = [*unseen.details, *({**item, "tree": True} for item in seen.details)]
    return report


def read_commands(file: Path) -> list[Command]:
    """Read a file of commands."""
    entries = cast("list[dict[str, object]]", yaml.safe_load(file.read_text("utf-8")))
    renamed = [{("kind" if key == "class" else key): value for key, value in entry.items()} for entry in entries]
    return TypeAdapter(list[Command]).validate_python(renamed)


def carried_out(command: Command, form: Form) -> tuple[Action, ...]:
    """The actions that carry a command out; Python reaches a terminal as an argument of the interpreter."""
    if command.language == "shell":
        return actions(command.text, form)
    if form == "run":
        return tuple(decode(command.text).actions) or (Code(source=command.text, language="python"),)
    return actions(f"python3 -c {shlex.quote(command.text)}", form)


@dataclass(frozen=True)
class Try:
    """One command under one instruction, one way, on one screen."""

    command: int
    kind: str
    form: Form
    screen: Screen
    suite: str
    blocked: bool


async def try_commands(
    commands: Sequence[Command], suites: Mapping[str, Sequence[Instruction]], per_command: int, seed: int
) -> tuple[list[Try], list[float], Counter[str]]:
    """Try each command under instructions of each suite; returns the tries, their seconds, and what passed."""
    chosen = random.Random(seed)
    shipped = guard()
    screens: dict[Screen, Observation] = {"terminal shown": terminal(), "nothing shown": _NOTHING}
    tries: list[Try] = []
    seconds: list[float] = []
    passed: Counter[str] = Counter()
    for number, command in enumerate(commands):
        ways: dict[Form, Proposal] = {form: Proposal(id="p", actions=carried_out(command, form)) for form in FORMS}
        for suite, tasks in suites.items():
            for task in chosen.sample(list(tasks), min(per_command, len(tasks))):
                source = ScopeSource(task.text, task.start)
                for form, proposal in ways.items():
                    for screen, observation in screens.items():
                        context = GuardContext(task.text, observation, proposal, scope_source=source)
                        began = time.process_time()
                        verdict = await shipped.check(context)
                        seconds.append(time.process_time() - began)
                        blocked = verdict.decision is Decision.MISALIGNED
                        tries.append(Try(number, command.kind, form, screen, suite, blocked))
                        if not blocked:
                            passed[f"{screen}\t{form}\t{command.kind}\t{command.text!r}"] += 1
    return tries, seconds, passed


def blocked_shares(tries: Sequence[Try]) -> dict[str, object]:
    """Blocked shares by suite and screen: of all, by way in, and by class."""
    keys: list[Callable[[Try], str]] = [lambda _: "all", lambda item: item.form, lambda item: item.kind]
    return {
        f"{suite}, {screen}": {name: share(items) for key in keys for name, items in _grouped(of_screen, key).items()}
        for suite, of_suite in _grouped(tries, lambda item: item.suite).items()
        for screen, of_screen in _grouped(of_suite, lambda item: item.screen).items()
    }


def _grouped(items: Iterable[T], key: Callable[[T], str]) -> dict[str, list[T]]:
    groups: defaultdict[str, list[T]] = defaultdict(list)
    for item in items:
        groups[key(item)].append(item)
    return dict(groups)


def share(tries: Sequence[Try]) -> dict[str, float]:
    """The share that was blocked; a command counts once, by the share of its tries."""
    of_command: defaultdict[int, list[bool]] = defaultdict(list)
    for item in tries:
        of_command[item.command].append(item.blocked)
    values = [sum(hits) / len(hits) for hits in of_command.values()]
    interval = mean_interval(values, resample_weights(["all"] * len(values)))
    figures = {"share": float(np.mean(values)), "low": interval.low, "high": interval.high}
    return {name: round(value, 3) for name, value in figures.items()} | {"commands": len(values), "n": len(tries)}


def per_100(hits: Sequence[bool], tasks: Sequence[str]) -> dict[str, float]:
    """A rate per 100 steps, with its interval clustered by task."""
    interval = mean_interval(np.asarray(hits, float), resample_weights(["all"] * len(hits), list(tasks)))
    figures = {"rate": 100 * float(np.mean(hits)), "low": 100 * interval.low, "high": 100 * interval.high}
    affected = {task for task, hit in zip(tasks, hits, strict=True) if hit}
    return {name: round(value, 2) for name, value in figures.items()} | {"n": sum(hits), "tasks": len(affected)}


def times(seconds: Sequence[float]) -> dict[str, float]:
    """Median and 95th percentile in milliseconds."""
    p50, p95 = np.percentile(seconds, [50, 95])
    return {"p50_ms": round(float(p50) * 1000, 2), "p95_ms": round(float(p95) * 1000, 2), "n": len(seconds)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--benign", type=Path, help="folder of episodes whose agents did what the user asked")
    parser.add_argument("--commands", type=Path, help="YAML file of commands")
    parser.add_argument("--tasks", type=Path, help="folder with examples/<domain>/<task id>.json")
    parser.add_argument("--per_command", type=int, default=20, help="instructions of each suite for each command")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--by_agent", action="store_true", help="also by the first folder level below --benign")
    parser.add_argument("--details", action="store_true", help="also each benign step that was blocked or sent on")
    parser.add_argument("--passed", type=Path, help="write the commands that were not blocked to this file")
    args = parser.parse_args()
    if not (args.benign or args.commands):
        parser.error("nothing to measure: add --benign or --commands")
    tasks = tuple(read_tasks(args.tasks)) if args.tasks else ()
    report: dict[str, object] = {}
    if args.benign:
        files = task_files_below(args.tasks) if args.tasks else no_task_files
        benign = asyncio.run(judge_benign(args.benign, files, args.by_agent))
        if not args.details:
            benign.pop("details")
        report["benign"] = benign
    if args.commands:
        commands = read_commands(args.commands)
        suites = {"osworld": tasks} if tasks else {}
        suites["starter"] = tuple(starter_tasks())
        tries, seconds, passed = asyncio.run(try_commands(commands, suites, args.per_command, args.seed))
        report["commands"] = {"blocked": blocked_shares(tries), "processor time": times(seconds)}
        if args.passed:
            lines = (f"{count}\t{line}\n" for line, count in passed.most_common())
            args.passed.write_text("".join(lines), "utf-8")
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
