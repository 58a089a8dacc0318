"""The guard as an MCP server: a tool that an agent's host calls before it executes an action. Needs the extra `mcp`.

Whoever calls the tool may be the agent that the guard should stop. So the instruction of a session is fixed with its
first check, and an operator can fix it before, together with the files that show the real screen. A fixed instruction
is one episode: a caller cannot spread it over sessions. In which vocabulary actions are executed only the operator
says, for read in another one they could look harmless. And everything that was allowed counts as executed, because a
report that it was not could be a lie.
"""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Protocol

from pydantic import Field, JsonValue

from trueline import __version__
from trueline.errors import InputError, MissingExtraError, TruelineError
from trueline.guard.check_answer import CheckAnswer
from trueline.guard.config import OnError
from trueline.guard.incoming import ActionFormat, read_observation, read_proposal
from trueline.guard.incoming.screen import MAX_TREE, read_base64
from trueline.guard.session import KEEP_BYTES, Session, TellsSteps
from trueline.guard.types import Guard
from trueline.records.observation import Observation

MAX_SESSIONS = 64
_KEEP_BYTES_OF_MANY = KEEP_BYTES // 8
_MAX_SCREENSHOT = 32 * 1024 * 1024

SessionName = Annotated[
    str, Field(min_length=1, max_length=64, description="Names the episode, where the operator has not fixed it.")
]
_ONLY = "operator"
"""Name of the only session when the instruction is fixed."""
_HOW = (
    "Call check_action with the exact action before executing it, and execute it only if `allowed` is true. "
    "Every error means that it must not be executed. What is allowed counts as executed."
)


class McpServer(Protocol):
    """The part of `mcp.server.MCPServer` that is used."""

    async def run_stdio_async(self) -> None:
        """Serve on stdin and stdout until stdin closes."""
        ...

    def tool(self) -> Callable[[Callable[..., Any]], object]:
        """Return a decorator that registers a tool."""
        ...


@dataclass(frozen=True)
class McpSettings:
    """Settings that callers cannot change."""

    instruction: str | None = None
    """The user's instruction, with one session for all checks; if not set, the first check of a session gives it."""
    format: ActionFormat = "auto"
    """The format of the actions; `auto` detects it."""
    screenshot: Path | None = None
    """The file that holds the current screenshot; then callers may not send one."""
    tree: Path | None = None
    """The file that holds the current accessibility tree; then callers may not send one."""
    on_error: OnError = "block"
    narrator: TellsSteps | None = None


class _Desk:
    """The sessions of one client."""

    def __init__(self, guard: Guard, settings: McpSettings) -> None:
        self._guard = guard
        self._settings = settings
        self._sessions: dict[str, Session] = {}

    def begin(self, name: str, instruction: str | None) -> Session:
        """Return a session; the first call creates it."""
        fixed = self._settings.instruction
        wanted = fixed or instruction
        if fixed is not None and instruction not in (None, fixed):
            raise InputError("instruction: set by the operator; leave it out")
        name = name if fixed is None else _ONLY
        session = self._sessions.get(name)
        if session is None:
            if not wanted:
                raise InputError("instruction: the first check of a session must say what the user wants")
            if len(self._sessions) >= MAX_SESSIONS:
                raise InputError(f"session: {MAX_SESSIONS} sessions are open; reuse one of them")
            session = Session(
                self._guard,
                wanted,
                on_error=self._settings.on_error,
                narrator=self._settings.narrator,
                keep_bytes=_KEEP_BYTES_OF_MANY if fixed is None else KEEP_BYTES,
            )
            self._sessions[name] = session
        elif wanted not in (None, session.instruction):
            raise InputError("instruction: it cannot be changed within a session")
        return session

    def observe(self, screenshot: str | None, tree: str | None) -> Observation:
        """Read the screen from where the operator says, else from what the caller sends."""
        declared = self._settings
        if (declared.screenshot and screenshot) or (declared.tree and tree):
            raise InputError("screenshot: the operator provides the screen; send neither screenshot nor tree")
        picture = read_base64(screenshot) if screenshot else None
        if declared.screenshot:
            picture = _read(declared.screenshot, _MAX_SCREENSHOT, "screenshot")
        if declared.tree:
            tree = _read(declared.tree, 4 * MAX_TREE, "tree").decode("utf-8", "replace")
        return read_observation(picture, tree=tree)


def build_server(guard: Guard, settings: McpSettings | None = None) -> McpServer:
    """Make the server; `run_stdio_async` runs it.

    Raises:
        MissingExtraError: The MCP package is not installed.
    """
    try:
        mcp = importlib.import_module("mcp.server")
        tool_error: type[Exception] = importlib.import_module("mcp.server.mcpserver.exceptions").ToolError
    except ImportError:
        raise MissingExtraError("the guard as an MCP server", "mcp") from None
    settings = settings or McpSettings()
    desk = _Desk(guard, settings)
    server: McpServer = mcp.MCPServer("trueline-guard", version=__version__, instructions=_HOW, log_level="ERROR")

    async def check_action(
        action: Annotated[JsonValue, Field(description="The action exactly as it would be executed.")],
        instruction: Annotated[str | None, Field(max_length=50_000, description="What the user wants.")] = None,
        session: SessionName = "main",
        screenshot: Annotated[str | None, Field(description="The current screen, a picture in base64.")] = None,
        tree: Annotated[str | None, Field(description="The accessibility tree as OSWorld's XML.")] = None,
        thought: Annotated[str | None, Field(max_length=100_000)] = None,
    ) -> CheckAnswer:
        """Judge an action of a computer-use agent before it is executed. Execute it only if `allowed` is true."""
        try:
            episode = desk.begin(session, instruction)
            observation = await asyncio.to_thread(desk.observe, screenshot, tree)
            proposal = read_proposal(
                action, id=episode.new_id(), format=settings.format, screen=observation.screen, thought=thought
            )
            return CheckAnswer.from_outcome(await episode.check(observation, proposal))
        except TruelineError as error:
            raise tool_error(f"not allowed: {error}") from None

    server.tool()(check_action)
    return server


def _read(path: Path, limit: int, name: str) -> bytes:
    """Read the operator's file; errors do not reveal its path."""
    try:
        with path.open("rb") as file:
            data = file.read(limit + 1)
    except OSError as error:
        raise InputError(f"{name}: the operator's file cannot be read ({error.strerror})") from None
    if len(data) > limit:
        raise InputError(f"{name}: the operator's file has more than {limit} bytes")
    return data
