from __future__ import annotations

import cProfile
import json
import uuid
from pathlib import Path

import pytest
import records_sample
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from records.interchange.samples import UUID, done, entry, png, reasons, seed_episode, tree_of, write_set
from trueline.actions import Click, Point, bare
from trueline.errors import InputError
from trueline.records import Unscored
from trueline.records.folder.reader import read_episode
from trueline.records.interchange.labels import StepLabel, StepLabels, read_labels, write_labels
from trueline.records.interchange.misactbench import export_benchmark, import_benchmark, read_benchmark
from trueline.records.interchange.sources import find_sources
from trueline.records.interchange.transfer import TransferOptions

OPTIONS = TransferOptions()


def exported(results: Path, out: Path) -> Path:
    done(export_benchmark(find_sources([results]), out, OPTIONS))
    return out / "MisActBench" / "misactbench.json"


@pytest.mark.parametrize("stamp", ["", "_20260101@120000"])
@pytest.mark.parametrize("link", [False, True])
def test_import_then_export_gives_the_same_set(tmp_path: Path, stamp: str, link: bool) -> None:
    file = write_set(tmp_path / "source", [entry(1, stamp=stamp), entry(2, steps=5, stamp=stamp)], stamp)
    before = tree_of(tmp_path / "source")
    done(import_benchmark(file, tmp_path / "results", TransferOptions(link=link)))
    exported(tmp_path / "results", tmp_path / "out")
    assert json.loads((tmp_path / "out/MisActBench/misactbench.json").read_bytes()) == json.loads(file.read_bytes())
    pictures = {name: content for name, content in before.items() if name.endswith(".png")}
    assert {n: c for n, c in tree_of(tmp_path / "out").items() if n.endswith(".png")} == pictures
    assert tree_of(tmp_path / "source") == before


def test_an_imported_trajectory_is_an_episode_like_any_other(tmp_path: Path) -> None:
    file = write_set(tmp_path, [entry(1)])
    (outcome,) = done(import_benchmark(file, tmp_path / "results", OPTIONS))
    folder = tmp_path / "results/pyautogui/screenshot/some-agent/OS-Harm" / UUID.format(1)
    assert outcome.written == folder
    episode = read_episode(folder)
    assert episode.problems == ()
    record = episode.record
    assert record.instruction == "Rename file 1 to “report”."
    assert record.unscored is Unscored.UNSUPPORTED
    assert [step.number for step in record.steps] == [1, 2, 3]
    step = record.steps[1]
    assert step.proposal is not None
    assert [bare(action) for action in step.proposal.actions] == [Click(at=Point(2, 1))]
    assert step.observation is not None
    assert step.observation.screenshot is not None
    assert step.observation.screenshot.file == "step_1.png"
    assert (folder / "step_1.png").read_bytes() == png(1)
    assert step.results[-1].screenshot is not None
    assert step.results[-1].screenshot.file == "step_2.png"
    labels = read_labels(folder)
    assert labels is not None
    assert [label.label for label in labels.steps.values()] == [False, True, None]
    assert not (folder / "result.txt").exists()
    assert folder.stat().st_mode & 0o777 == 0o700


def test_missing_screenshots_are_noted_and_do_not_stop_anything(tmp_path: Path) -> None:
    file = write_set(tmp_path, [entry(1)])
    (file.parent / "trajectories" / UUID.format(1) / "step_1.png").unlink()
    (outcome,) = done(import_benchmark(file, tmp_path / "results", OPTIONS))
    assert outcome.notes == ("step 2: the screenshot before it is missing",)
    assert outcome.written is not None
    assert [problem.what for problem in read_episode(outcome.written).problems] == list(outcome.notes)
    (again,) = done(export_benchmark(find_sources([tmp_path / "results"]), tmp_path / "out", OPTIONS))
    assert again.notes == outcome.notes
    assert json.loads((tmp_path / "out/MisActBench/misactbench.json").read_bytes()) == json.loads(file.read_bytes())


def test_malformed_trajectories_are_listed_and_the_rest_goes_on(tmp_path: Path) -> None:
    bad = entry(2)
    bad["instruction"] = None
    file = write_set(tmp_path, [entry(1), bad, entry(3)])
    transfer = import_benchmark(file, tmp_path / "results", OPTIONS)
    outcomes = list(transfer.outcomes)
    assert transfer.total == len(outcomes) == 3
    (left,) = [outcome for outcome in outcomes if outcome.reason]
    assert left.where == f'{file}: $["{UUID.format(2)}"]'
    assert left.reason is not None
    assert left.reason.startswith(f'$["{UUID.format(2)}"].instruction: must be a string')
    assert len(find_sources([tmp_path / "results"])) == 2


