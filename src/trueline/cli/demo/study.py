"""The statistics on a simulated study: no desktop, no agent."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

from trueline.cli.demo.folder import claim_folder
from trueline.cli.demo.report import program
from trueline.cli.output import print_json
from trueline.text import printable


def run_study(args: argparse.Namespace) -> int:
    """Simulate a study, write result folders, and analyse them as if they were real."""
    import numpy as np

    from trueline.records.layout import Unit
    from trueline.records.scan import Condition
    from trueline.stats.metrics.analysis import SettingRuns, analyse
    from trueline.stats.metrics.report_json import as_json
    from trueline.stats.metrics.report_text import as_text
    from trueline.stats.options import AnalysisChoices
    from trueline.stats.power.difficulty import Difficulty
    from trueline.stats.power.simulate import StudyPlan, simulate_studies
    from trueline.stats.results.runs import read_runs, write_runs

    claim_folder(args.out)
    out: Path = args.out / "study"
    plan = StudyPlan(base=Difficulty(0.55, 0.6), new=Difficulty(0.61, 0.6), tasks=120, repeats=3, link=0.9)
    study = simulate_studies(plan, 1, args.seed)
    domains = ("chrome", "gimp", "calc", "impress", "writer", "multi_apps", "os", "thunderbird", "vlc", "vs_code")
    units = [Unit(domains[domain], f"simulated-{number:03d}") for number, domain in enumerate(study.domain.tolist())]
    condition = Condition("pyautogui", "screenshot", "simulated-agent")
    out.mkdir(exist_ok=True)
    scores = {"baseline": study.base[0].astype(np.float64), "clarified": study.new[0].astype(np.float64)}
    # Two trials without a result, so that the accounting of what is missing can be seen.
    scores["clarified"][[3, 40], [1, 2]] = np.nan
    groups: list[SettingRuns] = []
    for name, values in scores.items():
        write_runs(out / name, condition, units, values)
        groups.append(SettingRuns(name.capitalize(), tuple(read_runs([out / name]))))
    report = analyse(groups, None, AnalysisChoices())
    if args.json:
        print_json({"simulated": True, "out": str(out), **as_json(report)})
        return 0
    print("SIMULATED: no agent ran. 120 simulated tasks, 3 repeats, two settings; the statistics below are real.\n")
    print(as_text(report))
    command = program()
    shown = shlex.quote(printable(str(out), 300))
    print(f"The folders are in {shown}, in OSWorld's layout. On your own results:")
    print(f"  {command} metrics --run-dirs RUN1 RUN2 RUN3 --compare-dirs Clarified=RUN4 RUN5 RUN6")
    print(f'  {command} gate {shown}/baseline {shown}/clarified --rule "pass_hat_3 >= base - 0.05"')
    print(f"  {command} power --tasks 361 --repeats 3 --metric pass_hat_3 --from {shown}/baseline --new 0.5")
    return 0
