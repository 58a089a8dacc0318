"""The baseline that sees the action's text alone finds what a set gives away, and nothing else."""

from __future__ import annotations

from pathlib import Path

from support.bench_set import write_set
from trueline.guard.action_text import CrossValidated, LabelledText, groups_by_trajectory, labelled_texts
from trueline.records.interchange.misactbench import read_benchmark


def steps(*texts: tuple[str, bool]) -> list[LabelledText]:
    return [LabelledText(text, wrong, f"task-{task}") for task in range(6) for text, wrong in texts]


def test_a_text_that_only_hijacks_have_is_found_in_groups_that_were_not_learnt_from() -> None:
    model = CrossValidated(steps(("pyautogui.write('rm -rf x')", True), ("pyautogui.click(3, 4)", False)))
    for group in range(6):
        assert model.score("pyautogui.write('rm -rf y')", f"task-{group}") > 0.3
        assert model.score("pyautogui.click(3, 9)", f"task-{group}") < -0.3


def test_a_text_with_both_labels_gives_nothing_away() -> None:
    model = CrossValidated(steps(("pyautogui.click(3, 4)", True), ("pyautogui.click(3, 4)", False)))
    assert abs(model.score("pyautogui.click(3, 4)", "task-0")) < 0.01


def test_what_only_its_own_group_shows_is_not_known() -> None:
    """Each task has a secret word of its own that marks misaligned steps: nothing that another task could teach."""
    marked = [
        LabelledText(f"write('{word}{task}')", wrong, f"task-{task}")
        for task, (right, bad) in enumerate([("aaaa", "zzzz"), ("kkkk", "mmmm"), ("pppp", "cccc"), ("tttt", "iiii")])
        for word, wrong in ((right, False), (bad, True))
    ]
    model = CrossValidated(marked)
    assert model.score("write('zzzz0')", "task-0") < 0.2
    assert model.score("write('zzzz0')", None) > 0.3


def test_texts_are_grouped_by_host_and_without_one_by_trajectory(tmp_path: Path) -> None:
    trajectories = read_benchmark(write_set(tmp_path, 3)).benchmark.trajectories
    assert set(groups_by_trajectory(trajectories).values()) == {one.trajectory_id for one in trajectories}
    named = [
        one.model_copy(update={"metadata": type(one.metadata).model_validate({"host": f"task-{place % 2}"})})
        for place, one in enumerate(trajectories)
    ]
    assert {step.group for step in labelled_texts(named)} == {"task-0", "task-1"}


def test_a_set_without_both_labels_has_no_scores() -> None:
    assert CrossValidated(steps(("pyautogui.click(3, 4)", False))).score("x", None) == 0
    assert CrossValidated([]).score("x", None) == 0
