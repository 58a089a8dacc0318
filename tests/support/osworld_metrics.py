"""Runs OSWorld's own metric functions: calls as JSON on stdin, scores as JSON on stdout.

A program for the interpreter that has `desktop-env`; each call is `{"metric", "args", "options"}`, each answer the
score or `{"error": …}`.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import logging
import os
import sys
import types
import warnings


def main() -> None:
    """Answer all calls."""
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    # One metric imports it, none of those called here; the real one brings a whole deep-learning stack.
    sys.modules["easyocr"] = types.ModuleType("easyocr")
    answer = os.dup(1)
    os.dup2(2, 1)  # what the metrics print must not mix with the answer
    with contextlib.redirect_stdout(sys.stderr):
        metrics = importlib.import_module("desktop_env.evaluators.metrics")
        results: list[object] = []
        for call in json.load(sys.stdin):
            try:
                score = getattr(metrics, call["metric"])(*call["args"], **call["options"])
                results.append(float(score))
            except Exception as error:
                results.append({"error": f"{type(error).__name__}: {error}"})
    with os.fdopen(answer, "w") as out:
        json.dump(results, out)


main()
