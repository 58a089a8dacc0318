"""Structured answers: asked for in the provider's own way or by words, checked, repaired once, else an error."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from functools import cache
from importlib import resources

import orjson
from pydantic import JsonValue

from trueline.models.errors import InvalidAnswerError, RejectedError, UnsupportedError
from trueline.models.schemas import check_schema, faults
from trueline.models.types import Answer, Request, Schema, assistant, user

Ask = Callable[[Request], Awaitable[Answer]]

_FENCED = re.compile(r"```(?:json)?[ \t]*\n(.*)\n[ \t]*```", re.DOTALL)
_THOUGHT = re.compile(r"\s*<think>(.*?)</think>", re.DOTALL)
_MOST_FAULTS = 10


@cache
def _prompt(name: str) -> str:
    return resources.files("trueline.models").joinpath("prompts", name).read_text(encoding="utf-8")


class Structurer:
    """Knows how one model wants to be asked for JSON; it learns once when the model's server rejects a schema."""

    def __init__(self, native: bool) -> None:
        self.native = native
        """Whether a schema is sent in the provider's own way; else it is asked for by words."""

    async def ask(self, request: Request, ask: Ask) -> Answer:
        """Ask until the answer fits its schema.

        Raises:
            InvalidAnswerError: it does not, also after one repair turn.
        """
        schema = request.expects
        if schema is None:
            return await ask(request)
        if request.tools:
            raise UnsupportedError("a request cannot both offer tools and expect a structured answer; drop one")
        check_schema(schema.definition)
        answer, request = await self._first(request, schema, ask)
        if not answer.complete:
            return answer
        parsed, wrong = read_structured(answer.text, schema)
        if not wrong:
            return answer.model_copy(update={"parsed": parsed})
        words = _prompt("repair.v1.txt").format(faults="\n".join(f"- {fault}" for fault in wrong))
        again = request.model_copy(update={"messages": (*request.messages, assistant(answer.text), user(words))})
        second = await ask(again)
        both = {"usage": answer.usage + second.usage, "attempts": answer.attempts + second.attempts}
        if not second.complete:
            return second.model_copy(update=both)
        parsed, wrong = read_structured(second.text, schema)
        if wrong:
            raise InvalidAnswerError(f"the answer does not fit its schema, also after a repair turn: {wrong[0]}")
        return second.model_copy(update={**both, "parsed": parsed})

    async def _first(self, request: Request, schema: Schema, ask: Ask) -> tuple[Answer, Request]:
        prompted = by_words(request, schema)
        if not self.native:
            return await ask(prompted), prompted
        try:
            return await ask(request), request
        except RejectedError as e:
            if e.status not in (400, 422):
                raise
        answer = await ask(prompted)
        # The same request without the schema went through, so it was the schema that the server does not take.
        self.native = False
        return answer, prompted


def by_words(request: Request, schema: Schema) -> Request:
    """Return the request with the schema told in the system prompt."""
    told = _prompt("structure.v1.txt").format(schema=orjson.dumps(schema.definition).decode())
    system = "\n\n".join(part for part in (request.system, schema.description, told) if part)
    return request.model_copy(update={"system": system, "expects": None})


def read_structured(text: str, schema: Schema) -> tuple[JsonValue, list[str]]:
    """Read an answer that must be JSON, and say what is wrong with it.

    The whole text must be the JSON, or one code fence around it; a leading `<think>` block is passed over. JSON is
    never searched for inside other words.
    """
    body = text[thought.end() :] if (thought := _THOUGHT.match(text)) else text
    body = body.strip()
    if fence := _FENCED.fullmatch(body):
        body = fence[1]
    try:
        value: JsonValue = orjson.loads(body)
    except ValueError as e:
        return None, [f"it is no JSON: {e}"]
    return value, faults(schema.definition, value)[:_MOST_FAULTS]
