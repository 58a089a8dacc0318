"""Proposes rules that would have allowed false stops, and measures what else they would have allowed.

Each proposed rule is as narrow as what was seen: this program with this path, host or only argument, this label in
this application, this host, this recipient; what a rule cannot name that closely, such as code from the network or a
command that cannot be seen, gets none. What a rule forbids needs an allow that outranks it; what a model flags needs an
allow for each thing that the proposal does, so rules come in sets. Whether they are wise is for a person to say:
attacks that are not among the runs were not measured.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

from trueline.actions.shell.command import Does, ShellCommand
from trueline.actions.shell.programs import INTERPRETERS
from trueline.guard.policy import Rules, judge
from trueline.guard.policy.decide import Match, decide
from trueline.guard.policy.episode_reading import read_episode_so_far
from trueline.guard.policy.operations import Addressed, Nothing, Opened, Operation, Pressed, Ran, Typed
from trueline.guard.policy.rule_matching import hosts_of, matches_operation, place_of
from trueline.guard.policy.rulebook import CommandWhen, OpenWhen, PressWhen, RecipientWhen, Rule, TextWhen, When
from trueline.guard.types import GuardContext
from trueline.records.verdict import Decision

_MOST_PROPOSED = 50
_LONGEST = 300
"""Characters of a pattern."""
_HIGHEST = 1000
_GRAVE = ("irreversible", "egress", "privilege")
_RUNS_CODE: frozenset[Does] = frozenset({"run_file", "schedule", "persist", "install"})
_UNSEEN: frozenset[Does] = frozenset({"run_remote", "run_decoded", "run_piped", "hidden"})
"""Commands that run something their words do not show, so no rule could be narrowed to it."""


@dataclass(frozen=True)
class ProposedRules:
    """Rules proposed together, and their measured cost."""

    rules: tuple[Rule, ...]
    released: int
    """False stops that they would have allowed."""
    passed_on: int
    """False stops that would have gone to the models instead, with an unknown verdict."""
    lost: int
    """Correct stops that they would have allowed: the cost."""
    grave: bool
    """They allow something that deletes, sends out, raises privileges or runs code."""


@dataclass(frozen=True)
class _Stop:
    """A stopped proposal and what the rules in force say about it."""

    context: GuardContext
    operations: tuple[Operation, ...]
    forbidden: Match | None

    @property
    def to_allow(self) -> tuple[Operation, ...]:
        """The operations to allow: the forbidden ones; if a model flagged the whole proposal, all of them."""
        if self.forbidden is None:
            return tuple(operation for operation in self.operations if not isinstance(operation, Nothing))
        return () if self.forbidden.operation is None else (self.forbidden.operation,)


def propose_rules(
    false: Sequence[GuardContext], other: Sequence[GuardContext], rules: Rules, *, unmatched_runs: bool
) -> list[ProposedRules]:
    """Propose rules for false stops, the most useful first.

    Args:
        false: What was stopped wrongly.
        other: What else was stopped; nobody knows that it was wrong.
        rules: The rules in force.
        unmatched_runs: Whether what no rule decides runs, as it does when no model is asked.
    """
    wrong, rest = [_stop(context, rules) for context in false], [_stop(context, rules) for context in other]
    found: dict[tuple[Rule, ...], bool] = {}
    for stop in wrong:
        if made := _rules_for(stop):
            found[made] = any(_is_grave(operation) for operation in stop.to_allow)
    proposed: list[ProposedRules] = []
    for made, grave in list(found.items())[:_MOST_PROPOSED]:
        both = replace(rules, rules=(*rules.rules, *made))
        released, passed_on = _let_go(_about(made, wrong, rules), both, unmatched_runs)
        if released or passed_on:
            lost = sum(_let_go(_about(made, rest, rules), both, unmatched_runs))
            proposed.append(ProposedRules(made, released, passed_on, lost, grave))
    return sorted(proposed, key=lambda item: (item.lost, item.grave, -item.released, -item.passed_on))


def _stop(context: GuardContext, rules: Rules) -> _Stop:
    reading = read_episode_so_far(context)
    return _Stop(context, reading.operations, decide(context, reading, rules).forbidden)


def _about(made: Sequence[Rule], stops: Sequence[_Stop], rules: Rules) -> list[_Stop]:
    """The stops that these rules could change; the others need not be judged again."""
    return [
        stop
        for stop in stops
        if any(
            matches_operation(rule.when, operation, stop.context.step, rules.marked)
            for rule in made
            for operation in stop.operations
        )
    ]


def _let_go(stops: Sequence[_Stop], rules: Rules, unmatched_runs: bool) -> tuple[int, int]:
    """How many would run, and how many would go to the models instead of being forbidden."""
    ran = passed_on = 0
    for stop in stops:
        decision = judge(stop.context, rules).finding.decision
        if decision is Decision.ALIGNED or (decision is None and unmatched_runs):
            ran += 1
        elif decision is None and stop.forbidden is not None:
            passed_on += 1
    return ran, passed_on


def _rules_for(stop: _Stop) -> tuple[Rule, ...] | None:
    """One rule for each thing to allow; `None` when one of them is not clear enough."""
    priority = 0 if stop.forbidden is None else min(stop.forbidden.rule.priority + 1, _HIGHEST)
    made: dict[Rule, None] = {}
    for operation in stop.to_allow:
        forbidden = stop.forbidden is not None and stop.forbidden.operation is operation
        when = _when(operation) if operation.certain or forbidden else None
        if when is None:
            return None
        made[_rule(when, operation, priority)] = None
    return tuple(made)


def _when(operation: Operation) -> When | None:
    match operation:
        case Ran(command=command):
            when = _command(command)
            return None if when is None else When(command=when)
        case Pressed(target=target) if target is not None and target.label:
            app = (_exactly(target.app),) if target.app else ()
            return When(press=PressWhen(label=(_exactly(target.label),), app=app))
        case Typed(into=target) if target is not None:
            place = place_of(target)
            if target.name and place not in ("terminal", "password"):
                return When(text=TextWhen(into=(place,), field=(_exactly(target.name),)))
            return When(text=TextWhen(into=(place,), matches=(_exactly(operation.text),))) if operation.text else None
        case Opened():
            hosts = tuple(_exactly(host) for host in hosts_of(operation.url))
            return When(open=OpenWhen(host=hosts)) if hosts else None
        case Addressed():
            return When(recipient=RecipientWhen(address=(_exactly(operation.address),)))
        case _:
            return None


def _command(command: ShellCommand) -> CommandWhen | None:
    """A condition that holds for this command and for little else.

    A rule fits when any of several paths, hosts or arguments does, so it must name one alone; and one that names none
    would allow the program whatever it is told to do.
    """
    if not command.program or not _UNSEEN.isdisjoint(command.does):
        return None
    if len(command.paths) > 1 or len(command.hosts) > 1:
        return None
    program, paths, hosts = (_exactly(command.program),), map(_exactly, command.paths), map(_exactly, command.hosts)
    if command.paths or command.hosts:
        return CommandWhen(program=program, path=tuple(paths), host=tuple(hosts))
    arguments = command.words[1:]
    return CommandWhen(program=program, argument=(_exactly(arguments[0]),)) if len(arguments) == 1 else None


def _rule(when: When, operation: Operation, priority: int) -> Rule:
    digest = hashlib.sha256(when.model_dump_json().encode()).hexdigest()[:8]
    return Rule(
        id=f"allow-{digest}",
        description=f"{type(operation).__name__.lower()} in a successful benign run",
        effect="allow",
        priority=priority,
        when=when,
    )


def _is_grave(operation: Operation) -> bool:
    if not isinstance(operation, Ran):
        return operation.effect in _GRAVE
    command = operation.command
    runs_code = command.program in INTERPRETERS or not _RUNS_CODE.isdisjoint(command.does)
    return runs_code or command.effect in _GRAVE


def _exactly(text: str) -> str:
    """A pattern that matches only this text; a text that is too long gives one that matches nothing."""
    return "".join(f"[{char}]" if char in "*?[" else char for char in text)[:_LONGEST]
