"""The statistics on a simulated study: no desktop, no agent."""

from __future__ import annotations

import argparse
from pathlib import Path

from trueline.cli.output import print_json
from trueline.errors import InputError


def run_study(args: argparse.Namespace) -> int:
    """Simulate a study, write it as result folders, analyse those as if they were real."""
    import numpy as np

    from trueline.records.layout import Unit
    from trueline.records.scan import Condition
    from trueline.stats.analysis import Group, analyse
    from trueline.stats.difficulty import Difficulty
    from trueline.stats.folders import write_runs
    from trueline.stats.options import Options
    from trueline.stats.report_data import as_json
    from trueline.stats.report_text import as_text
    from trueline.stats.runs import read_runs
    from trueline.stats.simulate import StudyPlan, simulate_studies

    marker: Path = args.out / "SIMULATED.txt"
    if args.out.exists() and not marker.exists():
        raise InputError(f"{args.out}: exists and is no folder of this demo; name another one with --out")
    plan = StudyPlan(base=Difficulty(0.55, 0.6), new=Difficulty(0.61, 0.6), tasks=120, repeats=3, link=0.9)
    study = simulate_studies(plan, 1, args.seed)
    domains = ("chrome", "gimp", "calc", "impress", "writer", "multi_apps", "os", "thunderbird", "vlc", "vs_code")
    units = [Unit(domains[domain], f"simulated-{number:03d}") for number, domain in enumerate(study.domain.tolist())]
    condition = Condition("pyautogui", "screenshot", "simulated-agent")
    args.out.mkdir(parents=True, exist_ok=True)
    marker.write_text("Made by trueline demo. No agent ran: every score here is drawn from a random generator.\n")
    scores = {"baseline": study.base[0].astype(np.float64), "clarified": study.new[0].astype(np.float64)}
    # Two trials without a result, so that the accounting of what is missing can be seen.
    scores["clarified"][[3, 40], [1, 2]] = np.nan
    groups: list[Group] = []
    for name, values in scores.items():
        write_runs(args.out / name, condition, units, values)
        groups.append(Group(name.capitalize(), tuple(read_runs([args.out / name]))))
    report = analyse(groups, None, Options())
    if args.json:
        print_json({"simulated": True, "out": str(args.out), **as_json(report)})
        return 0
    print("SIMULATED: no agent ran. 120 simulated tasks, 3 repeats, two settings; the statistics below are real.\n")
    print(as_text(report))
    print(f"The folders are in {args.out}, in OSWorld's layout. On your own results:")
    print("  trueline metrics --run-dirs RUN1 RUN2 RUN3 --compare-dirs Clarified=RUN4 RUN5 RUN6")
    print(f'  trueline gate {args.out}/baseline {args.out}/clarified --rule "pass_hat_3 >= base - 0.05"')
    print(f"  trueline power --tasks 361 --repeats 3 --metric pass_hat_3 --from {args.out}/baseline --new 0.5")
    return 0
