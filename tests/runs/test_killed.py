"""Runs that are killed and resumed, and runs that share a folder: every episode once, none lost."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from support.small_suite import write_suite
from trueline.records import attempts_of, read_episode
from trueline.records.layout import ATTEMPTS

AGENT = """
from trueline.actions import Done, Hotkey, Type
from trueline.records import ObservationSpec, Proposal

class Writer:
    wants = ObservationSpec(screenshot=True)

    async def reset(self, ctx):
        self.turn = 0
        self.right = ctx.seed % 3 > 0

    async def propose(self, obs, last):
        self.turn += 1
        words = "hello\\n" if self.right else "goodbye\\n"
        first = (Type(text=words), Hotkey(keys=("ctrl", "s")))
        return Proposal(id=f"p{self.turn}", actions=first if self.turn == 1 else (Done(),))

    async def revise(self, rejected, feedback):
        return rejected
"""
"""Does the task or not, as the episode's seed says."""


def start(folder: Path, results: str, envs: int = 2) -> subprocess.Popen[bytes]:
    (folder / "writer.py").write_text(AGENT)
    words = ["--suite", str(folder / "suite"), "--agent", "writer:Writer", "--result_dir", str(folder / results)]
    words += ["--num_envs", str(envs), "--screen_width", "640", "--screen_height", "480", "--progress", "none"]
    return subprocess.Popen(
        [sys.executable, "-m", "trueline", "run", *words],
        env=os.environ | {"PYTHONPATH": str(folder)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )


def ended(process: subprocess.Popen[bytes]) -> None:
    _, err = process.communicate(timeout=600)
    assert process.returncode == 0, err.decode()


def scores(folder: Path, results: str) -> dict[str, float | None]:
    """Of all episodes that lie where results are looked for."""
    found = sorted((folder / results).rglob("episode.json"))
    return {p.parent.name: read_episode(p.parent).record.score for p in found if ATTEMPTS not in p.parts}


def kill_and_resume(folder: Path, tasks: int, kills: int) -> None:
    names = [f"t{number}" for number in range(tasks)]
    write_suite(folder / "suite", *names)
    ended(start(folder, "whole"))
    moments = random.Random(7)
    for _ in range(kills):
        process = start(folder, "killed")
        time.sleep(moments.uniform(0.5, 8.0))  # the moment is the point: any other wait would choose it
        process.send_signal(signal.SIGKILL)
        process.communicate()
    ended(start(folder, "killed"))
    expected = scores(folder, "whole")
    assert sorted(expected) == sorted(names)
    assert set(expected.values()) == {0.0, 1.0}
    assert scores(folder, "killed") == expected


def share(folder: Path, tasks: int, processes: int) -> None:
    names = [f"t{number}" for number in range(tasks)]
    write_suite(folder / "suite", *names)
    for process in [start(folder, "shared", envs=1) for _ in range(processes)]:
        ended(process)
    assert sorted(scores(folder, "shared")) == sorted(names)
    root = folder / "shared"
    for name in names:
        (path,) = (found.parent for found in root.rglob("episode.json") if found.parent.name == name)
        assert attempts_of(root, path) == ()


@pytest.mark.full
def test_killed_three_times_and_resumed(tmp_path: Path, machine: None) -> None:
    kill_and_resume(tmp_path, tasks=6, kills=3)


@pytest.mark.full
def test_two_processes_on_one_folder(tmp_path: Path, machine: None) -> None:
    share(tmp_path, tasks=6, processes=2)


@pytest.mark.proof
def test_sixty_episodes_killed_twenty_times(tmp_path: Path, machine: None) -> None:
    kill_and_resume(tmp_path, tasks=60, kills=20)


@pytest.mark.proof
def test_four_processes_on_one_folder(tmp_path: Path, machine: None) -> None:
    share(tmp_path, tasks=24, processes=4)
