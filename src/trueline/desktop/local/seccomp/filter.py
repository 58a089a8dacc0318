"""Which system calls the sandbox refuses, as a filter program for `bwrap --seccomp`."""

from __future__ import annotations

import errno

from trueline.desktop.local.seccomp.bpf import (
    ALLOW,
    ARCH,
    KILL,
    NUMBER,
    Instruction,
    argument,
    assemble,
    give,
    if_equal,
    load,
    unless_any_bit,
    unless_at_least,
    unless_equal,
)
from trueline.desktop.local.seccomp.bpf import errno as fail
from trueline.desktop.local.seccomp.calls import MACHINES, NEEDED, REFUSED
from trueline.desktop.types import DesktopUnavailable

_CLONE_NEWUSER = 0x10000000
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C
_FAMILIES = (1, 2, 10, 16)  # unix, inet, inet6, netlink


class UnknownMachine(DesktopUnavailable):
    """There is no filter for this processor."""


def build_filter(machine: str) -> bytes:
    """Return the filter for a machine (`platform.machine()`): everything is allowed but what is refused here.

    Refused: calls of another architecture, the list of `calls.py`, new user namespaces, nameless memory files, typing
    into terminals by ioctl, and every socket family but unix, inet, inet6 and netlink (a virtual machine's host listens
    on vsock).

    Raises:
        UnknownMachine: The numbers of its system calls are not known here.
    """
    if machine not in MACHINES:
        raise UnknownMachine(f"no system-call filter for a {machine} processor; there are: {', '.join(MACHINES)}")
    arch, column, foreign = MACHINES[machine]

    def call(name: str, *body: Instruction) -> list[Instruction]:
        return [unless_equal(NEEDED[name][column], len(body)), *body]

    refused = fail(errno.EPERM)
    program = [load(ARCH), if_equal(arch, 1), give(KILL), load(NUMBER)]
    if foreign is not None:
        program += [unless_at_least(foreign, 1), give(fail(errno.ENOSYS))]
    for numbers in REFUSED.values():
        if numbers[column]:
            program += [unless_equal(numbers[column], 1), give(refused)]
    # clone3 hides its flags behind a pointer, and memory files count against no limit: programs that find no such call
    # fall back to clone, and to files in /dev/shm.
    for name in ("clone3", "memfd_create", "memfd_secret"):
        program += call(name, give(fail(errno.ENOSYS)))
    for name in ("clone", "unshare"):
        program += call(name, load(argument(0)), unless_any_bit(_CLONE_NEWUSER, 1), give(refused), give(ALLOW))
    program += call(
        "ioctl", load(argument(1)), if_equal(_TIOCSTI, 1), unless_equal(_TIOCLINUX, 1), give(refused), give(ALLOW)
    )
    families = [if_equal(family, len(_FAMILIES) - place) for place, family in enumerate(_FAMILIES)]
    program += call("socket", load(argument(0)), *families, give(fail(errno.EAFNOSUPPORT)), give(ALLOW))
    return assemble([*program, give(ALLOW)])
