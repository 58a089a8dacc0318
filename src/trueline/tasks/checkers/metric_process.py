"""The process in which a metric opens files from a desktop; `isolated` starts it.

It reads one request as JSON from standard input and writes one response. Its memory and computing time are limited, so
a file made to exhaust either takes down only this process.
"""

from __future__ import annotations

import contextlib
import os
import sys

from trueline.errors import TruelineError
from trueline.tasks.checkers.compute import compute
from trueline.tasks.checkers.messages import MetricRequest, MetricResponse, decode
from trueline.tasks.checkers.values import Exhausted

MEMORY = 3 << 30
SECONDS = 60
"""Limit of CPU time; waiting for a busy machine does not count."""


def _limit() -> None:
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
        # SIGXCPU comes at the first limit, which tells it apart from being killed for another reason.
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 5))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def main() -> None:
    """Answer one request."""
    _limit()
    out = os.dup(1)
    os.dup2(2, 1)  # libraries must not print into the response
    try:
        request = MetricRequest.model_validate_json(sys.stdin.buffer.read())
        result, expected = decode(request.result), decode(request.expected)
        response = MetricResponse.from_result(compute(request.function, result, expected, request.options))
    except Exhausted as error:
        response = MetricResponse(error=str(error), exhausted=True)
    except TruelineError as error:
        response = MetricResponse(error=str(error))
    with os.fdopen(out, "wb") as file:
        file.write(response.model_dump_json().encode())


if __name__ == "__main__":
    main()
