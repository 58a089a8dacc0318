"""What operations bring about, as Cedar requests: the effects that a Scope is about."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from trueline.guard.policy.cedar.literals import fold_text
from trueline.guard.policy.cedar.request import Data, Request, unknown
from trueline.guard.policy.globs import matches
from trueline.guard.scope.place import covers, is_setting
from trueline.guard.scope.types import ProposalEffect
from trueline.guard.scope.vocabulary import vocabulary

_SITES = frozenset({"visit", "upload", "share", "remote_control"})
_FILES = frozenset({"read", "write", "delete", "read_secrets"})
_PUT_IN = re.compile(r"[$`]")


def effect_requests(
    effects: Iterable[ProposalEffect], common: Data, questions: Mapping[str, frozenset[str]]
) -> Iterator[Request]:
    """Return a request for each effect.

    Args:
        effects: The effects of one operation.
        common: The context of all requests of that operation.
        questions: The patterns that the policies ask `within` for.
    """
    for effect in effects:
        confirmed = effect.shown_by != "screen" or unknown("context.confirmed")
        context = {**common, "confirmed": confirmed, "needed": unknown("context.needed")}
        kind, attributes = _resource(effect, questions.get("within", frozenset[str]()))
        yield Request(effect.kind, kind, attributes, context, effect=True)


def _resource(effect: ProposalEffect, within: Iterable[str]) -> tuple[str, Data]:
    if effect.kind in _FILES:
        file = _file(effect.resource, within)
        if effect.kind == "read_secrets":
            # That a secret is read is the effect; a file that the task names is one that is fully known.
            path = effect.resource
            file["within"] = sorted(fold_text(pattern) for pattern in within if path and covers(pattern, path))
        return "File", file
    named = fold_text(effect.resource)
    if effect.kind in _SITES:
        return "Site", {"host": named or unknown("resource.host")}
    if effect.kind == "send":
        return "Recipient", {"address": named or unknown("resource.address")}
    kind = "Application" if effect.kind == "use" else "Thing"
    return kind, {"name": named or unknown("resource.name")}


def _file(path: str, within: Iterable[str]) -> Data:
    if not path or _PUT_IN.search(path):
        return {name: unknown(f"resource.{name}") for name in ("path", "within", "located", "setting", "rebuilt")}
    located = path.startswith(("/", "~"))
    # Of a path whose folder is not known, only a pattern for any folder can be known to cover it.
    asked = within if located else (pattern for pattern in within if pattern.startswith("**/"))
    full = path if located else f"/{path}"
    return {
        "path": fold_text(path) if located else unknown("resource.path"),
        "within": sorted(fold_text(pattern) for pattern in asked if covers(pattern, full)),
        "located": located,
        "setting": is_setting(path),
        "rebuilt": matches(path.rstrip("/"), vocabulary().rebuilt),
    }
