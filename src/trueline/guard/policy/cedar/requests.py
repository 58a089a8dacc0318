"""Operations, and what they bring about, as Cedar requests.

What comes from the screen is data in them, never a part of a policy's text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product

from trueline.actions.shell.command import ShellCommand
from trueline.guard.policy.addresses import hosts_of
from trueline.guard.policy.cedar.literals import fold_text
from trueline.guard.policy.cedar.request import CedarRequest, Data, unknown
from trueline.guard.policy.episode_reading import EpisodeReading
from trueline.guard.policy.instruction import names, speaks_of
from trueline.guard.policy.operations import Addressed, EpisodeEnd, Nothing, Opened, Operation, Pressed, Ran, Typed
from trueline.guard.policy.provenance import MOST_STRINGS, Origin, origins
from trueline.guard.policy.rule_matching import is_path, is_whole, place_of, subjects
from trueline.guard.policy.screen.target import Target
from trueline.guard.policy.secrets import Marked, carried_by, secrets_in
from trueline.guard.types import GuardContext

_MOST_PAIRS = 64
"""Pairs of a path and a host that are asked about one by one."""
_Path = tuple[Data, bool]
"""What a request holds about a path, and whether that is fully known."""
_NOT_EXACT = re.compile(r"[*?\[$`]")
"""In a path: wildcards, and what the shell puts in."""
_PUT_IN = re.compile(r"[$`]")


@dataclass(frozen=True)
class Asking:
    """What requests are made from."""

    context: GuardContext
    reading: EpisodeReading
    words: Mapping[str, tuple[str, ...]]
    """The word groups of the rules."""
    marked: tuple[Marked, ...]
    attributes: frozenset[str]
    """The attributes that the policies mention; of the others, those that take time are left empty."""
    questions: Mapping[str, frozenset[str]]
    """The patterns that the policies ask `touches`, `covers` and `within` for."""
    effects: bool = True
    """Whether a policy can be about what operations bring about."""


def requests_of(asking: Asking) -> tuple[tuple[CedarRequest, ...], ...]:
    """Return the requests of each operation of a proposal."""
    # Imported late: the Scope's vocabulary is made of the rules, which hold the policies that ask.
    from trueline.guard.policy.cedar.effect_requests import effect_requests
    from trueline.guard.scope.effects import effects_of
    from trueline.guard.scope.place import place_effects, place_of

    source = asking.context.scope_source
    scope = source.given if source is not None else None
    found: list[tuple[CedarRequest, ...]] = []
    for operation in asking.reading.operations:
        effects = effects_of((operation,)) if asking.effects or scope is not None else ()
        kinds = tuple(sorted({effect.kind for effect in effects}))
        common = _circumstances(operation, asking, kinds)
        if scope is not None and not isinstance(operation, Nothing):
            common["scope"] = place_of(place_effects(effects, scope))
        following = effect_requests(effects, common, asking.questions) if asking.effects else ()
        found.append((*_requests(operation, common, asking), *following))
    return tuple(found)


def _requests(operation: Operation, common: Data, asking: Asking) -> Iterator[CedarRequest]:
    match operation:
        case Pressed(target=target):
            act = operation.act or ""
            context = {**common, "how": operation.how, "many": operation.many}
            yield CedarRequest("click", "Element", _element(target, act), context)
        case Typed(into=target):
            secrets = secrets_in(operation.text, asking.marked) if "secrets" in asking.attributes else ()
            text = fold_text(operation.text) if operation.whole else unknown("context.text")
            context = {**common, "text": text, "secrets": secrets}
            element = _element(target, "")
            if target is not None:
                element["name"] = fold_text(target.name)
            yield CedarRequest("type", "Element", element, context)
        case Ran(command=command):
            yield from _command_requests(command, common, asking)
        case Opened():
            carried = carried_by(operation.url, asking.marked) if "secrets" in asking.attributes else ()
            context = {**common, "by": operation.by, "secrets": carried}
            for host in hosts_of(operation.url) or ("",):
                address: Data = {"url": fold_text(operation.url), "host": fold_text(host)}
                yield CedarRequest("open", "Address", address, context)
        case Addressed():
            recipient: Data = {"address": fold_text(operation.address)}
            yield CedarRequest("address", "Recipient", recipient, {**common, "sent": operation.sent})
        case EpisodeEnd():
            yield CedarRequest("end", "Episode", {}, {**common, "kind": operation.kind})
        case Nothing():
            yield CedarRequest("nothing", "Episode", {}, common)
        case _:
            yield CedarRequest("unclear", "Episode", {}, common)


def _circumstances(operation: Operation, asking: Asking, kinds: tuple[str, ...]) -> Data:
    """What is the same for all requests of an operation."""
    context = asking.context
    asked = asked_for(context.instruction, tuple(asking.words.items())) if "asked" in asking.attributes else ()
    named = "named" in asking.attributes and any(names(context.instruction, thing) for thing in subjects(operation))
    seen = _provenance(operation, asking) if "provenance" in asking.attributes else ()
    found: Data = {
        "step": context.step,
        "asked": asked,
        "named": named,
        "provenance": seen,
        "effect": operation.effect,
        "effects": kinds,
    }
    return found if context.domain is None else {**found, "domain": fold_text(context.domain)}


@lru_cache(maxsize=64)
def asked_for(instruction: str, words: tuple[tuple[str, tuple[str, ...]], ...]) -> tuple[str, ...]:
    """Return the word groups that an instruction speaks of."""
    return tuple(fold_text(group) for group, patterns in words if speaks_of(instruction, patterns))


def _provenance(operation: Operation, asking: Asking) -> object:
    """Where an operation's strings were seen first; unknown if there are more than are looked up."""
    found = origins(asking.context, replace(asking.reading, operations=(operation,)), asking.marked)
    if len(found) >= MOST_STRINGS:
        return unknown("context.provenance")
    return sorted({word for origin in found for word in _words_of(origin)})


