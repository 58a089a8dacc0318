"""What all forms for people share: questions in the terminal, and the paths of screenshots."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")


class SkipError(Exception):
    """The reviewer skips what is shown."""


class StopError(Exception):
    """The reviewer stops."""


@contextmanager
def screenshots(folder: Path, names: Iterable[str | None], *, blind: bool) -> Generator[dict[str, str]]:
    """Paths of an episode's screenshots by file name; in blind mode, of copies with neutral names."""
    from trueline.judge.files import leads_out

    paths = {name: folder / name for name in dict.fromkeys(names) if name}
    there = [name for name, path in paths.items() if path.is_file() and not leads_out(folder, path)]
    if not blind:
        yield {name: str(folder / name) for name in there}
        return
    with tempfile.TemporaryDirectory(prefix="trueline-label-") as place:
        shown = {name: str(Path(place, f"screen_{number}.png")) for number, name in enumerate(there)}
        for name, path in shown.items():
            shutil.copyfile(folder / name, path)
        yield shown


def ask(question: str, read: Callable[[str], T], *, short: bool = True) -> T:
    """Ask until the answer can be parsed; with `short`, one letter is a command as well.

    Raises:
        SkipError: The reviewer skips.
        StopError: The reviewer stops, or there is no more input.
    """
    while True:
        try:
            word = input(question)
        except EOFError:
            raise StopError from None
        command = word.strip()
        if command == ":quit" or (short and command == "q"):
            raise StopError
        if command == ":skip" or (short and command == "s"):
            raise SkipError
        try:
            return read(word)
        except ValueError as error:
            print(error)
