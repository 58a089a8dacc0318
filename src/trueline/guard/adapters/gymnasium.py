"""A wrapper for Gymnasium environments whose actions are a computer-use agent's. Needs the extra `gym`.

OSWorld's `DesktopEnv` is such an environment, with two habits of its own: `reset` returns the observation alone, and
`step` four values. `style="osworld"` keeps them.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, Literal

from trueline.actions.codecs.fields import is_object
from trueline.errors import InputError, MissingExtraError
from trueline.guard.background import run_in_background
from trueline.guard.check_answer import CheckAnswer
from trueline.guard.config import OnError
from trueline.guard.incoming import ActionFormat, read_observation, read_proposal
from trueline.guard.session import CheckOutcome, Session, TellsSteps
from trueline.guard.types import Guard
from trueline.records.observation import Observation

try:
    # Not by an import statement: where Gymnasium is absent, type checkers take this very file for it.
    _gymnasium = importlib.import_module("gymnasium")
except ImportError:
    raise MissingExtraError("the wrapper for Gymnasium", "gym") from None

_Wrapper: Any = _gymnasium.Wrapper
Style = Literal["gymnasium", "osworld"]
Info = dict[str, Any]  # Gymnasium's own type


def desktop_observation(observation: object) -> Observation:
    """Read an observation of OSWorld: a mapping with `screenshot` (bytes) and `accessibility_tree` (XML).

    Raises:
        InputError: It is something else; give `observe` then.
    """
    if not is_object(observation):
        raise InputError("gymnasium: the observation is not a mapping; pass `observe`")
    shot, tree = observation.get("screenshot"), observation.get("accessibility_tree")
    if not isinstance(shot, bytes | None) or not isinstance(tree, str | None):
        raise InputError("gymnasium: screenshot is not bytes, or accessibility_tree is not text; pass `observe`")
    return read_observation(shot, tree=tree)


class GuardWrapper(_Wrapper):
    """Checks each action before the environment sees it; a blocked one is not executed.

    A blocked step returns the observation as it was, `blocked_reward`, and `info["guard"]` with the verdict and the
    feedback; that entry is there for actions that ran too.
    """

    def __init__(
        self,
        env: Any,
        guard: Guard,
        *,
        instruction: str | None = None,
        observe: Callable[[object], Observation] = desktop_observation,
        format: ActionFormat = "auto",
        style: Style = "gymnasium",
        on_error: OnError = "block",
        blocked_reward: float = 0.0,
        stop_after: int | None = None,
        narrator: TellsSteps | None = None,
    ) -> None:
        """Wrap an environment.

        Args:
            env: Its actions are in a vocabulary that `format` names.
            guard: Gives the verdicts.
            instruction: What the user wants; by default `instruction` of the options or of the first observation.
            observe: Turns an observation of the environment into ours.
            format: The vocabulary of the actions.
            style: Whether `reset` and `step` return what Gymnasium says or what OSWorld does.
            on_error: What an undecided verdict means; `ask` blocks too, and says so in `info`.
            blocked_reward: The reward of a step that was blocked.
            stop_after: Truncate the episode when so many actions in a row were blocked.
            narrator: Tells what steps did, for the history.
        """
        _Wrapper.__init__(self, env)
        self._guard = guard
        self._instruction = instruction
        self._observe = observe
        self._format: ActionFormat = format
        self._style = style
        self._on_error: OnError = on_error
        self._blocked_reward = blocked_reward
        self._stop_after = stop_after
        self._narrator = narrator
        self._session: Session | None = None
        self._last: object = None
        self._blocked = 0

    def reset(self, *args: Any, **kwargs: Any) -> Any:  # the return types of the two styles differ
        """Begin an episode; all arguments go to the environment."""
        result = self.env.reset(*args, **kwargs)
        if self._session is not None:
            run_in_background(self._session.close())
        self._last = result if self._style == "osworld" else result[0]
        self._blocked = 0
        options = kwargs.get("options")
        self._session = Session(
            self._guard,
            self._instruction or _instruction_in(options) or _instruction_in(self._last) or _unknown(),
            on_error=self._on_error,
            narrator=self._narrator,
        )
        return result

    def step(self, action: Any, *args: Any, **kwargs: Any) -> Any:  # the return types of the two styles differ
        """Check the action and execute it if it is allowed."""
        if self._session is None:
            raise InputError("gymnasium: call reset before step")
        outcome = run_in_background(self._check(self._session, action))
        info = {"guard": CheckAnswer.from_outcome(outcome).model_dump(mode="json")}
        if not outcome.allowed:
            return self._blocked_step(info)
        self._blocked = 0
        *values, own = self.env.step(action, *args, **kwargs)
        self._last = values[0]
        return (*values, {**own, **info})

    async def _check(self, session: Session, action: object) -> CheckOutcome:
        observation = self._observe(self._last)
        proposal = read_proposal(action, id=session.new_id(), format=self._format, screen=observation.screen)
        return await session.check(observation, proposal)

    def _blocked_step(self, info: Info) -> tuple[Any, ...]:
        self._blocked += 1
        stop = self._stop_after is not None and self._blocked >= self._stop_after
        ends = (stop,) if self._style == "osworld" else (False, stop)
        return (self._last, self._blocked_reward, *ends, info)


def _instruction_in(values: object) -> str | None:
    found = values.get("instruction") if is_object(values) else None
    return found if isinstance(found, str) and found else None


def _unknown() -> str:
    raise InputError("gymnasium: there is no instruction; pass it, or reset with options={'instruction': …}")
