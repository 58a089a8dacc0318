"""Structured answers: enforced by the provider or asked for in the prompt, validated, and repaired once."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable
from functools import cache
from importlib import resources

import orjson
from pydantic import JsonValue

from trueline.models.errors import InvalidAnswerError, RejectedError, UnsupportedError
from trueline.models.schemas import check_schema, faults
from trueline.models.types import Answer, Request, Schema, assistant, user
from trueline.models.wire import one_line

Ask = Callable[[Request], Awaitable[Answer]]

_FENCED = re.compile(r"```(?:json)?[ \t]*\n(.*)\n[ \t]*```", re.DOTALL)
_THOUGHT = re.compile(r"\s*<think>(.*?)</think>", re.DOTALL)
_MOST_FAULTS = 10


@cache
def _prompt(name: str) -> str:
    return resources.files("trueline.models").joinpath("prompts", name).read_text(encoding="utf-8")


class Structurer:
    """Gets JSON out of one model, and remembers which schemas the model's server rejects."""

    def __init__(self) -> None:
        self._rejected: set[str] = set()

    async def ask(self, request: Request, ask: Ask, native: bool) -> Answer:
        """Ask, and once more if the answer does not fit its schema.

        Args:
            request: what to ask; without a schema it goes through as it is.
            ask: asks the model once.
            native: whether to send the schema in the provider's own way first; else it is asked for by words.

        Raises:
            InvalidAnswerError: it does not, also after one repair turn.
        """
        schema = request.expects
        if schema is None:
            return await ask(request)
        if request.tools:
            raise UnsupportedError("a request cannot both offer tools and expect a structured answer; drop one")
        check_schema(schema.definition)
        answer, request = await self._first(request, schema, ask, native)
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
            words = one_line(wrong[0])
            raise InvalidAnswerError(f"the answer does not fit its schema, even after a repair turn: {words}")
        return second.model_copy(update={**both, "parsed": parsed})

    async def _first(self, request: Request, schema: Schema, ask: Ask, native: bool) -> tuple[Answer, Request]:
        prompted, key = with_schema_prompt(request, schema), json.dumps(schema.definition)
        if not native or key in self._rejected:
            return await ask(prompted), prompted
        try:
            return await ask(request), request
        except RejectedError as e:
            if e.status not in (400, 422):
                raise
        answer = await ask(prompted)
        # The same request without the schema went through, so it was the schema that the server does not take.
        self._rejected.add(key)
        return answer, prompted


def with_schema_prompt(request: Request, schema: Schema) -> Request:
    """Return the request with the schema in its system prompt."""
    told = _prompt("structure.v1.txt").format(schema=json.dumps(schema.definition, ensure_ascii=False))
    system = "\n\n".join(part for part in (request.system, schema.description, told) if part)
    return request.model_copy(update={"system": system, "expects": None})


def read_structured(text: str, schema: Schema) -> tuple[JsonValue, list[str]]:
    """Parse an answer that must be JSON; return it and what is wrong with it.

    The whole text must be the JSON, or one code fence around it; a leading `<think>` block is passed over. JSON is
    never extracted from surrounding text, and a key that occurs twice is an error.
    """
    body = text[thought.end() :] if (thought := _THOUGHT.match(text)) else text
    body = body.strip()
    if fence := _FENCED.fullmatch(body):
        body = fence[1]
    try:
        value: JsonValue = orjson.loads(body)
        twice = _keys_twice(body)
    except (ValueError, RecursionError) as e:
        return None, [f"it is no JSON: {e}"]
    if twice:
        return None, [f"the key {key!r} appears twice in one object" for key in twice[:_MOST_FAULTS]]
    return value, faults(schema.definition, value)[:_MOST_FAULTS]


def _keys_twice(body: str) -> list[str]:
    """The keys that stand more than once in one object of a valid JSON text, at any depth; orjson keeps the last."""
    found: list[str] = []

    def look(pairs: list[tuple[str, JsonValue]]) -> None:
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                found.append(key)
            seen.add(key)

    json.loads(body, object_pairs_hook=look)
    return found
