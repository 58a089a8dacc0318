"""What `pip install` leaves of a package with entry points, in a folder that a test puts on the search path."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path


def install(
    folder: Path, name: str, points: Mapping[str, Mapping[str, str]], code: Mapping[str, str] | None = None
) -> None:
    """Install a package.

    Args:
        folder: Where; it must be on the search path, and is created if need be.
        name: Of the distribution.
        points: Entry points by group and name.
        code: Modules by file name.
    """
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    groups = [
        f"[{group}]\n" + "".join(f"{key} = {value}\n" for key, value in each.items()) for group, each in points.items()
    ]
    (info / "entry_points.txt").write_text("\n".join(groups))
    for file, text in (code or {}).items():
        (folder / file).write_text(text)
