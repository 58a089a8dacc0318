"""How the agent's model is asked to answer, as far as the model takes it."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field

from pydantic import JsonValue

from trueline.cli.run.like import NATIVE
from trueline.errors import InputError
from trueline.models import ModelId, Spec
from trueline.models.families import Misfit, fit_sampling
from trueline.records.setting import Sampling
from trueline.text import printable

_FLAGS = ("temperature", "top_p", "max_tokens", "stop_token")
_FIELDS = {"stop_token": "stop"}


@dataclass(frozen=True)
class AgentSampling:
    """What was asked for, and what is sent of it."""

    asked: Sampling
    sent: Sampling
    unsent: dict[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    """What is left out, for the record."""
    note: str = ""
    """The same for people, in one line."""


def agent_sampling(args: argparse.Namespace, spec: Spec | None) -> AgentSampling:
    """Fit the flags to the agent's model.

    Args:
        args: The flags; `filled` holds those that were put in by default.
        spec: The model of the agent, if there is one.

    Raises:
        InputError: A value that was given by hand is one that the model does not take.
    """
    asked = Sampling(
        temperature=args.temperature, top_p=args.top_p, max_tokens=args.max_tokens, stop=tuple(args.stop_token)
    )
    # Agents of others ask their models themselves; they are given what was asked for.
    if spec is None or args.agent not in ("prompt", *NATIVE):
        return AgentSampling(asked, asked)
    if asked.stop and args.agent in NATIVE and spec.provider not in ("anthropic", "aws"):
        raise InputError(
            f"--stop_token: --agent {args.agent} calls tools, and {spec} takes no stop sequences with them"
        )
    defaults = {_FIELDS.get(name, name) for name in _FLAGS if name in args.filled}
    model = ModelId(provider=spec.provider, model=spec.model)
    fitted = fit_sampling(model, asked, defaults)
    chosen = [misfit for misfit in fitted.misfits if misfit.parameter not in defaults]
    if chosen and args.like != "osharm":
        raise InputError(_refusal(chosen, spec))
    unsent: dict[str, JsonValue] = {name: _plain(value) for name, value in fitted.unsent.items()}
    return AgentSampling(asked, fitted.sampling, unsent, _note(fitted.misfits, spec) if fitted.misfits else "")


def _note(misfits: tuple[Misfit, ...], spec: Spec) -> str:
    named = " and ".join(f"{misfit.parameter} {misfit.value}" for misfit in misfits)
    return printable(f"{spec}: {named} not sent: {_reasons(misfits)}", 500)


def _refusal(misfits: list[Misfit], spec: Spec) -> str:
    flags = " and ".join(f"--{misfit.parameter} {misfit.value}" for misfit in misfits)
    return f"{flags}: {spec} does not take it: {_reasons(misfits)}; leave the flag out"


def _reasons(misfits: tuple[Misfit, ...] | list[Misfit]) -> str:
    return "; ".join(dict.fromkeys(misfit.reason for misfit in misfits))


def _plain(value: object) -> JsonValue:
    return value if isinstance(value, bool | int | float | str) else str(value)
