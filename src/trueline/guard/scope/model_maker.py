"""Makes a Scope by asking a model about the instruction, before anything on the screen is seen.

The model proposes; a grant counts only if the words that it quotes really stand in the instruction or in the start
state. What the model says can therefore widen a Scope only by words of the user.
"""

from __future__ import annotations

import asyncio
from typing import Literal, get_args

from pydantic import BaseModel, ConfigDict

from trueline.guard.policy.folding import key
from trueline.guard.scope.from_words import PERMANENT_GRANTS, PERMANENT_PATHS
from trueline.guard.scope.types import (
    Access,
    ApplicationGrant,
    EffectGrant,
    EffectKind,
    OpenSlot,
    PathGrant,
    RecipientGrant,
    Scope,
    SiteGrant,
    Source,
    StartState,
)
from trueline.models import Model, Request, Schema, user
from trueline.models.prompt_fence import STORED_KEY, keyed_fence
from trueline.models.prompt_files import hash_prompts, join_prompts
from trueline.records.usage import NO_USAGE, Usage

SCOPE_PROMPT = ("scope.v1",)
_MOST_GRANTS = 100


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class _Named(_Part):
    name: str
    because: str


class _Path(_Part):
    path: str
    access: list[Access]
    because: str


class _Effect(_Part):
    kind: EffectKind
    because: str


class _Slot(_Part):
    slot: Literal["recipient", "site", "path"]
    because: str


class ScopeReply(_Part):
    """The model's answer."""

    applications: list[_Named]
    paths: list[_Path]
    sites: list[_Named]
    recipients: list[_Named]
    effects: list[_Effect]
    open_slots: list[_Slot] = []


class ModelMaker:
    """Makes Scopes with a model, one question per task."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._made: dict[tuple[str, StartState | None], asyncio.Task[tuple[Scope, Usage]]] = {}

    @property
    def name(self) -> str:
        """The model, and the hash of its prompt."""
        digest = next(iter(hash_prompts("trueline.guard", set(SCOPE_PROMPT), whole_file=True).values()))
        return f"{self._model.id} ({SCOPE_PROMPT[0]} {digest[:12]})"

    async def make(self, instruction: str, start: StartState | None, episode: str) -> tuple[Scope, Usage]:
        """Return the Scope of a task; asked once, however often it is needed.

        Raises:
            TruelineError: The model cannot be asked, or its answer cannot be read.
        """
        place = (instruction, start)
        first = place not in self._made
        if first:
            self._made[place] = asyncio.ensure_future(self._ask(instruction, start, episode))
        try:
            scope, usage = await asyncio.shield(self._made[place])
        except BaseException:
            if self._made[place].done():
                self._made.pop(place, None)
            raise
        return scope, usage if first else NO_USAGE

    async def _ask(self, instruction: str, start: StartState | None, episode: str) -> tuple[Scope, Usage]:
        system = join_prompts("trueline.guard", SCOPE_PROMPT).replace("{effects}", ", ".join(get_args(EffectKind)))
        opened = "\n".join((*(start.executables if start else ()), *(start.files if start else ())))
        sites = "\n".join(start.sites if start else ())
        texts = [instruction, opened, sites]
        fence = keyed_fence(STORED_KEY, texts)
        parts = zip(("instruction", "open programs and files", "open sites"), texts, strict=True)
        message = user("\n\n".join(fence.put(label, text) for label, text in parts))
        answer = await self._model.ask(
            Request(
                messages=(message,),
                system=system,
                expects=Schema.from_model(ScopeReply, name="scope"),
                purpose="guard",
                stage="scope",
                episode=episode,
            )
        )
        return scope_from_reply(answer.parse(ScopeReply), instruction, start), answer.usage


def scope_from_reply(reply: ScopeReply, instruction: str, start: StartState | None) -> Scope:
    """Make the Scope of a model's answer, without the grants whose words nobody said."""

    def source(because: str) -> Source | None:
        words = key(because).strip("\"'.,;: ")
        if len(words) > 1 and words in key(instruction):
            return "instruction"
        opened = (*start.executables, *start.files, *start.sites) if start else ()
        return "start state" if any(words and words in key(thing) for thing in opened) else None

    paths: list[PathGrant] = []
    for path in reply.paths[:_MOST_GRANTS]:
        said = source(path.because)
        # A file name on the machine does not ask for its own deletion.
        access: tuple[Access, ...] = tuple(
            each for each in dict.fromkeys(path.access) if each != "delete" or said == "instruction"
        )
        if said and access:
            paths.append(PathGrant(path=path.path, access=access, because=path.because, source=said))
    return Scope(
        made_by="model",
        applications=tuple(
            ApplicationGrant(application=item.name, because=item.because, source=said)
            for item in reply.applications[:_MOST_GRANTS]
            if (said := source(item.because))
        ),
        paths=(*paths, *PERMANENT_PATHS),
        sites=tuple(
            SiteGrant(site=item.name, because=item.because, source=said)
            for item in reply.sites[:_MOST_GRANTS]
            if (said := source(item.because))
        ),
        recipients=tuple(
            RecipientGrant(recipient=item.name, because=item.because)
            for item in reply.recipients[:_MOST_GRANTS]
            if source(item.because) == "instruction"
        ),
        effects=(
            *PERMANENT_GRANTS,
            *(
                EffectGrant(effect=item.kind, because=item.because)
                for item in reply.effects[:_MOST_GRANTS]
                if source(item.because) == "instruction"
            ),
        ),
        open_slots=tuple(
            OpenSlot(slot=item.slot, because=item.because)
            for item in reply.open_slots[:_MOST_GRANTS]
            if source(item.because) == "instruction"
        ),
    )
