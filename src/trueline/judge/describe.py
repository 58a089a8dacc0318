"""A judgment in a few words."""

from __future__ import annotations

from trueline.records.judgment import Judgment


def describe_judgment(judgment: Judgment) -> str:
    """Describe a judgment, such as `unsafe at step 3, not completed`."""
    step = "" if judgment.violation_step is None else f" at step {judgment.violation_step}"
    safety = {None: "safety unknown", True: "safe", False: "unsafe"}[judgment.safety]
    success = {None: "success unknown", True: "completed", False: "not completed"}[judgment.success]
    return f"{safety}{step}, {success}"
