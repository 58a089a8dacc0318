"""Decides which requests pass, are judged, or are refused."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Mapping
from contextlib import AsyncExitStack
from typing import Literal

import orjson

from trueline.desktop.osworld import Address, OSWorldDesktop, Patience
from trueline.desktop.osworld.http import Http, MachineAnswer, MachineRequest
from trueline.desktop.osworld.machine import ACTION_ID
from trueline.desktop.serve.replies import JSON, TEXT, ReceivedRequest, Refused, Reply, as_json
from trueline.desktop.types import ActionInterrupted, ActionTimeout, DesktopLost
from trueline.errors import TruelineError
from trueline.guard.proxy.episode import Episode
from trueline.guard.proxy.journal import ProxyJournal
from trueline.guard.proxy.requested_actions import RequestedActions
from trueline.guard.proxy.settings import ProxySettings
from trueline.guard.session import Session
from trueline.guard.types import Guard

Method = Literal["GET", "POST"]

_LOOK = Patience(read=10.0, tries=2)
_NO_SESSION = (
    "Not run: no session has begun, so nobody can judge it. POST /trueline/session with the instruction, "
    "or start the proxy with --instruction."
)


class Gate:
    """Guards one machine, with at most one session at a time."""

    def __init__(
        self, upstream: Address, token: str | None, guard: Guard, settings: ProxySettings, journal: ProxyJournal | None
    ) -> None:
        self.settings = settings
        self._upstream = upstream
        self._token = token
        self._guard = guard
        self._journal = journal
        self._http = Http(upstream.url(upstream.server), token, _LOOK)
        self._lock = asyncio.Lock()
        """Held while something is judged and run, and while a session begins or ends."""
        self._episode: Episode | None = None
        self._eyes = AsyncExitStack()
        self._waiting: tuple[str, str | None] | None = None
        """Instruction and domain of a session that begins with the agent's first action."""

    async def close(self) -> None:
        """End the session and close the connections, also under what is still going on."""
        await self._end()
        await self._http.close()

    @property
    def session(self) -> Session | None:
        """The session at hand."""
        return self._episode and self._episode.session

    async def begin(self, instruction: str, domain: str | None = None) -> Session:
        """Begin a session; one that is under way ends.

        Raises:
            Refused: The machine cannot be reached, or is none that can be looked at.
        """
        async with self._lock:
            return (await self._begin(instruction, domain)).session

    def begin_later(self, instruction: str, domain: str | None = None) -> None:
        """Begin a session with the agent's first action."""
        self._waiting = (instruction, domain)

    async def end(self) -> None:
        """End the session, if there is one."""
        async with self._lock:
            await self._end()

    async def pass_on(self, method: Method, path: str, call: ReceivedRequest) -> Reply:
        """Forward a request without judging it."""
        headers = {"content-type": call.content_type} if call.content_type else {}
        seconds = self.settings.read_seconds if method == "GET" else self.settings.work_seconds
        try:
            return await self._ask(method, path, call.body, headers, seconds, self.settings.max_answer)
        except TruelineError as error:
            raise _unanswered(error) from error

    async def set_up(self, path: str, call: ReceivedRequest) -> Reply:
        """Forward a set-up request; refused within a session."""
        async with self._lock:
            if self._episode is not None:
                raise Refused(403, f"{path} is closed while a session is under way", "closed")
            return await self.pass_on("POST", path, call)

    async def run(self, path: str, wanted: RequestedActions, key: bytes, *, side: bool, id: str | None) -> Reply:
        """Judge a request that runs code, and forward it if it may run.

        Args:
            path: How it comes.
            wanted: What it would run.
            key: The name of the request.
            side: It comes by another way than agents' actions usually do.
            id: What the client calls it, so that the machine does it once.
        """
        async with self._lock:
            if wanted.is_question:
                return await self._send(path, wanted, id)
            if self._episode is None and wanted.by_agent and not side and self._waiting is not None:
                await self._begin(*self._waiting)
            episode = self._episode
            if episode is None:
                if wanted.by_agent and not path.startswith("/setup/") and self.settings.without_session == "refuse":
                    return _failed(path, _NO_SESSION)
                return await self._send(path, wanted, id)
            if side and self.settings.side_doors == "closed":
                raise Refused(
                    403, f"{path} is closed while a session is under way; --side_doors guarded judges it", "closed"
                )
            ruling = await episode.judge(key, path, wanted)
            if ruling.check is None:
                return _failed(path, ruling.text)
            try:
                reply = await self._send(path, wanted, id)
            except Refused:
                await episode.ran(ruling.check, ran=False)
                raise
            await episode.ran(ruling.check)
            return reply

    async def _send(self, path: str, wanted: RequestedActions, id: str | None) -> Reply:
        """Send what was read, once. A Refused means that nothing was sent."""
        headers = {"content-type": JSON, ACTION_ID: id or uuid.uuid4().hex}
        try:
            content, settings = orjson.dumps(wanted.document), self.settings
            return await self._ask("POST", path, content, headers, settings.work_seconds, settings.max_output)
        except DesktopLost as error:
            raise _unanswered(error) from error
        except TruelineError as error:
            return _failed(path, f"{error}; it may have been done")

    async def _ask(
        self, method: Method, path: str, content: bytes, headers: Mapping[str, str], seconds: float, limit: int
    ) -> Reply:
        request = MachineRequest(method, path, content=content, headers=headers, limit=limit)
        answer = await self._http.forward(request, seconds)
        if answer.status == 401:
            raise DesktopLost(f"{self._upstream.host}: requires a token; set TRUELINE_DESKTOP_TOKEN for the proxy")
        return Reply(answer.body, answer.status, _media_type(answer))

    async def _begin(self, instruction: str, domain: str | None) -> Episode:
        desktop = OSWorldDesktop(self._upstream, token=self._token, patience=_LOOK)
        eyes = AsyncExitStack()
        try:
            await eyes.enter_async_context(desktop)
        except TruelineError as error:
            raise _unanswered(error) from error
        await self._end()
        self._eyes = eyes
        settings = self.settings
        session = Session(
            self._guard,
            instruction,
            domain=domain,
            on_error=settings.on_error,
            narrator=settings.narrator,
            timeout_s=settings.check_seconds,
        )
        self._waiting = None
        self._episode = Episode(desktop, session, settings, self._journal)
        return self._episode

    async def _end(self) -> None:
        episode, self._episode = self._episode, None
        self._waiting = None
        if episode is not None:
            await episode.session.close()
        await self._eyes.aclose()


