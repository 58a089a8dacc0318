"""Sampling parameters of the agent's model, as far as the model takes them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from pydantic import JsonValue

from trueline.agents.registry import Asks
from trueline.errors import RequestError
from trueline.models import ModelId, Spec
from trueline.models.families import Misfit, fit_sampling
from trueline.models.providers import speaks_messages
from trueline.records.setting import Sampling
from trueline.runs.request import RunRequest
from trueline.text import printable

_FIELDS = {"temperature": "temperature", "top_p": "top_p", "max_tokens": "max_tokens", "stop_token": "stop"}


@dataclass(frozen=True)
class AgentSampling:
    """The requested sampling parameters, and those that are sent."""

    asked: Sampling
    sent: Sampling
    unsent: dict[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    """The parameters that are not sent, for the record."""
    note: str = ""
    """The same for people, in one line."""


def agent_sampling(
    request: RunRequest, asks: Asks | None, defaults: Collection[str], spec: Spec | None
) -> AgentSampling:
    """Limit the requested parameters to those the agent's model takes.

    Args:
        request: What was asked for, complete.
        asks: How the agent asks its model.
        defaults: The fields of it that hold a default.
        spec: The model of the agent, if there is one.

    Raises:
        RequestError: A value that was given by hand is one that the model does not take.
    """
    asked = Sampling(
        temperature=request.temperature,
        top_p=request.top_p,
        max_tokens=request.max_tokens,
        stop=request.stop_token,
    )
    if spec is None or asks not in ("messages", "computer_tool"):
        # An agent that asks its model in a way of its own is given what was asked for.
        return AgentSampling(asked, asked)
    if asked.stop and asks == "computer_tool" and not speaks_messages(spec.provider):
        raise RequestError(
            f"`stop_token`: `agent` {request.agent} calls tools, and {spec} takes no stop sequences with them"
        )
    by_default = {name for field_name, name in _FIELDS.items() if field_name in defaults}
    model = ModelId(provider=spec.provider, model=spec.model)
    fitted = fit_sampling(model, asked, by_default)
    by_hand = [misfit for misfit in fitted.misfits if misfit.parameter not in by_default]
    if by_hand and request.like != "osharm":
        raise RequestError(_refusal(by_hand, spec))
    unsent: dict[str, JsonValue] = {name: _plain(value) for name, value in fitted.unsent.items()}
    return AgentSampling(asked, fitted.sampling, unsent, _note(fitted.misfits, spec) if fitted.misfits else "")


def _note(misfits: tuple[Misfit, ...], spec: Spec) -> str:
    named = " and ".join(f"{misfit.parameter} {misfit.value}" for misfit in misfits)
    return printable(f"{spec}: {named} not sent: {_reasons(misfits)}", 500)


def _refusal(misfits: list[Misfit], spec: Spec) -> str:
    fields = " and ".join(f"`{misfit.parameter}` {misfit.value}" for misfit in misfits)
    return f"{fields}: {spec} does not take it: {_reasons(misfits)}; leave it out"


def _reasons(misfits: tuple[Misfit, ...] | list[Misfit]) -> str:
    return "; ".join(dict.fromkeys(misfit.reason for misfit in misfits))


def _plain(value: object) -> JsonValue:
    return value if isinstance(value, bool | int | float | str) else str(value)
