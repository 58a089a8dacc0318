"""Whether the money limits of a run can be kept."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import TYPE_CHECKING

from trueline.errors import InputError
from trueline.models.errors import UnpricedError

if TYPE_CHECKING:
    from trueline.agents.build import AgentMaker
    from trueline.models import Config, Model


def see_prices(args: argparse.Namespace, config: Config, models: Iterable[Model]) -> None:
    """See that all these models have a price, if there is a limit.

    Raises:
        UnpricedError: One has none.
    """
    from trueline.models.pricing import require_price

    flag = _limit(args)
    for model in models if flag else ():
        try:
            require_price(config.prices, model.id)
        except UnpricedError:
            raise UnpricedError(
                f"{flag}: the price of {model.id} is not known, so the limit could not be kept; "
                "say it in a table with --prices, or leave the flag out"
            ) from None


def see_own_calls(args: argparse.Namespace, maker: AgentMaker) -> None:
    """Refuse a limit for an agent that spends money where nobody sees it.

    Raises:
        InputError: There is such a limit.
    """
    if maker.calls_model and (flag := _limit(args)):
        raise InputError(
            f"{flag}: --agent {args.agent} calls its model by itself, so its spending is not known; leave the flag out"
        )


def _limit(args: argparse.Namespace) -> str | None:
    if args.max_cost is not None:
        return "--max_cost"
    return "--max_episode_cost" if args.max_episode_cost is not None else None
