"""The application: each request is let in, counted, read, answered; whatever fails is a typed error."""

from __future__ import annotations

import asyncio
import functools
import logging
import math
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

import orjson
from pydantic import BaseModel

from trueline import __version__
from trueline.errors import MissingExtraError
from trueline.guard.check_answer import CheckAnswer
from trueline.guard.incoming import read_observation, read_proposal
from trueline.guard.incoming.screen import read_base64
from trueline.guard.serve.body import RequestBody, parse_body
from trueline.guard.serve.errors import ApiError, as_api_error
from trueline.guard.serve.limits import RateLimit
from trueline.guard.serve.metrics import Metrics
from trueline.guard.serve.openapi import openapi
from trueline.guard.serve.schemas import (
    CheckRequest,
    ExecutedAnswer,
    ExecutedRequest,
    Health,
    Message,
    SessionAnswer,
    SessionRequest,
)
from trueline.guard.serve.sessions import OpenSession, SessionStore
from trueline.guard.serve.settings import GuardServeSettings
from trueline.guard.session import Session
from trueline.guard.types import Guard
from trueline.records.observation import Observation
from trueline.serving import Tokens
from trueline.serving.body import BodyMemory, read_bytes
from trueline.text import printable

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

M = TypeVar("M", bound=Message)
Handler = Callable[["Request", int], Awaitable["Response"]]

_log = logging.getLogger(__name__)
_HEADERS = {"cache-control": "no-store", "x-content-type-options": "nosniff"}


def build_app(guard: Guard, tokens: Sequence[str], settings: GuardServeSettings | None = None) -> Starlette:
    """Make the application.

    Args:
        guard: Gives the verdicts.
        tokens: Who holds one of them may call; each sees only its own sessions.
        settings: Limits and policies.

    Raises:
        MissingExtraError: Starlette or the Prometheus client is not installed.
    """
    try:
        from starlette.applications import Starlette
        from starlette.exceptions import HTTPException
        from starlette.routing import Route
    except ImportError:
        raise MissingExtraError("the guard over HTTP", "serve") from None
    service = _Service(guard, Tokens(tokens), settings or GuardServeSettings())

    def route(path: str, method: str, handler: Handler, *, open: bool = False) -> Route:
        return Route(path, service.endpoint(path, handler, open=open), methods=[method])

    app = Starlette(
        routes=[
            route("/v1/sessions", "POST", service.begin),
            route("/v1/sessions/{session}", "DELETE", service.end),
            route("/v1/check", "POST", service.check),
            route("/v1/executed", "POST", service.executed),
            route("/metrics", "GET", service.show_metrics),
            route("/health", "GET", service.health, open=True),
            route("/openapi.json", "GET", service.describe, open=True),
        ],
        exception_handlers={HTTPException: _routing_error},
    )
    app.router.redirect_slashes = False
    return app


