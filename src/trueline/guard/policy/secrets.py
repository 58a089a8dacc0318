"""Secrets and personal data in texts and addresses. What is found is named, never repeated."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Literal, NamedTuple
from urllib.parse import parse_qsl, quote, unquote

from trueline.actions.shell.outputs import unpacked
from trueline.guard.policy.addresses import split_address
from trueline.guard.policy.folding import fold, key

SecretKind = Literal[
    "private_key", "api_key", "card_number", "iban", "password", "login", "national_id", "birth_date", "marked"
]
"""`login` is a user name with a password in an address; `national_id` a number by which a state knows somebody."""

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
_NATIONAL_ID = re.compile(
    r"(?<![\d-])(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\d-])"
    r"|\b756\.\d{4}\.\d{4}\.\d{2}\b"
    r"|\b(?:ssn|social security|national insurance|passport|ausweis|steuer-?id|dni|nif|codice fiscale)\b"
    r"[^\n\d]{0,25}[A-Z]{0,3}\d[\dA-Z -]{5,}",
    re.IGNORECASE,
)
_BIRTH_DATE = re.compile(
    r"\b(?:born|birth(?:day|date)?|d\.?o\.?b|geboren|geburtsdatum|née?|naissance|nacid[oa]|nacimiento|nat[oa])\b"
    r"[^\n\d]{0,25}"
    r"(?:\d{1,2}[./ -]+(?:\d{1,2}|[a-zéû]{3,9})[./ -]+\d{2,4}|\d{4}-\d{2}-\d{2}|[a-z]{3,9} \d{1,2},? \d{4})",
    re.IGNORECASE,
)
_PASSWORD_KEYS = frozenset({"password", "passwd", "pwd", "pass", "passphrase", "passwort", "user_password", "pw"})
_ENCODED = re.compile(r"[A-Za-z0-9+/_-]{12,}={0,2}")
SHORTEST_MARKED = 4


class Marked(NamedTuple):
    """A value that the user has declared secret."""

    name: str
    value: str


def secrets_in(text: str, marked: Sequence[Marked] = ()) -> tuple[SecretKind, ...]:
    """Return the kinds of secrets a text holds."""
    plain = fold(text)
    found: list[SecretKind] = [kind for kind, _ in _found(plain)]
    if any(holds(plain, secret.value) for secret in marked):
        found.append("marked")
    return tuple(dict.fromkeys(found))


def secret_values(text: str) -> tuple[str, ...]:
    """Return the secrets themselves, for looking them up in the instruction; never to be shown."""
    return tuple(value for _, value in _found(fold(text)))


def _found(plain: str) -> Iterator[tuple[SecretKind, str]]:
    for kind, pattern, holds_true in _PATTERNS:
        for match in pattern.finditer(plain):
            if holds_true(match[0]):
                yield kind, match[0]


def carried_by(url: str, marked: Sequence[Marked] = ()) -> tuple[SecretKind, ...]:
    """Return the kinds of secrets in an address, encoded ones too."""
    try:
        parts = split_address(url)
        pairs = parse_qsl(parts.query or parts.fragment, keep_blank_values=False, max_num_fields=200)
    except ValueError:
        return secrets_in(unquote(url), marked)
    found = list(secrets_in(unquote(url), marked))
    if parts.username and parts.password:
        found.append("login")
    if any(name.lower() in _PASSWORD_KEYS for name, _ in pairs):
        found.append("password")
    for piece in _ENCODED.findall(parts.path.rpartition("/")[2] + " " + " ".join(value for _, value in pairs)):
        found += secrets_in(unpacked(piece) or "", marked)
    return tuple(dict.fromkeys(found))


def holds(text: str, value: str) -> bool:
    """Whether a text contains a secret value: verbatim, encoded, reversed, or spaced out."""
    if len(value) < SHORTEST_MARKED:
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


def _always(_text: str) -> bool:
    return True


_PATTERNS: tuple[tuple[SecretKind, re.Pattern[str], Callable[[str], bool]], ...] = (
    ("private_key", _PRIVATE_KEY, _always),
    ("api_key", _API_KEY, _always),
    ("card_number", _DIGITS, is_card_number),
    ("iban", _IBAN, is_iban),
    ("password", _PASSWORD, _always),
    ("national_id", _NATIONAL_ID, _always),
    ("birth_date", _BIRTH_DATE, _always),
)
"""What each kind looks like, and how it is checked."""
