"""Computing a metric in an isolated process."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from pydantic import ValidationError

import trueline
from trueline.tasks.checkers.compute import compute
from trueline.tasks.checkers.messages import MetricRequest, MetricResponse, encode
from trueline.tasks.checkers.metrics import METRICS
from trueline.tasks.checkers.values import (
    CheckResult,
    DatabaseRows,
    Exhausted,
    FileValue,
    LastRow,
    Options,
    Unread,
    Value,
)
from trueline.tasks.errors import CheckerError
from trueline.text import printable

TIME_LIMIT = 240.0
"""Seconds of waiting. A process that computes all the time ends earlier, by its own CPU limit."""
_ENVIRONMENT = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "VIRTUAL_ENV", "SYSTEMROOT")
"""The only variables that the process gets: no keys."""
_PROGRAM = """
import sys
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
spec = PathFinder.find_spec("trueline", sys.argv[1:2])
sys.modules["trueline"] = module = module_from_spec(spec)
spec.loader.exec_module(module)
sys.path += sys.argv[1:]
from trueline.tasks.checkers.metric_process import main
main()
"""
"""Runs the same Trueline as here, whichever other one is installed. Nothing comes before the standard library."""
_SOURCE = str(Path(trueline.__file__).resolve().parents[1])
"""Where this package lies. The process is isolated: no module comes from the current folder or PYTHONPATH."""
_HARMLESS = frozenset({"exact_match", "check_include_exclude", "same_lines", "unchanged_except"})
"""They read files as text only and match only file names."""
_SIGXCPU = 24
"""By its number: not every system has it."""
_SEARCHING = frozenset({"check_list", "check_json", "some_file_holds"})
"""They search for patterns of the task: one that never ends is a wrong rule, whatever text it is matched against."""


async def compute_isolated(
    function: str,
    result: Value | Unread,
    expected: Value | Unread,
    options: Options,
    *,
    time_limit: float = TIME_LIMIT,
) -> CheckResult:
    """Score a result, bounded in time and memory whatever its files contain; files made to exhaust these score 0.

    Raises:
        CheckerError: It cannot be scored, through no doing of the agent.
    """
    if function in _HARMLESS and not isinstance(result, LastRow | DatabaseRows):
        return compute(function, result, expected, options)
    try:
        return await _in_child(function, result, expected, options, time_limit)
    except Exhausted as error:
        await _blame_expected(function, expected, options, time_limit)
        return CheckResult(0.0, f"what the agent left is too large to check ({error})", unreadable=True)


async def _blame_expected(function: str, expected: Value | Unread, options: Options, time_limit: float) -> None:
    """Compare the expected value with itself.

    Raises:
        CheckerError: It cannot be read either, so the agent is not to blame.
    """
    file = next(iter(expected), None) if isinstance(expected, tuple) else expected
    if isinstance(file, FileValue | Unread):
        try:
            await _in_child(function, file, expected, options, time_limit)
        except Exhausted as error:
            raise CheckerError(f"the expected value is too large to check: {error}") from error


async def _in_child(
    function: str, result: Value | Unread, expected: Value | Unread, options: Options, time_limit: float
) -> CheckResult:
    request = MetricRequest(function=function, result=encode(result), expected=encode(expected), options=dict(options))
    env = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ} | {"OPENBLAS_NUM_THREADS": "1"}
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-I", "-c", _PROGRAM, _SOURCE, *_package_path(function), env=env,
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        async with asyncio.timeout(time_limit):
            out, err = await process.communicate(request.model_dump_json().encode())
    except TimeoutError as error:
        raise CheckerError(f"{function}: did not finish within {time_limit:g} s") from error
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode == -_SIGXCPU:
        problem = CheckerError if function in _SEARCHING else Exhausted
        raise problem(f"{function}: exceeded the CPU time a checker may use")
    try:
        response = MetricResponse.model_validate_json(out)
    except ValidationError as error:
        last = err.decode("utf-8", "replace").strip().rpartition("\n")[2]
        raise CheckerError(f"{function}: the checker ended with {process.returncode}: {printable(last)}") from error
    if response.error is not None:
        raise Exhausted(response.error) if response.exhausted else CheckerError(response.error)
    return CheckResult(response.score, response.reason, response.unreadable)


def _package_path(function: str) -> list[str]:
    """Where an installed package's metric and its dependencies are found; nothing for ours.

    The current folder stays out, unless the package itself is installed there.
    """
    folder = METRICS.location(function)
    if folder is None:
        return []
    here = str(Path.cwd())
    return list(dict.fromkeys((folder, *(path for path in sys.path if path and path != here))))
