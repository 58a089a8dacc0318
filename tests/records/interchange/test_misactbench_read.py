from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from records.interchange.samples import UUID, entry, png, write_set
from trueline.errors import InputError
from trueline.records import Category
from trueline.records.interchange.misactbench import (
    Benchmark,
    BenchmarkStep,
    BenchmarkTrajectory,
    find_screens,
    read_benchmark,
    write_benchmark,
)
from trueline.records.interchange.misactbench.model import Metadata
from trueline.records.interchange.misactbench.read import parse_benchmark
from trueline.records.interchange.paths import RefusedError


def one_step(**fields: JsonValue) -> dict[str, JsonValue]:
    step: dict[str, JsonValue] = {"step_idx": 1, "agent_output": "x", **fields}
    return {"t": {"instruction": "do", "steps": {"1": step}}}


def only_step(data: JsonValue) -> BenchmarkStep:
    read = parse_benchmark(data, "m.json")
    assert read.problems == ()
    return read.benchmark.trajectories[0].steps[0]


def problems(data: JsonValue) -> list[str]:
    return [str(problem) for problem in parse_benchmark(data, "m.json").problems]


def test_the_published_shape_is_read_and_written_back_byte_for_byte_in_meaning(tmp_path: Path) -> None:
    entries = [entry(1), entry(2, steps=5)]
    file = write_set(tmp_path, entries)
    read = read_benchmark(file)
    assert read.problems == ()
    assert [trajectory.trajectory_id for trajectory in read.benchmark.trajectories] == [UUID.format(1), UUID.format(2)]
    second = read.benchmark.trajectories[0].steps[1]
    assert (second.step_idx, second.label, second.category) == (2, True, Category.MALICIOUS_INSTRUCTION)
    write_benchmark(tmp_path / "again.json", read.benchmark)
    assert json.loads((tmp_path / "again.json").read_bytes()) == json.loads(file.read_bytes())


def test_lists_instead_of_objects_mean_the_same() -> None:
    data: dict[str, JsonValue] = {str(item["trajectory_id"]): item for item in (entry(1), entry(2))}
    as_lists: list[JsonValue] = []
    for item in (entry(1), entry(2)):
        steps = item["steps"]
        assert isinstance(steps, dict)
        as_lists.append({**item, "steps": list(steps.values())})
    assert parse_benchmark(as_lists, "m.json") == parse_benchmark(data, "m.json")


def test_steps_of_a_list_without_numbers_are_counted_from_one() -> None:
    data: JsonValue = [{"trajectory_id": "t", "instruction": "do", "steps": [{"agent_output": "a"}, {"code": "b"}]}]
    (trajectory,) = parse_benchmark(data, "m.json").benchmark.trajectories
    assert [(step.step_idx, step.agent_output) for step in trajectory.steps] == [(1, "a"), (2, "b")]
    assert trajectory.total_steps == 2
    assert trajectory.trajectory_path == "MisActBench/trajectories/t"


@pytest.mark.parametrize(
    ("value", "label"),
    [
        (True, True), (False, False), (None, None), (1, True), (0, False), (1.0, True), ("true", True),
        ("False", False), ("misaligned", True), (" Aligned ", False), ("YES", True), ("no", False),
        ("1", True), ("0", False),
    ],
)  # fmt: skip
def test_labels_come_as_truth_values_numbers_and_words(value: JsonValue, label: bool | None) -> None:
    assert only_step(one_step(label=value)).label is label


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"action": "a"}, "a"),
        ({"response": "r", "code": "c"}, "r"),
        ({"code": "c"}, "c"),
        ({"action": {"x": 1, "é": None}}, '{"x": 1, "é": null}'),
        ({"action": ["a", 2]}, '["a", 2]'),
    ],
)
def test_the_action_stands_under_several_names_and_is_dumped_when_it_is_no_text(
    fields: dict[str, JsonValue], text: str
) -> None:
    assert only_step(one_step(agent_output=None, **fields)).agent_output == text


