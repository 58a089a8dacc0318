"""Numbers of the system calls the filter names, for each machine it can be built for; 0 is no such call."""

from __future__ import annotations

from typing import NamedTuple


class ProcessorCalls(NamedTuple):
    """What differs between machines."""

    audit_arch: int
    column: int
    foreign_calls_from: int | None
    """Numbers from here on belong to another calling convention (x32)."""


MACHINES = {
    "x86_64": ProcessorCalls(0xC000003E, 0, 0x40000000),
    "aarch64": ProcessorCalls(0xC00000B7, 1, None),
}

NEEDED = {
    "ioctl": (16, 29),
    "socket": (41, 198),
    "clone": (56, 220),
    "clone3": (435, 435),
    "unshare": (272, 97),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
}
"""Calls whose arguments are looked at, or that are as if they were not there."""

REFUSED = {
    "_sysctl": (156, 0),
    "acct": (163, 89),
    "add_key": (248, 217),
    "adjtimex": (159, 171),
    "bpf": (321, 280),
    "chroot": (161, 51),
    "clock_adjtime": (305, 266),
    "clock_settime": (227, 112),
    "create_module": (174, 0),
    "delete_module": (176, 106),
    "fanotify_init": (300, 262),
    "finit_module": (313, 273),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fsopen": (430, 430),
    "fspick": (433, 433),
    "get_kernel_syms": (177, 0),
    "get_mempolicy": (239, 236),
    "init_module": (175, 105),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "io_uring_setup": (425, 425),
    "ioperm": (173, 0),
    "iopl": (172, 0),
    "kcmp": (312, 272),
    "kexec_file_load": (320, 294),
    "kexec_load": (246, 104),
    "keyctl": (250, 219),
    "lookup_dcookie": (212, 18),
    "mbind": (237, 235),
    "migrate_pages": (256, 238),
    "modify_ldt": (154, 0),
    "mount": (165, 40),
    "mount_setattr": (442, 442),
    "move_mount": (429, 429),
    "move_pages": (279, 239),
    "name_to_handle_at": (303, 264),
    "nfsservctl": (180, 42),
    "open_by_handle_at": (304, 265),
    "open_tree": (428, 428),
    "perf_event_open": (298, 241),
    "pidfd_getfd": (438, 438),
    "pivot_root": (155, 41),
    "process_madvise": (440, 440),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "ptrace": (101, 117),
    "query_module": (178, 0),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "reboot": (169, 142),
    "request_key": (249, 218),
    "set_mempolicy": (238, 237),
    "set_mempolicy_home_node": (450, 450),
    "setdomainname": (171, 162),
    "sethostname": (170, 161),
    "setns": (308, 268),
    "settimeofday": (164, 170),
    "swapoff": (168, 225),
    "swapon": (167, 224),
    "sysfs": (139, 0),
    "syslog": (103, 116),
    "umount2": (166, 39),
    "uselib": (134, 0),
    "userfaultfd": (323, 282),
    "ustat": (136, 0),
    "vhangup": (153, 58),
    "vmsplice": (278, 75),
}
"""Calls that no desktop application needs and that widen what an attacker can reach."""
