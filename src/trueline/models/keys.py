"""What a provider's door needs, found before any work starts, and never shown to anyone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from trueline.models.envfiles import Env
from trueline.models.errors import MissingKeyError
from trueline.models.providers import PROVIDERS, SECRET_ROLES, Provider, Role, Variable
from trueline.models.specs import check_address

_LOOKS_SECRET = re.compile(
    r"\b(?:sk-[A-Za-z0-9_-]{8,}|AIza[A-Za-z0-9_-]{20,}|(?:AKIA|ASIA)[A-Z0-9]{12,})"
    r"|(?<=[Bb]earer )[A-Za-z0-9._~+/-]{8,}=*"
)
KEY_MARK = "[key]"


@dataclass(frozen=True)
class Access:
    """Address and keys for one provider. Neither shows in the representation."""

    provider: str
    values: Mapping[Role, str] = field(repr=False)

    def get(self, role: Role) -> str | None:
        """Return what is known for this role."""
        return self.values.get(role)

    def __getitem__(self, role: Role) -> str:
        """Return what a required variable said."""
        return self.values[role]


@dataclass(frozen=True)
class Redactor:
    """Takes keys out of texts: those it knows, and what looks like one."""

    secrets: tuple[str, ...] = field(repr=False, default=())

    @staticmethod
    def of(env: Env, extra: Iterable[str] = ()) -> Redactor:
        """Know every key that the environment holds for any provider."""
        names = {name for p in PROVIDERS.values() for v in p.variables if v.role in SECRET_ROLES for name in v.names}
        found = {env.values[name].strip() for name in names if name in env.values} | set(extra)
        # A very short value would blank ordinary words; no real key is that short. Longest first: one may hold another.
        return Redactor(tuple(sorted((s for s in found if len(s) >= 6), key=lambda s: (-len(s), s))))

    def clean(self, text: str) -> str:
        """Return the text without keys."""
        for secret in self.secrets:
            text = text.replace(secret, KEY_MARK)
        return _LOOKS_SECRET.sub(KEY_MARK, text)

    def clean_bytes(self, data: bytes) -> bytes:
        """Return the bytes without the keys that are known."""
        for secret in self.secrets:
            data = data.replace(secret.encode(), KEY_MARK.encode())
        return data


def find_access(provider: Provider, env: Env, url: str | None = None) -> Access:
    """Find all that the provider needs.

    Args:
        provider: where to go.
        env: what is set.
        url: an address that overrides the environment's.

    Raises:
        MissingKeyError: one line that names the variables to set.
    """
    for family in provider.families:
        found: dict[Role, str] = {v.role: value for v in family if (value := env.get(*v.names) or v.default)}
        if url:
            found["url"] = url
        elif address := found.get("url"):
            found["url"] = check_address(address.replace("{region}", found.get("region", "")))
        if all(v.role in found for v in family if v.required):
            _check_keys(family, found)
            return Access(provider.name, found)
    if not provider.families:
        return Access(provider.name, {})
    raise MissingKeyError(_missing(provider, env, url))


def _check_keys(family: tuple[Variable, ...], found: Mapping[Role, str]) -> None:
    for variable in family:
        value = found.get(variable.role, "")
        if variable.role in SECRET_ROLES and not (value.isascii() and value.isprintable() and " " not in value):
            names = " or ".join(variable.names)
            raise MissingKeyError(f"{names} holds characters that no key has; copy the key again")


def _missing(provider: Provider, env: Env, url: str | None) -> str:
    def absent(family: tuple[Variable, ...]) -> list[str]:
        return [v.names[0] for v in family if v.required and not env.get(*v.names) and not (url and v.role == "url")]

    wanted = " or ".join(dict.fromkeys(" and ".join(absent(family)) for family in provider.families))
    names = {name for v in provider.variables for name in v.names}
    by_command = [f"{place} sets {name} by a command" for name, place in env.commands.items() if name in names]
    hint = f" ({', '.join(by_command)}, which is not run)" if by_command else ""
    return f"{provider.name}: set {wanted} in the environment, .env or .envrc{hint}"
