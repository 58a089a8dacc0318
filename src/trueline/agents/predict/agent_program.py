"""The program that holds an OSWorld-style agent, started by path with the interpreter that has the agent's packages.

It needs nothing but Python 3.9 and its standard library. One JSON object per line comes in on standard input, and one
goes out for each on what was standard output; what the agent itself prints goes to standard error.
"""

from __future__ import annotations

import base64
import importlib
import importlib.util
import inspect
import json
import logging
import os
import sys
from collections.abc import Callable
from typing import Any, cast

Message = dict[str, Any]
_LONGEST = 1000


class Holder:
    """The agent, once it is made."""

    def __init__(self) -> None:
        self.agent: Any = None

    def make(self, message: Message) -> Message:
        """Import the class and construct the agent with those of the usual arguments that it takes."""
        sys.path[:0] = message["path"]
        module, _, name = message["target"].rpartition(":")
        found: Any = _file(module) if module.endswith(".py") else importlib.import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
        arguments = _arguments(found, message["usual"], message["options"])
        self.agent = found(**arguments)
        if not callable(getattr(self.agent, "predict", None)):
            raise TypeError(f"{message['target']} has no method predict")
        return {"taken": sorted(arguments)}

    def reset(self, _: Message) -> Message:
        """Start an episode; `reset` takes a logger or nothing."""
        reset = getattr(self.agent, "reset", None)
        if reset is not None:
            required = [p for p in _parameters(reset) if p.default is p.empty and p.kind == p.POSITIONAL_OR_KEYWORD]
            reset(*[logging.getLogger("desktopenv.agent") for _ in required[:1]])
        return {}

    def predict(self, message: Message) -> Message:
        """Ask the agent for its next actions."""
        shot: str | None = message["screenshot"]
        obs = {
            "screenshot": None if shot is None else base64.b64decode(shot),
            "accessibility_tree": message["accessibility_tree"],
            "terminal": message["terminal"],
            "instruction": message["instruction"],
        }
        given: Any = self.agent.predict(message["instruction"], obs)
        try:
            response, actions, *_ = given
        except (TypeError, ValueError):
            raise TypeError("predict() did not return a pair of response and actions") from None
        if isinstance(response, dict):
            said = cast("Message", response)
            response = {
                name: value for name, value in said.items() if name != "messages"
            }  # those are the whole history
        return {"response": response, "actions": [] if actions is None else actions}


def _file(path: str) -> Any:
    """Import a file. What stands beside it can be imported too, but never in place of Python's own modules."""
    sys.path.append(os.path.dirname(os.path.abspath(path)))
    name = "agent_file_" + os.path.basename(path)[: -len(".py")]
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None, "its name ends in .py"
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _arguments(made: Callable[..., Any], usual: Message, options: Message) -> Message:
    named = {parameter.name for parameter in _parameters(made)}
    return {**{name: value for name, value in usual.items() if name in named}, **options}


def _parameters(function: Callable[..., Any]) -> list[inspect.Parameter]:
    try:
        return list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return []


def _failure(error: BaseException) -> Message:
    kinds = [f"{kind.__module__}.{kind.__qualname__}" for kind in type(error).__mro__]
    return {"error": str(error)[:_LONGEST], "kinds": kinds}


def serve() -> None:
    """Answer line by line until the input ends."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    sys.path[0] = ""  # not the folder of this file: its modules have names that an agent's may have
    holder = Holder()
    steps = {"make": holder.make, "reset": holder.reset, "predict": holder.predict}
    for line in sys.stdin.buffer:
        message: Message = json.loads(line)
        try:
            reply = {"ok": steps[message["step"]](message)}
        except (Exception, SystemExit) as error:
            reply = _failure(error)
        out.write(json.dumps(reply, default=repr) + "\n")
        out.flush()


if __name__ == "__main__":
    serve()
