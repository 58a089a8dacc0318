"""Sets up every task of OSWorld and OS-Harm on a local desktop with stand-in files, and scores the untouched desktop.

    .venv/bin/python benchmarks/tasks/world_proof.py [--tasks GLOB …] [--desktops 2] [--resume] [--write]

Writes one line of JSON for each task to `--out` as it goes; `--write` writes docs/reference/world-proof.md. Needs
../shared/data, the applications, and `.venv-osworld` (./scripts/setup full). There is no network: a check that needs a
live site or credentials is done with a stand-in answer.
"""

from __future__ import annotations

import argparse
import asyncio
import fnmatch
import json
import sys
import tempfile
import time
import traceback
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Literal, cast

from pydantic import JsonValue
from world_proof_page import Outcome, page

from trueline.desktop.local import LocalDesktop, LocalOptions
from trueline.desktop.types import DesktopLost
from trueline.errors import TruelineError
from trueline.tasks.attacks.sinks import open_sinks
from trueline.tasks.bridge.bridge import Bridge
from trueline.tasks.bridge.evaluation import BridgedTask
from trueline.tasks.bridge.names import has_check
from trueline.tasks.bridge.not_scorable import cloud_files
from trueline.tasks.bridge.score import Bridging
from trueline.tasks.checkers import evaluate, scored_by
from trueline.tasks.checkers.home import keep_home
from trueline.tasks.downloads import Downloads
from trueline.tasks.errors import CheckerError
from trueline.tasks.facilities import local_facilities
from trueline.tasks.mirror import open_mirror
from trueline.tasks.model import Getter, Step, Task
from trueline.tasks.model.evaluator import checks
from trueline.tasks.needs import needs_of
from trueline.tasks.root import needs_root
from trueline.tasks.rtc.addresses import is_rtc
from trueline.tasks.selection import Selection, select
from trueline.tasks.setup import run_steps
from trueline.tasks.setup.errors import StepError
from trueline.tasks.setup_steps import SETUP_STEPS
from trueline.tasks.stand_ins.folder import write_stand_ins
from trueline.tasks.stand_ins.generate import generate
from trueline.tasks.stand_ins.wanted import Wanted
from trueline.tasks.suite import SuiteTask, load_suite
from trueline.tasks.support import unsupported
from trueline.tasks.workspace import Workspace

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT.parent / "shared" / "data"
PAGE = ROOT / "docs/reference/world-proof.md"
OUT = ROOT / "build" / "world_proof.jsonl"
SUITES = {"osworld": ("osworld/osworld369", ("test_all",)),
          "osharm": ("osharm", ("test_injection", "test_misbehavior", "test_misuse"))}  # fmt: skip
LONGEST_SLEEP = 1.0
"""Seconds to which sleeping steps are cut: nobody acted, so there is little to wait for."""
TASK_LIMIT = 420.0
SuiteName = Literal["osworld", "osharm"]


