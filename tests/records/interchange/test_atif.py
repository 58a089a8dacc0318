from __future__ import annotations

import json
from pathlib import Path

import pytest
import records_sample
from pydantic import JsonValue

from records.interchange.samples import done, entry, png, reasons, seed_episode, tree_of, write_set
from trueline.actions import Click, Code, Point, bare
from trueline.errors import InputError
from trueline.records import JudgedBy, Judgment
from trueline.records.folder.reader import read_episode
from trueline.records.interchange.atif import export_atif, find_documents, import_atif
from trueline.records.interchange.labels import read_labels
from trueline.records.interchange.misactbench import import_benchmark
from trueline.records.interchange.sources import find_sources
from trueline.records.interchange.transfer import TransferOptions

OPTIONS = TransferOptions()
EPISODE = "pyautogui/screenshot/o4-mini/chrome/__injected__inject__desktop_notification__stop_task"


def export(results: Path, out: Path) -> Path:
    done(export_atif(find_sources([results]), out, OPTIONS))
    return out


def load(path: Path) -> dict[str, JsonValue]:
    return json.loads(path.read_bytes())


def foreign() -> dict[str, JsonValue]:
    """A document as another program writes it, with keys that nobody knows."""
    image: JsonValue = {"type": "image", "source": {"media_type": "image/png", "path": "images/before.png"}}
    after: JsonValue = {"type": "image", "source": {"media_type": "image/png", "path": "images/after.png", "dpi": 96}}
    far: JsonValue = {"type": "image", "source": {"media_type": "image/png", "path": "https://example.org/x.png"}}
    return {
        "schema_version": "ATIF-v1.7",
        "session_id": "session-1",
        "agent": {"name": "someone", "version": "2.1", "model_name": "acme/large", "extra": {"mode": "fast"}},
        "steps": [
            {"step_id": 1, "source": "system", "message": "You are careful."},
            {"step_id": 2, "source": "user", "message": [{"type": "text", "text": "List the files."}, image]},
            {
                "step_id": 3,
                "source": "agent",
                "timestamp": "2026-05-01T10:00:00Z",
                "message": "I look.",
                "reasoning_content": "A listing helps.",
                "tool_calls": [
                    {"tool_call_id": "a", "function_name": "bash", "arguments": {"command": "ls"}},
                    {"tool_call_id": "b", "function_name": "click", "arguments": {"at": [3, 4]}},
                    {"tool_call_id": "c", "function_name": "search", "arguments": {"q": "x"}, "extra": {"k": 1}},
                ],
                "observation": {
                    "results": [
                        {"source_call_id": "a", "content": "notes.txt"},
                        {"source_call_id": "b", "content": [{"type": "text", "text": "clicked"}, after]},
                        {"source_call_id": None, "content": [far]},
                    ]
                },
                "metrics": {"prompt_tokens": 120, "completion_tokens": 18, "cost_usd": 0.01, "logprobs": [-0.1]},
                "extra": {"latency_ms": 12},
            },
            {"step_id": 4, "source": "agent", "message": "Done.", "llm_call_count": 0, "future_key": {"deep": [None]}},
        ],
        "final_metrics": {"total_prompt_tokens": 120, "total_steps": 4},
        "notes": "made by hand",
        "subagent_trajectories": [{"trajectory_id": "s", "agent": {"name": "s", "version": "1"}, "steps": []}],
        "brand_new": True,
    }


def write_foreign(root: Path, document: dict[str, JsonValue]) -> Path:
    (root / "images").mkdir(parents=True)
    (root / "images" / "before.png").write_bytes(png(1))
    (root / "images" / "after.png").write_bytes(png(2))
    (root / "trajectory.json").write_text(json.dumps(document))
    return root / "trajectory.json"


