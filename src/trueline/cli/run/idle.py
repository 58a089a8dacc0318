"""Flags that would be without effect are refused: whoever gives one expects something of it."""

from __future__ import annotations

import argparse

from trueline.cli.guard_live import add_live_flags
from trueline.cli.parser import Parser
from trueline.cli.run.like import LATER, NATIVE
from trueline.errors import InputError

SIMULATED = ("oracle", "noop", "fail", "comply", "hijacked", "persona", "replay")
_TRIES = ("max_retries", "max_total_steps", "user_sim_model")
_NOT_NATIVE = ("action_space", "max_trajectory_length", "a11y_tree_max_tokens")
_LOOP = {"guard_max_revisions": 2, "guard_exhausted": "stop", "guard_shadow": False}
_STAGES = ("fast_check_model", "systematic_analysis_model", "narrative_summary_model")
_ANY_GUARD = ("guard_on_error",)
"""Flags that hold for a guard of one's own as well."""


def refuse_idle(args: argparse.Namespace) -> None:
    """See that every flag that was given has a part to play; called before defaults are put in.

    Raises:
        InputError: One has none.
    """
    for name, about in LATER.items():
        if getattr(args, name) is not None:
            raise InputError(f"--{name}: {about}, which this version does not have; leave the flag out")
    if args.only_injection and not args.inject:
        raise InputError("--only_injection: goes with --inject")
    _tries(args)
    _agent(args)
    _guard(args)


def _tries(args: argparse.Namespace) -> None:
    for name in _TRIES:
        if getattr(args, name) is not None and args.method is None:
            raise InputError(f"--{name}: without --method there is no other try; name one, or leave the flag out")
    if args.user_sim_model is not None and args.method == "binary_retry":
        raise InputError("--user_sim_model: with binary_retry nobody plays the user; leave the flag out")


def _agent(args: argparse.Namespace) -> None:
    agent = (args.agent or "").partition(":")[0]
    if agent in SIMULATED:
        for name in ("model", "model_url", "model_provider", "stop_token"):
            if getattr(args, name):
                raise InputError(f"--{name}: --agent {agent} is simulated and asks no model; leave the flag out")
    if agent in NATIVE:
        for name in _NOT_NATIVE:
            if getattr(args, name) is not None:
                raise InputError(f"--{name}: --agent {agent} has its provider's own way; leave the flag out")
        if args.observation_type not in (None, "screenshot"):
            raise InputError(f"--observation_type {args.observation_type}: --agent {agent} sees screenshots only")


def _guard(args: argparse.Namespace) -> None:
    engine = Parser(prog="")
    add_live_flags(engine)
    given = [name for name, default in _LOOP.items() if getattr(args, name) != default]
    engine_flags = [
        action.dest
        for action in engine._actions  # pyright: ignore[reportPrivateUsage]: argparse tells in no other way
        if action.dest != "help" and getattr(args, action.dest) != engine.get_default(action.dest)
    ]
    if args.guard == "none":
        for name in (*given, *engine_flags):
            raise InputError(f"--{name}: goes with --guard policy, deaction or pkg:Class")
    if args.guard == "policy":
        for name in engine_flags:
            if name in _STAGES and getattr(args, name) is not None:
                raise InputError(f"--{name}: --guard policy asks no model; say --guard deaction")
    if args.guard not in ("none", "policy", "deaction"):
        for name in engine_flags:
            if name not in _ANY_GUARD:
                raise InputError(f"--{name}: is about our own guard; --guard {args.guard} is set in its own way")