def test_a_category_is_known_in_any_case_and_empty_is_none() -> None:
    assert only_step(one_step(category="unintended  harmful Behavior")).category is Category.UNINTENDED_HARM
    assert only_step(one_step(category="")).category is None


def test_keys_nobody_knows_are_kept() -> None:
    step = only_step(one_step(confidence=0.5, model_dump="odd"))
    assert step.unknown == {"confidence": 0.5, "model_dump": "odd"}


def test_every_problem_is_named_with_file_place_and_what_was_expected() -> None:
    data: dict[str, JsonValue] = {
        "good": {"instruction": "do", "steps": {}},
        "bad": {
            "trajectory_id": "other",
            "instruction": 5,
            "metadata": {"agent": ["x"]},
            "steps": {
                "1": {"label": "maybe", "category": "Bad", "agent_output": "x"},
                "2": {"step_idx": 3, "agent_output": "x", "screenshot_path": 7},
                "x": {"agent_output": "x"},
                "4": [],
                "5": {"label": True},
            },
        },
        "no-steps": {"instruction": "do"},
        "nothing": None,
    }
    read = parse_benchmark(data, "m.json")
    assert [trajectory.trajectory_id for trajectory in read.benchmark.trajectories] == ["good"]
    assert [entry.where for entry in read.unreadable] == ["$.bad", '$["no-steps"]', "$.nothing"]
    found = "\n".join(map(str, read.problems))
    for expected in (
        'm.json: $.bad.trajectory_id: expected the entry\'s own key bad, found "other"',
        "m.json: $.bad.instruction: must be a string, found 5",
        "m.json: $.bad.metadata.agent: must be a string",
        '$.bad.steps["1"].label: expected true, false, null, 0, 1, or one of the words',
        "$.bad.steps[\"1\"].category: expected null or one of 'Malicious instruction following'",
        '$.bad.steps["2"].step_idx: expected the entry\'s own key 2, found 3',
        '$.bad.steps["2"].screenshot_path: must be a string, found 7',
        "$.bad.steps.x: expected a step number as the key",
        '$.bad.steps["4"]: expected an object with a step\'s fields, found []',
        '$.bad.steps["5"].agent_output: expected the action',
        '$["no-steps"].steps: expected an object keyed by step number, or a list of steps',
        "$.nothing: expected an object with a trajectory's fields",
    ):
        assert expected in found


def test_an_id_or_a_step_that_stands_twice_is_a_problem() -> None:
    empty: JsonValue = {"trajectory_id": "t", "instruction": "do", "steps": []}
    assert problems([empty, empty]) == ['m.json: $[1].trajectory_id: duplicate id, found "t"']
    steps: JsonValue = [{"step_idx": 2, "agent_output": "a"}, {"step_idx": 2, "agent_output": "b"}]
    assert problems([{"trajectory_id": "t", "instruction": "do", "steps": steps}]) == [
        "m.json: $[0].steps: duplicate step 2"
    ]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"{", "is not JSON"),
        (b"\xff\xfe", "is not JSON"),
        (b'{"a": NaN}', "NaN is not a number"),
        (b'{"a": 1e999}', "1e999 is not a number"),
        (b'{"a": 1, "a": 2}', "the key 'a' appears twice"),
        (b"[" * 5000 + b"]" * 5000, "JSON|nested"),
        (b"[" * 200 + b"]" * 200, "nested deeper than 100 levels"),
        (b'"text"', "expected an object keyed by trajectory id"),
    ],
)
def test_a_file_that_is_no_benchmark_is_one_clear_error(tmp_path: Path, content: bytes, words: str) -> None:
    file = tmp_path / "m.json"
    file.write_bytes(content)
    with pytest.raises(InputError, match=words) as error:
        read_benchmark(file)
    assert str(file) in str(error.value)


def test_a_missing_file_is_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_benchmark(tmp_path / "no.json")


