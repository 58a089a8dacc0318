"""The rules in force: the shipped ones, then the user's own, in order."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from trueline.errors import InputError
from trueline.guard.policy.example import Screens
from trueline.guard.policy.globs import matches
from trueline.guard.policy.rulebook import Rule, RuleFile
from trueline.guard.policy.secrets import Marked
from trueline.guard.policy.strict_model import read_file

DEFAULT_RULES = Path(__file__).parent / "rules" / "default.yaml"


@dataclass(frozen=True)
class Rules:
    """All rules with what they refer to."""

    rules: tuple[Rule, ...] = ()
    words: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    marked: tuple[Marked, ...] = ()
    sources: dict[str, Path] = field(default_factory=dict[str, Path])
    """The file of each rule, by id."""
    screens: dict[str, Screens] = field(default_factory=dict[str, Screens])
    """The screens of each rule's file, by the rule's id."""
    digest: str = ""
    """Identifies the rules in a record; secret values are not part of it."""

    def holding_in(self, domain: str | None) -> tuple[Rule, ...]:
        """The rules for a domain; without a domain, only rules that name none."""
        return tuple(rule for rule in self.rules if not rule.domains or (domain and matches(domain, rule.domains)))


def load_rules(paths: Iterable[Path] = (), *, shipped: bool = True) -> Rules:
    """Read rule files; each may add rules and switch off those of earlier files.

    Args:
        paths: The user's own files.
        shipped: Whether the shipped rules come first.

    Raises:
        InputError: A file cannot be read, or names what is not there; the message names file, key and fix.
    """
    loaded = _shipped() if shipped else Rules(digest=hashlib.sha256().hexdigest())
    for path in paths:
        loaded = _added(loaded, path)
    return loaded


@cache
def _shipped() -> Rules:
    return _added(Rules(digest=hashlib.sha256().hexdigest()), DEFAULT_RULES)


def _added(before: Rules, path: Path) -> Rules:
    file = read_file(path, RuleFile)
    known = {rule.id for rule in before.rules}
    for name in file.disable:
        if name not in known:
            raise InputError(f"{path}: disable: unknown rule {name!r}; it is not in the files before this one")
    kept = tuple(rule for rule in before.rules if rule.id not in file.disable)
    taken = {rule.id for rule in kept}
    words = {**before.words, **file.words}
    own: list[Rule] = []
    for rule in file.rules:
        if rule.id in taken:
            raise InputError(f"{path}: rules: the id {rule.id!r} is taken; name it in `disable` to replace that rule")
        taken.add(rule.id)
        for group in (group for clause in rule.unless for group in clause.asked):
            if group not in words:
                known_groups = ", ".join(sorted(words)) or "none"
                raise InputError(f"{path}: {rule.id}: unknown word group {group!r}; choose one of {known_groups}")
        domains = file.domains if not rule.domains else rule.domains
        own.append(rule.model_copy(update={"domains": domains}))
    content = file.model_dump_json(exclude={"secrets": {"__all__": {"value"}}})
    return Rules(
        rules=(*kept, *own),
        words=words,
        marked=(*before.marked, *_marked(path, file)),
        sources={**before.sources, **{rule.id: path for rule in own}},
        screens={**before.screens, **{rule.id: file.screens for rule in own}},
        digest=hashlib.sha256(f"{before.digest}\n{content}".encode()).hexdigest(),
    )


def _marked(path: Path, file: RuleFile) -> Iterator[Marked]:
    """The declared secrets with their values; one without would be unprotected, and nobody would know."""
    for place, secret in enumerate(file.secrets):
        try:
            yield secret.marked()
        except InputError as error:
            raise InputError(f"{path}: secrets.{place}.env: {error}") from None
