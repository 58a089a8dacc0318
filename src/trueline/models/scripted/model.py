"""The model that answers by the rules of a script."""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from trueline.models.errors import (
    AttemptTimeoutError,
    AuthError,
    ConnectionLostError,
    DeadlineError,
    InvalidAnswerError,
    MalformedResponseError,
    ModelError,
    RateLimitedError,
    RejectedError,
    ServerError,
)
from trueline.models.schemas import check_schema
from trueline.models.scripted.script import (
    ErrorName,
    RuleCondition,
    ScriptedAnswer,
    ScriptError,
    UnmatchedError,
    read_script,
)
from trueline.models.structured import read_structured
from trueline.models.types import Answer, Image, ModelId, Part, Request, Stop, Text, ToolCall, ToolResult
from trueline.text import printable

_ERRORS: dict[ErrorName, type[ModelError]] = {
    "rate_limited": RateLimitedError,
    "server": ServerError,
    "connection": ConnectionLostError,
    "timeout": AttemptTimeoutError,
    "malformed": MalformedResponseError,
    "rejected": RejectedError,
    "auth": AuthError,
}


class ScriptedModel:
    """Answers by the first rule that matches.

    It stands for a whole model, retries and repair turns included, so an error or an invalid answer is final.
    Calls are counted per episode, so episodes that run at the same time do not affect each other.
    """

    def __init__(self, path: Path) -> None:
        """Read the script.

        Raises:
            ScriptError: It cannot be read or is wrong.
        """
        try:
            data = path.read_bytes()
        except OSError as e:
            raise ScriptError(f"{path}: the script cannot be read: {e.strerror}") from None
        self._path = path
        self._script = read_script(data, str(path))
        # A changed script is another model: the digest stands where a server's address would.
        self._id = ModelId(provider="scripted", model=str(path), url=f"sha256:{hashlib.sha256(data).hexdigest()}")
        self._calls: Counter[str] = Counter()
        self._given: Counter[tuple[str, int]] = Counter()

    @property
    def id(self) -> ModelId:
        """Which model this is."""
        return self._id

    async def ask(self, request: Request) -> Answer:
        """Answer by the first rule that matches, or raise the error it gives.

        Raises:
            UnmatchedError: No rule matches.
            ModelError: The rule plays a fault, the answer does not fit the schema, or it comes too late.
        """
        began = time.perf_counter()
        if request.expects is not None:
            check_schema(request.expects.definition)
        given, call = self._choose(request)
        try:
            async with asyncio.timeout(request.deadline_s):
                await asyncio.sleep(given.delay_s)
        except TimeoutError:
            raise DeadlineError(f"no answer from {self.id} within {request.deadline_s} s") from None
        if given.error is not None:
            words = given.message or f"{self._path} plays the error {given.error!r}"
            raise _ERRORS[given.error](words, status=given.status, retry_after_s=given.retry_after_s)
        answer = self._answer(given, call, time.perf_counter() - began)
        if request.expects is None or answer.stop != "stop":
            return answer
        parsed, wrong = read_structured(answer.text, request.expects)
        if wrong:
            raise InvalidAnswerError(f"{self._path}: the answer does not fit its schema: {wrong[0]}")
        return answer.model_copy(update={"parsed": parsed})

    async def close(self) -> None:
        """Do nothing: no resources are held."""

    def _choose(self, request: Request) -> tuple[ScriptedAnswer, int]:
        """Return what to answer, and the number of this call in its episode."""
        episode = request.episode
        self._calls[episode] += 1
        call = self._calls[episode]
        for number, rule in enumerate(self._script.rules):
            if _fits(rule.when, request, call):
                if rule.answer is not None:
                    return rule.answer, call
                place = self._given[episode, number]
                if place < len(rule.answers):
                    self._given[episode, number] += 1
                    return rule.answers[place], call
        text = printable(_last_text(request), limit=80)
        about = f"purpose {request.purpose}" + (f", stage {request.stage}" if request.stage else "")
        raise UnmatchedError(
            f"{self._path}: none of the {len(self._script.rules)} rules matches call {call} "
            f"({about}, {_count_images(request)} images): {text!r}; add a rule, or one without `when` at the end"
        )

    def _answer(self, given: ScriptedAnswer, call: int, latency_s: float) -> Answer:
        calls = tuple(
            ToolCall(id=f"call-{call}-{n}", name=tool.name, arguments=tool.arguments)
            for n, tool in enumerate(given.calls, start=1)
        )
        as_json = "data" in given.model_fields_set
        return Answer(
            text=json.dumps(given.data, ensure_ascii=False) if as_json else given.text or "",
            calls=calls,
            reasoning=given.reasoning,
            stop=given.stop or _natural_stop(given),
            refusal=given.refusal,
            usage=given.usage,
            latency_s=latency_s,
            model=self._path.name,
        )


def _natural_stop(given: ScriptedAnswer) -> Stop:
    if given.refusal:
        return "refusal"
    return "tool_calls" if given.calls else "stop"


def _fits(when: RuleCondition, request: Request, call: int) -> bool:
    return (
        (not when.purpose or request.purpose in when.purpose)
        and (not when.stage or request.stage in when.stage)
        and (not when.call or call in when.call)
        and (when.sample is None or request.sample == when.sample)
        and (when.images is None or _count_images(request) == when.images)
        and when.system in request.system
        and re.search(when.system_regex, request.system) is not None
        and _text_fits(when, request)
    )


def _text_fits(when: RuleCondition, request: Request) -> bool:
    if not (when.text or when.text_regex):
        return True
    text = _last_text(request)
    return when.text in text and re.search(when.text_regex, text) is not None


def _last_text(request: Request) -> str:
    return "\n".join(part.text for part in _flat(request.messages[-1].parts) if isinstance(part, Text))


def _count_images(request: Request) -> int:
    return sum(isinstance(part, Image) for message in request.messages for part in _flat(message.parts))


def _flat(parts: tuple[Part, ...]) -> Iterator[Part]:
    """Yield the parts, those inside the results of tools too."""
    for part in parts:
        if isinstance(part, ToolResult):
            yield from part.parts
        else:
            yield part
