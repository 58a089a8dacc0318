"""The filter's verdicts, by running its program as the kernel would."""

from __future__ import annotations

import errno
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trueline.desktop.local.seccomp import build_filter
from trueline.desktop.local.seccomp.bpf import ALLOW, KILL, assemble, give, unless_equal
from trueline.desktop.local.seccomp.calls import MACHINES, NEEDED, REFUSED
from trueline.desktop.local.seccomp.filter import UnknownMachine

CLONE_NEWUSER = 0x10000000


def verdict(machine: str, number: int, *arguments: int, arch: int | None = None) -> int:
    """Interpret the program on one system call."""
    audit = MACHINES[machine].audit_arch if arch is None else arch
    words = [argument & (1 << 64) - 1 for argument in (*arguments, *[0] * (6 - len(arguments)))]
    data = struct.pack("<IIQ6Q", number, audit, 0, *words)
    program = list(struct.iter_unpack("<HBBI", build_filter(machine)))
    place, loaded = 0, 0
    while True:
        code, if_true, if_false, constant = program[place]
        place += 1
        match code:
            case 0x20:
                (loaded,) = struct.unpack_from("<I", data, constant)
            case 0x15:
                place += if_true if loaded == constant else if_false
            case 0x35:
                place += if_true if loaded >= constant else if_false
            case 0x45:
                place += if_true if loaded & constant else if_false
            case 0x06:
                return constant
            case _:
                raise AssertionError(f"unknown instruction {code:#x}")


def refused(number: int) -> int:
    return 0x00050000 | number


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("name", REFUSED)
def test_every_call_of_the_list_is_refused(machine: str, name: str) -> None:
    number = REFUSED[name][MACHINES[machine].column]
    if number:
        assert verdict(machine, number) == refused(errno.EPERM)


@pytest.mark.parametrize("machine", MACHINES)
@settings(deadline=None)
@given(number=st.integers(0, 500), arguments=st.lists(st.integers(0, 2**64 - 1), max_size=6))
def test_all_other_calls_are_allowed(machine: str, number: int, arguments: list[int]) -> None:
    column = MACHINES[machine].column
    listed = {numbers[column] for numbers in (*REFUSED.values(), *NEEDED.values())}
    if number not in listed or number == 0:
        assert verdict(machine, number, *arguments) == ALLOW


@pytest.mark.parametrize("machine", MACHINES)
def test_arguments_are_looked_at(machine: str) -> None:
    call = {name: numbers[MACHINES[machine].column] for name, numbers in NEEDED.items()}
    for name in ("clone", "unshare"):
        assert verdict(machine, call[name], CLONE_NEWUSER | 17) == refused(errno.EPERM)
        assert verdict(machine, call[name], 0x00020000) == ALLOW
    for name in ("clone3", "memfd_create", "memfd_secret"):
        assert verdict(machine, call[name]) == refused(errno.ENOSYS)
    assert [verdict(machine, call["ioctl"], 3, request) for request in (0x5412, 0x541C, 0x5401)] == [
        refused(errno.EPERM), refused(errno.EPERM), ALLOW,
    ]  # fmt: skip
    # Bits beyond an int are ignored by the kernel and must not hide the request.
    assert verdict(machine, call["ioctl"], 3, 0x1_0000_5412) == refused(errno.EPERM)
    allowed = [family for family in range(50) if verdict(machine, call["socket"], family) == ALLOW]
    assert allowed == [1, 2, 10, 16]


def test_other_calling_conventions_are_closed() -> None:
    assert verdict("x86_64", 39, arch=0x40000003) == KILL
    assert verdict("x86_64", 0x40000000 | 101) == refused(errno.ENOSYS)
    assert verdict("aarch64", 172, arch=0xC000003E) == KILL


def test_an_unknown_processor_is_said() -> None:
    with pytest.raises(UnknownMachine, match="riscv64"):
        build_filter("riscv64")


def test_a_jump_out_of_the_program_is_not_assembled() -> None:
    with pytest.raises(ValueError, match="instruction 0"):
        assemble([unless_equal(1, 1), give(ALLOW)])
