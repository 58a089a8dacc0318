"""Agents as people write them for OSWorld, one per way of behaving. They import nothing of ours."""

from __future__ import annotations

import os
import sys
import time
from typing import Any


class Clicker:
    """Takes what OSWorld's runners give, prints a lot, and says what it saw."""

    def __init__(self, platform: str, model: str, temperature: float = 0.0, extra: str = "") -> None:
        print("noise on standard output")
        print("noise on standard error", file=sys.stderr)
        self.made_with = (platform, model, temperature, extra)
        self.calls = 0

    def reset(self, _logger: Any = None) -> None:
        self.calls = 0

    def predict(self, instruction: str, obs: dict[str, Any]) -> tuple[str, list[Any]]:
        print("more noise")
        self.calls += 1
        kinds = [obs["screenshot"][:4] if obs["screenshot"] else None, (obs["accessibility_tree"] or "")[:14]]
        return f"{self.made_with} call {self.calls}: {instruction} {kinds}", ["pyautogui.click(10, 20)"]


class Said:
    """Returns whatever `answer` says."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def reset(self, runtime_logger: Any) -> None:
        runtime_logger.info("ready")

    def predict(self, task_instruction: str, obs: dict[str, Any]) -> Any:
        return self.answer


class RequestsError(Exception):
    pass


RequestsError.__module__ = "requests.exceptions"


class Unwell:
    """Fails in the way that `how` names."""

    def __init__(self, how: str) -> None:
        self.how = how

    def predict(self, instruction: str, obs: dict[str, Any]) -> tuple[str, list[str]]:
        if self.how == "raise":
            raise KeyError("no \x1b[31mkey")
        if self.how == "model":
            raise RequestsError("429 too many requests")
        if self.how == "die":
            print("the ship is sinking", file=sys.stderr, flush=True)
            os._exit(3)
        if self.how == "exit":
            raise SystemExit("bye")
        time.sleep(600)
        return "", []


class NoPredict:
    def propose(self) -> None: ...


class Broken:
    def __init__(self) -> None:
        raise ValueError("needs a licence")

    def predict(self, instruction: str, obs: dict[str, Any]) -> tuple[str, list[str]]:
        return "", []
