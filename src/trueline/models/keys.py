"""Keys and addresses of providers: found before any work starts, and removed from everything that is written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from trueline.models.envfiles import ENVIRONMENT, Env
from trueline.models.errors import ForeignAddressError, MissingKeyError
from trueline.models.provider import SECRET_ROLES, Provider, Role, Variable
from trueline.models.providers import usable_providers
from trueline.models.redaction import Spellings
from trueline.models.specs import check_address

_LOOKS_SECRET = re.compile(
    r"\b(?:sk-[A-Za-z0-9_-]{8,}|AIza[A-Za-z0-9_-]{20,}|(?:AKIA|ASIA)[A-Z0-9]{12,})"
    r"|(?<=[Bb]earer )[A-Za-z0-9._~+/-]{8,}=*"
)
KEY_MARK = "[key]"
_REGION = re.compile(r"[a-z0-9-]{1,40}")
_SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASS|PWD|CRED|AUTH|COOKIE|SESSION", re.IGNORECASE)


@dataclass(frozen=True)
class ProviderAccess:
    """Address and keys for one provider. Neither shows in the representation."""

    provider: str
    values: Mapping[Role, str] = field(repr=False)

    def get(self, role: Role) -> str | None:
        """Return the value of a variable, if it has one."""
        return self.values.get(role)

    def __getitem__(self, role: Role) -> str:
        """Return the value of a required variable."""
        return self.values[role]


@dataclass(frozen=True)
class Redactor:
    """Removes keys from texts: the known ones, and whatever looks like one."""

    secrets: tuple[str, ...] = field(repr=False, default=())

    @staticmethod
    def from_env(env: Env, extra: Iterable[str] = ()) -> Redactor:
        """Make one that knows the keys of all providers in the environment."""
        names = {name for p in usable_providers() for v in p.variables if v.role in SECRET_ROLES for name in v.names}
        found = {env.values[name].strip() for name in names if name in env.values} | set(extra)
        # A very short value would blank ordinary words; no real key is that short. Longest first: one may hold another.
        return Redactor(tuple(sorted((s for s in found if len(s) >= 6), key=lambda s: (-len(s), s))))

    @cached_property
    def _spellings(self) -> tuple[Spellings, ...]:
        return tuple(Spellings(secret) for secret in self.secrets)

    def clean(self, text: str) -> str:
        """Return the text without keys."""
        return _LOOKS_SECRET.sub(KEY_MARK, self._clean_known(text))

    def clean_bytes(self, data: bytes) -> bytes:
        """Return the bytes without the keys that are known."""
        return self._clean_known(data.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")

    def _clean_known(self, text: str) -> str:
        for spellings in self._spellings:
            text = spellings.replace(text, KEY_MARK)
        return text


def find_access(provider: Provider, env: Env, url: str | None = None) -> ProviderAccess:
    """Find the credentials and the address of a provider.

    Args:
        provider: The provider.
        env: Where its variables are looked up.
        url: An address that overrides the environment's.

    Raises:
        MissingKeyError: Variables are not set; the message names them.
        ForeignAddressError: The address comes from a file and the key does not.
    """
    for variables in provider.credentials:
        found: dict[Role, str] = {v.role: value for v in variables if (value := env.get(*v.names) or v.default)}
        if url:
            found["url"] = url
        elif address := found.get("url"):
            _check_region(variables, found)
            found["url"] = check_address(address.replace("{region}", found.get("region", "")))
        if all(v.role in found for v in variables if v.required):
            _check_keys(variables, found)
            if not url:
                _check_places(provider, variables, env)
            return ProviderAccess(provider.name, found)
    if not provider.credentials:
        return ProviderAccess(provider.name, {})
    raise MissingKeyError(_missing(provider, env, url))


def _check_keys(variables: tuple[Variable, ...], found: Mapping[Role, str]) -> None:
    for variable in variables:
        value = found.get(variable.role, "")
        if variable.role in SECRET_ROLES and not (value.isascii() and value.isprintable() and " " not in value):
            names = " or ".join(variable.names)
            raise MissingKeyError(f"{names} contains characters that are not allowed in a key; copy the key again")


def _check_region(variables: tuple[Variable, ...], found: Mapping[Role, str]) -> None:
    """Refuse a region that could change the host of the address it is a part of."""
    region = found.get("region")
    if region is not None and not _REGION.fullmatch(region):
        names = " or ".join(name for v in variables if v.role == "region" for name in v.names)
        raise MissingKeyError(f"{names} must be a region such as us-east-1")


def _check_places(provider: Provider, variables: tuple[Variable, ...], env: Env) -> None:
    """Refuse to send a key to an address from a file unless the file contains the key as well.

    Raises:
        ForeignAddressError: It would.
    """
    address = next((name for v in variables if v.role == "url" and (name := env.set_name(*v.names))), None)
    file = env.files.get(address or "")
    if address is None or file is None:
        return
    if secret := next((name for name in sorted(env.borrowed.get(address, ())) if _SECRET_NAME.search(name)), None):
        raise ForeignAddressError(
            f"{provider.name}: {address} in {file} would send {secret} as part of the address; take it out there"
        )
    for variable in variables:
        name = env.set_name(*variable.names)
        # A profile's keys are kept in a place of their own.
        other = ENVIRONMENT if variable.role == "profile" else None
        if variable.role in SECRET_ROLES and name and file not in env.written.get(name, (file,)):
            other = next(iter(sorted(env.written[name])), ENVIRONMENT)
        if other and name:
            raise ForeignAddressError(
                f"{provider.name}: {name} comes from {other} but {address} from {file}, so the key is not sent there; "
                f"set both in {other} or both in {file}"
            )


def _missing(provider: Provider, env: Env, url: str | None) -> str:
    def absent(variables: tuple[Variable, ...]) -> list[str]:
        return [v.names[0] for v in variables if v.required and not env.get(*v.names) and not (url and v.role == "url")]

    wanted = " or ".join(dict.fromkeys(" and ".join(absent(variables)) for variables in provider.credentials))
    names = {name for v in provider.variables for name in v.names}
    by_command = [f"{place} sets {name} by a command" for name, place in env.commands.items() if name in names]
    hint = f" ({', '.join(by_command)}, which is not run)" if by_command else ""
    return f"{provider.name}: set {wanted} in the environment, .env or .envrc{hint}"
