"""The getter `vm_zip_password`: whether a password opens an encrypted archive."""

from __future__ import annotations

import io
import zipfile
import zlib

from trueline.tasks.checkers.getters.browser_profile import read_file
from trueline.tasks.checkers.values import UnreadableResult
from trueline.tasks.model import Getter, Part
from trueline.tasks.model.steps import Text
from trueline.tasks.workspace import HOME, Workspace

_ENCRYPTED = 1
_MOST_MEMBERS = 2_000
_LARGEST = 64 << 20
_PIECE = 1 << 16


class ArchiveFields(Part):
    """Fields of `vm_zip_password`."""

    path: Text
    password: str
    start_from: str = HOME


async def vm_zip_password(getter: Getter, workspace: Workspace) -> int:
    """1 if there is an encrypted archive that the password opens, else 0."""
    fields = getter.parse(ArchiveFields)
    content = await read_file(workspace, fields.path.rstrip("/"))
    return 0 if content is None else int(opens(content, fields.password))


def opens(content: bytes, password: str) -> bool:
    """Whether an archive is encrypted, and this password decrypts all of its encrypted members.

    Raises:
        UnreadableResult: It is encrypted in a way that cannot be tried here, or holds too much.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = [member for member in archive.infolist() if member.flag_bits & _ENCRYPTED]
            if len(members) > _MOST_MEMBERS or sum(member.file_size for member in members) > _LARGEST:
                raise UnreadableResult("the archive holds too much to be checked")
            for member in members:
                with archive.open(member, pwd=password.encode()) as file:
                    # To the end: only there its checksum tells.
                    while file.read(_PIECE):
                        pass
    except NotImplementedError as error:
        raise UnreadableResult(f"the archive cannot be decrypted here: {error}") from error
    except (RuntimeError, zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError):
        # Another password, or no archive.
        return False
    return bool(members)
