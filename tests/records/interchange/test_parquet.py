from __future__ import annotations

import sys
from pathlib import Path

import pytest
import records_sample

from records.interchange.samples import done, entry, reasons, seed_episode, write_set
from trueline.errors import MissingExtraError
from trueline.records.folder.reader import read_episode
from trueline.records.interchange.misactbench import import_benchmark
from trueline.records.interchange.parquet import export_parquet, write
from trueline.records.interchange.parquet.columns import EPISODE_COLUMNS, STEP_COLUMNS
from trueline.records.interchange.parquet.rows import episode_row, step_rows
from trueline.records.interchange.sources import find_sources
from trueline.records.interchange.transfer import TransferOptions

pq = pytest.importorskip("pyarrow.parquet")
MODEL = "pyautogui/screenshot/o4-mini"


def read(path: Path) -> list[dict[str, object]]:
    return pq.read_table(path).to_pylist()


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """One episode of ours, two of a seed, one labelled."""
    root = tmp_path / "results"
    records_sample.write_episode(root / "run2" / MODEL / "chrome/__injected__inject__desktop_notification__stop_task")
    seed_episode(root / "run1" / MODEL / "chrome/t1")
    seed_episode(root / "run1" / MODEL / "os/t2", score=None, steps=4)
    done(import_benchmark(write_set(tmp_path, [entry(1)]), root, TransferOptions()))
    return root


def test_one_row_per_episode_and_one_per_step(tmp_path: Path, results: Path) -> None:
    sources = find_sources([results])
    done(export_parquet(sources, tmp_path / "out"))
    episodes, steps = read(tmp_path / "out/episodes.parquet"), read(tmp_path / "out/steps.parquet")
    assert [row["path"] for row in episodes] == [source.below.as_posix() for source in sources]
    assert len(steps) == sum(len(read_episode(source.folder).record.steps) for source in sources)
    assert {row["path"] for row in steps} == {row["path"] for row in episodes}
    ours = next(row for row in episodes if row["run"] == 2)
    expected: dict[str, object] = {
        "domain": "chrome", "task": "__injected", "vector": "desktop_notification", "goal": "stop_task",
        "score": 1.0, "end": "done", "misaligned": 1, "revisions": 1,
    }  # fmt: skip
    assert {name: ours[name] for name in expected} == expected
    assert ours["exposed"] is True
    assert ours["achieved"] is None
    unscored = next(row for row in episodes if row["task"] == "t2")
    assert unscored["score"] is None
    labelled = [(row["step"], row["label"], row["label_category"]) for row in steps if row["domain"] == "OS-Harm"]
    assert labelled == [(1, False, None), (2, True, "Malicious instruction following"), (3, None, None)]
    first = next(row for row in steps if row["task"] == "t1")
    assert first["kinds"] == ["click"]
    assert first["source"] == "import pyautogui\npyautogui.click(1, 5)"
    assert first["screenshot_before"] == "step_0.png"
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["episodes.parquet", "steps.parquet"]


def test_the_schema_is_the_documented_one_whatever_the_data(tmp_path: Path, results: Path) -> None:
    done(export_parquet(find_sources([results]), tmp_path / "out"))
    seed_episode(tmp_path / "bare" / MODEL / "chrome/t1", steps=0)
    done(export_parquet(find_sources([tmp_path / "bare"]), tmp_path / "small"))
    arrow = {"text": "string", "int": "int64", "float": "double", "bool": "bool", "texts": "list<element: string>"}
    for name, columns in (("episodes", EPISODE_COLUMNS), ("steps", STEP_COLUMNS)):
        for folder in ("out", "small"):
            schema = pq.read_schema(tmp_path / folder / f"{name}.parquet")
            assert {field.name: str(field.type) for field in schema} == {
                column: arrow[kind] for column, kind in columns.items()
            }


