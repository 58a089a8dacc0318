"""Validation errors in one line: which field, what is wrong with it, and what to write instead."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import TYPE_CHECKING

from trueline.text import printable

if TYPE_CHECKING:
    from pydantic import ValidationError
    from pydantic_core import ErrorDetails

_SUBJECT = re.compile(r"^(?:Input|String|Bytes|Number|List|Tuple|Set|Dictionary|Data|URL) should ")
_LONGEST_NAME = 100


def describe_validation_error(
    error: ValidationError, *, whole: str = "", fields: Collection[str] = (), most: int = 1, limit: int = 300
) -> str:
    """Describe the first problems of a validation error in one printable line.

    The values themselves are not shown: they may be secret.

    Args:
        error: What pydantic raised.
        whole: What to call the validated value where the problem is not in one of its fields, such as `the file`.
        fields: The names of its fields; where one is unknown, the closest of them is suggested, or all are listed.
        most: How many problems to describe; where that is more than one, the others are counted.
        limit: How many characters the line may have.
    """
    items = error.errors(include_url=False, include_input=False)
    lines = [_describe(item, whole, fields) for item in items[:most]]
    more = f" (and {len(items) - most} more)" if 1 < most < len(items) else ""
    return printable("; ".join(lines), limit) + more


def field_path(location: Collection[int | str]) -> str:
    """Return where a field is: `rules[3].when.command`; the empty string for the validated value itself."""
    parts = (f"[{part}]" if isinstance(part, int) else f".{printable(part, _LONGEST_NAME)}" for part in location)
    return "".join(parts).removeprefix(".")


def describe_problem(item: ErrorDetails) -> str:
    """Return what is wrong with a field, printable and without its name: `must be a valid integer`."""
    return printable(_problem(item))


def _problem(item: ErrorDetails) -> str:
    context = item.get("ctx", {})
    match item["type"]:
        case "missing":
            return "is required"
        case "extra_forbidden":
            return "unknown field"
        case "union_tag_not_found":
            return f"the field {str(context.get('discriminator')).strip(chr(39))!r} is required"
        case "union_tag_invalid":
            name = str(context.get("discriminator")).strip("'")
            return f"{name} must be one of {context.get('expected_tags')}, not {context.get('tag')!r}"
        case "value_error" | "assertion_error":
            return re.sub(r"^(?:Value|Assertion) error, ", "", item["msg"])
        case _:
            return _SUBJECT.sub("must ", item["msg"])


def _describe(item: ErrorDetails, whole: str, fields: Collection[str]) -> str:
    place, problem = field_path(item["loc"]) or whole, _problem(item)
    if item["type"] == "extra_forbidden" and len(item["loc"]) == 1 and fields:
        problem += f", {suggest(str(item['loc'][0]), fields)}"
    return f"{place}: {problem}" if place else problem


def suggest(name: str, known: Collection[str]) -> str:
    """Return what to write instead of an unknown name: `did you mean wallpaper?`, or the list of all."""
    import difflib

    near = difflib.get_close_matches(name, known, n=1)
    return f"did you mean {near[0]}?" if near else f"choose one of {', '.join(known)}"
