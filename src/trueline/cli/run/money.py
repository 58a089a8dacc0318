"""Whether the money limits of a run can be kept."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from trueline.errors import InputError

if TYPE_CHECKING:
    from trueline.agents.build import AgentMaker


def money_limit(args: argparse.Namespace) -> str | None:
    """The flag that limits the money of the models that play, if one does."""
    if args.max_cost is not None:
        return "--max_cost"
    return "--max_episode_cost" if args.max_episode_cost is not None else None


def see_own_calls(args: argparse.Namespace, maker: AgentMaker) -> None:
    """Refuse a limit for an agent that spends money where nobody sees it.

    Raises:
        InputError: There is such a limit.
    """
    if maker.calls_model and (flag := money_limit(args)):
        raise InputError(
            f"{flag}: --agent {args.agent} calls its model by itself, so its spending is not known; leave the flag out"
        )
