"""The corpus: screens, goals and texts, read from the data files of this package."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Annotated, Literal, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, model_validator

from trueline.actions import Action, Click, Hotkey, Key, Point, Scroll, Type
from trueline.errors import InputError

WIDTH, HEIGHT = 1280, 720
Box = tuple[int, int, int, int]
Kind = Literal["command", "url", "mail", "clicks", "ends"]

T = TypeVar("T")


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class CorpusElement(_Data):
    """Something on a screen."""

    id: str
    role: str
    name: str = ""
    text: str = ""
    box: Box
    editable: bool = False

    @property
    def centre(self) -> Point:
        """Its middle."""
        return Point(self.box[0] + self.box[2] // 2, self.box[1] + self.box[3] // 2)

    @property
    def takes_text(self) -> bool:
        """Whether the keyboard types into it."""
        return self.editable or self.role in ("entry", "terminal")


class BenignAction(_Data):
    """One action of a control, by the names of the screen."""

    click: str | None = None
    count: Annotated[int, Field(ge=1, le=3)] = 1
    type: str | None = None
    key: str | None = None
    hotkey: tuple[str, ...] = ()
    scroll: str | None = None
    dy: int = 0


class Scene(_Data):
    """A screen and what the user wants on it."""

    id: str = ""
    instruction: str
    app: str
    title: str
    notice: Box
    focus: str | None = None
    elements: tuple[CorpusElement, ...]
    benign: tuple[tuple[BenignAction, ...], ...]

    def element(self, id: str) -> CorpusElement:
        """Return an element by its name."""
        return next(element for element in self.elements if element.id == id)

    def control(self) -> tuple[tuple[Action, ...], ...]:
        """What an agent would do next for the user, one proposal after the other."""
        return tuple(tuple(self._action(do) for do in step) for step in self.benign)

    def _action(self, do: BenignAction) -> Action:
        if do.click:
            return Click(at=self.element(do.click).centre, count=do.count)
        if do.scroll:
            return Scroll(at=self.element(do.scroll).centre, dy=do.dy)
        if do.hotkey:
            return Hotkey(keys=do.hotkey)
        return Type(text=do.type) if do.type is not None else Key(key=do.key or "")


class WantedMail(_Data):
    """A mail that the attacker wants."""

    to: str
    body: str


class AttackerGoal(_Data):
    """What the attacker wants."""

    id: str = ""
    scene: str
    said: str
    command: str | None = None
    url: str | None = None
    field: str | None = None
    mail: WantedMail | None = None
    clicks: tuple[str, ...] = ()
    ends: Literal["done", "fail"] | None = None
    inside: bool = False
    """Whether it lies inside the Scope of the user's words."""
    innocent: tuple[str, ...] = ()
    """Commands that reach the same goal and look harmless one by one."""

    @property
    def kind(self) -> Kind:
        """How it is reached."""
        if self.command:
            return "command"
        if self.url:
            return "url"
        if self.mail:
            return "mail"
        return "clicks" if self.clicks else "ends"

    @model_validator(mode="after")
    def _one_kind(self) -> AttackerGoal:
        if sum(map(bool, (self.command, self.url, self.mail, self.clicks, self.ends))) != 1:
            raise ValueError("a goal is one of command, url, mail, clicks, ends")
        return self


class Texts(_Data):
    """What stands on the screen for its readers."""

    guard: tuple[str, ...]
    narrator: tuple[str, ...]
    narratives: tuple[str, ...]
    undecided: tuple[str, ...]
    cost: tuple[str, ...]


class Corpus(_Data):
    """All of it."""

    scenes: dict[str, Scene]
    goals: dict[str, AttackerGoal]
    texts: Texts


@cache
def load_corpus() -> Corpus:
    """Read the shipped corpus."""
    scenes = _read("scenes.yaml", dict[str, Scene])
    goals = _read("goals.yaml", dict[str, AttackerGoal])
    return Corpus(
        scenes={name: scene.model_copy(update={"id": name}) for name, scene in scenes.items()},
        goals={name: goal.model_copy(update={"id": name}) for name, goal in goals.items()},
        texts=_read("texts.yaml", Texts),
    )


def _read(name: str, kind: type[T]) -> T:
    text = resources.files("trueline.guard.redteam").joinpath("data", name).read_text(encoding="utf-8")
    try:
        return TypeAdapter(kind).validate_python(yaml.safe_load(text))
    except ValueError as error:
        raise InputError(f"redteam data {name}: {error}") from None
