"""Guards by name: our own in `guard/kinds`, those of other packages (`trueline.guards`), and classes by import path."""

from __future__ import annotations

import inspect
import pkgutil
import secrets
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Literal, TypeGuard, TypeVar, overload

from pydantic import Field, JsonValue, ValidationError

import trueline.guard.kinds
from trueline.errors import InputError, RequestError
from trueline.guard.narrative import Narrator
from trueline.guard.types import Guard
from trueline.models.build import Config, open_model
from trueline.models.hidden import hide_options
from trueline.models.types import Model
from trueline.records.base import Record
from trueline.records.setting import FORMER_GUARD_NAMES, GuardSetting
from trueline.registry import Registry
from trueline.text import printable
from trueline.validation import field_problems

DEFAULT_GUARD = "deaction"
NARRATIVE_SECONDS = 60.0
"""Time limit for the narrative of one step."""
O = TypeVar("O", bound=Record)  # noqa: E741 - options
Wrap = Callable[[Model], Model]
Asks = Literal["nothing", "each_model_once"]


class GuardRequest(Record):
    """A guard by name, with its options."""

    name: str = DEFAULT_GUARD
    options: dict[str, JsonValue] = Field(default={})


@dataclass(frozen=True)
class OpenedGuard:
    """A guard ready to be asked."""

    guard: Guard
    setting: GuardSetting
    """All of its configuration, for the record of a run."""
    verdict_setting: GuardSetting
    """The part of the setting that shapes verdicts; bench results are comparable only if it is equal."""
    narrator: Narrator | None = None
    models: Mapping[str, Model] = field(default_factory=dict[str, Model])
    """The models that were opened, by name."""
    reads_text: bool = False
    """Whether it reads the text on screenshots."""
    calls_per_check: int = 1
    """How many models it asks at the same time."""

    @property
    def asks_models(self) -> bool:
        """Whether any model sees what it judges."""
        return bool(self.models)


@dataclass
class GuardTools:
    """The resources that a guard is opened with."""

    config: Config
    """What the models share: keys, money, limits."""
    key: bytes = field(repr=False)
    """Key of the marks and seals, so that no screen can predict them."""
    wrap: Wrap = lambda model: model
    models: dict[str, Model] = field(default_factory=dict[str, Model])
    closing: list[Callable[[], Awaitable[None]]] = field(default_factory=list[Callable[[], Awaitable[None]]])
    """What is called when the guard is closed, beside the closing of its models."""

    @overload
    def open_model(self, name: str) -> Model: ...
    @overload
    def open_model(self, name: str | None) -> Model | None: ...
    def open_model(self, name: str | None) -> Model | None:
        """Open a model, once; it is closed with the guard.

        Raises:
            InputError: The name is not understood, or a key is missing.
        """
        if name is None:
            return None
        if name not in self.models:
            self.models[name] = self.wrap(open_model(name, config=self.config))
        return self.models[name]

    def narrator(self, name: str | None) -> Narrator | None:
        """Return the narrator, which describes executed steps."""
        model = self.open_model(name)
        return None if model is None else Narrator(model, deadline=NARRATIVE_SECONDS)


@dataclass(frozen=True)
class GuardKind:
    """How guards of one name are made: a file in `guard/kinds`, or the entry point of another package.

    `GuardKind(MyOptions, open_my_guard)`: `open_my_guard(options, tools)` gets the checked options, and opens models
    with `tools.open_model(name)`.
    """

    options: type[Record]
    """Its options; a field without a default must be set with `--guard_option`."""
    open: Callable[..., OpenedGuard]
    asks: Asks | None = None
    """Which models it calls, for the estimate of a run.

    `nothing`: none. `each_model_once`: each model that its setting names, at most once per check. `None`: unknown.
    """

    @classmethod
    def typed(
        cls, options: type[O], open_guard: Callable[[O, GuardTools], OpenedGuard], *, asks: Asks | None = None
    ) -> GuardKind:
        """Like the constructor, with a type check that both arguments fit."""
        return cls(options, open_guard, asks)


