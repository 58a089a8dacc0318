"""The flags that choose a guard and its options, shared by every command with a guard."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

from trueline.cli.flag_values import positive
from trueline.cli.parser import FlagGroup
from trueline.errors import InputError

if TYPE_CHECKING:
    from pydantic import JsonValue

    from trueline.guard.registry import GuardRequest

_OPTION_OF = {
    "systematic_analysis_model": "systematic_analysis_model",
    "fast_check_model": "fast_check_model",
    "narrative_summary_model": "narrative_summary_model",
    "model_reasoning_effort": "model_reasoning_effort",
    "fast_check_reasoning_effort": "fast_check_reasoning_effort",
    "annotate_actions": "annotate_actions",
    "add_history_screenshots": "add_history_screenshots",
    "guard_mode": "mode",
    "guard_deadline": "deadline",
    "guard_unmatched": "unmatched",
    "policy": "rules",
    "no_policy": "no_policy",
    "guard_classifier": "classifier",
    "guard_ocr": "ocr",
    "guard_scope": "scope",
    "guard_scope_model": "scope_model",
    "guard_scope_file": "scope_file",
}
"""The option that each flag sets."""
_OF_THE_POLICY = {"rules", "classifier", "ocr"}
_FLAG_OF = {option: flag for flag, option in _OPTION_OF.items()}


class GivenOptions(NamedTuple):
    """Options that flags set."""

    options: dict[str, JsonValue]
    flags: frozenset[str]
    """The flags that set them."""


def add_guard_flag(parser: FlagGroup) -> None:
    """Declare which guard judges; `--detector` is DeAction's word for it."""
    parser.add_argument("--guard", "--detector", default="deaction", metavar="NAME", dest="guard",
                        help="deaction, policy, scope, task-shield-like, inferact-like, alignment-check-like, "
                        "injection-classifier, invariant, llamafirewall, the baselines always-aligned, "
                        "always-misaligned, random and action-text-only, an installed guard, MODULE:CLASS or "
                        "FILE.py:CLASS (deaction)")  # fmt: skip


def add_guard_options(
    parser: FlagGroup, *, systematic: str | None = None, annotate: bool = True, history: bool = True
) -> None:
    """Declare the options of guards. Without a model no key is needed: the policy stage works alone.

    Args:
        parser: Where.
        systematic: The default model of the systematic analysis.
        annotate: Whether the action is drawn on the screenshot by default.
        history: Whether there are earlier steps, to be described and shown.
    """

    def add(*names: str, **settings: object) -> None:
        # A flag that is not given leaves its option at the default of the guard.
        parser.add_argument(*names, default=argparse.SUPPRESS, **settings)  # pyright: ignore[reportArgumentType]

    add("--guard-option", nargs="+", action="extend", metavar="NAME=VALUE", help="options of the guard, by name")
    add("--systematic-analysis-model", type=model_name, metavar="SPEC",
        help=f"model of the systematic analysis: provider|model, or none ({systematic or 'none'})")  # fmt: skip
    add("--fast-check-model", type=model_name, metavar="SPEC",
        help="model of the fast check: provider|model, or none (none)")  # fmt: skip
    if history:
        narrator = "none" if systematic is None else "the model of the systematic analysis"
        add("--narrative-summary-model", type=model_name, metavar="SPEC",
            help=f"provider|model that describes executed steps ({narrator})")  # fmt: skip
    add("--model-reasoning-effort", metavar="E", help="effort of the systematic analysis: low, medium, high …")
    add("--fast-check-reasoning-effort", metavar="E",
        help="effort of the fast check (medium, where the model takes one)")  # fmt: skip
    add("--annotate-actions", action=argparse.BooleanOptionalAction,
        help=f"draw the action on the screenshot ({'yes' if annotate else 'no'})")  # fmt: skip
    if history:
        add("--add-history-screenshots", action="store_true", help="show the models up to 100 earlier screens")
    add("--guard-mode", choices=["cost", "latency"],
        help="ask the models in turn, or both at once; the verdicts are the same (cost)")  # fmt: skip
    add("--guard-deadline", type=positive, metavar="S", help="time limit of a check in seconds; then it is undecided")
    parser.add_argument("--guard-on-error", choices=["block", "allow", "ask"], default="block",
                        help="what to do with undecided actions (block)")  # fmt: skip
    add("--guard-unmatched", choices=["allow", "block"],
        help="without models: what to do with actions that no rule decides (allow)")  # fmt: skip
    policy = parser.add_mutually_exclusive_group()
    policy.add_argument("--policy", nargs="+", type=Path, metavar="FILE", default=argparse.SUPPRESS,
                        help="your own rules (.yaml) or Cedar policies (.cedar; extra: cedar), "
                        "added to the shipped ones")  # fmt: skip
    policy.add_argument("--no-policy", action="store_true", default=argparse.SUPPRESS,
                        help="skip the policy stage")  # fmt: skip
    add("--guard-classifier", action="store_true",
        help="tell the models which screen texts look injected (extra: classifier)")  # fmt: skip
    add("--guard-scope", choices=["none", "strict", "evidence"],
        help="hold actions to what the task may touch: block what is outside, or tell the models (none)")  # fmt: skip
    add("--guard-scope-model", type=model_name, metavar="SPEC", help="provider|model that makes the scope (by rules)")
    add("--guard-scope-file", type=Path, metavar="SCOPE.yaml",
        help="a scope written by hand, for every task (an oracle condition)")  # fmt: skip
    add("--guard-ocr", action="store_true",
        help="read text from the screenshot where the tree names no target (extra: ocr)")  # fmt: skip


