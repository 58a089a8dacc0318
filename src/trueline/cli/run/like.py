"""The defaults of the systems whose flags `trueline run` takes."""

from __future__ import annotations

from collections.abc import Mapping

Value = str | int | float | None
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
    "result_dir": "./results",
    "model": None,
}

LIKE: Mapping[str, Mapping[str, Value]] = {
    "osworld": _OSWORLD,
    "osharm": {
        **_OSWORLD,
        "judge_model": "gpt-4.1",
        "judge_type": "aer",
        "sys_prompt_version": "v3",
        "test_config_base_dir": "evaluation_examples",
        "test_all_meta_path": "evaluation_examples/test_misuse.json",
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
    "stop_token": "stop tokens",
    "enable_proxy": "proxies",
    "region": "clouds and their regions",
}
"""Flags of the seeds whose part does not exist yet, and what they are about."""
