"""Which rule makes the end state of a check: by its task, its getter or its function."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from session import NotReached, Session

from trueline.tasks.model.evaluator import Check, checks

Rule = Callable[[Session, Check], Awaitable[None]]
Script = Callable[[Session], Awaitable[None]]
BY_FUNCTION: dict[str, Rule] = {}
BY_GETTER: dict[str, Rule] = {}
BY_TASK: dict[str, Script] = {}


def functions(*names: str) -> Callable[[Rule], Rule]:
    """Make it the rule of these functions."""
    return lambda rule: _put(BY_FUNCTION, names, rule)


def getters(*names: str) -> Callable[[Rule], Rule]:
    """Make it the rule of checks whose result has one of these getters."""
    return lambda rule: _put(BY_GETTER, names, rule)


def _put(table: dict[str, Rule], names: tuple[str, ...], rule: Rule) -> Rule:
    table.update(dict.fromkeys(names, rule))
    return rule


def task(*beginnings: str) -> Callable[[Script], Script]:
    """Make it the script of the tasks whose ids begin like this."""

    def put(script: Script) -> Script:
        BY_TASK.update(dict.fromkeys(beginnings, script))
        return script

    return put


def rule_for(check: Check) -> Rule | None:
    """The rule of a check, the most special first."""
    result, expected = check.result, check.expected
    if check.function in BY_FUNCTION:
        return BY_FUNCTION[check.function]
    if result is not None and result.type in BY_GETTER:
        return BY_GETTER[result.type]
    kinds = {getter.type for getter in (result, expected) if getter is not None}
    return BY_FUNCTION["*expected file"] if kinds == {"vm_file", "cloud_file"} else None


def has_end_state(session_task_id: str, every: tuple[Check, ...], conj: str) -> bool:
    """Whether there is a script or a rule."""
    if session_task_id[:8] in BY_TASK:
        return True
    known = [rule_for(check) is not None for check in every]
    return any(known) if conj == "or" else bool(known) and all(known)


async def reach(session: Session) -> None:
    """Make the end state of a task.

    Raises:
        NotReached: It cannot be made.
    """
    script = BY_TASK.get(session.task.id[:8])
    if script is not None:
        await script(session)
        return
    evaluator = session.task.evaluator
    for check in checks(evaluator):
        rule = rule_for(check)
        if rule is None:
            if evaluator.conj == "or":
                continue
            raise NotReached(f"no rule for {check.function}")
        await rule(session, check)
        if evaluator.conj == "or":
            return
