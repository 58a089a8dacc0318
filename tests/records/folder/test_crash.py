"""A writer is killed at any moment: nothing it had acknowledged is lost, what is left can be finished or set aside."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
import records_sample
from records_sample import CUT, ENDED, STARTED, STEPS, T0, at, png, write_episode, write_step

from trueline.errors import InputError
from trueline.records import EpisodeRecord, EpisodeWriter, attempts_of, move_aside, read_episode, recover
from trueline.records.assemble import assemble
from trueline.records.events import Ended
from trueline.records.folder.events_file import read_events

SCRIPT = Path(records_sample.__file__)


@dataclass
class Killer:
    """Starts writers and kills them."""

    process: subprocess.Popen[str]
    rng: random.Random
    pace: float = 0.01
    """Seconds a step takes, as seen so far."""

    def tell(self, text: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{text}\n")
        self.process.stdin.flush()

    def hear(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def run(self, folder: Path, *, kill_after: str | None = None) -> list[str]:
        """Let a writer work; kill it soon after it has said this; return all it said."""
        self.tell(str(folder))
        begun = time.monotonic()
        said: list[str] = []
        let_go = False
        while (line := self.hear()) != "gone":
            said.append(line)
            self.pace = (time.monotonic() - begun) / len(said)
            word = line.split()[0]
            if not let_go and (kill_after in (word, line) or word in ("finished", "full")):
                if kill_after:
                    time.sleep(self.rng.uniform(0, 1.5 * self.pace))  # anywhere in the next step, or in the closing
                    os.kill(int(said[0].removeprefix("pid ")), signal.SIGKILL)
                self.tell("let it go")
                let_go = True
        return said

    def kill(self, folder: Path) -> tuple[int, bool]:
        """Kill a writer at a random moment; return the last step it had acknowledged, and whether it had finished."""
        said = self.run(folder, kill_after=self.rng.choice(["pid", *(f"step {n}" for n in range(STEPS + 1))]))
        return acknowledged(said), "finished" in said


def acknowledged(said: list[str]) -> int:
    return max((int(line.removeprefix("step ")) for line in said if line.startswith("step ")), default=-1)


@contextmanager
def writers(seed: int, **environment: str) -> Generator[Killer]:
    with subprocess.Popen(
        [sys.executable, str(SCRIPT)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment},
    ) as process:
        yield Killer(process, random.Random(seed))
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(30) == 0


def uninterrupted(folder: Path, record: EpisodeRecord) -> EpisodeRecord:
    """What a writer that was never killed gives for the same steps and the same end."""
    if record.score is not None:
        return write_episode(folder)
    steps = len(record.steps)
    writer = EpisodeWriter(folder, STARTED)
    for number in range(1, steps):
        write_step(writer, number)
    if steps:
        write_step(writer, steps, narrated=record.steps[-1].narrative is not None)
    return writer.finish(CUT.model_copy(update={"time": at(steps) if steps else T0}))


def check_whole(folder: Path, last: int, finished: bool, elsewhere: Path) -> EpisodeRecord | None:
    """All the promises of the writer about a folder whose process is gone."""
    if (folder / "result.txt").exists():
        assert (folder / "episode.json").exists()
        assert len(read_episode(folder).record.steps) == STEPS
    assert not finished or (folder / "result.txt").exists()
    if not (folder / "events.jsonl").exists():
        assert last < 0
        with pytest.raises(InputError, match="nothing can be recovered"):
            recover(folder)
        return None
    before = read_episode(folder).record
    assert [step.number for step in before.steps] == list(range(1, len(before.steps) + 1))
    assert len(before.steps) >= last
    after = recover(folder)
    assert recover(folder) == after
    assert after.steps == before.steps
    assert after.finished
    expected = uninterrupted(elsewhere, after)
    assert after.model_copy(update={"problems": ()}) == expected
    for name in ("traj.jsonl", "better_log.json"):
        assert (folder / name).read_bytes() == (elsewhere / name).read_bytes()
    assert (folder / "result.txt").exists() == (after.score is not None)
    assert all(
        (folder / f"step_{n}_{at(n):%Y%m%d@%H%M%S}.png").read_bytes() == png(n) for n in range(1, len(after.steps))
    )
    assert not list(folder.glob(".*"))
    again = read_episode(folder)
    assert again.record == after
    assert all("cut off" in problem.what for problem in again.problems)
    return after


def kill_many(tmp_path: Path, seed: int, times: int) -> dict[str, int]:
    seen = {"nothing": 0, "cut": 0, "torn": 0, "scored": 0}
    whole = write_episode(tmp_path / "whole" / "t")
    with writers(seed) as killer:
        for turn in range(times):
            result_dir = tmp_path / str(turn)
            folder = result_dir / "pyautogui" / "som" / "m" / "chrome" / "t"
            last, finished = killer.kill(folder)
            if folder.exists():
                record = check_whole(folder, last, finished, result_dir / "expected")
                state = "nothing" if record is None else "scored" if record.score is not None else "cut"
                seen[state] += 1
                seen["torn"] += record is not None and bool(record.problems)
                held = {path.name: path.read_bytes() for path in folder.iterdir()}
                moved = move_aside(result_dir, folder)
                assert moved is not None
                assert {path.name: path.read_bytes() for path in moved.iterdir()} == held
                assert attempts_of(result_dir, folder) == (moved,)
            assert killer.run(folder)[-1] == "finished"
            assert read_episode(folder).record == whole
    return seen


def test_killed_at_random_moments_nothing_recorded_is_lost(tmp_path: Path) -> None:
    seen = kill_many(tmp_path, seed=1, times=25)
    assert seen["cut"] > 5


@pytest.mark.proof
def test_killed_at_hundreds_of_random_moments(tmp_path: Path) -> None:
    seen = kill_many(tmp_path, seed=2, times=600)
    print(seen)
    assert seen["cut"] > 200
    assert seen["scored"] > 20
    assert seen["nothing"] + seen["torn"] > 0


def test_a_file_cut_at_any_byte_gives_all_its_whole_lines(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    writer = EpisodeWriter(folder, STARTED)
    for number in (1, 2):
        write_step(writer, number)
    writer.close()
    path = folder / "events.jsonl"
    content = path.read_bytes()
    ends = [place for place, byte in enumerate(content) if byte == ord("\n")]
    rng = random.Random(3)
    near = {end + shift for end in ends for shift in (-1, 0, 1, 2)} & {*range(len(content))}
    for cut in sorted({*near, *rng.sample(range(1, len(content)), 60)}):
        path.write_bytes(content[:cut])
        lines = content[:cut].count(b"\n") + (cut in ends)  # a line that lacks its newline alone is whole
        read = read_events(folder)
        assert len(read.events) == lines
        assert (read.torn is None) == (cut in ends or content[cut - 1 : cut] == b"\n")
        if lines == 0:
            with pytest.raises(InputError, match="first event is missing"):
                recover(folder)
            continue
        record = recover(folder)
        assert record.steps == assemble(read.events).steps
        kept = [problem.raw for problem in record.problems]
        assert kept == ([] if read.torn is None else [content[:cut].rpartition(b"\n")[2].decode()])


def test_a_broken_line_in_the_middle_is_named_and_the_rest_is_used(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    writer = EpisodeWriter(folder, STARTED)
    for number in (1, 2, 3):
        write_step(writer, number)
    writer.close()
    path = folder / "events.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([lines[0], b"{broken\n", *lines[2:]]))
    read = read_episode(folder)
    assert str(read.problems[0]).startswith("events.jsonl:2: not JSON")
    assert read.problems[0].raw == "{broken"
    assert [step.number for step in read.record.steps] == [2, 3]
    assert [problem.line for problem in recover(folder).problems] == [2]


def test_a_newer_schema_is_refused_not_misread(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    write_episode(folder, steps=1)
    for name in ("episode.json", "events.jsonl"):
        path = folder / name
        path.write_bytes(path.read_bytes().replace(b'"schema_version":1', b'"schema_version":99'))
        with pytest.raises(InputError, match=rf"{name}: has schema version 99.*upgrade"):
            read_episode(folder)
        path.unlink()


def test_a_kill_between_the_end_and_the_result_is_finished_with_its_score(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    whole = write_episode(folder)
    for name in ("result.txt", "episode.json", "better_log.json"):
        (folder / name).unlink()
    (folder / "traj.jsonl").write_bytes(b'{"step_num": 1, "act')
    assert read_episode(folder).record == whole
    assert recover(folder) == whole
    assert (folder / "result.txt").read_bytes() == b"1.0\n"
    assert len(read_episode(folder).lines) == STEPS


@pytest.mark.parametrize("limit", [39_000, 100_000, 200_000])
def test_without_room_it_stops_with_everything_intact(tmp_path: Path, limit: int) -> None:
    folder = tmp_path / "a" / "b"
    with writers(0, SAMPLE_FILE_LIMIT=str(limit)) as killer:
        said = killer.run(folder)
    full = said[-1]
    assert "no room to write" in full
    assert str(folder) in full
    assert not list(folder.glob(".*"))
    read = read_events(folder)
    assert read.torn is None
    assert read.problems == ()
    assert len(assemble(read.events).steps) == acknowledged(said) < STEPS
    assert len(recover(folder).steps) == acknowledged(said)


def test_an_end_is_never_written_twice(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    write_episode(folder, steps=1)
    recover(folder)
    ends = [event for event in read_events(folder).events if isinstance(event, Ended)]
    assert ends == [ENDED]
