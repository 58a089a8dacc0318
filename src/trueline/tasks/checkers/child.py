"""The process in which files from a desktop are opened; see `apart` for how it is started.

One call as JSON on standard input, one answer on standard output. It has little memory and little time, so a file
made to exhaust either takes only this process with it.
"""

from __future__ import annotations

import contextlib
import os
import sys

from trueline.errors import TruelineError
from trueline.tasks.checkers.compute import compute
from trueline.tasks.checkers.values import Exhausted
from trueline.tasks.checkers.wire import Answer, Call, unpack

MEMORY = 3 << 30
SECONDS = 60
"""Of computing, not of waiting for a busy machine."""


def _limit() -> None:
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
        # At the first limit it is told so, which differs from being killed for another reason.
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 5))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def main() -> None:
    """Answer one call."""
    _limit()
    out = os.dup(1)
    os.dup2(2, 1)  # what libraries print must not mix with the answer
    try:
        call = Call.model_validate_json(sys.stdin.buffer.read())
        answer = Answer.of(compute(call.function, unpack(call.result), unpack(call.expected), call.options))
    except Exhausted as error:
        answer = Answer(error=str(error), exhausted=True)
    except TruelineError as error:
        answer = Answer(error=str(error))
    with os.fdopen(out, "wb") as file:
        file.write(answer.model_dump_json().encode())


if __name__ == "__main__":
    main()
