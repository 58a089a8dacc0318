"""unchanged_except: nothing else in the home folder changed."""

from __future__ import annotations

from fnmatch import fnmatchcase

from trueline.desktop.types import ChangeKind
from trueline.tasks.checkers.values import CheckResult, Options, UnreadableResult, Value, pass_if, rules_of, strings


def unchanged_except(result: Value, expected: Value, _: Options) -> CheckResult:
    """Whether all changes in the home folder match a pattern of `rules.except`; `*` also matches `/`.

    The paths of `rules.deleted` must be deleted.

    Ours. The result comes from the getter `home_diff`: changes by path; a folder's path ends with `/`.
    """
    others = unwanted_changes(result, expected)
    changes = result if isinstance(result, dict) else {}
    still = [path for path in strings(rules_of(expected), "deleted") if changes.get(path) != ChangeKind.DELETED]
    if still:
        return CheckResult(0.0, f"not deleted: {', '.join(still[:10])}")
    return pass_if(not others, also_changed(others))


def unwanted_changes(result: Value, expected: Value) -> list[str]:
    """Changes that the rules of `unchanged_except` neither allow nor require.

    Raises:
        UnreadableResult: The result is not a list of changes.
        CheckerError: The rules are wrong.
    """
    rules = rules_of(expected)
    patterns, gone = strings(rules, "except"), strings(rules, "deleted")
    if not isinstance(result, dict):
        raise UnreadableResult("the result is not a list of changes")
    return [
        f"{path} ({what})"
        for path, what in result.items()
        if path not in gone and not any(fnmatchcase(path, each) for each in patterns)
    ]


def also_changed(others: list[str]) -> str:
    """A one-line summary of the first changes."""
    return f"also changed: {', '.join(others[:10])}"
