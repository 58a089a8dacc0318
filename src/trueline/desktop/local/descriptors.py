"""Turns a lack of file descriptors, of the process or the machine, into an error of its own."""

from __future__ import annotations

import errno
from collections.abc import Generator
from contextlib import contextmanager

from trueline.desktop.types import DesktopError

_NONE_LEFT = (errno.EMFILE, errno.ENFILE)


def none_left(error: OSError) -> bool:
    """Whether a call failed because too many files are open."""
    return error.errno in _NONE_LEFT


@contextmanager
def needs_descriptors(what: str) -> Generator[None]:
    """Do something that opens pipes, sockets or files of the host.

    Raises:
        DesktopError: There are none left.
    """
    try:
        yield
    except OSError as error:
        if none_left(error):
            raise DesktopError(
                f"{what}: this machine has too many files open; raise `ulimit -n` or run fewer desktops at once"
            ) from error
        raise
