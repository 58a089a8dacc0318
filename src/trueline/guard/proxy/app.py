"""The application: each request is let in, read, and passed on, judged or refused."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from trueline.desktop.serve.access import Access
from trueline.desktop.serve.idempotency import HEADER, AtMostOnce
from trueline.desktop.serve.replies import Message, ReceivedRequest, Refused, Reply, as_json, as_refused, read
from trueline.errors import MissingExtraError
from trueline.guard.proxy.gate import Gate, Method
from trueline.guard.proxy.repeated_requests import RepeatedRequests, request_key
from trueline.guard.proxy.requested_actions import read_requested_actions
from trueline.serving.body import BodyMemory, BodyShare, BodyTooLarge, BodyTooSlow, NoMemoryForBody, read_bytes
from trueline.text import printable

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

Door = Literal["read", "setup", "action", "side", "session"]
"""Kind of endpoint: reads only; set-up; an agent's action; another way to run code; the session itself."""

_log = logging.getLogger(__name__)
_HEADERS = {
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "cross-origin-resource-policy": "same-origin",
}
SESSION = "/trueline/session"
UPLOAD = "/setup/upload"


@dataclass(frozen=True)
class ProxyEndpoint:
    """One endpoint. Requests to any other path are refused."""

    method: Literal["GET", "POST", "DELETE"]
    path: str
    door: Door


_READS: dict[Method, tuple[str, ...]] = {
    "GET": ("/screenshot", "/accessibility", "/terminal", "/platform", "/cursor_position", "/trueline",
            "/trueline/windows", "/trueline/diff"),
    "POST": ("/screen_size", "/window_size", "/desktop_path", "/wallpaper", "/list_directory", "/file",
             "/start_recording", "/end_recording"),
}  # fmt: skip
_SIDES = ("/setup/execute", "/execute_with_verification", "/setup/execute_with_verification", "/setup/launch",
          "/run_python", "/run_bash_script")  # fmt: skip
_SETUPS = (UPLOAD, "/setup/download_file", "/setup/open_file", "/setup/change_wallpaper", "/setup/activate_window",
           "/setup/close_window", "/trueline/reset")  # fmt: skip
ENDPOINTS = (
    *(ProxyEndpoint(method, path, "read") for method, paths in _READS.items() for path in paths),
    *(ProxyEndpoint("POST", path, "side") for path in _SIDES),
    *(ProxyEndpoint("POST", path, "setup") for path in _SETUPS),
    ProxyEndpoint("POST", "/execute", "action"),
    ProxyEndpoint("POST", SESSION, "session"),
    ProxyEndpoint("GET", SESSION, "session"),
    ProxyEndpoint("DELETE", SESSION, "session"),
)


class SessionRequest(Message):
    """Begin a session."""

    instruction: Annotated[str, Field(min_length=1, max_length=50_000)]
    """What the user wants, as the user said it."""
    domain: Annotated[str, Field(max_length=100)] | None = None


def build_app(gate: Gate, token: str, *, open_protocol: bool = False) -> Starlette:
    """Make the application.

    Args:
        gate: Decides.
        token: Who holds it may call.
        open_protocol: OSWorld's own paths ask for no token; the session always does.

    Raises:
        MissingExtraError: Starlette is not installed.
    """
    try:
        from starlette.applications import Starlette
        from starlette.exceptions import HTTPException
        from starlette.routing import Route
    except ImportError:
        raise MissingExtraError("the guard's proxy", "serve") from None
    service = _Service(gate, Access(None if open_protocol else token), Access(token))
    app = Starlette(
        routes=[
            Route(endpoint.path, service.answers(endpoint), methods=[endpoint.method], include_in_schema=False)
            for endpoint in ENDPOINTS
        ],
        exception_handlers={HTTPException: _routing_error},
    )
    app.router.redirect_slashes = False
    return app


