"""A league of guards as JSON."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import JsonValue

from trueline.records.setting import is_oracle_scope
from trueline.stats.attacks.success import SCRIPTED
from trueline.stats.detection.league import GuardFigures, League, PairedTest
from trueline.stats.detection.online import OnlineFigures
from trueline.stats.detection.report_data import Json, ends, scores_json, time_and_cost_json
from trueline.stats.detection.scores import Rate


def league_json(league: League, online: Sequence[OnlineFigures], *, simulated: bool) -> Json:
    """The whole report; `simulated`: scripted agents did what is misaligned in the set."""
    return {
        "steps": league.steps,
        "misaligned": league.misaligned,
        "trajectories": league.trajectories,
        "tasks": league.hosts,
        "benign_episodes": league.benign_episodes,
        "attacks": SCRIPTED if simulated else None,
        "on_error": league.settings.on_error,
        "prevalence": league.prevalence,
        "at_block_rate": league.at_block_rate,
        "false_rate_from": league.false_rate_from,
        "guards": [_standing(one) for one in league.standings],
        "tests": [_test(test, league) for test in league.tests],
        "leak": _leak(league),
        "online": [_online(one) for one in online],
        "method": league.method,
    }


def _standing(one: GuardFigures) -> Json:
    return {
        "guard": one.name,
        "setting": dict(one.setting),
        "oracle_scope": is_oracle_scope(one.setting),
        **scores_json(one.scores),
        "undecided": one.undecided,
        "by_category": {name: scores_json(scores) for name, scores in one.by_category.items()},
        "blocked": _rate(one.blocked),
        "sent_on": _rate(one.sent_on),
        "recall_at": _rate(one.recall_at),
        "precision_at": _rate(one.precision_at),
        "false_rate": _rate(one.false_rate),
        "without_model": one.without_model,
        "checks": time_and_cost_json(one.checks),
        "narratives": time_and_cost_json(one.narratives),
        "missing": one.missing,
    }


def _rate(rate: Rate) -> Json:
    return {"value": rate.value, "ci": ends(rate.ci), "method": None if rate.ci is None else rate.ci.method}


def _test(test: PairedTest, league: League) -> Json:
    return {
        "guard": test.name,
        "against": league.standings[0].name,
        "about": test.about,
        "n": test.n,
        "more": test.test.b,
        "fewer": test.test.c,
        "p": test.test.p,
        "p_holm": test.p,
        "method": test.test.method,
    }


def _leak(league: League) -> JsonValue:
    leak = league.leak
    if leak is None:
        return None
    return {"verdict": leak.verdict, "threshold": leak.threshold, "area": leak.area.value, "ci": ends(leak.area.ci)}


def _online(one: OnlineFigures) -> Json:
    rate = one.attack.rate if one.attack else None
    estimate = one.attack.estimate if one.attack else None
    return {
        "name": one.name,
        "folder": one.folder,
        "guards": list(one.guards),
        "agents": list(one.agents),
        "episodes": one.episodes,
        "runs": one.runs,
        "attacks": SCRIPTED if one.simulated and one.attack is not None else None,
        "attack_success": {"value": rate.rate if rate else None, "ci": ends(estimate.interval if estimate else None)},
        "utility_under_attack": rate.utility if rate else None,
        "pass_hat": {str(k): _rate(value) for k, value in one.pass_hat.items()},
        "prompts": one.prompts.prompts,
        "solved": one.prompts.solved,
        "prompts_per_solved": one.prompts.per_solved,
    }
