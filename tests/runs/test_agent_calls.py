"""Whose doing an error of an agent's call is."""

from __future__ import annotations

import asyncio

import pytest

from trueline.models import CostLedger, ModelId
from trueline.models.errors import UnpricedError
from trueline.records.end import Unscored
from trueline.runs.agent_calls import call_agent
from trueline.runs.faults import unfinished_reason


def test_a_money_limit_that_cannot_be_kept_is_no_fault_of_the_agent() -> None:
    async def propose() -> None:
        CostLedger(1.0).admit(ModelId(provider="local", model="m"), priced=False)

    with pytest.raises(UnpricedError) as caught:
        asyncio.run(call_agent(propose()))
    assert unfinished_reason(caught.value).reason is Unscored.MODEL_ERROR