@pytest.mark.parametrize("stamp", ["", "_20260101@120000"])
def test_screens_are_found_in_both_naming_schemes(tmp_path: Path, stamp: str) -> None:
    file = write_set(tmp_path, [entry(1, stamp=stamp)], stamp)
    (trajectory,) = read_benchmark(file).benchmark.trajectories
    folder = file.parent / "trajectories" / UUID.format(1)
    bare = trajectory.model_copy(
        update={"steps": tuple(step.model_copy(update={"screenshot_path": None}) for step in trajectory.steps)}
    )
    for variant in (trajectory, bare):
        screens = find_screens(file, variant)
        assert screens[1].before == folder / "step_0.png"
        assert screens[1].after == screens[2].before == folder / f"step_1{stamp}.png"
        assert screens[3].after == folder / f"step_3{stamp}.png"


def test_paths_may_start_at_the_files_own_folder_at_home_or_at_the_root(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write_set(tmp_path, [entry(1)])
    monkeypatch.setenv("HOME", str(tmp_path))
    folder = file.parent / "trajectories" / UUID.format(1)
    (trajectory,) = read_benchmark(file).benchmark.trajectories
    for path in (f"trajectories/{UUID.format(1)}", f"~/MisActBench/trajectories/{UUID.format(1)}", str(folder)):
        moved = trajectory.model_copy(
            update={
                "trajectory_path": path,
                "steps": (trajectory.steps[0].model_copy(update={"screenshot_path": f"{path}/step_0.png"}),),
            }
        )
        assert find_screens(file, moved)[1] == (folder / "step_0.png", folder / "step_1.png")


def test_a_benchmark_beside_the_set_finds_its_pictures(tmp_path: Path) -> None:
    file = write_set(tmp_path, [entry(1)])
    (trajectory,) = read_benchmark(file).benchmark.trajectories
    other = tmp_path / "filtered" / "part.json"
    assert find_screens(other, trajectory)[1].before == file.parent / "trajectories" / UUID.format(1) / "step_0.png"


def test_of_several_pictures_of_a_step_the_plain_name_counts_then_the_latest(tmp_path: Path) -> None:
    file = write_set(tmp_path, [entry(1)])
    folder = file.parent / "trajectories" / UUID.format(1)
    (trajectory,) = read_benchmark(file).benchmark.trajectories
    for name in ("step_3_20260101@120000.png", "step_3_20260101@120001.png", "step_30.png", "step_x.png"):
        (folder / name).write_bytes(png(9))
    assert find_screens(file, trajectory)[3].after == folder / "step_3.png"
    (folder / "step_3.png").unlink()
    assert find_screens(file, trajectory)[3].after == folder / "step_3_20260101@120001.png"


def test_missing_pictures_are_none(tmp_path: Path) -> None:
    file = write_set(tmp_path, [entry(1)])
    (trajectory,) = read_benchmark(file).benchmark.trajectories
    (file.parent / "trajectories" / UUID.format(1) / "step_1.png").unlink()
    screens = find_screens(file, trajectory)
    assert (screens[1].after, screens[2].before) == (None, None)
    for path in (file.parent / "trajectories" / UUID.format(1)).iterdir():
        path.unlink()
    (file.parent / "trajectories" / UUID.format(1)).rmdir()
    assert find_screens(file, trajectory)[1] == (None, None)


@pytest.mark.parametrize(
    "path",
    ["/etc/passwd", "../../secret.png", "~/secret.png", "MisActBench/../../secret.png", "trajectories/link.png",
     "trajectories/inside/secret.png", "trajectories/notes.png", "bad\0name"],
)  # fmt: skip
def test_a_path_that_leads_out_of_the_set_or_to_no_picture_is_refused(tmp_path: Path, path: str) -> None:
    file = write_set(tmp_path / "data", [entry(1)])
    (tmp_path / "secret.png").write_bytes(png(1))
    (file.parent / "trajectories" / "link.png").symlink_to(tmp_path / "secret.png")
    (file.parent / "trajectories" / "inside").symlink_to(tmp_path)
    (file.parent / "trajectories" / "notes.png").write_text("password: hunter2")
    (trajectory,) = read_benchmark(file).benchmark.trajectories
    step = trajectory.steps[0].model_copy(update={"screenshot_path": path})
    with pytest.raises(RefusedError):
        find_screens(file, trajectory.model_copy(update={"steps": (step,)}))
    with pytest.raises(RefusedError):
        find_screens(file, trajectory.model_copy(update={"trajectory_path": path}))


def test_a_picture_of_the_folder_that_is_a_link_outside_is_refused(tmp_path: Path) -> None:
    file = write_set(tmp_path / "data", [entry(1)])
    (tmp_path / "secret.png").write_bytes(png(1))
    picture = file.parent / "trajectories" / UUID.format(1) / "step_3.png"
    picture.unlink()
    picture.symlink_to(tmp_path / "secret.png")
    (trajectory,) = read_benchmark(file).benchmark.trajectories
    with pytest.raises(RefusedError, match="leads out of"):
        find_screens(file, trajectory)


text = st.text(st.characters(codec="utf-8"), max_size=8)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**40), 2**40) | text,
    lambda inner: st.lists(inner, max_size=2),
    max_leaves=3,
)
KNOWN = {
    "trajectory_id", "trajectory_path", "instruction", "total_steps", "steps", "metadata", "step_idx", "label",
    "category", "agent_output", "screenshot_path", "source", "agent",
}  # fmt: skip
keys = st.sampled_from(sorted(KNOWN)) | text
extras = st.dictionaries(text.filter(lambda key: key not in KNOWN), json_values, max_size=2)


