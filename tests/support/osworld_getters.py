"""Runs OSWorld's own getters over given files: calls as JSON on stdin, values as JSON on stdout.

A program for the interpreter that has `desktop-env`; each call is `{"getter", "config", "files", "tree", "now"}`, each
answer `{"value": …}` or `{"error": …}`. Files are Base64, in questions and in answers (`{"file": …}`).
"""

from __future__ import annotations

import base64
import contextlib
import datetime
import importlib
import io
import json
import logging
import os
import sys
import tempfile
import types
import warnings
from pathlib import Path

HOME = "/home/user"


class Controller:
    """What getters ask of a machine."""

    def __init__(self, files: dict[str, str], tree: str | None) -> None:
        self.files, self.tree = files, tree

    def get_file(self, path: str) -> bytes | None:
        """A file."""
        return base64.b64decode(self.files[path]) if path in self.files else None

    def get_accessibility_tree(self) -> str | None:
        """The tree."""
        return self.tree

    def execute_python_command(self, code: str) -> dict[str, str]:
        """Getters only ask for paths in the home folder."""
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(code)
        return {"output": printed.getvalue()}


def main() -> None:
    """Answer all calls."""
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    sys.modules["easyocr"] = types.ModuleType("easyocr")
    os.environ["HOME"] = HOME
    answer = os.dup(1)
    os.dup2(2, 1)  # what the getters print must not mix with the answer
    results: list[object] = []
    with contextlib.redirect_stdout(sys.stderr):
        getters = importlib.import_module("desktop_env.evaluators.getters")
        misc = importlib.import_module("desktop_env.evaluators.getters.misc")
        for call in json.load(sys.stdin):
            with tempfile.TemporaryDirectory() as folder:
                if call.get("now"):
                    setattr(misc, "datetime", _fixed(datetime.datetime.fromisoformat(call["now"])))  # noqa: B010
                env = types.SimpleNamespace(
                    controller=Controller(call["files"], call.get("tree")), vm_platform="Linux", cache_dir=folder
                )
                try:
                    value = getattr(getters, f"get_{call['getter']}")(env, call["config"])
                    if isinstance(value, str) and value.startswith(folder):
                        value = {"file": base64.b64encode(Path(value).read_bytes()).decode()}
                    results.append({"value": value})
                except Exception as error:
                    results.append({"error": f"{type(error).__name__}: {error}"})
    with os.fdopen(answer, "w") as out:
        json.dump(results, out, default=repr)


def _fixed(moment: datetime.datetime) -> type[datetime.datetime]:
    class Fixed(datetime.datetime):
        @classmethod
        def now(cls, tz: datetime.tzinfo | None = None) -> Fixed:  # type: ignore[override]
            found = moment.astimezone(tz)
            return cls(*found.timetuple()[:6], tzinfo=found.tzinfo)

    return Fixed


main()