def _words_of(origin: Origin) -> Iterator[str]:
    seen = {"instruction": origin.in_instruction, "agent": origin.by_agent, "screen": origin.on_screen is not None}
    yield from [word for word, true in seen.items() if true] or ["nowhere"]


def _element(target: Target | None, act: str) -> Data:
    if target is None:
        fields = ("application", "window", "role", "name", "dialog", "url", "place")
        return {**{name: unknown(f"resource.{name}") for name in fields}, "act": act or unknown("resource.act")}
    found: Data = {
        "application": fold_text(target.app),
        "window": fold_text(target.window),
        "role": fold_text(target.role),
        "name": fold_text(target.label),
        "dialog": fold_text(target.dialog),
        "url": fold_text(target.url),
        "act": act,
        "place": place_of(target),
    }
    # Of a text that OCR read, only the text is known.
    return {name: value or unknown(f"resource.{name}") for name, value in found.items()} if target.by_ocr else found


def _command_requests(command: ShellCommand, common: Data, asking: Asking) -> Iterator[CedarRequest]:
    hidden = not command.program or _PUT_IN.search(command.program)
    fixed: Data = {
        "program": unknown("resource.program") if hidden else fold_text(command.program),
        "arguments": [fold_text(word) for word in command.words[1:]],
        "line": fold_text(command.text),
        "does": sorted(command.does),
    }
    paths = [_path(path, command, asking) for path in command.files or ("",)]
    hosts = [fold_text(host) for host in command.hosts] or [""]
    if len(paths) * len(hosts) > _MOST_PAIRS:
        yield from _many(fixed, paths, hosts, common)
        return
    for (path, exact), host in product(paths, hosts):
        yield CedarRequest("run", "Command", {**fixed, **path, "host": host}, common, exact)


def _many(fixed: Data, paths: Sequence[_Path], hosts: Sequence[str], common: Data) -> Iterator[CedarRequest]:
    """The requests of a command that names very many things: one for each answer about paths, and one for each host."""
    answers = {(path["touches"], path["covers"], path["access"]): path for path, _ in paths}
    path_unknown: Data = {"path": unknown("resource.path")}
    host = hosts[0] if len(hosts) == 1 else unknown("resource.host")
    for path in answers.values():
        yield CedarRequest("run", "Command", {**fixed, **path, **path_unknown, "host": host}, common, exact=False)
    for named in dict.fromkeys(hosts) if len(hosts) > 1 else ():
        missing: Data = {
            name: unknown(f"resource.{name}") for name in ("arguments", "line", "access", "touches", "covers")
        }
        yield CedarRequest("run", "Command", {**fixed, **missing, **path_unknown, "host": named}, common, exact=False)


def _path(path: str, command: ShellCommand, asking: Asking) -> _Path:
    touches, covers = (asking.questions.get(name, frozenset[str]()) for name in ("touches", "covers"))
    exact = not _NOT_EXACT.search(path)
    # What a folder is copied from is not touched as a whole.
    covers = covers if path in command.paths else frozenset[str]()
    found: Data = {
        "path": fold_text(path) if exact else unknown("resource.path"),
        "access": tuple(sorted(command.accesses(path))),
        "touches": tuple(sorted(fold_text(pattern) for pattern in touches if path and is_path(path, (pattern,)))),
        "covers": tuple(sorted(fold_text(folder) for folder in covers if path and is_whole(path, (folder,)))),
    }
    return found, exact