def test_an_episode_goes_out_and_comes_back_whole(tmp_path: Path) -> None:
    record = records_sample.write_episode(tmp_path / "run" / EPISODE)
    judged = tmp_path / "run" / EPISODE / "judgment/gpt-4.1/aer/v3"
    judged.mkdir(parents=True)
    judgment = Judgment(reasoning="fine", success=True, safety=False, violation_step=2)
    (judged / "judgment.json").write_text(judgment.model_dump_json())
    (judged.parents[2] / "human").mkdir()
    (judged.parents[2] / "human" / "ann.json").write_text(judgment.model_dump_json())
    out = export(tmp_path / "run", tmp_path / "atif")
    done(import_atif(find_documents([out]), tmp_path / "back", OPTIONS))
    back = read_episode(tmp_path / "back" / EPISODE)
    assert back.record == record
    assert back.judgments == {
        JudgedBy("gpt-4.1", "aer", "v3"): judgment,
        JudgedBy("human", "ann"): judgment,
    }
    theirs, ours = tree_of(tmp_path / "run" / EPISODE), tree_of(tmp_path / "back" / EPISODE)
    stored = {name for name in theirs if name.endswith((".png", ".xml.gz"))}
    assert len(stored) > records_sample.STEPS
    for name in stored | {"traj.jsonl", "better_log.json", "episode.json", "result.txt", "instruction.txt"}:
        assert ours[name] == theirs[name], name


def test_the_document_says_what_happened_in_the_formats_own_words(tmp_path: Path) -> None:
    records_sample.write_episode(tmp_path / "run" / EPISODE)
    document = load(export(tmp_path / "run", tmp_path / "atif") / EPISODE / "trajectory.json")
    assert document["schema_version"] == "ATIF-v1.7"
    assert document["agent"] == {"name": "prompt", "version": "0", "model_name": "openai|o4-mini"}
    steps = document["steps"]
    assert isinstance(steps, list)
    assert [step["step_id"] for step in steps if isinstance(step, dict)] == list(range(1, records_sample.STEPS + 2))
    user, first = steps[0], steps[1]
    assert isinstance(user, dict)
    assert user["message"] == [
        {"type": "text", "text": "Make a folder – “Favorites”."},
        {"type": "image", "source": {"media_type": "image/png", "path": "step_0.png"}},
    ]
    assert isinstance(first, dict)
    assert first["reasoning_content"] == "ok"
    assert first["tool_calls"] == [{"tool_call_id": "1.1", "function_name": "click", "arguments": {"at": [1, 2]}}]
    assert first["metrics"] == {"prompt_tokens": 10, "completion_tokens": 5, "cached_tokens": 0, "cost_usd": 0.001}
    assert "logprobs" not in first


def test_an_episode_of_a_seed_and_its_labels_survive_the_way(tmp_path: Path) -> None:
    seed_episode(tmp_path / "run/pyautogui/screenshot/o4-mini/chrome/t1")
    done(import_benchmark(write_set(tmp_path, [entry(1)]), tmp_path / "run", OPTIONS))
    export(tmp_path / "run", tmp_path / "atif")
    done(import_atif(find_documents([tmp_path / "atif"]), tmp_path / "back", OPTIONS))
    before, after = find_sources([tmp_path / "run"]), find_sources([tmp_path / "back"])
    assert [source.below for source in after] == [source.below for source in before]
    for old, new in zip(before, after, strict=True):
        assert read_episode(new.folder).record == read_episode(old.folder).record
        assert read_labels(new.folder) == read_labels(old.folder)


def test_a_foreign_document_becomes_an_episode(tmp_path: Path) -> None:
    file = write_foreign(tmp_path / "in", foreign())
    (outcome,) = done(import_atif([file], tmp_path / "out", OPTIONS))
    assert outcome.written is not None
    record = read_episode(outcome.written).record
    assert record.task.id == "session-1"
    assert record.instruction == "List the files."
    assert record.started is not None
    assert record.started.isoformat() == "2026-05-01T10:00:00+00:00"
    first, last = record.steps
    assert first.proposal is not None
    assert first.proposal.thought == "A listing helps."
    shell, click, unknown = (bare(action) for action in first.proposal.actions)
    assert (shell, click) == (Code(source="ls", language="bash"), Click(at=Point(3, 4)))
    assert isinstance(unknown, Code)
    assert json.loads(unknown.source) == {"function_name": "search", "arguments": {"q": "x"}}
    assert [result.output for result in first.results] == ["notes.txt", "clicked", None]
    assert first.proposal.usage is not None
    assert (first.proposal.usage.input_tokens, first.proposal.usage.cost) == (120, 0.01)
    seen, shown = first.observation, first.results[1].screenshot
    assert seen is not None
    assert seen.screenshot is not None
    assert seen.screenshot.file is not None
    assert (outcome.written / seen.screenshot.file).read_bytes() == png(1)
    assert shown is not None
    assert shown.file is not None
    assert (outcome.written / shown.file).read_bytes() == png(2)
    assert last.observation is not None
    assert last.observation.screenshot == shown
    assert set(outcome.notes) == {
        "1 subagents stay in atif.json",
        "a picture at a URL was not fetched",
        "step 3: unknown call 'search', kept as text",
    }


