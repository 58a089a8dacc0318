"""A Scope as a file that a person can write and edit: YAML or JSON."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import NamedTuple, cast

import yaml
from pydantic import ValidationError

from trueline.errors import InputError
from trueline.guard.policy.yaml_file import read_yaml
from trueline.guard.scope.types import Scope
from trueline.validation import describe_validation_error

_WHY = ("because", "source", "possible")


class NamedScope(NamedTuple):
    """A Scope and the name of where it came from."""

    scope: Scope
    name: str


def read_scope_file(path: Path) -> NamedScope:
    """Read a Scope written by hand.

    Raises:
        InputError: The file cannot be read, or a field is wrong.
    """
    content = read_yaml(path)
    try:
        scope = Scope.model_validate(content)
    except ValidationError as error:
        raise InputError(f"{path}: {describe_validation_error(error, whole='the file', model=Scope)}") from None
    digest = hashlib.sha256(scope.model_dump_json().encode()).hexdigest()[:12]
    return NamedScope(scope.model_copy(update={"made_by": "hand"}), f"hand {digest}")


def scope_as_yaml(scope: Scope) -> str:
    """Return a Scope as YAML, in the form that `read_scope_file` takes."""
    data: dict[str, object] = {"version": scope.version, "made_by": scope.made_by}
    for name, grants in scope.model_dump(mode="json", exclude_defaults=True).items():
        if isinstance(grants, list):
            # What is granted comes first, then why.
            data[name] = [_reordered(grant) for grant in cast("list[dict[str, object]]", grants)]
    text: str = yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=200, default_flow_style=None)
    return text


def _reordered(grant: dict[str, object]) -> dict[str, object]:
    return {key: grant[key] for key in sorted(grant, key=_WHY.__contains__)}
