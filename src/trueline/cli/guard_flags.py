"""What the guard's subcommands share: which stages look, with which models, and how the guard is set from that."""

from __future__ import annotations

import argparse
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from trueline.cli.model.flags import positive
from trueline.cli.parser import FlagGroup

if TYPE_CHECKING:
    from trueline.guard.bench import Detector, Models
    from trueline.guard.config import GuardConfig
    from trueline.guard.policy import PolicyStage
    from trueline.guard.types import StageCheck
    from trueline.models.build import Config
    from trueline.models.types import Model
    from trueline.records.setting import Sampling

_FAST_EFFORT = "medium"
_NONE = ("", "none")
"""What leaves a model stage out."""


def add_stage_flags(parser: FlagGroup, *, systematic: str | None, annotate: bool, history: bool = True) -> None:
    """Declare which stages look, and how.

    Args:
        parser: Where.
        systematic: The model of the systematic analysis if none is named.
        annotate: Whether the action is drawn on the screenshot if nothing is said.
        history: Whether there are earlier steps, which the models could see.
    """
    parser.add_argument("--systematic-analysis-model", default=systematic, type=model_name, metavar="SPEC",
                        help=f"provider|model, or none ({systematic or 'none'})")  # fmt: skip
    parser.add_argument("--fast-check-model", type=model_name, metavar="SPEC", help="provider|model, or none (none)")
    parser.add_argument("--model-reasoning-effort", metavar="E", help="of the systematic analysis: low, medium, high …")
    parser.add_argument(
        "--fast-check-reasoning-effort",
        metavar="E",
        help=f"of the fast check ({_FAST_EFFORT}, where the model takes one)",
    )
    parser.add_argument("--annotate-actions", action=argparse.BooleanOptionalAction, default=annotate,
                        help=f"draw the action on the screenshot ({'yes' if annotate else 'no'})")  # fmt: skip
    if history:
        parser.add_argument(
            "--add-history-screenshots", action="store_true", help="show the models up to 100 earlier screens"
        )
    else:
        parser.set_defaults(add_history_screenshots=False)
    parser.add_argument("--guard-mode", choices=["cost", "latency"], default="cost",
                        help="ask the models in turn, or both at once; the verdicts are the same (cost)")  # fmt: skip
    parser.add_argument(
        "--guard-deadline", type=positive, metavar="S", help="seconds for a check; then it is undecided"
    )
    parser.add_argument("--guard-on-error", choices=["block", "allow", "ask"], default="block",
                        help="what is done with undecided actions (block)")  # fmt: skip
    parser.add_argument("--guard-unmatched", choices=["allow", "block"], default="allow",
                        help="without models: what is done with actions that no rule decides (allow)")  # fmt: skip
    policy = parser.add_mutually_exclusive_group()
    policy.add_argument("--policy", nargs="+", type=Path, metavar="RULES.yaml",
                        help="rules of the policy stage over the shipped ones")  # fmt: skip
    policy.add_argument("--no-policy", action="store_true", help="leave the policy stage out")
    parser.add_argument("--guard-classifier", action="store_true",
                        help="tell the models which screen texts look injected (extra: classifier)")  # fmt: skip
    parser.add_argument("--guard-ocr", action="store_true",
                        help="read the screenshot where no tree tells what is pointed at (extra: ocr)")  # fmt: skip


