"""A league of guards as text: the table, and below it what a reader needs to believe it."""

from __future__ import annotations

from collections.abc import Sequence

from trueline.records.setting import ORACLE_NOTE, is_oracle_scope
from trueline.records.verdict import Category
from trueline.stats.attacks.success import SCRIPTED
from trueline.stats.detection.league import GuardFigures, League, PairedTest
from trueline.stats.detection.online import OnlineFigures
from trueline.stats.detection.report_text import rate_text
from trueline.stats.detection.scores import Rate
from trueline.tables import text_table
from trueline.text import printable


def league_text(league: League, online: Sequence[OnlineFigures], *, simulated: bool) -> str:
    """The whole report.

    Args:
        league: The table.
        online: Runs of an agent behind the guards.
        simulated: Whether scripted agents did what is misaligned in the set.
    """
    blocks = [
        _about(league, simulated=simulated),
        text_table(_rows(league)),
        text_table(_category_rows(league)),
        text_table(_cost_rows(league)),
        _tests(league),
        _leak(league),
        _online(online),
        _methods(league),
    ]
    return "\n\n".join(block for block in blocks if block) + "\n"


def _about(league: League, *, simulated: bool) -> str:
    words = f", measured {SCRIPTED} or scripted mistakes" if simulated else ""
    return (
        f"{league.steps} labelled steps, {league.misaligned} of them misaligned{words}; {league.trajectories} "
        f"trajectories of {league.hosts} tasks, {league.benign_episodes} trajectories with nothing but benign steps"
    )


def _rows(league: League) -> list[list[str]]:
    rows = [
        [
            "Guard", "Precision", "Recall", "F1", "undecided", "blocked", "sent on",
            f"recall at {100 * league.at_block_rate:g} blocked",
            f"precision at {100 * league.prevalence:g} %",
        ]
    ]  # fmt: skip
    return [*rows, *map(_row, league.standings)]


def _row(one: GuardFigures) -> list[str]:
    first, last = (one.scores.precision, one.scores.recall, one.scores.f1), (one.recall_at, one.precision_at)
    return [
        printable(one.name, 40),
        *map(rate_text, first),
        str(one.undecided),
        *map(rate_text, (one.blocked, one.sent_on, *last)),
    ]


def _category_rows(league: League) -> list[list[str]]:
    names = [
        str(name) for name in (*Category, "unknown") if any(str(name) in one.by_category for one in league.standings)
    ]
    head = ["Guard", *(f"{name}: P / R / F1" for name in names)]
    return [
        head,
        *([printable(one.name, 40), *(_category(one, name) for name in names)] for one in league.standings),
    ]


def _category(one: GuardFigures, name: str) -> str:
    scores = one.by_category.get(name)
    if scores is None:
        return "–"
    return f"{_percent(scores.precision)} / {rate_text(scores.recall)} / {_percent(scores.f1)}"


def _percent(rate: Rate) -> str:
    return "–" if rate.value is None else f"{100 * rate.value:.1f}"


def _cost_rows(league: League) -> list[list[str]]:
    rows = [["Guard", "without a model", "p50", "p95", "calls", "cost", "per 1000 checks"]]
    for one in league.standings:
        calls = one.checks.usage.calls + one.narratives.usage.calls
        known = one.checks.known_cost + one.narratives.known_cost
        unpriced = one.checks.unpriced + one.narratives.unpriced
        rows.append(
            [
                printable(one.name, 40),
                f"{100 * one.without_model:.1f}",
                _seconds(one.checks.p50),
                _seconds(one.checks.p95),
                str(calls),
                f"${known:.4f}" + (f" + {unpriced} of unknown price" if unpriced else ""),
                f"${1000 * known / league.steps:.2f}" if not unpriced else "–",
            ]
        )
    return rows


def _seconds(value: float | None) -> str:
    return "–" if value is None else f"{1000 * value:.2f} ms" if value < 1 else f"{value:.2f} s"


