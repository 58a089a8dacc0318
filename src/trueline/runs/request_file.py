"""A request as a file: YAML or JSON with the fields of `RunRequest`; secrets are never written."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, cast

import yaml
from pydantic import JsonValue, ValidationError

from trueline.errors import InputError, RequestError
from trueline.guard.policy.yaml_file import read_yaml
from trueline.models.hidden import HIDDEN, WELL_KNOWN, hide_options, hide_text, holds_hidden
from trueline.models.keys import Redactor
from trueline.runs.request import RunRequest
from trueline.text import printable
from trueline.validation import FieldProblem, field_problems

if TYPE_CHECKING:
    from collections.abc import Iterator


_FIELD = re.compile(r"`([a-z][a-z0-9_]*)(?:\.([a-z0-9_]+))?`")
"""How a RequestError names a field, or one of its options."""
_OPTION_FIELDS = ("agent_options", "guard_options")


def read_fields(path: Path) -> dict[str, JsonValue]:
    """Read the fields of a run from a file; fields it does not name keep their defaults.

    Raises:
        InputError: It cannot be read, or holds what is not a field of a request; names the line and the key.
    """
    data = read_yaml(path)
    if not isinstance(data, dict):
        raise InputError(f"{path}: must be a mapping with fields of a run, such as suite and agent")
    try:
        RunRequest.model_validate(data)
    except ValidationError as error:
        raise InputError(f"{path}: {_problem(error, path)}") from None
    except RequestError:
        # Fields that do not go together yet may be completed by flags: the whole request is checked later.
        pass
    return data


def place_error(error: RequestError, path: Path, overridden: Collection[str]) -> RequestError:
    """The error with the file and line of the field it is about, if that field is set in the file.

    Args:
        error: About a request of which this file set some fields.
        path: A file that `read_fields` accepted.
        overridden: Fields, and options by their own names, that something else set.
    """
    for field in _FIELD.finditer(str(error)):
        names = [name for name in field.groups() if name]
        if names[-1] in overridden:
            continue
        line = _line_of(path, names)
        if line is not None:
            return RequestError(f"{path}: line {line}: {error}")
    return error


def make_request(fields: Mapping[str, object]) -> RunRequest:
    """Make a request of fields by name.

    Raises:
        RequestError: A field is unknown or has a wrong value, or two do not go together.
    """
    try:
        return RunRequest.model_validate(dict(fields))
    except ValidationError as error:
        raise RequestError(_problem(error)) from None


def dump_request(request: RunRequest) -> dict[str, JsonValue]:
    """The fields that are not at their default, as plain data without secrets."""
    from trueline.models.envfiles import load_env

    redactor = Redactor.from_env(load_env())
    fields: dict[str, JsonValue] = request.model_dump(mode="json", exclude_defaults=True)
    for name, value in fields.items():
        if name in _OPTION_FIELDS and isinstance(value, dict):
            fields[name] = _clean(hide_options(value), redactor)
        elif name == "client_password":
            fields[name] = value if value == WELL_KNOWN else HIDDEN
        else:
            fields[name] = _clean(value, redactor)
    return fields


def request_yaml(request: RunRequest) -> str:
    """The request as YAML, without what is at its default and without secrets."""
    document = dump_request(request)
    text = yaml.safe_dump(document, sort_keys=False, allow_unicode=True)
    if yaml.safe_load(text) == document:
        return text
    # Some characters are line breaks to YAML and survive only as escapes.
    return yaml.safe_dump(document, sort_keys=False, allow_unicode=False)


def hidden_fields(fields: Mapping[str, object]) -> list[str]:
    """The fields whose secret was left out when they were written."""
    return [name for name, value in fields.items() if any(holds_hidden(text) for text in _texts(value))]


def _clean(value: JsonValue, redactor: Redactor) -> JsonValue:
    if isinstance(value, str):
        return hide_text(value, redactor)
    if isinstance(value, list):
        return [_clean(item, redactor) for item in value]
    return {name: _clean(item, redactor) for name, item in value.items()} if isinstance(value, dict) else value


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from (text for item in cast("dict[str, object]", value).values() for text in _texts(item))
    elif isinstance(value, list | tuple):
        yield from (text for item in cast("list[object]", value) for text in _texts(item))


def _problem(error: ValidationError, path: Path | None = None) -> str:
    """The first thing wrong, with its line where there is a file: `line 3: max_step: unknown field; did you mean …`."""
    first = field_problems(error)[0]
    names = [str(part) for part in first.location]
    field = f"`{names[0]}`" if path is None else first.field
    line = None if path is None else _line_of(path, names)
    place = "" if line is None else f"line {line}: "
    return printable(f"{place}{field}: {_expected(first, names[0])}", 1000)


def _expected(first: FieldProblem, field: str) -> str:
    if hint := first.suggestion(RunRequest):
        return f"{first.message}, {hint}"
    secret = field == "client_password" or not isinstance(first.value, str | int | float)
    return first.message if secret else first.with_value()


def _line_of(path: Path, names: list[str]) -> int | None:
    """The line of the innermost key of a path of keys, in a file that was read without an error before."""
    node = yaml.SafeLoader(path.read_text("utf-8")).get_single_node()
    line: int | None = None
    for name in names:
        pairs: list[tuple[yaml.Node, yaml.Node]] = node.value if isinstance(node, yaml.MappingNode) else []
        found = next((pair for pair in pairs if pair[0].value == name), None)
        if found is None:
            break
        line, node = found[0].start_mark.line + 1, found[1]
    return line
