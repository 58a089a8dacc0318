"""The bench against a real server: everything at once, in the right order, within its limits."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any, get_args

import pytest

from support.bench_set import load, write_set
from trueline.guard.bench import ModelsUnreachableError, read_sources
from trueline.guard.bench.connection_watch import ConnectionWatch, WatchedModel, WatchedRetry
from trueline.guard.bench.evaluate import run_bench
from trueline.guard.bench.store import BenchStore
from trueline.guard.config import GuardConfig, Mode
from trueline.guard.engine import DeActionGuard
from trueline.guard.narrative import Narrator
from trueline.guard.options import DeActionOptions, verdict_setting
from trueline.models import Config, open_model
from trueline.models.envfiles import Env
from trueline.models.prompt_fence import STORED_KEY
from trueline.models.testing import FakeServer, Play, Reset, Say, Seen
from trueline.records.interchange.misactbench import read_benchmark

OPTIONS = DeActionOptions(
    systematic_analysis_model="local|deep",
    fast_check_model="local|fast",
    narrative_summary_model="local|narrator",
    no_policy=True,
)


def answer(seen: Seen, delay_s: float = 0.002) -> Play:
    """The models: the fast one clears what is good, the deep one flags what is evil."""
    text = proposal(seen)
    replies = {
        "narrator": {"narrative": "Something was typed."},
        "fast": {"thought": "obvious", "align": "good" in text},
        "deep": {"thought": "looked closely", "conclusion": "evil" in text},
    }
    return Say(json.dumps(replies[seen.model]), delay_s=delay_s)


def proposal(seen: Seen) -> str:
    return seen.raw.decode().rpartition("proposal\\n")[2]


def types(seen: Seen, step: int) -> bool:
    """Whether this is the proposal of a step of the first trajectory."""
    return any(f"{word} 0 {step}" in proposal(seen) for word in ("good", "evil"))


class Bench:
    """One folder with a benchmark and its results."""

    def __init__(self, root: Path, trajectories: int = 4, steps: int = 3) -> None:
        self.file = write_set(root, trajectories, steps)
        self.result_file = root / "out" / "results.json"
        self.cache_file = root / "out" / "narratives.json"
        self.reported: list[tuple[str, int, int]] = []

    def run(self, server: FakeServer, *, workers: int = 4, mode: Mode = "cost", limit: int = 20) -> Any:
        """Run it to the end, and return the result file."""
        asyncio.run(self._run(server, workers, mode, limit))
        return load(self.result_file)

    async def _run(self, server: FakeServer, workers: int, mode: Mode, limit: int) -> None:
        sources = read_sources(self.file, read_benchmark(self.file).benchmark.trajectories)
        watch = ConnectionWatch(limit)
        retry = WatchedRetry(attempts=3, first_s=0.001, longest_s=0.002, watch=watch)
        async with asyncio.timeout(60), server:
            shared = Config(env=Env({"LOCAL_OPENAI_BASE_URL": f"{server.url}/v1"}), retry=retry)
            fast, deep, narrator = (
                WatchedModel(open_model(f"local|{name}", config=shared), watch) for name in ("fast", "deep", "narrator")
            )
            config = GuardConfig(fast=fast, systematic=deep, mode=mode, key=STORED_KEY)
            setting = verdict_setting("deaction", OPTIONS, config)
            async with BenchStore(self.result_file, self.cache_file, sources, setting) as store:
                try:
                    await run_bench(
                        sources,
                        DeActionGuard(config),
                        Narrator(narrator),
                        store,
                        setting,
                        workers=workers,
                        calls_per_check=2 if mode == "latency" else 1,
                        watch=watch,
                        report=lambda what, done, total: self.reported.append((what, done, total)),
                    )
                finally:
                    for model in (fast, deep, narrator):
                        await model.close()


def test_all_narratives_come_before_all_checks(tmp_path: Path) -> None:
    server = FakeServer(default=answer)
    bench = Bench(tmp_path)
    results = bench.run(server)
    order = [seen.model for seen in server.seen]
    assert order[:12] == ["narrator"] * 12
    assert set(order[12:]) == {"fast", "deep"}
    assert order.count("fast") == 12  # each labelled step once
    assert order.count("deep") == 4  # those that are not obviously good
    for entry in results.values():
        assert entry["status"] == "completed"
        for step in entry["steps"].values():
            assert step["systematic_analysis_evaluation"]["is_misaligned"] == step["label"]
            assert step["narrative_summary"]["narrative"] == "Something was typed."
    assert bench.reported[-1] == ("checks", 12, 12)
    assert not list(bench.result_file.parent.glob("*.progress.jsonl"))


def test_the_checks_know_the_narratives(tmp_path: Path) -> None:
    server = FakeServer(default=answer)
    Bench(tmp_path, trajectories=1).run(server)
    fast = [seen for seen in server.seen if seen.model == "fast"]
    told = {step: seen.raw.count(b"Something was typed.") for seen in fast for step in (1, 2, 3) if types(seen, step)}
    assert told == {1: 0, 2: 1, 3: 2}


def test_the_steps_of_one_trajectory_run_at_the_same_time(tmp_path: Path) -> None:
    server = FakeServer(default=lambda seen: answer(seen, delay_s=0.05))
    Bench(tmp_path, trajectories=1, steps=9).run(server, workers=6)
    assert server.most_active == 6


@pytest.mark.parametrize(("mode", "workers", "most"), [("cost", 3, 3), ("latency", 6, 6), ("latency", 1, 2)])
def test_calls_in_flight_keep_to_the_limit(tmp_path: Path, mode: Mode, workers: int, most: int) -> None:
    def both_needed(seen: Seen) -> Play:
        """Clear nothing at first sight: the server would still count a request that its client has given up."""
        if seen.model == "fast":
            return Say(json.dumps({"thought": "unclear", "align": False}), delay_s=0.01)
        return answer(seen, delay_s=0.01)

    server = FakeServer(default=both_needed)
    Bench(tmp_path, trajectories=5).run(server, workers=workers, mode=mode)
    assert server.most_active <= most


def test_both_modes_give_the_same_verdicts(tmp_path: Path) -> None:
    found: list[dict[tuple[str, str], bool]] = []
    for mode in get_args(Mode):
        results = Bench(tmp_path / mode).run(FakeServer(default=answer), mode=mode)
        found.append(
            {
                (name, number): step["systematic_analysis_evaluation"]["is_misaligned"]
                for name, entry in results.items()
                for number, step in entry["steps"].items()
            }
        )
    assert found[0] == found[1]


def test_a_second_run_asks_nothing(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    first = bench.run(FakeServer(default=answer))
    server = FakeServer(default=answer)
    assert bench.run(server) == first
    assert server.count == 0


def test_a_fault_leaves_a_step_undecided_and_it_is_tried_again(tmp_path: Path) -> None:
    def broken(seen: Seen) -> Play:
        return Say("no JSON at all") if seen.model == "deep" else answer(seen)

    bench = Bench(tmp_path)
    results = bench.run(FakeServer(default=broken))
    evaluations = [s["systematic_analysis_evaluation"] for e in results.values() for s in e["steps"].values()]
    failed = [found for found in evaluations if found["is_misaligned"] is None]
    assert len(failed) == 4
    assert all("does not fit its schema" in found["error"] for found in failed)
    server = FakeServer(default=answer)
    results = bench.run(server)
    assert [seen.model for seen in server.seen].count("fast") == 4
    evaluations = [s["systematic_analysis_evaluation"] for e in results.values() for s in e["steps"].values()]
    assert sum(found["is_misaligned"] for found in evaluations) == 4
    assert all("error" not in found for found in evaluations)


def test_a_verdict_without_all_narratives_says_so(tmp_path: Path) -> None:
    def broken(seen: Seen) -> Play:
        return Say("no JSON at all") if seen.model == "narrator" and b"good 0 1" in seen.raw else answer(seen)

    bench = Bench(tmp_path, trajectories=2)
    results = bench.run(FakeServer(default=broken))
    missing = {
        name: [step["systematic_analysis_evaluation"].get("narratives_missing") for step in entry["steps"].values()]
        for name, entry in results.items()
    }
    assert missing == {"trajectory-0000": [None, 1, 1], "trajectory-0001": [None, None, None]}


def test_the_narratives_stand_in_the_order_of_the_benchmark(tmp_path: Path) -> None:
    def slow_first(seen: Seen) -> Play:
        first = seen.model == "narrator" and b" 0 1" in seen.raw
        return answer(seen, delay_s=0.05 if first else 0.001)

    bench = Bench(tmp_path, trajectories=3)
    bench.run(FakeServer(default=slow_first), workers=4)
    cache = load(bench.cache_file)
    assert list(cache) == ["trajectory-0000", "trajectory-0001", "trajectory-0002"]
    assert [list(steps) for steps in cache.values()] == [["1", "2", "3"]] * 3


def test_a_missing_screen_is_named_as_the_reference_names_it(tmp_path: Path) -> None:
    bench = Bench(tmp_path, trajectories=1)
    (tmp_path / "MisActBench" / "trajectories" / "trajectory-0000" / "step_1.png").unlink()
    steps = bench.run(FakeServer(default=answer))["trajectory-0000"]["steps"]
    assert steps["2"]["systematic_analysis_evaluation"]["error"] == "missing_pre_screenshot"
    assert steps["2"]["systematic_analysis_evaluation"]["is_misaligned"] is None
    assert steps["1"]["narrative_summary_error"] == steps["2"]["narrative_summary_error"] == "missing_screenshots"
    assert steps["3"]["systematic_analysis_evaluation"]["is_misaligned"] is True


def test_a_server_that_goes_away_stops_the_bench_and_keeps_what_was_done(tmp_path: Path) -> None:
    bench = Bench(tmp_path, trajectories=20)
    answered = 0

    def dies(seen: Seen) -> Play:
        nonlocal answered
        answered += 1
        return answer(seen) if answered <= 80 else Reset()

    server = FakeServer(default=dies)
    with pytest.raises(ModelsUnreachableError, match="20 attempts in a row"):
        bench.run(server)
    # 80 answers, then 20 failed attempts, retries counted over all workers; an answer that was still on its way may
    # end the row once, and other workers may have attempts on their way when it is full.
    assert 100 <= server.count <= 110
    before = load(bench.result_file)
    done = [s for e in before.values() for s in e["steps"].values()
            if (s.get("systematic_analysis_evaluation") or {}).get("is_misaligned") is not None]  # fmt: skip
    assert 10 <= len(done) <= 20
    again = FakeServer(default=answer)
    after = bench.run(again)
    assert [seen.model for seen in again.seen].count("narrator") == 0
    assert [seen.model for seen in again.seen].count("fast") == 60 - len(done)
    assert all(entry["status"] == "completed" for entry in after.values())
