"""What OCR read in observations and their records: without it nothing is other than before there were places."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from records_sample import ENDED, STARTED

from trueline.records import EpisodeWriter, Observation, ObservationRecord, StoreLevel, read_episode
from trueline.records.shown_window import ShownPage, ShownWindow
from trueline.records.step import Step
from trueline.records.text_line import TextLine, plain_text
from trueline.records.tree import Node, Place, Size, Tree

NOW = datetime(2026, 3, 20, tzinfo=UTC)
LINES = (TextLine("Delete", 10, 20, 60, 40, 0.99), TextLine("Cancel", 100, 21, 150, 41, 0.98))
OLD = (
    '{"digest":null,"time":"2026-03-20T00:00:00Z","screenshot":null,"tree":null,"partial":true,"tree_text":null,'
    '"text":"What OCR read","terminal":null}'
)


def test_lines_come_from_top_to_bottom_and_side_by_side_in_one_row() -> None:
    def line(text: str, left: int, top: int) -> TextLine:
        return TextLine(text, left, top, left + 50, top + 20)

    lines = [line("below", 10, 60), line("right", 300, 13), line("left", 10, 10), line("middle", 100, 8)]
    assert plain_text(lines) == "left\tmiddle\tright\nbelow"
    assert plain_text([]) == ""


def test_digests_from_before_there_were_places_still_hold() -> None:
    tree = Tree(Node("desktop-frame", "x"))
    told = [
        (Observation(NOW), "aba620f9ca2156eeb697049815cbab4340e2cea67936e835f4bf10d326a6d259"),
        (
            Observation(NOW, b"png", text="What OCR read"),
            "e1889ad18694fd4f8cc50595545dd5bbf45228a738c474ca821ce5485996e6a5",
        ),
        (
            Observation(NOW, b"png", tree, terminal="$ "),
            "6593656028dfd92189a36e98be0093a36ab004a2c04bc0b37c1fdb9e9e0a65af",
        ),
    ]
    assert [seen.digest for seen, _ in told] == [digest for _, digest in told]


def test_a_text_in_another_place_is_another_screen() -> None:
    seen = Observation(NOW, b"png").with_lines(LINES)
    moved = replace(seen, lines=(LINES[0]._replace(left=11), LINES[1]))
    assert len({seen.digest, moved.digest, replace(seen, lines=()).digest}) == 3
    assert replace(seen).digest == seen.digest


def test_an_old_record_is_read_and_written_as_it_was() -> None:
    record = ObservationRecord.model_validate_json(OLD)
    assert (record.read_text, record.lines) == ("What OCR read", ())
    assert record.model_dump_json() == OLD


def test_a_text_that_was_there_stays_beside_the_lines() -> None:
    assert Observation(NOW).with_lines(LINES).text == "Delete\tCancel"
    assert Observation(NOW, text="given").with_lines(LINES).text == "given"
    assert Observation(NOW).with_lines(()).text == ""


def test_lines_go_to_disk_and_back_and_no_text_is_written_twice(tmp_path: Path) -> None:
    seen = Observation(NOW, b"png").with_lines(LINES)
    record = _kept(seen, tmp_path / "all", StoreLevel.ALL)
    assert record is not None and record.text is None
    assert (record.lines, record.read_text, record.digest) == (LINES, seen.text, seen.digest)
    content = (tmp_path / "all" / "events.jsonl").read_text() + (tmp_path / "all" / "episode.json").read_text()
    assert content.count("Delete") == 2  # once in each
    given = _kept(replace(seen, text="given"), tmp_path / "given", StoreLevel.ALL)
    assert given is not None and (given.text, given.read_text, given.lines) == ("given", "given", LINES)


def test_windows_with_their_processes_go_to_disk_and_change_no_digest(tmp_path: Path) -> None:
    page = ShownPage(Place(1, 2), Size(3, 4), "https://a.example:8443")
    windows = (
        ShownWindow(Place(0, 0), Size(9, 9), 7, "/usr/bin/x", True, (page,)),
        ShownWindow(Place(5, 5), Size(1, 1)),
    )
    seen = Observation(NOW, b"png")
    told = replace(seen, windows=windows)
    record = _kept(told, tmp_path / "all", StoreLevel.ALL)
    assert record is not None and record.windows == windows and record.digest == seen.digest == told.digest
    assert record.windows[0].pages[0].size.width == 3
    redacted = _kept(told, tmp_path / "redacted", StoreLevel.REDACTED)
    assert redacted is not None and redacted.windows == ()


def test_a_redacted_record_has_no_lines(tmp_path: Path) -> None:
    record = _kept(Observation(NOW, b"png").with_lines(LINES), tmp_path / "redacted", StoreLevel.REDACTED)
    assert record is not None and (record.lines, record.read_text) == ((), None)
    assert "Delete" not in "".join(file.read_text("latin-1") for file in (tmp_path / "redacted").iterdir())


def _kept(seen: Observation, folder: Path, store: StoreLevel) -> ObservationRecord | None:
    writer = EpisodeWriter(folder, STARTED, store=store)
    writer.step(Step(number=1, observation=writer.keep_observation(seen)), time=NOW)
    writer.finish(ENDED)
    return read_episode(folder).record.steps[0].observation
