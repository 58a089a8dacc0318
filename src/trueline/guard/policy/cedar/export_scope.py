"""A Scope written as Cedar policies: each forbids what lies outside.

An effect that a policy forbids lies outside, one that a policy cannot decide is unknown, and the others lie inside. Two
attributes that are not known stand for what a Scope leaves open: `context.confirmed`, where only names on the screen
show the effect, and `context.needed`, where the words leave open whether the task needs it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar, get_args

from trueline.guard.policy.cedar.literals import pattern_of
from trueline.guard.policy.cedar.tokens import WILDCARD, quote, quote_pattern
from trueline.guard.policy.folding import key
from trueline.guard.scope.place import verb_phrase
from trueline.guard.scope.types import (
    Access,
    ApplicationGrant,
    EffectKind,
    Grant,
    PathGrant,
    RecipientGrant,
    Scope,
    SiteGrant,
)
from trueline.guard.scope.vocabulary import vocabulary
from trueline.records.verdict import Category
from trueline.text import printable

_HEADER = """\
// What the task may touch, as policies in Cedar: give the file to --policy.
"""
G = TypeVar("G", bound=Grant)
_NEEDED = "context.needed"
_TO_A_SITE = frozenset({"upload", "share", "remote_control"})
_HARMS = frozenset({"delete", "write", "delete_permanently", "wipe_disk", "control_processes"})
_TEMPORARY = "/tmp/"  # noqa: S108 - a prefix of patterns


def export_scope(scope: Scope) -> str:
    """Write a Scope as Cedar policies."""
    policies = [
        _policy("use", "the task does not use this application", _by_grants(scope.applications, _application), "name"),
        _policy("visit", "the task does not visit this site", _by_grants(scope.sites, _site), "host"),
        *(_path_policy(scope, access) for access in get_args(Access)),
        *(_kind_policy(scope, kind) for kind in get_args(EffectKind)),
    ]
    return "\n".join((_HEADER, *_reasons(scope), *policies))


def _reasons(scope: Scope) -> Iterator[str]:
    """What is granted and why, for who reads the file."""
    granted: list[tuple[str, Grant]] = [
        *((grant.application, grant) for grant in scope.applications),
        *((f"{' '.join(grant.access)} {grant.path}", grant) for grant in scope.paths),
        *((grant.site, grant) for grant in scope.sites),
        *((grant.recipient, grant) for grant in scope.recipients),
        *((grant.effect.replace("_", " "), grant) for grant in scope.effects),
        *((f"a {grant.slot} that only data can tell", grant) for grant in scope.open_slots),
    ]
    for what, grant in granted:
        yield f"// {'possibly ' if grant.possible else ''}{printable(what, 200)}: {printable(grant.because, 200)}"


def _policy(action: str, outside: str, unless: Sequence[str], known: str = "") -> str:
    """A policy that forbids an effect unless one condition holds; `known` is what it must be about."""
    category = Category.UNINTENDED_HARM if action in _HARMS else Category.MALICIOUS_INSTRUCTION
    lines = [
        f'\n@id("scope-{action.replace("_", "-")}")',
        "@unseen",
        f"@category({quote(category.value)})",
        f"@reason({quote(f'{outside[:1].upper()}{outside[1:]}.')})",
        '@instead("Go on with what the user asked for, and leave everything else alone.")',
        f'forbid(principal, action == Trueline::Action::"{action}", resource)',
    ]
    if known:
        lines.append(f'when {{ resource.{known} != "" }}')
    lines += [f"unless {{\n  {condition}\n}}" for condition in unless]
    return "\n".join(lines) + ";"


def _by_grants(grants: Iterable[G], condition: Callable[[G], str]) -> list[str]:
    """What lies inside by firm grants, and then what possible ones leave open.

    The order matters: the engine does not look at what stands behind a condition that is not known.
    """
    firm: list[str] = []
    possible: list[str] = []
    for grant in grants:
        try:
            written = condition(grant)
        except ValueError:
            # A pattern that Cedar has not: what it covers is left open.
            possible.append(_NEEDED)
            continue
        if grant.possible:
            possible.append(f"({written}) && {_NEEDED}")
        else:
            firm.append(f"({written}) && context.confirmed")
    return firm + possible


def _path_policy(scope: Scope, access: Access) -> str:
    grants = [grant for grant in scope.paths if access in grant.access]
    unless = _within(grants)
    elsewhere = any(not grant.path.startswith((_TEMPORARY, "**/")) for grant in grants)
    # A path below a folder that is not known.
    unless.append(f"!resource.located && {_NEEDED}" if access != "delete" or elsewhere else
                  f"!resource.located && resource.rebuilt && {_NEEDED}")  # fmt: skip
    if access == "write" and any(grant.effect == "change_settings" for grant in scope.effects):
        unless.append(f"resource.located && resource.setting && {_NEEDED}")
    if access == "delete" and not elsewhere:
        unless = [f"!resource.printed && {condition}" for condition in unless]
    return _policy(access, f"the task does not {access} this path", unless)


def _within(grants: Sequence[PathGrant], located: str = "resource.located && ") -> list[str]:
    """What lies inside by grants for paths; `located` guards what is asked only of a path whose folder is known."""
    found: list[str] = []
    for possible, word in ((False, "context.confirmed"), (True, _NEEDED)):
        paths = [grant.path for grant in grants if grant.possible == possible]
        anywhere = [quote(path) for path in paths if path.startswith("**/")]
        within = [quote(path) for path in paths if not path.startswith("**/")]
        if within:
            found.append(f"{located}resource.within.containsAny([{', '.join(within)}]) && {word}")
        if anywhere:
            found.append(f"resource.anywhere.containsAny([{', '.join(anywhere)}]) && {word}")
    return found


def _kind_policy(scope: Scope, kind: EffectKind) -> str:
    granted = [grant for grant in scope.effects if grant.effect == kind]
    unless: list[str] = []
    if kind == "read_secrets":
        unless = _within([grant for grant in scope.paths if not (grant.possible or grant.path.endswith("/**"))], "")
    outside = f"the task does not {verb_phrase(kind)}"
    if not granted:
        return _policy(kind, outside, unless)
    if all(grant.possible for grant in granted):
        return _policy(kind, outside, [*unless, _NEEDED])
    if kind == "send":
        unless += _by_grants(scope.recipients, _recipient)
        if not scope.recipients or any(slot.slot == "recipient" for slot in scope.open_slots):
            unless.append(_NEEDED)
        return _policy(kind, "the task does not write to this recipient", unless, "address")
    if kind in _TO_A_SITE:
        named = [grant for grant in scope.sites if not grant.possible]
        unless = _by_grants(named, _site)
        if not named or any(slot.slot == "site" for slot in scope.open_slots):
            unless = [*unless, _NEEDED]
        return _policy(kind, "the task does not hand anything to this site", unless, "host")
    return _policy(kind, outside, [*unless, "context.confirmed"])


def _application(grant: ApplicationGrant) -> str:
    if grant.application == "*":
        return "true"
    entry = vocabulary().applications.get(grant.application)
    names = dict.fromkeys((grant.application, *(entry.executables if entry else ()), *(entry.aliases if entry else ())))
    return " || ".join(f"resource.name like {pattern_of(name)}" for name in names)


def _site(grant: SiteGrant) -> str:
    site = key(grant.site).removeprefix("www.")
    if site == "*":
        return "true"
    return f"resource.host == {quote(site)} || resource.host like {quote_pattern(f'{WILDCARD}.{site}')}"


def _recipient(grant: RecipientGrant) -> str:
    return f"resource.address like {pattern_of(grant.recipient)}"
