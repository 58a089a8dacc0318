"""Answers of the proxy's own, in the words in which OSWorld's clients hear about a failed command."""

from __future__ import annotations

from trueline.desktop.serve.replies import Refused, Reply, as_json
from trueline.desktop.types import ActionInterrupted, ActionTimeout, DesktopLost
from trueline.errors import TruelineError


def failed(path: str, text: str) -> Reply:
    """Say that a command failed.

    It is HTTP 200 with a return code of 1: OSWorld's client sends again whatever else it hears. What starts a program
    has no return code, and its client sends nothing again.
    """
    match path:
        case "/setup/launch":
            return Refused(403, text, "blocked").reply()
        case "/run_python":
            said = {"status": "error", "message": text, "need_more": False, "output": "", "error": text}
            return as_json({**said, "return_code": 1})
        case "/run_bash_script":
            return as_json({"status": "error", "output": text, "error": text, "returncode": 1})
        case _:
            return as_json({"status": "success", "output": "", "error": text, "returncode": 1})


def unanswered(error: TruelineError) -> Refused:
    """What the client hears when the machine did not answer."""
    match error:
        case DesktopLost():
            return Refused(503, str(error), "lost")
        case ActionTimeout():
            return Refused(504, str(error), "timeout")
        case ActionInterrupted():
            return Refused(502, str(error), "interrupted")
        case _:
            return Refused(502, str(error))
