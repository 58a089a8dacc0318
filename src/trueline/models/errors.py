"""Errors of models. No message ever contains a key."""

from __future__ import annotations

from typing import Self

from trueline.errors import InputError, TruelineError


class SpecError(InputError):
    """The name of a model is invalid or ambiguous."""


class MissingKeyError(InputError):
    """A variable that the provider needs is not set."""


class ForeignAddressError(InputError):
    """The server's address comes from a file and the key does not: the author of the file would receive the key."""


class UnsupportedError(InputError):
    """The provider does not support what the request asks for; it is refused, never silently dropped."""


class UnpricedError(InputError):
    """There is a budget, but the price of a model is unknown, so it could not be enforced."""


class ModelError(TruelineError):
    """A call gave no answer. `retryable` says whether asking again may help."""

    retryable = False

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        code: str = "",
        retry_after_s: float | None = None,
        param: str = "",
        words: str = "",
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        """The provider's error code, such as `context_length_exceeded`."""
        self.retry_after_s = retry_after_s
        self.param = param
        """The parameter of the request that the provider names as the cause."""
        self.words = words
        """The provider's message, less shortened than in this error's message."""

    def after(self, attempts: int) -> Self:
        """Return this error with the number of attempts in its message."""
        words = f"{self} (after {attempts} attempts)"
        return type(self)(
            words,
            status=self.status,
            code=self.code,
            retry_after_s=self.retry_after_s,
            param=self.param,
            words=self.words,
        )


class RateLimitedError(ModelError):
    """The provider limits the rate of requests (429, 529)."""

    retryable = True


class ServerError(ModelError):
    """The provider failed (5xx)."""

    retryable = True


class ConnectionLostError(ModelError):
    """The connection failed, or broke before the response was complete."""

    retryable = True


class UnreachableError(ConnectionLostError):
    """No connection could be made at all: nothing was sent."""


class NeverAnsweredError(UnreachableError):
    """No connection to a server that has never answered in this program: its address may be wrong."""

    retryable = False


class AttemptTimeoutError(ModelError):
    """One attempt took longer than its share of the deadline."""

    retryable = True


class MalformedResponseError(ModelError):
    """The provider's response is invalid JSON, has the wrong shape, or contains no answer."""

    retryable = True


class RejectedError(ModelError):
    """The provider rejects the request (4xx): asking again cannot help."""


class TooLongError(RejectedError):
    """The request does not fit into the model's context: a shorter one may."""


class AuthError(ModelError):
    """The provider does not accept the key (401, 403)."""


class DeadlineError(ModelError):
    """No answer within the total deadline, retries and waiting included."""


class InvalidAnswerError(ModelError):
    """A structured answer does not match its schema, even after the repair turn."""


class BudgetSpentError(ModelError):
    """The budget is spent; nothing was sent."""


class NoAnswerError(ModelError):
    """The model refused, was filtered, or ran out of tokens, where an answer was required."""

    def __init__(self, stop: str, words: str = "") -> None:
        meaning = {
            "refusal": "the model refused",
            "content_filter": "the provider's content filter stopped the answer",
            "length": "the answer was cut off at the token limit",
        }.get(stop, stop)
        super().__init__(f"{meaning}: {words}" if words else meaning)
        self.stop = stop
