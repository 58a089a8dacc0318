"""How long to wait and when to give up, as plain arithmetic."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trueline.models.errors import (
    AuthError,
    DeadlineError,
    MalformedResponseError,
    ModelError,
    RateLimitedError,
    RejectedError,
    ServerError,
)
from trueline.models.retry import RetryPolicy, ask_again

DRAW = st.floats(0, 1, exclude_max=True)


@settings(deadline=None)
@given(attempt=st.integers(1, 5), draw=DRAW, asked=st.none() | st.floats(0, 1000))
def test_pauses_grow_have_jitter_and_never_undercut_the_provider(
    attempt: int, draw: float, asked: float | None
) -> None:
    policy = RetryPolicy(attempts=6, first_s=0.5, longest_s=4)
    pause = policy.pause_s(attempt, RateLimitedError("x", retry_after_s=asked), draw)
    assert pause is not None
    whole = min(4, 0.5 * 2 ** (attempt - 1))
    assert pause >= max(whole / 2, asked or 0)
    assert pause <= max(whole, asked or 0)


@pytest.mark.parametrize("error", [RejectedError("x", status=400), AuthError("x", status=401)])
def test_what_cannot_help_is_not_tried(error: ModelError) -> None:
    assert RetryPolicy().pause_s(1, error, 0.5) is None


def test_attempts_are_counted_and_senseless_responses_get_fewer() -> None:
    policy = RetryPolicy(attempts=4, malformed_attempts=2)
    assert [policy.pause_s(n, ServerError("x"), 0) is None for n in (1, 2, 3, 4)] == [False, False, False, True]
    assert [policy.pause_s(n, MalformedResponseError("x"), 0) is None for n in (1, 2)] == [False, True]


def test_a_very_long_run_of_failures_does_not_overflow() -> None:
    assert RetryPolicy(attempts=10**9).pause_s(10**6, ServerError("x"), 0.5) == pytest.approx(22.5)


@settings(deadline=None, max_examples=50)
@given(
    failures=st.lists(st.sampled_from([ServerError, RateLimitedError, RejectedError]), max_size=6),
    attempts=st.integers(1, 5),
)
def test_the_result_is_the_first_success_or_the_last_failure(failures: list[type[ModelError]], attempts: int) -> None:
    policy = RetryPolicy(attempts=attempts, first_s=0, longest_s=0)
    left = [kind("no", status=1) for kind in failures]
    made = 0

    async def attempt() -> str:
        nonlocal made
        made += 1
        if left:
            raise left.pop(0)
        return "yes"

    async def main() -> tuple[str, int]:
        return await ask_again(policy, asyncio.get_running_loop().time() + 30, attempt)

    final = next((n for n, kind in enumerate(failures, 1) if not kind.retryable or n == attempts), None)
    if final is None:
        assert asyncio.run(main()) == ("yes", len(failures) + 1)
    else:
        with pytest.raises(failures[final - 1]):
            asyncio.run(main())
        assert made == final


def test_a_deadline_that_has_passed_starts_no_pause() -> None:
    async def attempt() -> str:
        raise ServerError("down")

    async def main() -> None:
        await ask_again(RetryPolicy(), asyncio.get_running_loop().time() + 0.2, attempt, jitter=lambda: 0.99)

    with pytest.raises(DeadlineError, match="down"):
        asyncio.run(main())
