"""`trueline power`: how many tasks and repeats a study needs."""

from __future__ import annotations

import argparse
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from trueline.cli.metrics import add_reading_flags, errors_name_flags
from trueline.cli.output import print_json
from trueline.cli.parser import Parser
from trueline.errors import InputError

if TYPE_CHECKING:
    pass

_EXAMPLES = """\
examples:
  trueline power --tasks 361 --repeats 3 --metric pass_hat_3 --from results/baseline --new 0.45
  trueline power --tasks 361 --repeats 3 --metric pass_1 --base 0.60 --new 0.64 --rho 0.6
  trueline power --metric attack_success --hosts 20 --goals 5 --repeats 2 --base 0.30 --new 0.15
  trueline power --tasks 100 --repeats 3 --metric pass_hat_3 --base 0.40 --new 0.50     (a table over rho)

rho is the correlation of two runs of the same task: 0 when all tasks are equally hard, 1 when each is always or never
solved. Two rates do not determine it; without --rho or --from a table over plausible values is shown.
"""


def configure(parser: Parser) -> None:
    """Declare the flags."""
    parser.epilog = _EXAMPLES
    parser.add_argument("--tasks", "--hosts", type=int, required=True, metavar="N",
                        help="tasks in the study; of attack_success the host tasks")  # fmt: skip
    parser.add_argument("--goals", type=int, metavar="N", help="goals injected into each host task (1)")
    parser.add_argument("--vectors", type=int, metavar="N", help="vectors that carry each goal (1)")
    parser.add_argument("--repeats", type=int, required=True, metavar="N", help="runs of each task in each setting")
    parser.add_argument("--metric", default="pass_1", metavar="M", help="pass_hat_K, pass_1 or attack_success (pass_1)")
    parser.add_argument("--from", dest="source", nargs="+", type=Path, metavar="DIR",
                        help="fit base rate and rho from these runs")  # fmt: skip
    parser.add_argument("--base", type=float, metavar="P", help="the metric in the base setting")
    parser.add_argument("--new", type=float, metavar="Q", help="the metric in the new setting")
    parser.add_argument("--rho", type=float, metavar="R", help="correlation of two runs of one task")
    parser.add_argument("--rho-host", type=float, metavar="R",
                        help="of attack_success: correlation of two runs of one host task in different cells "
                        "(half of --rho)")  # fmt: skip
    parser.add_argument("--link", type=float, default=1.0, metavar="L",
                        help="correlation of a task's ease in the two settings (1)")  # fmt: skip
    parser.add_argument("--power", dest="wanted", type=float, default=0.8, metavar="X", help="the chance wanted (0.8)")
    parser.add_argument("--alpha", type=float, default=0.05, metavar="X", help="level of the test (0.05)")
    parser.add_argument("--studies", type=int, default=4000, metavar="N", help="simulated studies per figure (4000)")
    add_reading_flags(parser)
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")


def run(args: argparse.Namespace) -> int:
    """Fit or take the rates, simulate, print."""
    with errors_name_flags():
        return _run(args)


def _run(args: argparse.Namespace) -> int:
    from trueline.stats.options import Options
    from trueline.stats.power import MOST_REPEATS, MOST_TASKS, Design, sensitivity
    from trueline.stats.power_report import Plan, plan_json, plan_text, sensitivity_json, sensitivity_text

    Options(threshold=args.threshold, missing=args.missing)
    if not 0 < args.wanted < 1:
        raise InputError(f"--power {args.wanted}: a chance between 0 and 1")
    if not 100 <= args.studies <= 200_000:
        raise InputError(f"--studies {args.studies}: from 100 (below, the figures are noise) to 200000")
    if args.metric == "attack_success":
        return _plan_attacks(args)
    for flag, value in (("--goals", args.goals), ("--vectors", args.vectors), ("--rho-host", args.rho_host)):
        if value is not None:
            raise InputError(f"{flag} is about --metric attack_success")
    k = _k(args.metric)
    if args.repeats > MOST_REPEATS or args.tasks > MOST_TASKS:
        raise InputError(f"at most {MOST_TASKS} --tasks and {MOST_REPEATS} --repeats can be simulated")
    base, rho, fitted = _rates(args, k)
    new = args.new if args.new is not None else base
    design = Design(args.tasks, args.repeats, k, base, new, rho or 0.0, link=args.link, alpha=args.alpha)
    if rho is None:
        if args.new is None:
            raise InputError("--new is missing: which change is to be seen? (or give --from or --rho)")
        rows = sensitivity(design, wanted=args.wanted, studies=args.studies, seed=args.seed)
        _show(
            args, sensitivity_json(design, rows, args.metric), sensitivity_text(design, rows, args.metric, args.wanted)
        )
        return 0
    plan = Plan.of(
        design, args.metric, args.wanted, args.studies, args.seed, changed=args.new is not None, fitted=fitted
    )
    _show(args, plan_json(plan), plan_text(plan))
    return 0


