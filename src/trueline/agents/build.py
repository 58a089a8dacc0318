"""From the name of an agent to agents."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from importlib.metadata import entry_points
from typing import Literal, TypeGuard, TypeVar

from pydantic import JsonValue, ValidationError

from trueline.agents.prompt_files import TURNS, prompt_hashes
from trueline.agents.types import Agent
from trueline.errors import InputError
from trueline.models.hidden import hide_options
from trueline.records.base import Record
from trueline.records.observation import ObservationSpec
from trueline.records.setting import Sampling
from trueline.text import printable
from trueline.user_code import FORMS, import_object
from trueline.validation import describe_problem, field_path

GROUP = "trueline.agents"
"""Entry points of other packages: name = "package.module:Class"."""
_METHODS = ("reset", "propose", "revise")
SIMULATED = "simulated-"
"""Before the names of simulated subjects in settings, folders and tables."""

Options = Mapping[str, JsonValue]
O = TypeVar("O", bound=Record)  # noqa: E741 - options


@dataclass(frozen=True)
class AgentMaker:
    """An agent by name, checked and set: makes as many as there are episodes at a time."""

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
    """It calls its model by itself: whoever runs it opens none."""
    own_model: str | None = None
    """The name of that model."""
    simulated: bool = False
    """It plays the task's own scripts: only such an agent is given `AgentContext.insight`."""


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
        InputError: There is no such agent, an option is wrong, or a class has not the shape of an agent.
    """
    maker = _find(name, options or {}, sampling or Sampling(), predicting or {})
    return replace(maker, options=hide_options(maker.options))


def _find(name: str, options: Options, sampling: Sampling, predicting: Options) -> AgentMaker:
    kind, colon, rest = name.partition(":")
    if kind == _REPLAY and colon:
        name, options = kind, {**options, "trajectory": rest}
    if name in _KNOWN:
        return _KNOWN[name](options, sampling)
    if ":" in name:
        return _imported(name, name, options, sampling, predicting)
    found = {point.name: point.value for point in entry_points(group=GROUP)}
    if name in found:
        return _imported(name, found[name], options, sampling, predicting)
    known = ", ".join(sorted({*_KNOWN, *found}))
    raise InputError(f"unknown agent {printable(name)!r}; choose one of {known}, or name your own as {FORMS}")


def _prompt(options: Options, sampling: Sampling) -> AgentMaker:
    from trueline.agents.prompt import PromptAgent, PromptOptions

    checked = _checked("prompt", PromptOptions, options)
    files = (*checked.prompts, TURNS)
    return _own("prompt", lambda: PromptAgent(checked, sampling), checked, files)


def _claude(options: Options, sampling: Sampling) -> AgentMaker:
    from trueline.agents.native import ClaudeOptions, NativeAgent, open_claude

    checked = _checked("claude", ClaudeOptions, options)
    make = lambda: NativeAgent(lambda ctx: open_claude(checked, ctx), checked, sampling)  # noqa: E731
    return _own("claude", make, checked, (*checked.prompts, TURNS))


def _openai(options: Options, sampling: Sampling) -> AgentMaker:
    from trueline.agents.native import NativeAgent, OpenAIOptions, open_openai

    checked = _checked("openai", OpenAIOptions, options)
    make = lambda: NativeAgent(lambda ctx: open_openai(checked, ctx), checked, sampling)  # noqa: E731
    return _own("openai", make, checked, (*checked.prompts, TURNS))


def _scripted(name: str) -> Callable[[Options, Sampling], AgentMaker]:
    def find(options: Options, _: Sampling) -> AgentMaker:
        from trueline.agents.simulated.fixed import give_up, noop
        from trueline.agents.simulated.subjects import SCRIPTED

        _checked(name, Record, options)
        return AgentMaker(f"{SIMULATED}{name}", {"noop": noop, "fail": give_up, **SCRIPTED}[name], simulated=True)

    return find


def _persona(options: Options, _: Sampling) -> AgentMaker:
    from trueline.agents.simulated.persona import PersonaOptions
    from trueline.agents.simulated.subjects import persona

    checked = _checked("persona", PersonaOptions, options)
    dials = checked.model_dump(mode="json")
    return AgentMaker(f"{SIMULATED}persona", lambda: persona(checked), dials, simulated=True)


def _replay(options: Options, _: Sampling) -> AgentMaker:
    from trueline.agents.simulated.fixed import ReplayOptions, recorded_turns, replay

    checked = _checked(_REPLAY, ReplayOptions, options)
    turns = recorded_turns(checked.trajectory)
    return AgentMaker(f"{SIMULATED}replay", lambda: replay(turns), checked.model_dump(mode="json"), simulated=True)


_REPLAY = "replay"
_KNOWN: dict[str, Callable[[Options, Sampling], AgentMaker]] = {
    "prompt": _prompt,
    "claude": _claude,
    "openai": _openai,
    **{name: _scripted(name) for name in ("oracle", "noop", "fail", "comply", "hijacked")},
    "persona": _persona,
    _REPLAY: _replay,
}


def _own(name: str, make: Callable[[], Agent], options: Record, files: tuple[str, ...]) -> AgentMaker:
    return AgentMaker(name, make, options.model_dump(mode="json"), prompt_hashes(files), needs_model=True)


def _checked(name: str, kind: type[O], options: Options) -> O:
    try:
        return kind.model_validate(dict(options))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = field_path(first["loc"])
        if first["type"] == "extra_forbidden":
            known = ", ".join(kind.model_fields)
            raise InputError(f"agent {name}: there is no option {printable(place)!r}; known are {known}") from None
        words = printable(describe_problem(first))
        raise InputError(f"agent {name}: {f'option {place}: ' if place else ''}{words}") from None


def _imported(name: str, target: str, options: Options, sampling: Sampling, predicting: Options) -> AgentMaker:
    """Find a class elsewhere. With an interpreter of its own it cannot be looked at from here, so it must predict."""
    if "python" in options:
        return _predicting(name, target, {**predicting, **options}, sampling)
    found = _import(target)
    if callable(getattr(found, "predict", None)) and not hasattr(found, "propose"):
        return _predicting(name, target, {**predicting, **options}, sampling)
    if inspect.isclass(found):
        _require_methods(target, found)
    elif not callable(found):
        raise InputError(f"{target} is no class and no function that makes an agent")
    arguments = dict(options)

    def make() -> Agent:
        try:
            made = found(**arguments)
        except Exception as error:
            words = printable(f"{type(error).__name__}: {error}")
            raise InputError(f"{target} cannot be made with the options given: {words}") from None
        if not _is_agent(made, target):
            raise InputError(f"{target} is no agent: its wants must be an ObservationSpec")
        return made

    return AgentMaker(name, make, arguments, needs_model=False)


def _predicting(name: str, target: str, options: Options, sampling: Sampling) -> AgentMaker:
    from trueline.agents.predict import PredictAgent, PredictOptions

    checked = _checked(name, PredictOptions, options)
    return AgentMaker(
        name,
        lambda: PredictAgent(target, checked, sampling),
        checked.model_dump(mode="json"),
        revises="emulated",
        calls_model=True,
        own_model=checked.model or None,
    )


def _import(target: str) -> object:
    try:
        return import_object(target)
    except InputError as error:
        raise InputError(f"agent {error}") from None


def _require_methods(target: str, holder: object) -> None:
    for name in _METHODS:
        method = getattr(holder, name, None)
        if not callable(method):
            raise InputError(
                f"{target} is no agent: it has no method {name}; an agent has wants, reset, propose, revise"
            )
        if not inspect.iscoroutinefunction(inspect.unwrap(method)):
            raise InputError(f"{target} is no agent: its method {name} must be async")


def _is_agent(made: object, target: str) -> TypeGuard[Agent]:
    _require_methods(target, made)
    if not hasattr(made, "wants"):
        raise InputError(f"{target} is no agent: it has no wants; say with an ObservationSpec what it must see")
    return isinstance(getattr(made, "wants", None), ObservationSpec)
