"""Computing a metric in a process of its own."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from pydantic import ValidationError

import trueline
from trueline.tasks.checkers.compute import compute
from trueline.tasks.checkers.values import CheckResult, Exhausted, FileValue, LastRow, Options, Value
from trueline.tasks.checkers.wire import Answer, Call, pack
from trueline.tasks.errors import CheckerError
from trueline.text import printable

TIME_LIMIT = 240.0
"""Seconds of waiting. What computes all the time ends earlier, by the limit of its own process."""
_KEPT = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "VIRTUAL_ENV", "SYSTEMROOT")
"""All of the environment that such a process sees: no keys."""
_PROGRAM = "import sys; sys.path.append(sys.argv[1]); from trueline.tasks.checkers.child import main; main()"
_SOURCE = str(Path(trueline.__file__).resolve().parents[1])
"""Where this package lies. The process is isolated: no module comes from the current folder or a variable."""
_HARMLESS = frozenset({"exact_match", "check_include_exclude", "same_lines", "unchanged_except"})
"""They open no file but as text, and search for nothing but names."""
_SIGXCPU = 24
"""By its number: not every system has it."""
_SEARCHING = frozenset({"check_list", "check_json", "some_file_holds"})
"""They search for the task's own patterns: one that never ends is a wrong rule, whatever it is searched in."""


async def compute_apart(
    function: str,
    result: Value | LastRow,
    expected: Value | LastRow,
    options: Options,
    *,
    time_limit: float = TIME_LIMIT,
) -> CheckResult:
    """Score a result, bounded in time and memory whatever its files hold; files made to use these up score 0.

    Raises:
        CheckerError: It cannot be scored, through no doing of the agent.
    """
    if function in _HARMLESS and not isinstance(result, LastRow):
        return compute(function, result, expected, options)
    try:
        return await _in_child(function, result, expected, options, time_limit)
    except Exhausted as error:
        await _blame_expected(function, expected, options, time_limit)
        return CheckResult(0.0, f"what was left there is more than can be checked ({error})", unreadable=True)


async def _blame_expected(function: str, expected: Value | LastRow, options: Options, time_limit: float) -> None:
    """Compare what is expected with itself.

    Raises:
        CheckerError: It cannot be read either, so the agent is not to blame.
    """
    file = next(iter(expected), None) if isinstance(expected, tuple) else expected
    if isinstance(file, FileValue | LastRow):
        try:
            await _in_child(function, file, expected, options, time_limit)
        except Exhausted as error:
            raise CheckerError(f"what is expected is more than can be checked: {error}") from error


async def _in_child(
    function: str, result: Value | LastRow, expected: Value | LastRow, options: Options, time_limit: float
) -> CheckResult:
    call = Call(function=function, result=pack(result), expected=pack(expected), options=dict(options))
    env = {name: os.environ[name] for name in _KEPT if name in os.environ} | {"OPENBLAS_NUM_THREADS": "1"}
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-I", "-c", _PROGRAM, _SOURCE, env=env,
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
    if process.returncode == -_SIGXCPU:
        problem = CheckerError if function in _SEARCHING else Exhausted
        raise problem(f"{function}: used up the computing time a checker may use")
    try:
        answer = Answer.model_validate_json(out)
    except ValidationError as error:
        last = err.decode("utf-8", "replace").strip().rpartition("\n")[2]
        raise CheckerError(f"{function}: the checker ended with {process.returncode}: {printable(last)}") from error
    if answer.error is not None:
        raise Exhausted(answer.error) if answer.exhausted else CheckerError(answer.error)
    return CheckResult(answer.score, answer.reason, answer.unreadable)