@st.composite
def trajectories(draw: st.DrawFn) -> BenchmarkTrajectory:
    numbers = sorted(draw(st.sets(st.integers(1, 30), max_size=4)))
    steps = [
        BenchmarkStep.model_validate(
            {
                **draw(extras),
                "step_idx": number,
                "label": draw(st.sampled_from([True, False, None])),
                "category": draw(st.sampled_from([None, *Category])),
                "agent_output": draw(text),
                "screenshot_path": draw(st.none() | text),
            }
        )
        for number in numbers
    ]
    metadata = Metadata.model_validate(
        {**draw(extras), "source": draw(st.none() | text), "agent": draw(st.none() | text)}
    )
    data: dict[str, object] = {
        **draw(extras),
        "trajectory_id": draw(text.filter(bool)),
        "trajectory_path": draw(text),
        "instruction": draw(text),
        "total_steps": draw(st.integers(0, 99)),
        "steps": (),
        "metadata": metadata,
    }
    return BenchmarkTrajectory.model_validate(data).model_copy(update={"steps": tuple(steps)})


benchmarks = st.lists(trajectories(), max_size=3, unique_by=lambda trajectory: trajectory.trajectory_id).map(
    lambda found: Benchmark(trajectories=tuple(found))
)


@settings(deadline=None)
@given(benchmark=benchmarks)
def test_what_is_written_is_read_back_equal(tmp_path_factory: pytest.TempPathFactory, benchmark: Benchmark) -> None:
    file = tmp_path_factory.mktemp("set") / "misactbench.json"
    write_benchmark(file, benchmark)
    read = read_benchmark(file)
    assert read.problems == ()
    assert read.benchmark == benchmark


@settings(deadline=None, max_examples=300)
@given(
    data=st.recursive(
        st.none() | st.booleans() | st.integers() | text,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=5),
    )
)
def test_no_json_makes_the_reader_fall(data: JsonValue) -> None:
    if not isinstance(data, dict | list):
        return
    read = parse_benchmark(data, "m.json")
    assert len(read.benchmark.trajectories) + len(read.unreadable) == len(data)
    assert all(unreadable.problems for unreadable in read.unreadable)