class Proof:
    """The tasks of one suite, tried on one desktop after the other."""

    def __init__(self, suite: SuiteName, tasks: Sequence[SuiteTask], workspace: Workspace, bridge: Bridge) -> None:
        self.suite: SuiteName = suite
        self.tasks = tasks
        self._workspace = workspace
        self._bridge = bridge
        self.offline, self.online = local_facilities(), local_facilities(network=True)

    async def run(self, task: SuiteTask, desktop: LocalDesktop) -> Outcome:
        """Try one task on a fresh desktop."""
        one = task.task
        outcome = Outcome(self.suite, task.ref.name, task.ref.domain)
        outcome.unsupported = [*unsupported(one, self.offline)]
        outcome.online_unsupported = [*unsupported(one, self.online)]
        outcome.downloads = bool(needs_of(one).downloads)
        outcome.root = self.offline.root and needs_root(one)
        began = time.monotonic()
        try:
            async with asyncio.timeout(TASK_LIMIT):
                desktop.grant_root(outcome.root)
                await desktop.reset()
                await self._try(one, desktop, outcome)
        except TimeoutError:
            outcome.error = f"not done within {TASK_LIMIT:g} s"
        except (TruelineError, DesktopLost) as error:
            outcome.error = f"{type(error).__name__}: {error}"
        except Exception:
            outcome.error = "".join(traceback.format_exc())[-2000:]
        outcome.seconds = round(time.monotonic() - began, 1)
        outcome.date = datetime.now(UTC).date().isoformat()
        return outcome

    async def _try(self, task: Task, desktop: LocalDesktop, outcome: Outcome) -> None:
        workspace = Workspace(desktop, self._workspace.downloads, self._workspace.assets)
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(open_sinks(desktop))
            provided = [step for step in task.config if _is_provided(step, task)]
            outcome.skipped = [step.type for step in task.config if not _is_provided(step, task)]
            try:
                reports = await run_steps([_shortened(step) for step in provided], workspace)
            except StepError as error:
                outcome.setup = str(error)
            else:
                outcome.codes = [
                    f"{report.type}: {report.missed or f'exit code {report.returncode}: {report.output[-300:]}'}"
                    for report in reports
                    if report.returncode or report.missed
                ]
            if self.suite == "osharm":
                return
            await keep_home(task.evaluator, workspace)
            await self._score(task, workspace, outcome)

    async def _score(self, task: Task, workspace: Workspace, outcome: Outcome) -> None:
        outcome.scorer = scored_by(task.evaluator)
        if outcome.scorer == "none":
            return
        postconfig = tuple(_shortened(step) for step in task.evaluator.postconfig if SETUP_STEPS.provides(step.type))
        evaluator = task.evaluator.model_copy(update={"postconfig": postconfig})
        bridging = Bridging(self._bridge, task.id, task.instruction)
        try:
            found = await evaluate(evaluator, workspace, failed=False, bridging=bridging)
        except CheckerError as error:
            if "not scorable" not in str(error):
                outcome.error = str(error)
                return
            outcome.stand_in_answer = str(error)
        else:
            outcome.score, outcome.reason = found.score, found.reason[:500]
            return
        await self._score_with_stand_ins(task, workspace, outcome)

    async def _score_with_stand_ins(self, task: Task, workspace: Workspace, outcome: Outcome) -> None:
        """Do each check with OSWorld's function, and with a stand-in for what its getters cannot reach here."""
        files = dict(workspace.outputs)
        for name, url in cloud_files(task.evaluator).items():
            files[name] = (await workspace.downloads.fetch(url)).read_bytes()
        recorded: list[dict[str, JsonValue]] = []
        for check in checks(task.evaluator):
            values: dict[str, JsonValue] = {}
            for side, getter in (("result", check.result), ("expected", check.expected)):
                if getter is not None and (getter.type == "googledrive_file" or getter.type.endswith("_from_url")):
                    values[side] = _stand_in_value(getter, f"{task.id}/{side}", files)
            recorded.append(values)
        about = BridgedTask(id=task.id, instruction=task.instruction, time_zone="UTC",
                            evaluator=task.evaluator.model_dump(mode="json", exclude_unset=True))  # fmt: skip
        scores: list[float] = []
        async with self._bridge.evaluation(workspace.desktop, about, files) as evaluation:
            for check, values in zip(checks(task.evaluator), recorded, strict=True):
                if not has_check(check):
                    outcome.error = f"{check.function}: not in OSWorld's package"
                    return
                answer = await evaluation.check(check, {**values} or None)
                if answer.score is None:
                    outcome.error = f"{check.function}: {answer.failure}"
                    return
                scores.append(answer.score)
        joined = min(scores) if task.evaluator.conj == "and" else max(scores)
        outcome.score, outcome.reason = joined, "with a stand-in answer"


def _stand_in_value(getter: Getter, seed: str, files: dict[str, bytes]) -> JsonValue:
    """What a getter that fetches files would return: the places of stand-ins, which are added to the files."""
    names = (getter.model_extra or {}).get("dest")
    found: list[JsonValue] = []
    for name in names if isinstance(names, list) else [names]:
        if isinstance(name, str):
            files[name] = generate(Wanted(f"{seed}/{name}", [PurePosixPath(name).name], remote=False)).content
            found.append(f"/tmp/cache/{name}")
    return found if isinstance(names, list) else (found[0] if found else None)


def _is_provided(step: Step, task: Task) -> bool:
    """Whether this program has the step; it logs in at sites of RTC-Bench's alone."""
    return SETUP_STEPS.provides(step.type) and (step.type != "login" or is_rtc(task))


def _shortened(step: Step) -> Step:
    if step.type != "sleep":
        return step
    parameters = getattr(step, "parameters")  # noqa: B009 - typed by `type`
    return step.model_copy(
        update={"parameters": parameters.model_copy(update={"seconds": min(parameters.seconds, LONGEST_SLEEP)})}
    )


def load(suite: SuiteName, data: Path) -> tuple[tuple[SuiteTask, ...], tuple[Path, ...]]:
    """The tasks of a suite, and the folders of files that come with them."""
    folder, indexes = SUITES[suite]
    tasks: dict[str, SuiteTask] = {}
    assets: tuple[Path, ...] = ()
    for index in indexes:
        found = load_suite(None, data / folder / f"{index}.json", data / folder, "examples")
        assets = found.assets
        tasks |= {task.ref.name: task for task in select(found, Selection()).whole()}
    return tuple(tasks.values()), assets


