"""An episode of a run is played in another process, from the request and its key; the run goes on around it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from support.small_suite import write_suite
from trueline.records import read_episode
from trueline.runs.play import run
from trueline.runs.request import RunRequest
from trueline.runs.request_file import request_yaml

ELSEWHERE = """
import asyncio
from pathlib import Path
from trueline.records.layout import Unit
from trueline.runs.batch.run_batch import run_batch
from trueline.runs.plan import EpisodeKey
from trueline.runs.prepare import claim_folders, open_run
from trueline.runs.request_file import make_request, read_fields

async def play():
    async with open_run(make_request(read_fields(Path("run.yaml")))) as run:
        job = run.job(EpisodeKey(Unit("os", "t1"), repeat=2))
        claim_folders(run)
        await run_batch([job], run.open_desktop, run.options, lambda event: None)

asyncio.run(play())
"""


@pytest.mark.full
def test_an_episode_is_rebuilt_from_the_request_and_its_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, machine: None
) -> None:
    monkeypatch.chdir(tmp_path)
    write_suite(tmp_path / "suite", "t0", "t1")
    request = RunRequest(
        suite="suite", agent="fail", repeats=2, seed=5, result_dir=Path("results"), screen_width=1024, screen_height=768
    )
    Path("run.yaml").write_text(request_yaml(request))
    subprocess.run([sys.executable, "-c", ELSEWHERE], check=True, timeout=120)
    (folder,) = [path.parent for path in Path("results").rglob("episode.json")]
    played = read_episode(folder).record
    assert (played.task.id, played.repeat) == ("t1", 2)
    skipped: list[str] = []
    result = run(request, report=lambda event: skipped.append(event.path) if event.what == "skipped" else None)
    assert skipped == [folder.relative_to("results").as_posix()]
    assert len(result.records) == 4 and result.complete
    assert result.records[skipped[0]].seed == played.seed
    seeds = {record.seed for record in result.records.values()}
    assert len(seeds) == 4
