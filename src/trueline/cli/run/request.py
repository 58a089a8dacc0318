"""From the flags of `trueline run`, and the files they name, to a request."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

from trueline.cli.parser import Parser
from trueline.errors import InputError

if TYPE_CHECKING:
    from pydantic import JsonValue

    from trueline.runs.manifest import Manifest
    from trueline.runs.request import RunRequest

_DEFAULT_DIR = "results"
_UNSET = object()
_NOT_IN_REQUEST = frozenset(
    {"dry_run", "json", "headless", "config", "save_config", "reproduce", "progress", "log_level", "given_words"}
)


class Asked(NamedTuple):
    """A request, and the manifest that it is to reproduce."""

    request: RunRequest
    reproduces: tuple[Path, Manifest] | None = None


def parse_given(parser: Parser, words: Sequence[str]) -> tuple[argparse.Namespace, dict[str, object]]:
    """Parse a command line.

    Returns:
        All flags with the parser's defaults, and only those that were given.
    """
    args = parser.parse_args(words)
    # Flags without any default stay out: one that collects its values has to begin with nothing.
    unset = argparse.Namespace(**dict.fromkeys(vars(parser.parse_args([])), _UNSET))
    given = parser.parse_args(words, unset)
    return args, {name: value for name, value in vars(given).items() if value is not _UNSET}


def request_of(args: argparse.Namespace, given: dict[str, object], parser: Parser) -> Asked:
    """Make the request: what the file of `--config` or `--reproduce` says, with the given flags over it.

    Raises:
        InputError: A file cannot be read, or the request is wrong.
    """
    from trueline.runs.request_file import hidden_fields, make_request, read_fields

    if args.config is not None and args.reproduce is not None:
        raise InputError("--config and --reproduce both name a request: leave one out")
    fields = _fields(given)
    if args.config is not None:
        return Asked(make_request(_over(read_fields(args.config), fields)))
    if args.reproduce is None:
        return Asked(make_request(fields))
    from trueline.runs.manifest import find_manifest, read_manifest

    path = find_manifest(args.reproduce)
    manifest = read_manifest(path)
    before = manifest.request if manifest.request is not None else _fields(parse_given(parser, manifest.words)[1])
    there = {path.parent.resolve(), Path(str(before.get("result_dir", _DEFAULT_DIR))).resolve()}
    if args.result_dir is None or Path(args.result_dir).resolve() in there:
        raise InputError(
            f"--reproduce {path}: name another folder with --result_dir; what was run there is not run again"
        )
    merged = _over(before, fields)
    for name in hidden_fields(merged):
        raise InputError(f"--reproduce {path}: it does not hold the secret in --{name}; give the whole flag again")
    return Asked(make_request(merged), (path, manifest))


def _fields(given: dict[str, object]) -> dict[str, object]:
    """The fields of a request that these flags set."""
    from trueline.cli.guard_flags import given_options, named_options, with_models
    from trueline.cli.run.flags import LATER

    for name, about in LATER.items():
        if name in given:
            raise InputError(f"--{name}: {about}, which this version does not have; leave the flag out")
    rest = {name: value for name, value in given.items() if name not in _NOT_IN_REQUEST}
    options = given_options(rest)
    fields = {name: value for name, value in rest.items() if name not in options.flags}
    if "agent_option" in fields:
        fields["agent_options"] = named_options(cast("list[str]", fields.pop("agent_option")), "agent_option")
    guard = with_models(options.options)
    return fields | ({"guard_options": guard} if guard else {})


def _over(below: dict[str, object] | dict[str, JsonValue], above: dict[str, object]) -> dict[str, object]:
    """The fields of both; of options each counts by itself."""
    merged: dict[str, object] = {**below, **above}
    for name in ("agent_options", "guard_options"):
        old, new = below.get(name), above.get(name)
        if isinstance(old, dict) and isinstance(new, dict):
            merged[name] = {**old, **new}
    return merged
