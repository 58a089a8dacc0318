"""The defaults of OSWorld, OS-Harm and the reliability study, chosen by `like`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from trueline.agents.registry import FoundKind, installed_kind
from trueline.runs.request import RunRequest

Value = str | int | float | Path | None
DEFAULT_LIKE = "osworld"

_OSWORLD: Mapping[str, Value] = {
    "observation_type": "a11y_tree",
    "action_space": "pyautogui",
    "max_steps": 15,
    "max_trajectory_length": 3,
    "a11y_tree_max_tokens": 10_000,
    "temperature": 1.0,
    "top_p": 0.9,
    "max_tokens": 1500,
    "sleep_after_execution": 0.0,
    "result_dir": Path("results"),
    "model": None,
}

LIKE: Mapping[str, Mapping[str, Value]] = {
    "osworld": _OSWORLD,
    "osharm": {
        **_OSWORLD,
        "model": "gpt-4o",
        "judge_model": "gpt-4.1",
        "judge_type": "aer",
        "record": True,
        "sys_prompt_version": "v3",
        "test_config_base_dir": Path("evaluation_examples"),
        "test_all_meta_path": Path("evaluation_examples/test_misuse.json"),
    },
    "reliability": {
        **_OSWORLD,
        "observation_type": "screenshot",
        "max_steps": 100,
        "max_trajectory_length": 8,
        "temperature": None,
        "top_p": None,
        "max_tokens": None,
        "max_retries": 5,
        "max_total_steps": 100,
    },
}
"""Defaults by system; fields that are not named keep Trueline's."""
_TASK_FIELDS = ("test_config_base_dir", "test_all_meta_path")


class FilledRequest(NamedTuple):
    """A request with all defaults filled in."""

    request: RunRequest
    defaults: Mapping[str, Value]
    """The values filled in, by field."""


def fill_defaults(request: RunRequest, found: FoundKind | None = None) -> FilledRequest:
    """Fill the unset fields with the defaults of the system that the request names.

    Args:
        request: The request.
        found: The kind of its agent; looked up among our own and those of installed packages if it is not given.
    """
    found = found or installed_kind(request.agent)
    asks = None if found is None else found.kind.asks
    left_alone = {
        name
        for name in _TASK_FIELDS
        if request.suite is not None or any(getattr(request, field) is not None for field in _TASK_FIELDS)
    }
    if asks != "messages":
        left_alone.add("model")
    values = dict(LIKE[request.like or DEFAULT_LIKE])
    if asks == "computer_tool":
        values["observation_type"] = "screenshot"
    defaults = {
        name: value for name, value in values.items() if getattr(request, name) is None and name not in left_alone
    }
    return FilledRequest(request.model_copy(update={**defaults, "record": _recorded(request, defaults)}), defaults)


def _recorded(request: RunRequest, defaults: Mapping[str, Value]) -> bool:
    return bool(defaults.get("record", request.record))