def model_name(word: str) -> str | None:
    """Read the full name of a model, `provider|model`; `none` and the empty string skip its stage."""
    from trueline.models.specs import parse_spec

    if word.strip().casefold() in ("", "none"):
        return None
    try:
        return str(parse_spec(word))
    except InputError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def check_format(name: str) -> None:
    """Check the name of an action format.

    Raises:
        InputError: There is no such format.
    """
    from trueline.guard.incoming import FORMATS

    if name not in FORMATS:
        raise InputError(f"--format {name}: must be one of {', '.join(FORMATS)}")


def _plain(value: str | float | bool | Path | list[Path] | None) -> JsonValue:
    if isinstance(value, list):
        return [str(path) for path in value]
    return str(value) if isinstance(value, Path) else value


def given_options(given: Mapping[str, object]) -> GivenOptions:
    """The options among given flags: those with flags of their own, and those of `--guard_option`."""
    options: dict[str, JsonValue] = {}
    flags: set[str] = set()
    for flag in given.keys() & _OPTION_OF.keys():
        flags.add(flag)
        value = cast("str | float | bool | Path | list[Path] | None", given[flag])
        options[_OPTION_OF[flag]] = _plain(value)
    if "guard_option" in given:
        flags.add("guard_option")
        options |= named_options(cast("list[str]", given["guard_option"]), "guard_option")
    return GivenOptions(options, frozenset(flags))


def guard_request(
    args: argparse.Namespace, defaults: Mapping[str, JsonValue] | None = None, *, comparing: bool = False
) -> GuardRequest:
    """The guard that the flags describe.

    Args:
        args: The flags.
        defaults: Options that this command sets unless a flag does, where the guard takes them.
        comparing: Whether the same flags serve several guards: those about models are ignored by guards without.

    Raises:
        InputError: There is no such guard, or an option has another form than NAME=VALUE.
    """
    from trueline.guard.registry import GUARDS, GuardRequest

    takes = GUARDS.find(args.guard).options.model_fields.keys()
    own = {name: value for name, value in (defaults or {}).items() if name in takes}
    options = own | given_options(vars(args)).options
    if comparing:
        never_ignored = _OF_THE_POLICY | ({"no_policy"} if "rules" in takes else set[str]())
        options = {name: options[name] for name in options if name in takes | never_ignored or name not in _FLAG_OF}
    return GuardRequest(name=args.guard, options=with_models(options))


def with_models(options: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """The options without models that are left out."""
    return {name: value for name, value in options.items() if value is not None}


def named_options(words: Sequence[str], flag: str) -> dict[str, JsonValue]:
    """Read `NAME=VALUE` words; a value is JSON, or else text.

    Raises:
        InputError: A word has another form.
    """
    found: dict[str, JsonValue] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not name:
            raise InputError(f"--{flag} {word}: write NAME=VALUE")
        try:
            found[name] = json.loads(value)
        except ValueError:
            found[name] = value
    return found


def with_flags(message: str) -> str:
    """Rewrite an error about request fields to name the flags that set them."""
    return re.sub(r"`([a-z][a-z0-9_]*)(?:\.([a-z0-9_]+))?`", _flag, message)


def _flag(field: re.Match[str]) -> str:
    name, option = field.groups()
    if option is None:
        return f"--{name}"
    if name == "guard_options" and option in _FLAG_OF:
        return f"--{_FLAG_OF[option]}"
    return f"--{name.removesuffix('s')} {option}"
