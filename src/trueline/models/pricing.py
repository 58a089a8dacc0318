"""The cost of a call, from a dated price table. A price that is not in the table is unknown, never zero."""

from __future__ import annotations

import datetime as dt
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from trueline.errors import InputError
from trueline.models.errors import UnpricedError
from trueline.models.providers import PROVIDERS, runs_in_process
from trueline.models.types import ModelId
from trueline.models.wire import DecodedResponse
from trueline.records.usage import Usage
from trueline.validation import describe_validation_error

_DATED = re.compile(r"-(\d{4}-\d{2}-\d{2}|\d{8}|latest)$")
_BEDROCK = re.compile(r"^(?:[a-z]+\.)?anthropic\.(.+?)(?:-v\d+(?::\d+)?)?$")
_MILLION = 1_000_000


class Price(BaseModel):
    """US dollars for a million tokens."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    input: float = Field(ge=0)
    output: float = Field(ge=0)
    cached: float | None = Field(default=None, ge=0)
    cache_write: float | None = Field(default=None, ge=0)
    up_to: int | None = None
    """Above this many input tokens another price applies."""

    def cost(self, usage: Usage, cache_write_tokens: int = 0) -> float | None:
        """US dollars for this usage; None when the table has no price for it."""
        if self.up_to is not None and usage.input_tokens > self.up_to:
            return None
        if (usage.cached_tokens and self.cached is None) or (cache_write_tokens and self.cache_write is None):
            return None
        plain = max(0, usage.input_tokens - usage.cached_tokens - cache_write_tokens)
        dollars = (
            plain * self.input
            + usage.cached_tokens * (self.cached or 0)
            + cache_write_tokens * (self.cache_write or 0)
            + usage.output_tokens * self.output
        )
        return dollars / _MILLION


class _Block(BaseModel):
    model_config = ConfigDict(extra="forbid")

    providers: list[str]
    as_of: dt.date
    models: dict[str, Price]


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid")

    price: list[_Block]


Prices = Mapping[tuple[str, str], Price]
"""By provider and model."""


def load_prices(*files: Path) -> Prices:
    """Read the built-in price table, then the user's tables, which override it and have the same format."""
    prices: dict[tuple[str, str], Price] = {}
    builtin = resources.files("trueline.models").joinpath("prices.toml").read_text(encoding="utf-8")
    for name, text in (("prices.toml", builtin), *((str(file), _read(file)) for file in files)):
        try:
            table = _Table.model_validate(tomllib.loads(text))
        except tomllib.TOMLDecodeError as e:
            raise InputError(f"{name}: invalid TOML: {e}") from None
        except ValidationError as e:
            raise InputError(f"{name}: {describe_validation_error(e)}") from None
        for block in table.price:
            prices |= {
                (provider, model): price for provider in block.providers for model, price in block.models.items()
            }
    return prices


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as e:
        raise InputError(f"{file}: the price table cannot be read ({type(e).__name__})") from None


def find_price(prices: Prices, provider: str, model: str) -> Price | None:
    """Find the price of a model: by its name, else by its name without the date."""
    if provider == "aws" and (match := _BEDROCK.match(model)):
        model = match[1]
    return prices.get((provider, model)) or prices.get((provider, _DATED.sub("", model)))


def require_price(prices: Prices, model: ModelId) -> None:
    """Check that a budget can be enforced for a model. Models that run in this process cost nothing.

    Raises:
        UnpricedError: Its price is unknown.
    """
    if not runs_in_process(model.provider) and not Pricer(prices, model.provider, model.model).has_price:
        raise unpriced(model)


def unpriced(model: ModelId) -> UnpricedError:
    """Make the error for a model whose price is unknown although there is a budget."""
    return UnpricedError(f"{model}: its price is unknown, so the budget cannot be enforced; add a price table")


@dataclass(frozen=True)
class Pricer:
    """Computes what the calls of one model cost."""

    prices: Prices = field(repr=False)
    provider: str
    model: str

    @property
    def _reports_cost(self) -> bool:
        return self.provider in PROVIDERS and PROVIDERS.find(self.provider).reports_cost

    @property
    def _deployments(self) -> bool:
        return self.provider in PROVIDERS and PROVIDERS.find(self.provider).deployments

    @property
    def has_price(self) -> bool:
        """Whether the cost of calls will be known, so that a budget can be enforced."""
        return self._reports_cost or find_price(self.prices, self.provider, self.model) is not None

    def cost(self, decoded: DecodedResponse) -> float | None:
        """US dollars for an answer, or None."""
        usage = decoded.answer.usage
        if usage.cost is not None or usage.uncounted:
            return usage.cost
        if self._reports_cost:
            return decoded.reported_cost
        # A deployment may have any name; what it says it is comes first.
        names = (decoded.answer.model, self.model) if self._deployments else (self.model,)
        found = (find_price(self.prices, self.provider, name) for name in names)
        price = next((price for price in found if price), None)
        return price.cost(usage, decoded.cache_write_tokens) if price else None
