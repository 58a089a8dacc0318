"""A model behind an API: encoding, limits, retries, deadline, structure, price and ledger in one place."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace

from trueline.models.errors import (
    InvalidAnswerError,
    MalformedResponseError,
    ModelError,
    NeverAnsweredError,
    RateLimitedError,
    RejectedError,
    ServerError,
    UnreachableError,
    UnsupportedError,
)
from trueline.models.families import require_fitting
from trueline.models.images import KEEP, encode_image
from trueline.models.keys import Redactor
from trueline.models.ledger import CostLedger
from trueline.models.limits import Limiter
from trueline.models.pricing import Pricer, Prices
from trueline.models.providers import PROVIDERS
from trueline.models.rejected_parameters import RejectedParameters, unsent
from trueline.models.retry import RetryPolicy, ask_again, within
from trueline.models.servers import Server
from trueline.models.structured import Structurer
from trueline.models.types import Answer, Image, ModelId, Request, Text, ToolResult
from trueline.models.waiting import PendingCall, log_pause, logged, under_way
from trueline.models.wire import Client, Codec, DecodedResponse, FilteredError, HttpCall, read_json
from trueline.records.usage import UNCOUNTED, Usage

_IMAGE_TOKENS = 1200
_ANSWER_TOKENS = 500
_OVERLOADED = 503


@dataclass(frozen=True)
class Shared:
    """What the models of a program share."""

    retry: RetryPolicy
    limiter: Limiter
    ledger: CostLedger
    prices: Prices
    redactor: Redactor
    server: Server
    rejected: RejectedParameters


class ApiModel:
    """A `Model` behind the API of a provider."""

    def __init__(
        self,
        model_id: ModelId,
        client: Client,
        codec_for: Callable[[Request], Codec],
        structured: Callable[[Request], bool],
        shared: Shared,
    ) -> None:
        self.id = model_id
        self._client = client
        self._codec_for = codec_for
        self._structured = structured
        self._structurer = Structurer()
        self._shared = shared
        self._pricer = Pricer(shared.prices, model_id.provider, model_id.model)

    def __repr__(self) -> str:
        """Show which model it is and nothing else."""
        return f"ApiModel({str(self.id)!r})"

    async def ask(self, request: Request) -> Answer:
        """Answer the request or raise a `ModelError`.

        Raises:
            UnsupportedError: The model does not take what the request asks for; nothing was sent.
        """
        sampling = require_fitting(self.id, request.sampling)
        if sampling != request.sampling:
            request = request.model_copy(update={"sampling": sampling})
        loop = asyncio.get_running_loop()
        started = loop.time()
        ends_at = started + (request.deadline_s or self._shared.retry.deadline_s)

        async with under_way(str(self.id), self.id.url) as call:

            async def turn(asked: Request) -> Answer:
                return await self._turn(asked, ends_at, call)

            answer = await self._structurer.ask(request, turn, self._structured(request))
        return answer.model_copy(update={"latency_s": loop.time() - started})

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def _turn(self, request: Request, ends_at: float, under: PendingCall) -> Answer:
        """One question and its answer, however many attempts it takes."""
        shared = self._shared
        shared.ledger.admit(self.id, self._pricer.has_price)
        if request.images != KEEP:
            await asyncio.to_thread(_encode_images, request)
        codec = self._codec_for(request)
        sent = _without_stop(request, self.id) if request.sampling.stop and not codec.takes_stop else request
        caller, estimated = request.episode or request.purpose, _estimate(request)

        async def attempt() -> DecodedResponse:
            async with shared.limiter.slot(caller, estimated) as slot:
                try:
                    # Encoded only now: of thousands that wait for a place, each would hold its pictures as text.
                    decoded = await self._send(codec, codec.encode(sent), request, under)
                except (MalformedResponseError, InvalidAnswerError):
                    # It was answered, so it may have cost money; nobody knows how much.
                    shared.ledger.add(self.id, request, UNCOUNTED)
                    raise
                except (RateLimitedError, ServerError) as e:
                    if isinstance(e, RateLimitedError) or e.status == _OVERLOADED:
                        slot.push_back(e.retry_after_s)
                        log_pause(under, shared.server, e.retry_after_s or 0.0, shared.retry.reported_s)
                    raise
                except FilteredError as e:
                    # Nothing was generated, so nothing is charged.
                    usage = Usage(calls=1, cost=0.0)
                    return DecodedResponse(Answer(stop="content_filter", refusal=str(e), usage=usage))
                usage = decoded.answer.usage
                if not usage.uncounted:
                    slot.tokens = usage.input_tokens + usage.output_tokens
                return decoded

        decoded, attempts = await ask_again(shared.retry, ends_at, attempt)
        usage = decoded.answer.usage.model_copy(update={"cost": self._pricer.cost(decoded)})
        shared.ledger.add(self.id, request, usage)
        answer = decoded.answer.model_copy(update={"usage": usage, "attempts": attempts})
        return answer if request.tools else answer.cut(request.sampling.stop)

    async def _send(self, codec: Codec, call: HttpCall, request: Request, under: PendingCall) -> DecodedResponse:
        """Send one call; what its server rejects by name is left out, now and in all later calls."""
        shared = self._shared
        while True:
            body = shared.rejected.fit(self.id, call.body)
            fitted = call if body is call.body else replace(call, body=body)
            try:
                began = asyncio.get_running_loop().time()
                with logged(under, shared.server, shared.retry.reported_s):
                    response = await within(shared.retry.attempt_s, self._post(fitted))
                under.answered_in = asyncio.get_running_loop().time() - began
                decoded = codec.decode(read_json(response, shared.redactor), request)
            except RejectedError as e:
                if not shared.rejected.learn(self.id, e, fitted):
                    raise
                continue
            if not (gone := unsent(shared.rejected.changes(self.id), call.body)):
                return decoded
            return replace(decoded, answer=decoded.answer.model_copy(update={"unsent": gone}))

    async def _post(self, call: HttpCall) -> bytes:
        server = self._shared.server
        try:
            response = await self._client.post(call)
        except UnreachableError as e:
            if server.answered:
                raise
            error = NeverAnsweredError(f"{self.id}: {e} {_how_to_reach(self.id)}")
        except ModelError as e:
            server.answered = server.answered or e.status is not None
            raise
        else:
            server.answered = True
            return response
        raise error


def _how_to_reach(model: ModelId) -> str:
    names = [name for v in PROVIDERS.find(model.provider).variables if v.role == "url" for name in v.names]
    return f"Start it, or set its address with --model_url or {' or '.join(dict.fromkeys(names))}"


def _without_stop(request: Request, model: ModelId) -> Request:
    """Return the request without stop sequences: what comes after them is cut off here."""
    if request.tools:
        raise UnsupportedError(
            f"{model} does not take stop sequences, and Trueline cannot apply them to answers with tools"
        )
    return request.model_copy(update={"sampling": request.sampling.model_copy(update={"stop": ()})})


def _pictures(request: Request) -> list[Image]:
    parts = [part for message in request.messages for part in message.parts]
    inner = [p for part in parts if isinstance(part, ToolResult) for p in part.parts]
    return [part for part in (*parts, *inner) if isinstance(part, Image)]


def _encode_images(request: Request) -> None:
    """Fill the store of encoded pictures, away from the event loop: drawing takes time."""
    for image in _pictures(request):
        encode_image(image, request.images)


def _estimate(request: Request) -> float:
    """Roughly how many tokens the request takes, for the limit per minute; corrected by what it really took."""
    parts = [part for message in request.messages for part in message.parts]
    characters = len(request.system) + sum(len(part.text) for part in parts if isinstance(part, Text))
    answer = request.sampling.max_tokens or _ANSWER_TOKENS
    return characters / 4 + len(_pictures(request)) * _IMAGE_TOKENS + answer
