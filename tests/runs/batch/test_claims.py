"""Who runs which episode: one holder at a time, and the dead hold nothing."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from trueline.runs.batch.claims import CLAIMS, Claims

EPISODE = Path("pyautogui/screenshot/m/os/t")

HOLD = """
import sys
from pathlib import Path
from trueline.runs.batch.claims import Claims
print(Claims(Path(sys.argv[1]), "other").take(Path(sys.argv[2])), flush=True)
sys.stdin.read()
"""

RACE = """
import sys
from pathlib import Path
from trueline.runs.batch.claims import Claims
claims = Claims(Path(sys.argv[1]), sys.argv[2])
print("ready", flush=True)
sys.stdin.readline()
print(*(number for number in range(60) if claims.take(Path(f"e/{number}"))), flush=True)
sys.stdin.read()
"""


def test_one_holder_at_a_time(tmp_path: Path) -> None:
    mine, yours = Claims(tmp_path, "mine"), Claims(tmp_path, "yours")
    assert mine.take(EPISODE)
    assert mine.take(EPISODE)
    assert not yours.take(EPISODE)
    assert yours.held_by_other(EPISODE)
    yours.release(EPISODE)
    assert not yours.take(EPISODE)
    mine.release(EPISODE)
    assert yours.take(EPISODE)
    assert not mine.renew(EPISODE)


def test_a_claim_of_a_killed_process_is_free_at_once(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path), str(EPISODE)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"True\n"
        mine = Claims(tmp_path, "mine")
        assert not mine.take(EPISODE)
        other.kill()
        other.wait()
        assert mine.take(EPISODE)


def test_a_claim_of_another_machine_lasts_for_its_lease(tmp_path: Path) -> None:
    for lease, taken in ((60.0, False), (-1.0, True)):
        Claims(tmp_path, "far", lease=lease).take(EPISODE)
        (file,) = (tmp_path / CLAIMS).glob("*.json")
        file.write_text(json.dumps(json.loads(file.read_text()) | {"machine": "another"}))
        assert Claims(tmp_path, "near").take(EPISODE) is taken


def test_a_damaged_claim_is_none(tmp_path: Path) -> None:
    assert Claims(tmp_path, "a").take(EPISODE)
    (file,) = (tmp_path / CLAIMS).glob("*.json")
    file.write_text("{")
    assert Claims(tmp_path, "b").take(EPISODE)


def test_processes_that_race_share_without_overlap(tmp_path: Path) -> None:
    racers = [
        subprocess.Popen([sys.executable, "-c", RACE, str(tmp_path), name],
                         stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for name in ("a", "b", "c")
    ]  # fmt: skip
    got: list[str] = []
    try:
        for racer in racers:
            assert racer.stdout is not None
            assert racer.stdout.readline() == "ready\n"
        for racer in racers:
            assert racer.stdin is not None
            racer.stdin.write("go\n")
            racer.stdin.flush()
        for racer in racers:
            assert racer.stdout is not None
            got += racer.stdout.readline().split()
    finally:
        for racer in racers:
            racer.communicate()
    assert sorted(map(int, got)) == list(range(60))