def test_a_screenshot_outside_of_the_set_is_refused_and_nothing_of_it_is_copied(tmp_path: Path) -> None:
    (tmp_path / "secret.png").write_bytes(png(77))
    bad = entry(1)
    steps = bad["steps"]
    assert isinstance(steps, dict)
    first = steps["1"]
    assert isinstance(first, dict)
    first["screenshot_path"] = str(tmp_path / "secret.png")
    file = write_set(tmp_path / "set", [bad, entry(2)])
    (reason,) = reasons(import_benchmark(file, tmp_path / "results", OPTIONS))
    assert "secret.png: leads out of" in reason
    assert png(77) not in tree_of(tmp_path / "results").values()
    assert len(find_sources([tmp_path / "results"])) == 1


HOSTILE = [
    "../../escaped",
    "/abs",
    "..",
    ".hidden",
    "a/b\\c",
    "x__inject__v__g",
    "x" * 400,
    "\x1b[2J",
    "é ü",
    "a_jailbreak",
]


@pytest.mark.parametrize("name", HOSTILE)
def test_names_of_the_set_never_lead_out_of_the_folder_and_come_back_whole(tmp_path: Path, name: str) -> None:
    item = entry(1)
    item |= {"trajectory_id": name, "metadata": {"source": name, "agent": name}}
    home = tmp_path / "in" / "MisActBench"
    home.mkdir(parents=True)
    file = home / "misactbench.json"
    file.write_text(json.dumps({name: item}))
    (home / "trajectories" / UUID.format(1)).mkdir(parents=True)
    (home / "trajectories" / UUID.format(1) / "step_0.png").write_bytes(png(1))
    (outcome,) = done(import_benchmark(file, tmp_path / "in" / "results", OPTIONS))
    assert outcome.written is not None
    assert outcome.written.resolve().is_relative_to(tmp_path / "in" / "results")
    assert len(outcome.written.relative_to(tmp_path / "in" / "results").parts) == 5
    assert read_episode(outcome.written).record.task.id == name
    out = exported(tmp_path / "in" / "results", tmp_path / "in" / "out")
    (trajectory,) = read_benchmark(out).benchmark.trajectories
    assert (trajectory.trajectory_id, trajectory.metadata.source) == (name, name)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in"]
    assert sorted(path.name for path in (tmp_path / "in").iterdir()) == ["MisActBench", "out", "results"]
    assert len(list((tmp_path / "in/out/MisActBench/trajectories").iterdir())) == 1


def test_an_episode_that_is_there_is_never_overwritten(tmp_path: Path) -> None:
    file = write_set(tmp_path, [entry(1)])
    (outcome,) = done(import_benchmark(file, tmp_path / "results", OPTIONS))
    assert outcome.written is not None
    (outcome.written / "mine.txt").write_text("work")
    before = tree_of(tmp_path / "results")
    (reason,) = reasons(import_benchmark(file, tmp_path / "results", OPTIONS))
    assert str(outcome.written) in reason
    assert "--force" in reason
    assert tree_of(tmp_path / "results") == before
    done(import_benchmark(file, tmp_path / "results", TransferOptions(force=True)))
    assert not (outcome.written / "mine.txt").exists()
    (kept,) = (tmp_path / "results" / ".attempts").rglob("mine.txt")
    assert kept.read_text() == "work"


def test_native_episodes_become_trajectories_without_labels(tmp_path: Path) -> None:
    folder = tmp_path / "run1/pyautogui/screenshot/o4-mini/chrome/__injected__inject__desktop_notification__stop_task"
    records_sample.write_episode(folder)
    file = exported(tmp_path / "run1", tmp_path / "out")
    (trajectory,) = read_benchmark(file).benchmark.trajectories
    assert uuid.UUID(trajectory.trajectory_id).version == 5
    assert trajectory.metadata.agent == "openai|o4-mini"
    assert [step.label for step in trajectory.steps] == [None] * records_sample.STEPS
    assert "pyautogui.click(1, 2)" in trajectory.steps[0].agent_output
    for step in trajectory.steps:
        assert step.screenshot_path is not None
        assert (tmp_path / "out" / step.screenshot_path).read_bytes() == records_sample.png(step.step_idx - 1)
    again = exported(tmp_path / "run1", tmp_path / "again")
    assert again.read_bytes() == file.read_bytes()


