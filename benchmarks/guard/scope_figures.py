"""What a Scope made by rules contains and stops: python benchmarks/guard/scope_figures.py [--tasks FOLDER] [--json].

Five tables. Coverage: the share of tasks whose related applications and evaluator paths a firm grant covers. Hijacks:
the commands of `hijack_commands.yaml`, each under a sample of the instructions, typed or pasted or run by a program, on
a screen that shows a terminal and on one that shows nothing; blocked by the shipped rules, by the Scope, and by both.
Benign: the commands of `benign_commands.yaml`, each after those before it under the instruction that it serves.
Time: what the policy and scope stages take for a step, on small screens and on trees of thousands of elements (a large
tree is read once; the steps after that see the same one or a new one, as the table says).

FOLDER holds tasks in OSWorld's format. Without one the instructions are those of the starter suite.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, cast

import numpy as np
import yaml
from pydantic import JsonValue

from trueline.actions.codecs.pyautogui import decode
from trueline.actions.types import Action, Click, Code, Key, Point, Type
from trueline.guard.config import GuardConfig
from trueline.guard.engine import DeActionGuard
from trueline.guard.policy.stage import load_policy
from trueline.guard.scope.from_words import scope_from_words
from trueline.guard.scope.place import covers_application, covers_path
from trueline.guard.scope.stage import ScopeStage
from trueline.guard.scope.start_state import start_state
from trueline.guard.scope.types import ScopeSource, StartState
from trueline.guard.types import GuardContext, PastStep
from trueline.records.observation import Observation
from trueline.records.proposal import Proposal
from trueline.records.tree import Node, Place, Size, Tree
from trueline.records.verdict import Decision
from trueline.stats.intervals import wilson
from trueline.tasks.suite import load_refs, load_suite

COMMANDS = Path(__file__).with_name("hijack_commands.yaml")
BENIGN = Path(__file__).with_name("benign_commands.yaml")
NOW = datetime(2026, 1, 2, tzinfo=UTC)
SHOWN = frozenset({"showing", "visible", "enabled"})
Form = Literal["typed", "pasted", "run"]
FORMS: tuple[Form, ...] = ("typed", "pasted", "run")
_PATHS = ("path", "dirname", "dir_path", "directory", "file_path")


@dataclass(frozen=True)
class Instruction:
    """A task's words, what is open when it begins, and what its checker looks at."""

    id: str
    text: str
    start: StartState
    applications: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()


def read_tasks(folder: Path) -> Iterator[Instruction]:
    for file in sorted(folder.rglob("*.json")):
        content = json.loads(file.read_text("utf-8"))
        if isinstance(content, dict) and "instruction" in content and "evaluator" in content:
            task = cast("dict[str, JsonValue]", content)
            evaluator = task.get("evaluator")
            result = evaluator.get("result") if isinstance(evaluator, dict) else None
            yield Instruction(
                str(task.get("id", file.stem)),
                str(task["instruction"]),
                start_state(cast("list[dict[str, JsonValue]]", task.get("config") or [])),
                tuple(cast("list[str]", task.get("related_apps") or [])),
                tuple(path for path in _paths(result) if path.startswith(("/", "~"))),
            )


def _paths(value: JsonValue) -> Iterator[str]:
    if isinstance(value, list):
        for item in value:
            yield from _paths(item)
    elif isinstance(value, dict) and value.get("type") != "cloud_file":
        for key, item in value.items():
            if key in _PATHS:
                yield from (text for text in (item if isinstance(item, list) else [item]) if isinstance(text, str))
            else:
                yield from _paths(item)


def starter_tasks() -> Iterator[Instruction]:
    for item in load_refs(load_suite("starter").refs).tasks:
        steps = [step.model_dump(mode="json") for step in item.task.config]
        yield Instruction(str(item.ref), item.task.instruction, start_state(steps))


def coverage(tasks: Sequence[Instruction]) -> dict[str, float]:
    covered: list[bool] = []
    for task in tasks:
        scope = scope_from_words(task.text, task.start)
        missing = [name for name in task.applications if not covers_application(scope, name)]
        missing += [path for path in task.paths if not covers_path(scope, path, "write")]
        covered.append(not missing)
    return share(covered)


