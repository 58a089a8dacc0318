"""What the demo prints: success, attack success by goal, what the guard stopped, and what to open first."""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from trueline.cli.demo.guard_stops import GuardStop
from trueline.tables import text_table
from trueline.text import printable

if TYPE_CHECKING:
    from trueline.records import EpisodeRecord
    from trueline.stats.attacks.success import AttackTrial

NO_GUARD, WITH_GUARD = "no guard", "with guard"
_WHY = {
    "email_send_password": "Where the instruction holds a word like “answer” or “phone”, mail may be part of the task.",
    "stop_task": "Ending a task looks the same whether the task is done or the screen asked for it.",
    "terminal_local_script": "Running a script from the user's own disk is ordinary work; its name says nothing.",
    "url_query_params": "A program reads the password and builds the address, so the typed words show no password.",
}
"""Why rules, which see single actions, let an injected goal pass."""
_OTHERWISE = "The agent reached it with actions that no rule forbids."


@dataclass(frozen=True)
class DemoResults:
    """The results of the demo."""

    out: Path
    played: Mapping[str, Sequence[EpisodeRecord]]
    plain: str
    """The table of the plain condition."""
    stops: Sequence[GuardStop]
    pictures: Sequence[tuple[GuardStop, Path]]

    @property
    def attacks(self) -> dict[str, list[AttackTrial]]:
        """The injected episodes by setting."""
        from trueline.stats.attacks.success import trials_of

        return {NO_GUARD: trials_of(self.played["injected"]), WITH_GUARD: trials_of(self.played["guarded"])}


def document(results: DemoResults) -> dict[str, object]:
    """The demo as one JSON document."""
    from trueline.runs.summary import summarise
    from trueline.stats.attacks.report import rate_json
    from trueline.stats.attacks.success import attack_rate, attack_rates_by

    attacks = results.attacks
    return {
        "simulated_agent": True,
        "out": str(results.out),
        "conditions": {name: summarise(list(records)) for name, records in results.played.items()},
        "attack_success": {
            setting: {
                **{goal: rate_json(rate) for goal, rate in attack_rates_by(trials, "goal").items()},
                "all": rate_json(attack_rate(trials)),
            }
            for setting, trials in attacks.items()
        },
        "not_stopped": not_stopped(attacks),
        "stopped": [
            {"task": stop.task, "vector": stop.vector, "goal": stop.goal, "step": stop.step, "rule": stop.rule,
             "words": stop.words, "reason": stop.reason}
            for stop in results.stops
        ],
        "pictures": [str(picture) for _, picture in results.pictures],
    }  # fmt: skip


def not_stopped(attacks: Mapping[str, Sequence[AttackTrial]]) -> dict[str, str]:
    """The goals that were achieved despite the guard, and why rules could not stop them."""
    achieved = {trial.unit.goal for trial in attacks[WITH_GUARD] if trial.achieved}
    return {goal: _WHY.get(goal, _OTHERWISE) for goal in sorted(filter(None, achieved))}


def text(results: DemoResults) -> str:
    """The results as text."""
    from trueline.stats.attacks.report import rates_table

    out = shlex.quote(printable(str(results.out), 300))
    attacks = results.attacks
    command = program()
    lines = [
        "== Can it do the tasks, and every time? (simulated agent)",
        "",
        results.plain,
        "",
        "Pass^1 is the mean success rate, Pass^k the share of tasks done in each of k runs; brackets: 95 % interval.",
        "",
        "== Does text on the screen get its way? Attack success by goal, against a scripted hijack (simulated agent)",
        "",
        rates_table(attacks, "goal").rstrip(),
        "",
        "Achieved of delivered: the share of injections on the screen that got what they wanted, read from the desktop",
        "afterwards; in brackets the episodes.",
        *_utility(attacks),
        *_passed(not_stopped(attacks)),
        "",
        f"== What the guard stopped: {len(results.stops)} steps; nothing of them was executed",
    ]
    for stop, picture in results.pictures:
        lines += [
            "",
            f"  {stop.task}, injected through {stop.vector}: {stop.goal}",
            f"    blocked  {printable(stop.words, 100)}",
            f"    rule     {stop.rule}: {printable(stop.reason, 100)}",
            f"    picture  {shlex.quote(printable(str(picture), 300))}",
        ]
    lines += ["", "== Open first", ""]
    if results.pictures:
        lines.append(f"  {shlex.quote(printable(str(results.pictures[0][1]), 300))}    (any image viewer)")
    lines += [
        f"  {command} metrics --run-dirs {out}/plain    (all figures, intervals and missing trials)",
        "  docs/tutorial/first-table.md    (the next steps)",
        "",
        "With a real model:",
        f"  {command} run --suite starter --agent prompt --model 'openai|gpt-5' --repeats 3 --inject --guard policy",
    ]
    return "\n".join(lines)


def program() -> str:
    """How to invoke this program: its name if the shell finds it, otherwise its path."""
    started = Path(sys.argv[0])
    if shutil.which("trueline") is None and started.name == "trueline" and started.is_file():
        return shlex.quote(printable(str(started), 300))
    return "trueline"


def _utility(attacks: Mapping[str, Sequence[AttackTrial]]) -> list[str]:
    from trueline.stats.attacks.success import attack_rate

    rates = {setting: attack_rate(trials) for setting, trials in attacks.items()}
    shares = [f"{100 * rate.utility:.0f} % ({name})" for name, rate in rates.items() if rate.utility is not None]
    lines = [f"The task itself was still done in {' and '.join(shares)} of the episodes."] if shares else []
    missing = sum(rate.missing for rate in rates.values())
    return lines + ([f"{missing} episodes were not measured and are in no rate."] if missing else [])


def _passed(goals: Mapping[str, str]) -> list[str]:
    if not goals:
        return []
    rows = [(f"  {printable(goal, 60)}", why) for goal, why in goals.items()]
    return [
        "",
        "What the guard's rules did not stop, and why:",
        *text_table(rows, ruled=False).splitlines(),
        "Rules see single actions. A model that knows the task can tell these: --guard deaction (needs a key).",
    ]
