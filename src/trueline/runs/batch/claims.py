"""Claims on episodes, so that several processes can work on one result folder.

A claim is a small file with the process that holds it and until when. All claims change under one lock, so that no two
processes ever take the same one; a claim whose process is dead on this machine, or whose time is over, is free.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import socket
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from pydantic import ValidationError

from trueline.records.base import Record
from trueline.records.folder.files import make_folder, write_file

CLAIMS = ".claims"
LEASE_S = 120.0
"""Seconds after which an unrenewed claim of another machine expires."""
RENEW_S = LEASE_S / 4


class Claim(Record):
    """Which process holds an episode, and until when."""

    machine: str
    pid: int
    started: str
    """Start time of that process, because process ids are reused."""
    owner: str
    """Id of the run within that process."""
    until: float
    """Seconds since 1970, by the holder's clock."""


class Claims:
    """The claims of one run on a result folder."""

    def __init__(self, result_dir: Path, owner: str, *, lease: float = LEASE_S) -> None:
        self._folder = result_dir / CLAIMS
        self._owner = owner
        self._lease = lease
        make_folder(self._folder, exist_ok=True)

    def take(self, episode: Path) -> bool:
        """Claim an episode by its path below the result folder; False if another process holds it."""
        with self._locked():
            holder = self._read(episode)
            if holder is not None and holder.owner != self._owner and _alive(holder):
                return False
            self._write(episode)
            return True

    def renew(self, episode: Path) -> bool:
        """Renew a claim; False if another process took it over."""
        with self._locked():
            holder = self._read(episode)
            if holder is None or holder.owner != self._owner:
                return False
            self._write(episode)
            return True

    def release(self, episode: Path) -> None:
        """Release a claim."""
        with self._locked():
            holder = self._read(episode)
            if holder is not None and holder.owner == self._owner:
                self._path(episode).unlink(missing_ok=True)

    def held_by_other(self, episode: Path) -> bool:
        """Whether another process runs the episode now."""
        holder = self._read(episode)
        return holder is not None and holder.owner != self._owner and _alive(holder)

    def _path(self, episode: Path) -> Path:
        return self._folder / f"{hashlib.sha256(str(episode).encode(errors='surrogateescape')).hexdigest()[:32]}.json"

    def _read(self, episode: Path) -> Claim | None:
        try:
            return Claim.model_validate_json(self._path(episode).read_bytes())
        except (OSError, ValidationError):
            return None

    def _write(self, episode: Path) -> None:
        claim = Claim(
            machine=_machine(),
            pid=os.getpid(),
            started=_started(os.getpid()) or "",
            owner=self._owner,
            until=time.time() + self._lease,
        )
        write_file(self._path(episode), claim.model_dump_json().encode())

    @contextmanager
    def _locked(self) -> Generator[None]:
        descriptor = os.open(self._folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)


def _alive(claim: Claim) -> bool:
    if claim.machine == _machine():
        # A holder that hangs is alive: only its end frees the claim.
        return _started(claim.pid) == claim.started
    return time.time() < claim.until


def _machine() -> str:
    """Identifies this machine and its last boot."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        boot = ""
    return f"{socket.gethostname()} {boot}"


def _started(pid: int) -> str | None:
    """Start time of a process; `None` if there is none. Constant where the system does not tell."""
    try:
        # The name, in brackets, may hold anything; the start time is the 20th word behind it.
        words = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
        return None if words[0] in "ZX" else words[19]
    except OSError:
        pass
    if Path("/proc/self/stat").exists():
        return None
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return None
    except PermissionError:
        pass
    return "?"
