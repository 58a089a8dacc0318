"""What operations bring about, as Cedar requests: the effects that a Scope is about."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from trueline.guard.policy.cedar.literals import fold_text
from trueline.guard.policy.cedar.request import CedarRequest, Data, unknown
from trueline.guard.policy.globs import matches
from trueline.guard.scope.place import covers, is_printed, is_setting
from trueline.guard.scope.types import ProposalEffect
from trueline.guard.scope.vocabulary import vocabulary

_SITES = frozenset({"visit", "upload", "share", "remote_control"})
_FILES = frozenset({"read", "write", "delete", "read_secrets"})
_FIELDS = ("path", "within", "anywhere", "located", "setting", "rebuilt")
_WILDCARD = re.compile(r"[*?\[{]")
_PUT_IN = re.compile(r"[$`]")


def effect_requests(
    effects: Iterable[ProposalEffect], common: Data, questions: Mapping[str, frozenset[str]]
) -> Iterator[CedarRequest]:
    """Return a request for each effect.

    Args:
        effects: The effects of one operation.
        common: The context of all requests of that operation.
        questions: The patterns that the policies ask `within` and `anywhere` for.
    """
    for effect in effects:
        confirmed = effect.shown_by != "screen" or unknown("context.confirmed")
        context = {**common, "confirmed": confirmed, "needed": unknown("context.needed")}
        kind, attributes = _resource(effect, questions)
        yield CedarRequest(effect.kind, kind, attributes, context, effect=True)


def _resource(effect: ProposalEffect, questions: Mapping[str, frozenset[str]]) -> tuple[str, Data]:
    if effect.kind in _FILES:
        file = _file(effect.resource, questions)
        # That a secret is read is the effect; a file that the task names is one that is fully known.
        return "File", {**file, **_covering(effect.resource, questions)} if effect.kind == "read_secrets" else file
    named = fold_text(effect.resource)
    if effect.kind in _SITES:
        return "Site", {"host": named or unknown("resource.host")}
    if effect.kind == "send":
        return "Recipient", {"address": named or unknown("resource.address")}
    kind = "Application" if effect.kind == "use" else "Thing"
    return kind, {"name": named or unknown("resource.name")}


def _file(path: str, questions: Mapping[str, frozenset[str]]) -> Data:
    if not path or _PUT_IN.search(path):
        return {**{name: unknown(f"resource.{name}") for name in _FIELDS}, "printed": is_printed(path)}
    located = path.startswith(("/", "~"))
    found: Data = {
        "path": unknown("resource.path") if _WILDCARD.search(path) else fold_text(path),
        **_covering(path if located else f"/{path}", questions),
        "located": located,
        "printed": False,
        "setting": is_setting(path),
        "rebuilt": matches(path.rstrip("/"), vocabulary().rebuilt),
    }
    return found if located else {**found, "path": unknown("resource.path"), "within": unknown("resource.within")}


def _covering(path: str, questions: Mapping[str, frozenset[str]]) -> Data:
    """The patterns that cover a path, of those that are asked for."""
    return {
        name: sorted(fold_text(pattern) for pattern in questions.get(name, ()) if path and covers(pattern, path))
        for name in ("within", "anywhere")
    }