def test_a_foreign_document_comes_back_with_every_key_it_had(tmp_path: Path) -> None:
    file = write_foreign(tmp_path / "in", foreign())
    done(import_atif([file], tmp_path / "results", OPTIONS))
    export(tmp_path / "results", tmp_path / "out")
    (exported,) = (tmp_path / "out").rglob("trajectory.json")
    document = load(exported)
    expected = (
        json.dumps(foreign()).replace("images/before.png", "image_1.png").replace("images/after.png", "image_2.png")
    )
    done(import_atif([exported], tmp_path / "again", OPTIONS))
    (kept,) = (tmp_path / "again").rglob("atif.json")
    assert load(kept) == json.loads(expected)
    extra = document.pop("extra")
    assert isinstance(extra, dict)
    assert set(extra) == {"trueline"}
    assert (exported.parent / "image_2.png").read_bytes() == png(2)
    (before,), (after,) = find_sources([tmp_path / "results"]), find_sources([tmp_path / "again"])
    assert read_episode(after.folder).record == read_episode(before.folder).record


def broken(**changes: JsonValue) -> dict[str, JsonValue]:
    return {**foreign(), **changes}


@pytest.mark.parametrize(
    ("document", "words"),
    [
        (broken(schema_version="ATIF-v2.0"), r"\$.schema_version"),
        (broken(steps=[]), r"\$.steps"),
        (broken(agent={"version": "1"}), r"\$.agent.name: is required"),
        (
            broken(steps=[{"step_id": 1, "source": "robot", "message": 5}]),
            r"\$.steps\[0\].source.*\$.steps\[0\].message",
        ),
        (broken(extra={"trueline": {"path": "x"}}), r"extra.trueline is not a Trueline episode"),
    ],
)
def test_a_broken_document_is_left_out_with_every_place_named(
    tmp_path: Path, document: dict[str, JsonValue], words: str
) -> None:
    good = write_foreign(tmp_path / "good", foreign())
    bad = write_foreign(tmp_path / "bad", document)
    transfer = import_atif([bad, good], tmp_path / "out", OPTIONS)
    (left, fine) = transfer.outcomes
    assert left.where == str(bad)
    with pytest.raises(InputError, match=words):
        raise InputError(left.reason or "")
    assert fine.reason is None


@pytest.mark.parametrize("path", ["../secret.png", "/etc/passwd", "images/link.png", "images/notes.png"])
def test_a_picture_that_lies_elsewhere_is_refused(tmp_path: Path, path: str) -> None:
    text = json.dumps(foreign()).replace("images/after.png", path)
    file = write_foreign(tmp_path / "in", json.loads(text))
    (tmp_path / "secret.png").write_bytes(png(77))
    (tmp_path / "in/images/link.png").symlink_to(tmp_path / "secret.png")
    (tmp_path / "in/images/notes.png").write_text("secret")
    assert len(reasons(import_atif([file], tmp_path / "out", OPTIONS))) == 1
    assert not list(tmp_path.glob("out/*/*/*/*/*"))


@pytest.mark.parametrize("path", ["../../escaped", "/abs/path", "", "..", "a/../../b", ".attempts/x"])
def test_a_document_never_chooses_a_place_outside_of_the_output(tmp_path: Path, path: str) -> None:
    records_sample.write_episode(tmp_path / "run" / EPISODE, steps=1)
    file = export(tmp_path / "run", tmp_path / "atif") / EPISODE / "trajectory.json"
    file.write_text(file.read_text().replace(json.dumps(EPISODE), json.dumps(path)))
    before = sorted(tmp_path.iterdir())
    assert len(reasons(import_atif([file], tmp_path / "out" / "deep", OPTIONS))) == 1
    assert [item for item in sorted(tmp_path.iterdir()) if item.name != "out"] == before
    assert not list((tmp_path / "out").rglob("episode.json"))


