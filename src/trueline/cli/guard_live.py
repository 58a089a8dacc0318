"""What the commands that guard a live agent share: the stages, the narrator, and a guard opened from the flags."""

from __future__ import annotations

import argparse
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from trueline.cli.guard_flags import (
    add_stage_flags,
    guard_config,
    model_name,
    open_models,
    read_policy,
    see_that_somebody_judges,
)
from trueline.cli.parser import FlagGroup
from trueline.errors import InputError

if TYPE_CHECKING:
    from trueline.guard.bench import Detector
    from trueline.guard.config import GuardConfig
    from trueline.guard.narrative import Narrator
    from trueline.guard.policy import PolicyStage
    from trueline.guard.types import Guard
    from trueline.models.build import Config
    from trueline.models.types import Model

_NARRATIVE_SECONDS = 60.0


class Opened(NamedTuple):
    """A guard ready to be asked."""

    guard: Guard
    config: GuardConfig
    policy: PolicyStage | None
    narrator: Narrator | None
    models: dict[str, Model]
    """All that were opened, by name."""


def add_live_flags(parser: FlagGroup, *, history: bool = True) -> None:
    """Declare the stages. No model is asked unless one is named: the policy stage alone needs no key.

    Args:
        parser: Where.
        history: Whether there are earlier steps, to be told and shown.
    """
    add_stage_flags(parser, systematic=None, annotate=True, history=history)
    if history:
        parser.add_argument("--narrative-summary-model", type=model_name, metavar="SPEC",
                            help="provider|model that tells what executed steps did (none)")  # fmt: skip
    else:
        parser.set_defaults(narrative_summary_model=None)


def check_format(name: str) -> None:
    """See that there is such a vocabulary of actions.

    Raises:
        InputError: There is not.
    """
    from trueline.guard.incoming import FORMATS

    if name not in FORMATS:
        raise InputError(f"--format {name}: none of {', '.join(FORMATS)}")


@asynccontextmanager
async def open_guard(
    args: argparse.Namespace,
    *,
    detector: Detector = "deaction",
    key: bytes | None = None,
    others: tuple[str | None, ...] = (),
    config: Config | None = None,
) -> AsyncGenerator[Opened]:
    """Open the guard that the flags describe, and close its models at the end.

    Args:
        args: The flags.
        detector: Who judges.
        key: Decides how marks and seals look; by default it is random, so that no screen can foresee them.
        others: Further models to open.
        config: What the models share with others of the program, such as the purse.

    Raises:
        InputError: A model, a key or a file of rules is missing, or nobody is left to judge.
    """
    import secrets

    from trueline.guard.bench import Models, make_detector
    from trueline.guard.narrative import Narrator
    from trueline.models.build import Config as SharedConfig

    policy = read_policy(args, detector)
    names = Models(args.systematic_analysis_model, args.fast_check_model, args.narrative_summary_model)
    names = names.for_detector(detector)
    see_that_somebody_judges(detector, names, policy)
    async with open_models(
        (names.systematic, names.fast, names.narrative, *others), config or SharedConfig()
    ) as models:
        used = models if names.systematic or names.fast else {}
        set_so = replace(guard_config(args, policy, used), key=key or secrets.token_bytes(32))
        guard = make_detector(detector, set_so, models.get(names.systematic or ""))
        narrator = Narrator(models[names.narrative], deadline=_NARRATIVE_SECONDS) if names.narrative else None
        yield Opened(guard, set_so, policy, narrator, models)
