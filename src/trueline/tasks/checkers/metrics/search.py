"""some_file_holds: whether a text was written anywhere."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from fnmatch import fnmatchcase

from trueline.tasks.checkers.archive import TOTAL_BYTES, BadArchive, read_archive
from trueline.tasks.checkers.values import FULL, CheckResult, FileValue, Options, Value, rules_of, strings
from trueline.tasks.errors import CheckerError

_BREAK = re.compile(r"</(?:\w+:)?(?:p|h|h[1-6]|tr|div|li)>|<(?:\w+:)?(?:br|cr|line-break)\b[^<>]*>", re.IGNORECASE)
_BLANK = re.compile(r"<(?:text:s|text:tab|w:tab)\b[^<>]*>")
_TAG = re.compile(r"<[^<>]*>")
_OLE = b"\xd0\xcf\x11\xe0"
_NESTED = 3
"""The maximum depth of nested archives."""
_BLANKS = re.compile(r"[ \t\u00a0\u202f]+")


def some_file_holds(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether one of the files matches all patterns of `rules.holds`, ignoring case and repeated blanks.

    Ours. The result comes from the getter `changed_files`; `rules.names` limits it to files whose path matches one of
    these patterns. In office files and HTML the text is searched; `^` and `$` match the ends of a paragraph. If no
    file matches but one cannot be read (encrypted, too large), the result says so.
    """
    rules = rules_of(expected)
    patterns = [_pattern(source) for source in strings(rules, "holds")]
    names = strings(rules, "names") or ["*"]
    if not patterns:
        raise CheckerError("some_file_holds: rules.holds must be a non-empty list of patterns")
    files = [file for file in result if file is not None] if isinstance(result, tuple) else []
    unread: list[str] = []
    for file in files:
        if not any(fnmatchcase(file.name, name) for name in names):
            continue
        page, why = words_of(file)
        if all(pattern.search(page) for pattern in patterns):
            return FULL
        if why:
            unread.append(f"{file.name} ({why})")
    if unread:
        return CheckResult(0.0, f"cannot be read: {', '.join(unread[:10])}", unreadable=True)
    return CheckResult(0.0, "no file that was created or changed holds it")


def words_of(file: FileValue) -> tuple[str, str]:
    """The text of a file, nested archives included, and why it is incomplete."""
    if file.unread:
        return "", file.unread
    budget = _Budget(TOTAL_BYTES)
    return _BLANKS.sub(" ", _words(file.content, budget, _NESTED).replace("\r", "\n")), budget.why


@dataclass
class _Budget:
    """How much of one file may still be unpacked, and why something was not."""

    left: int
    why: str = ""


def _words(content: bytes, budget: _Budget, depth: int) -> str:
    if not content.startswith(b"PK\x03\x04"):
        if content.startswith(_OLE) and "EncryptedPackage".encode("utf-16-le") in content:
            budget.why = "it is encrypted"
        return _text(content)
    try:
        members = read_archive(content)
    except BadArchive as error:
        budget.why = str(error)
        # It may only look like an archive.
        return _text(content)
    if b"encryption-data" in members.get("META-INF/manifest.xml", b""):
        budget.why = "it is encrypted"
    budget.left -= sum(map(len, members.values()))
    if budget.left < 0 or not depth:
        budget.why = "it holds more archives than are opened"
        return _text(content)
    return "\n".join(_words(data, budget, depth - 1) for data in members.values())


def _text(content: bytes) -> str:
    is_wide = content.startswith((b"\xff\xfe", b"\xfe\xff"))
    text = content.decode("utf-16" if is_wide else "utf-8", "replace")
    return _without_tags(text) if text.lstrip("\ufeff \n").startswith("<") else text


def _without_tags(page: str) -> str:
    return html.unescape(_TAG.sub("", _BLANK.sub(" ", _BREAK.sub("\n", page))))


def _pattern(source: str) -> re.Pattern[str]:
    try:
        return re.compile(source, re.IGNORECASE | re.MULTILINE)
    except re.error as error:
        raise CheckerError(f"some_file_holds: rules.holds: not a regular expression: {error}") from error