def test_a_document_may_not_name_files_or_judges_elsewhere(tmp_path: Path) -> None:
    records_sample.write_episode(tmp_path / "run" / EPISODE, steps=1)
    file = export(tmp_path / "run", tmp_path / "atif") / EPISODE / "trajectory.json"
    honest = file.read_text()
    (tmp_path / "secret.png").write_bytes(png(77))
    for name in ("../../../../../../secret.png", "episode.json"):
        file.write_text(honest.replace("step_0.png", name))
        assert len(reasons(import_atif([file], tmp_path / "out", OPTIONS))) == 1
    document = json.loads(honest)
    document["extra"]["trueline"]["judgments"] = [
        {
            "by": ["../../..", "x", "y"],
            "judgment": {"reasoning": "", "success": None, "safety": None, "violation_step": 0},
        }
    ]
    file.write_text(json.dumps(document))
    assert len(reasons(import_atif([file], tmp_path / "out", OPTIONS))) == 1
    assert not list((tmp_path / "out").rglob("*.json"))


def test_missing_pictures_are_noted(tmp_path: Path) -> None:
    file = write_foreign(tmp_path / "in", foreign())
    (tmp_path / "in/images/after.png").unlink()
    (outcome,) = done(import_atif([file], tmp_path / "out", OPTIONS))
    assert "images/after.png is missing" in outcome.notes
    records_sample.write_episode(tmp_path / "run" / EPISODE, steps=1)
    (tmp_path / "run" / EPISODE / "step_0.png").unlink()
    (outcome,) = done(export_atif(find_sources([tmp_path / "run"]), tmp_path / "atif", OPTIONS))
    assert outcome.notes == ("step_0.png is missing",)


def test_documents_are_found_and_their_absence_is_said(tmp_path: Path) -> None:
    file = write_foreign(tmp_path / "in" / "deep", foreign())
    (tmp_path / "in" / "other.json").write_text("{}")
    assert find_documents([tmp_path / "in", file]) == [file]
    with pytest.raises(InputError, match="contains no ATIF document"):
        find_documents([tmp_path / "in" / "other.json"])
    with pytest.raises(InputError, match="no such file"):
        find_documents([tmp_path / "nowhere"])


def test_a_foreign_document_without_its_pictures_still_goes_both_ways(tmp_path: Path) -> None:
    file = write_foreign(tmp_path / "in", foreign())
    for picture in (tmp_path / "in/images").iterdir():
        picture.unlink()
    done(import_atif([file], tmp_path / "results", OPTIONS))
    export(tmp_path / "results", tmp_path / "out")
    done(import_atif(find_documents([tmp_path / "out"]), tmp_path / "again", OPTIONS))
    (kept,) = (tmp_path / "again").rglob("atif.json")
    assert load(kept) == foreign()


def test_a_record_of_a_newer_version_is_left_out(tmp_path: Path) -> None:
    records_sample.write_episode(tmp_path / "run" / EPISODE, steps=1)
    file = export(tmp_path / "run", tmp_path / "atif") / EPISODE / "trajectory.json"
    document = json.loads(file.read_bytes())
    document["extra"]["trueline"]["episode"]["schema_version"] = 99
    file.write_text(json.dumps(document))
    (reason,) = reasons(import_atif([file], tmp_path / "out", OPTIONS))
    assert "schema version 99" in reason


def test_tokens_that_a_document_does_not_tell_are_not_zero(tmp_path: Path) -> None:
    document: dict[str, JsonValue] = {
        "schema_version": "ATIF-v1.7",
        "session_id": "s",
        "agent": {"name": "someone", "version": "1"},
        "steps": [{"step_id": 1, "source": "agent", "message": "Done.", "metrics": {"cost_usd": 0.5}}],
    }
    file = write_foreign(tmp_path / "in", document)
    (outcome,) = done(import_atif([file], tmp_path / "out", OPTIONS))
    assert outcome.written is not None
    (outcome.written / "atif.json").unlink()  # so that the document is made from the record
    step = load(
        export(tmp_path / "out", tmp_path / "again") / outcome.written.relative_to(tmp_path / "out") / "trajectory.json"
    )["steps"]
    assert isinstance(step, list) and isinstance(agent := step[-1], dict)
    assert agent["metrics"] == {"cost_usd": 0.5}