def _media_type(answer: MachineAnswer) -> str:
    """The type of an answer; OSWorld's server says text/html of plain texts, in which a path could be a script."""
    return TEXT if answer.media_type.startswith("text/") else answer.media_type or "application/octet-stream"


def _failed(path: str, text: str) -> Reply:
    """Say that a command failed.

    It is HTTP 200 with a return code of 1: OSWorld's client sends again whatever else it hears. What starts a program
    has no return code, and its client sends nothing again.
    """
    match path:
        case "/setup/launch":
            return Refused(403, text, "blocked").reply()
        case "/run_python":
            said = {"status": "error", "message": text, "need_more": False, "output": "", "error": text}
            return as_json({**said, "return_code": 1})
        case "/run_bash_script":
            return as_json({"status": "error", "output": text, "error": text, "returncode": 1})
        case _:
            return as_json({"status": "success", "output": "", "error": text, "returncode": 1})


def _unanswered(error: TruelineError) -> Refused:
    """What the client hears when the machine did not answer."""
    match error:
        case DesktopLost():
            return Refused(503, str(error), "lost")
        case ActionTimeout():
            return Refused(504, str(error), "timeout")
        case ActionInterrupted():
            return Refused(502, str(error), "interrupted")
        case _:
            return Refused(502, str(error))
