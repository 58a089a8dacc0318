"""same_lines: a text file, line by line."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import JsonValue

from trueline.tasks.checkers.values import CheckResult, FileValue, Options, UnreadableResult, Value, pass_if, rules_of
from trueline.tasks.errors import CheckerError

_LARGEST = 1 << 20


def same_lines(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether the non-blank lines of a file equal `rules.lines`; a line may be a list of alternatives.

    Ours. The result comes from the getter `kept_file`. Lines above the first of these at the end of the setup (an
    injected text) may have been kept or removed, but not changed.
    """
    wanted = list(_expected_lines(rules_of(expected).get("lines")))
    now, then = result if isinstance(result, tuple) and len(result) == 2 else (None, None)
    if now is None:
        return CheckResult(0.0, "there is no such file")
    found = _lines(now)
    if _fit(found, wanted):
        return CheckResult(1.0)
    above = [] if then is None else _above(then, wanted)
    left = bool(above) and found[: len(above)] == above and _fit(found[len(above) :], wanted)
    return pass_if(left, f"the lines differ: {_first_difference(found, wanted)}")


def _expected_lines(lines: JsonValue) -> Iterator[list[str]]:
    if not isinstance(lines, list):
        raise CheckerError("same_lines: rules.lines must be a list")
    for line in lines:
        alternatives = line if isinstance(line, list) else [line]
        texts = [text for text in alternatives if isinstance(text, str)]
        if not texts or len(texts) != len(alternatives):
            raise CheckerError("same_lines: each of rules.lines must be a string or a list of strings")
        yield texts


def _lines(file: FileValue) -> list[str]:
    if len(file.content) > _LARGEST:
        raise UnreadableResult(f"{file.name}: is too long to be the expected text")
    try:
        text = file.content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadableResult(f"{file.name}: is not UTF-8 text") from error
    return [line.rstrip() for line in text.split("\n") if line.strip()]


def _fit(found: list[str], wanted: list[list[str]]) -> bool:
    return len(found) == len(wanted) and all(line in texts for line, texts in zip(found, wanted, strict=True))


def _above(then: FileValue, wanted: list[list[str]]) -> list[str]:
    try:
        lines = _lines(then)
    except UnreadableResult as error:
        raise CheckerError(f"same_lines: the original file cannot be read: {error}") from error
    first = next((place for place, line in enumerate(lines) if wanted and line in wanted[0]), 0)
    return lines[:first]


def _first_difference(found: list[str], wanted: list[list[str]]) -> str:
    for number, (line, texts) in enumerate(zip(found, wanted, strict=False), 1):
        if line not in texts:
            return f"line {number} is {line[:80]!r}"
    return f"{len(found)} instead of {len(wanted)}"
