"""What can go wrong with a model. No message ever holds a key."""

from __future__ import annotations

from typing import Self

from trueline.errors import InputError, TruelineError


class SpecError(InputError):
    """The name of a model cannot be understood, or names several."""


class MissingKeyError(InputError):
    """A variable that the provider needs is not set."""


class ForeignAddressError(InputError):
    """A server's address comes from a file, the key from elsewhere: whoever wrote the file would get the key."""


class UnsupportedError(InputError):
    """The provider cannot do what the request asks for; it is refused, never dropped in silence."""


class UnpricedError(InputError):
    """There is a money limit, but what a model costs is not known, so the limit could not be kept."""


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
        """The provider's own word for it, such as `context_length_exceeded`."""
        self.retry_after_s = retry_after_s
        self.param = param
        """The parameter of the request that the provider names as the cause."""
        self.words = words
        """More of the provider's own words than the message holds."""

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
    """The provider asks for patience (429, 529)."""

    retryable = True


class ServerError(ModelError):
    """The provider failed (5xx)."""

    retryable = True


class ConnectionLostError(ModelError):
    """The connection could not be made, or broke before the answer was whole."""

    retryable = True


class UnreachableError(ConnectionLostError):
    """No connection could be made at all: nothing was sent."""


class NeverAnsweredError(UnreachableError):
    """No connection could be made to a server that never answered in this program: its address may be wrong."""

    retryable = False


class AttemptTimeoutError(ModelError):
    """One attempt took longer than its share of the deadline."""

    retryable = True


class MalformedResponseError(ModelError):
    """The provider's response is no valid JSON, has the wrong shape, or holds no answer at all."""

    retryable = True


class RejectedError(ModelError):
    """The provider rejects the request (4xx): asking again cannot help."""


class TooLongError(RejectedError):
    """The question does not fit into the model's context: asking with less of it may help."""


class AuthError(ModelError):
    """The provider does not accept the key (401, 403)."""


class DeadlineError(ModelError):
    """No answer within the total deadline, retries and waiting included."""


class InvalidAnswerError(ModelError):
    """A structured answer that does not fit its schema, also after the repair turn."""


class BudgetSpentError(ModelError):
    """The money limit is reached; nothing was sent."""


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
