"""Getters of what a program prints."""

from __future__ import annotations

from trueline.desktop.types import ActionTimeout, CommandResult
from trueline.tasks.checkers.values import UnreadableResult
from trueline.tasks.commands import TIME_LIMIT, argv_of, run_command
from trueline.tasks.model import Getter, Part, is_true
from trueline.tasks.model.part import Truth
from trueline.tasks.model.steps import Command
from trueline.tasks.workspace import Workspace


class CommandFields(Part):
    """Fields of both getters."""

    command: Command
    shell: Truth = False


async def vm_command_line(getter: Getter, workspace: Workspace) -> str:
    """Its standard output."""
    return (await _run(getter, workspace)).text.replace("\r\n", "\n")


async def vm_command_error(getter: Getter, workspace: Workspace) -> str:
    """Its standard error."""
    return (await _run(getter, workspace)).stderr.decode("utf-8", "replace").replace("\r\n", "\n")


async def docker_images(_: Getter, workspace: Workspace) -> str:
    """The images that `docker` lists; empty where there is no such program."""
    return (await run_command(workspace, ("/bin/sh", "-c", "docker images -a"))).text.strip()


async def _run(getter: Getter, workspace: Workspace) -> CommandResult:
    fields = getter.parse(CommandFields)
    argv = argv_of(fields.command, shell=is_true(fields.shell), workspace=workspace)
    try:
        done = await run_command(workspace, argv, time_limit=TIME_LIMIT)
    except ActionTimeout as error:
        # If the desktop still answers, the command waits for something that the agent left there.
        await workspace.desktop.run(("true",))
        raise UnreadableResult(str(error)) from error
    if done.truncated:
        raise UnreadableResult(f"{argv[0]}: its output was cut off, so it cannot be checked")
    return done
