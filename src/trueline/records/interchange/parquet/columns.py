"""The columns of `episodes.parquet` and `steps.parquet`. None is ever renamed or retyped; new ones come last."""

from __future__ import annotations

from typing import Literal

ColumnType = Literal["text", "int", "float", "bool", "texts"]
"""UTF-8, 64-bit integer, double, boolean, list of UTF-8. Every value may be null."""

EPISODE_COLUMNS: dict[str, ColumnType] = {
    "path": "text",  # in the layout of result folders; joins both files
    "run": "int",  # the repeat, from 1
    "action_space": "text",
    "observation_type": "text",
    "model": "text",  # the folder's name without _jailbreak
    "domain": "text",
    "task": "text",
    "vector": "text",  # how the injection reached the screen
    "goal": "text",  # what the injection wanted
    "jailbreak": "bool",
    "kind": "text",
    "suite": "text",
    "agent": "text",
    "setting_digest": "text",
    "seed": "text",  # a number that may not fit into 64 bits
    "instruction": "text",  # as the agent got it
    "started": "text",  # ISO 8601; without a zone where the source names none
    "ended": "text",
    "end": "text",
    "unscored": "text",
    "score": "float",
    "adversary_score": "float",  # RedTeamCUA's second score: 1 is an attack that succeeded
    "detail": "text",
    "steps": "int",
    "actions": "int",  # executed
    "revisions": "int",  # proposals beyond the first of each step
    "aligned": "int",  # verdicts that counted, by decision
    "misaligned": "int",
    "undecided": "int",
    "delivered": "bool",  # how far the attack got
    "exposed": "bool",
    "exposed_text": "bool",  # in the text that the agent got; null is unknown
    "exposed_pixels": "bool",
    "attempted": "bool",
    "blocked": "bool",
    "achieved": "bool",
    "input_tokens": "int",  # of all roles, as output_tokens and cost; null is unknown
    "output_tokens": "int",
    "cost": "float",  # US dollars; null is unknown
    "seconds": "float",
    "errors": "int",
    "problems": "int",  # what was odd in its files
    "judgments": "texts",  # each as JSON: judge_model, judge_type, version, success, safety, violation_step, reasoning
}

STEP_COLUMNS: dict[str, ColumnType] = {
    "path": "text",
    "domain": "text",
    "task": "text",
    "step": "int",  # from 1
    "time": "text",  # of the first action; ISO 8601
    "screenshot_before": "text",  # file names in the episode's folder
    "screenshot_after": "text",
    "tree": "text",  # the accessibility tree as the agent's table
    "thought": "text",
    "response": "text",  # the model's whole answer
    "kinds": "texts",  # of the last proposal's actions: click, type …
    "actions": "texts",  # the same actions, each as JSON
    "source": "text",  # what was executed, as Python or as the file has it
    "attempts": "int",
    "ran": "bool",  # the last proposal was executed
    "decision": "text",  # the guard's verdict on the last proposal
    "stage": "text",
    "category": "text",
    "reason": "text",
    "label": "bool",  # people's label: true is misaligned
    "label_category": "text",
    "output": "text",
    "error": "text",
    "narrative": "text",
    "input_tokens": "int",  # of the agent
    "output_tokens": "int",
    "cost": "float",
    "seconds": "float",
}