async def prove(asked: argparse.Namespace, done: dict[tuple[str, str], Outcome], scratch: Path) -> None:
    """Try the tasks that are asked for, on a few desktops at a time."""
    options = LocalOptions(nameserver=True, sudo_password="password")
    queue: asyncio.Queue[tuple[Proof, SuiteTask]] = asyncio.Queue()
    wanted: list[tuple[int, Proof, SuiteTask]] = []
    async with Bridge() as bridge:
        for suite in asked.suites:
            tasks, assets = load(suite, asked.data)
            places = [(_place(task.ref.name, asked.tasks), task) for task in tasks]
            chosen = [task.task for place, task in places if place is not None]
            written = write_stand_ins(chosen, asked.stand_ins / suite)
            if written.failed:
                print(f"no stand-ins for: {written.failed}", file=sys.stderr)
            downloads = Downloads(scratch / "cache", offline=True, mirror=open_mirror(str(asked.stand_ins / suite)))
            workspace = Workspace(LocalDesktop(options), downloads, (*assets, *downloads.folders))
            proof = Proof(suite, tasks, workspace, bridge)
            wanted += [
                (place, proof, task)
                for place, task in places
                if place is not None and (suite, task.ref.name) not in done
            ]
        for _, proof, task in sorted(wanted, key=lambda one: one[0]):
            queue.put_nowait((proof, task))
        total, left = queue.qsize(), queue.qsize()

        async def work() -> None:
            nonlocal left
            async with LocalDesktop(options) as desktop:
                while not queue.empty():
                    proof, task = queue.get_nowait()
                    outcome = _same_set_up(task, proof, done) or await proof.run(task, desktop)
                    done[outcome.suite, outcome.task] = outcome
                    with asked.out.open("a", encoding="utf-8") as file:
                        file.write(json.dumps(asdict(outcome)) + "\n")
                    left -= 1
                    said = outcome.error or (outcome.setup if outcome.setup != "done" else f"{outcome.score}")
                    print(f"{total - left}/{total} {outcome.task} {outcome.seconds} s: {said}"[:300], flush=True)

        async with asyncio.TaskGroup() as group:
            for _ in range(min(asked.desktops, total)):
                group.create_task(work())


def _same_set_up(task: SuiteTask, proof: Proof, done: Mapping[tuple[str, str], Outcome]) -> Outcome | None:
    """The outcome of a task that only differs in its wording, where nothing but the set-up counts.

    Most tasks of OS-Harm come twice.
    """
    if proof.suite != "osharm" or not task.task.instruction.strip():
        return None
    for other in proof.tasks:
        known = done.get((proof.suite, other.ref.name))
        if known is not None and other.task.config == task.task.config and other.task.instruction.strip():
            wanted = [*unsupported(task.task, proof.offline)], [*unsupported(task.task, proof.online)]
            return replace(known, task=task.ref.name, unsupported=wanted[0], online_unsupported=wanted[1], seconds=0.0)
    return None


def _place(name: str, patterns: Sequence[str]) -> int | None:
    """Which pattern a task matches first; `None` if none does."""
    found = (place for place, pattern in enumerate(patterns) if fnmatch.fnmatchcase(name, pattern))
    return next(found, None) if patterns else 0


def read(path: Path) -> dict[tuple[str, str], Outcome]:
    """The outcomes of a file; a later line of a task replaces an earlier one."""
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    outcomes = [Outcome(**json.loads(line)) for line in lines]
    return {(outcome.suite, outcome.task): outcome for outcome in outcomes}


def predict_again(done: Mapping[tuple[str, str], Outcome], data: Path) -> None:
    """Compare what tasks need with what desktops offer now: an outcome may be older than the prediction."""
    offline, online = local_facilities(), local_facilities(network=True)
    for suite in SUITES:
        for task in load(cast("SuiteName", suite), data)[0]:
            if (outcome := done.get((suite, task.ref.name))) is not None:
                outcome.downloads = bool(needs_of(task.task).downloads)
                outcome.unsupported = [*unsupported(task.task, offline)]
                outcome.online_unsupported = [*unsupported(task.task, online)]


def failed(outcomes: Iterable[Outcome]) -> list[Outcome]:
    """Those whose set-up or evaluator failed."""
    return [one for one in outcomes if one.setup != "done" or one.error]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--suites", nargs="+", choices=[*SUITES], default=[*SUITES])
    parser.add_argument(
        "--tasks", nargs="+", default=[], metavar="GLOB", help="only tasks whose domain/id matches, in this order"
    )
    parser.add_argument("--desktops", type=int, default=1)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--stand-ins", type=Path, default=ROOT / "build" / "stand_ins")
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--resume", action="store_true", help="skip tasks that the file has")
    parser.add_argument("--again", action="store_true", help="with --resume: try those that failed again")
    parser.add_argument("--write", action="store_true", help="write the table of the docs")
    asked = parser.parse_args()
    asked.out.parent.mkdir(parents=True, exist_ok=True)
    if not asked.resume:
        asked.out.write_text("")
    done = read(asked.out)
    if asked.again:
        for outcome in failed(done.values()):
            del done[outcome.suite, outcome.task]
    with tempfile.TemporaryDirectory() as scratch:
        asyncio.run(prove(asked, done, Path(scratch)))
    if asked.write:
        predict_again(done, asked.data)
        PAGE.write_text(page(done.values(), LONGEST_SLEEP), "utf-8")
    for outcome in failed(done.values()):
        print(f"{outcome.task}: {outcome.setup} {outcome.error}"[:1000])
    return 0


if __name__ == "__main__":
    sys.exit(main())
