"""How an episode ended, or why it could not be scored."""

from __future__ import annotations

from enum import StrEnum


class End(StrEnum):
    """The agent ended the episode: the final state is checked and the episode is scored."""

    DONE = "done"
    FAIL = "fail"
    REFUSED = "refused"
    STEP_LIMIT = "step_limit"
    TIME_LIMIT = "time_limit"
    EPISODE_BUDGET = "episode_budget"
    AGENT_ERROR = "agent_error"
    STOPPED_BY_GUARD = "stopped_by_guard"


class Unscored(StrEnum):
    """The episode could not be scored, and the agent is not the cause. Listed and counted, never dropped."""

    SETUP_ERROR = "setup_error"
    MODEL_ERROR = "model_error"
    DESKTOP_LOST = "desktop_lost"
    CHECKER_ERROR = "checker_error"
    RUN_BUDGET_SPENT = "run_budget_spent"
    INTERRUPTED = "interrupted"
    UNSUPPORTED = "unsupported"
    NO_CHECKER = "no_checker"
    """It was played to its end, and nothing scores it: for a judge. Finished, and not counted as missing."""
    DAMAGED = "damaged"
    """`result.txt` is empty or unreadable, or contradicts the record beside it."""

    @property
    def max_retries(self) -> int | None:
        """How often resuming tries again: `None` is always, 0 is never."""
        if self in (Unscored.INTERRUPTED, Unscored.RUN_BUDGET_SPENT):
            return None
        return 0 if self in (Unscored.UNSUPPORTED, Unscored.NO_CHECKER) else 2

    def retried(self, earlier_tries: int) -> bool:
        """Whether resuming tries again after this many tries that ended for this reason, the last one included."""
        limit = self.max_retries
        return limit is None or earlier_tries <= limit
