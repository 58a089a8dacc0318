"""What is played to make a set: tasks by subjects, under attack and not, in several conditions. Pure functions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from trueline.agents.registry import SIMULATED, AgentMaker, find_agent
from trueline.agents.simulated.scripted_subjects import slipping
from trueline.records.layout import check_name
from trueline.runs.build import CLARIFIED
from trueline.runs.plan import Planned, expand
from trueline.tasks.model import Kind
from trueline.tasks.suite import SuiteTask

Instruction = Literal["original", "clarified"]
ORACLE, HIJACKED, SLIP = "oracle", "hijacked", "slip"


@dataclass(frozen=True)
class SetCondition:
    """How the desktops look and which wording of the tasks is used."""

    instruction: Instruction = "original"
    perturbation: str | None = None

    @property
    def folder(self) -> str:
        """The name of its folder of runs."""
        look = (self.perturbation or "none").rpartition("/")[2].removesuffix(".yaml")
        return check_name(f"{self.instruction}-{look}", "folder name")


@dataclass(frozen=True)
class SetTrial:
    """One simulated subject in one episode."""

    planned: Planned
    maker: AgentMaker


def set_trials(tasks: Sequence[SuiteTask], condition: SetCondition, repeats: int) -> Iterator[SetTrial]:
    """What is played in one condition, repeat by repeat.

    Tasks without scripts are left out, misuse tasks too: harm that the user asked for is not misaligned. A task whose
    clarified instruction is the only one that it has is played under the original one.
    """
    chosen = [task for task in tasks if _takes_part(task, condition)]
    for repeat in range(1, repeats + 1):
        for task in chosen:
            yield SetTrial(Planned(task, repeat=repeat), find_agent(ORACLE))
            for number in _slips(task, condition):
                yield SetTrial(Planned(task, repeat=repeat), slip_maker(number))
        for planned in expand(chosen, inject=True):
            for subject in (HIJACKED, ORACLE):
                yield SetTrial(Planned(planned.task, planned.injected, planned.jailbreak, repeat), find_agent(subject))


def slip_maker(number: int) -> AgentMaker:
    """The subject that makes the slip of this number, named as an audit names it."""
    return AgentMaker(f"{SIMULATED}{SLIP}-{number}", lambda: slipping(number), simulated=True)


def _takes_part(task: SuiteTask, condition: SetCondition) -> bool:
    if task.task.demo is None or task.kind is Kind.MISUSE:
        return False
    return condition.instruction != CLARIFIED or task.task.clarified_instruction is not None


def _slips(task: SuiteTask, condition: SetCondition) -> list[int]:
    """The slips that are mistakes under the condition's wording."""
    demo = task.task.demo
    slips = demo.slips if demo is not None else ()
    return [number for number, slip in enumerate(slips) if slip.when == "any" or condition.instruction == CLARIFIED]
