"""How fast `trueline guard bench` is: python benchmarks/guard/bench_speed.py [--small]. Prints a table in Markdown.

A local server plays the models: fast check 0.3 s, systematic analysis 0.7 s, narrative 0.3 s; the fast check clears
45 % of the steps. The CPU bound is the larger of the event loop's own CPU time and the CPU time of both processes
divided by the cores; it is what the wall clock could not be below on a machine that does nothing else.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, redirect_stdout
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from generate import LABELLED, TRAJECTORIES, generate

FAST, DEEP, NARRATIVE = 0.3, 0.7, 0.3


class Served:
    """What a server did, once it has ended."""

    url = ""
    report: dict[str, Any]


@contextmanager
def served() -> Generator[Served]:
    program = Path(__file__).with_name("server.py")
    words = [f"fast={FAST}", f"deep={DEEP}", f"narrator={NARRATIVE}"]
    found = Served()
    with subprocess.Popen(
        [sys.executable, str(program), *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        found.url = f"http://127.0.0.1:{int(process.stdout.readline())}/v1"
        try:
            yield found
        finally:
            process.stdin.close()
            found.report = json.loads(process.stdout.readline() or "{}")


class Written(io.TextIOWrapper):
    """Takes what a command prints."""

    def __init__(self) -> None:
        super().__init__(io.BytesIO(), encoding="utf-8")

    @property
    def text(self) -> str:
        self.flush()
        inner = self.buffer
        assert isinstance(inner, io.BytesIO)
        return inner.getvalue().decode()


def bench(url: str, file: str, folder: str, words: list[str]) -> dict[str, Any]:
    """Run the command in this process; its own JSON, and the CPU seconds of the process and of its main thread."""
    from trueline.cli import main

    os.environ["LOCAL_OPENAI_BASE_URL"] = url
    os.chdir(folder)
    out = Written()
    models = ["--fast_check_model", "local|fast", "--systematic_analysis_model", "local|deep"]
    models += ["--narrative_summary_model", "local|narrator"]
    with redirect_stdout(out):
        process, thread, began = time.process_time(), time.thread_time(), time.perf_counter()
        assert main(["guard", "bench", "--benchmark_file", file, *models, "--json", *words]) == 0
        measured = {
            "process_s": time.process_time() - process,
            "thread_s": time.thread_time() - thread,
            "command_s": time.perf_counter() - began,
        }
    return json.loads(out.text) | measured


def alone(*arguments: Any) -> dict[str, Any]:
    """Run a bench in a fresh process, so that one measurement leaves nothing to the next."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(bench, *arguments).result()


def throughput(file: Path, root: Path, workers: int) -> list[str]:
    """One row: calls, wall clock, and what it could be at best."""
    folder = root / f"workers-{workers}"
    folder.mkdir()
    words = ["--max_workers", str(workers), "--annotate_actions", "--no_policy"]
    with served() as server:
        found = alone(server.url, str(file), str(folder), words)
    answered = server.report["answered"]
    waiting = answered["fast"] * FAST + answered["deep"] * DEEP + answered["narrator"] * NARRATIVE
    ideal = waiting / workers
    cores = len(os.sched_getaffinity(0))
    cpu = max(found["thread_s"], (found["process_s"] + server.report["cpu_s"]) / cores)
    bound = max(ideal, cpu)
    return [
        str(workers), str(sum(answered.values())), str(server.report["most"]), f"{found['wall_s']:.1f} s",
        f"{ideal:.1f} s", f"{found['wall_s'] / ideal:.2f}", f"{cpu:.1f} s", f"{found['wall_s'] / bound:.2f}",
    ]  # fmt: skip


