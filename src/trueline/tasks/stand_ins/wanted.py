"""Which files a set of tasks fetches, and what the tasks expect to find in them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from pydantic import JsonValue

from trueline.tasks.model import Execute, Getter, Launch, Open, Step, Task
from trueline.tasks.model.evaluator import checks
from trueline.tasks.model.steps import (
    ActivateWindow,
    CloseWindow,
    Command,
    Download,
    ExecuteWithVerification,
    UploadFile,
)
from trueline.tasks.workspace import HOME, home_path

_ENDS = frozenset({"&&", "||", ";", "|", "&"})
_UNPACKERS = frozenset({"unzip", "tar", "bsdtar", "7z"})
_INTO = frozenset({"-d", "-C", "--directory"})
_SHELLS = frozenset({"bash", "sh", "dash"})
_TYPED_CD = re.compile(r"\bcd ([\w.-]+(?:/[\w.-]+)*)")
_PATTERN = re.compile(r"[*?\[\]$`'\"(){}<>|;&\n]")
_SHEET = re.compile(r"[RE]N(.+)", re.DOTALL)
_SHEET_NUMBER = re.compile(r"[RE]I(\d{1,2})")
_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_THEIRS = ("user@", "git@")
_PLAYER = " - VLC media player"
_MAIL_FOLDERS = "check_thunderbird_folder"
SHEETS = ("Sheet1", "Sheet2", "Sheet3")


@dataclass
class Wanted:
    """One file to stand in for."""

    source: str
    """Its address; or its path beside the tasks, if it comes with them."""
    names: list[str] = field(default_factory=list[str])
    """What it is called on the desktop and in the checkers' cache."""
    members: list[str] = field(default_factory=list[str])
    """Paths that tasks look for in it, or that it makes: of an archive and of a script."""
    sheets: list[str] = field(default_factory=lambda: [*SHEETS])
    """The sheets that checkers read."""
    addresses: list[str] = field(default_factory=list[str])
    """Mail addresses that the tasks name."""
    title: str = ""
    """What a window that shows it is called besides its name."""
    mail_folder: bool = False
    """It is compared with a folder of mails."""
    for_setup: bool = False
    """A set-up step brings it; otherwise only checkers have it."""
    remote: bool = True
    """Whether `source` is an address."""

    @property
    def name(self) -> str:
        """The name that tells its type best: one with an ending, of the desktop before that of the address."""
        path = unquote(urlsplit(self.source).path) if self.remote else self.source
        known = [name for name in (*self.names, PurePosixPath(path).name) if name]
        return next((name for name in known if PurePosixPath(name).suffix), known[0] if known else "file")


def wanted_files(tasks: Iterable[Task]) -> tuple[Wanted, ...]:
    """The files of a set of tasks, each once, in the order in which they are first named."""
    found: dict[str, Wanted] = {}
    for task in tasks:
        for wanted in _of_task(task):
            known = found.setdefault(wanted.source, wanted)
            if known is not wanted:
                _merge(known, wanted)
    return tuple(found.values())


def _merge(known: Wanted, other: Wanted) -> None:
    for ours, theirs in ((known.names, other.names), (known.members, other.members), (known.sheets, other.sheets),
                         (known.addresses, other.addresses)):  # fmt: skip
        ours += [one for one in theirs if one not in ours]
    known.title = known.title or other.title
    known.mail_folder |= other.mail_folder
    known.for_setup |= other.for_setup


def _of_task(task: Task) -> Iterator[Wanted]:
    steps = (*task.config, *task.evaluator.postconfig)
    brought = [
        (file.url, file.path, True) for step in steps if isinstance(step, Download) for file in step.parameters.files
    ]
    brought += [
        (file.local_path, file.path, False)
        for step in steps
        if isinstance(step, UploadFile)
        for file in step.parameters.files
    ]
    brought += [(name, path, False) for name, path in _carrying(task)]
    folders = _Folders(task, {home_path(path) for _, path, _ in brought})
    setup = {file.url for step in task.config if isinstance(step, Download) for file in step.parameters.files}
    sheets, addresses = _sheets(task), _addresses(task)
    for source, path, remote in brought:
        yield Wanted(
            source,
            [PurePosixPath(path).name],
            folders.made_by(path),
            [*sheets],
            [*addresses],
            title=_title(task, PurePosixPath(path).name),
            for_setup=source in setup or not remote,
            remote=remote,
        )
    mail_folders = {
        id(getter)
        for check in checks(task.evaluator)
        if check.function == _MAIL_FOLDERS
        for getter in (check.expected,)
        if getter is not None
    }
    for getter in task.evaluator.getters:
        if getter.type == "cloud_file":
            mails = id(getter) in mail_folders
            yield from (
                Wanted(url, [name], sheets=[*sheets], addresses=[*addresses], mail_folder=mails)
                for url, name in _cloud(getter)
            )


def _carrying(task: Task) -> Iterator[tuple[str, str]]:
    """The files that carry injections, with their paths on the desktop."""
    for entry in task.injections:
        name, path = entry.params.get("file_path_local"), entry.params.get("file_path_vm")
        if isinstance(name, str) and isinstance(path, str):
            yield name, path


def _cloud(getter: Getter) -> Iterator[tuple[str, str]]:
    fields = getter.model_extra or {}
    urls, names = _texts(fields.get("path")), _texts(fields.get("dest"))
    for place, url in enumerate(urls):
        yield url, names[place] if place < len(names) else ""