def test_people_can_label_an_episode_of_a_seed(tmp_path: Path) -> None:
    folder = seed_episode(tmp_path / "r/pyautogui/screenshot/o4-mini/chrome/t1")
    write_labels(folder, StepLabels(source="me", steps={1: StepLabel(label=False), 2: StepLabel(label=True)}))
    (trajectory,) = read_benchmark(exported(tmp_path / "r", tmp_path / "out")).benchmark.trajectories
    assert [(step.label, step.agent_output) for step in trajectory.steps] == [
        (False, "import pyautogui\npyautogui.click(1, 5)"),
        (True, "DONE"),
    ]
    write_labels(folder, StepLabels(source="me", steps={9: StepLabel(label=True)}))
    (reason,) = reasons(export_benchmark(find_sources([tmp_path / "r"]), tmp_path / "out2", OPTIONS))
    assert "step 9" in reason


def test_a_broken_episode_is_listed_and_the_rest_is_exported(tmp_path: Path) -> None:
    model = tmp_path / "r/pyautogui/screenshot/o4-mini/chrome"
    seed_episode(model / "good")
    (seed_episode(model / "labels") / "labels.json").write_text("{")
    (seed_episode(model / "record") / "episode.json").write_text("{")
    hostile = seed_episode(model / "zz")
    records = json.loads((hostile / "better_log.json").read_text())
    done_reasons = reasons(export_benchmark(find_sources([tmp_path / "r"]), tmp_path / "out", OPTIONS))
    assert [("labels.json" in reason, "episode.json" in reason) for reason in done_reasons] == [
        (True, False),
        (False, True),
    ]
    assert records["steps"]
    assert len(read_benchmark(tmp_path / "out/MisActBench/misactbench.json").benchmark.trajectories) == 2


def test_a_record_that_names_a_file_elsewhere_is_not_exported(tmp_path: Path) -> None:
    file = write_set(tmp_path, [entry(1)])
    (outcome,) = done(import_benchmark(file, tmp_path / "r", OPTIONS))
    assert outcome.written is not None
    (tmp_path / "secret.png").write_bytes(png(77))
    (outcome.written / "link.png").symlink_to(tmp_path / "secret.png")
    (outcome.written / "text.png").write_text("secret")
    record = outcome.written / "episode.json"
    honest = record.read_text()
    for name in ("../../../../../../secret.png", str(tmp_path / "secret.png"), "labels.json", "link.png", "text.png"):
        record.write_text(honest.replace("step_0.png", name))
        assert len(reasons(export_benchmark(find_sources([tmp_path / "r"]), tmp_path / "out", OPTIONS))) == 1
    assert not (tmp_path / "out").exists() or tree_of(tmp_path / "out") == {}


def test_two_folders_with_the_same_paths_do_not_collide(tmp_path: Path) -> None:
    for name in ("a", "b"):
        seed_episode(tmp_path / name / "pyautogui/screenshot/o4-mini/chrome/t1")
    sources = find_sources([tmp_path / "a", tmp_path / "b", tmp_path / "a"])
    assert [source.below.parts[0] for source in sources] == ["a", "b"]
    done(export_benchmark(sources, tmp_path / "out", OPTIONS))
    assert len(read_benchmark(tmp_path / "out/MisActBench/misactbench.json").benchmark.trajectories) == 2


def test_an_empty_benchmark_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "m.json").write_text("{}")
    with pytest.raises(InputError, match="contains no trajectories"):
        import_benchmark(tmp_path / "m.json", tmp_path / "out", OPTIONS)


@pytest.mark.parametrize("many", [200, pytest.param(1000, marks=pytest.mark.full)])
def test_many_trajectories_take_as_many_times_the_work_of_one(tmp_path: Path, many: int) -> None:
    """Counts calls, which the machine's speed does not change: a step that looks at all others would show."""
    calls: list[float] = []
    for number in (10, many):
        data: dict[str, JsonValue] = {
            f"t{i}": {"instruction": "do", "steps": {"1": {"agent_output": "x", "label": 1}}} for i in range(number)
        }
        file = tmp_path / str(number) / "misactbench.json"
        file.parent.mkdir()
        file.write_text(json.dumps(data))
        profile = cProfile.Profile()
        profile.enable()
        done(import_benchmark(file, tmp_path / f"out{number}", OPTIONS))
        profile.disable()
        calls.append(sum(entry.callcount for entry in profile.getstats()) / number)
    assert calls[1] <= calls[0] * 1.1


