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
    from trueline.guard.bench import Detector
    from trueline.guard.config import GuardConfig
    from trueline.guard.narrative import Narrator
    from trueline.guard.types import Guard
    from trueline.models.types import Model

_NARRATIVE_SECONDS = 60.0


class Opened(NamedTuple):
    """A guard ready to be asked."""

    guard: Guard
    config: GuardConfig
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
    args: argparse.Namespace,
    *,
    detector: Detector = "deaction",
    key: bytes | None = None,
    others: tuple[str | None, ...] = (),
) -> AsyncGenerator[Opened]:
    """Open the guard that the flags describe, and close its models at the end.

    Args:
        args: The flags.
        detector: Who judges.
        key: Decides how marks and seals look; by default it is random, so that no screen can foresee them.
        others: Further models to open.

    Raises:
        InputError: A model, a key or a file of rules is missing, or nobody is left to judge.
    """
    import secrets

    from trueline.guard.bench import Models, make_detector
    from trueline.guard.narrative import Narrator
    from trueline.models.build import Config

    policy = read_policy(args) if detector in ("deaction", "policy") else None
    names = Models(args.systematic_analysis_model, args.fast_check_model, args.narrative_summary_model)
    names = names.for_detector(detector)
    if detector in ("deaction", "policy") and not (policy or names.systematic or names.fast):
        raise InputError("no stage is left that could judge; name a model, or leave the policy stage in")
    if detector in ("task-shield", "inferact") and not names.systematic:
        raise InputError(f"--detector {detector} asks a model: name it with --systematic_analysis_model")
    async with open_models((names.systematic, names.fast, names.narrative, *others), Config()) as models:
        used = models if names.systematic or names.fast else {}
        config = replace(guard_config(args, policy, used), key=key or secrets.token_bytes(32))
        guard = make_detector(detector, config, models.get(names.systematic or ""))
        narrator = Narrator(models[names.narrative], deadline=_NARRATIVE_SECONDS) if names.narrative else None
        yield Opened(guard, config, narrator, models)
