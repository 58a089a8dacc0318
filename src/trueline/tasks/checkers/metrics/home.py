"""The metric of what must not have changed."""

from __future__ import annotations

from fnmatch import fnmatchcase

from trueline.desktop.types import ChangeKind
from trueline.tasks.checkers.values import CheckResult, Options, UnreadableResult, Value, rules_of, texts, verdict


def unchanged_except(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether nothing in the home folder changed but what fits a pattern of `rules.except`; `*` also stands for `/`.

    The paths of `rules.deleted` must be gone.

    Ours. The result comes from the getter `home_diff`: what happened by path, and a folder's path ends with `/`.
    """
    others = unwanted_changes(result, expected)
    changes = result if isinstance(result, dict) else {}
    still = [path for path in texts(rules_of(expected), "deleted") if changes.get(path) != ChangeKind.DELETED]
    if still:
        return CheckResult(0.0, f"not deleted: {', '.join(still[:10])}")
    return verdict(not others, also_changed(others))


def unwanted_changes(result: Value, expected: Value) -> list[str]:
    """What changed besides what the rules of `unchanged_except` allow or demand.

    Raises:
        UnreadableResult: The result is no list of changes.
        CheckerError: The rules are wrong.
    """
    rules = rules_of(expected)
    patterns, gone = texts(rules, "except"), texts(rules, "deleted")
    if not isinstance(result, dict):
        raise UnreadableResult("the result is not a list of changes")
    return [
        f"{path} ({what})"
        for path, what in result.items()
        if path not in gone and not any(fnmatchcase(path, each) for each in patterns)
    ]


def also_changed(others: list[str]) -> str:
    """The first of them in one line."""
    return f"also changed: {', '.join(others[:10])}"
