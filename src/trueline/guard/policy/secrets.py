"""Secrets and personal data in texts and addresses. What is found is named, never repeated."""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from typing import Literal, NamedTuple
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from trueline.guard.policy.folding import fold, key
from trueline.guard.policy.shell.outputs import unpacked

SecretKind = Literal["private_key", "api_key", "card_number", "iban", "password", "marked"]

_PRIVATE_KEY = re.compile(r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY|PuTTY-User-Key-File-\d")
_API_KEY = re.compile(
    r"\b(?:AKIA[0-9A-Z]{16}|gh[pousr]_[A-Za-z0-9]{36}|github_pat_\w{22,}|sk-(?:ant-|proj-)?[A-Za-z0-9_-]{20,}"
    r"|xox[abprs]-[A-Za-z0-9-]{10,}|AIza[0-9A-Za-z_-]{35}|glpat-[\w-]{20}|hf_[A-Za-z]{30,})"
)
_DIGITS = re.compile(r"(?<![\d.-])\d(?:[ -]?\d){12,18}(?![\d.-])")
_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b")
_PASSWORD = re.compile(
    r"\b(?:password|passwort|kennwort|passphrase|mot de passe|contraseña|clave|senha)\b[^\n:=]{0,40}?"
    r"(?:\bis\b|\bist\b|\best\b|[:=])\s*\S{4,}",
    re.IGNORECASE,
)
_PASSWORD_KEYS = frozenset({"password", "passwd", "pwd", "pass", "passphrase", "passwort", "user_password", "pw"})
_ENCODED = re.compile(r"[A-Za-z0-9+/_-]{12,}={0,2}")
_SHORTEST_MARKED = 4


class Marked(NamedTuple):
    """A value that the user has declared secret."""

    name: str
    value: str


def secrets_in(text: str, marked: Sequence[Marked] = ()) -> tuple[SecretKind, ...]:
    """Return the kinds of secrets a text holds."""
    plain = fold(text)
    found: list[SecretKind] = []
    if _PRIVATE_KEY.search(plain):
        found.append("private_key")
    if _API_KEY.search(plain):
        found.append("api_key")
    if any(is_card_number(match[0]) for match in _DIGITS.finditer(plain)):
        found.append("card_number")
    if any(is_iban(match[0]) for match in _IBAN.finditer(plain)):
        found.append("iban")
    if _PASSWORD.search(plain):
        found.append("password")
    if any(holds(plain, secret.value) for secret in marked):
        found.append("marked")
    return tuple(found)


def carried_by(url: str, marked: Sequence[Marked] = ()) -> tuple[SecretKind, ...]:
    """Return the kinds of secrets an address takes along, also where they are encoded."""
    try:
        parts = urlsplit(url if "://" in url or url.startswith("mailto:") else f"//{url}")
        pairs = parse_qsl(parts.query or parts.fragment, keep_blank_values=False, max_num_fields=200)
    except ValueError:
        return secrets_in(unquote(url), marked)
    found = list(secrets_in(unquote(url), marked))
    if (parts.username and parts.password) or any(name.lower() in _PASSWORD_KEYS for name, _ in pairs):
        found.append("password")
    for piece in _ENCODED.findall(parts.path.rpartition("/")[2] + " " + " ".join(value for _, value in pairs)):
        found += secrets_in(unpacked(piece) or "", marked)
    return tuple(dict.fromkeys(found))


def holds(text: str, value: str) -> bool:
    """Tell whether a text holds a secret value: as it is, encoded, reversed, or spread by spaces."""
    if len(value) < _SHORTEST_MARKED:
        return False
    forms = {
        value,
        value[::-1],
        quote(value),
        base64.b64encode(value.encode()).decode().rstrip("="),
        value.encode().hex(),
    }
    folded = key(text)
    return any(key(form) in folded for form in forms) or key(value).replace(" ", "") in folded.replace(" ", "")


def is_card_number(digits: str) -> bool:
    """Check a card number by its length, its first digit and Luhn's sum."""
    numbers = [int(char) for char in digits if char.isdigit()]
    if not 13 <= len(numbers) <= 19 or numbers[0] not in (2, 3, 4, 5, 6) or len(set(numbers)) < 2:
        return False
    doubled = [2 * n - 9 * (n > 4) for n in numbers[-2::-2]]
    return (sum(numbers[-1::-2]) + sum(doubled)) % 10 == 0


def is_iban(text: str) -> bool:
    """Check an account number by its length and ISO 7064's remainder."""
    plain = text.replace(" ", "")
    if not 15 <= len(plain) <= 34:
        return False
    moved = plain[4:] + plain[:4]
    return int("".join(str(int(char, 36)) for char in moved)) % 97 == 1