def _builtin() -> dict[str, str]:
    """Each file of `guard/kinds` is one guard."""
    package = trueline.guard.kinds
    files = sorted(module.name for module in pkgutil.iter_modules(package.__path__))
    return {name.replace("_", "-"): f"{package.__name__}.{name}:GUARD" for name in files}


def _adapt(name: str, found: object) -> GuardKind:
    """A `GuardKind` as it is; a class with `check` is made of its options as keyword arguments."""
    if isinstance(found, GuardKind):
        return found
    if not callable(found):
        raise InputError(f"guard {printable(name, 200)}: must be a class with an async method check, or a GuardKind")
    make: Callable[..., object] = found

    def open_class(options: _AnyOptions, _: GuardTools) -> OpenedGuard:
        values = options.model_extra or {}
        try:
            guard = make(**values)
        except Exception as error:
            problem = f"{type(error).__name__}: {printable(str(error))}"
            raise InputError(f"guard {printable(name, 200)}: cannot be created: {problem}") from None
        if not _is_guard(guard):
            raise InputError(f"guard {printable(name, 200)}: has no async method check(context)")
        setting = GuardSetting(name=name, options=hide_options(dict(values)))
        return OpenedGuard(guard, setting, setting)

    return GuardKind.typed(_AnyOptions, open_class)


class _AnyOptions(Record, extra="allow"):
    """Whatever the constructor of a class takes."""


def _is_guard(made: object) -> TypeGuard[Guard]:
    return inspect.iscoroutinefunction(getattr(made, "check", None))


GUARDS: Registry[GuardKind] = Registry(
    "guard", "trueline.guards", _builtin(), _adapt, import_paths=True, former=FORMER_GUARD_NAMES
)


def guard_options(request: GuardRequest) -> Record:
    """The options of a guard, checked.

    Raises:
        InputError: There is no such guard, or it does not take such an option.
    """
    kind = GUARDS.find(request.name)
    try:
        return kind.options.model_validate(request.options)
    except ValidationError as error:
        raise RequestError(_problem(request.name, kind, error)) from None


@asynccontextmanager
async def open_guard(
    request: GuardRequest | str = DEFAULT_GUARD,
    options: Mapping[str, JsonValue] | None = None,
    *,
    config: Config | None = None,
    key: bytes | None = None,
    wrap: Wrap | None = None,
) -> AsyncGenerator[OpenedGuard]:
    """Open a guard; its models are closed when the block ends.

    Args:
        request: The guard, or its name.
        options: Options of a guard that is given by name.
        config: What its models share with others of the program, such as the ledger.
        key: Decides how marks and seals look; by default it is random, so that no screen can foresee them.
        wrap: Applied to each model that is opened.

    Raises:
        InputError: There is no such guard, an option is wrong, or a model, a key or a file of rules is missing.
    """
    if isinstance(request, str):
        request = GuardRequest(name=request, options=dict(options or {}))
    checked = guard_options(request)
    tools = GuardTools(config or Config(), key or secrets.token_bytes(32))
    if wrap is not None:
        tools.wrap = wrap
    try:
        yield GUARDS.find(request.name).open(checked, tools)
    finally:
        for model in tools.models.values():
            await model.close()
        for close in tools.closing:
            await close()


def _problem(name: str, kind: GuardKind, error: ValidationError) -> str:
    """The first wrong option in one line."""
    first = field_problems(error)[0]
    option = first.field
    shown = f"`guard_options.{option}`" if option else "`guard_options`"
    if first.unknown:
        takes = ", ".join(kind.options.model_fields) or "no options"
        others = [other for other in _builtin() if option in GUARDS.find(other).options.model_fields]
        hint = f"use `guard` {' or '.join(others)}" if others else f"it takes {takes}"
        return f"{shown}: does not apply to `guard` {printable(name, 100)}; {hint}"
    if first.missing:
        return f"{shown}: is required by `guard` {printable(name, 100)}"
    return printable(f"{shown}: {first.message}", 1000)
