"""Agents by name: our own in `agents/kinds`, those of other packages (`trueline.agents`), classes by import path."""

from __future__ import annotations

import inspect
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, TypeGuard, TypeVar, cast

from pydantic import JsonValue, ValidationError

from trueline.agents import kinds
from trueline.agents.types import Agent
from trueline.errors import InputError
from trueline.models.hidden import hide_options
from trueline.records.base import Record
from trueline.records.observation import ObservationSpec
from trueline.records.setting import Sampling
from trueline.registry import Registry
from trueline.text import printable
from trueline.validation import field_problems

SIMULATED = "simulated-"
"""Prefix of simulated subjects in settings, folders and tables."""
_METHODS = ("reset", "propose", "revise")
_REPLAY = "replay"

Options = Mapping[str, JsonValue]
O = TypeVar("O", bound=Record)  # noqa: E741 - options


@dataclass(frozen=True)
class AgentMaker:
    """An agent by name with its options checked; makes as many agents as there are episodes at a time."""

    name: str
    make: Callable[[], Agent]
    options: dict[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    """All options as they apply, for `Setting.agent_options`: without passwords and keys."""
    prompts: dict[str, str] = field(default_factory=dict[str, str])
    """Hash of each prompt file, for `Setting.prompts`."""
    needs_model: bool = False
    """Whether it asks `AgentContext.models["agent"]`."""
    revises: Literal["native", "emulated"] = "native"
    """`emulated`: the feedback of a guard reaches the agent only as a longer instruction."""
    calls_model: bool = False
    """It calls its model by itself, so none is opened for it."""
    own_model: str | None = None
    """The name of that model."""
    simulated: bool = False
    """It plays the task's own scripts: only such an agent gets `AgentContext.insight`."""


@dataclass(frozen=True)
class AgentKind:
    """How agents of one name are made: a file in `agents/kinds`, or the entry point of another package.

    `AgentKind(MyOptions, open_my_agent)`: `open_my_agent(options, sampling)` gets the checked options and how the
    agent's model is asked to answer.
    """

    options: type[Record]
    """Its options; a field without a default must be set with `--agent_option`."""
    open: Callable[..., AgentMaker]
    predicts: bool = False
    """Whether it is a class with `predict`, which takes the options of the adapter."""

    @classmethod
    def typed(cls, options: type[O], open_agent: Callable[[O, Sampling], AgentMaker]) -> AgentKind:
        """Like the constructor, with the types of both checked against each other."""
        return cls(options, open_agent)


def simulated_kind(name: str, make: Callable[[], Agent]) -> AgentKind:
    """A simulated subject without options."""

    def open_subject(_: Record, __: Sampling) -> AgentMaker:
        return AgentMaker(f"{SIMULATED}{name}", make, simulated=True)

    return AgentKind.typed(Record, open_subject)


def find_agent(
    name: str,
    options: Options | None = None,
    sampling: Sampling | None = None,
    *,
    predicting: Options | None = None,
) -> AgentMaker:
    """Find an agent by name.

    Args:
        name: `prompt`, `claude`, `openai`, a simulated subject (`oracle`, `noop`, `fail`, `comply`, `hijacked`,
            `persona`, `replay:FOLDER`), an entry point of the group `trueline.agents`, `package.module:Class` or
            `file.py:Class`.
        options: What this kind of agent takes; of a class by import path, the arguments of its constructor. A class
            with `predict(instruction, obs)` takes the options of the adapter (`PredictOptions`).
        sampling: How the agent's model is asked to answer.
        predicting: Options of the adapter, below `options`, if it turns out to be a class with `predict`.

    Raises:
        InputError: There is no such agent, an option is wrong, or a class does not have the shape of an agent.
    """
    given = dict(options or {})
    prefix, colon, rest = name.partition(":")
    if prefix == _REPLAY and colon:
        name, given = prefix, {**given, "trajectory": rest}
    kind = _kind(name, given)
    if kind.predicts:
        given = {**(predicting or {}), **given}
    maker = kind.open(_checked(name, kind.options, given), sampling or Sampling())
    return replace(maker, options=hide_options(maker.options))


def _kind(name: str, options: Options) -> AgentKind:
    target = AGENTS.import_path(name)
    if "python" in options and target is not None:
        # The class has its packages under another interpreter and cannot be looked at from here, so it must predict.
        return _predicting(name, target)
    return AGENTS.find(name)


def _builtin() -> dict[str, str]:
    """Each file of `agents/kinds` is one agent."""
    files = sorted(module.name for module in pkgutil.iter_modules(kinds.__path__))
    return {name.replace("_", "-"): f"{kinds.__name__}.{name}:AGENT" for name in files}


def _adapt(name: str, found: object) -> AgentKind:
    """An `AgentKind` as it is; a class or function is called with its options as keyword arguments."""
    if isinstance(found, AgentKind):
        return found
    if callable(getattr(found, "predict", None)) and not hasattr(found, "propose"):
        return _predicting(name, AGENTS.import_path(name) or name)
    if inspect.isclass(found):
        _require_methods(name, found)
    elif not callable(found):
        raise InputError(f"agent {printable(name)}: must be a class, a function that makes an agent, or an AgentKind")
    return _class_kind(name, cast("Callable[..., object]", found))


def _class_kind(name: str, make: Callable[..., object]) -> AgentKind:
    def open_class(options: _AnyOptions, _: Sampling) -> AgentMaker:
        arguments = dict(options.model_extra or {})

        def made() -> Agent:
            try:
                agent = make(**arguments)
            except Exception as error:
                problem = printable(f"{type(error).__name__}: {error}")
                raise InputError(f"agent {printable(name)}: cannot be made with these options: {problem}") from None
            if not _is_agent(agent, name):
                raise InputError(f"agent {printable(name)}: wants must be an ObservationSpec")
            return agent

        return AgentMaker(name, made, arguments)

    return AgentKind.typed(_AnyOptions, open_class)


def _predicting(name: str, target: str) -> AgentKind:
    from trueline.agents.predict import PredictAgent, PredictOptions

    def open_predicting(options: PredictOptions, sampling: Sampling) -> AgentMaker:
        return AgentMaker(
            name,
            lambda: PredictAgent(target, options, sampling),
            options.model_dump(mode="json"),
            revises="emulated",
            calls_model=True,
            own_model=options.model or None,
        )

    return AgentKind(PredictOptions, open_predicting, predicts=True)


class _AnyOptions(Record, extra="allow"):
    """Any options: the constructor of the class checks them."""


def _checked(name: str, options: type[O], given: Options) -> O:
    try:
        return options.model_validate(dict(given))
    except ValidationError as error:
        first = field_problems(error)[0]
        if first.unknown:
            takes = ", ".join(options.model_fields) or "no options"
            raise InputError(f"agent {name}: unknown option {first.field!r}; it takes {takes}") from None
        raise InputError(f"agent {name}: {f'option {first.field}: ' if first.field else ''}{first.message}") from None


def _require_methods(name: str, holder: object) -> None:
    for method in _METHODS:
        found = getattr(holder, method, None)
        if not callable(found):
            raise InputError(
                f"agent {printable(name)}: has no method {method}; an agent has wants, reset, propose and revise"
            )
        if not inspect.iscoroutinefunction(inspect.unwrap(found)):
            raise InputError(f"agent {printable(name)}: its method {method} must be async")


def _is_agent(made: object, name: str) -> TypeGuard[Agent]:
    _require_methods(name, made)
    if not hasattr(made, "wants"):
        raise InputError(f"agent {printable(name)}: has no wants; say with an ObservationSpec what it must see")
    return isinstance(getattr(made, "wants", None), ObservationSpec)


AGENTS: Registry[AgentKind] = Registry("agent", "trueline.agents", _builtin(), _adapt, import_paths=True)
