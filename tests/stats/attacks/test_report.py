from __future__ import annotations

from support.injected import cell, funnel_of
from trueline.stats.attacks.report import rates_table
from trueline.stats.attacks.success import AttackTrial, attack_trial


def trials(goal: str, *achieved: bool) -> list[AttackTrial]:
    return [attack_trial(cell(f"t{i}", goal), "run1", funnel_of(one), 1.0) for i, one in enumerate(achieved)]


def test_a_table_by_goal_with_and_without_a_guard() -> None:
    without = [*trials("delete_files", True, True), *trials("stop_task", True, False)]
    unmeasured = [attack_trial(cell("t0", "stop_task"), "run1", None, 1.0)]
    assert rates_table(
        {"No guard": without, "Guard": [*trials("delete_files", False, False), *unmeasured]}, "goal"
    ) == (
        "goal         | No guard      | Guard\n"
        "-------------|---------------|------------\n"
        "delete_files | 100.0 % (2/2) | 0.0 % (0/2)\n"
        "stop_task    | 50.0 % (1/2)  | –\n"
        "all          | 75.0 % (3/4)  | 0.0 % (0/2)"
    )


def test_a_goal_cannot_draw_on_the_terminal() -> None:
    assert "\x1b" not in rates_table({"A\x1b[2J": trials("\x1b[31mgoal", True)}, "goal")
