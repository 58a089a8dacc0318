"""ZIP and tar files whose bytes depend on their content alone."""

from __future__ import annotations

import gzip
import io
import lzma
import tarfile
import zipfile
from collections.abc import Mapping

Members = Mapping[str, bytes]
"""Content by path; a path that ends in `/` is a folder."""
_LONG_AGO = (1980, 1, 1, 0, 0, 0)
_MTIME = 315_532_800


def zip_file(members: Members, *, stored: str = "") -> bytes:
    """A ZIP file; the member named by `stored` is not compressed, as formats want it of their first one."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        for name, content in members.items():
            entry = zipfile.ZipInfo(name, _LONG_AGO)
            entry.external_attr = (0o40755 if name.endswith("/") else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_STORED if name == stored else zipfile.ZIP_DEFLATED
            file.writestr(entry, content)
    return buffer.getvalue()


def tar_file(members: Members, compression: str) -> bytes:
    """A tar file.

    Args:
        members: What is in it.
        compression: `gz`, `xz` or nothing.
    """
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as file:
        for name, content in members.items():
            entry = tarfile.TarInfo(name.rstrip("/"))
            entry.mtime = _MTIME
            if name.endswith("/"):
                entry.type, entry.mode = tarfile.DIRTYPE, 0o755
            else:
                entry.size = len(content)
            file.addfile(entry, io.BytesIO(content))
    plain = buffer.getvalue()
    if compression == "gz":
        return gzip.compress(plain, mtime=0)
    return lzma.compress(plain, preset=1) if compression == "xz" else plain
