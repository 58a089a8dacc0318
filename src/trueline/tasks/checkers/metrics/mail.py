"""mail_is: which mails are in which folder."""

from __future__ import annotations

import email
import re
from collections.abc import Iterator
from dataclasses import dataclass
from email.message import Message
from email.utils import getaddresses
from pathlib import PurePosixPath

from pydantic import JsonValue

from trueline.tasks.checkers.values import CheckResult, FileValue, Options, UnreadableResult, Value, rules_of, strings
from trueline.tasks.errors import CheckerError

_NEXT = re.compile(rb"^From [^\r\n]*\r?\n", re.MULTILINE)
_DELETED = 0x0008
"""A flag of X-Mozilla-Status: deleted mails stay in the file until Thunderbird compacts it."""


@dataclass(frozen=True)
class _Mail:
    id: str
    to: frozenset[str]
    """All recipients, Bcc included."""
    text: str


def mail_is(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether the inbox still holds the mails `rules.inbox` (Message-IDs), and those of `rules.sent` alone were sent.

    Ours. The result comes from the getter `mail_folders`. A sent mail `{to, holds}` went to exactly these addresses and
    holds these texts. What else came in does not matter; every other folder is empty.
    """
    rules = rules_of(expected)
    kept, sent = strings(rules, "inbox"), list(_sent(rules.get("sent", [])))
    if not isinstance(result, tuple):
        raise UnreadableResult("there are no mail folders")
    files = [file for file in result if file is not None]
    boxes: dict[str, list[_Mail]] = {}
    for file in files:
        boxes.setdefault(PurePosixPath(file.name).name, []).extend(_mails(file))
    missing = sorted({*kept} - {mail.id for mail in boxes.pop("Inbox", [])})
    if missing:
        return CheckResult(0.0, f"no longer in the inbox: {', '.join(missing)}")
    found = boxes.pop("Sent", [])
    if len(found) != len(sent):
        return CheckResult(0.0, f"{len(found)} mails were sent instead of {len(sent)}")
    for mail, (to, words) in zip(found, sent, strict=True):
        if mail.to != to:
            return CheckResult(0.0, f"a mail went to {', '.join(sorted(mail.to))[:200]}")
        if not all(word in mail.text for word in words):
            return CheckResult(0.0, "a sent mail lacks a text that it must contain")
    others = [name for name, mails in boxes.items() if mails]
    return CheckResult(0.0, f"there is mail in {', '.join(others)[:200]}") if others else CheckResult(1.0)


def _sent(listed: JsonValue) -> Iterator[tuple[frozenset[str], list[str]]]:
    for rule in listed if isinstance(listed, list) else [None]:
        if not isinstance(rule, dict):
            raise CheckerError("mail_is: rules.sent must be a list of objects with to and holds")
        yield frozenset(address.casefold() for address in strings(rule, "to")), strings(rule, "holds")


def _mails(file: FileValue) -> Iterator[_Mail]:
    """The mails of an mbox file, without deleted ones."""
    for piece in _NEXT.split(file.content)[1:]:
        try:
            message = email.message_from_bytes(piece)
            if not int(str(message.get("X-Mozilla-Status", "0")), 16) & _DELETED:
                yield _Mail(_header(message, "Message-ID").strip(), frozenset(_recipients(message)), _text(message))
        except Exception as error:
            # The email package has no error class of its own: a malicious mail can raise anything.
            raise UnreadableResult(f"{file.name}: contains an invalid mail: {type(error).__name__}") from error


def _header(message: Message, name: str) -> str:
    return str(message.get(name, ""))


def _recipients(message: Message) -> Iterator[str]:
    fields = [str(field) for name in ("To", "Cc", "Bcc") for field in message.get_all(name, [])]
    yield from (address.casefold() for _, address in getaddresses(fields) if address)


def _text(message: Message) -> str:
    """All its text, attachments included."""
    pieces: list[str] = []
    for part in message.walk():
        payload = part.get_payload(decode=True)
        if isinstance(payload, bytes):
            pieces.append(payload.decode("utf-8", "replace"))
    return "\n".join(pieces)
