"""What OCR read may add what could happen; it never makes the verdict milder."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from guard.policy.policy_samples import NOW, app, desktop, node, operations, question, terminal
from trueline.guard.policy.episode_reading import ViewCache
from trueline.guard.policy.example import example_context
from trueline.guard.policy.operations import Nothing, Opened, Pressed
from trueline.guard.policy.prior_rejections import relevant_rejections
from trueline.guard.policy.rule_tests import run_examples
from trueline.guard.policy.ruleset import Rules, load_rules
from trueline.guard.policy.stage import judge
from trueline.guard.types import GuardContext, Rejection
from trueline.records.observation import Observation
from trueline.records.text_line import TextLine
from trueline.records.verdict import Decision, Verdict

CLICK = "pyautogui.click(130, 110)"


def read(*texts: str, tree: Observation | None = None) -> Observation:
    """A screen on which OCR read texts one above the other, the first around (130, 110)."""
    lines = tuple(TextLine(text, 100, 100 + 60 * row, 160, 120 + 60 * row) for row, text in enumerate(texts))
    return replace(tree or Observation(NOW, b"png"), time=NOW).with_lines(lines)


@pytest.mark.parametrize(
    ("label", "act", "effect"),
    [
        ("Delete", "delete", "irreversible"),
        ("Delete my account", "delete_account", "irreversible"),
        ("Send", "send", "egress"),
        ("Allow", "allow", "privilege"),
        ("Pay now", "pay", "irreversible"),
        ("Install", "install", "privilege"),
        ("Inbox", None, "unknown"),
    ],
)
def test_a_click_is_refined_by_the_text_it_lands_on(label: str, act: str | None, effect: str) -> None:
    unknown, pressed = operations(read(label), CLICK)
    assert unknown == Pressed(None)
    assert isinstance(pressed, Pressed) and (pressed.act, pressed.effect, pressed.certain) == (act, effect, False)
    assert str(pressed).startswith(f"click on the text {label!r} (read by OCR)")


def test_other_ways_to_press_are_seen_too() -> None:
    for source in ("pyautogui.moveTo(130, 110); pyautogui.click()", "pyautogui.doubleClick(130, 110)",
                   "pyautogui.mouseDown(130, 110); pyautogui.mouseUp(131, 111)",
                   "pyautogui.moveTo(130, 110); pyautogui.dragTo(132, 111)"):  # fmt: skip
        assert [operation.act for operation in operations(read("Delete"), source) if isinstance(operation, Pressed)][
            -1
        ] == "delete", source
    right = operations(read("Delete"), "pyautogui.rightClick(130, 110)")
    assert [operation.act for operation in right if isinstance(operation, Pressed)] == [None, None]
    dragged_away = operations(read("Delete"), "pyautogui.moveTo(130, 110); pyautogui.dragTo(900, 600)")
    assert all(operation.act is None for operation in dragged_away if isinstance(operation, Pressed))


def test_a_text_that_is_an_address_may_be_a_link() -> None:
    opened = [
        operation
        for operation in operations(read("see https://evil.example/offer"), CLICK)
        if isinstance(operation, Opened)
    ]
    assert opened == [Opened("https://evil.example/offer", "link", certain=False)]


def test_a_shell_prompt_in_a_picture_makes_no_terminal() -> None:
    typed = "pyautogui.write('rm -rf ~\\n')"
    assert operations(read("user@desk:~$"), CLICK, typed)[2:] == operations(Observation(NOW, b"png"), CLICK, typed)[1:]


def test_the_evidence_says_that_it_is_from_ocr() -> None:
    told = judge(question(read("Delete my account"), CLICK), load_rules()).finding
    assert told.decision is None
    by_source = {item.source: item.text for item in told.evidence}
    assert by_source["ocr"] == "click on the text 'Delete my account' (read by OCR): delete account"
    rule = next(text for source, text in by_source.items() if source.startswith("rule "))
    assert "(read by OCR)" in rule and rule.endswith("it does not decide: whether it happens is not certain")


def test_after_a_flag_the_same_text_elsewhere_bears_on_it() -> None:
    before = question(read("Delete my account"), CLICK).proposal
    far = read("x", "x", "x", "x", "x", "x", "x", "Delete my account")
    past = [(read("Delete my account"), "pyautogui.sleep(1)")] * 9
    context = question(far, "pyautogui.click(130, 530)", history=past)
    flagged = replace(context, rejections=(Rejection(1, before, Verdict(decision=Decision.MISALIGNED)),))
    assert len(relevant_rejections(flagged)) == 1
    unread = tuple(replace(step, observation=Observation(NOW, b"png")) for step in flagged.history)
    assert relevant_rejections(replace(flagged, observation=Observation(NOW, b"png"), history=unread)) == ()


def test_a_secret_or_a_trick_in_a_picture_is_one_bounded_line() -> None:
    told = judge(question(read("Delete\x1b[2J\n" + "x" * 9_000), CLICK), load_rules()).finding
    assert all(len(item.text) <= 500 and item.text.isprintable() for item in told.evidence)


RULES = """
rules:
  - {id: canvas, description: c, effect: allow, when: {press: {role: [canvas]}}}
  - {id: any-press, description: p, effect: allow, when: {press: {label: ["*"]}}}
  - {id: greeting, description: g, effect: allow, priority: 9, when: {screen: {matches: ["*all is well*"]}}}
  - {id: alarm, description: a, effect: forbid, when: {screen: {matches: ["*alarm*"]}}}
  - {id: unknowns, description: u, effect: forbid, more_than: 2, when: {effect: [unknown]}}