def test_rows_have_exactly_the_columns(results: Path) -> None:
    for source in find_sources([results]):
        episode = read_episode(source.folder)
        assert list(episode_row(episode, source.below)) == list(EPISODE_COLUMNS)
        for row in step_rows(episode, source.below, None):
            assert list(row) == list(STEP_COLUMNS)


def test_rows_go_out_in_groups(tmp_path: Path, results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write, "_GROUP_ROWS", 3)
    done(export_parquet(find_sources([results]), tmp_path / "out"))
    file = pq.ParquetFile(tmp_path / "out/steps.parquet")
    assert file.metadata.num_row_groups == -(-file.metadata.num_rows // 3)
    monkeypatch.setattr(write, "_GROUP_ROWS", 10**6)
    monkeypatch.setattr(write, "_GROUP_CHARACTERS", 40_000)
    done(export_parquet(find_sources([results]), tmp_path / "long"))
    assert pq.ParquetFile(tmp_path / "long/steps.parquet").metadata.num_row_groups > 2


def test_broken_unicode_does_not_stop_the_export(tmp_path: Path) -> None:
    folder = seed_episode(tmp_path / "r" / MODEL / "chrome/t1")
    log = (folder / "better_log.json").read_text()
    (folder / "better_log.json").write_text(log.replace("Open the page.", r"Open \ud800 it."))
    done(export_parquet(find_sources([tmp_path / "r"]), tmp_path / "out"))
    assert read(tmp_path / "out/episodes.parquet")[0]["instruction"] == "Open \ufffd it."


def test_a_broken_episode_is_listed_and_the_rest_is_there(tmp_path: Path, results: Path) -> None:
    (results / "run1" / MODEL / "chrome/t1" / "episode.json").write_text("{")
    (reason,) = reasons(export_parquet(find_sources([results]), tmp_path / "out"))
    assert "episode.json" in reason
    assert len(read(tmp_path / "out/episodes.parquet")) == 3


def test_an_export_that_is_given_up_leaves_no_file(tmp_path: Path, results: Path) -> None:
    transfer = export_parquet(find_sources([results]), tmp_path / "out")
    next(transfer.outcomes)
    transfer.outcomes.close()  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]: it is a generator
    assert list((tmp_path / "out").iterdir()) == []


def test_without_pyarrow_the_error_names_the_extra(
    tmp_path: Path, results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"trueline\[parquet\]"):
        export_parquet(find_sources([results]), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_number_that_does_not_fit_leaves_its_episode_out(tmp_path: Path, results: Path) -> None:
    folder = results / "run2" / MODEL / "chrome/__injected__inject__desktop_notification__stop_task"
    record = (folder / "episode.json").read_text()
    (folder / "episode.json").write_text(record.replace('"input_tokens":10,', f'"input_tokens":{2**70},', 1))
    (reason,) = reasons(export_parquet(find_sources([results]), tmp_path / "out"))
    assert "does not fit into 64 bits" in reason
    assert len(read(tmp_path / "out/episodes.parquet")) == 3
    assert "__injected" not in {row["task"] for row in read(tmp_path / "out/steps.parquet")}


def test_tokens_that_nobody_counted_are_null(tmp_path: Path, results: Path) -> None:
    folder = results / "run2" / MODEL / "chrome/__injected__inject__desktop_notification__stop_task"
    record = (folder / "episode.json").read_text()
    (folder / "episode.json").write_text(record.replace('"uncounted":0', '"uncounted":1'))
    done(export_parquet(find_sources([results]), tmp_path / "out"))
    for name in ("episodes", "steps"):
        rows = [row for row in read(tmp_path / f"out/{name}.parquet") if row["task"] == "__injected"]
        assert rows and all(row["input_tokens"] is None and row["output_tokens"] is None for row in rows)


def test_every_column_is_documented() -> None:
    text = (Path(__file__).resolve().parents[3] / "docs/how-to/import-export.md").read_text()
    assert [name for name in {**EPISODE_COLUMNS, **STEP_COLUMNS} if f"`{name}`" not in text] == []
