"""Whether a money limit can be kept for the models that are asked."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from trueline.models.errors import UnpricedError

if TYPE_CHECKING:
    from trueline.models.pricing import Prices
    from trueline.models.types import ModelId


def see_prices(flag: str | None, prices: Prices, models: Iterable[ModelId]) -> None:
    """See that all these models have a price, if there is a limit; `flag` is the one that sets it.

    Raises:
        UnpricedError: One has none.
    """
    from trueline.models.pricing import require_price

    for model in models if flag else ():
        try:
            require_price(prices, model)
        except UnpricedError:
            raise UnpricedError(
                f"{flag}: the price of {model} is not known, so the limit could not be kept; "
                "say it in a table with --prices, or leave the flag out"
            ) from None
