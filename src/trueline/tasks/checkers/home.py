"""What an agent changed in the home folder: the desktop's diff without the changes of the setup.

At the end of a setup `keep_home` stores a snapshot of what the setup changed. The getters `home_diff` (what changed)
and `changed_files` (the content of changed files) compare with it. Without a snapshot, everything since the desktop
started counts.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Sequence
from fnmatch import fnmatchcase

from pydantic import JsonValue, TypeAdapter

from trueline.desktop.types import Capability, ChangeKind, Desktop, HomeFile, PathRefused, ReadsHome
from trueline.tasks.checkers.getters.kept_file import keep_files
from trueline.tasks.checkers.protected_files import SEARCHED, is_missing
from trueline.tasks.checkers.values import FileValue
from trueline.tasks.errors import SetupError
from trueline.tasks.model import Evaluator
from trueline.tasks.workspace import Workspace

NOTE = "home_diff"
"""The name of the snapshot in the workspace's outputs."""
CHANGED = "changed_files"
NOISE = (
    ".bash_history",
    ".cache/*",
    ".config/chromium/*",
    ".config/Code/CachedProfilesData/*",
    ".config/Code/Chromium/*",
    ".config/Code/User/*Cache.json",
    ".config/Code/User/History/*",
    ".config/Code/User/caches/*",
    ".config/Code/User/globalStorage/*",
    ".config/Code/User/workspaceStorage/*",
    ".config/Code/logs/*",
    ".config/Code/*machineid",
    ".config/dconf/*",
    ".config/evince/*",
    ".config/geany/*",
    ".config/GIMP/*",
    ".config/htop/*",
    ".config/google-chrome/*",
    ".config/libreoffice/*",
    ".config/mc/*",
    ".config/Mousepad/*",
    ".config/nvim/*",
    ".config/pulse/*",
    ".config/Thunar/*",
    ".config/xfce4/*",
    ".dbus/*",
    ".lesshst",
    ".local/share/evince/*",
    ".local/share/gvfs-metadata/*",
    ".local/share/mc/*",
    ".local/share/Mousepad/*",
    ".local/share/nano/*",
    ".local/share/nvim/*",
    ".local/share/recently-used.xbel*",
    ".local/state/*",
    ".mozilla/*",
    ".node_repl_history",
    ".pki/*",
    ".python_history",
    ".selected_editor",
    ".sh_history",
    ".sqlite_history",
    ".thunderbird/*",
    ".vim/.netrwhist",
    ".viminfo*",
    ".wget-hsts",
    ".zsh_history",
    "*/.~lock.*#",
)
"""Files that applications and tools write for themselves. `*` also matches `/`."""
_LARGEST = 4 << 20
_HOLDS_NOTHING = ("gone", "other")
"""Pipes and sockets have no content."""
_STATES: TypeAdapter[dict[str, str]] = TypeAdapter(dict[str, str])


async def keep_home(evaluator: Evaluator, workspace: Workspace) -> None:
    """Store what the evaluator will compare with, at the end of the setup.

    Raises:
        SetupError: The desktop cannot tell what changed.
        DesktopLost: The desktop is gone.
    """
    await keep_files(evaluator, workspace)
    if any(getter.type in (NOTE, CHANGED) for getter in evaluator.getters):
        if Capability.DIFF not in workspace.desktop.capabilities:
            raise SetupError(
                "the evaluator reads what changed in the home folder, which this desktop cannot tell; the local one can"
            )
        workspace.outputs[NOTE] = _STATES.dump_json(await _states(workspace, None))


async def home_diff(workspace: Workspace) -> dict[str, JsonValue]:
    """What was created, changed or deleted since the snapshot, by path; a folder's path ends with `/`."""
    before = _STATES.validate_json(workspace.outputs.get(NOTE, b"{}"))
    return dict(_changes(before, await _states(workspace, before)))


async def changed_files(workspace: Workspace) -> tuple[FileValue, ...]:
    """The files that were created or changed since the snapshot, as they are now.

    They are read from the host, so permissions cannot hide a file. Files that are unreadable or exceed the limit are
    included, with the reason.
    """
    before = _STATES.validate_json(workspace.outputs.get(NOTE, b"{}"))
    after, paths = await _look(workspace, before)
    names = [name for name, what in _changes(before, after) if what != ChangeKind.DELETED and not name.endswith("/")]
    found = await _read(workspace.desktop, [paths[name] for name in names])
    values = [await _value(workspace, name, file) for name, file in zip(names, found, strict=True)]
    return tuple(value for value in values if value is not None)


async def _read(desktop: Desktop, paths: Sequence[str]) -> Sequence[HomeFile]:
    if isinstance(desktop, ReadsHome):
        return await desktop.read_changed(paths, limit=SEARCHED)
    return [HomeFile(path, "link") for path in paths]


async def _value(workspace: Workspace, name: str, file: HomeFile) -> FileValue | None:
    """A changed file for the metrics. Links, and files of remote desktops, are opened on the desktop."""
    if file.kind in _HOLDS_NOTHING:
        return None
    if file.kind == "large":
        return FileValue(name, b"", f"holds more than is searched ({SEARCHED >> 20} MiB in all)")
    if file.kind == "file":
        return FileValue(name, file.content)
    try:
        return FileValue(name, await workspace.desktop.get(file.path, limit=_LARGEST))
    except PathRefused as error:
        if await is_missing(workspace, file.path):
            return None
        return FileValue(name, b"", str(error))


def _changes(before: dict[str, str], after: dict[str, str]) -> Iterator[tuple[str, str]]:
    for path in sorted({*before, *after}):
        then, now = before.get(path), after.get(path)
        if then == now:
            continue
        if now == ChangeKind.DELETED or (now is None and _created(then)):
            yield path, ChangeKind.DELETED.value
        elif then is None and _created(now):
            yield path, ChangeKind.CREATED.value
        else:
            yield path, ChangeKind.CHANGED.value


def _created(state: str | None) -> bool:
    return state is not None and state.startswith(ChangeKind.CREATED)


async def _states(workspace: Workspace, known: Collection[str] | None) -> dict[str, str]:
    """Each difference from the initial home folder: the kind of change, and for known files the digest."""
    return (await _look(workspace, known))[0]


async def _look(workspace: Workspace, known: Collection[str] | None) -> tuple[dict[str, str], dict[str, str]]:
    """The same, and the path of each name: a path need not be valid Unicode."""
    found: dict[str, str] = {}
    paths: dict[str, str] = {}
    compared: list[str] = []
    for change in await workspace.desktop.diff():
        name = change.path.encode("utf-8", "backslashreplace").decode() + "/" * change.folder
        if any(fnmatchcase(name, pattern) for pattern in NOISE):
            continue
        found[name], paths[name] = change.kind.value, change.path
        if not change.folder and change.kind is not ChangeKind.DELETED and (known is None or name in known):
            compared.append(name)
    digests = await _digests(workspace.desktop, [paths[name] for name in compared])
    for name, digest in zip(compared, digests, strict=True):
        found[name] += f" {digest}"
    return found, paths


async def _digests(desktop: Desktop, paths: Sequence[str]) -> Sequence[str]:
    if isinstance(desktop, ReadsHome):
        return await desktop.digest_changed(paths)
    return [await _digest_inside(desktop, path) for path in paths]


async def _digest_inside(desktop: Desktop, path: str) -> str:
    try:
        return hashlib.sha256(await desktop.get(path, limit=_LARGEST)).hexdigest()
    except PathRefused as error:
        # For a link, a pipe or a very large file, its description must do.
        return str(error)
