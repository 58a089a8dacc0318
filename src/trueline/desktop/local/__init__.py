"""The local desktop: a real one in a sandbox of kernel namespaces, no virtual machine, no root."""

from trueline.desktop.local.desktop import LocalDesktop
from trueline.desktop.local.options import LocalOptions
from trueline.desktop.local.pool import Pool

__all__ = [
    "LocalDesktop",
    "LocalOptions",
    "Pool",
]
