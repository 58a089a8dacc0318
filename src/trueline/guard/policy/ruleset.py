"""The rules in force: the shipped ones, then the user's own rules and Cedar policies, in order."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from trueline.errors import InputError
from trueline.guard.policy.cedar.evaluate import CedarPolicies
from trueline.guard.policy.cedar.policy_file import SUFFIX, read_policies
from trueline.guard.policy.example import Screens
from trueline.guard.policy.globs import matches
from trueline.guard.policy.rulebook import Rule, RuleFile
from trueline.guard.policy.secrets import Marked
from trueline.guard.policy.strict_model import read_file
from trueline.guard.policy.yaml_file import read_text

DEFAULT_RULES = Path(__file__).parent / "rules" / "default.yaml"


@dataclass(frozen=True)
class Rules:
    """All rules with what they refer to."""

    rules: tuple[Rule, ...] = ()
    words: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    marked: tuple[Marked, ...] = ()
    sources: dict[str, Path] = field(default_factory=dict[str, Path])
    """The file of each rule and policy, by id."""
    screens: dict[str, Screens] = field(default_factory=dict[str, Screens])
    """The screens of each rule's file, by the rule's id."""
    policies: CedarPolicies = field(default_factory=CedarPolicies)
    """The policies in Cedar."""
    digest: str = ""
    """Identifies the rules in a record; secret values are not part of it."""

    @property
    def ids(self) -> frozenset[str]:
        """Of all rules and policies."""
        return frozenset(rule.id for rule in (*self.rules, *self.policies.policies))

    def holding_in(self, domain: str | None) -> tuple[Rule, ...]:
        """The rules for a domain; without a domain, only rules that name none."""
        return tuple(rule for rule in self.rules if not rule.domains or (domain and matches(domain, rule.domains)))


def load_rules(paths: Iterable[Path] = (), *, shipped: bool = True) -> Rules:
    """Read rule files; each may add rules or policies, and those with rules may switch off what came before.

    Args:
        paths: The user's own files: rules in YAML, or policies in Cedar (`.cedar`).
        shipped: Whether the shipped rules come first.

    Raises:
        InputError: A file cannot be read, or names what is not there; the message names file, key and fix.
        MissingExtraError: A policy is in Cedar, and the extra `cedar` is not installed.
    """
    loaded = _shipped() if shipped else Rules(digest=hashlib.sha256().hexdigest())
    for path in paths:
        loaded = (_with_policies if path.suffix.casefold() == SUFFIX else _added)(loaded, path)
    return loaded


@cache
def _shipped() -> Rules:
    return _added(Rules(digest=hashlib.sha256().hexdigest()), DEFAULT_RULES)


def _added(before: Rules, path: Path) -> Rules:
    file = read_file(path, RuleFile)
    known = before.ids
    for name in file.disable:
        if name not in known:
            raise InputError(f"{path}: disable: unknown rule {name!r}; it is not in the files before this one")
    kept = tuple(rule for rule in before.rules if rule.id not in file.disable)
    policies = tuple(policy for policy in before.policies.policies if policy.id not in file.disable)
    taken = {rule.id for rule in (*kept, *policies)}
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
        policies=CedarPolicies(policies),
        digest=hashlib.sha256(f"{before.digest}\n{content}".encode()).hexdigest(),
    )


def _with_policies(before: Rules, path: Path) -> Rules:
    text = read_text(path)
    own = read_policies(path, text, before.words)
    for policy in own:
        if policy.id in before.ids:
            raise InputError(
                f"{path}: line {policy.line}: the id {policy.id!r} is taken by {before.sources[policy.id]}"
            )
    return replace(
        before,
        sources={**before.sources, **{policy.id: path for policy in own}},
        policies=CedarPolicies((*before.policies.policies, *own)),
        digest=hashlib.sha256(f"{before.digest}\ncedar\n{text}".encode()).hexdigest(),
    )


def _marked(path: Path, file: RuleFile) -> Iterator[Marked]:
    """The declared secrets with their values; one without would be unprotected, and nobody would know."""
    for place, secret in enumerate(file.secrets):
        try:
            yield secret.marked()
        except InputError as error:
            raise InputError(f"{path}: secrets.{place}.env: {error}") from None