@st.composite
def shapes(draw: st.DrawFn) -> dict[str, JsonValue]:
    """A set as the published one, of any content."""
    data: dict[str, JsonValue] = {}
    text = st.text(st.characters(codec="utf-8"), max_size=12)
    for name in draw(st.lists(st.uuids(version=4).map(str), min_size=1, max_size=3, unique=True)):
        steps = sorted(draw(st.sets(st.integers(1, 12), min_size=1, max_size=4)))
        path = f"MisActBench/trajectories/{name}"
        data[name] = {
            "trajectory_id": name,
            "trajectory_path": path,
            "instruction": draw(text),
            "total_steps": draw(st.integers(0, 20)),
            "steps": {
                str(number): {
                    "step_idx": number,
                    "label": draw(st.sampled_from([True, False, None])),
                    "category": draw(st.sampled_from([None, "Unintended harmful behavior"])),
                    "agent_output": draw(text),
                    "screenshot_path": f"{path}/step_{number - 1}.png",
                    **draw(st.dictionaries(st.sampled_from(["note", "rater"]), text, max_size=1)),
                }
                for number in steps
            },
            "metadata": {
                "source": draw(text),
                "agent": draw(text),
                **draw(st.fixed_dictionaries({}, optional={"x": text})),
            },
        }
    return data


@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(data=shapes(), missing=st.booleans())
def test_any_set_comes_back_equal(
    tmp_path_factory: pytest.TempPathFactory, data: dict[str, JsonValue], missing: bool
) -> None:
    root = tmp_path_factory.mktemp("set")
    home = root / "in" / "MisActBench"
    for name in data:
        folder = home / "trajectories" / name
        folder.mkdir(parents=True)
        for number in range(0 if missing else 13):
            (folder / f"step_{number}.png").write_bytes(png(number))
    (home / "misactbench.json").write_text(json.dumps(data))
    done(import_benchmark(home / "misactbench.json", root / "results", OPTIONS))
    file = exported(root / "results", root / "out")
    assert json.loads(file.read_bytes()) == data


def test_broken_unicode_and_endless_names_are_no_way_to_make_it_fall(tmp_path: Path) -> None:
    broken: JsonValue = "\ud800"
    name, path, long = entry(1), entry(2), entry(3)
    name["instruction"] = broken
    name["metadata"] = {"source": broken, "agent": broken}
    path["trajectory_path"] = broken
    long["trajectory_path"] = "x" * 5000
    file = write_set(tmp_path, [name, path, long])
    left = reasons(import_benchmark(file, tmp_path / "results", OPTIONS))
    assert [reason.endswith("is not a path") for reason in left] == [True, True]
    exported(tmp_path / "results", tmp_path / "out")
    written = json.loads((tmp_path / "out/MisActBench/misactbench.json").read_bytes())
    assert written == {UUID.format(1): name}


def test_pictures_with_odd_names_are_not_taken_for_steps(tmp_path: Path) -> None:
    file = write_set(tmp_path, [entry(1)])
    (file.parent / "trajectories" / UUID.format(1) / "step_3_\x01\n.png").write_bytes(png(9))
    (file.parent / "trajectories" / UUID.format(1) / "step_3.png").unlink()
    (outcome,) = done(import_benchmark(file, tmp_path / "results", OPTIONS))
    assert outcome.written is not None
    assert sorted(path.name for path in outcome.written.glob("step_*")) == ["step_0.png", "step_1.png", "step_2.png"]


def test_labels_that_make_no_benchmark_are_named(tmp_path: Path) -> None:
    folder = seed_episode(tmp_path / "r/pyautogui/screenshot/o4-mini/chrome/t1")
    write_labels(folder, StepLabels(source="me", metadata={"agent": 5}))
    (reason,) = reasons(export_benchmark(find_sources([tmp_path / "r"]), tmp_path / "out", OPTIONS))
    assert reason == f"{folder / 'labels.json'}: metadata.agent: must be a string"


def test_what_a_step_does_not_say_it_does_not_say_after_an_export_either(tmp_path: Path) -> None:
    item = entry(1)
    item["steps"] = {
        "1": {"agent_output": "pyautogui.click(1, 2)", "label": True, "note": "odd"},
        "2": {"step_idx": 2, "agent_output": "WAIT", "category": None},
    }
    file = write_set(tmp_path, [item])
    done(import_benchmark(file, tmp_path / "r", OPTIONS))
    again = json.loads(exported(tmp_path / "r", tmp_path / "out").read_bytes())[UUID.format(1)]
    assert again["steps"] == item["steps"]
    assert read_benchmark(tmp_path / "out/MisActBench/misactbench.json").problems == ()
