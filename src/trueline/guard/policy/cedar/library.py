"""The Cedar engine (`cedarpy`, extra `cedar`), as far as it is used; imported when a policy is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Protocol, cast

from trueline.errors import MissingExtraError

SCHEMA = Path(__file__).parent / "trueline.cedarschema"


class PolicySet(Protocol):
    """Parsed policies, called policy0, policy1 … in their order."""

    def templates(self) -> Sequence[object]:
        """Policies with slots."""
        ...


class Diagnostics(Protocol):
    """Why a request was decided so."""

    @property
    def reasons(self) -> Sequence[str]:
        """The policies that decided."""
        ...

    @property
    def errors(self) -> Sequence[str]:
        """One message for each policy that could not be evaluated."""
        ...


class CedarAnswer(Protocol):
    """The answer to one request."""

    @property
    def decision(self) -> Named:
        """Allow, Deny or NoDecision."""
        ...

    @property
    def diagnostics(self) -> Diagnostics:
        """Why."""
        ...


class Named(Protocol):
    """A member of an enumeration."""

    @property
    def name(self) -> str:
        """Its name."""
        ...


class Invalid(Protocol):
    """A violation of the schema."""

    @property
    def policy_id(self) -> str:
        """The policy's."""
        ...

    @property
    def error(self) -> str:
        """What is wrong."""
        ...


class Validation(Protocol):
    """The result of a validation."""

    @property
    def errors(self) -> Sequence[Invalid]:
        """Empty if the policies are valid."""
        ...


class _Parser(Protocol):
    def from_str(self, s: str) -> PolicySet: ...


class CedarLibrary(Protocol):
    """The functions of the module."""

    PolicySet: _Parser

    def validate_policies(self, policies: str, schema: str) -> Validation:
        """Compare policies with a schema."""
        ...

    def is_authorized_batch(
        self, requests: Sequence[Mapping[str, object]], policies: PolicySet, entities: list[dict[str, object]]
    ) -> Sequence[CedarAnswer]:
        """Answer requests, one after the other."""
        ...


def cedar_library() -> CedarLibrary:
    """Import the engine.

    Raises:
        MissingExtraError: The extra `cedar` is not installed.
    """
    try:
        return cast("CedarLibrary", import_module("cedarpy"))
    except ImportError as error:
        raise MissingExtraError("a policy in Cedar", "cedar") from error


@cache
def schema_text() -> str:
    """The schema that policies are checked against."""
    return SCHEMA.read_text("utf-8")
