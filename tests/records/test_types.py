from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pydantic import ValidationError

from trueline import records
from trueline.records import (
    NO_USAGE,
    Attack,
    End,
    Environment,
    Observation,
    ObservationSpec,
    Sampling,
    Setting,
    StoredFile,
    Unscored,
    Usage,
    total_usage,
)
from trueline.records.events import Ended
from trueline.records.setting import diff_settings
from trueline.records.usage import UNCOUNTED

NOW = datetime(2026, 1, 1, tzinfo=UTC)
PLAIN = Setting(agent="prompt", model="openai|gpt-5", environment=Environment(provider="local"))


def test_tokens_that_nobody_counted_stay_uncounted_in_a_sum() -> None:
    known = Usage(input_tokens=10, output_tokens=3, calls=1, cost=0.5)
    assert (known + known).uncounted == 0
    total = known + UNCOUNTED
    assert (total.calls, total.uncounted, total.cost) == (2, 1, None)


def test_usage_adds_up_and_an_unknown_cost_stays_unknown() -> None:
    known = Usage(input_tokens=10, cached_tokens=4, output_tokens=3, reasoning_tokens=1, calls=1, cost=0.5)
    assert known + known == Usage(
        input_tokens=20, cached_tokens=8, output_tokens=6, reasoning_tokens=2, calls=2, cost=1.0
    )
    assert total_usage([known, NO_USAGE]) == known
    assert total_usage([]) == NO_USAGE
    assert total_usage([known, None]).cost is None
    assert total_usage([known, Usage(calls=1)]).calls == 2


def test_settings_are_told_apart_by_what_differs() -> None:
    warm = PLAIN.model_copy(update={"sampling": Sampling(temperature=1.0), "plan": "p1"})
    assert diff_settings(PLAIN, warm) == {"sampling.temperature": (None, 1.0), "plan": (None, "p1")}
    assert PLAIN.digest != warm.digest
    assert diff_settings(PLAIN, PLAIN) == {}


def test_a_digest_does_not_depend_on_order_or_spelling() -> None:
    a = PLAIN.model_copy(update={"agent_options": {"x": 1, "y": 2}})
    b = Setting.model_validate_json(a.model_dump_json()).model_copy(update={"agent_options": {"y": 2, "x": 1}})
    assert a.digest == b.digest
    said = PLAIN.model_copy(update={"action_space": "pyautogui", "sampling": Sampling()})
    assert said.digest == PLAIN.digest


def test_unscored_episodes_are_tried_again_as_designed() -> None:
    again = {reason: [reason.retried(tries) for tries in (1, 2, 3, 99)] for reason in Unscored}
    assert again.pop(Unscored.INTERRUPTED) == [True] * 4
    assert again.pop(Unscored.RUN_BUDGET_SPENT) == [True] * 4
    assert again.pop(Unscored.UNSUPPORTED) == [False] * 4
    assert again.pop(Unscored.NO_CHECKER) == [False] * 4
    assert set(map(tuple, again.values())) == {(True, True, False, False)}
    assert len(again) == 5


@pytest.mark.parametrize(
    "fields",
    [
        {"score": 1.0},
        {"end": End.DONE},
        {"unscored": Unscored.SETUP_ERROR, "score": 0.0},
        {"end": End.DONE, "score": float("nan")},
        {"end": End.DONE, "score": 2.0},
        {"end": End.DONE, "score": 1.0, "unknown": 1},
    ],
)
def test_an_end_is_scored_or_has_a_reason(fields: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Ended.model_validate({"time": NOW, **fields})


def test_a_checker_error_keeps_the_agents_end() -> None:
    ended = Ended(time=NOW, end=End.DONE, unscored=Unscored.CHECKER_ERROR)
    assert ended.end is End.DONE


def test_an_attack_is_a_whole_injection_or_a_jailbreak() -> None:
    assert Attack(jailbreak=True).vector is None
    for fields in ({}, {"vector": "website"}, {"goal": "stop_task", "jailbreak": True}):
        with pytest.raises(ValidationError):
            Attack.model_validate(fields)


def test_the_same_screen_has_the_same_name_at_any_time(tmp_path: Path) -> None:
    file = tmp_path / "a.png"
    file.write_bytes(b"png")
    later = datetime(2027, 1, 1, tzinfo=UTC)
    assert Observation(NOW, b"png").digest == Observation(later, file).digest
    assert len({Observation(NOW, b"png").digest, Observation(NOW, b"other").digest, Observation(NOW).digest}) == 3
    assert Observation(NOW, b"png", text="x").digest != Observation(NOW, b"png").digest
    assert Observation(NOW, b"png", partial=True).digest != Observation(NOW, b"png").digest


def test_what_several_want_is_seen_by_all() -> None:
    both = ObservationSpec(screenshot=True, size=(10, 10)) | ObservationSpec(screenshot=False, tree=True)
    assert both == ObservationSpec(screenshot=True, tree=True)


@pytest.mark.parametrize("name", ["../x", "/etc/passwd", ".hidden", "a/b", "a\\b", "", "a\n", "x" * 300])
def test_a_record_never_points_out_of_its_folder(name: str) -> None:
    with pytest.raises(ValidationError):
        StoredFile(file=name)


def test_folder_names_are_had_without_the_models() -> None:
    code = "import sys, trueline.records.layout, trueline.records.scan; print('pydantic' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


def test_every_public_name_is_there() -> None:
    assert sorted(records.__all__) == sorted(set(records.__all__))
    for name in records.__all__:
        assert getattr(records, name) is not None
        assert name in dir(records)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = getattr(records, "nothing")  # noqa: B009