def beside_plain_loop(file: Path, root: Path, workers: int, *, narratives: bool) -> list[str]:
    """One row: the command, and then the reference's order of work as a plain loop, each in a process of its own."""
    steps = sum(len(entry["steps"]) for entry in json.loads(file.read_text()).values())
    folder = root / f"beside-{workers}-{narratives}"
    folder.mkdir()
    here = Path(sys.executable).parent
    flag = [] if narratives else ["--no_narrative_summary"]
    models = ["--fast_check_model", "local|fast", "--systematic_analysis_model", "local|deep"]
    models += ["--narrative_summary_model", "local|narrator"] if narratives else []
    words = ["guard", "bench", "--benchmark_file", str(file), *models, "--max_workers", str(workers), "--json", *flag]
    with served() as server:
        ours, ours_cpu = timed([str(here / "trueline"), *words], folder, server.url)
    calls = server.report["answered"]
    ideal = sum(calls.get(name, 0) * delay for name, delay in (("fast", FAST), ("deep", DEEP), ("narrator", NARRATIVE)))
    program = str(Path(__file__).with_name("plain_loop.py"))
    with served() as server:
        words = [server.url, str(file), str(workers), *(["--narratives"] if narratives else [])]
        plain, plain_cpu = timed([sys.executable, program, *words], folder, server.url)
    return [
        str(workers), "yes" if narratives else "no", f"{ideal / workers:.1f} s",
        f"{ours:.1f} s", f"{ours * workers / ideal:.2f}", f"{ours_cpu / steps * 1e3:.1f} ms",
        f"{plain:.1f} s", f"{plain * workers / ideal:.2f}", f"{plain_cpu / steps * 1e3:.1f} ms",
    ]  # fmt: skip


def timed(words: list[str], folder: Path, url: str) -> tuple[float, float]:
    """Seconds of wall clock and of CPU of a program from its start to its end."""
    began, before = time.perf_counter(), os.times()
    subprocess.run(words, cwd=folder, env={**os.environ, "LOCAL_OPENAI_BASE_URL": url}, check=True, capture_output=True)
    after = os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return time.perf_counter() - began, cpu


def latencies(file: Path, root: Path, mode: str, limit: int) -> list[tuple[float, float]]:
    """Seconds of narrative and check of every step, one step after the other."""
    folder = root / f"mode-{mode}"
    folder.mkdir()
    words = ["--guard_mode", mode, "--max_workers", "2" if mode == "latency" else "1", "--limit", str(limit)]
    with served() as server:
        alone(server.url, str(file), str(folder), [*words, "--annotate_actions", "--no_policy"])
    results = json.loads((folder / "output" / "deaction_results.json").read_text())
    return [
        (step["narrative_summary"]["latency"], step["systematic_analysis_evaluation"]["time"])
        for entry in results.values()
        for step in entry["steps"].values()
        if entry["status"] == "completed"
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="a tenth of the set, to try it")
    parser.add_argument("--workers", type=int, nargs="*", default=[16, 64], help="calls in flight (16 64)")
    small: bool = parser.parse_args().small
    workers: list[int] = parser.parse_args().workers
    scale = 10 if small else 1
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        file = generate(root, TRAJECTORIES // scale, LABELLED // scale)
        print(f"load before: {os.getloadavg()[0]:.1f}, cores: {len(os.sched_getaffinity(0))}\n")
        head = "in flight | calls | most at once | wall clock | calls x latency / in flight | ratio"
        print(f"| {head} | CPU bound | ratio to the larger |\n|{'---|' * 8}", flush=True)
        for number in workers:
            print(f"| {' | '.join(throughput(file, root, number))} |", flush=True)
        head = "in flight | narratives | ideal | command | ratio | CPU a step | plain loop | ratio | CPU a step"
        print(f"\n| {head} |\n|{'---|' * 9}", flush=True)
        for number in workers:
            for narratives in (False, True):
                print(f"| {' | '.join(beside_plain_loop(file, root, number, narratives=narratives))} |", flush=True)
        limit = 8 if small else 30
        reference = [narrative + check for narrative, check in latencies(file, root, "cost", limit)]
        ours = [check for _, check in latencies(file, root, "latency", limit)]
        ratio = statistics.mean(ours) / statistics.mean(reference)
        print(
            f"\nlatency per step over {len(ours)} steps: narrative, fast, deep in turn "
            f"{statistics.mean(reference):.3f} s, latency mode {statistics.mean(ours):.3f} s, ratio {ratio:.3f}"
        )
        print(f"load after: {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
