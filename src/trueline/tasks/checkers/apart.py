"""Computing a metric in a process of its own."""

from __future__ import annotations

import asyncio
import os
import sys

from pydantic import ValidationError

from trueline.tasks.checkers.compute import compute
from trueline.tasks.checkers.values import LastRow, Options, Outcome, Value
from trueline.tasks.checkers.wire import Answer, Call, pack
from trueline.tasks.errors import CheckerError
from trueline.text import printable

TIME_LIMIT = 120.0
_KEPT = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "VIRTUAL_ENV", "PYTHONPATH", "SYSTEMROOT")
"""All of the environment that such a process sees: no keys."""
_HARMLESS = frozenset({"exact_match", "check_include_exclude"})
"""They open no file and search for no pattern."""


async def compute_apart(
    function: str,
    result: Value | LastRow,
    expected: Value | LastRow,
    options: Options,
    *,
    time_limit: float = TIME_LIMIT,
) -> Outcome:
    """Score a result, bounded in time and memory whatever its files hold.

    Raises:
        CheckerError: It cannot be scored, through no doing of the agent.
    """
    if function in _HARMLESS and not isinstance(result, LastRow):
        return compute(function, result, expected, options)
    call = Call(function=function, result=pack(result), expected=pack(expected), options=dict(options))
    env = {name: os.environ[name] for name in _KEPT if name in os.environ} | {"OPENBLAS_NUM_THREADS": "1"}
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "trueline.tasks.checkers.child", env=env,
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        async with asyncio.timeout(time_limit):
            out, err = await process.communicate(call.model_dump_json().encode())
    except TimeoutError as error:
        raise CheckerError(f"{function}: not done within {time_limit:g} s") from error
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    try:
        answer = Answer.model_validate_json(out)
    except ValidationError as error:
        last = err.decode("utf-8", "replace").strip().rpartition("\n")[2]
        raise CheckerError(f"{function}: the checker ended with {process.returncode}: {printable(last)}") from error
    if answer.error is not None:
        raise CheckerError(answer.error)
    return Outcome(answer.score, answer.reason)
