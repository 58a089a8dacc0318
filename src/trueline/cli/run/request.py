"""From the flags of `trueline run`, and the files they name, to a request."""

from __future__ import annotations

import argparse
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

from trueline.cli.parser import Parser
from trueline.errors import InputError, RequestError

if TYPE_CHECKING:
    from pydantic import JsonValue

    from trueline.runs.manifest import Manifest
    from trueline.runs.request import RunRequest

_DEFAULT_DIR = "results"
_UNSET = object()
_OPTIONS = frozenset({"agent_options", "guard_options"})
_NOT_IN_REQUEST = frozenset(
    {"dry_run", "json", "headless", "config", "save_config", "reproduce", "progress", "log_level", "given_words"}
)


class ParsedRequest(NamedTuple):
    """A request, and the manifest that it is to reproduce."""

    request: RunRequest
    reproduces: tuple[Path, Manifest] | None = None
    config: Path | None = None
    """The request file that it began with."""
    overridden: frozenset[str] = frozenset()
    """Fields and options that flags set."""

    @contextmanager
    def placing_errors(self) -> Generator[None]:
        """Name file and line in errors about fields that the request file set."""
        from trueline.runs.request_file import place_error

        try:
            yield
        except RequestError as error:
            if self.config is None:
                raise
            raise place_error(error, self.config, self.overridden) from None


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


def request_of(args: argparse.Namespace, given: dict[str, object], parser: Parser) -> ParsedRequest:
    """Make the request: what the file of `--config` or `--reproduce` says, with the given flags over it.

    Raises:
        InputError: A file cannot be read, or the request is wrong.
    """
    from trueline.runs.request_file import hidden_fields, make_request

    if args.config is not None and args.reproduce is not None:
        raise InputError("--config cannot be combined with --reproduce: both name a request")
    fields = _fields(given)
    if args.config is not None:
        return _from_file(args.config, fields)
    if args.reproduce is None:
        return ParsedRequest(make_request(fields))
    from trueline.runs.manifest import find_manifest, is_manifest, read_manifest

    path = find_manifest(args.reproduce)
    if not is_manifest(path):
        # The request of a run that is recorded elsewhere: there is nothing here to compare it with.
        return _from_file(path, fields)
    manifest = read_manifest(path)
    before = manifest.request if manifest.request is not None else _fields(parse_given(parser, manifest.words)[1])
    there = {path.parent.resolve(), Path(str(before.get("result_dir", _DEFAULT_DIR))).resolve()}
    if args.result_dir is None or Path(args.result_dir).resolve() in there:
        raise InputError(
            f"--reproduce {path}: name another folder with --result_dir; what is already there does not run again"
        )
    merged = _merge_fields(before, fields)
    for name in hidden_fields(merged):
        raise InputError(f"--reproduce {path}: secrets are not stored in a manifest; pass all of --{name} again")
    return ParsedRequest(make_request(merged), (path, manifest))


def _from_file(path: Path, fields: dict[str, object]) -> ParsedRequest:
    """The request of a file, with these fields over it."""
    from trueline.runs.request_file import hidden_fields, make_request, place_error, read_fields

    merged = _merge_fields(read_fields(path), fields)
    options = [cast("dict[str, object]", fields[name]) for name in _OPTIONS & fields.keys()]
    overridden = frozenset(fields) - _OPTIONS | {name for each in options for name in each}
    for name in hidden_fields(merged):
        raise InputError(f"{path}: secrets are not stored in a request file; pass all of --{name} again")
    try:
        return ParsedRequest(make_request(merged), config=path, overridden=overridden)
    except RequestError as error:
        raise place_error(error, path, overridden) from None


def _fields(given: dict[str, object]) -> dict[str, object]:
    """The fields of a request that these flags set."""
    from trueline.cli.guard_flags import given_options, named_options, with_models
    from trueline.cli.run.flags import LATER

    for name, about in LATER.items():
        if name in given:
            raise InputError(f"--{name}: not available in this version ({about}); leave the flag out")
    rest = {name: value for name, value in given.items() if name not in _NOT_IN_REQUEST}
    options = given_options(rest)
    fields = {name: value for name, value in rest.items() if name not in options.flags}
    if "agent_option" in fields:
        fields["agent_options"] = named_options(cast("list[str]", fields.pop("agent_option")), "agent_option")
    guard = with_models(options.options)
    return fields | ({"guard_options": guard} if guard else {})


def _merge_fields(below: dict[str, object] | dict[str, JsonValue], above: dict[str, object]) -> dict[str, object]:
    """Merge the fields of both; options are merged one by one."""
    merged: dict[str, object] = {**below, **above}
    for name in _OPTIONS:
        old, new = below.get(name), above.get(name)
        if isinstance(old, dict) and isinstance(new, dict):
            merged[name] = {**old, **new}
    return merged
