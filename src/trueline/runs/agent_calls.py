"""Calling an agent, which may be anybody's code: what it raises, returns and refuses to end is told apart here."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

from trueline.agents.types import Agent, close_agent
from trueline.desktop.types import DesktopError
from trueline.errors import TruelineError
from trueline.guard.stages import ended_from_outside
from trueline.models.errors import MissingKeyError, ModelError, UnpricedError, UnsupportedError
from trueline.records.proposal import Proposal
from trueline.runs.faults import describe_error
from trueline.runs.types import AgentFailed

T = TypeVar("T")

GRACE_S = 5.0
"""Seconds that an agent whose time is up, or that is closed, gets to end what it does."""


async def call_agent(call: Awaitable[T]) -> T:
    """Wait for an agent; what goes wrong with its model or the desktop is no fault of its own.

    Raises:
        AgentFailed: It is.
    """
    task = asyncio.ensure_future(call)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError as error:
        if not ended_from_outside():
            raise AgentFailed("it gave up (CancelledError)") from error
        # One that takes no notice is left behind: whoever waits must not be held by it.
        task.cancel()
        task.add_done_callback(lambda done: done.cancelled() or done.exception())
        await asyncio.wait([task], timeout=GRACE_S)
        raise
    except (ModelError, MissingKeyError, UnpricedError, UnsupportedError, DesktopError):
        raise
    except Exception as error:
        raise AgentFailed(str(error) if isinstance(error, TruelineError) else describe_error(error)) from error


async def ask_proposal(call: Awaitable[object]) -> Proposal:
    """Wait for a proposal.

    Raises:
        AgentFailed: The agent gave something else, or went wrong.
    """
    given = await call_agent(call)
    if not isinstance(given, Proposal):
        raise AgentFailed(f"it must return a Proposal, not {type(given).__name__}")
    return given


async def close(agent: Agent) -> str | None:
    """Have an agent give back what it holds, in bounded time; returns what went wrong, which harms no result."""
    try:
        async with asyncio.timeout(GRACE_S):
            await close_agent(agent)
    except TimeoutError:
        return f"it was not closed within {GRACE_S:g} s"
    except Exception as error:
        return describe_error(error)
    return None
