"""Makes a Scope from the words of an instruction and the start state, without a model.

The idea: an instruction names applications, files, sites and people, and its verbs name effects. A grant is firm where
a word says so and only possible where the words leave it open; what no word speaks of stays out. An instruction in a
language that the vocabulary does not cover leaves everything possible, so that nothing is blocked for a word that was
not understood.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import get_args

from trueline.actions.facts.mentions import mentions
from trueline.actions.shell.paths import normal_path
from trueline.guard.policy.globs import matches
from trueline.guard.policy.instruction import can_be_read, speaks_of, words_of
from trueline.guard.scope.open_slots import path_left_open, site_left_open
from trueline.guard.scope.types import (
    Access,
    ApplicationGrant,
    EffectGrant,
    EffectKind,
    OpenSlot,
    PathGrant,
    RecipientGrant,
    Scope,
    SiteGrant,
    StartState,
)
from trueline.guard.scope.vocabulary import Vocabulary, vocabulary

Accesses = tuple[Access, ...]
_SUFFIX = r"\.[A-Za-z0-9]{1,12}"
_ABSOLUTE = re.compile(r"(?<![\w:/.])(?:~|/(?=[A-Za-z.]))[\w.@+-]*(?:/[\w.@+-]+)*/?")
_QUOTED = re.compile(r"[\"'“”‘’`]([^\"'“”‘’`\n]{1,120})[\"'“”‘’`]")
_FILE_NAME = re.compile(rf"(?<![\w@/])[\w-][\w.+-]*{_SUFFIX}(?![\w@])")
_HOST_LIKE = re.compile(
    r"(?:[a-z0-9-]+\.)+(?:com|org|net|edu|gov|io|ai|dev|co|uk|de|fr|cn|info|app|me|tv|eu|example)", re.I
)
_FOLDER = re.compile(
    r"\b(?:folder|directory)\s+(?:named\s+|called\s+)?[\"'“‘]?([A-Za-z][\w-]*)"
    r"|\b([A-Z][\w-]*)[\"'”’]?\s+(?:folder|directory)\b"
    r"|\b(?:in|into|to|from|under|inside)\s+([A-Z][\w-]*(?:/[\w-]+)*|[\w-]+(?:/[\w-]+)+)"
)
_NO_FOLDER = frozenset((
    "a", "an", "the", "is", "in", "on", "to", "of", "for", "and", "or", "with", "that", "which", "this", "it", "as",
    "at", "by", "from", "into", "named", "called", "my", "your", "under",
))  # fmt: skip
_NO_NAME = frozenset("*?[]{}<>|;&")
_ADDRESS = re.compile(r"[\w.+-]+@[\w.-]+|\b(?:https?|ftp)://\S+")
_LETTERS = re.compile(r"[A-Za-z]")
_SENDER = (
    "sender*",
    "reply*",
    "respond*",
    "answer*",
    "people",
    "those",
    "them",
    "everyone",
    "contact*",
    "friend*",
    "client*",
)
_READ: Accesses = ("read",)
_CHANGE: Accesses = ("read", "write")
_ALL: Accesses = ("read", "write", "delete")
_VISIBLE = ("~/[!.]*", "~/[!.]*/**")
_FOR_RESULTS = ("~/Desktop/**", "~/Downloads/**")
_READABLE = ("~", "~/**", "/", "/**")
TRASH = "~/.local/share/Trash/**"
"""Where what was deleted lies."""
PERMANENT_GRANTS = (EffectGrant(effect="end_task", because="every task ends"),)
"""What every task may do."""
PERMANENT_PATHS = (
    PathGrant(path="/tmp/**", access=_ALL, because="temporary files"),  # noqa: S108 - a pattern
    *(
        PathGrant(path=path, access=_READ, because="reading changes nothing; secret files are an effect of their own")
        for path in _READABLE
    ),
)
"""Paths of every task: temporary files, and reading."""
_VERSION = re.compile(r"v?\d+(?:\.\d+)+")


@lru_cache(maxsize=256)
def scope_from_words(instruction: str, start: StartState | None = None) -> Scope:
    """Make the Scope of a task by rules. The result depends on the arguments alone."""
    words, start = vocabulary(), start or StartState()
    if not can_be_read(instruction):
        return _all_possible(instruction, start, words)
    applications = _applications(instruction, start, words)
    return Scope(
        made_by="rules",
        applications=applications,
        paths=_paths(instruction, start, applications, words),
        sites=_sites(instruction, start),
        recipients=tuple(
            RecipientGrant(recipient=address, because=address) for address in mentions([instruction]).emails
        ),
        effects=_effects(instruction, words),
        open_slots=_open_slots(instruction, words),
    )


def _all_possible(instruction: str, start: StartState, words: Vocabulary) -> Scope:
    because = "the vocabulary does not cover the language of the instruction"
    kinds: Sequence[EffectKind] = get_args(EffectKind)
    applications = (*_opened(start, words), ApplicationGrant(application="*", because=because, possible=True))
    return Scope(
        applications=applications,
        paths=(
            *_named_paths(instruction, _ALL),
            *_start_paths(start, _CHANGE),
            PathGrant(path="/**", access=_ALL, because=because, possible=True),
            PathGrant(path="~/**", access=_ALL, because=because, possible=True),
        ),
        sites=(*_sites(instruction, start), SiteGrant(site="*", because=because, possible=True)),
        recipients=(
            *_recipients(instruction),
            RecipientGrant(recipient="*", because=because, possible=True),
        ),
        effects=(
            *PERMANENT_GRANTS,
            *(EffectGrant(effect=kind, because=because, possible=True) for kind in kinds),
        ),
    )


def _applications(instruction: str, start: StartState, words: Vocabulary) -> tuple[ApplicationGrant, ...]:
    found = {grant.application: grant for grant in _opened(start, words)}
    files = (*start.files, *(name for name in _file_names(instruction)))
    for name, application in words.applications.items():
        if name in found:
            continue
        if word := _word_in(instruction, application.words):
            found[name] = ApplicationGrant(application=name, because=word)
        elif opened := next((file for file in files if _suffix(file) in application.suffixes), None):
            source = "start state" if opened in start.files else "instruction"
            found[name] = ApplicationGrant(application=name, because=posixpath.basename(opened), source=source)
    others = ApplicationGrant(application="*", because="the instruction does not rule others out", possible=True)
    return (*found.values(), others)


def _opened(start: StartState, words: Vocabulary) -> list[ApplicationGrant]:
    return [
        ApplicationGrant(application=name, because=executable, source="start state")
        for name, application in words.applications.items()
        if (executable := next((run for run in start.executables if matches(run, application.executables)), None))
    ]


def _suffix(path: str) -> str:
    return posixpath.splitext(path)[1].lstrip(".").casefold()


def _paths(
    instruction: str, start: StartState, applications: Iterable[ApplicationGrant], words: Vocabulary
) -> tuple[PathGrant, ...]:
    plain = _without_names(instruction)
    moves = _word_in(plain, words.deletes)
    named_access = _ALL if moves else _CHANGE
    found = [*_named_paths(instruction, named_access), *_start_paths(start, named_access)]
    named = _folder_names(instruction)
    found += [PathGrant(path=f"**/{name}/**", access=named_access, because=name) for name in named]
    for folder, patterns in words.folders.items():
        if word := _word_in(instruction, patterns):
            found.append(PathGrant(path=f"{folder}/**", access=named_access, because=word))
    anywhere = "results often go there"
    found += [PathGrant(path=path, access=_CHANGE, because=anywhere, possible=True) for path in _FOR_RESULTS]
    if word := _word_in(plain, words.saves):
        found += [PathGrant(path=path, access=_CHANGE, because=word) for path in words.usual_folders]
        # It may go into any folder that a person sees, named in words that nobody could list.
        found += [PathGrant(path=path, access=_CHANGE, because=word, possible=True) for path in _VISIBLE]
    if word := _word_in(plain, words.recovers):
        found.append(PathGrant(path=TRASH, access=_ALL, because=word))
        found += [PathGrant(path=path, access=_CHANGE, because=word, possible=True) for path in _VISIBLE]
    if word := _word_in(plain, words.commands):
        found.append(PathGrant(path="~/**", access=named_access, because=word, possible=True))
    elif moves:
        found += [PathGrant(path=path, access=_ALL, because=moves, possible=True) for path in _VISIBLE]
    for grant in applications:
        if not grant.possible and (profile := words.applications[grant.application].profile):
            found += [
                PathGrant(path=path, access=_CHANGE, because=grant.because, source=grant.source) for path in profile
            ]
    kept: dict[tuple[str, Accesses], PathGrant] = {}
    for grant in (*found, *PERMANENT_PATHS):
        place = (grant.path, grant.access)
        # What one word grants for certain, another that leaves it open does not take back.
        if place not in kept or (kept[place].possible and not grant.possible):
            kept[place] = grant
    return tuple(kept.values())


def _named_paths(instruction: str, access: Accesses) -> list[PathGrant]:
    """Paths and file names that the instruction spells out."""
    found: list[PathGrant] = []
    quoted = [match[1].strip() for match in _QUOTED.finditer(instruction)]
    spelled = [match[0].rstrip(".,;:!?") for match in _ABSOLUTE.finditer(instruction)]
    for text in (*spelled, *(text for text in quoted if text.startswith(("/", "~/")))):
        path = normal_path(text).rstrip("/")
        if len(path) > 2 and _LETTERS.search(path):
            found += [PathGrant(path=part, access=access, because=text) for part in (path, f"{path}/**")]
    found += [PathGrant(path=f"**/{name}", access=access, because=name) for name in _file_names(instruction)]
    for text in quoted:
        name = text.strip("/").rpartition("/")[2]
        if len(name) > 1 and not name.startswith(("$", "-")) and _NO_NAME.isdisjoint(name):
            found.append(PathGrant(path=f"**/{name}", access=access, because=text))
            if not _suffix(name):
                found.append(PathGrant(path=f"**/{name}/**", access=access, because=text))
    return found


def _folder_names(instruction: str) -> list[str]:
    """Folders named without a path: "the folder Bills", "my Archive folder"."""
    found = (name for match in _FOLDER.finditer(instruction) for name in match.groups() if name)
    return [name for name in dict.fromkeys(found) if name.casefold() not in _NO_FOLDER]


def _file_names(instruction: str) -> list[str]:
    quoted = [match[1].strip().rpartition("/")[2] for match in _QUOTED.finditer(instruction)]
    named = [name for name in quoted if re.fullmatch(rf"[^/]*[^/.\s][^/]*{_SUFFIX}", name)]
    plain = (match[0].rstrip(".") for match in _FILE_NAME.finditer(instruction))
    named += [name for name in plain if not _HOST_LIKE.fullmatch(name) and not _VERSION.fullmatch(name)]
    return list(dict.fromkeys(name for name in named if _LETTERS.search(_suffix(name)) and "@" not in name))


def _start_paths(start: StartState, access: Accesses) -> list[PathGrant]:
    """The files that are open, and the folders they lie in: results are usually saved next to their source."""
    found: list[PathGrant] = []
    for file in start.files:
        path = normal_path(file)
        name = posixpath.basename(path.rstrip("/"))
        found.append(PathGrant(path=path.rstrip("/"), access=access, because=name, source="start state"))
        folder = path.rstrip("/") if path.endswith("/") else posixpath.dirname(path)
        if folder == "~":
            found.append(PathGrant(path="~/[!.]*", access=_CHANGE, because=name, source="start state"))
        elif folder.startswith(("~/", "/tmp", "/media", "/mnt")):  # noqa: S108 - a prefix
            found.append(PathGrant(path=f"{folder}/**", access=access, because=name, source="start state"))
    return found


def _sites(instruction: str, start: StartState) -> tuple[SiteGrant, ...]:
    named = mentions([instruction])
    plain = (match[0].casefold() for match in _HOST_LIKE.finditer(instruction))
    of_mail = {address.rpartition("@")[2].casefold() for address in named.emails}
    hosts = [host for host in dict.fromkeys((*named.hosts, *plain)) if host not in of_mail]
    found = [SiteGrant(site=host, because=host) for host in hosts]
    found += [SiteGrant(site=host, because=host, source="start state") for host in start.sites]
    anything = SiteGrant(site="*", because="the instruction does not rule other sites out", possible=True)
    return (*dict.fromkeys(found), anything)


def _recipients(instruction: str) -> tuple[RecipientGrant, ...]:
    return tuple(RecipientGrant(recipient=address, because=address) for address in mentions([instruction]).emails)


def _without_names(instruction: str) -> str:
    """The instruction with "it" for paths, file names and addresses: a file called backup.txt asks for no backup.

    A word stays in their place, because phrases need one: "put … into …".
    """
    return _FILE_NAME.sub(" it ", _ABSOLUTE.sub(" it ", _ADDRESS.sub(" it ", instruction)))


def _effects(instruction: str, words: Vocabulary) -> tuple[EffectGrant, ...]:
    instruction = _without_names(instruction)
    found = [*PERMANENT_GRANTS]
    for kind, patterns in words.effects.items():
        if word := _word_in(instruction, patterns.firm):
            found.append(EffectGrant(effect=kind, because=word))
        elif word := _word_in(instruction, patterns.possible):
            found.append(EffectGrant(effect=kind, because=word, possible=True))
    return tuple(found)


def _open_slots(instruction: str, words: Vocabulary) -> tuple[OpenSlot, ...]:
    """Values that only data can tell, as in "reply to the sender" or "upload it to the portal"."""
    named = mentions([instruction])
    found: list[OpenSlot] = []
    sends = _word_in(instruction, words.effects["send"].firm)
    if sends and not named.emails:
        found.append(OpenSlot(slot="recipient", because=_word_in(instruction, _SENDER) or sends))
    hands_over = _word_in(instruction, (*words.effects["upload"].firm, *words.effects["share"].firm))
    if hands_over and not named.hosts and (site := site_left_open(instruction)):
        found.append(OpenSlot(slot="site", because=site))
    puts = _word_in(_without_names(instruction), (*words.saves, *words.deletes))
    if puts and (place := path_left_open(instruction)):
        found.append(OpenSlot(slot="path", because=place))
    return tuple(found)


def _word_in(instruction: str, patterns: tuple[str, ...]) -> str:
    """The word of the instruction that fits one of the patterns; of a phrase, the pattern. Empty if none does."""
    if not patterns or not speaks_of(instruction, patterns):
        return ""
    excluded = tuple(pattern for pattern in patterns if pattern.startswith("!"))
    wanted = (pattern for pattern in patterns if not pattern.startswith("!"))
    found = next((pattern for pattern in wanted if speaks_of(instruction, (pattern, *excluded))), "")
    return next((word for word in words_of(instruction) if " " not in found and matches(word, (found,))), found)
