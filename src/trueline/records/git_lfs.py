"""Git LFS pointers: small text files that stand where the real ones were not fetched."""

from __future__ import annotations

from trueline.text import printable

LFS_POINTER = "is a Git LFS pointer, not the file itself: fetch it with git lfs pull"
_FIRST_LINE = b"version https://git-lfs.github.com/spec/"
_LONGEST = 1024
"""Bytes; the format allows no larger pointer."""


def json_fault(content: bytes, error: Exception) -> str:
    """Why the content of a file is not JSON, for a message: `is not JSON: …`."""
    return LFS_POINTER if is_lfs_pointer(content) else f"is not JSON: {printable(str(error))}"


def is_lfs_pointer(content: bytes) -> bool:
    """Whether the content of a file, or its beginning, is that of a pointer."""
    return content.startswith(_FIRST_LINE) and b"\noid " in content[:_LONGEST]
