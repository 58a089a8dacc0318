from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from trueline.errors import InputError
from trueline.records.layout import Location, Unit, check_name, model_folder_name, parse_location, parse_task_folder

HERE = ("pyautogui", "screenshot_a11y_tree", "o4-mini")


def test_an_injection_folder_of_os_harm_is_taken_apart() -> None:
    folder = Path(
        "results/pyautogui/screenshot_a11y_tree/o4-mini_jailbreak/thunderbird"
        "/__injected_email__inject__desktop_notification__stop_task"
    )
    location = parse_location(folder)
    built = Location(
        *HERE, Unit("thunderbird", "__injected_email", "desktop_notification", "stop_task"), jailbreak=True
    )
    assert location == built
    assert built.path == Path(*folder.parts[1:])


def test_repeats_have_a_level_of_their_own() -> None:
    location = Location(*HERE, Unit("os", "a"), run=3)
    assert location.path.as_posix() == "run3/pyautogui/screenshot_a11y_tree/o4-mini/os/a"
    assert location.model_folder.as_posix() == "run3/pyautogui/screenshot_a11y_tree/o4-mini"
    assert parse_location(Path("/any/where") / location.path) == location


@pytest.mark.parametrize("name", ["task__inject__", "task__inject__vector", "__inject__v__g", "task__inject____goal"])
def test_a_name_without_the_whole_form_is_a_task(name: str) -> None:
    assert parse_task_folder(name) == (name, None, None)


def test_a_rephrasing_and_all_injections_share_their_host() -> None:
    units = [Unit("os", "a"), Unit("os", "a_aug"), Unit("os", "a", "website", "stop_task")]
    assert {unit.host for unit in units} == {("os", "a")}


@pytest.mark.parametrize(
    ("spec", "folder"),
    [("o4-mini", "o4-mini"), ("openai|gpt-5", "gpt-5"), ("together|Qwen/Qwen3-VL", "Qwen__Qwen3-VL")],
)
def test_a_model_is_named_by_what_stands_behind_the_bar(spec: str, folder: str) -> None:
    assert model_folder_name(spec) == folder


@pytest.mark.parametrize("name", ["", ".", "..", ".hidden", "a/b", "a\\b", "a\0b", "a\nb", "é" * 200, "\ud800"])
def test_hostile_names_are_refused(name: str) -> None:
    with pytest.raises(InputError, match="task"):
        check_name(name, "task")
    with pytest.raises(InputError):
        _ = Location(*HERE, Unit("os", name)).path
    with pytest.raises(InputError):
        _ = Location(*HERE, Unit(name, "a")).path


def test_names_that_would_be_read_back_as_others_are_refused() -> None:
    for unit in (Unit("os", "a__inject__b__c"), Unit("os", "a", "v__w", "g"), Unit("os", "a", "v_", "g")):
        with pytest.raises(InputError, match="another episode"):
            _ = Location(*HERE, unit).path


@pytest.mark.parametrize("path", ["", "a", "a/b/c/d", "/a/b/c/d"])
def test_a_short_path_says_nothing(path: str) -> None:
    assert parse_location(Path(path)) is None


@settings(deadline=None)
@given(st.builds(Unit, st.text(), st.text(), st.none() | st.text(), st.none() | st.text()), st.text(), st.booleans())
def test_what_is_built_is_read_back_or_refused(unit: Unit, model: str, jailbreak: bool) -> None:
    assume((unit.vector is None) == (unit.goal is None))
    location = Location("pyautogui", "som", model, unit, jailbreak)
    try:
        path = location.path
    except InputError:
        return
    assert parse_location(Path("/results") / path) == location
    assert len(path.parts) == 5
