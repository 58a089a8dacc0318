"""OSWorld's metrics, written anew, and some of ours. Each file is imported when one of its metrics is called."""

from __future__ import annotations

import importlib
from typing import cast

from trueline.tasks.checkers.values import Metric, Options

_PLACES = {
    "exact_match": "text",
    "check_include_exclude": "text",
    "compare_text_file": "text",
    "compare_csv": "text",
    "check_list": "text",
    "check_json": "json_file",
    "compare_docx_files": "documents",
    "compare_table": "table",
    "unchanged_except": "home",
    "same_lines": "lines",
    "only_cell_filled": "filled",
    "some_file_holds": "search",
    "mail_is": "mail",
}
METRICS = frozenset(_PLACES)
"""The functions a task may name that Trueline computes itself."""


def find_metric(name: str) -> Metric:
    """The function of that name, which is one of `METRICS`."""
    module = importlib.import_module(f"trueline.tasks.checkers.metrics.{_PLACES[name]}")
    return cast("Metric", getattr(module, name))


def is_native(name: str, options: Options) -> bool:
    """Whether Trueline computes this function with these options."""
    if name == "compare_table":
        from trueline.tasks.checkers.metrics.table import supported

        return supported(options)
    return name in METRICS