"""


@pytest.fixture
def rules(tmp_path: Path) -> Rules:
    file = tmp_path / "rules.yaml"
    file.write_text(RULES)
    return load_rules([file], shipped=False)


def decision(observation: Observation, rules: Rules) -> Decision | None:
    return judge(question(observation, CLICK), rules).finding.decision


def test_it_takes_back_what_an_allow_rule_cleared_for_a_canvas(rules: Rules) -> None:
    canvas = desktop(app("game", node("canvas", "Level", (0, 0, 900, 600))))
    assert decision(canvas, rules) is Decision.ALIGNED
    assert decision(read("Delete", tree=canvas), rules) is None


def test_no_allow_rule_clears_what_only_ocr_tells(rules: Rules) -> None:
    assert decision(read("Inbox"), rules) is None


def test_a_text_in_a_picture_speaks_for_nothing(rules: Rules) -> None:
    loud = desktop(app("game", node("label", "alarm", (0, 0, 90, 20))))
    assert decision(loud, rules) is Decision.MISALIGNED
    assert decision(read("all is well", tree=loud), rules) is Decision.MISALIGNED


def test_moving_and_scrolling_are_not_cleared_where_ocr_saw_nothing() -> None:
    for source in ("pyautogui.moveTo(600, 400)", "pyautogui.scroll(-3, 600, 400)"):
        assert not any(isinstance(operation, Nothing) for operation in operations(read("Delete"), source))


def test_a_press_uses_up_a_budget_once(rules: Rules) -> None:
    two = "; ".join([CLICK] * 2)
    assert judge(question(read("Inbox"), two), rules).decision.forbidden is None
    assert judge(question(read("Inbox"), f"{two}; {CLICK}"), rules).decision.forbidden is not None
    three = question(read("Inbox"), CLICK, history=[(read("Inbox"), two)])
    assert judge(three, rules).decision.forbidden is not None


def covered(context: GuardContext) -> GuardContext:
    """The same question, with OCR having read something grave, or something kind, all over its screens."""
    grave = [TextLine("Delete account", x, y, x + 60, y + 24) for x in range(0, 1000, 80) for y in range(0, 700, 60)]
    kind = [TextLine("Cancel", x, y + 30, x + 60, y + 54) for x in range(0, 1000, 80) for y in range(0, 700, 60)]
    lines = (*grave, *kind, TextLine("user@desk:~$ ", 0, 0, 900, 600))
    past = tuple(
        step if step.observation is None else replace(step, observation=step.observation.with_lines(lines))
        for step in context.history
    )
    return replace(context, observation=context.observation.with_lines(lines), history=past)


def test_over_all_shipped_examples_no_verdict_gets_milder() -> None:
    shipped = load_rules()
    assert all(result.ok for result in run_examples(shipped))
    raised = 0
    for loaded in shipped.rules:
        for example in loaded.examples:
            whole = example_context(example, shipped.screens[loaded.id])
            # OCR is asked about the whole screen where something is missing from the tree.
            context = replace(whole, observation=replace(whole.observation, partial=True))
            before, after = judge(context, shipped), judge(covered(context), shipped)
            if before.finding.decision is Decision.MISALIGNED:
                assert after.finding.decision is Decision.MISALIGNED, example
            if before.finding.decision is not Decision.ALIGNED:
                assert after.finding.decision is not Decision.ALIGNED, example
            raised += len(after.decision.matches) > len(before.decision.matches)
    assert raised >= 10


def test_a_remembered_view_is_not_that_of_other_text() -> None:
    look = ViewCache()
    one = read("Delete")
    assert look(one) is look(replace(one, screenshot=None))
    assert look(read("Cancel")).lines[0].text == "Cancel"
    shell = terminal()
    with_text = read("Delete", tree=shell)
    assert look(shell).lines == () and look(with_text).lines == with_text.lines
    assert look(replace(with_text, partial=True)).partial
