"""What getters return, recorded and given to a metric again."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime

import pytest

from trueline.tasks.bridge.inside.values import Unrecordable, decode, encode


@pytest.mark.parametrize(
    "value",
    [
        None, True, 3, 2.5, "text", ["a", ("b", 1)], {"a": {"b": [1]}}, {1: "x", ("k",): None}, {"$tuple": [1]},
        b"\0\xff", {"a", "b"}, datetime(2026, 1, 2, tzinfo=UTC), math.inf, [], {}, (),
    ],
)  # fmt: skip
def test_a_value_comes_back_as_it_was(value: object) -> None:
    again = decode(json.loads(json.dumps(encode(value), allow_nan=False)))
    assert again == value
    assert type(again) is type(value)


def test_what_only_its_process_can_hold_is_described() -> None:
    endless: list[object] = []
    endless.append(endless)
    for value in (object(), [object()], endless, "x" * (17 << 20), type("Text", (str,), {})("a")):
        recorded = encode(value)
        assert list(recorded) == ["$unrecordable"]
        with pytest.raises(Unrecordable):
            decode(recorded)
