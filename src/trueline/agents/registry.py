"""Agents by name: our own in `agents/kinds`, those of other packages (`trueline.agents`), classes by import path."""

from __future__ import annotations

import inspect
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple, TypeGuard, TypeVar, cast

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
PROMPT_FIELDS = (
    "observation_type",
    "action_space",
    "max_trajectory_length",
    "a11y_tree_max_tokens",
    "client_password",
)
"""Fields of a run that OSWorld's agents take as options."""
_METHODS = ("reset", "propose", "revise")

Options = Mapping[str, JsonValue]
Asks = Literal["nothing", "messages", "computer_tool"]
Question = Literal["window", "conversation"]
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
    asks: Asks | None = None
    """How it asks the model of the run, which decides what fields of a run apply to it.

    `messages`: in plain messages, so any model will do. `computer_tool`: with the computer tool of the model's
    provider, so it sees screenshots and acts as the tool does. `nothing`: it is simulated. `None` says nothing: no
    field is refused, and the sampling parameters are passed on whether or not the model takes them.
    """
    run_fields: tuple[str, ...] = ()
    """Fields of the run that set the options of the same name, such as `client_password`. `safety_checks` is not a
    field: it is `guard` where a guard decides what runs, and unset otherwise."""
    argument: str | None = None
    """The option that is set by what follows the name and a colon: `replay:FOLDER`."""
    question: Question | None = None
    """What one question to the model holds, for the estimate of a run.

    `window`: the last `max_trajectory_length` screens and answers. `conversation`: all answers and the last
    `max_images` screens. `None`: unknown.
    """

    @classmethod
    def typed(
        cls,
        options: type[O],
        open_agent: Callable[[O, Sampling], AgentMaker],
        *,
        asks: Asks | None = None,
        run_fields: tuple[str, ...] = (),
        argument: str | None = None,
        question: Question | None = None,
    ) -> AgentKind:
        """Like the constructor, with the types of options and function checked against each other."""
        return cls(options, open_agent, asks, run_fields, argument, question)


class FoundKind(NamedTuple):
    """A kind of agents, as a name stands for it."""

    name: str
    """The name without an argument."""
    kind: AgentKind
    options: Options
    """The option that the argument sets."""


def simulated_kind(name: str, make: Callable[[], Agent]) -> AgentKind:
    """A simulated subject without options."""

    def open_subject(_: Record, __: Sampling) -> AgentMaker:
        return AgentMaker(f"{SIMULATED}{name}", make, simulated=True)

    return AgentKind.typed(Record, open_subject, asks="nothing")


def find_agent(
    name: str,
    options: Options | None = None,
    sampling: Sampling | None = None,
    *,
    run: Options | None = None,
) -> AgentMaker:
    """Find an agent by name, and check its options.

    Args:
        name: `prompt`, `claude`, `openai`, a simulated subject (`oracle`, `noop`, `fail`, `comply`, `hijacked`,
            `persona`, `replay:FOLDER`), an entry point of the group `trueline.agents`, `package.module:Class` or
            `file.py:Class`.
        options: What this kind of agent takes; of a class by import path, the arguments of its constructor. A class
            with `predict(instruction, obs)` takes the options of the adapter (`PredictOptions`).
        sampling: How the agent's model is asked to answer.
        run: The fields of the run, of which the kind takes its `run_fields`, below `options`.

    Raises:
        InputError: There is no such agent, an option is wrong, or a class does not have the shape of an agent.
    """
    return open_agent(find_kind(name, options), options, sampling, run=run)


def find_kind(name: str, options: Options | None = None) -> FoundKind:
    """Find how agents of a name are made.

    Raises:
        InputError: There is no such agent, or a class does not have the shape of an agent.
    """
    if (found := _with_argument(name)) is not None:
        return found
    target = AGENTS.import_path(name)
    if "python" in (options or {}) and target is not None:
        # The class has its packages under another interpreter and cannot be looked at from here, so it must predict.
        return FoundKind(name, _predicting(name, target), {})
    return FoundKind(name, AGENTS.find(name), {})


def installed_kind(name: str) -> FoundKind | None:
    """The kind of a name, if it is our own or that of an installed package; nothing is imported for an import path."""
    try:
        return _with_argument(name) or (FoundKind(name, AGENTS.find(name), {}) if name in AGENTS else None)
    except InputError:
        return None  # what is wrong with it is said by `find_kind`


def _with_argument(name: str) -> FoundKind | None:
    """The kind of `name:ARGUMENT`; `None` for a name that takes no argument."""
    prefix, colon, argument = name.partition(":")
    if not colon or prefix not in AGENTS:
        return None
    kind = AGENTS.find(prefix)
    return None if kind.argument is None else FoundKind(prefix, kind, {kind.argument: argument})


def open_agent(
    found: FoundKind,
    options: Options | None = None,
    sampling: Sampling | None = None,
    *,
    run: Options | None = None,
) -> AgentMaker:
    """Check the options of a kind; for the arguments see `find_agent`.

    Raises:
        InputError: An option is wrong.
    """
    given = {**_from_run(found, run or {}), **(options or {}), **found.options}
    maker = found.kind.open(_checked(found.name, found.kind.options, given), sampling or Sampling())
    return replace(maker, options=hide_options(maker.options))


def _from_run(found: FoundKind, run: Options) -> dict[str, JsonValue]:
    """The options that the run's own fields set."""
    names = found.kind.run_fields if run else ()
    if unknown := [name for name in names if name not in run]:
        raise InputError(f"agent {found.name}: run_fields: a run has no field {printable(unknown[0])!r}")
    return {name: run[name] for name in names if run[name] is not None}


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

    return AgentKind(PredictOptions, open_predicting, run_fields=(*PROMPT_FIELDS, "model", "max_steps"))


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
        raise InputError(
            f"agent {printable(name)}: set its attribute wants to an ObservationSpec that says what it must see"
        )
    return isinstance(getattr(made, "wants", None), ObservationSpec)


AGENTS: Registry[AgentKind] = Registry("agent", "trueline.agents", _builtin(), _adapt, import_paths=True)
