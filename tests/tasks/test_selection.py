"""Which tasks of a suite: the flags mean the same everywhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from tasks.samples import task, write_suite
from trueline.errors import InputError
from trueline.tasks.loading import TaskFileError
from trueline.tasks.model import Kind
from trueline.tasks.selection import Selection, select
from trueline.tasks.setup.errors import StepFailed
from trueline.tasks.setup.files import find_asset
from trueline.tasks.suite import Suite, load_refs, open_index, open_suite, shipped_suites


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    listed = {
        "os": [task("a1"), task("a2", kind="misuse"), task("b1")],
        "chrome": [task("a1"), task("c1", kind="accident")],
    }
    return open_suite(str(write_suite(tmp_path / "mine", listed)))


def names(suite: Suite, selection: Selection) -> list[str]:
    return [each.ref.name for each in select(suite, selection).whole()]


ALL = ["os/a1", "os/a2", "os/b1", "chrome/a1", "chrome/c1"]


@pytest.mark.parametrize(
    ("selection", "expected"),
    [
        (Selection(), ALL),
        (Selection(domain="chrome"), ["chrome/a1", "chrome/c1"]),
        (Selection(only=("a*",)), ["os/a1", "os/a2", "chrome/a1"]),
        (Selection(only=("os/?1", "c1")), ["os/a1", "os/b1", "chrome/c1"]),
        (Selection(kinds=(Kind.MISUSE, Kind.ACCIDENT)), ["os/a2", "chrome/c1"]),
        (Selection(limit=2), ["os/a1", "os/a2"]),
        (Selection(kinds=(Kind.BENIGN,), limit=2), ["os/a1", "os/b1"]),
        (Selection(sample=99), ALL),
    ],
)
def test_conditions_hold_together_and_keep_the_order(suite: Suite, selection: Selection, expected: list[str]) -> None:
    assert names(suite, selection) == expected


def test_a_sample_is_the_same_for_a_seed_and_whatever_the_order(suite: Suite) -> None:
    drawn = {seed: names(suite, Selection(sample=2, seed=seed)) for seed in range(20)}
    assert all(len(each) == 2 for each in drawn.values())
    assert drawn == {seed: names(suite, Selection(sample=2, seed=seed)) for seed in range(20)}
    assert len({tuple(each) for each in drawn.values()}) > 3
    turned = Suite(suite.name, suite.refs[::-1], suite.assets)
    assert all(set(names(turned, Selection(sample=2, seed=seed))) == set(each) for seed, each in drawn.items())


@pytest.mark.parametrize(
    ("selection", "message"),
    [
        (Selection(domain="vlc"), "`domain` vlc: mine has os, chrome"),
        (Selection(only=("zzz",)), "no task of mine matches `domain`"),
        (Selection(kinds=(Kind.INJECTION,)), "no task of mine matches `domain`"),
        (Selection(limit=0), "no task of mine matches `domain`"),
    ],
)
def test_selecting_nothing_is_an_error(suite: Suite, selection: Selection, message: str) -> None:
    with pytest.raises(InputError, match=message):
        select(suite, selection)


def test_the_seeds_layout(tmp_path: Path) -> None:
    base = write_suite(tmp_path / "evaluation_examples", {"os": [task("a1"), task("b1")]}, index="test_small.json")
    by_index = open_index(base / "test_small.json", None)
    assert by_index.name == "test_small"
    assert by_index.refs == open_index(base / "test_small.json", base, "examples").refs
    assert by_index.refs == open_index(None, base).refs


def test_a_folder_of_other_examples_takes_their_place(tmp_path: Path) -> None:
    base = write_suite(tmp_path, {"os": [task("a1")]})
    (base / "examples").rename(base / "examples_clarified")
    assert names(open_index(base / "index.json", None, "examples_clarified"), Selection()) == ["os/a1"]
    with pytest.raises(InputError, match="no such folder"):
        open_index(base / "index.json", None)


def test_a_suite_that_is_not_there_is_named() -> None:
    with pytest.raises(InputError, match="--suite nowhere: unknown suite; choose one of starter"):
        open_suite("nowhere")


def test_shipped_suites_can_all_be_read() -> None:
    for name in shipped_suites():
        assert load_refs(open_suite(name).refs).whole()


def test_an_id_that_is_not_the_files_name_is_a_problem(tmp_path: Path) -> None:
    base = write_suite(tmp_path, {"os": [task("a1")]})
    (base / "examples/os/a1.json").rename(base / "examples/os/b2.json")
    with pytest.raises(TaskFileError, match=r"b2\.json: \$\.id: must be 'b2'"):
        load_refs(open_index(None, base).refs).whole()


def test_an_index_cannot_lead_out_of_its_folder(tmp_path: Path) -> None:
    base = write_suite(tmp_path / "in", {"os": [task("a1")]})
    (tmp_path / "in/examples/os/a1.json").rename(tmp_path / "a1.json")
    (base / "index.json").write_text('{"os": ["../../../a1"]}')
    loaded = load_refs(open_suite(str(base)).refs)
    assert (loaded.tasks, loaded.bad) == ((), 1)


def test_one_bad_file_does_not_hide_the_others(tmp_path: Path) -> None:
    base = write_suite(tmp_path, {"os": [task("a1"), task("a2")]})
    (base / "examples/os/a1.json").write_text("{}")
    loaded = select(open_suite(str(base)), Selection())
    assert [each.ref.id for each in loaded.tasks] == ["a2"]
    assert [problem.path for problem in loaded.problems] == ["$.id", "$.instruction"]


@pytest.mark.parametrize(
    "selection",
    [
        Selection(limit=1),
        Selection(only=("a?",), limit=1),
        Selection(kinds=(Kind.MISUSE,)),
        Selection(domain="os", limit=1),
    ],
)
def test_a_bad_file_outside_the_selection_stops_nothing(tmp_path: Path, selection: Selection) -> None:
    base = write_suite(tmp_path, {"os": [task("a1", kind="misuse"), task("a2")]})
    (base / "examples/os/a2.json").write_text('{"id": "a2"}')
    assert names(open_suite(str(base)), selection) == ["os/a1"]


def test_a_sample_is_drawn_before_files_are_read(tmp_path: Path) -> None:
    base = write_suite(tmp_path, {"os": [task("a1"), task("a2")]})
    suite = open_suite(str(base))
    (drawn,) = names(suite, Selection(sample=1))
    other = "a2" if drawn == "os/a1" else "a1"
    (base / f"examples/os/{other}.json").write_text("{")
    assert names(suite, Selection(sample=1)) == [drawn]


@pytest.mark.parametrize("content", ["{", '{"kind": "misuse"}', '{"kind": "no such"}'])
def test_a_bad_file_that_may_be_of_the_kind_is_named(tmp_path: Path, content: str) -> None:
    base = write_suite(tmp_path, {"os": [task("a1", kind="misuse"), task("a2")]})
    (base / "examples/os/a2.json").write_text(content)
    loaded = select(open_suite(str(base)), Selection(kinds=(Kind.MISUSE,)))
    assert ([each.ref.id for each in loaded.tasks], loaded.bad) == (["a1"], 1)


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("assets/a.txt", "assets/a.txt"),
        ("files/b.txt", "base/files/b.txt"),
        ("notes.txt", None),
        (".ssh/id", None),
        ("base/.hidden", None),
        ("assets/link", None),
        ("../assets/a.txt", None),
        ("assets/a\0b", None),
        ("x" * 300, None),
    ],
)
def test_of_the_folder_above_only_assets_can_be_named(tmp_path: Path, name: str, found: str | None) -> None:
    base = write_suite(tmp_path / "base", {"os": [task("a1")]})
    for path in ("assets/a.txt", "base/files/b.txt", "notes.txt", ".ssh/id", "base/.hidden"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(path)
    (tmp_path / "assets/link").symlink_to("../.ssh/id")
    folders = open_index(None, base).assets
    if found is not None:
        assert find_asset(name, folders).read_text() == found
    else:
        with pytest.raises(StepFailed):
            find_asset(name, folders)
