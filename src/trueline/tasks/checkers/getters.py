"""What a task's evaluator reads."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from pydantic import JsonValue, ValidationError

from trueline.desktop.types import ActionTimeout, DesktopLost, PathRefused, RunResult, TooDeep
from trueline.errors import TruelineError
from trueline.records import ObservationSpec
from trueline.tasks.checkers import home, kept, mail
from trueline.tasks.checkers.hidden import read_hidden
from trueline.tasks.checkers.listing import list_directory
from trueline.tasks.checkers.values import FileValue, LastRow, UnreadableResult, Value
from trueline.tasks.commands import TIME_LIMIT, argv_of, run_command
from trueline.tasks.errors import CheckerError
from trueline.tasks.model import Getter, Part, is_true
from trueline.tasks.model.part import Truth
from trueline.tasks.model.steps import Command, Text
from trueline.tasks.stage import Stage
from trueline.validation import describe_validation_error


class RuleGetter(Part):
    """The rules themselves."""

    rules: JsonValue


class CommandGetter(Part):
    """What a program prints."""

    command: Command
    shell: Truth = False


class PathGetter(Part):
    """A path inside, or a name."""

    path: Text


class ContentGetter(Part):
    """A part of a file's content."""

    path: Text
    file_type: str
    file_content: str


class FilesGetter(Part):
    """One file, or several of which some are given to the function."""

    path: Text | tuple[Text, ...]
    dest: str | tuple[str, ...]
    """The name it gets; its ending says what kind of file it is."""
    multi: Truth = False
    gives: tuple[int, ...] = (0,)
    time_suffix: Truth = False


Read = Callable[[Stage, str], Awaitable[bytes | None]]
Got = Value | LastRow


async def get(getter: Getter | None, stage: Stage) -> Got:
    """Read what a getter names; a file that is not there is `None`.

    Raises:
        UnreadableResult: It cannot be read because of what stands there.
        CheckerError: It cannot be read, through no doing of the agent.
        DesktopLost: The desktop is gone.
    """
    if getter is None:
        return None
    if getter.type not in _GETTERS:
        raise CheckerError(f"there is no getter {getter.type!r} here")
    try:
        return await _GETTERS[getter.type](getter, stage)
    except (CheckerError, DesktopLost):
        raise
    except TooDeep as error:
        raise UnreadableResult(str(error)) from error
    except ValidationError as error:
        raise CheckerError(f"getter {getter.type}: {describe_validation_error(error, most=5)}") from error
    except TruelineError as error:
        raise CheckerError(f"getter {getter.type}: {error}") from error


async def _rule(getter: Getter, _: Stage) -> Got:
    return RuleGetter.model_validate_json(getter.model_dump_json()).rules


async def _vm_file(getter: Getter, stage: Stage) -> Got:
    return await _files(getter, stage, _inside)


async def _cloud_file(getter: Getter, stage: Stage) -> Got:
    return await _files(getter, stage, _from_web)


async def _inside(stage: Stage, path: str) -> bytes | None:
    try:
        return await stage.desktop.get(path)
    except PathRefused:
        # Not there, a folder, a pipe, too large, closed to its owner: whatever stands there is the agent's doing.
        return await read_hidden(stage, path)


async def _from_web(stage: Stage, url: str) -> bytes | None:
    return (await stage.downloads.fetch(url)).read_bytes()


async def _files(getter: Getter, stage: Stage, read: Read) -> Got:
    wanted = FilesGetter.model_validate_json(getter.model_dump_json())
    if is_true(wanted.time_suffix):
        raise CheckerError("vm_file with time_suffix cannot be read here")
    paths = (wanted.path,) if isinstance(wanted.path, str) else wanted.path
    names = (wanted.dest,) if isinstance(wanted.dest, str) else wanted.dest
    # Each once and in the order of the paths, as OSWorld gives them.
    given = sorted(set(wanted.gives)) if is_true(wanted.multi) else [0]
    if len(paths) != len(names) or not all(0 <= place < len(paths) for place in given):
        raise CheckerError("path, dest and gives do not fit together")
    found: list[FileValue | None] = []
    for place in given:
        content = await read(stage, paths[place])
        found.append(None if content is None else FileValue(names[place], content))
    return found[0] if len(found) == 1 else tuple(found)


async def _run(getter: Getter, stage: Stage) -> RunResult:
    wanted = CommandGetter.model_validate_json(getter.model_dump_json())
    argv = argv_of(wanted.command, shell=is_true(wanted.shell), stage=stage)
    try:
        done = await run_command(stage, argv, time_limit=TIME_LIMIT)
    except ActionTimeout as error:
        # A desktop that still answers is in order: the command waits for something that was left there.
        await stage.desktop.run(("true",))
        raise UnreadableResult(str(error)) from error
    if done.truncated:
        raise UnreadableResult(f"{argv[0]}: printed more than is kept, and what was cut off cannot be checked")
    return done


async def _command_line(getter: Getter, stage: Stage) -> Got:
    return (await _run(getter, stage)).text.replace("\r\n", "\n")


async def _command_error(getter: Getter, stage: Stage) -> Got:
    return (await _run(getter, stage)).stderr.decode("utf-8", "replace").replace("\r\n", "\n")


async def _cache_file(getter: Getter, stage: Stage) -> Got:
    name = PathGetter.model_validate_json(getter.model_dump_json()).path
    if name not in stage.outputs:
        raise CheckerError(f"no step has kept its output as {name!r}")
    return FileValue(name, stage.outputs[name])


async def _content(getter: Getter, stage: Stage) -> Got:
    wanted = ContentGetter.model_validate_json(getter.model_dump_json())
    if (wanted.file_type, wanted.file_content) != ("xlsx", "last_row"):
        raise CheckerError(f"content_from_vm_file: only the last_row of an xlsx, not {wanted.file_content!r}")
    content = await _inside(stage, wanted.path)
    return None if content is None else LastRow(FileValue(wanted.path, content))


async def _list_directory(getter: Getter, stage: Stage) -> Got:
    return await list_directory(stage, PathGetter.model_validate_json(getter.model_dump_json()).path)


async def _tree(_: Getter, stage: Stage) -> Got:
    return (await stage.desktop.observe(ObservationSpec(screenshot=False, tree=True, tree_scope="whole"))).tree_xml


async def _home_diff(_: Getter, stage: Stage) -> Got:
    return await home.home_diff(stage)


async def _changed_files(_: Getter, stage: Stage) -> Got:
    return await home.changed_files(stage)


async def _kept_file(getter: Getter, stage: Stage) -> Got:
    path = PathGetter.model_validate_json(getter.model_dump_json()).path
    return await kept.now_and_then(stage, path)


async def _mail_folders(_: Getter, stage: Stage) -> Got:
    return await mail.mail_folders(stage)


_GETTERS: dict[str, Callable[[Getter, Stage], Awaitable[Got]]] = {
    "rule": _rule,
    "vm_file": _vm_file,
    "cloud_file": _cloud_file,
    "vm_command_line": _command_line,
    "vm_command_error": _command_error,
    "cache_file": _cache_file,
    "content_from_vm_file": _content,
    "list_directory": _list_directory,
    "accessibility_tree": _tree,
    home.NOTE: _home_diff,
    home.CHANGED: _changed_files,
    kept.KEPT: _kept_file,
    "mail_folders": _mail_folders,
}
GETTERS = frozenset(_GETTERS)
"""The types a task may name that Trueline reads itself."""
