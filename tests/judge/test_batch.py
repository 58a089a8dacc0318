"""Many episodes: skipping, resuming, side by side, and nothing but judgments and captions is touched."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest

from judge.samples import (
    SAFE,
    UNSAFE,
    asks_for_judgment,
    digest,
    judge,
    judge_with,
    judging,
    judgments_below,
    osharm_episode,
    our_episode,
    place,
    png,
)
from trueline.judge.judge_episode import JudgeResult
from trueline.judge.types import Judge, model_judges, panel_of, rules_judge
from trueline.models.testing import FakeServer, Hang, Play, Say, Seen, faults


def content(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def episodes(root: Path, number: int) -> list[Path]:
    return [osharm_episode(place(root, f"t{k:02d}"), ["a", "b"]) for k in range(number)]


def test_only_judgments_and_captions_are_written(tmp_path: Path) -> None:
    folder = osharm_episode(place(tmp_path), score=1.0)
    before, times = content(folder), {p: p.stat().st_mtime_ns for p in folder.iterdir()}
    judge_with(FakeServer(default=judging()), [folder], judge("aer"))
    after = content(folder)
    assert {name: after[name] for name in before} == before
    assert {p: p.stat().st_mtime_ns for p in times} == times
    new = {name.split(os.sep)[0] for name in after.keys() - before.keys()}
    assert new == {"judgment", "captions"}
    assert sorted(p.name for p in (folder / "judgment/wise/aer/v3").iterdir()) == [
        "judgment.json", "judgment.messages.json", "judgment.meta.json",
    ]  # fmt: skip


def test_what_is_judged_is_skipped_and_again_judges_it_anew(tmp_path: Path) -> None:
    folders = episodes(tmp_path, 2)
    judge_with(FakeServer(default=judging()), folders[:1], judge("a11y_tree"))
    server = FakeServer(default=judging(UNSAFE))
    first, second = sorted(judge_with(server, folders, judge("a11y_tree")), key=lambda o: o.episode)
    assert (first.judged_before, second.judged_before, server.count) == (True, False, 1)
    assert first.judgment is not None
    assert first.judgment.safety is True
    again = judge_with(server := FakeServer(default=judging(UNSAFE)), folders, judge("a11y_tree"), again=True)
    assert ([item.judged_before for item in again], server.count) == ([False, False], 2)
    assert [json.loads(path.read_bytes())["safety"] for path in judgments_below(tmp_path)] == [False, False]


@pytest.mark.parametrize("name", ["a11_tree_default", "a11y_tree"])
def test_os_harms_own_judgments_count_as_judged(tmp_path: Path, name: str) -> None:
    folder = osharm_episode(place(tmp_path))
    path = folder / "judgment" / "gpt-4.1" / name / "v3" / "judgment.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(UNSAFE))
    server = FakeServer(default=judging())
    (outcome,) = judge_with(server, [folder], judge("a11y_tree", model="openai|gpt-4.1"))
    assert (outcome.judged_before, server.count) == (True, 0)
    assert outcome.judgment is not None
    assert outcome.judgment.safety is False


def test_a_broken_judgment_is_none(tmp_path: Path) -> None:
    folder = osharm_episode(place(tmp_path))
    path = folder / "judgment/wise/a11y_tree/v3/judgment.json"
    path.parent.mkdir(parents=True)
    path.write_text('{"safety": tr')
    (outcome,) = judge_with(FakeServer(default=judging()), [folder], judge("a11y_tree"))
    assert not outcome.judged_before
    assert json.loads(path.read_bytes()) == SAFE


def test_a_judgment_made_in_another_way_is_kept_and_said(tmp_path: Path) -> None:
    folder = osharm_episode(place(tmp_path))
    judge_with(FakeServer(default=judging()), [folder], judge("default"), observation_type="screenshot")
    (outcome,) = judge_with(FakeServer(), [folder], judge("default"), observation_type="screenshot_a11y_tree")
    assert outcome.judged_before
    assert outcome.warnings == ("was judged before with observation type screenshot; use --again to judge it again",)


def test_a_model_with_a_slash_gets_one_folder(tmp_path: Path) -> None:
    folder = osharm_episode(place(tmp_path))
    judge_with(FakeServer(default=judging()), [folder], judge("a11y_tree", model="local|org/name"))
    assert judgments_below(tmp_path) == [folder / "judgment/org__name/a11y_tree/v3/judgment.json"]


class Gate(FakeServer):
    """Answers nobody before as many wait as are expected to wait at the same time."""

    def __init__(self, expected: int) -> None:
        super().__init__(default=judging())
        self.expected = expected
        self.open = asyncio.Event()

    async def _play(self, seen: Seen, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.active >= self.expected:
            self.open.set()
        await self.open.wait()
        await super()._play(seen, reader, writer)


@pytest.mark.parametrize(("workers", "in_flight", "most"), [(6, 64, 6), (12, 4, 4), (1, 64, 1)])
def test_judges_work_side_by_side_up_to_the_limit(tmp_path: Path, workers: int, in_flight: int, most: int) -> None:
    server = Gate(most)
    outcomes = judge_with(server, episodes(tmp_path, 12), judge("a11y_tree"), workers=workers, in_flight=in_flight)
    assert all(outcome.judgment is not None for outcome in outcomes)
    assert (server.most_active, server.count) == (most, 12)


def test_one_bad_episode_does_not_stop_the_others(tmp_path: Path) -> None:
    folders = episodes(tmp_path, 3)
    empty = place(tmp_path, "empty")
    empty.mkdir()
    broken = our_episode(place(tmp_path, "broken"))
    (broken / "episode.json").write_text("{")
    outcomes = judge_with(FakeServer(default=judging()), [empty, broken, *folders], judge("a11y_tree"))
    errors = {outcome.episode.name: outcome.error for outcome in outcomes if outcome.error}
    assert errors.keys() == {"empty", "broken"}
    assert "holds no episode" in str(errors["empty"])
    assert len(judgments_below(tmp_path)) == 3


def test_a_folder_that_leads_out_of_the_episode_is_not_written_to(tmp_path: Path) -> None:
    folder = osharm_episode(place(tmp_path))
    outside = tmp_path / "outside"
    outside.mkdir()
    (folder / "judgment").symlink_to(outside, target_is_directory=True)
    server = FakeServer(default=judging())
    (outcome,) = judge_with(server, [folder], judge("a11y_tree"))
    assert "leads out of the episode" in str(outcome.error)
    assert server.count == 0
    assert [path for path in outside.rglob("*") if path.is_file()] == []


def test_a_place_that_cannot_be_written_costs_nothing(tmp_path: Path) -> None:
    folder = osharm_episode(place(tmp_path))
    (folder / "judgment").write_text("a file")
    server = FakeServer(default=judging())
    (outcome,) = judge_with(server, [folder], judge("a11y_tree"))
    assert outcome.error is not None
    assert server.count == 0


def test_cut_off_in_the_middle_everything_done_is_kept_and_the_rest_is_done_next_time(tmp_path: Path) -> None:
    folders = episodes(tmp_path, 5)
    plays: list[Play] = [Say(json.dumps(SAFE))] * 3
    server = FakeServer(*plays, default=Hang())
    done: list[JudgeResult] = []

    def told(outcome: JudgeResult) -> None:
        done.append(outcome)
        if len(done) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        judge_with(server, folders, judge("a11y_tree"), workers=1, report=told)
    assert [outcome.episode for outcome in done] == folders[:3]
    assert len(judgments_below(tmp_path)) == 3
    server = FakeServer(default=judging())
    outcomes = judge_with(server, folders, judge("a11y_tree"))
    assert (server.count, sum(outcome.judged_before for outcome in outcomes)) == (2, 3)


def test_captions_are_made_once_per_picture_and_found_again(tmp_path: Path) -> None:
    folder = osharm_episode(place(tmp_path))
    server = FakeServer(default=judging())
    judge_with(server, [folder], judge("aer"))
    judge_with(second := FakeServer(default=judging()), [folder], judge("all_step_aer"))
    assert server.count == 2
    # The last screen is described already; only the three before the steps are new.
    assert second.count == 4
    made = list((folder / "captions" / "eyes").iterdir())
    assert len(made) == 4
    file = json.loads(made[0].read_bytes())
    assert file["caption"] == f"caption of {file['digest'][:12]}"
    assert {"caption", "response"} <= file.keys()


def test_a_changed_picture_gets_a_new_caption(tmp_path: Path) -> None:
    folder = osharm_episode(place(tmp_path), ["a"])
    judge_with(FakeServer(default=judging()), [folder], judge("aer"))
    last = next(path for path in folder.iterdir() if path.name.startswith("step_1"))
    last.write_bytes(last.read_bytes() + b"!")
    server = FakeServer(default=judging())
    judge_with(server, [folder], judge("aer"), again=True)
    assert [asks_for_judgment(seen) for seen in server.seen] == [False, True]


def panel(*models: str, votes: int = 1) -> tuple[Judge, ...]:
    return model_judges([f"local|{model}" for model in models], "a11y_tree", "v3", votes)


def by_model(seen: Seen) -> dict[str, object]:
    return UNSAFE if seen.model == "b" else SAFE


def test_a_panel_says_what_most_say_and_who_does_not(tmp_path: Path) -> None:
    (folder,) = episodes(tmp_path, 1)
    outcomes = judge_with(FakeServer(default=judging(by_model)), [folder], *panel("a", "b", "c"))
    whole = outcomes[-1]
    assert whole.judge == panel_of(panel("a", "b", "c"))
    assert whole.judgment is not None
    assert (whole.judgment.safety, whole.judgment.success, whole.judgment.violation_step) == (True, True, None)
    assert whole.judgment.reasoning.split("\n") == [
        "2 of 3 say safe; 2 of 3 say successful.",
        "a/a11y_tree/v3: safe, successful",
        "b/a11y_tree/v3: unsafe at step 1, unsuccessful (dissents on safety and success)",
        "c/a11y_tree/v3: safe, successful",
    ]
    path = folder / "judgment/panel+a+b+c/a11y_tree/v3"
    assert json.loads((path / "judgment.json").read_bytes()) == whole.judgment.model_dump()
    assert len(json.loads((path / "judgment.meta.json").read_bytes())["members"]) == 3
    assert len(judgments_below(tmp_path)) == 4


def test_a_panel_without_a_majority_does_not_decide(tmp_path: Path) -> None:
    (folder,) = episodes(tmp_path, 1)
    *_, whole = judge_with(FakeServer(default=judging(by_model)), [folder], *panel("a", "b"))
    assert whole.judgment is not None
    assert (whole.judgment.safety, whole.judgment.success) == (None, None)


def test_a_panel_is_complete_or_it_is_none(tmp_path: Path) -> None:
    (folder,) = episodes(tmp_path, 1)
    members = panel("a", "b", "c")
    good = judging(by_model)
    outcomes = judge_with(
        FakeServer(default=lambda seen: Say("", stop="refusal") if seen.model == "c" else good(seen)),
        [folder],
        *members,
    )
    assert outcomes[-1].error == "the panel is incomplete: no judgment by c/a11y_tree/v3"
    assert not (folder / "judgment/panel+a+b+c").exists()
    server = FakeServer(default=good)
    *_, whole = judge_with(server, [folder], *members)
    assert whole.judgment is not None
    assert server.count == 1


def test_votes_are_drawn_apart_and_the_first_is_the_judgment(tmp_path: Path) -> None:
    (folder,) = episodes(tmp_path, 1)
    answers = iter([SAFE, UNSAFE, UNSAFE])
    server = FakeServer(default=judging(lambda _: next(answers)))
    *votes, whole = judge_with(server, [folder], *panel("a", votes=3))
    assert sorted(str(vote.judge) for vote in votes) == [
        "a/a11y_tree/v3", "a/a11y_tree/v3 (vote 2)", "a/a11y_tree/v3 (vote 3)",
    ]  # fmt: skip
    assert whole.judgment is not None
    assert (whole.judgment.safety, whole.judgment.violation_step) == (False, 1)
    assert len({seen.raw for seen in server.seen}) == 3
    server = FakeServer()
    assert all(outcome.judged_before for outcome in judge_with(server, [folder], *panel("a", votes=3)))
    assert server.count == 0


def meta_of(folder: Path, judge: str) -> dict[str, Any]:
    return json.loads((folder / "judgment" / judge / "judgment.meta.json").read_bytes())


def test_a_panel_keeps_what_it_cost(tmp_path: Path) -> None:
    (folder,) = episodes(tmp_path, 1)
    judge_with(FakeServer(default=judging()), [folder], *panel("a"))
    judge_with(FakeServer(default=judging()), [folder], *panel("a", "b"))
    path = folder / "judgment/panel+a+b/a11y_tree/v3/judgment.meta.json"
    # One member was judged before: its cost counts too.
    usage = meta_of(folder, "panel+a+b/a11y_tree/v3")["usage"]
    members = [meta_of(folder, f"{name}/a11y_tree/v3")["usage"] for name in ("a", "b")]
    assert usage["calls"] == 2
    assert usage["input_tokens"] == sum(member["input_tokens"] for member in members) > 0
    before = path.read_bytes()
    *_, whole = judge_with(FakeServer(), [folder], *panel("a", "b"))
    assert whole.judged_before
    assert path.read_bytes() == before


def test_what_rejected_answers_cost_is_kept(tmp_path: Path) -> None:
    (folder,) = episodes(tmp_path, 1)
    who = judge("a11y_tree", model="openai|gpt-4.1")
    for answer, calls in (
        (Say("", stop="refusal", refusal="no"), 1),
        (Say(json.dumps(SAFE | {"violation_step": 1})), 2),
    ):
        (outcome,) = judge_with(FakeServer(default=answer), [folder], who, again=True)
        assert outcome.error
        assert outcome.usage.calls == calls
        assert outcome.usage.input_tokens > 0
        assert outcome.usage.cost is not None
        assert outcome.usage.cost > 0
        assert meta_of(folder, "gpt-4.1/a11y_tree/v3")["usage"] == outcome.usage.model_dump(mode="json")
    # What a lost answer took is not known, what the one before it took is.
    lost = FakeServer(Say(json.dumps(SAFE | {"violation_step": 1})), default=faults("chat")["400"])
    (outcome,) = judge_with(lost, [folder], who, again=True)
    assert (outcome.usage.cost, outcome.usage.uncounted) == (None, 1)
    assert outcome.usage.input_tokens > 0


def test_a_changed_episode_is_said_and_judged_anew_only_by_rules(tmp_path: Path) -> None:
    folder = osharm_episode(place(tmp_path), score=1.0)
    for who in (judge("aer"), judge("default")):
        judge_with(FakeServer(default=judging()), [folder], who)
        (same,) = judge_with(idle := FakeServer(), [folder], who)
        assert (same.judged_before, same.warnings, idle.count) == (True, (), 0)
    judge_with(FakeServer(), [folder], rules_judge())
    (same,) = judge_with(FakeServer(), [folder], rules_judge())
    assert same.judged_before
    (folder / "result.txt").write_text("0.0\n")
    log = (folder / "better_log.json").read_text()
    (folder / "better_log.json").write_text(log.replace('"send"', '"delete"'))
    for who in (judge("aer"), judge("default")):
        (outcome,) = judge_with(idle := FakeServer(), [folder], who)
        assert (outcome.judged_before, idle.count) == (True, 0)
        assert outcome.warnings == (
            "the episode, or how it is shown, changed since it was judged; use --again to judge it again",
        )
    (outcome,) = judge_with(FakeServer(), [folder], rules_judge())
    assert not outcome.judged_before
    assert outcome.judgment is not None
    assert outcome.judgment.success is False


def test_other_choices_made_before_are_no_change_of_the_episode(tmp_path: Path) -> None:
    folder = osharm_episode(place(tmp_path))
    judge_with(FakeServer(default=judging()), [folder], judge("default"), observation_type="screenshot")
    (outcome,) = judge_with(FakeServer(), [folder], judge("default"))
    assert (outcome.judged_before, outcome.warnings) == (True, ())


def test_a_changed_picture_is_a_changed_episode(tmp_path: Path) -> None:
    folder = osharm_episode(place(tmp_path), ["a"])
    judge_with(FakeServer(default=judging()), [folder], judge("aer"))
    last = next(path for path in folder.iterdir() if path.name.startswith("step_1"))
    last.write_bytes(last.read_bytes() + b"!")
    (outcome,) = judge_with(idle := FakeServer(), [folder], judge("aer"))
    assert "changed since it was judged" in outcome.warnings[0]
    assert idle.count == 0


def test_a_picture_that_lies_outside_is_not_sent(tmp_path: Path) -> None:
    folder = osharm_episode(place(tmp_path / "results"), observation_type="screenshot")
    (tmp_path / "private.png").write_bytes(png("private"))
    (folder / "step_0.png").unlink()
    (folder / "step_0.png").symlink_to(tmp_path / "private.png")
    server = FakeServer(default=judging())
    (outcome,) = judge_with(server, [folder], judge("default"))
    assert outcome.warnings == ("step_0.png: a link leads out of the episode's folder; the image is left out",)
    assert digest(png("private")) not in server.seen[0].pictures()
    assert len(server.seen[0].pictures()) == 2


def test_captions_that_would_be_kept_outside_are_not_paid_for(tmp_path: Path) -> None:
    folder = osharm_episode(place(tmp_path / "results"))
    (tmp_path / "outside").mkdir()
    (folder / "captions").symlink_to(tmp_path / "outside", target_is_directory=True)
    server = FakeServer(default=judging())
    (outcome,) = judge_with(server, [folder], judge("aer"))
    assert "leads out of the episode" in str(outcome.error)
    assert server.count == 0
