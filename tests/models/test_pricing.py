"""Money: known or unknown, never a silent zero."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trueline.errors import InputError
from trueline.models.pricing import Price, find_price, load_prices
from trueline.records.usage import Usage


@pytest.mark.parametrize(
    ("provider", "model", "known"),
    [
        ("openai", "gpt-4o", True),
        ("openai", "gpt-4o-2024-11-20", True),
        ("openai", "gpt-4o-audio", False),
        ("openai", "gpt-99", False),
        ("anthropic", "claude-sonnet-4-5-20250929", True),
        ("anthropic", "claude-3-7-sonnet-latest", True),
        ("aws", "us.anthropic.claude-3-7-sonnet-20250219-v1:0", True),
        ("aws", "anthropic.claude-sonnet-4-6", True),
        ("aws", "anthropic.claude-opus-4-6-v1", True),
        ("local", "gpt-4o", False),
        ("vllm", "anything", False),
    ],
)
def test_which_models_have_a_price(provider: str, model: str, known: bool) -> None:
    assert (find_price(load_prices(), provider, model) is not None) is known


def test_a_dated_name_costs_what_the_plain_name_costs() -> None:
    prices = load_prices()
    dated = find_price(prices, "aws", "us.anthropic.claude-sonnet-4-5-20250929-v1:0")
    assert dated == find_price(prices, "anthropic", "claude-sonnet-4-5")


@settings(deadline=None)
@given(
    plain=st.integers(0, 10**6), cached=st.integers(0, 10**6), written=st.integers(0, 10**6), out=st.integers(0, 10**6)
)
def test_each_kind_of_token_has_its_price(plain: int, cached: int, written: int, out: int) -> None:
    price = Price(input=2, cached=0.5, cache_write=2.5, output=8)
    usage = Usage(input_tokens=plain + cached + written, cached_tokens=cached, output_tokens=out)
    dollars = price.cost(usage, written)
    assert dollars == pytest.approx((2 * plain + 0.5 * cached + 2.5 * written + 8 * out) / 10**6)


def test_what_the_table_does_not_say_is_unknown() -> None:
    price = Price(input=1, output=1, up_to=100)
    assert price.cost(Usage(input_tokens=101)) is None
    assert price.cost(Usage(input_tokens=100)) is not None
    assert price.cost(Usage(input_tokens=10, cached_tokens=5)) is None
    assert price.cost(Usage(input_tokens=10), cache_write_tokens=1) is None


def test_a_table_of_ones_own_goes_over_the_packages(tmp_path: Path) -> None:
    mine = tmp_path / "mine.toml"
    mine.write_text(
        '[[price]]\nproviders = ["local", "openai"]\nas_of = 2026-01-01\n'
        'models.gpt-4o = { input = 9, output = 9 }\nmodels."q/w" = { input = 0, output = 0 }\n'
    )
    prices = load_prices(mine)
    assert find_price(prices, "openai", "gpt-4o") == Price(input=9, output=9)
    assert find_price(prices, "local", "q/w") == Price(input=0, output=0)
    assert find_price(prices, "azure", "gpt-4o") == find_price(load_prices(), "azure", "gpt-4o")


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("oops", "TOML"),
        ('[[price]]\nproviders = ["a"]\nmodels = {}', "as_of"),
        ('[[price]]\nproviders = ["a"]\nas_of = 2026-01-01\nmodels.m = { input = -1, output = 1 }', "input"),
        ('[[price]]\nproviders = ["a"]\nas_of = 2026-01-01\nmodels.m = { input = 1, output = 1, x = 1 }', "x"),
    ],
)
def test_a_wrong_table_is_named_with_its_field(tmp_path: Path, text: str, named: str) -> None:
    (tmp_path / "p.toml").write_text(text)
    with pytest.raises(InputError, match=named) as caught:
        load_prices(tmp_path / "p.toml")
    assert "p.toml" in str(caught.value)


def test_a_missing_table_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.toml"):
        load_prices(tmp_path / "none.toml")