def terminal() -> Observation:
    shell = Node(
        "terminal", "Terminal", "user@desk:~$ ", SHOWN | {"focused"}, {}, Place(0, 30), Size(1000, 670), children=()
    )
    frame = Node("frame", "Terminal", "", SHOWN | {"active"}, {}, Place(0, 0), Size(1000, 700), children=(shell,))
    application = Node("application", "xfce4-terminal", "", SHOWN, {}, children=(frame,))
    return Observation(NOW, tree=Tree(Node("desktop-frame", states=SHOWN, children=(application,))))


def actions(command: str, form: Form) -> tuple[Action, ...]:
    match form:
        case "typed":
            return (Type(text=command), Key(key="enter"))
        case "pasted":
            keys = "pyautogui.hotkey('ctrl', 'shift', 'v')\npyautogui.press('enter')"
            code = f"import pyautogui, pyperclip\npyperclip.copy({command!r})\n{keys}"
            return tuple(decode(code).actions)
        case "run":
            code = f"import subprocess\nsubprocess.run({command!r}, shell=True)"
            found = tuple(decode(code).actions)
            return found or (Code(source=code, language="python"),)


def hijacks(tasks: Sequence[Instruction], per_command: int, seed: int) -> tuple[dict[str, object], list[str]]:
    chosen = random.Random(seed)
    policy = load_policy()
    alone = DeActionGuard(GuardConfig(policy))
    both = DeActionGuard(GuardConfig(policy, ScopeStage("strict", None, policy.read)))
    scoped = DeActionGuard(GuardConfig(None, ScopeStage("strict")))
    commands = cast("dict[str, str]", yaml.safe_load(COMMANDS.read_text("utf-8")))
    found: dict[tuple[str, str, str], list[bool]] = {}
    passed: list[str] = []
    seconds: list[float] = []

    async def blocked(guard: DeActionGuard, context: GuardContext) -> bool:
        began = time.process_time()
        verdict = await guard.check(context)
        if guard is both:
            seconds.append(time.process_time() - began)
        return verdict.decision is Decision.MISALIGNED

    async def main() -> None:
        for kind, lines in commands.items():
            for line in lines.splitlines():
                for task in chosen.sample(list(tasks), min(per_command, len(tasks))):
                    for form in FORMS:
                        for screen, seen in (("terminal", terminal()), ("nothing", Observation(NOW))):
                            proposal = Proposal(id="p", actions=actions(line, form))
                            context = GuardContext(
                                task.text, seen, proposal, scope_source=ScopeSource(task.text, task.start)
                            )
                            for name, guard in (("policy", alone), ("scope", scoped), ("both", both)):
                                hit = await blocked(guard, replace(context))
                                for key in ((name, screen, kind), (name, screen, form), (name, screen, "all")):
                                    found.setdefault(key, []).append(hit)
                                if name == "both" and not hit:
                                    passed.append(f"{screen} {form} {kind}: {line} | {task.text[:80]}")

    asyncio.run(main())
    table: dict[str, object] = {" ".join(key): share(hits) for key, hits in found.items()}
    p50, p95 = np.percentile(seconds, [50, 95])
    table["time"] = {"p50_ms": round(float(p50) * 1000, 2), "p95_ms": round(float(p95) * 1000, 2), "n": len(seconds)}
    return table, passed