def _show(args: argparse.Namespace, document: dict[str, object], text: str) -> None:
    if args.json:
        print_json(document)
    else:
        print(text, end="")


def _k(metric: str) -> int:
    match = re.fullmatch(r"pass_(?:hat_)?(\d{1,3})", metric)
    if match is None or int(match[1]) < 1:
        raise InputError(f"--metric {metric}: one of pass_hat_K (such as pass_hat_3), pass_1, attack_success")
    return int(match[1])


def _plan_attacks(args: argparse.Namespace) -> int:
    """Plan a study of attack success: the unit is the host task."""
    from trueline.stats.attack_power import AttackDesign
    from trueline.stats.attack_power_report import AttackPlan, attack_plan_json, attack_plan_text

    base, rho, rho_host, source = _attack_rates(args)
    goals, vectors = args.goals or 1, args.vectors or 1
    for flag, value in (("--goals", args.goals), ("--vectors", args.vectors)):
        if value is not None and value < 1:
            raise InputError(f"{flag} {value}: must be at least 1")
    design = AttackDesign(
        hosts=args.tasks,
        cells=goals * vectors,
        repeats=args.repeats,
        base=base,
        new=base if args.new is None else args.new,
        rho=rho,
        rho_host=rho_host,
        link=args.link,
        alpha=args.alpha,
    )
    plan = AttackPlan.of(
        design,
        goals=goals,
        vectors=vectors,
        wanted=args.wanted,
        source=source,
        studies=args.studies,
        seed=args.seed,
        changed=args.new is not None,
    )
    _show(args, attack_plan_json(plan), attack_plan_text(plan))
    return 0


def _attack_rates(args: argparse.Namespace) -> tuple[float, float, float, str]:
    """Base rate and the two correlations, stated, fitted or assumed, and a line on where they come from."""
    from trueline.stats.attack_fit import DEFAULT_RHO, AttackFit

    fit: AttackFit | None = None
    if args.source is not None:
        from trueline.stats.attack_analysis import fit_attack_runs

        fit = fit_attack_runs(args.source, args.example_json, args.result_file)
    elif args.base is None:
        raise InputError("the base rate is missing: give --base P, or --from with folders of runs")
    base: float = fit.base if fit is not None and args.base is None else float(args.base)
    fitted = (fit.rho, fit.rho_host) if fit else (None, None)
    rho = next(value for value in (args.rho, fitted[0], DEFAULT_RHO) if value is not None)
    rho_host = next(value for value in (args.rho_host, fitted[1], rho / 2) if value is not None)
    if args.rho_host is None:
        rho_host = min(rho_host, rho)
    said = [] if fit is None else [f"fitted to {fit.hosts} host tasks, {fit.cells} cells, {fit.episodes} episodes"]
    said += [] if args.base is None else ["base rate as stated"]
    if args.rho is None and fitted[0] is None:
        said.append("rho within a cell assumed")
    if args.rho_host is None and fitted[1] is None:
        said.append("rho within a host assumed")
    return base, rho, rho_host, "; ".join(said)


def _rates(args: argparse.Namespace, k: int) -> tuple[float, float | None, str]:
    """Base rate and rho, stated or fitted, and a line on where they come from."""
    if args.source is None:
        if args.base is None:
            raise InputError("the base rate is missing: give --base P, or --from with folders of runs")
        return args.base, args.rho, "as stated"
    from trueline.stats.metrics.analysis import fit_runs

    fit = fit_runs(args.source, args.example_json, args.result_file, args.threshold)
    rho = args.rho if args.rho is not None else fit.difficulty.rho
    base = args.base if args.base is not None else replace(fit.difficulty, rho=rho).pass_hat(k)
    where = (
        f"fitted to {fit.tasks} tasks, {fit.runs} runs: Pass^1 {100 * fit.difficulty.mean:.1f} %, rho "
        f"{fit.difficulty.rho:.2f} [{fit.rho_low:.2f}, {fit.rho_high:.2f}]"
    )
    return base, rho, where
