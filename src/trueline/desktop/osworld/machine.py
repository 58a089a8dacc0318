"""What can be asked of a machine: the requests of the protocol, and what their answers must look like."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict, TypeAdapter

from trueline.desktop.osworld import untrusted_answers
from trueline.desktop.osworld.http import MIB, Http, MachineRequest, Malformed
from trueline.desktop.perturbations.model import Applied
from trueline.desktop.types import ActionInterrupted, Capability, Change, DesktopError, NotSupported, Window
from trueline.records.tree import Size, Tree

COMMAND_SECONDS = 120.0
"""What the server gives a command."""
GRACE = 10.0
"""Seconds in which the server must have answered beyond that."""
_UPLOAD_SECONDS = 600.0
_SETUP_SECONDS = 130.0
_FILM = 1024 * MIB
ACTION_ID = "X-Trueline-Action-Id"
PARTIAL = "x-trueline-partial"
"""Header that our own server sends with an incomplete tree."""


class _Answer(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class Hello(_Answer):
    """The self-description of our own server."""

    trueline: str
    capabilities: frozenset[str] = frozenset()
    perturbation: Applied | None = None
    """How its desktop was made to look otherwise."""


class Executed(_Answer):
    """The result of a command."""

    output: str = ""
    error: str = ""
    returncode: int
    truncated: bool = False


class _ScreenSize(_Answer):
    width: int
    height: int


class _Windows(_Answer):
    windows: tuple[Window, ...]


class _Changes(_Answer):
    changes: tuple[Change, ...]


_HELLO, _EXECUTED, _SIZE = TypeAdapter(Hello), TypeAdapter(Executed), TypeAdapter(_ScreenSize)
_WINDOWS, _CHANGES = TypeAdapter(_Windows), TypeAdapter(_Changes)


class Machine:
    """One machine. Reads are retried; requests that change something are sent once."""

    def __init__(self, http: Http) -> None:
        self._http = http

    async def close(self) -> None:
        """Close the connections."""
        await self._http.close()

    async def hello(self) -> Hello | None:
        """The server's self-description; `None` if it is not our own."""
        try:
            return await self._http.read(
                MachineRequest("GET", "/trueline"), lambda body: untrusted_answers.read_json(body, _HELLO)
            )
        except NotSupported:
            return None

    async def platform(self) -> str:
        """`Linux`, `Windows` or `Darwin`."""
        return await self._http.read(
            MachineRequest("GET", "/platform", limit=1000), lambda body: body.decode("utf-8", "replace").strip()
        )

    async def screenshot(self) -> tuple[bytes, Size]:
        """The screen as PNG, and its size."""
        return await self._http.read(MachineRequest("GET", "/screenshot", limit=64 * MIB), untrusted_answers.read_png)

    async def tree(self) -> tuple[Tree, bool]:
        """The accessibility tree, and whether something is missing from it, as far as the server says."""
        request = MachineRequest("GET", "/accessibility", limit=64 * MIB)
        return await self._http.read_answer(
            request, lambda got: (untrusted_answers.read_tree(got.body), PARTIAL in got.headers)
        )

    async def screen_size(self) -> Size:
        """The size of the screen."""
        size = await self._http.read(
            MachineRequest("POST", "/screen_size"), lambda body: untrusted_answers.read_json(body, _SIZE)
        )
        return Size(size.width, size.height)

    async def file(self, path: str, limit: int) -> bytes:
        """The content of a file."""
        request = MachineRequest("POST", "/file", form={"file_path": path}, limit=limit)
        return await self._http.read(request, lambda body: body)

    async def windows(self) -> tuple[Window, ...]:
        """The windows; only our own server."""
        request = MachineRequest("GET", "/trueline/windows")
        return (await self._http.read(request, lambda body: untrusted_answers.read_json(body, _WINDOWS))).windows

    async def changes(self) -> tuple[Change, ...]:
        """What changed since the start; only our own server."""
        request = MachineRequest("GET", "/trueline/diff")
        return (await self._http.read(request, lambda body: untrusted_answers.read_json(body, _CHANGES))).changes

    async def ask(self, command: Sequence[str]) -> Executed:
        """Run a command that changes nothing: it is tried again when it fails."""
        request = MachineRequest("POST", "/execute", json={"command": list(command), "shell": False})
        return await self._http.read(request, lambda body: untrusted_answers.read_json(body, _EXECUTED))

    async def execute(
        self, command: Sequence[str], seconds: float = COMMAND_SECONDS, *, id: str | None = None
    ) -> Executed:
        """Run a command once and wait for its end."""
        headers = {} if id is None else {ACTION_ID: id}
        request = MachineRequest("POST", "/execute", json={"command": list(command), "shell": False}, headers=headers)
        body = await self._http.do(request, seconds + GRACE)
        try:
            return untrusted_answers.read_json(body, _EXECUTED)
        except Malformed as error:
            raise ActionInterrupted(f"/execute: {error}; the command may have run") from error

    async def upload(self, path: str, content: bytes) -> None:
        """Write a file, making its folders."""
        request = MachineRequest(
            "POST", "/setup/upload", form={"file_path": path}, file={"file_data": ("file", content)}
        )
        await self._http.do(request, _UPLOAD_SECONDS)

    async def start_recording(self) -> None:
        """Begin to record the screen."""
        await self._http.do(MachineRequest("POST", "/start_recording"), _SETUP_SECONDS)

    async def end_recording(self) -> bytes:
        """End the recording; return the video."""
        film = await self._http.do(MachineRequest("POST", "/end_recording", limit=_FILM), _SETUP_SECONDS)
        if film[4:8] != b"ftyp":
            raise DesktopError("/end_recording: the answer is not an MP4")
        return film

    async def reset(self) -> None:
        """Start afresh; only our own server."""
        await self._http.do(MachineRequest("POST", "/trueline/reset"), _SETUP_SECONDS)


def capabilities_of(hello: Hello | None) -> frozenset[Capability]:
    """The capabilities of a server: ours reports them, OSWorld's has recording only."""
    if hello is None:
        return frozenset({Capability.RECORD})
    return frozenset({Capability.DIFF, Capability.RESET, Capability.RECORD} & hello.capabilities)
