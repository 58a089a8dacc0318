"""Commands: run and wait, start and leave, run and verify, scripts. All of it happens inside the sandbox."""

from __future__ import annotations

import asyncio
import shlex
import time
import uuid
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from typing import Annotated

from pydantic import Field

from trueline.desktop.serve.action_code import CommandReply, action_code, run_code
from trueline.desktop.serve.replies import Message, ReceivedRequest, Refused, Reply, as_json, as_text, read
from trueline.desktop.serve.served_desktop import ServedDesktop
from trueline.desktop.serve.windows import list_managed
from trueline.desktop.types import ActionTimeout, CommandResult

_LONGEST_COMMAND = 128 * 1024
"""Bytes; the kernel takes no longer argument either."""
_SCRIPT_FAILED = -1


class CommandRequest(Message):
    """The request of `/execute` and `/setup/launch`."""

    command: str | list[str]
    shell: bool = False


class Verification(Message):
    """What must hold after a command."""

    window_exists: str | None = None
    command_success: str | None = None


class VerifiedRequest(CommandRequest):
    """The request of `/execute_with_verification`."""

    verification: Verification | None = None
    max_wait_time: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 10
    check_interval: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 1


class PythonRequest(Message):
    """The request of `/run_python`."""

    code: Annotated[str, Field(min_length=1)]


class BashRequest(Message):
    """The request of `/run_bash_script`."""

    script: Annotated[str, Field(min_length=1)]
    timeout: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 100
    working_dir: str | None = None


def command_line(command: str | Sequence[str], shell: bool, home: str) -> tuple[str, ...]:
    """The program and its arguments, as Python's `subprocess` would make them of a command.

    Raises:
        Refused: There is no command, or its quotes do not close.
    """
    if shell:
        words = ["/bin/sh", "-c", *([command] if isinstance(command, str) else command)]
    else:
        try:
            words = shlex.split(command) if isinstance(command, str) else list(command)
        except ValueError as error:
            raise Refused(400, f"command: {error}") from None
        words = [home + word[1:] if word.startswith("~/") else word for word in words]
    if not command or not words or not words[0]:
        raise Refused(400, "command: must not be empty")
    if sum(len(word.encode("utf-8", "surrogatepass")) for word in words) > _LONGEST_COMMAND:
        raise Refused(500, f"command: longer than {_LONGEST_COMMAND} bytes; upload a script and run that")
    return tuple(words)


async def execute(served: ServedDesktop, call: ReceivedRequest) -> Reply:
    """POST /execute."""
    return as_json(_document(await _run(served, read(call, CommandRequest))))


async def launch(served: ServedDesktop, call: ReceivedRequest) -> Reply:
    """POST /setup/launch."""
    asked = read(call, CommandRequest)
    argv = command_line(asked.command, asked.shell, await served.home())
    await served.desktop.launch(argv)
    shown = asked.command if isinstance(asked.command, str) else " ".join(asked.command)
    return as_text(f"{shown} launched successfully")


async def execute_with_verification(served: ServedDesktop, call: ReceivedRequest) -> Reply:
    """POST /execute_with_verification."""
    asked = read(call, VerifiedRequest)
    document = _document(await _run(served, asked))
    if asked.verification is None:
        return as_json(document)
    began, limit = time.monotonic(), min(asked.max_wait_time, served.settings.longest_wait)
    while True:
        held = await _holds(served, asked.verification)
        if held or time.monotonic() - began >= limit:
            break
        await asyncio.sleep(min(asked.check_interval, limit))
    waited = round(time.monotonic() - began, 3)
    if held:
        return as_json({**document, "verification": "passed", "wait_time": waited})
    return as_json(
        {**document, "status": "verification_failed", "verification": "failed", "wait_time": waited}, status=500
    )


async def run_python(served: ServedDesktop, call: ReceivedRequest) -> Reply:
    """POST /run_python."""
    code = read(call, PythonRequest).code
    seconds = served.settings.python_seconds
    try:
        if "pyautogui" in code:
            done = await _act(served, code)
        else:
            async with _script(served, code, ".py") as path:
                done = _outcome(await served.desktop.run(("/usr/bin/python3", path), time_limit=seconds))
    except ActionTimeout as error:
        said = str(error)
        return as_json(
            {"status": "error", "message": said, "error": said, "output": None, "need_more": False, "return_code": -1},
            status=500,
        )
    status, message = ("success", done.output) if done.returncode == 0 else ("error", done.output + done.error)
    answer = {"status": status, "message": message, "need_more": False, "output": done.output, "error": done.error}
    return as_json({**answer, "return_code": done.returncode})


async def run_bash_script(served: ServedDesktop, call: ReceivedRequest) -> Reply:
    """POST /run_bash_script: standard output and errors come as one text."""
    asked = read(call, BashRequest)
    seconds = min(asked.timeout, served.settings.longest_wait)
    folder = await served.path(asked.working_dir or "~")
    if (await served.run("test", "-d", folder)).returncode:
        said = f"{folder}: there is no such folder"
        return as_json({"status": "error", "output": said, "error": "", "returncode": _SCRIPT_FAILED}, status=400)
    async with _script(served, asked.script, ".sh") as path:
        try:
            argv = ("/bin/sh", "-c", 'exec /bin/bash "$0" 2>&1', path)
            done = await served.desktop.run(argv, cwd=folder, time_limit=seconds)
        except ActionTimeout:
            said = f"the script did not end within {seconds:g} s and was killed"
            return as_json({"status": "error", "output": said, "error": "", "returncode": _SCRIPT_FAILED}, status=500)
    status = "success" if done.returncode == 0 else "error"
    return as_json({"status": status, "output": done.text, "error": "", "returncode": done.returncode})


async def _run(served: ServedDesktop, asked: CommandRequest) -> CommandReply:
    argv = command_line(asked.command, asked.shell, await served.home())
    code = action_code(argv)
    if code is not None:
        return await _act(served, code)
    return _outcome(await served.desktop.run(argv, time_limit=served.settings.command_seconds))


async def _act(served: ServedDesktop, code: str) -> CommandReply:
    limit = served.settings.command_seconds
    try:
        async with asyncio.timeout(limit):
            return await run_code(served, code)
    except TimeoutError:
        raise ActionTimeout(f"the code did not end within {limit:g} s") from None


async def _holds(served: ServedDesktop, wanted: Verification) -> bool:
    if wanted.window_exists is not None:
        title = wanted.window_exists.lower()
        if not any(title in window.title.lower() for window in await list_managed(served)):
            return False
    if wanted.command_success is not None:
        argv = command_line(wanted.command_success, True, await served.home())
        try:
            return (await served.desktop.run(argv, time_limit=served.settings.python_seconds)).returncode == 0
        except ActionTimeout:
            return False
    return True


@asynccontextmanager
async def _script(served: ServedDesktop, text: str, ending: str) -> AsyncGenerator[str]:
    """A script that lies inside while it is needed."""
    path = f"/tmp/script-{uuid.uuid4().hex}{ending}"  # noqa: S108 - inside
    await served.desktop.put(path, text.encode("utf-8", "replace"))
    try:
        yield path
    finally:
        await served.run("rm", "-f", path)


def _outcome(done: CommandResult) -> CommandReply:
    return CommandReply(done.returncode, done.text, done.stderr.decode("utf-8", "replace"), done.truncated)


def _document(done: CommandReply) -> dict[str, object]:
    document: dict[str, object] = {
        "status": "success",
        "output": done.output,
        "error": done.error,
        "returncode": done.returncode,
    }
    return {**document, "truncated": True} if done.truncated else document
