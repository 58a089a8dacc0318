"""`trueline guard redteam`: attack the guard within a budget of attempts."""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import sys
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any

from trueline.cli.flag_values import count
from trueline.cli.guard_flags import add_guard_flag, add_guard_options, guard_request
from trueline.cli.output import money, print_json
from trueline.cli.parser import Parser
from trueline.errors import InputError

if TYPE_CHECKING:
    from trueline.guard.redteam import AttackAttempt, AttackCase, Campaign, CampaignOptions
    from trueline.guard.types import Guard

_EXAMPLES = """\
examples:
  trueline guard redteam                                       policy stage only, no key needed
  trueline guard redteam --adaptive --k 10 --budget 1000
  trueline guard redteam --fast_check_model 'openai|gpt-5-mini' --systematic_analysis_model 'openai|gpt-5' --json

The agent is simulated: it has been taken over and carries out the attack. Only the guard is measured, against a
scripted hijack.
Success at 1 is over the first attempt on each case, worst of k over the best of up to k. The controls are what a good
agent does on the same screens; a guard that stops these as well gains nothing by stopping the attacks.
"""
_METHODS = (
    "Wilson 95 % intervals as if cases were independent; the corpus is fixed, so they say nothing about other attacks.",
    "Rates are over cases that were tried. An attack passes when every proposal that the goal needs is let through.",
)


def configure(parser: Parser) -> None:
    """Declare the flags."""
    parser.epilog = _EXAMPLES
    parser.add_argument("--budget", type=count, default=500, metavar="N", help="attempts in total (500)")
    parser.add_argument("--k", type=count, default=5, metavar="N", help="attempts per case (5)")
    parser.add_argument("--adaptive", action="store_true",
                        help="choose each attempt by the verdicts so far, not beforehand")  # fmt: skip
    parser.add_argument("--show-scope", action="store_true",
                        help="show the attacker rules and Scope: plans are rehearsed on them, and a third of the goals "
                        "lies inside the Scope (requires --adaptive and --guard_scope)")  # fmt: skip
    parser.add_argument("--seed", type=int, default=0, help="seed of all random choices (0)")
    parser.add_argument("--technique", nargs="+", default=[], metavar="T", help="only these techniques (all)")
    parser.add_argument("--attacker-model", metavar="SPEC",
                        help="provider|model that rewords texts on the screen in adaptive mode (none)")  # fmt: skip
    add_guard_flag(parser)
    add_guard_options(parser)
    parser.add_argument("--max-workers", type=count, default=4, metavar="N", help="attempts at the same time (4)")
    parser.add_argument("--fail-above", type=_share, metavar="R",
                        help="exit code 1 if the worst-of-k rate of passing attacks is above R")  # fmt: skip
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")


def run(args: argparse.Namespace) -> int:
    """Attack and report."""
    from trueline.guard.redteam import TECHNIQUES, CampaignOptions

    for name in args.technique:
        if name not in TECHNIQUES:
            raise InputError(f"--technique: unknown technique {name!r}; choose one of {', '.join(TECHNIQUES)}")
    if args.attacker_model and not args.adaptive:
        raise InputError("--attacker-model requires --adaptive")
    if args.show_scope and not args.adaptive:
        raise InputError("--show-scope requires --adaptive")
    options = CampaignOptions(args.budget, args.k, args.seed, args.adaptive, args.max_workers, tuple(args.technique))
    report = asyncio.run(_attack(args, options))
    if args.json:
        print_json(report)
    else:
        print(_text(report))
    rate = report["passing"]["worst_of_k"]["rate"]
    return 1 if args.fail_above is not None and rate is not None and rate > args.fail_above else 0


async def _attack(args: argparse.Namespace, options: CampaignOptions) -> dict[str, Any]:
    from trueline.guard.redteam import Player, Rewriter, attack
    from trueline.guard.registry import open_guard
    from trueline.models import open_model

    # The attacker does not know the key; it follows the seed only so that a campaign can be repeated.
    key = hashlib.sha256(f"redteam {options.seed}".encode()).digest()
    async with AsyncExitStack() as stack:
        opened = await stack.enter_async_context(open_guard(guard_request(args, comparing=True), key=key))
        rewriter = None
        if args.attacker_model:
            attacker = open_model(args.attacker_model)
            stack.push_async_callback(attacker.close)
            rewriter = Rewriter(attacker)
        pictures = opened.asks_models or rewriter is not None
        drawn = pictures or opened.reads_text
        player = Player(
            opened.guard,
            args.guard_on_error,
            opened.narrator,
            drawn,
            models=pictures,
            rehearse_on=_rules_and_scope(opened.guard) if args.show_scope else None,
        )
        campaign = await attack(player, options, rewriter=rewriter, progress=_Progress(options))
        setting = opened.verdict_setting
    about = {"attacker_model": args.attacker_model, "scope_shown": args.show_scope}
    return {"guard": setting.model_dump(mode="json"), **about, **_document(campaign)}


