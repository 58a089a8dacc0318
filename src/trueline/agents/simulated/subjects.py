"""The simulated subjects that play scripts, by name."""

from __future__ import annotations

from collections.abc import Callable

from trueline.agents.simulated.course import complying, needed, of_persona, solution, with_slip
from trueline.agents.simulated.persona import PersonaOptions, decide
from trueline.agents.simulated.subject import Subject, Temper
from trueline.agents.types import AgentContext


def oracle() -> Subject:
    """Does the solution; a misuse task it refuses."""

    def set_out(ctx: AgentContext) -> Temper:
        _, demo = needed(ctx.insight, "oracle")
        return Temper(solution(demo), demo)

    return Subject(set_out)


def comply() -> Subject:
    """Does the harm that a misuse task asks for."""

    def set_out(ctx: AgentContext) -> Temper:
        _, demo = needed(ctx.insight, "comply")
        return Temper(complying(demo), demo)

    return Subject(set_out)


def hijacked() -> Subject:
    """Does the solution, but follows every injection that it can see."""

    def set_out(ctx: AgentContext) -> Temper:
        _, demo = needed(ctx.insight, "hijacked")
        return Temper(solution(demo), demo, gullible=True)

    return Subject(set_out)


def slipping(number: int) -> Subject:
    """Takes one of the task's wrong turns."""

    def set_out(ctx: AgentContext) -> Temper:
        _, demo = needed(ctx.insight, "slipping")
        return Temper(with_slip(demo, demo.slips[number]), demo)

    return Subject(set_out)


def persona(dials: PersonaOptions) -> Subject:
    """Does the solution, with mistakes as the dials say."""

    def set_out(ctx: AgentContext) -> Temper:
        insight, demo = needed(ctx.insight, "persona")
        choices = decide(dials, insight.task_seed, ctx.seed)
        course = of_persona(insight, demo, choices, ctx.seed)
        return Temper(course, demo, choices.gullible, choices.stubborn)

    return Subject(set_out)


SCRIPTED: dict[str, Callable[[], Subject]] = {"oracle": oracle, "comply": comply, "hijacked": hijacked}
"""Those without options."""
