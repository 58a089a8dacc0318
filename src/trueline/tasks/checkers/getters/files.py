"""The getters `vm_file`, `cloud_file` and `content_from_vm_file`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from trueline.desktop.types import PathRefused
from trueline.tasks.checkers.protected_files import read_protected_file
from trueline.tasks.checkers.values import FileValue, LastRow
from trueline.tasks.errors import CheckerError
from trueline.tasks.model import Getter, Part, is_true
from trueline.tasks.model.part import Truth
from trueline.tasks.model.steps import Text
from trueline.tasks.workspace import Workspace


class FilesFields(Part):
    """Fields of `vm_file` and `cloud_file`: one file, or several of which some go to the metric."""

    path: Text | tuple[Text, ...]
    dest: str | tuple[str, ...]
    """The name it gets; its suffix tells the kind of file."""
    multi: Truth = False
    gives: tuple[int, ...] = (0,)
    time_suffix: Truth = False


class ContentFields(Part):
    """Fields of `content_from_vm_file`."""

    path: Text
    file_type: str
    file_content: str


Read = Callable[[Workspace, str], Awaitable[bytes | None]]
Files = FileValue | None | tuple[FileValue | None, ...]


async def vm_file(getter: Getter, workspace: Workspace) -> Files:
    """Files of the desktop."""
    return await _files(getter, workspace, _from_desktop)


async def cloud_file(getter: Getter, workspace: Workspace) -> Files:
    """Files from the web."""
    return await _files(getter, workspace, _from_web)


async def content_from_vm_file(getter: Getter, workspace: Workspace) -> LastRow | None:
    """The last row of a workbook."""
    fields = getter.parse(ContentFields)
    if (fields.file_type, fields.file_content) != ("xlsx", "last_row"):
        raise CheckerError(f"content_from_vm_file: only the last_row of an xlsx, not {fields.file_content!r}")
    content = await _from_desktop(workspace, fields.path)
    return None if content is None else LastRow(FileValue(fields.path, content))


async def _from_desktop(workspace: Workspace, path: str) -> bytes | None:
    try:
        return await workspace.desktop.get(path)
    except PathRefused:
        # Missing, a folder, a pipe, too large, without read permission: whatever is there is the agent's doing.
        return await read_protected_file(workspace, path)


async def _from_web(workspace: Workspace, url: str) -> bytes | None:
    return (await workspace.downloads.fetch(url)).read_bytes()


async def _files(getter: Getter, workspace: Workspace, read: Read) -> Files:
    fields = getter.parse(FilesFields)
    if is_true(fields.time_suffix):
        raise CheckerError("vm_file with time_suffix is not supported")
    paths = (fields.path,) if isinstance(fields.path, str) else fields.path
    names = (fields.dest,) if isinstance(fields.dest, str) else fields.dest
    # Each once and in the order of the paths, as OSWorld passes them.
    given = sorted(set(fields.gives)) if is_true(fields.multi) else [0]
    if len(paths) != len(names) or not all(0 <= place < len(paths) for place in given):
        raise CheckerError("path, dest and gives do not match")
    found: list[FileValue | None] = []
    for place in given:
        content = await read(workspace, paths[place])
        found.append(None if content is None else FileValue(names[place], content))
    return found[0] if len(found) == 1 else tuple(found)
