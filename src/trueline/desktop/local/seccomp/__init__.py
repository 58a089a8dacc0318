"""The system-call filter of the sandbox: which calls it refuses, assembled to the kernel's filter program."""

from trueline.desktop.local.seccomp.filter import build_filter

__all__ = ["build_filter"]
