"""What the commands that guard a live agent share: the stages, the narrator, and a guard opened from the flags."""

from __future__ import annotations

import argparse
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from trueline.cli.guard_flags import add_stage_flags, guard_config, model_name, open_models, read_policy
from trueline.cli.parser import Parser
from trueline.errors import InputError

if TYPE_CHECKING:
    from trueline.guard.engine import DeActionGuard
    from trueline.guard.narrative import Narrator
    from trueline.models.types import Model

_NARRATIVE_SECONDS = 60.0


class Opened(NamedTuple):
    """A guard ready to be asked."""

    guard: DeActionGuard
    narrator: Narrator | None
    models: dict[str, Model]
    """All that were opened, by name."""


def add_live_flags(parser: Parser) -> None:
    """Declare the stages. No model is asked unless one is named: the policy stage alone needs no key."""
    add_stage_flags(parser, systematic=None, annotate=True)
    parser.add_argument("--narrative-summary-model", type=model_name, metavar="SPEC",
                        help="provider|model that tells what executed steps did (none)")  # fmt: skip


@asynccontextmanager
async def open_guard(
    args: argparse.Namespace, *, key: bytes | None = None, others: tuple[str | None, ...] = ()
) -> AsyncGenerator[Opened]:
    """Open the guard that the flags describe, and close its models at the end.

    Args:
        args: The flags.
        key: Decides how marks and seals look; by default it is random, so that no screen can foresee them.
        others: Further models to open.

    Raises:
        InputError: A model, a key or a file of rules is missing, or no stage is left.
    """
    import secrets

    from trueline.guard.engine import DeActionGuard
    from trueline.guard.narrative import Narrator
    from trueline.models.build import Config

    policy = read_policy(args)
    names = (args.fast_check_model, args.systematic_analysis_model, args.narrative_summary_model, *others)
    if policy is None and not any(names[:2]):
        raise InputError("no stage is left that could judge; name a model, or leave the policy stage in")
    async with open_models(names, Config()) as models:
        config = replace(guard_config(args, policy, models), key=key or secrets.token_bytes(32))
        narrator = None
        if args.narrative_summary_model:
            narrator = Narrator(models[args.narrative_summary_model], deadline=_NARRATIVE_SECONDS)
        yield Opened(DeActionGuard(config), narrator, models)
