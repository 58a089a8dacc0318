"""Prompts: versioned text files in the folder `prompts` of a package, such as `trueline/guard/prompts/data.v1.md`.

Everything that a model is told in our own words comes from them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import cache
from importlib import resources
from string import Template


@cache
def _read_file(package: str, name: str) -> str:
    return resources.files(package).joinpath("prompts", f"{name}.md").read_text(encoding="utf-8")


def read_prompt(package: str, name: str) -> str:
    """Read a prompt of a package, without blank lines around it."""
    return _read_file(package, name).strip()


def join_prompts(package: str, names: Iterable[str]) -> str:
    """Read several prompts as one text."""
    return "\n\n".join(read_prompt(package, name) for name in names)


def fill_prompts(package: str, names: Iterable[str], **values: str | int) -> str:
    """Read several prompts as one text, with their `$names` filled in."""
    return Template(join_prompts(package, names)).substitute(values)


class Phrases:
    """The phrases of one file: each `## title` begins one, with `$names` to be filled in."""

    def __init__(self, package: str, file: str) -> None:
        """Name the file; it is read when the first phrase is asked for."""
        self._package = package
        self._file = file

    def __call__(self, title: str, **values: str | int) -> str:
        """Return one phrase with its `$names` filled in."""
        return _phrases(self._package, self._file)[title].substitute(values)


@cache
def _phrases(package: str, file: str) -> dict[str, Template]:
    sections = read_prompt(package, file).split("\n## ")[1:]
    titled = (section.partition("\n") for section in sections)
    return {title: Template(text.strip()) for title, _, text in titled}


def hash_prompts(package: str, names: Iterable[str], *, whole_file: bool = False) -> dict[str, str]:
    """SHA-256 of prompts by `<package>/<name>`, for `Setting.prompts`.

    Args:
        package: Such as `trueline.agents`.
        names: Of the files.
        whole_file: Hash the file as it is, the newline at its end included.
    """
    short = package.rpartition(".")[2]
    texts = {name: _read_file(package, name) if whole_file else read_prompt(package, name) for name in names}
    return {f"{short}/{name}": hashlib.sha256(texts[name].encode()).hexdigest() for name in sorted(texts)}
