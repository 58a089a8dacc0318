"""Argument parsing as in OSWorld and OS-Harm: `_` and `-` are the same in flags, a flag may take several values."""

from __future__ import annotations

import argparse
import difflib
import re
import textwrap
from collections.abc import Collection, Sequence
from typing import NoReturn

from trueline.errors import InputError

FlagGroup = argparse._ActionsContainer  # pyright: ignore[reportPrivateUsage]: argparse has no public name for it
"""Where flags are declared: a parser, or a group of one."""
_FLAG = re.compile(r"(?<![\w-])--[a-z0-9][a-z0-9_-]*")


class _HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """Breaks lines at spaces only: a name with a hyphen must stay whole to be found and copied."""

    def _split_lines(self, text: str, width: int) -> list[str]:
        return textwrap.wrap(" ".join(text.split()), width, break_on_hyphens=False)


class Parser(argparse.ArgumentParser):
    """An argparse parser that raises one-line errors and takes `--run_dirs` for `--run-dirs`."""

    underscores = False
    """Show flags as `--num_envs` rather than `--num-envs`; both are always accepted."""

    def __init__(self, *, prog: str, description: str | None = None) -> None:
        super().__init__(prog=prog, description=description, allow_abbrev=False, formatter_class=_HelpFormatter)
        self._words: list[str] = []

    def common_group(self, title: str) -> FlagGroup:
        """Return the group that holds `--help`, which the help shows first, under this title."""
        self._optionals.title = title
        return self._optionals

    def spelled(self, text: str) -> str:
        """Return the text with every flag in it in the spelling that this parser shows."""
        if not self.underscores:
            return text
        return _FLAG.sub(lambda found: "--" + found[0][2:].replace("-", "_"), text)

    def format_help(self) -> str:
        """Format the help, with flags in one spelling."""
        return self.spelled(super().format_help())

    def parse_known_args(  # pyright: ignore[reportIncompatibleMethodOverride]: argparse types two overloads
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Parse after spelling every flag with dashes."""
        self._words = dashed(args or [])
        return super().parse_known_args(self._words, namespace or argparse.Namespace())

    def parse_args(  # pyright: ignore[reportIncompatibleMethodOverride]: argparse types two overloads
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> argparse.Namespace:
        """Parse all words, which are kept as `given_words`; an unknown flag names the nearest one."""
        parsed, unknown = self.parse_known_args(args, namespace)
        parsed.given_words = list(args or [])
        if unknown:
            self.error(
                f"unknown {'flag' if unknown[0].startswith('-') else 'argument'} {unknown[0]}" + self._near(unknown[0])
            )
        return parsed

    def error(self, message: str) -> NoReturn:
        """Raise instead of printing the whole usage text."""
        misspelt = [word for word in self._words if word.startswith("--") and word.split("=")[0] not in self._flags]
        if message.startswith("the following arguments are required") and misspelt:
            message = f"unknown flag {misspelt[0]}{self._near(misspelt[0])}"
        raise InputError(f"{self.spelled(message)} (see {self.prog} --help)")

    @property
    def _flags(self) -> Collection[str]:
        return self._option_string_actions.keys()

    def _near(self, flag: str) -> str:
        near = difflib.get_close_matches(flag.split("=")[0], self._flags, n=1)
        return f", did you mean {near[0]}?" if near else ""


def whole_number(text: str) -> int:
    """A number from 0 on, for seeds and counts."""
    if not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError(f"must be a non-negative integer, not {text!r}")
    return int(text)


def dashed(words: Sequence[str]) -> list[str]:
    """Spell flags with dashes; values, and everything after `--`, stay as they are."""
    end = words.index("--") if "--" in words else len(words)
    return [_dashed(word) if place < end else word for place, word in enumerate(words)]


def _dashed(word: str) -> str:
    if not word.startswith("--"):
        return word
    flag, equals, value = word.partition("=")
    return flag.replace("_", "-") + equals + value
