"""A small process that waits for the end of this one, however it comes, and then ends or removes what would be left."""

from __future__ import annotations

import os
import subprocess
from contextlib import suppress

_FINISH_LIMIT = 10.0


class Janitor:
    """Runs its script when this process releases it or ends."""

    def __init__(self, before: str, after: str, *arguments: str) -> None:
        """Start it. Both are shell text of ours; `arguments` are its `$@`."""
        read, self._hold = os.pipe2(os.O_CLOEXEC)
        try:
            self._process = subprocess.Popen(  # noqa: S603 - fixed scripts, arguments are not shell text
                ["/bin/sh", "-c", f"{before}\nread -r _\n{after}", "trueline-janitor", *arguments],
                stdin=read,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env={"PATH": "/usr/bin:/bin:/usr/sbin:/sbin"},
                cwd="/",
                start_new_session=True,  # Ctrl-C is not for it
            )
        except OSError:
            os.close(self._hold)
            raise
        finally:
            os.close(read)

    def finish(self) -> None:
        """Let it do its work and wait for it; finishing twice is fine."""
        if self._hold >= 0:
            os.close(self._hold)
            self._hold = -1
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_FINISH_LIMIT)
