"""Python action code, run inside the sandbox by a worker that is always ready.

`inside/` runs there: the system's python3, its standard library, and the few modules of this package that need no more.
"""

from trueline.desktop.worker.bundle import bundle
from trueline.desktop.worker.client import WorkerClient

__all__ = ["WorkerClient", "bundle"]
