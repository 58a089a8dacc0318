"""The application: each request is let in, read, answered; whatever fails is an answer too."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trueline.desktop.serve import commands, files, open_file, screen, trueline_endpoints, windows
from trueline.desktop.serve.access import Access
from trueline.desktop.serve.idempotency import HEADER, AtMostOnce
from trueline.desktop.serve.replies import ReceivedRequest, Refused, Reply, as_refused
from trueline.desktop.serve.served_desktop import ServedDesktop
from trueline.errors import MissingExtraError
from trueline.serving.body import BodyMemory, BodyShare, BodyTooLarge, BodyTooSlow, NoMemoryForBody, read_bytes
from trueline.text import printable

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

Handler = Callable[[ServedDesktop, ReceivedRequest], Awaitable[Reply]]

_log = logging.getLogger(__name__)
_HEADERS = {
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "cross-origin-resource-policy": "same-origin",
}
_RESET_SECONDS = 120.0
"""How long other requests wait for a reset to end."""


@dataclass(frozen=True)
class Endpoint:
    """One endpoint."""

    method: str
    paths: tuple[str, ...]
    handler: Handler
    file: bool = False
    """Its request carries a file."""


def _get(path: str, handler: Handler) -> Endpoint:
    return Endpoint("GET", (path,), handler)


def _post(path: str, handler: Handler, *more: str, file: bool = False) -> Endpoint:
    return Endpoint("POST", (path, *more), handler, file)


RESET = _post("/trueline/reset", trueline_endpoints.reset)
ENDPOINTS = (
    _post("/execute", commands.execute, "/setup/execute"),
    _post("/execute_with_verification", commands.execute_with_verification, "/setup/execute_with_verification"),
    _post("/setup/launch", commands.launch),
    _post("/run_python", commands.run_python),
    _post("/run_bash_script", commands.run_bash_script),
    _get("/screenshot", screen.screenshot),
    _get("/accessibility", screen.accessibility),
    _get("/terminal", screen.terminal),
    _get("/platform", screen.platform),
    _get("/cursor_position", screen.cursor_position),
    _post("/screen_size", screen.screen_size),
    _post("/wallpaper", screen.wallpaper),
    _post("/setup/change_wallpaper", screen.change_wallpaper),
    _post("/start_recording", screen.start_recording),
    _post("/end_recording", screen.end_recording),
    _post("/window_size", windows.window_size),
    _post("/setup/activate_window", windows.activate_window),
    _post("/setup/close_window", windows.close_window),
    _post("/setup/open_file", open_file.open_file),
    _post("/desktop_path", files.desktop_path),
    _post("/list_directory", files.list_directory),
    _post("/file", files.get_file),
    _post("/setup/upload", files.upload, file=True),
    _post("/setup/download_file", files.download_file),
    _get("/trueline", trueline_endpoints.hello),
    _get("/trueline/windows", trueline_endpoints.windows),
    _get("/trueline/diff", trueline_endpoints.diff),
    RESET,
)


def build_app(served: ServedDesktop, access: Access) -> Starlette:
    """Make the application.

    Raises:
        MissingExtraError: Starlette is not installed.
    """
    try:
        from starlette.applications import Starlette
        from starlette.exceptions import HTTPException
        from starlette.routing import Route
    except ImportError:
        raise MissingExtraError("a desktop over HTTP", "serve") from None
    service = _Service(served, access)
    app = Starlette(
        routes=[
            Route(path, service.answers(endpoint), methods=[endpoint.method])
            for endpoint in ENDPOINTS
            for path in endpoint.paths
        ],
        exception_handlers={HTTPException: _routing_error},
    )
    app.router.redirect_slashes = False
    return app


class _Service:
    """What all requests share."""

    def __init__(self, served: ServedDesktop, access: Access) -> None:
        self._served = served
        self._access = access
        self._once = AtMostOnce()
        self._bodies = BodyMemory(served.settings.max_held)
        self._in_flight = 0
        self._resetting = asyncio.Lock()

    def answers(self, endpoint: Endpoint) -> Callable[[Request], Awaitable[Response]]:
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
            finally:
                self._in_flight -= 1

        return answer

    async def _answer(self, endpoint: Endpoint, request: Request, share: BodyShare) -> Reply:
        self._access.check(request.headers)
        settings = self._served.settings
        if self._in_flight > settings.max_in_flight:
            raise Refused(503, "too many requests at the same time", "busy", {"retry-after": "1"})
        limit = settings.max_upload if endpoint.file else settings.max_body
        body = await read_bytes(request.stream(), limit, settings.body_seconds, share)
        call = ReceivedRequest(request.headers.get("content-type", ""), body)
        id = request.headers.get(HEADER)
        if id is None or endpoint.method != "POST":
            return await self._work(endpoint, call)
        what = endpoint.paths[0].encode() + b"\0" + body
        return await self._once.do(id, what, lambda: self._work(endpoint, call))

    async def _work(self, endpoint: Endpoint, call: ReceivedRequest) -> Reply:
        """Do it. Nothing but a reset goes on while the desktop is reset."""
        try:
            if endpoint is RESET:
                async with self._resetting:
                    return await endpoint.handler(self._served, call)
            if self._resetting.locked():
                async with asyncio.timeout(_RESET_SECONDS), self._resetting:
                    pass
            return await endpoint.handler(self._served, call)
        except Exception as error:
            refused = as_refused(error)
            if refused.kind == "internal":
                _log.error("%s: %s: %s", endpoint.paths[0], type(error).__name__, printable(str(error)))
            return refused.reply()


def _response(reply: Reply) -> Response:
    from starlette.responses import Response

    return Response(reply.content, reply.status, {**_HEADERS, **reply.headers}, reply.media_type)


async def _routing_error(_request: Request, error: Exception) -> Response:
    """What Starlette itself refuses: unknown paths and methods."""
    if getattr(error, "status_code", 404) == 405:
        headers: Mapping[str, str] = getattr(error, "headers", None) or {}
        return _response(Refused(405, f"this path takes {headers.get('Allow', 'another method')} only").reply())
    return _response(Refused(404, "unknown path", "not_found").reply())
