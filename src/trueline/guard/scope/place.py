"""Where the effects of a proposal lie: inside a Scope, outside, or unknown.

An effect is inside only if a firm grant covers it and it was read from the process, the origin, the path, the envelope
or the words of a command. A name on the screen can put it outside or leave it unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache

from trueline.actions.shell.paths import normal_path
from trueline.guard.policy.folding import key
from trueline.guard.policy.globs import matches
from trueline.guard.policy.screen.target import TERMINAL_APPS
from trueline.guard.scope.open_slots import OPEN, is_open
from trueline.guard.scope.types import (
    Access,
    ApplicationGrant,
    Grant,
    PathGrant,
    Place,
    PlacedEffect,
    ProposalEffect,
    RecipientGrant,
    Scope,
    SiteGrant,
)
from trueline.guard.scope.vocabulary import vocabulary

_UNRESOLVED = re.compile(r"[$`]")
_WILDCARDS = re.compile(r"\*+|\?|\[[^\]]*\]|\{[^}]*\}")
_TEMPORARY = "/tmp/"  # noqa: S108 - a prefix
_TO_A_SITE = frozenset({"upload", "share", "remote_control"})


def place_effects(effects: Iterable[ProposalEffect], scope: Scope) -> tuple[PlacedEffect, ...]:
    """Place each effect in a Scope."""
    return tuple(_routine(_place(effect, scope), scope) for effect in effects)


def _routine(placed: PlacedEffect, scope: Scope) -> PlacedEffect:
    if placed.place == "outside" and placed.effect.routine and scope.made_by == "rules":
        return PlacedEffect(placed.effect, "unknown", f"usual on the way to a task, though {placed.why}")
    return placed


def _place(effect: ProposalEffect, scope: Scope) -> PlacedEffect:
    match effect.kind:
        case "use":
            grants: list[Grant] = [grant for grant in scope.applications if _is_application(grant, effect.resource)]
            if effect.shown_by == "process" and effect.resource in TERMINAL_APPS:
                grants += [grant for grant in scope.effects if grant.effect == "run_commands"]
            return _by_grants(effect, grants, "the task does not use this application")
        case "visit":
            grants = [grant for grant in scope.sites if _is_site(grant, effect.resource)]
            return _by_grants(effect, grants, "the task does not visit this site")
        case "read" | "write" | "delete":
            return _place_path(effect, effect.kind, scope)
        case _:
            return _place_kind(effect, scope)


def _by_grants(effect: ProposalEffect, grants: Sequence[Grant], outside: str) -> PlacedEffect:
    if not effect.resource:
        return PlacedEffect(effect, "unknown", "what it is done to is not known")
    firm = next((grant for grant in grants if not grant.possible), None)
    if firm is not None:
        return _covered(effect, firm)
    if grants:
        return PlacedEffect(effect, "unknown", grants[0].because)
    return PlacedEffect(effect, "outside", outside)


def _covered(effect: ProposalEffect, grant: Grant) -> PlacedEffect:
    if effect.shown_by == "screen":
        return PlacedEffect(effect, "unknown", "only names on the screen say so")
    return PlacedEffect(effect, "inside", grant.because)


def _place_path(effect: ProposalEffect, access: Access, scope: Scope) -> PlacedEffect:
    path = effect.resource
    grants = [grant for grant in scope.paths if access in grant.access]
    if access == "delete" and is_printed(path) and not _elsewhere(grants):
        return PlacedEffect(effect, "outside", "the task does not delete files")
    if not path or _UNRESOLVED.search(path):
        return PlacedEffect(effect, "unknown", "the path is not known")
    if not path.startswith(("/", "~")):
        return _place_relative(effect, grants, access)
    covering: list[Grant] = [grant for grant in grants if _holds(grant.path, path, access)]
    if not covering and access == "write" and is_setting(path):
        covering = [_as_possible(grant) for grant in scope.effects if grant.effect == "change_settings"]
    if not covering and access == "delete" and _is_moved(effect, scope):
        return PlacedEffect(effect, "unknown", "it is moved to where the task may write, not deleted")
    if not covering and effect.part_of is not None:
        covering = [_as_possible(grant) for grant in scope.effects if grant.effect == effect.part_of]
    placed = _by_grants(effect, covering, f"the task does not {access} this path")
    if covering and placed.place == "unknown" and access == "write" and is_open(scope, "path") and not effect.routine:
        return replace(placed, why=OPEN["path"])
    return placed


def _is_moved(effect: ProposalEffect, scope: Scope) -> bool:
    """Whether a file goes from one place where the task may write to another: it changes its name, and is not lost."""
    places = [grant.path for grant in scope.paths if "write" in grant.access and not _anywhere(grant)]
    ends = (effect.resource, effect.moved_to)
    return bool(effect.moved_to) and all(any(_holds(place, end, "write") for place in places) for end in ends)


def _anywhere(grant: PathGrant) -> bool:
    return grant.possible and grant.path in ("~/**", "~/[!.]*/**", "~/[!.]*")


def is_printed(path: str) -> bool:
    """Tell whether another command prints the path, as in `find … | xargs rm`."""
    return path in {"", "$(…)"}


def is_setting(path: str) -> bool:
    """A hidden file in the home folder, or one below /etc, usually holds settings."""
    return path.startswith(("~/.", "/etc/"))


def _as_possible(grant: Grant) -> Grant:
    return grant.model_copy(update={"possible": True})


def _holds(pattern: str, path: str, access: Access) -> bool:
    """Writing into a folder is covered by a grant for what lies in it; deleting the folder itself is not."""
    return covers(pattern, path) or (access != "delete" and covers(pattern.removesuffix("/**"), path))


def _place_relative(effect: ProposalEffect, grants: Sequence[PathGrant], access: Access) -> PlacedEffect:
    """A path below a folder that is not known: only a grant by name can cover it."""
    named = [grant for grant in grants if grant.path.startswith("**/") and covers(grant.path, f"/{effect.resource}")]
    if named:
        return _by_grants(effect, named, "")
    if access == "delete" and not _elsewhere(grants) and not matches(effect.resource.rstrip("/"), vocabulary().rebuilt):
        return PlacedEffect(effect, "outside", "the task does not delete files")
    return PlacedEffect(effect, "unknown", "the folder it lies in is not known")


def _elsewhere(grants: Iterable[PathGrant]) -> bool:
    """Whether a grant covers more than temporary files and files by name."""
    return any(not grant.path.startswith((_TEMPORARY, "**/")) for grant in grants)


def _place_kind(effect: ProposalEffect, scope: Scope) -> PlacedEffect:
    granted = [grant for grant in scope.effects if grant.effect == effect.kind]
    if effect.kind == "read_secrets" and (named := _named_path(effect.resource, scope)) is not None:
        return _covered(effect, named)
    if not granted and effect.kind == "control_processes" and _is_in_scope(effect.resource, scope):
        return PlacedEffect(effect, "unknown", "it is an application of the task")
    if not granted and effect.shown_by == "origin" and any(_is_site(site, effect.resource) for site in _named(scope)):
        return PlacedEffect(effect, "unknown", "it is a site of the task")
    if not granted:
        return PlacedEffect(effect, "outside", f"the task does not {verb_phrase(effect.kind)}")
    firm = next((grant for grant in granted if not grant.possible), None)
    if firm is None:
        return PlacedEffect(effect, "unknown", granted[0].because)
    if effect.kind == "send":
        return _place_recipient(effect, scope)
    if effect.kind in _TO_A_SITE:
        return _place_destination(effect, scope)
    return _covered(effect, firm)


def _is_in_scope(words: str, scope: Scope) -> bool:
    """Whether every process that a command names is an application of the task."""
    applications = [grant for grant in scope.applications if not grant.possible]
    named = [word for word in words.split() if not word.startswith("-")]
    return bool(named) and all(any(_is_application(grant, word) for grant in applications) for word in named)


def _named_path(path: str, scope: Scope) -> Grant | None:
    """The grant of a person or the instruction that names this file itself, not a folder above it."""
    named = (grant for grant in scope.paths if not grant.possible and not grant.path.endswith("/**"))
    return next((grant for grant in named if path and covers(grant.path, path)), None)


def _place_recipient(effect: ProposalEffect, scope: Scope) -> PlacedEffect:
    if not effect.resource:
        return PlacedEffect(effect, "unknown", "the recipient is not known")
    grants = [grant for grant in scope.recipients if _is_recipient(grant, effect.resource)]
    if not grants and (not scope.recipients or is_open(scope, "recipient")):
        return PlacedEffect(effect, "unknown", OPEN["recipient"])
    return _by_grants(effect, grants, "the task does not write to this recipient")


def _place_destination(effect: ProposalEffect, scope: Scope) -> PlacedEffect:
    """Data may go to a site that the task names; if it names none, the destination is unknown."""
    named = _named(scope)
    if effect.resource and is_open(scope, "site") and not any(_is_site(grant, effect.resource) for grant in named):
        return PlacedEffect(effect, "unknown", OPEN["site"])
    if not effect.resource or not named:
        return PlacedEffect(effect, "unknown", "the instruction leaves open where to")
    grants = [grant for grant in named if _is_site(grant, effect.resource)]
    return _by_grants(effect, grants, "the task does not hand anything to this site")


def _named(scope: Scope) -> list[SiteGrant]:
    return [grant for grant in scope.sites if not grant.possible]


def verb_phrase(kind: str) -> str:
    """Return a kind of effect as a verb phrase."""
    return _PHRASES.get(kind, kind.replace("_", " "))


_PHRASES = {
    "capture_screen": "take pictures of the screen",
    "account": "change users or accounts",
    "control_processes": "stop or start services, processes or the machine",
    "delete_permanently": "delete anything for good",
    "download": "download anything",
    "exhaust_resources": "use up the disk, the memory or the processes",
    "wipe_disk": "erase a disk",
    "install": "install or remove software",
    "pay": "pay for anything",
    "grant_privilege": "give other rights to programs or users",
    "open_shell": "open another shell",
    "privilege": "need another user's rights",
    "read_secrets": "need keys or passwords",
    "remote_control": "give others control of the machine",
    "run_other_code": "run code that cannot be read",
    "run_fetched_code": "run code from the network",
    "schedule": "set up anything that runs later by itself",
    "send": "send anything to anybody",
    "share": "give others access",
    "upload": "send data anywhere",
    "end_task": "end here",
}


def _is_application(grant: ApplicationGrant, resource: str) -> bool:
    if grant.application == "*":
        return True
    entry = vocabulary().applications.get(grant.application)
    patterns = (*entry.executables, *entry.aliases) if entry else ()
    return matches(resource, (grant.application, *patterns)) or key(resource) == key(grant.application)


def _is_site(grant: SiteGrant, host: str) -> bool:
    site, host = key(grant.site).removeprefix("www."), key(host)
    return site == "*" or host == site or host.endswith(f".{site}")


def _is_recipient(grant: RecipientGrant, address: str) -> bool:
    return matches(address, (grant.recipient,))


def covers(pattern: str, path: str) -> bool:
    """Tell whether a path pattern covers a path: `**` stands for any folders, `*` for a part of one name.

    A path with wildcards is covered if any name in their place is.
    """
    plain = _WILDCARDS.sub("x", path).rstrip("/") or "/"
    return _compiled(pattern).fullmatch(normal_path(plain).casefold()) is not None


@lru_cache(maxsize=4096)
def _compiled(pattern: str) -> re.Pattern[str]:
    parts = re.split(r"(\*\*/|/\*\*$|\*|\?|\[!\.\])", normal_path_pattern(pattern).casefold())
    written = {"**/": "(?:.*/)?", "/**": "/.+", "*": "[^/]*", "?": "[^/]", "[!.]": "[^/.]"}
    return re.compile("".join(written.get(part) or re.escape(part) for part in parts), re.DOTALL)


def normal_path_pattern(pattern: str) -> str:
    """Return a pattern with the home folder written as `~`."""
    return pattern if pattern.startswith("**") else normal_path(pattern)


def covers_application(scope: Scope, application: str) -> bool:
    """Tell whether a firm grant covers an application, by any of its names."""
    names = {application.casefold().replace(" ", "_")}
    entries = vocabulary().applications
    names |= {name for name, entry in entries.items() if names & {name, *entry.aliases}}
    return any(grant.application in names for grant in scope.applications if not grant.possible)


def covers_path(scope: Scope, path: str, access: Access) -> bool:
    """Tell whether a firm grant covers an access to a path."""
    granted = (grant for grant in scope.paths if access in grant.access and not grant.possible)
    return any(covers(grant.path, normal_path(path)) for grant in granted)


def place_of(placed: Iterable[PlacedEffect]) -> Place:
    """Where a proposal lies as a whole: outside if any of its effects is, inside if all of them are."""
    places = {item.place for item in placed}
    if "outside" in places:
        return "outside"
    return "inside" if places == {"inside"} else "unknown"