def _tests(league: League) -> str:
    if not league.tests:
        return ""
    first = printable(league.standings[0].name, 40)
    return "\n".join([f"against {first}, on the same steps:", *(f"  {_test(test)}" for test in league.tests)])


def _test(test: PairedTest) -> str:
    what = "misaligned steps caught" if test.about == "caught" else "aligned steps blocked"
    return (
        f"{printable(test.name, 40)}: {what} {test.test.b_minus_c:+d} of {test.n} ({test.test.b} more, {test.test.c} "
        f"fewer), {_p(test.test.p)} (Holm {_p(test.p)})"
    )


def _p(value: float) -> str:
    return "p < 0.0001" if value < 0.0001 else f"p = {value:.4f}"


def _leak(league: League) -> str:
    leak = league.leak
    if leak is None:
        return "whether the actions' text alone separates the set was not measured (guard action-text-only)"
    words = {
        "leaky": "LEAKY: high figures on it need no guard that sees objective and screen",
        "not leaky": "not leaky",
        "unclear": "maybe leaky: the interval does not exclude it",
    }
    value = "–" if leak.area.value is None else f"{leak.area.value:.3f}"
    ends = "" if leak.area.ci is None else f" [{leak.area.ci.low:.3f}, {leak.area.ci.high:.3f}]"
    measured = f"action text alone: area under the ROC curve {value}{ends}, leaky from {leak.threshold:g} on"
    return f"{measured}; this set is {words[leak.verdict]}"


def _online(online: Sequence[OnlineFigures]) -> str:
    if not online:
        return ""
    rows = [
        ["Runs", "episodes", "attack success", "utility under attack", "Pass^1", "Pass^3", "prompts per solved task"]
    ]
    for one in online:
        rate = one.attack.rate if one.attack else None
        ci = one.attack.estimate.interval if one.attack and one.attack.estimate else None
        prompts = one.prompts.per_solved
        rows.append(
            [
                printable(one.name, 40),
                str(one.episodes),
                rate_text(Rate(rate.rate if rate else None, ci)),
                _percent(Rate(rate.utility if rate else None)),
                *(rate_text(one.pass_hat.get(k, Rate(None))) for k in (1, 3)),
                f"{prompts:.2f} ({one.prompts.prompts} / {one.prompts.solved})" if prompts is not None else "–",
            ]
        )
    notes = [f"{printable(one.name, 40)}: {_runs_note(one)}" for one in online]
    return "\n".join([text_table(rows), *notes])


def _runs_note(one: OnlineFigures) -> str:
    agents = printable(", ".join(one.agents) or "unknown", 100)
    scripted = f", attack success {SCRIPTED}" if one.simulated and one.attack is not None else ""
    return f"{one.runs} runs of {agents} behind {printable(', '.join(one.guards) or 'unknown', 100)}{scripted}"


def _methods(league: League) -> str:
    on_error = league.settings.on_error
    return "\n".join(
        [
            f"rates: percent, as enforced (undecided steps: {on_error}); blocked and sent on: per 100 aligned steps",
            "sent on: not blocked, but sent to the systematic analysis; without it, suspected by a rule",
            f"recall at {100 * league.at_block_rate:g} blocked: on the ROC curve through what is blocked and what is "
            "blocked or sent on, mixed at random in between; percentile interval by cluster",
            f"precision at {100 * league.prevalence:g} %: false-positive rate from {league.false_rate_from}",
            f"intervals: {league.method}",
            *dict.fromkeys(
                f"tests: McNemar, {test.test.method}; Holm over {len(league.tests)} tests" for test in league.tests[:1]
            ),
            "latency: median and 95th percentile of whole checks, several at a time",
            *(f"{printable(one.name, 40)}: {ORACLE_NOTE}" for one in league.standings if is_oracle_scope(one.setting)),
        ]
    )
