"""Commands that delete, besides or behind what they are for."""

from __future__ import annotations

from collections.abc import Callable

from trueline.actions.shell.call import Call
from trueline.actions.shell.command import Does
from trueline.actions.shell.paths import DISK, HISTORY_FILES, normal_path, whole_folder

_REMOVERS = frozenset({"rm", "shred", "unlink", "srm"})
_NARROWING = frozenset({"-name", "-iname", "-path", "-regex", "-mtime", "-size", "-empty"})


def _rm(call: Call) -> set[Does]:
    targets = [normal_path(path, call.folder) for path in call.operands]
    found: set[Does] = {"delete"}
    if call.flag("-r", "-R", "--recursive"):
        found.add("delete_recursive")
    if any(HISTORY_FILES.search(path) for path in targets):
        found.add("hide_traces")
    return found | _all_of(call)


def _all_of(call: Call) -> set[Does]:
    """`folder/*` is all of a folder."""
    targets = [normal_path(path, call.folder) for path in call.operands]
    return {"delete_recursive"} if any(whole_folder(path) != path.rstrip("/") for path in targets) else set()


def _find(call: Call) -> set[Does]:
    runs = {
        arg for place, arg in enumerate(call.args) if place and call.args[place - 1] in ("-exec", "-execdir", "-ok")
    }
    if "-delete" in call.args or runs & _REMOVERS:
        # Limited to some names it is not a deletion of the whole folder.
        return {"delete"} if not _NARROWING.isdisjoint(call.args) else {"delete", "delete_recursive"}
    return set()


def _shred(call: Call) -> set[Does]:
    return {"wipe_disk"} if any(DISK.fullmatch(arg) for arg in call.operands) else {"delete", *_all_of(call)}


def _git(call: Call) -> set[Does]:
    if "clean" in call.operands[:2] and call.flag("-f", "--force"):
        return {"delete_recursive", "delete"}
    if call.operands[:1] == ("config",) and (len(call.operands) > 2 or call.flag("--unset", "--unset-all")):
        return {"change_settings"}
    return {"download"} if not {"clone", "pull", "fetch"}.isdisjoint(call.operands[:2]) else set()


def _gio(call: Call) -> set[Does]:
    match call.args:
        case ("trash" | "remove", *_):
            return {"delete", "delete_recursive"}
        case ("open", *_):
            return {"open"}
        case _:
            return set()


def _trash(_call: Call) -> set[Does]:
    return {"delete", "delete_recursive"}


def _with(*flags: str) -> Callable[[Call], set[Does]]:
    """A program that deletes when it is told to."""
    return lambda call: {"delete", "delete_recursive"} if call.flag(*flags) or _begins(call, flags) else set()


def _begins(call: Call, flags: tuple[str, ...]) -> bool:
    """`--delete-after` deletes as `--delete` does."""
    return any(arg.startswith(flag) for arg in call.args for flag in flags if len(flag) > 2)


DELETIONS: dict[str, Callable[[Call], set[Does]]] = {
    "rm": _rm,
    "find": _find,
    "shred": _shred,
    "truncate": _all_of,
    "git": _git,
    "gio": _gio,
    "rsync": _with("--delete", "--remove-source-files"),
    "tar": _with("--remove-files"),
    "zip": _with("-m", "--move"),
    "7z": _with("-sdel"),
    **dict.fromkeys(("trash", "trash-put", "kioclient5"), _trash),
}