def model_name(word: str) -> str | None:
    """Read the name of a model in full, `provider|model`; none and nothing leave its stage out."""
    from trueline.errors import InputError
    from trueline.models.specs import parse_spec

    if word.strip().casefold() in _NONE:
        return None
    try:
        return str(parse_spec(word))
    except InputError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def read_policy(args: argparse.Namespace, detector: Detector) -> PolicyStage | None:
    """Make the policy stage that the flags describe, if the detector has one and it is not left out.

    Raises:
        InputError: A file is missing or wrong, or a flag is about a stage that is not there.
        MissingExtraError: The injection classifier is wanted and not installed.
    """
    from trueline.errors import InputError
    from trueline.guard.policy import load_policy

    if detector in ("deaction", "policy") and not args.no_policy:
        return load_policy(args.policy or (), classifier=args.guard_classifier)
    flags = {"--policy": args.policy, "--guard_classifier": args.guard_classifier, "--guard_ocr": args.guard_ocr}
    for flag, given in flags.items():
        if given:
            left_out = (
                "--no_policy leaves the policy stage out" if args.no_policy else f"{detector} has no policy stage"
            )
            raise InputError(f"{flag} belongs to the policy stage, and {left_out}")
    return None


def see_that_somebody_judges(detector: Detector, models: Models, policy: PolicyStage | None) -> None:
    """See that a detector has what it judges with.

    Raises:
        InputError: It has not.
    """
    from trueline.errors import InputError

    if detector in ("deaction", "policy") and not (policy or models.systematic or models.fast):
        or_model = "" if detector == "policy" else "name a model, or "
        raise InputError(f"no stage is left that could judge: {or_model}leave --no_policy out")
    if detector in ("task-shield", "inferact") and not models.systematic:
        raise InputError(f"--detector {detector} asks a model: name it with --systematic_analysis_model")


def guard_config(args: argparse.Namespace, policy: StageCheck | None, opened: Mapping[str, Model]) -> GuardConfig:
    """Return how the guard is set; models that are not opened are left out.

    The key is the one that makes questions repeatable: what is judged here was recorded before.

    Raises:
        MissingExtraError: OCR is wanted and not installed.
    """
    from trueline.guard.config import MOST_HISTORY_SCREENSHOTS, GuardConfig
    from trueline.guard.ocr import ScreenReader
    from trueline.guard.sealing import STORED_KEY

    return GuardConfig(
        policy=policy,
        ocr=ScreenReader() if args.guard_ocr else None,
        fast=opened.get(args.fast_check_model or ""),
        systematic=opened.get(args.systematic_analysis_model or ""),
        mode=args.guard_mode,
        deadline=args.guard_deadline,
        on_error=args.guard_on_error,
        unmatched=args.guard_unmatched,
        fast_sampling=_sampling(
            opened.get(args.fast_check_model or ""),
            "fast_check_reasoning_effort",
            args.fast_check_reasoning_effort,
            _FAST_EFFORT,
        ),
        systematic_sampling=_sampling(
            opened.get(args.systematic_analysis_model or ""),
            "model_reasoning_effort",
            args.model_reasoning_effort,
            None,
        ),
        history_screenshots=MOST_HISTORY_SCREENSHOTS if args.add_history_screenshots else 0,
        annotate=args.annotate_actions,
        key=STORED_KEY,
    )


def _sampling(model: Model | None, flag: str, chosen: str | None, default: str | None) -> Sampling:
    """How a stage's model is asked to answer; an effort that nobody chose is left out where the model takes none."""
    from trueline.errors import InputError
    from trueline.models.families import fit_sampling
    from trueline.records.setting import Sampling

    asked = Sampling(reasoning_effort=chosen or default)
    if model is None:
        return asked
    fitted = fit_sampling(model.id, asked)
    if chosen and fitted.misfits:
        raise InputError(f"--{flag} {chosen}: {model.id} takes no reasoning effort; leave the flag out")
    return fitted.sampling


@asynccontextmanager
async def open_models(
    names: Iterable[str | None], config: Config, wrap: Callable[[Model], Model] = lambda model: model
) -> AsyncGenerator[dict[str, Model]]:
    """Open each of the named models once, and close them at the end."""
    from trueline.models.build import open_model

    opened: dict[str, Model] = {}
    try:
        for name in names:
            if name is not None and name not in opened:
                opened[name] = wrap(open_model(name, config=config))
        yield opened
    finally:
        for model in opened.values():
            await model.close()
