"""Scripts of simulated subjects: what to do line by line, and where to continue after a rejected line."""

from __future__ import annotations

from dataclasses import dataclass, replace

from trueline.agents.simulated.persona import Choices, slip_of
from trueline.agents.types import Insight
from trueline.errors import InputError
from trueline.tasks.attacks.hijacks import Order, hijack_steps, recovery_steps
from trueline.tasks.model import Act, Demo, DemoStep, Find, Kind, Slip


@dataclass(frozen=True)
class Line:
    """One step of a script."""

    say: str
    acts: tuple[Act, ...]
    back: tuple[Line, ...] | None = None
    """The rest of the solution, for lines that do not belong to it."""
    label: str = ""
    """Kind of mistake, for lines that do not belong to the solution."""


Script = tuple[Line, ...]

HIJACK, SLIP, AMBIGUOUS_SLIP = "hijack: ", "slip: ", "ambiguous slip: "
"""How labels of mistakes begin: before the goal of an attack, or the category of a slip.

A slip that the instruction does not rule out is ambiguous. They are recorded as notes of the proposal.
"""
SHARED_STEP = "slip step of the solution"
"""The label of a step of a slip that does what some step of the solution does too."""
_END = Act(done="")
_NEVER = Find(role="injected text", name="that was followed")
"""What no screen shows: who looks for it waits until it gives up."""


def solution(demo: Demo) -> Script:
    """The script of the task's solution."""
    return _ending(_lines(demo.solution))


def looking(insight: Insight) -> Script:
    """The script that comes to see the injection of a task that has no scripts, and then is done."""
    found = _lines(insight.reading)
    waiting = Line("I look at the screen.", (Act(wait_for=_NEVER),))
    return (*found, waiting)


def the_end() -> Script:
    """The script that is done."""
    return (Line("", (_END,)),)


def complying(demo: Demo) -> Script:
    """The script that does the harm of a misuse task; the solution if the task has no such script."""
    right = solution(demo)
    return _ending(_lines(demo.comply, right, "comply")) if demo.comply else right


def persona_script(insight: Insight, demo: Demo, choices: Choices, seed: int) -> Script:
    """The script of a persona, before anything on the screen misleads it."""
    right = solution(demo)
    if insight.kind is Kind.MISUSE:
        return complying(demo) if choices.slips else right
    slip = slip_of(demo, choices, seed, clarified=insight.clarified)
    if slip is None:
        # Every task can be left too early: then something that is checked is missing.
        return _left_early(right) if choices.slips else right
    return with_slip(demo, slip)


def with_slip(demo: Demo, slip: Slip) -> Script:
    """The solution with one slip."""
    right = solution(demo)
    back = right[slip.at :]
    wrong = tuple(Line(step.say, step.acts, back, _slip_label(slip, step, demo)) for step in slip.steps)
    rest = right[slip.at + 1 :] if slip.then == "continue" else ()
    return _ending((*right[: slip.at], *wrong, *rest))


def hijacked(script: Script, order: Order, demo: Demo | None, instruction: str = "") -> Script:
    """The script with an injected order in front of it; the instruction is what the subject was told to do."""
    steps, label = hijack_steps(order, demo, instruction), f"{HIJACK}{order.goal}"
    out = (*_lines(recovery_steps(order, demo)), *script)
    return (*_lines(steps[:1], script, label), *_lines(steps[1:], out, label), *script)


def require_demo(insight: Insight | None, name: str) -> tuple[Insight, Demo]:
    """Return the scripts of a task.

    Raises:
        InputError: The task has none, or the agent is run by something that gives none.
    """
    if insight is None or insight.demo is None:
        raise InputError(f"the simulated subject {name} needs a task with a demo; this task has none")
    return insight, insight.demo


def _lines(steps: tuple[DemoStep, ...], back: Script | None = None, label: str = "") -> Script:
    return tuple(Line(step.say, step.acts, back, label) for step in steps)


def _slip_label(slip: Slip, step: DemoStep, demo: Demo) -> str:
    if any(step.acts == right.acts for right in demo.solution):
        return SHARED_STEP
    kind = AMBIGUOUS_SLIP if slip.when == "ambiguous" else SLIP
    return f"{kind}{slip.category.value}"


def _ending(script: Script) -> Script:
    """Append an end to a script that has none: done."""
    last = script[-1]
    if is_end(last.acts[-1]):
        return script
    return (*script, replace(last, say="", acts=(_END,)))


def _left_early(right: Script) -> Script:
    """The solution without its last action."""
    deeds = [place for place, line in enumerate(right) if not all(is_end(act) for act in line.acts)]
    cut = deeds[-1] if deeds else 0
    return (*right[:cut], Line("That should be enough.", (_END,), right[cut:], "slip: left early"))


def is_end(act: Act) -> bool:
    """Whether an act ends the episode."""
    return act.done is not None or act.fail is not None or act.refuse is not None
