"""Sorts errors by cause: only what the agent did wrong may count against it."""

from __future__ import annotations

from trueline.desktop.types import (
    Desktop,
    DesktopError,
    DesktopLost,
    DesktopUnavailable,
    NotSupported,
    TellsDeaths,
)
from trueline.models.errors import (
    AuthError,
    BudgetSpentError,
    DeadlineError,
    MissingKeyError,
    ModelError,
    NeverAnsweredError,
    UnpricedError,
    UnsupportedError,
)
from trueline.records.end import Unscored
from trueline.records.episode import EpisodeRecord
from trueline.records.verdict import Decision, Failure, Verdict
from trueline.runs.types import Unfinished
from trueline.tasks.errors import CheckerError, SetupError
from trueline.text import printable

OUTAGE = "model outage"
"""Place of an error that may pass, so that retrying makes sense."""
KEY = "model key"
"""Place of an error that every episode meets until the user fixes it."""
SERVER = "model server"
"""Place of an error of a server that never answered: its address may be wrong."""


def unfinished_reason(error: Exception) -> Unfinished:
    """Return why an episode with this error has no score."""
    match error:
        case Unfinished():
            return error
        case BudgetSpentError():
            return Unfinished(Unscored.RUN_BUDGET_SPENT, "model", str(error))
        case ModelError() | MissingKeyError() | UnpricedError() | UnsupportedError():
            return Unfinished(Unscored.MODEL_ERROR, model_error_place(error), str(error))
        case SetupError():
            return Unfinished(Unscored.SETUP_ERROR, "setup", str(error))
        case CheckerError():
            return Unfinished(Unscored.CHECKER_ERROR, "checker", str(error))
        case NotSupported():
            return Unfinished(Unscored.UNSUPPORTED, "desktop", str(error))
        case DesktopError() | DesktopUnavailable():
            return Unfinished(Unscored.DESKTOP_LOST, "desktop", str(error))
        case _:
            # Nobody thought of it. It is not the doing of the agent, so it must not count against it.
            return Unfinished(Unscored.DESKTOP_LOST, "runner", describe_error(error))


def death_by_agent(desktop: Desktop) -> str:
    """How the agent's actions broke the desktop; empty if they did not, or it is unknown."""
    died = desktop.died if isinstance(desktop, TellsDeaths) else None
    return f"{died} by what the agent did" if died is not None and died.by_agent else ""


def death_not_by_agent(desktop: Desktop, error: BaseException) -> str:
    """How the desktop died without the agent's doing, if that caused the error; else empty."""
    died = desktop.died if isinstance(desktop, TellsDeaths) else None
    if died is not None and not died.by_agent:
        return str(died)
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, DesktopLost):
            return str(cause)
        cause = cause.__cause__ or cause.__context__
    return ""


def model_error_place(error: Exception) -> str:
    """The place of a model's error: `model`, or `OUTAGE`, `KEY`, `SERVER` if it is not about one call."""
    if isinstance(error, AuthError | MissingKeyError):
        return KEY
    if isinstance(error, NeverAnsweredError):
        return SERVER
    away = isinstance(error, ModelError) and (error.retryable or isinstance(error, DeadlineError))
    return OUTAGE if away else "model"


def guard_failure(verdict: Verdict) -> Unfinished | None:
    """Why an episode has no score if the guard's model could not be asked; `None` otherwise."""
    if verdict.decision is not Decision.UNDECIDED:
        return None
    failed = [finding for finding in verdict.findings if finding.failure is not None]
    if not failed:
        return None
    words = f"guard: {failed[0].error}"
    match failed[0].failure:
        case Failure.BUDGET:
            return Unfinished(Unscored.RUN_BUDGET_SPENT, "guard", words)
        case Failure.KEY:
            return Unfinished(Unscored.MODEL_ERROR, KEY, words)
        case Failure.SERVER:
            return Unfinished(Unscored.MODEL_ERROR, SERVER, words)
        case _:
            return Unfinished(Unscored.MODEL_ERROR, OUTAGE, words)


def failed_at(record: EpisodeRecord, trouble: str) -> bool:
    """Whether an episode has no score because of a model error at this place (`OUTAGE`, `KEY`, `SERVER`)."""
    return record.unscored is Unscored.MODEL_ERROR and any(error.where == trouble for error in record.errors)


def describe_error(error: Exception) -> str:
    """Describe an error of foreign code in one line."""
    return f"{type(error).__name__}: {printable(str(error), 500)}"
