"""Who spent what, and the limit that stops it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from trueline.errors import InputError
from trueline.models import BudgetSpentError, CostLedger, Model, ModelId, Request, user
from trueline.models.testing import FakeServer, Say
from trueline.records.usage import Usage

if TYPE_CHECKING:
    from models.conftest import Lab

ID = ModelId(provider="openai", model="gpt-4o")
ASK = Request(messages=(user("hi"),))


def charged(ledger: CostLedger, cost: float | None, **who: str) -> None:
    ledger.add(ID, ASK.model_copy(update=who), Usage(input_tokens=10, calls=1, cost=cost))


def test_usage_is_added_up_by_episode_purpose_and_stage() -> None:
    ledger = CostLedger()
    charged(ledger, 1.0, episode="a", purpose="guard", stage="fast_check")
    charged(ledger, 2.0, episode="a", purpose="guard", stage="analysis")
    charged(ledger, 4.0, episode="b", purpose="agent")
    assert {name: usage.cost for name, usage in ledger.by("episode").items()} == {"a": 3.0, "b": 4.0}
    assert {name: usage.cost for name, usage in ledger.by("purpose").items()} == {"guard": 3.0, "agent": 4.0}
    assert ledger.by("stage")["fast_check"].cost == 1.0
    assert ledger.by("model")["openai|gpt-4o"].calls == 3
    assert ledger.total(lambda e: e.episode == "a" and e.stage == "analysis").cost == 2.0
    assert ledger.total().input_tokens == 30


def test_an_unknown_cost_makes_the_sum_unknown_and_nothing_costs_nothing() -> None:
    ledger = CostLedger()
    assert ledger.total().cost == 0
    charged(ledger, 1.0)
    charged(ledger, None)
    assert ledger.total().cost is None
    assert ledger.spent == 1.0


def test_a_money_limit_stops_before_the_next_call(lab: Lab) -> None:
    server = FakeServer(default=Say(input_tokens=1_000_000, output_tokens=0))
    ledger = CostLedger(limit=5)

    async def talk(model: Model) -> None:
        await model.ask(ASK)
        await model.ask(ASK)
        for _ in range(2):
            with pytest.raises(BudgetSpentError, match=r"\$5"):
                await model.ask(ASK)

    lab.session("openai", server, talk, config=lambda server: lab.config(server, ledger=ledger))
    assert server.count == 2
    assert ledger.spent == pytest.approx(5)


def test_a_limit_that_could_not_be_kept_is_refused_before_anything_is_sent(lab: Lab) -> None:
    server = FakeServer()
    with pytest.raises(InputError, match=r"local\|any.*price"):
        lab.run("local", server, ASK, config=lambda server: lab.config(server, ledger=CostLedger(limit=5)))
    assert server.count == 0


def test_a_negative_limit_is_refused() -> None:
    with pytest.raises(InputError):
        CostLedger(limit=-1)
