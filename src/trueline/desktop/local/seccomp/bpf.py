"""The few instructions of classic BPF that a system-call filter needs, as the kernel reads them."""

from __future__ import annotations

import struct
from typing import NamedTuple

_INSTRUCTION = struct.Struct("<HBBI")
_LOAD_WORD = 0x20  # BPF_LD | BPF_W | BPF_ABS
_JUMP_EQUAL = 0x15  # BPF_JMP | BPF_JEQ | BPF_K
_JUMP_GREATER_EQUAL = 0x35
_JUMP_ANY_BIT = 0x45  # BPF_JMP | BPF_JSET | BPF_K
_RETURN = 0x06  # BPF_RET | BPF_K

NUMBER = 0
"""Where the number of the system call stands in struct seccomp_data."""
ARCH = 4

ALLOW = 0x7FFF0000
KILL = 0x80000000


class Instruction(NamedTuple):
    """One instruction: what it does, how far it jumps if true and if false, and its constant."""

    code: int
    if_true: int
    if_false: int
    constant: int


def argument(index: int) -> int:
    """Where the low half of an argument stands (little endian); the kernel reads ints and flags from there."""
    return 16 + 8 * index


def errno(number: int) -> int:
    """The verdict that makes the call fail with this error."""
    return 0x00050000 | number


def load(offset: int) -> Instruction:
    """Load a word of the call's data."""
    return Instruction(_LOAD_WORD, 0, 0, offset)


def give(verdict: int) -> Instruction:
    """End with a verdict."""
    return Instruction(_RETURN, 0, 0, verdict)


def unless_equal(value: int, skip: int) -> Instruction:
    """Jump over `skip` instructions unless the loaded word is the value."""
    return Instruction(_JUMP_EQUAL, 0, skip, value)


def if_equal(value: int, skip: int) -> Instruction:
    """Jump over `skip` instructions if the loaded word is the value."""
    return Instruction(_JUMP_EQUAL, skip, 0, value)


def unless_at_least(value: int, skip: int) -> Instruction:
    """Jump over `skip` instructions unless the loaded word is the value or more."""
    return Instruction(_JUMP_GREATER_EQUAL, 0, skip, value)


def unless_any_bit(mask: int, skip: int) -> Instruction:
    """Jump over `skip` instructions unless the loaded word has one of these bits."""
    return Instruction(_JUMP_ANY_BIT, 0, skip, mask)


def assemble(program: list[Instruction]) -> bytes:
    """Return the program's bytes. Raises ValueError for a jump that is too far or leaves the program."""
    for place, (_, if_true, if_false, _) in enumerate(program):
        jump = max(if_true, if_false)
        if jump > 255 or (jump and place + 1 + jump >= len(program)):
            raise ValueError(f"instruction {place}: jumps out of the program")
    return b"".join(_INSTRUCTION.pack(*instruction) for instruction in program)
