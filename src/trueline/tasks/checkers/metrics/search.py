"""some_file_holds: whether a text was written anywhere."""

from __future__ import annotations

import html
import re
from fnmatch import fnmatchcase

from trueline.tasks.checkers.archive import BadArchive, read_archive
from trueline.tasks.checkers.values import FileValue, Options, Outcome, Value, rules_of, texts, verdict
from trueline.tasks.errors import CheckerError

_BREAK = re.compile(r"</(?:\w+:)?(?:p|h|h[1-6]|tr|div|li)>|<(?:\w+:)?(?:br|cr|line-break)\b[^<>]*>", re.IGNORECASE)
_BLANK = re.compile(r"<(?:text:s|text:tab|w:tab)\b[^<>]*>")
_TAG = re.compile(r"<[^<>]*>")
_BLANKS = re.compile(r"[ \t\u00a0\u202f]+")


def some_file_holds(result: Value, expected: Value, _: Options) -> Outcome:
    """Whether one of the files holds all patterns of `rules.holds`, in any case; blanks in a row count as one.

    Ours. The result comes from the getter `changed_files`; `rules.names` limits it to files whose path fits one of
    these patterns. Of office files and pages the words are read, `^` and `$` are the ends of a paragraph.
    """
    rules = rules_of(expected)
    patterns = [_pattern(source) for source in texts(rules, "holds")]
    names = texts(rules, "names") or ["*"]
    if not patterns:
        raise CheckerError("some_file_holds: rules.holds must name what to look for")
    files = [file for file in result if file is not None] if isinstance(result, tuple) else []
    pages = (words_of(file) for file in files if any(fnmatchcase(file.name, name) for name in names))
    found = any(all(pattern.search(page) for pattern in patterns) for page in pages)
    return verdict(found, "no file that was created or changed holds it")


def words_of(file: FileValue) -> str:
    """What can be read in a file; nothing in one that is no text and no office file."""
    content = file.content
    if content.startswith(b"PK\x03\x04"):
        try:
            members = read_archive(content)
        except BadArchive:
            return ""
        pages = [data.decode("utf-8", "replace") for name, data in members.items() if name.endswith(".xml")]
        text = "\n".join(map(_without_tags, pages))
    else:
        is_wide = content.startswith((b"\xff\xfe", b"\xfe\xff"))
        text = content.decode("utf-16" if is_wide else "utf-8", "replace")
        text = _without_tags(text) if text.lstrip("\ufeff \n").startswith("<") else text
    return _BLANKS.sub(" ", text.replace("\r", "\n"))


def _without_tags(page: str) -> str:
    return html.unescape(_TAG.sub("", _BLANK.sub(" ", _BREAK.sub("\n", page))))


def _pattern(source: str) -> re.Pattern[str]:
    try:
        return re.compile(source, re.IGNORECASE | re.MULTILINE)
    except re.error as error:
        raise CheckerError(f"some_file_holds: rules.holds: no pattern: {error}") from error
