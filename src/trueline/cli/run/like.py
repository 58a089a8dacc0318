"""The defaults of the systems whose flags `trueline run` takes."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path

Value = str | int | float | Path | None
DEFAULT_LIKE = "osworld"
NATIVE = ("claude", "openai")
"""Agents with a computer tool of their provider's own: they see screenshots."""

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
"""By name; what a system says nothing about is left to Trueline."""
_TASKS = ("test_config_base_dir", "test_all_meta_path")

LATER: Mapping[str, str] = {
    "enable_plan": "plans",
    "plan_cache_dir": "plans",
    "enable_plan_feedback": "plan feedback",
    "plan_feedback_file": "plan feedback",
    "ground_provider": "grounding models",
    "ground_url": "grounding models",
    "ground_model": "grounding models",
    "grounding_width": "grounding models",
    "grounding_height": "grounding models",
    "thinking": "Kimi's thinking mode",
    "enable_proxy": "proxies",
    "region": "clouds and their regions",
}
"""Flags of the seeds whose part does not exist yet, and what they are about."""


def fill(args: argparse.Namespace) -> None:
    """Put in the defaults of the system whose habits hold, where nothing was given; `filled` is what was put in."""
    args.agent = args.agent or "prompt"
    left_alone = {
        name for name in _TASKS if args.suite is not None or any(getattr(args, n) is not None for n in _TASKS)
    }
    if args.agent != "prompt":
        left_alone.add("model")
    values = dict(LIKE[args.like or DEFAULT_LIKE])
    if args.agent in NATIVE:
        values["observation_type"] = "screenshot"
    filled: dict[str, Value] = {}
    for name, value in values.items():
        if getattr(args, name, None) is None and name not in left_alone:
            setattr(args, name, value)
            filled[name] = value
    args.record = bool(args.record)
    args.filled = filled
