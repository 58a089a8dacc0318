"""Blocks of user ids: each desktop gets one of its own, so that no limit the kernel keeps per user is shared.

Descriptors in flight, inotify and the like are counted per user of the machine, whatever namespace a process is in. A
desktop that runs as the same user as another can use them all up.
"""

from __future__ import annotations

import pwd
import shutil
import socket
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Literal

from trueline.desktop.local.ownership import SMALL_OWNER, Owner
from trueline.desktop.types import DesktopUnavailable

BLOCK_RANGE = range(0x7140_0000, 0x7FFF_0000)
"""Ids that root takes blocks from: no account has them, and neither have the containers of systemd."""
SMALL_RANGE = range(20_000, SMALL_OWNER)
"""The same inside a container that maps fewer ids."""
SIZES = (65_536, 8_192, 1_024)
"""Ids in a block; the largest is taken of which a range has enough. The user inside has number 1000 of its block."""
_ENOUGH = 64
_OWNER_IN_BLOCK = 1
"""Ids beyond the block in its map: whoever owns the template, which the supervisor reads."""
HELPERS = ("newuidmap", "newgidmap")
HELPER_PATH = "/usr/bin:/bin:/usr/sbin:/sbin"
_HELPER_LIMIT = 10.0


@dataclass(frozen=True)
class IdBlock:
    """A block of user and group ids that one desktop has for itself."""

    uid: int
    """The first user id, which is the supervisor's."""
    gid: int
    """The first group id."""
    count: int
    kind: Literal["root", "subordinate"]
    """Given by root, or out of the range that /etc/subuid names for this user."""


class BlockLock:
    """A block that is taken for as long as this process or one it handed the descriptor to holds it open."""

    def __init__(self, block: IdBlock, sock: socket.socket) -> None:
        """Call `take_block` instead."""
        self.block = block
        self._sock = sock

    def fileno(self) -> int:
        """The descriptor that holds the block."""
        return self._sock.fileno()

    def release(self) -> None:
        """Give it back, unless another process holds it too. Releasing twice is fine."""
        self._sock.close()


def take_block(owner: Owner) -> BlockLock | None:
    """Take a free block; `None` where this user has none to give.

    Raises:
        DesktopUnavailable: All of them are taken.
    """
    taken = 0
    for block in find_blocks(owner):
        if (lock := _lock(block)) is not None:
            return lock
        taken += 1
    if taken:
        raise DesktopUnavailable(f"all {taken} blocks of user ids are in use; run fewer desktops at once")
    return None


def find_blocks(owner: Owner) -> Iterator[IdBlock]:
    """The blocks that this user may give to desktops, taken or not."""
    if owner.drop:
        mapped = [_ranges(Path(f"/proc/self/{kind}_map").read_text("ascii")) for kind in ("uid", "gid")]
        return root_blocks(*mapped)
    if any(shutil.which(helper, path=HELPER_PATH) is None for helper in HELPERS):
        return iter(())
    users, groups = (_subordinate(Path(f"/etc/{name}"), owner.uid) for name in ("subuid", "subgid"))
    return subordinate_blocks(users, groups)


def root_blocks(users: Sequence[range], groups: Sequence[range]) -> Iterator[IdBlock]:
    """Blocks of the ranges set aside here, of those that root of this machine or container has."""
    for wanted in (BLOCK_RANGE, SMALL_RANGE):
        if all(any(part.start <= wanted.start and wanted.stop <= part.stop for part in has) for has in (users, groups)):
            size = block_size(len(wanted))
            return (IdBlock(first, first, size, "root") for first in wanted[: len(wanted) - size + 1 : size])
    return iter(())


def subordinate_blocks(users: Sequence[range], groups: Sequence[range]) -> Iterator[IdBlock]:
    """Slices of the first range of users and the first of groups."""
    count = min((len(ranges[0]) if ranges else 0) for ranges in (users, groups))
    size = block_size(count)
    starts = range(0, count - size + 1, size)
    return (IdBlock(users[0].start + start, groups[0].start + start, size, "subordinate") for start in starts)


def block_size(count: int) -> int:
    """How many ids a block of a range has."""
    return next((size for size in SIZES if count // size >= _ENOUGH), SIZES[-1])


def is_shared(owner: Owner) -> bool:
    """Whether all desktops of this user share one id."""
    return not list(islice(find_blocks(owner), 1))


def supervisor_owner(owner: Owner, block: IdBlock | None) -> Owner:
    """The user that the supervisor runs as: root gives each desktop its own, others can only use themselves."""
    if block is None or block.kind != "root":
        return owner
    return Owner(block.uid, block.gid, drop=True)


def map_block(pid: int, block: IdBlock, owner: Owner) -> None:
    """Give the new user namespace of a process its ids: those of the block, and after them the owner's.

    Raises:
        DesktopUnavailable: The kernel or the helpers refuse.
    """
    for kind, first, own in (("uid", block.uid, owner.uid), ("gid", block.gid, owner.gid)):
        lines = ((0, first, block.count), (block.count, own, _OWNER_IN_BLOCK))
        if block.kind == "root":
            text = "".join(f"{inside} {outside} {count}\n" for inside, outside, count in lines)
            try:
                Path(f"/proc/{pid}/{kind}_map").write_text(text, "ascii")
            except OSError as error:
                raise DesktopUnavailable(f"the ids of a desktop cannot be mapped: {error.strerror}") from error
        else:
            words = [str(number) for line in lines for number in line]
            _run_helper([f"new{kind}map", str(pid), *words])


def _run_helper(argv: list[str]) -> None:
    try:
        done = subprocess.run(  # noqa: S603 - a fixed program and numbers
            argv, capture_output=True, env={"PATH": HELPER_PATH}, timeout=_HELPER_LIMIT, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise DesktopUnavailable(f"{argv[0]}: {error}") from error
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
        raise DesktopUnavailable(f"{said or argv[0]}; see: trueline doctor")


def _lock(block: IdBlock) -> BlockLock | None:
    """Take a block by a name that only one socket of the machine can have and that goes with its last holder."""
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        sock.bind(f"\0trueline-ids-{block.uid}")
    except OSError:
        sock.close()
        return None
    return BlockLock(block, sock)


def _ranges(id_map: str) -> list[range]:
    """The ids of /proc/self/uid_map that exist in this namespace."""
    lines = [tuple(int(word) for word in line.split()) for line in id_map.splitlines() if line.strip()]
    return [range(first, first + count) for first, _, count in lines]


def _subordinate(file: Path, uid: int) -> list[range]:
    """The ranges that /etc/subuid or /etc/subgid names for a user, by name or number."""
    names = {str(uid)}
    with suppress(KeyError):
        names.add(pwd.getpwuid(uid).pw_name)
    try:
        lines = [line.split(":") for line in file.read_text("utf-8", "replace").splitlines()]
    except OSError:
        return []
    found = [
        range(int(words[1]), int(words[1]) + int(words[2]))
        for words in lines
        if len(words) == 3 and words[0] in names and words[1].isdecimal() and words[2].isdecimal()
    ]
    return [ids for ids in found if len(ids) >= SIZES[-1]]
