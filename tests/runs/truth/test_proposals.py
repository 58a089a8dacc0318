"""Which proposals are labelled, and in how few replays."""

from __future__ import annotations

import io
from datetime import UTC, datetime

from PIL import Image

from trueline.actions import Click, Point
from trueline.records import TaskRef
from trueline.records.episode import EpisodeRecord
from trueline.records.ledger import Changes, FileChange, SentMail
from trueline.records.observation import Observation
from trueline.records.proposal import Proposal
from trueline.records.step import Attempt, Step
from trueline.records.tree import Node, Tree
from trueline.records.verdict import Decision, Verdict
from trueline.runs.truth.proposals import SelectedProposal, attempts_at, replays_of, targets_of
from trueline.runs.truth.reproduction import Reproduction, compare_screens, same_changes

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
ALIGNED, MISALIGNED = Verdict(decision=Decision.ALIGNED), Verdict(decision=Decision.MISALIGNED)


def attempt(ran: bool, verdict: Verdict | None, name: str = "p") -> Attempt:
    proposal = Proposal(id=name, actions=(Click(at=Point(1, 1)),))
    return Attempt(proposal=proposal, verdicts=() if verdict is None else (verdict,), ran=ran)


def record(*steps: tuple[Attempt, ...]) -> EpisodeRecord:
    numbered = tuple(Step(number=number, attempts=attempts) for number, attempts in enumerate(steps, 1))
    return EpisodeRecord(task=TaskRef(domain="os", id="t"), steps=numbered)


GUARDED = record(
    (attempt(True, ALIGNED),),
    (attempt(False, MISALIGNED), attempt(False, MISALIGNED), attempt(True, ALIGNED)),
    (attempt(True, ALIGNED),),
    (attempt(False, MISALIGNED),),
    (attempt(True, ALIGNED),),
)


def test_all_blocked_proposals_and_a_share_of_the_others() -> None:
    everything = targets_of(GUARDED, "e", share=1.0, seed=0)
    assert [(t.step, t.attempt, t.ran, t.flagged, t.probability) for t in everything] == [
        (1, 0, True, False, 1.0), (2, 0, False, True, 1.0), (2, 1, False, True, 1.0), (2, 2, True, False, 1.0),
        (3, 0, True, False, 1.0), (4, 0, False, True, 1.0), (5, 0, True, False, 1.0),
    ]  # fmt: skip
    counts = 0
    for seed in range(500):
        some = targets_of(GUARDED, "e", share=0.25, seed=seed)
        assert [(t.step, t.attempt) for t in some if not t.ran] == [(2, 0), (2, 1), (4, 0)]
        assert all(t.probability == (0.25 if t.ran else 1.0) for t in some)
        counts += sum(t.ran for t in some)
    assert 400 < counts < 600  # of 2000 at a quarter
    assert targets_of(GUARDED, "e", share=0.25, seed=3) == targets_of(GUARDED, "e", share=0.25, seed=3)


def test_without_a_guard_nothing_was_flagged() -> None:
    (target,) = targets_of(record((attempt(True, None),)), "e", share=1.0, seed=0)
    assert target.flagged is None
    for seed in range(20):
        (shadow,) = targets_of(record((attempt(True, MISALIGNED),)), "e", share=0.01, seed=seed)
        assert (shadow.flagged, shadow.ran, shadow.probability) == (True, True, 1.0)


def test_what_ran_before_a_blocked_proposal_is_seen_in_its_replay() -> None:
    plans = replays_of(targets_of(GUARDED, "e", share=1.0, seed=0))
    found = [[(t.step, t.attempt) for t in plan.targets] for plan in plans]
    assert found == [[(1, 0), (2, 0)], [(2, 1)], [(2, 2), (3, 0), (4, 0)], [(5, 0)]]
    assert [plan.last and plan.last.step for plan in plans] == [2, 2, 4, None]
    assert len(attempts_at(GUARDED.steps[1], plans[1])) == 2
    assert len(attempts_at(GUARDED.steps[1], plans[2])) == 3
    assert replays_of(()) == ()


def test_the_first_attempt_of_the_first_step_can_be_blocked() -> None:
    (plan,) = replays_of((SelectedProposal(1, 0, "p", True, False, 1.0),))
    assert plan.last is plan.targets[0]


NOTE = Changes(files=(FileChange(path="note.txt", change="created"), FileChange(path=".cache/x", change="created")))
MAIL = Changes(mails=(SentMail(sender="a", to=("b",)),))
NONE = Changes()


def test_the_same_must_have_changed_before_the_step() -> None:
    assert same_changes([NOTE, NONE], [NOTE, NONE], 1) is True
    assert same_changes([NOTE, NONE], [Changes(files=NOTE.files[:1]), NONE], 1) is True
    assert same_changes([NOTE, NONE], [NONE, NONE], 1) is False
    assert same_changes([NONE, NONE], [NOTE, NONE], 1) is False
    assert same_changes([None, NOTE], [NOTE, NOTE], 1) is None
    # A mail that arrives a step later, on either side.
    assert same_changes([MAIL, NONE], [NONE, MAIL], 1) is True
    assert same_changes([NONE, MAIL], [MAIL, NONE], 1) is True


def test_a_replay_is_the_same_if_nothing_known_differs() -> None:
    assert Reproduction(pixels=0.001, focus=True, ledger=True).same
    assert Reproduction(pixels=0.001).same
    assert not Reproduction().same
    assert Reproduction(pixels=0.5, focus=False, ledger=False).differs == ("screen", "focus", "ledger")
    assert not Reproduction(pixels=0.0, focus=False).same


def screen(shade: int, title: str) -> Observation:
    """A plain screen, and a tree with one window that has the focus."""
    picture = io.BytesIO()
    Image.new("RGB", (60, 40), (shade, shade, shade)).save(picture, "PNG")
    frame = Node(role="frame", name=title, states=frozenset({"active"}))
    root = Node(role="desktop-frame", children=(Node(role="application", name="app", children=(frame,)),))
    return Observation(NOW, screenshot=picture.getvalue(), tree=Tree(root, "ubuntu"))


def test_screens_are_compared_by_their_pixels_and_the_focus() -> None:
    assert compare_screens([screen(9, "a")], screen(9, "a")) == Reproduction(pixels=0.0, focus=True)
    assert compare_screens([screen(9, "a")], screen(20, "a")).same  # too little to see
    assert compare_screens([screen(9, "a")], screen(99, "b")) == Reproduction(pixels=1.0, focus=False)
    assert compare_screens([screen(9, "a"), screen(99, "b")], screen(99, "b")).same
