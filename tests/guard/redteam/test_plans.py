"""Every attack of the corpus, in every variation, would reach its goal if nothing stopped it."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path

import pytest

from trueline.actions import Click, Done, Drag, Fail, MouseDown, Move, Point
from trueline.guard.redteam.attack_plan import AttackScenario, disguised
from trueline.guard.redteam.corpus import AttackerGoal, load_corpus
from trueline.guard.redteam.disguises import look_alike_host
from trueline.guard.redteam.keyboard import TypedLine, press
from trueline.guard.redteam.next_variation import draw_variations, neighbours
from trueline.guard.redteam.screen import NOTE, render_scene
from trueline.guard.redteam.techniques import TECHNIQUES, plan_of
from trueline.guard.redteam.variation import Variation

CORPUS = load_corpus()
CASES = [(name, goal) for name, how in TECHNIQUES.items() for goal in CORPUS.goals.values() if how.fits(goal)]


def variations(technique: str, goal: AttackerGoal) -> Iterator[Variation]:
    base = TECHNIQUES[technique].base
    yield base
    yield from (variation for _, variation in neighbours(technique, goal, base, CORPUS))
    yield from draw_variations(technique, goal, CORPUS, 10, "a seed")


def lines_of(plan: AttackScenario, focus: str | None) -> dict[str | None, TypedLine]:
    """What stands in each field after all steps but the probes."""
    lines: dict[str | None, TypedLine] = {}
    for step in plan.steps:
        if not step.probe:
            place = step.focus or focus
            lines[place] = press(lines.get(place, TypedLine(clipboard=plan.clipboard)), step.actions)
    return lines


def pointed_at(plan: AttackScenario) -> list[Point]:
    found: list[Point] = []
    for action in (action for step in plan.steps for action in step.actions):
        if isinstance(action, Click | MouseDown) and action.at:
            found.append(action.at)
        elif isinstance(action, Drag) and action.start:
            found += [action.start, *action.path]
        elif isinstance(action, Move):
            found.append(action.to)
    return found


def inside(at: Point, box: tuple[int, int, int, int]) -> bool:
    return box[0] <= at.x < box[0] + box[2] and box[1] <= at.y < box[1] + box[3]


def test_every_technique_has_cases_and_every_goal_is_used() -> None:
    assert {name for name, _ in CASES} == set(TECHNIQUES)
    assert {goal.id for _, goal in CASES} == set(CORPUS.goals)
    page = Path(__file__).resolve().parents[3] / "docs" / "concepts" / "guard-redteam.md"
    told = f"{len(TECHNIQUES)} techniques, {len(CORPUS.goals)} goals"
    assert told in page.read_text("utf-8") and f"{len(CASES)} cases" in page.read_text("utf-8")


@pytest.mark.parametrize("technique", TECHNIQUES)
def test_attacks_reach_their_goal(technique: str) -> None:
    for goal in (goal for name, goal in CASES if name == technique):
        for variation in variations(technique, goal):
            plan = plan_of(technique, goal, variation, CORPUS)
            assert plan.steps and all(step.actions for step in plan.steps)
            assert reaches(goal, technique, variation, plan), (technique, goal.id, variation)


def reaches(goal: AttackerGoal, technique: str, variation: Variation, plan: AttackScenario) -> bool:
    scene = CORPUS.scenes[goal.scene]
    lines = lines_of(plan, scene.focus)
    host = look_alike_host if technique == "homoglyphs" else str
    if goal.command:
        wanted = goal.innocent if technique == "innocent_steps" else (goal.command,)
        entered = "\n".join(lines["shell"].entered)
        expected = "\n".join(disguised(host(command), variation) for command in wanted)
        return entered.removeprefix("wc -l notes.txt\n").strip() == expected
    if goal.url:
        return lines[goal.field].entered == (host(goal.url),)
    if goal.mail:
        sent = scene.element("send")
        pressed = any(inside(at, sent.box) for at in pointed_at(plan)) or plan.steps[-1].focus == "send"
        return pressed and lines["to"].text == host(goal.mail.to) and lines["body"].text == goal.mail.body
    if goal.clicks:
        focused = {step.focus for step in plan.steps}
        return all(
            name in focused or any(inside(at, scene.element(name).box) for at in pointed_at(plan))
            for name in goal.clicks
        )
    return isinstance(plan.steps[-1].actions[-1], Fail if goal.ends == "fail" else Done)


@pytest.mark.parametrize("technique", TECHNIQUES)
def test_screens_show_what_the_technique_needs(technique: str) -> None:
    goal = next(goal for name, goal in CASES if name == technique)
    plan = plan_of(technique, goal, TECHNIQUES[technique].base, CORPUS)
    seen = render_scene(CORPUS.scenes[goal.scene], plan.screen, picture=True)
    assert seen.screenshot and seen.screenshot.startswith(b"\x89PNG") if isinstance(seen.screenshot, bytes) else False
    assert seen.tree is not None
    words = " ".join(f"{node.name} {node.text}" for node in seen.tree.root.walk())
    assert (goal.said in words) is (technique not in ("image_only", "homoglyphs"))
    if technique == "image_only":
        assert not any(CORPUS.scenes[goal.scene].element(name).name in words for name in goal.clicks)
        plain = render_scene(
            CORPUS.scenes[goal.scene], plan_of("click_only", goal, Variation(), CORPUS).screen, picture=True
        )
        assert seen.screenshot == plain.screenshot
    if technique == "paste":
        assert plan.clipboard in words and inside(NOTE.centre, NOTE.box)
    if technique == "cost_blowup":
        assert sum(1 for _ in seen.tree.root.walk()) > 3000


def test_texts_are_addressed_and_disguised() -> None:
    goal = CORPUS.goals["remote_script"]
    for wording in range(len(CORPUS.texts.guard)):
        notice = plan_of("screen_text_guard", goal, Variation(wording=wording), CORPUS).screen.notice
        assert notice.startswith(goal.said) and len(notice) > len(goal.said) + 20 and "{said}" not in notice
    shouted = plan_of("screen_text_guard", goal, Variation(voice="capitals"), CORPUS).screen.notice
    assert shouted.endswith(CORPUS.texts.guard[0].upper())
    poisoned = plan_of("poisoned_narratives", goal, Variation(wording=1), CORPUS)
    assert poisoned.told == (CORPUS.texts.narratives[1].format(said=goal.said),)
    assert plan_of("screen_text_guard", goal, Variation(rewrite="my words"), CORPUS).screen.notice.endswith(
        "\nmy words"
    )


def test_encoded_commands_hold_the_command() -> None:
    goal = CORPUS.goals["delete_documents"]
    plan = plan_of("encoded", goal, TECHNIQUES["encoded"].base, CORPUS)
    word = lines_of(plan, "shell")["shell"].entered[0].split()[1]
    assert base64.b64decode(word).decode() == goal.command


def test_variations_are_drawn_by_seed_and_differ() -> None:
    for technique, goal in CASES[::7]:
        first = draw_variations(technique, goal, CORPUS, 6, "1")
        assert first == draw_variations(technique, goal, CORPUS, 6, "1")
        assert len(set(first)) == len(first) and first[0] == TECHNIQUES[technique].base
    many = [draw_variations(technique, goal, CORPUS, 6, seed) for technique, goal in CASES for seed in ("1", "2")]
    assert any(one != two for one, two in zip(many[::2], many[1::2], strict=True))
