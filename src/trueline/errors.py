"""The errors a user may see. Each is one line that names the place, the problem and the fix."""

from __future__ import annotations


class TruelineError(Exception):
    """Base of every error that is shown to the user as one line."""

    exit_code = 1


class InputError(TruelineError):
    """The user's input (flag, file, folder) is wrong; nothing was done."""

    exit_code = 2


class RequestError(InputError):
    """Fields of a request are wrong or do not go together.

    The message names them in backticks, so that the command line can name the flags: `max_steps` is --max_steps.
    """


class MissingExtraError(InputError):
    """A feature needs an optional dependency that is not installed."""

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(f"{feature} needs an extra that is not installed: pip install 'trueline[{extra}]'")
