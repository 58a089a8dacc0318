"""The guard reads screenshots where no tree tells what is pointed at: real OCR on real pictures."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from support.drawn_screens import CANCEL, DELETE, SCREEN, Button, draw_screen
from trueline.actions import Action, Click, Key, Move, Point
from trueline.guard import DeActionGuard, GuardConfig, GuardContext
from trueline.guard.config import guard_setting
from trueline.guard.ocr import ScreenReader
from trueline.guard.policy import load_policy
from trueline.guard.policy.episode_reading import read_episode_so_far
from trueline.guard.policy.operations import Pressed
from trueline.guard.types import PastStep
from trueline.records.observation import Observation
from trueline.records.proposal import Proposal
from trueline.records.tree import Node, Place, Size, Tree
from trueline.records.verdict import Decision, Verdict

pytestmark = pytest.mark.full

NOW = datetime(2026, 3, 20, tzinfo=UTC)
POLICY = load_policy()


@pytest.fixture(scope="module")
def reader() -> ScreenReader:
    return ScreenReader()


def asked(seen: Observation, *actions: Action, history: tuple[PastStep, ...] = ()) -> GuardContext:
    proposal = Proposal(id="now", actions=actions)
    return GuardContext("Read me the newest mail.", seen, proposal, history, step=len(history) + 1)


def at(place: tuple[int, int]) -> Click:
    return Click(at=Point(*place))


def checked(reader: ScreenReader | None, context: GuardContext, deadline: float | None = None) -> Verdict:
    guard = DeActionGuard(GuardConfig(policy=POLICY, ocr=reader, deadline=deadline))
    return asyncio.run(guard.check(context))


def told(verdict: Verdict) -> list[str]:
    return [item.text for item in verdict.evidence if item.source == "ocr"]


def pressed(reader: ScreenReader, context: GuardContext) -> list[tuple[str, str | None]]:
    """The texts that a proposal presses by OCR, with what that means."""
    operations = read_episode_so_far(asyncio.run(reader.complete(context))).operations
    return [
        (operation.target.label, operation.act)
        for operation in operations
        if isinstance(operation, Pressed) and operation.by_ocr and operation.target
    ]


BUTTONS = (
    Button("Delete", (40, 40, 120, 36)),
    Button("Send", (200, 40, 90, 30), "white", "#2060c0"),
    Button("Allow", (330, 40, 90, 30), "#202020", "#e8e8e8", 12),
    Button("Pay now", (40, 120, 200, 60), "black", "#ffc000", 24),
    Button("Install", (300, 120, 140, 40), "white", "#208040", 16),
    Button("Delete account", (40, 240, 220, 36), "#c00000", "white"),
    Button("Löschen", (300, 240, 140, 36)),
)


@pytest.mark.parametrize(
    ("button", "act"),
    list(zip(BUTTONS, ["delete", "send", "allow", "pay", "install", "delete_account", "delete"], strict=True)),
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_a_click_without_a_tree_is_seen_for_what_it_presses(reader: ScreenReader, button: Button, act: str) -> None:
    context = asked(Observation(NOW, draw_screen(BUTTONS)), at(button.middle))
    assert pressed(reader, context) == [(button.label, act)]
    assert pressed(reader, replace(context, proposal=asked(context.observation, Key(key="a")).proposal)) == []


def test_without_it_nothing_is_known_and_with_it_the_evidence_says_where_it_is_from(reader: ScreenReader) -> None:
    context = asked(Observation(NOW, draw_screen(BUTTONS)), at(BUTTONS[5].middle))
    plain, read = checked(None, context), checked(reader, context)
    assert told(plain) == [] and "click on something unknown" in [item.text for item in plain.evidence]
    assert told(read) == ["click on the text 'Delete account' (read by OCR): delete account"]
    rules = [item for item in read.evidence if item.source.startswith("rule ")]
    assert rules and all("(read by OCR)" in item.text and "does not decide" in item.text for item in rules)
    assert read.findings[0].decision is plain.findings[0].decision is None


@pytest.mark.parametrize("place", [(463, 403), (567, 431), (463, 431), (567, 403), (515, 417)])
def test_the_whole_button_counts_up_to_its_edges(reader: ScreenReader, place: tuple[int, int]) -> None:
    assert pressed(reader, asked(Observation(NOW, draw_screen()), at(place))) == [("Delete", "delete")]


def test_in_the_corners_of_the_screen_and_beside_everything(reader: ScreenReader) -> None:
    width, height = SCREEN
    corners = (Button("Delete", (0, 0, 80, 24)), Button("Send", (width - 80, height - 24, 80, 24)))
    seen = Observation(NOW, draw_screen(corners))
    assert pressed(reader, asked(seen, at((2, 2)))) == [("Delete", "delete")]
    assert pressed(reader, asked(seen, at((width - 1, height - 1)))) == [("Send", "send")]
    assert pressed(reader, asked(seen, at((400, 250)))) == []


def test_a_screen_of_another_size_than_its_picture_is_pointed_at_in_its_own_pixels(reader: ScreenReader) -> None:
    x, y = DELETE.middle
    seen = Observation(NOW, draw_screen(), screen=Size(SCREEN[0] * 2, SCREEN[1] * 3))
    assert pressed(reader, asked(seen, at((x * 2, y * 3)))) == [("Delete", "delete")]
    assert pressed(reader, asked(seen, at((x, y)))) == []


def test_the_same_picture_is_read_once(reader: ScreenReader) -> None:
    def lines() -> object:
        seen = Observation(NOW, draw_screen(), screen=Size(1600, 1000))
        return asyncio.run(reader.complete(asked(seen, at(DELETE.middle)))).observation.lines

    assert lines() is lines()


def tree(*inside: Node) -> Tree:
    window = Node("frame", "Game", position=Place(0, 0), size=Size(*SCREEN), children=inside)
    return Tree(Node("desktop-frame", children=(Node("application", "game", children=(window,)),)))


def test_the_tree_wins_where_it_names_what_is_there_and_then_no_picture_is_read(reader: ScreenReader) -> None:
    button = Node("push-button", "Keep", position=Place(460, 400), size=Size(110, 34))
    named = Observation(NOW, b"no picture at all", tree(button))
    assert checked(reader, asked(named, at(DELETE.middle))).decision is Decision.ALIGNED
    canvas = Node("canvas", "Level 1", position=Place(0, 0), size=Size(*SCREEN))
    for seen in (
        Observation(NOW, draw_screen(), tree(canvas)),
        Observation(NOW, draw_screen(), tree()),
        Observation(NOW, draw_screen(), tree(button), partial=True),
    ):
        assert pressed(reader, asked(seen, at(DELETE.middle))) == [("Delete", "delete")]


def test_a_click_where_an_earlier_step_left_the_pointer_is_read_too(reader: ScreenReader) -> None:
    seen = Observation(NOW, draw_screen(), tree())
    moved = PastStep(1, Proposal(id="1", actions=(Move(to=Point(*DELETE.middle)),)), seen)
    assert pressed(reader, asked(seen, Click(), history=(moved,))) == [("Delete", "delete")]


def test_a_picture_that_cannot_be_read_leaves_it_undecided_and_an_earlier_one_does_not(
    reader: ScreenReader, tmp_path: Path
) -> None:
    broken = Observation(NOW, b"no picture at all")
    verdict = checked(reader, asked(broken, at(DELETE.middle)))
    assert verdict.decision is Decision.UNDECIDED and "must be a readable PNG" in (verdict.findings[0].error or "")
    past = tuple(
        PastStep(number, Proposal(id=str(number), actions=(at((1, 1)),)), Observation(NOW, picture))
        for number, picture in enumerate((b"no picture at all", tmp_path / "gone.png", None), 1)
    )
    good = Observation(NOW, draw_screen())
    assert told(checked(reader, asked(good, at(CANCEL.middle), history=past))) != []


def test_its_time_counts_against_the_deadline(reader: ScreenReader) -> None:
    fresh = draw_screen((Button("Something new", (40, 40, 200, 40)),))
    verdict = checked(reader, asked(Observation(NOW, fresh), at((100, 60))), deadline=0.001)
    assert verdict.decision is Decision.UNDECIDED and "deadline" in (verdict.findings[0].error or "")


def test_the_record_names_the_reader_only_where_there_is_one(reader: ScreenReader) -> None:
    assert guard_setting(GuardConfig(ocr=reader)).options["ocr"] == reader.name
    assert reader.name.startswith("rapidocr ")
    assert "ocr" not in guard_setting(GuardConfig()).options
