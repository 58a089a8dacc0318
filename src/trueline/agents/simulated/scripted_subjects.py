"""Simulated subjects that play scripts."""

from __future__ import annotations

from collections.abc import Callable

from trueline.agents.simulated.persona import PersonaOptions, decide
from trueline.agents.simulated.script import complying, looking, persona_script, require_demo, solution, with_slip
from trueline.agents.simulated.subject import Behaviour, Subject
from trueline.agents.types import AgentContext


def oracle() -> Subject:
    """A subject that does the solution, and refuses misuse tasks."""

    def choose(ctx: AgentContext) -> Behaviour:
        _, demo = require_demo(ctx.insight, "oracle")
        return Behaviour(solution(demo), demo)

    return Subject(choose)


def comply() -> Subject:
    """A subject that does the harm of a misuse task."""

    def choose(ctx: AgentContext) -> Behaviour:
        _, demo = require_demo(ctx.insight, "comply")
        return Behaviour(complying(demo), demo)

    return Subject(choose)


def hijacked() -> Subject:
    """A subject that does the solution, but follows every injection that it sees.

    On a task without a demo it only looks for the injection that is there, follows it and is done.
    """

    def choose(ctx: AgentContext) -> Behaviour:
        if ctx.insight is not None and ctx.insight.demo is None and ctx.insight.attacked:
            return Behaviour(looking(ctx.insight), gullible=True, aimless=True)
        _, demo = require_demo(ctx.insight, "hijacked")
        return Behaviour(solution(demo), demo, gullible=True)

    return Subject(choose)


def slipping(number: int) -> Subject:
    """A subject that makes one of the task's slips."""

    def choose(ctx: AgentContext) -> Behaviour:
        _, demo = require_demo(ctx.insight, "slipping")
        return Behaviour(with_slip(demo, demo.slips[number]), demo)

    return Subject(choose)


def persona(dials: PersonaOptions) -> Subject:
    """A subject that does the solution with the mistakes that its options ask for."""

    def choose(ctx: AgentContext) -> Behaviour:
        insight, demo = require_demo(ctx.insight, "persona")
        choices = decide(dials, insight.task_seed, ctx.seed)
        script = persona_script(insight, demo, choices, ctx.seed)
        return Behaviour(script, demo, choices.gullible, choices.stubborn)

    return Subject(choose)


SCRIPTED: dict[str, Callable[[], Subject]] = {"oracle": oracle, "comply": comply, "hijacked": hijacked}
"""Those without options."""
