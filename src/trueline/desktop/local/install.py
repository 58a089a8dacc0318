"""The read-only parts of all desktops, written once into the cache folder under a name made of their content."""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from importlib import resources
from pathlib import Path, PurePosixPath

from trueline.desktop.local.launchers import launchers, root_launchers
from trueline.desktop.local.ownership import Owner
from trueline.desktop.local.seccomp import build_filter
from trueline.desktop.types import DesktopUnavailable
from trueline.desktop.worker import bundle

FILTER = "filter.bpf"
WORKER = "worker.pyz"
_UNUSED, _HALF_BUILT = 30 * 86400, 3600
_SUPERVISOR = (
    "supervisor.py",
    "build_sandbox.py",
    "sandbox_parts.py",
    "namespaces.py",
    "memory_watch.py",
    "root_system.py",
)
_VS_CODE = ("vs_code_server.mjs", "vs_code_keys.js", "vs_code_defaults.json")
_PROGRAMS = (
    *_SUPERVISOR,
    "changes.py",
    "change_log.py",
    "contents.py",
    "session.py",
    "agent.py",
    "desktop_icons.py",
    "wallpaper.png",
    "python/pyautogui.py",
    *_VS_CODE,
)


def program_files(machine: str) -> dict[str, bytes]:
    """Everything the sandbox is started with, by path."""
    source = resources.files("trueline.desktop.local.programs")
    files = {name: (source / name).read_bytes() for name in _PROGRAMS}
    files |= {f"bin/{name}": script for name, script in launchers().items()}
    files |= {f"root/bin/{name}": script for name, script in root_launchers().items()}
    files["root/service.py"] = (source / "root" / "service.py").read_bytes()
    files[FILTER] = build_filter(machine)
    files[WORKER] = bundle()
    return files


def install_programs(cache: Path, owner: Owner) -> Path:
    """Write the programs unless they are there; return their folder."""
    return install(cache, "programs", program_files(platform.machine()), owner)


def install(cache: Path, kind: str, files: Mapping[str, bytes], owner: Owner, salt: str = "") -> Path:
    """Write files into a folder of the cache named by their content, at once and only once; return it.

    Raises:
        DesktopUnavailable: The cache folder cannot be written.
    """
    digest = hashlib.sha256(f"{owner.uid}\0{salt}".encode())
    for path, content in sorted(files.items()):
        digest.update(f"{path}\0{len(content)}\0".encode() + content)
    target = cache / f"{kind}-{digest.hexdigest()[:20]}"
    if target.is_dir():
        os.utime(target)  # in use: see `sweep`
        return target
    try:
        make_cache(cache)
        building = Path(tempfile.mkdtemp(prefix=f".{kind}-", dir=cache))
        for path, content in files.items():
            place = building / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
            place.chmod(0o755 if "bin" in PurePosixPath(path).parts[:-1] else 0o644)
        publish(building, target, owner)
    except OSError as error:
        raise DesktopUnavailable(
            f"{cache}: cannot be written ({error.strerror}); set TRUELINE_CACHE_DIR to a folder you may write"
        ) from error
    return target


def make_cache(cache: Path) -> None:
    """Make the cache folder; what runs sandboxes must be able to reach what lies in it."""
    cache.mkdir(parents=True, exist_ok=True, mode=0o755)


def sweep(cache: Path) -> None:
    """Remove templates unused for a month or left half built. Safe to run in several processes."""
    now = time.time()
    for folder in cache.iterdir():
        age = _HALF_BUILT if folder.name.startswith(".") else _UNUSED
        with suppress(OSError):
            if folder.is_dir() and now - folder.stat().st_mtime > age:
                shutil.rmtree(folder)


def publish(building: Path, target: Path, owner: Owner) -> None:
    """Give a finished folder its owner and its name; when another process was faster, its folder is as good."""
    building.chmod(0o755)
    if owner.drop:
        for folder, folders, files in os.walk(building):
            for name in (".", *folders, *files):
                os.chown(os.path.join(folder, name), owner.uid, owner.gid, follow_symlinks=False)
    try:
        building.rename(target)
    except OSError:
        shutil.rmtree(building)
        if not target.is_dir():
            raise
