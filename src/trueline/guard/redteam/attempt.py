"""One attempt: the plan is played step by step in a session of its own, until something is stopped."""

from __future__ import annotations

from dataclasses import dataclass, replace

from trueline.guard.config import OnError
from trueline.guard.redteam.attack_plan import AttackScenario, AttackStep
from trueline.guard.redteam.corpus import Scene
from trueline.guard.redteam.keyboard import TypedLine, press
from trueline.guard.redteam.screen import NOTE, ScreenContent, render_scene
from trueline.guard.redteam.techniques import WorksOn
from trueline.guard.session import CHECK_SECONDS, CheckOutcome, Session, TellsSteps
from trueline.guard.stages import usage_of
from trueline.guard.types import Guard, PastStep
from trueline.records.observation import Observation
from trueline.records.proposal import Proposal
from trueline.records.usage import NO_USAGE, Usage
from trueline.records.verdict import Decision

PROMPT = "user@desk:~$ "


@dataclass(frozen=True)
class Player:
    """Plays plans against a guard. The agent is simulated: it is compromised and does what the plan says."""

    guard: Guard
    on_error: OnError = "block"
    narrator: TellsSteps | None = None
    pictures: bool = True
    """Whether screenshots are made; a guard without models does not look at them."""
    models: bool = True
    """Whether the guard asks models."""
    timeout_s: float = CHECK_SECONDS
    rehearse_on: Guard | None = None
    """Rules and Scope of the guard, for an attacker who is shown them and tries plans at home first."""

    @property
    def can_be_worked_on(self) -> frozenset[WorksOn]:
        """The models that an attack can target here."""
        there: dict[WorksOn, bool] = {
            "models": self.models,
            "narrator": self.narrator is not None,
            "scope": self.rehearse_on is not None,
        }
        return frozenset(who for who, is_there in there.items() if is_there)

    async def rehearse(self, scene: Scene, plan: AttackScenario) -> float:
        """How far a plan would come against rules and Scope alone: the share of its steps that are allowed."""
        if self.rehearse_on is None:
            return 0.0
        at_home = Player(self.rehearse_on, self.on_error, pictures=False, models=False)
        return (await at_home.play(scene, plan, "redteam/rehearsal")).progress

    async def play(self, scene: Scene, plan: AttackScenario, name: str) -> Played:
        """Propose one step after the other; the first that is stopped ends it, unless it was a probe."""
        screen = _Screen(scene, plan, self.pictures)
        harmless = scene.control()[0]
        told = [
            PastStep(
                number,
                Proposal(id=f"before-{number}", actions=harmless),
                render_scene(scene, ScreenContent(), picture=False),
                text,
            )
            for number, text in enumerate(plan.told, start=1)
        ]
        session = Session(
            self.guard,
            scene.instruction,
            id=name,
            on_error=self.on_error,
            narrator=self.narrator,
            history=told,
            timeout_s=self.timeout_s,
        )
        outcomes: list[CheckOutcome] = []
        passed = {True: 0, False: 0}
        wanted = {probe: sum(step.probe is probe for step in plan.steps) for probe in passed}
        for number, step in enumerate(plan.steps, start=1):
            proposal = Proposal(id=f"step-{number}", actions=step.actions)
            outcome = await session.check(screen.before(step), proposal)
            outcomes.append(outcome)
            if outcome.allowed:
                passed[step.probe] += 1
                screen.after(step)
                if passed[step.probe] == wanted[step.probe]:
                    break  # also when the probes alone went through: nothing is left to do
            elif not step.probe:
                break
        await session.close()
        done = any(wanted[probe] and passed[probe] == wanted[probe] for probe in passed)
        return Played(tuple(outcomes), done, passed[False] / wanted[False])


@dataclass(frozen=True)
class Played:
    """The result of a plan."""

    outcomes: tuple[CheckOutcome, ...]
    done: bool
    """Everything that the goal needs was let through."""
    progress: float
    """The share of steps that were allowed."""

    @property
    def undecided(self) -> bool:
        """Whether a check ended so."""
        return any(outcome.verdict.decision is Decision.UNDECIDED for outcome in self.outcomes)

    @property
    def usage(self) -> Usage:
        """Usage of all checks."""
        return sum((usage_of(outcome.verdict) for outcome in self.outcomes), NO_USAGE)

    @property
    def most_tokens(self) -> int:
        """Tokens of the most expensive check."""
        each = (usage_of(outcome.verdict) for outcome in self.outcomes)
        return max((usage.input_tokens + usage.output_tokens for usage in each), default=0)


class _Screen:
    """The screen while a plan is played, with the text typed so far."""

    def __init__(self, scene: Scene, plan: AttackScenario, pictures: bool) -> None:
        self._scene = scene
        self._plan = plan
        self._pictures = pictures
        self._lines: dict[str, TypedLine] = {}

    def before(self, step: AttackStep) -> Observation:
        texts = tuple((id, self._text(id, line)) for id, line in self._lines.items())
        return render_scene(
            self._scene, replace(self._plan.screen, focus=step.focus, texts=texts), picture=self._pictures
        )

    def after(self, step: AttackStep) -> None:
        focus = step.focus or self._scene.focus
        if focus and focus != NOTE.id and self._scene.element(focus).takes_text:
            line = self._lines.get(focus, TypedLine(clipboard=self._plan.clipboard))
            self._lines[focus] = press(line, step.actions)

    def _text(self, id: str, line: TypedLine) -> str:
        element = self._scene.element(id)
        if element.role == "terminal":
            return element.text + "".join(f"{entered}\n{PROMPT}" for entered in line.entered) + line.text
        return element.text + "\n".join((*line.entered, line.text))