class _Service:
    """What the endpoints share."""

    def __init__(self, guard: Guard, tokens: Tokens, settings: GuardServeSettings) -> None:
        self._guard = guard
        self._tokens = tokens
        self._settings = settings
        self._rate = RateLimit(settings.rate)
        self._sessions = SessionStore(settings.max_sessions, settings.session_seconds)
        self._metrics = Metrics(lambda: len(self._sessions))
        self._bodies = BodyMemory(settings.max_held)
        self._in_flight = 0

    def endpoint(self, path: str, handler: Handler, *, open: bool) -> Callable[[Request], Awaitable[Response]]:
        """Wrap a handler: the caller is authenticated before the request is read, and errors become answers."""

        async def answer(request: Request) -> Response:
            self._in_flight += 1
            self._metrics.in_flight.set(self._in_flight)
            try:
                owner = -1 if open else self._admit(request)
                with self._bodies.share() as request.state.share:
                    response = await handler(request, owner)
            except Exception as error:
                known = as_api_error(error)
                if known.type == "internal":
                    _log.error("%s: %s: %s", path, type(error).__name__, printable(str(error)))
                response = _answer(known.document(), known.status, known.headers)
            finally:
                self._in_flight -= 1
                self._metrics.in_flight.set(self._in_flight)
            self._metrics.requests.labels(path, str(response.status_code)).inc()
            return response

        return answer

    def _admit(self, request: Request) -> int:
        owner = self._tokens.owner(request.headers.get("authorization", ""))
        if owner is None:
            raise ApiError("unauthorized", "a valid bearer token is required", headers={"www-authenticate": "Bearer"})
        if self._in_flight > self._settings.max_in_flight:
            raise ApiError("busy", "too many requests at the same time", headers={"retry-after": "1"})
        if seconds := self._rate.wait(owner):
            message = f"more than {self._settings.rate:g} requests a minute"
            raise ApiError("rate_limited", message, headers={"retry-after": str(math.ceil(seconds))})
        return owner

    async def begin(self, request: Request, owner: int) -> Response:
        """POST /v1/sessions."""
        asked = SessionRequest.model_validate((await self._body(request)).data)
        settings = self._settings

        def make() -> OpenSession:
            session = Session(
                self._guard,
                asked.instruction,
                domain=asked.domain,
                on_error=settings.on_error,
                assume_executed=settings.assume_executed,
                narrator=settings.narrator,
                timeout_s=settings.check_seconds,
                keep_bytes=settings.session_bytes,
                max_steps=settings.session_steps,
            )
            return OpenSession(session, asked.screen, asked.display)

        opened = self._sessions.add(owner, make)
        return _answer(SessionAnswer(session=opened.session.id, idle_seconds=settings.session_seconds), 201)

    async def end(self, request: Request, owner: int) -> Response:
        """DELETE /v1/sessions/{session}."""
        self._sessions.end(owner, str(request.path_params["session"]))
        return _answer(None, 204)

    async def check(self, request: Request, owner: int) -> Response:
        """POST /v1/check."""
        body = await self._body(request)
        asked = CheckRequest.model_validate(body.data)
        opened = self._sessions.get(owner, asked.session)
        observation = await _observation(asked, body, opened.screen, asked.text)
        proposal = read_proposal(
            asked.action,
            id=opened.session.new_id(),
            format=asked.format,
            screen=opened.screen or observation.screen,
            display=opened.display,
            thought=asked.thought,
        )
        began = time.perf_counter()
        outcome = await opened.session.check(observation, proposal)
        self._metrics.checked(outcome, time.perf_counter() - began)
        return _answer(CheckAnswer.from_outcome(outcome))

    async def executed(self, request: Request, owner: int) -> Response:
        """POST /v1/executed."""
        body = await self._body(request)
        asked = ExecutedRequest.model_validate(body.data)
        opened = self._sessions.get(owner, asked.session)
        parts = (asked.screenshot, asked.tree, body.screenshot, body.tree)
        after = None if parts == (None,) * 4 else await _observation(asked, body, opened.screen)
        await opened.session.executed(asked.check, ran=asked.ran, after=after)
        self._metrics.reports.labels(str(asked.ran).lower()).inc()
        return _answer(ExecutedAnswer(session=asked.session, steps=len(opened.session.history)))

    async def show_metrics(self, _request: Request, _owner: int) -> Response:
        """GET /metrics."""
        from starlette.responses import Response

        text, media_type = self._metrics.text()
        return Response(text, headers={**_HEADERS, "content-type": media_type})

    async def health(self, _request: Request, _owner: int) -> Response:
        """GET /health."""
        return _answer(Health(version=__version__))

    async def describe(self, _request: Request, _owner: int) -> Response:
        """GET /openapi.json."""
        return _answer(_document())

    async def _body(self, request: Request) -> RequestBody:
        limit = self._settings.max_body
        body = await read_bytes(request.stream(), limit, self._settings.body_seconds, request.state.share)
        return parse_body(request.headers.get("content-type", ""), body)


_document = functools.cache(openapi)


async def _observation(
    asked: CheckRequest | ExecutedRequest, body: RequestBody, screen: tuple[int, int] | None, text: str | None = None
) -> Observation:
    """Read the screen, in a thread: pictures and trees take time, and other requests must not wait for them."""
    if (asked.screenshot and body.screenshot) or (asked.tree and body.tree):
        raise ApiError("invalid_request", "given both in the JSON and as a file", field="screenshot")
    picture = body.screenshot if asked.screenshot is None else read_base64(asked.screenshot)
    tree = asked.tree
    if body.tree is not None:
        try:
            tree = body.tree.decode("utf-8")
        except UnicodeDecodeError:
            raise ApiError("invalid_request", "the tree is not UTF-8", field="tree") from None
    return await asyncio.to_thread(read_observation, picture, tree=tree, text=text, screen=screen)


def _answer(
    document: BaseModel | dict[str, object] | None, status: int = 200, headers: dict[str, str] | None = None
) -> Response:
    from starlette.responses import Response

    plain = document.model_dump(mode="json") if isinstance(document, BaseModel) else document
    content = b"" if plain is None else orjson.dumps(plain)
    media_type = None if plain is None else "application/json"
    return Response(content, status, {**_HEADERS, **(headers or {})}, media_type)


async def _routing_error(_request: Request, error: Exception) -> Response:
    """What Starlette itself refuses: unknown paths and methods."""
    method = getattr(error, "status_code", 404) == 405
    known = ApiError("method_not_allowed" if method else "not_found", "there is no such route; see /openapi.json")
    return _answer(known.document(), known.status)
