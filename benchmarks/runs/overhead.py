"""What the runner itself takes: python benchmarks/runs/overhead.py. Prints two tables in Markdown.

Overhead of a step is everything but the agent's thinking, the action itself and the wait for the screen to settle:
looking (screenshot and tree of mousepad), recording, the screenshot after the action. Throughput is the model calls per
second that desktops with a model of 1 s reach, against what the calls alone would allow.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

from trueline.cli.run import parse_request
from trueline.models.testing import FakeServer, Say
from trueline.records import EpisodeRecord
from trueline.runs.play import run

STEPS = 15
MOVE = "```python\npyautogui.moveTo({x}, 300)\n```"
AGENT = """
from trueline.actions import Move, Point
from trueline.records import ObservationSpec, Proposal

class Mover:
    wants = ObservationSpec(screenshot=True, tree=True)

    async def reset(self, ctx):
        self.turn = 0

    async def propose(self, obs, last):
        self.turn += 1
        return Proposal(id=f"p{self.turn}", actions=(Move(to=Point(200 + 10 * self.turn, 300)),))

    async def revise(self, rejected, feedback):
        return rejected
"""


def write_suite(folder: Path, tasks: int) -> Path:
    """Tasks that show mousepad and ask for nothing."""
    examples = folder / "examples" / "os"
    examples.mkdir(parents=True)
    names = [f"t{number}" for number in range(tasks)]
    (folder / "index.json").write_text(json.dumps({"os": names}))
    for name in names:
        task = {
            "id": name,
            "instruction": "Move the pointer.",
            "config": [{"type": "launch", "parameters": {"command": ["mousepad"]}},
                       {"type": "activate_window", "parameters": {"window_name": "Mousepad"}}],
            "evaluator": {"func": "infeasible"},
        }  # fmt: skip
        (examples / f"{name}.json").write_text(json.dumps(task))
    return folder


def overhead(root: Path) -> None:
    """One desktop, an agent that does not think."""
    (root / "mover.py").write_text(AGENT)
    sys.path.insert(0, str(root))
    words = ["--suite", str(write_suite(root / "one", 3)), "--agent", "mover:Mover", "--max_steps", str(STEPS)]
    words += ["--result_dir", str(root / "overhead")]
    words += ["--observation_type", "screenshot_a11y_tree"]
    records = run(parse_request(words).request).records.values()
    print("| part of a step | median |\n|---|---|")
    for name, values in parts(list(records)).items():
        print(f"| {name} | {1000 * statistics.median(values):.0f} ms |")


def parts(records: list[EpisodeRecord]) -> dict[str, list[float]]:
    """Seconds of each part over all steps but the first of an episode."""
    found: dict[str, list[float]] = {"overhead": [], "of it observing": [], "settling": [], "acting": []}
    for record in records:
        for step in record.steps[1:]:
            timings = step.timings
            assert timings is not None and timings.total is not None
            waits = (timings.propose or 0.0) + (timings.act or 0.0) + (timings.settle or 0.0)
            found["overhead"].append(timings.total - waits)
            found["of it observing"].append(timings.observe or 0.0)
            found["settling"].append(timings.settle or 0.0)
            found["acting"].append(timings.act or 0.0)
    return found


async def serve(urls: list[str], asked: list[float], stop: asyncio.Event) -> None:
    """A model that answers after one second, and notes when it was asked."""

    def answer(_: object) -> Say:
        asked.append(time.perf_counter())
        return Say(MOVE.format(x=200 + len(asked) % 300), delay_s=1.0)

    async with FakeServer(default=answer, keep=1) as server:
        urls.append(f"{server.url}/v1")
        await stop.wait()


def throughput(root: Path, desktops: int) -> None:
    """Several desktops, a model of one second."""
    import threading

    loop = asyncio.new_event_loop()
    stop, urls, asked = asyncio.Event(), list[str](), list[float]()
    thread = threading.Thread(target=loop.run_until_complete, args=(serve(urls, asked, stop),))
    thread.start()
    while not urls:
        time.sleep(0.01)
    os.environ["LOCAL_OPENAI_API_KEY"] = "none"
    words = ["--suite", str(write_suite(root / "many", 4 * desktops)), "--model", "local|m", "--model_url", urls[0]]
    words += ["--max_steps", str(STEPS), "--num_envs", str(desktops), "--result_dir", str(root / "throughput")]
    words += ["--observation_type", "screenshot_a11y_tree"]
    began = time.perf_counter()
    records = list(run(parse_request(words).request).records.values())
    took = time.perf_counter() - began
    loop.call_soon_threadsafe(stop.set)
    thread.join()
    calls = sum(len(record.steps) for record in records)
    alone = calls * 1.0 / desktops
    print("\n| desktops | model calls | calls alone | what | took | reached |\n|---|---|---|---|---|---|")
    between = asked[-1] - asked[0] + 1.0
    for what, seconds in (
        ("the whole run, with starting and ending it", took),
        ("from the first call to the last", between),
    ):
        print(f"| {desktops} | {calls} | {alone:.1f} s | {what} | {seconds:.1f} s | {100 * alone / seconds:.0f} % |")


def main() -> None:
    """Measure both."""
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    print(f"load before: {os.getloadavg()[0]:.1f}, cores: {len(os.sched_getaffinity(0))}\n")
    with tempfile.TemporaryDirectory() as name:
        overhead(Path(name))
        throughput(Path(name), 4)


if __name__ == "__main__":
    main()
