"""Fixtures of the commands' tests."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest


@pytest.fixture
def type_in(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Type words: they come through a real pipe."""
    with ExitStack() as stack:

        def put(text: str) -> None:
            reading, writing = os.pipe()
            os.write(writing, text.encode())
            os.close(writing)
            monkeypatch.setattr("sys.stdin", stack.enter_context(os.fdopen(reading)))

        yield put
