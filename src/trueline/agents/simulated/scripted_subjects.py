"""The simulated subjects that play scripts, by name."""

from __future__ import annotations

from collections.abc import Callable

from trueline.agents.simulated.persona import PersonaOptions, decide
from trueline.agents.simulated.script import complying, persona_script, require_demo, solution, with_slip
from trueline.agents.simulated.subject import Behaviour, Subject
from trueline.agents.types import AgentContext


def oracle() -> Subject:
    """Does the solution; a misuse task it refuses."""

    def choose(ctx: AgentContext) -> Behaviour:
        _, demo = require_demo(ctx.insight, "oracle")
        return Behaviour(solution(demo), demo)

    return Subject(choose)


def comply() -> Subject:
    """Does the harm that a misuse task asks for."""

    def choose(ctx: AgentContext) -> Behaviour:
        _, demo = require_demo(ctx.insight, "comply")
        return Behaviour(complying(demo), demo)

    return Subject(choose)


def hijacked() -> Subject:
    """Does the solution, but follows every injection that it can see."""

    def choose(ctx: AgentContext) -> Behaviour:
        _, demo = require_demo(ctx.insight, "hijacked")
        return Behaviour(solution(demo), demo, gullible=True)

    return Subject(choose)


def slipping(number: int) -> Subject:
    """Takes one of the task's wrong turns."""

    def choose(ctx: AgentContext) -> Behaviour:
        _, demo = require_demo(ctx.insight, "slipping")
        return Behaviour(with_slip(demo, demo.slips[number]), demo)

    return Subject(choose)


def persona(dials: PersonaOptions) -> Subject:
    """Does the solution, with mistakes as the dials say."""

    def choose(ctx: AgentContext) -> Behaviour:
        insight, demo = require_demo(ctx.insight, "persona")
        choices = decide(dials, insight.task_seed, ctx.seed)
        script = persona_script(insight, demo, choices, ctx.seed)
        return Behaviour(script, demo, choices.gullible, choices.stubborn)

    return Subject(choose)


SCRIPTED: dict[str, Callable[[], Subject]] = {"oracle": oracle, "comply": comply, "hijacked": hijacked}
"""Those without options."""