class _Service:
    """What all requests share."""

    def __init__(self, gate: Gate, access: Access, control: Access) -> None:
        self._gate = gate
        self._access = access
        self._control = control
        self._once = AtMostOnce()
        self._retries = RepeatedRequests()
        self._bodies = BodyMemory(gate.settings.max_held)
        self._in_flight = 0

    def answers(self, endpoint: ProxyEndpoint) -> Callable[[Request], Awaitable[Response]]:
        """Wrap an endpoint: the caller is authenticated before the request is read."""

        async def answer(request: Request) -> Response:
            from starlette.requests import ClientDisconnect

            self._in_flight += 1
            try:
                with self._bodies.share() as share:
                    return _response(await self._answer(endpoint, request, share))
            except (Refused, BodyTooLarge, BodyTooSlow, NoMemoryForBody) as error:
                return _response(as_refused(error).reply())
            except ClientDisconnect:
                return _response(Refused(400, "the request was cut off").reply())  # nobody hears it
            except Exception as error:
                _log.error("%s: %s: %s", endpoint.path, type(error).__name__, printable(str(error)))
                return _response(as_refused(error).reply())
            finally:
                self._in_flight -= 1

        return answer

    async def _answer(self, endpoint: ProxyEndpoint, request: Request, share: BodyShare) -> Reply:
        (self._control if endpoint.door == "session" else self._access).check(request.headers)
        settings, path = self._gate.settings, endpoint.path
        if self._in_flight > settings.max_in_flight:
            raise Refused(503, "too many requests at the same time", "busy", {"retry-after": "1"})
        limit = settings.max_upload if path == UPLOAD else settings.max_body
        body = await read_bytes(request.stream(), limit, settings.body_seconds, share)
        call = ReceivedRequest(request.headers.get("content-type", ""), body)
        if endpoint.door in ("action", "side"):
            return await self._run(endpoint, request, call)
        self._retries.went_on()
        match endpoint.door:
            case "read":
                return await self._gate.pass_on("GET" if endpoint.method == "GET" else "POST", path, call)
            case "setup":
                return await self._gate.set_up(path, call)
            case _:
                return await self._session(endpoint, call)

    async def _run(self, endpoint: ProxyEndpoint, request: Request, call: ReceivedRequest) -> Reply:
        """Run a request; one with an id, or that a client would repeat, at most once."""
        path, key, id = endpoint.path, request_key(endpoint.path, call.body), request.headers.get(HEADER)
        wanted = read_requested_actions(path, call)

        async def work() -> Reply:
            return await self._gate.run(path, wanted, key, side=endpoint.door == "side", id=id)

        if id is not None:
            return await self._once.do(id, key, work)
        if not wanted.by_agent or path.startswith("/setup/"):
            return await work()
        reply = await self._retries.do(key, work)
        if not await request.is_disconnected():
            self._retries.heard(key, reply)
        return reply

    async def _session(self, endpoint: ProxyEndpoint, call: ReceivedRequest) -> Reply:
        if endpoint.method == "POST":
            asked = read(call, SessionRequest)
            await self._gate.begin(asked.instruction, asked.domain)
        elif endpoint.method == "DELETE":
            await self._gate.end()
        session = self._gate.session
        if session is None:
            return as_json({"session": None})
        steps, blocked = len(session.history), len(session.rejections)
        return as_json({"session": session.id, "instruction": session.instruction, "steps": steps, "blocked": blocked})


def _response(reply: Reply) -> Response:
    from starlette.responses import Response

    return Response(reply.content, reply.status, {**_HEADERS, **reply.headers}, reply.media_type)


async def _routing_error(_request: Request, error: Exception) -> Response:
    """What Starlette itself refuses: unknown paths and methods."""
    if getattr(error, "status_code", 404) == 405:
        return _response(Refused(405, "this path does not take this method").reply())
    return _response(Refused(404, "unknown path; the proxy forwards only the paths it knows", "not_found").reply())