def _texts(value: JsonValue) -> list[str]:
    return [one for one in (value if isinstance(value, list) else [value]) if isinstance(one, str)]


class _Folders:
    """What a task expects to find where archives are unpacked and scripts are run."""

    def __init__(self, task: Task, brought: set[str]) -> None:
        commands = [words for step in task.config for words in _commands(step)]
        named = [path for words in commands for path in _paths(words)]
        named += [home_path(step.parameters.path) for step in task.config if isinstance(step, Open)]
        typed = (_TYPED_CD.findall(word) for words in commands for word in words if "pyautogui" in word)
        named += [f"{HOME}/{path}" for paths in typed for path in paths]
        self._commands = (*commands, *(words for step in task.evaluator.postconfig for words in _commands(step)))
        made = {path for words in commands for part in _parts(words) if part[:1] == ["mkdir"] for path in _paths(part)}
        self._named = [path for path in dict.fromkeys(named) if path not in brought | made]
        self._read = [
            home_path(path)
            for getter in task.evaluator.getters
            for path in _texts((getter.model_extra or {}).get("path"))
        ]

    def made_by(self, path: str) -> list[str]:
        """Paths below the folder into which a file is unpacked, or below the home folder for a script."""
        if path.endswith(".sh"):
            return [*_below(HOME, (path for path in self._named if not PurePosixPath(path).suffix))]
        targets = [into for words in self._commands for into in _targets(words, PurePosixPath(path).name)]
        if not targets:
            return []
        read = (found for found in _below(targets[0], self._read) if "/" in found)
        return [*dict.fromkeys((*_below(targets[0], self._named), *read))]


def _below(folder: str, paths: Iterable[str]) -> Iterator[str]:
    base = PurePosixPath(folder)
    for path in paths:
        here = PurePosixPath(path)
        if here != base and here.is_relative_to(base) and ".." not in here.parts:
            yield str(here.relative_to(base))


def _commands(step: Step) -> Iterator[list[str]]:
    """The words of the commands of a step, with those of a shell's line in place of the line."""
    if isinstance(step, Launch | Execute | ExecuteWithVerification):
        yield from _split(step.parameters.command)


def _split(command: Command) -> Iterator[list[str]]:
    if isinstance(command, str):
        yield _words(command)
        return
    words = [*command]
    shell = bool(words) and PurePosixPath(words[0]).name in _SHELLS
    yield _words(words[2]) if shell and len(words) > 2 and words[1].startswith("-") else words


def _words(line: str) -> list[str]:
    try:
        lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
        lexer.whitespace_split = True
        return [*lexer]
    except ValueError:
        return line.split()


def _paths(words: Sequence[str]) -> Iterator[str]:
    """The paths that a command names: absolute ones, and those relative to the folder that it changes to."""
    here = HOME
    for place, word in enumerate(words):
        text = word.partition("=")[2] if word.startswith("--") and "=" in word else word
        if _PATTERN.search(text) or "=" in text or not text:
            continue
        if text.startswith(("/", "~/")):
            path = home_path(text)
        elif "/" in text and "://" not in text and not text.startswith("-"):
            path = f"{here}/{text}"
        else:
            continue
        path = str(PurePosixPath(path))
        if place and words[place - 1] == "cd":
            here = path
        if PurePosixPath(path).is_relative_to(HOME):
            yield path


def _parts(words: Sequence[str]) -> Iterator[Sequence[str]]:
    """The commands of a shell's line one by one."""
    start = 0
    for end in (*(place for place, word in enumerate(words) if word in _ENDS), len(words)):
        yield words[start:end]
        start = end + 1


def _targets(words: Sequence[str], name: str) -> Iterator[str]:
    """Where a command unpacks the archive of this name."""
    here = HOME
    for part in _parts(words):
        if part[:1] == ["cd"] and len(part) > 1:
            here = home_path(part[1])
        elif _UNPACKERS.intersection(part) and any(PurePosixPath(word).name == name for word in part):
            into = [home_path(part[place + 1]) for place, word in enumerate(part[:-1]) if word in _INTO]
            yield into[0] if into else here


def _title(task: Task, name: str) -> str:
    """The title of a document by the windows that the task looks for: `NAME — TITLE`, or for films `TITLE - VLC …`."""
    steps = (*task.config, *task.evaluator.postconfig)
    windows = [step.parameters.window_name for step in steps if isinstance(step, ActivateWindow | CloseWindow)]
    if name.lower().endswith(".mp4"):
        titles = (window.removesuffix(_PLAYER) for window in windows if window.endswith(_PLAYER))
        return next((title for title in titles if title != name), "")
    return next((window.removeprefix(start) for window in windows if window.startswith(start := f"{name} — ")), "")


def _sheets(task: Task) -> list[str]:
    """The sheets that the options of checkers name, after the usual ones; as many as they count."""
    texts = [text for check in checks(task.evaluator) for text in _all_texts(check.options)]
    count = max((int(found[1]) + 1 for text in texts if (found := _SHEET_NUMBER.fullmatch(text))), default=0)
    numbered = [f"Sheet{number}" for number in range(1, count + 1)]
    named = [found[1] for text in texts if (found := _SHEET.fullmatch(text)) and len(found[1]) <= 31]
    return [*dict.fromkeys((*SHEETS, *numbered, *named))]


def _all_texts(value: JsonValue) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _all_texts(inner)


def _addresses(task: Task) -> list[str]:
    found = _ADDRESS.findall(task.definition_json())
    return [*dict.fromkeys(address for address in found if not address.startswith(_THEIRS))]
