"""The page of the docs with the figures by domain."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from trial import Trial

PAGE = Path(__file__).resolve().parents[3] / "docs/reference/end-states.md"
_HEAD = """\
# End states

A task that no end state can solve measures nothing, and neither does a checker that never says 1. For {solved} of
OSWorld's tasks, in {domains} domains, a scripted end state scores 1 and the untouched desktop scores less. Each was run
on a local desktop: the task's own set-up, its evaluator on the untouched desktop, the end state, the evaluator again.
Where the evaluator's own steps do more than save, close or start something, the end state was made on a fresh desktop
after another set-up.

Files that tasks download were replaced by generated ones of the same type. What is brought and what the result is
compared with differ, and scripts that check a folder were written anew: they print what the evaluator looks for only if
the folder is as the task asks for. A site of the web is not there; its tabs show its address and an error.

```sh
.venv/bin/python benchmarks/tasks/end_states/run.py evaluation_examples/test_all.json --write
```

Where it is cheap, an end state is reached as a user reaches it: with the application's own keys, in its terminal, with
its command. Otherwise its files are written: the expected document in its place, a preference while the application is
closed. This shows that set-up, getters and functions work together, not that an agent finds the way.

Not all tasks were run; `run` counts those that were, infeasible ones and those without an end state among them.

| domain | run | tried | end state scores 1 | native | bridged |
|---|---|---|---|---|---|
"""
_KINDS = {
    "StepError": "a set-up step failed with the stand-in",
    "NotReached": "the end state could not be made",
    "CheckerError": "no score",
    "TimeoutError": "too slow",
}
_CAUSES = """
Known causes: sites of the web are not there, and DevTools then show the page of the error instead of the address; keys
typed into a new tab, and exports typed after fixed waits, fall behind on a busy machine (load 20 to 50 on 2 cores);
titles of windows that come from inside a file, which a stand-in must have, too.

Two more were tried and scored 0 for a reason that was not found: os 94d95f96 and multi_apps 869de13e. They have no end
state now and are not counted above.
"""
_SAME = "the untouched desktop scores 1"
_UNWRITTEN = "no end state is written for it"


def page(trials: Sequence[Trial]) -> str:
    """The whole page."""
    domains = sorted({trial.domain for trial in trials})
    solved = [trial for trial in trials if trial.proves]
    with_any = len({trial.domain for trial in solved})
    lines = [_row(domain, [trial for trial in trials if trial.domain == domain]) for domain in domains]
    total = _row("all", list(trials)) + "\n"
    head = _HEAD.format(solved=len(solved), domains=with_any)
    return head + "".join(f"{line}\n" for line in lines) + total + _rest(trials)


def _row(name: str, trials: Sequence[Trial]) -> str:
    solved = [trial for trial in trials if trial.proves]
    native = sum(trial.scorer == "native" for trial in solved)
    tried = sum(_tried(trial) for trial in trials)
    return f"| {name} | {len(trials)} | {tried} | {len(solved)} | {native} | {len(solved) - native} |"


def _tried(trial: Trial) -> bool:
    return trial.why not in ("infeasible", _UNWRITTEN) and trial.seconds > 0


def _rest(trials: Sequence[Trial]) -> str:
    """What was tried and proves nothing, and why."""
    same = [trial for trial in trials if trial.why == _SAME]
    failed = [trial for trial in trials if _tried(trial) and not trial.proves and trial.why != _SAME]
    infeasible = sum(trial.why == "infeasible" for trial in trials)
    parts = [f"\n{infeasible} tasks are infeasible: they ask for the agent's FAIL, and are not counted.\n"]
    if same:
        parts.append(
            "\nThe untouched desktop scores 1 as well, so their end states prove nothing: " + _names(same) + ".\n"
        )
    if failed:
        parts.append("\n## Tried without a score of 1\n\n| task | score | what happened |\n|---|---|---|\n")
        parts += [f"| {_name(trial)} | {_score(trial)} | {_happened(trial)} |\n" for trial in failed]
        parts.append(_CAUSES)
    return "".join(parts)


def _names(trials: Sequence[Trial]) -> str:
    return ", ".join(_name(trial) for trial in trials)


def _name(trial: Trial) -> str:
    return f"{trial.domain} {trial.task[:8]}"


def _score(trial: Trial) -> str:
    return "-" if trial.score is None else f"{trial.score:g}"


def _happened(trial: Trial) -> str:
    """What kind of failure it is; what tasks and pages say is not repeated here."""
    kind = trial.why.split(":", 1)[0]
    return _KINDS.get(kind, "the end state does not score")
