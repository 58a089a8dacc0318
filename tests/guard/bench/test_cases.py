"""From a benchmark to questions for a guard."""

from __future__ import annotations

from pathlib import Path

from support.bench_set import write_set
from trueline.actions import Click, Type
from trueline.guard.bench import LabelledTrajectory, read_sources
from trueline.guard.bench.cases import StepKey
from trueline.records.interchange.misactbench import read_benchmark


def sources_of(file: Path) -> list[LabelledTrajectory]:
    return read_sources(file, read_benchmark(file).benchmark.trajectories)


def test_each_labelled_step_is_asked_with_what_ran_before_it(tmp_path: Path) -> None:
    (source,) = sources_of(write_set(tmp_path, 1, steps=5))
    told = {StepKey("trajectory-0000", 2): "It was typed.", StepKey("trajectory-0000", 4): "It was clicked."}
    asked = {case.key.step: context for case, context in source.contexts(told)}
    assert list(asked) == [1, 2, 3, 5]  # the fourth is not annotated
    last = asked[5]
    assert last.instruction == "Rename file 0."
    assert [past.number for past in last.history] == [1, 2, 3, 4]
    assert [past.narrative for past in last.history] == [None, "It was typed.", None, "It was clicked."]
    typed, clicked = last.proposal.actions
    assert isinstance(typed, Type) and isinstance(clicked, Click)
    assert asked[1].history == ()


def test_screens_stay_on_disk_until_somebody_looks(tmp_path: Path) -> None:
    (source,) = sources_of(write_set(tmp_path, 1, steps=2))
    folder = tmp_path / "MisActBench" / "trajectories" / "trajectory-0000"
    for case, context in source.contexts({}):
        assert context.observation.screenshot == (folder / f"step_{case.key.step - 1}.png").resolve()
        assert context.observation.png() == (folder / f"step_{case.key.step - 1}.png").read_bytes()
        assert case.after_path == f"MisActBench/trajectories/trajectory-0000/step_{case.key.step}.png"


def test_steps_after_the_last_label_and_trajectories_without_one_are_left_alone(tmp_path: Path) -> None:
    file = write_set(tmp_path, 3, steps=4, label=lambda t, s: None if t == 1 or s > 2 else s == 1)
    assert {s.entry.trajectory_id: [c.key.step for c in s.cases] for s in sources_of(file)} == {
        "trajectory-0000": [1, 2],
        "trajectory-0002": [1, 2],
    }


def test_screens_that_lead_out_of_the_data_set_are_not_looked_at(tmp_path: Path) -> None:
    file = write_set(tmp_path / "set", 1, steps=2)
    file.write_text(file.read_text().replace("MisActBench/trajectories/trajectory-0000/step_1.png", "/etc/hostname"))
    (source,) = sources_of(file)
    assert source.problem is not None and "leads out of" in source.problem
    assert all(case.screens == (None, None) for case in source.cases)
