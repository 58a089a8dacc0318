"""Calls to an agent, which may be third-party code: its errors, results and time limits are sorted out here."""

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
"""Seconds that an agent gets to finish when its time is up or it is closed."""


async def call_agent(call: Awaitable[T]) -> T:
    """Wait for an agent. Errors of its model or the desktop are raised as they are; all others are its own.

    Raises:
        AgentFailed: It is.
    """
    task = asyncio.ensure_future(call)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError as error:
        if not ended_from_outside():
            raise AgentFailed("it was cancelled (CancelledError)") from error
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
    """Close an agent in bounded time; returns the error, if any, which affects no result."""
    try:
        async with asyncio.timeout(GRACE_S):
            await close_agent(agent)
    except TimeoutError:
        return f"it was not closed within {GRACE_S:g} s"
    except Exception as error:
        return describe_error(error)
    return None
