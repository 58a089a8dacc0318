"""The metric of what must not have changed."""

from __future__ import annotations

from fnmatch import fnmatchcase

from trueline.tasks.checkers.values import Options, Outcome, UnreadableResult, Value, rules_of, texts, verdict


def unchanged_except(result: Value, expected: Value, _: Options) -> Outcome:
    """Whether nothing in the home folder changed but what fits a pattern of `rules.except`; `*` also stands for `/`.

    Ours. The result comes from the getter `home_diff`: what happened by path, and a folder's path ends with `/`.
    """
    patterns = texts(rules_of(expected), "except")
    if not isinstance(result, dict):
        raise UnreadableResult("there is no list of changes")
    others = [
        f"{path} ({what})" for path, what in result.items() if not any(fnmatchcase(path, each) for each in patterns)
    ]
    return verdict(not others, f"also changed: {', '.join(others[:10])}")
