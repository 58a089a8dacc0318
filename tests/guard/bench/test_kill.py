"""A bench is killed at random moments; resumed, it leaves the same files as one that was never killed."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from support.bench_set import judge, load, strip_times, write_script, write_set

pytestmark = pytest.mark.full

STEPS = 5


def start(folder: Path, benchmark: Path, model: str) -> subprocess.Popen[str]:
    words = ["guard", "bench", "--benchmark_file", str(benchmark), "--systematic_analysis_model", model]
    words += ["--fast_check_model", model, "--no_policy", "--max_workers", "8", "--json"]
    return subprocess.Popen(
        [sys.executable, "-m", "trueline", *words],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "TRUELINE_CACHE_DIR": str(folder)},
    )


def lines(folder: Path) -> int:
    try:
        return (folder / "output" / "deaction_results.json.progress.jsonl").read_bytes().count(b"\n")
    except FileNotFoundError:
        return 0


def wait_for(condition: Callable[[], bool], process: subprocess.Popen[str]) -> bool:
    """Wait; False when the process ended before."""
    ends = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < ends
        if process.poll() is not None:
            return False
        time.sleep(0.005)
    return True


def interrupted_run(folder: Path, benchmark: Path, model: str, stop: signal.Signals, seed: int, kills: int) -> int:
    """Run until done, ended by a signal so many times on the way; returns how many really hit."""
    rng = random.Random(seed)
    hits = 0
    for _ in range(kills):
        with start(folder, benchmark, model) as process:
            target = lines(folder) + rng.randint(1, 250)
            if wait_for(lambda target=target: lines(folder) >= target, process):
                process.send_signal(stop)
                hits += 1
            code = process.wait(60)
            if stop is signal.SIGINT and process.stdout is not None and code:
                assert code == 130
    with start(folder, benchmark, model) as process:
        assert process.wait(120) == 0
    return hits


@pytest.mark.parametrize("stop", [signal.SIGKILL, signal.SIGINT])
def test_a_killed_bench_ends_with_the_same_files(tmp_path: Path, stop: signal.Signals) -> None:
    benchmark = write_set(tmp_path, 125, STEPS)  # 500 labelled steps
    model = write_script(tmp_path / "model.json", judge(delay_s=0.01))
    straight, broken = tmp_path / "straight", tmp_path / "broken"
    straight.mkdir()
    broken.mkdir()
    with start(straight, benchmark, model) as process:
        assert process.wait(120) == 0
    kills = 3 if stop is signal.SIGKILL else 1
    assert interrupted_run(broken, benchmark, model, stop, seed=5, kills=kills) >= 1
    for name in ("deaction_results.json", "narrative_summary_cache.json"):
        # As text, because the order must be the same too.
        left = [json.dumps(strip_times(load(folder / "output" / name))) for folder in (broken, straight)]
        assert left[0] == left[1], name
    assert sorted(path.name for path in (broken / "output").iterdir()) == [
        "deaction_results.json",
        "narrative_summary_cache.json",
    ]


@pytest.mark.proof
def test_many_kills(tmp_path: Path) -> None:
    benchmark = write_set(tmp_path, 125, STEPS)
    model = write_script(tmp_path / "model.json", judge(delay_s=0.01))
    (tmp_path / "straight").mkdir()
    with start(tmp_path / "straight", benchmark, model) as process:
        assert process.wait(120) == 0
    expected = strip_times(load(tmp_path / "straight" / "output" / "deaction_results.json"))
    for seed in range(15):
        folder = tmp_path / f"broken-{seed}"
        folder.mkdir()
        interrupted_run(folder, benchmark, model, signal.SIGKILL, seed, kills=6)
        assert strip_times(load(folder / "output" / "deaction_results.json")) == expected, seed