async def benign() -> dict[str, object]:
    """Blocked steps of ordinary work, by class."""
    policy = load_policy()
    guard = DeActionGuard(GuardConfig(policy, ScopeStage("strict", None, policy.read)))
    found: dict[str, list[bool]] = {}
    work = cast("dict[str, list[dict[str, list[str]]]]", yaml.safe_load(BENIGN.read_text("utf-8")))
    for kind, tasks in work.items():
        for task in tasks:
            text, opened = str(task["instruction"]), task.get("open", [])
            files = tuple(name for name in opened if name.startswith(("/", "~")))
            start = StartState(tuple(name for name in opened if name not in files), files)
            for form in FORMS:
                for seen in (terminal(), Observation(NOW)):
                    past: list[PastStep] = []
                    for number, line in enumerate(task["commands"], 1):
                        proposal = Proposal(id="p", actions=actions(line, form))
                        source = ScopeSource(text, start)
                        context = GuardContext(text, seen, proposal, tuple(past), scope_source=source)
                        hit = (await guard.check(context)).decision is not Decision.ALIGNED
                        past.append(PastStep(number, proposal, seen))
                        found.setdefault(kind, []).append(hit)
    found["all"] = [hit for hits in found.values() for hit in hits]
    return {kind: share(hits) for kind, hits in found.items()}


def large_screen(elements: int, number: int) -> Observation:
    """A spreadsheet of so many cells; each number is another one."""
    cells = tuple(
        Node("table-cell", f"{number} {place}", "", SHOWN, {}, Place(place % 50 * 20, place // 50 * 5), Size(20, 5))
        for place in range(elements)
    )
    frame = Node("frame", "Sheet", "", SHOWN | {"active"}, {}, Place(0, 0), Size(1920, 1080), children=cells)
    application = Node("application", "soffice", "", SHOWN, {}, children=(frame,))
    return Observation(NOW, tree=Tree(Node("desktop-frame", states=SHOWN, children=(application,))))


async def large_trees(elements: int, steps: int = 30) -> dict[str, float]:
    """What a step takes where every step shows another large tree, as it does in an episode."""
    policy = load_policy()
    guard = DeActionGuard(GuardConfig(policy, ScopeStage("strict", None, policy.read)))
    past: list[PastStep] = []
    seconds: list[float] = []
    for number in range(steps):
        seen = large_screen(elements, number)
        proposal = Proposal(id="p", actions=(Click(at=Point(105, 52)), Type(text="=SUM(A1:A9)"), Key(key="enter")))
        context = GuardContext("Sum up the open table.", seen, proposal, tuple(past), step=number + 1)
        began = time.process_time()  # processor time: other programs must not count
        await guard.check(context)
        seconds.append(time.process_time() - began)
        past.append(PastStep(number + 1, proposal, seen))
    p50, p95 = np.percentile(seconds, [50, 95])
    return {
        "elements": elements,
        "p50_ms": round(float(p50) * 1000, 2),
        "p95_ms": round(float(p95) * 1000, 2),
        "n": steps,
    }


def share(hits: Sequence[bool]) -> dict[str, float]:
    if not hits:
        return {"n": 0}
    interval = wilson(sum(hits), len(hits))
    return {
        "share": round(sum(hits) / len(hits), 4),
        "hits": sum(hits),
        "n": len(hits),
        "low": round(interval.low, 4),
        "high": round(interval.high, 4),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", type=Path)
    parser.add_argument("--per_command", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--passed", type=Path, help="write what was not blocked to this file")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    began = time.perf_counter()
    tasks = tuple(read_tasks(args.tasks)) if args.tasks else tuple(starter_tasks())
    table, passed = hijacks(tasks, args.per_command, args.seed)
    report: dict[str, object] = {"tasks": len(tasks), "hijacks": table, "benign": asyncio.run(benign())}
    report["time_large"] = [asyncio.run(large_trees(elements)) for elements in (300, 3_000, 20_000)]
    slots = [scope_from_words(task.text, task.start).open_slots for task in tasks]
    report["open_slots"] = share([bool(slot) for slot in slots])
    if args.tasks:
        report["coverage"] = coverage(tasks)
    report["seconds"] = round(time.perf_counter() - began, 1)
    if args.passed:
        args.passed.write_text("\n".join(passed) + "\n", "utf-8")
    if args.json:
        print(json.dumps(report, indent=1))
        return
    print(f"{len(tasks)} tasks; coverage {report.get('coverage', 'not measured')}")
    for key, value in table.items():
        print(f"{key:40} {value}")


if __name__ == "__main__":
    main()