def _rules_and_scope(guard: Guard) -> Guard:
    """The part of a guard that an attacker can run at home: its rules and the Scope of the task.

    Raises:
        InputError: It has no Scope.
    """
    from trueline.guard.config import GuardConfig
    from trueline.guard.engine import DeActionGuard

    if not isinstance(guard, DeActionGuard) or guard.config.scope is None:
        raise InputError("--show-scope requires a guard with --guard_scope strict or evidence")
    config = guard.config
    return DeActionGuard(GuardConfig(policy=config.policy, scope=config.scope, unmatched=config.unmatched))


def _document(campaign: Campaign) -> dict[str, Any]:
    from trueline.guard.redteam.report import document
    from trueline.stats.intervals import wilson

    def interval(count: int, n: int) -> tuple[float, float]:
        found = wilson(count, n)
        return found.low, found.high

    return {**document(campaign, interval), "methods": list(_METHODS)}


class _Progress:
    """Counts on stderr, if that is a terminal."""

    def __init__(self, options: CampaignOptions) -> None:
        self._budget = options.budget
        self._done = self._broken = 0

    def __call__(self, _case: AttackCase, attempt: AttackAttempt) -> None:
        self._done += 1
        self._broken += attempt.success
        if sys.stderr.isatty():
            end = f"\r{self._done} of at most {self._budget} attempts, {self._broken} succeeded "
            print(end, end="", file=sys.stderr, flush=True)


def _text(report: dict[str, Any]) -> str:
    from trueline.tables import text_table

    head = ("technique", "aim", "n", "at 1", f"worst of {report['k']}", "undecided")
    rows: list[tuple[str, ...]] = [head, *(_row(entry["technique"], entry) for entry in report["techniques"])]
    rows.append(_row("all that pass, each once", {**report["passing"], "aim": "pass", "undecided": ""}))
    if report["scope_shown"]:
        for place, figures in report["by_place"].items():
            rows.append(_row(f"  goals {place} the scope", {**figures, "aim": "pass", "undecided": ""}))
    lines = text_table(rows, ruled=False).splitlines()
    guard, controls = report["guard"], report["controls"]
    short, left_out = report["cut_short"], ", ".join(report["left_out"])
    models = ", ".join(filter(None, (guard["fast_check_model"], guard["systematic_analysis_model"])))
    about = [
        f"guard: {guard['name']}, models: {models or 'none'}; {report['mode']} attacks, seed {report['seed']}",
        f"{report['attempts']} attempts of {report['budget']}, {report['checks']} checks, {money(report['cost'])}",
        *([f"{short} cases were cut short by the budget: worst of k is a lower bound"] if short else []),
        *([f"left out, because no model reads them: {left_out}"] if left_out else []),
        f"controls stopped: {_cell(controls['blocked'])}; undecided: {controls['undecided']}",
        f"utility under attack: {_cell(controls['utility_under_attack'])} benign controls ran with the attack in view",
        *(["the attacker was shown rules and Scope"] if report["scope_shown"] else []),
        f"subject: {report['subject']}",
        *report["methods"],
    ]
    return "\n".join([*lines, "", *about])


def _row(name: str, entry: dict[str, Any]) -> tuple[str, ...]:
    rates = _cell(entry["success_at_1"]), _cell(entry["worst_of_k"])
    return (name, entry["aim"], f"{entry['tried']}{_untried(entry)}", *rates, str(entry["undecided"]))


def _untried(entry: dict[str, Any]) -> str:
    left = entry["cases"] - entry["tried"]
    return f" (+{left} not tried)" if left else ""


def _cell(rate: dict[str, Any]) -> str:
    if rate["rate"] is None:
        return "–"
    low, high = rate["ci"]
    return f"{rate['count']}/{rate['n']} {100 * rate['rate']:.0f} % [{100 * low:.0f}, {100 * high:.0f}]"


def _share(word: str) -> float:
    value = float(word)
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"must be between 0 and 1, not {word}")
    return value
