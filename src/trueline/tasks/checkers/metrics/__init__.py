"""Metrics by name: OSWorld's, reimplemented, some of ours, and those of installed packages (`trueline.metrics`).

A metric is a function `(result, expected, options) -> CheckResult`. It runs in a process of its own, see `isolated`.
Each file is imported when one of its metrics is called.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from trueline.errors import InputError
from trueline.registry import Registry
from trueline.tasks.checkers.values import CheckResult, Metric, Options, Value
from trueline.text import printable

_MODULES = {
    "exact_match": "text",
    "check_include_exclude": "text",
    "compare_text_file": "text",
    "compare_csv": "text",
    "check_list": "text",
    "check_json": "json_file",
    "compare_docx_files": "documents",
    "compare_table": "table",
    "unchanged_except": "unchanged_except",
    "same_lines": "lines",
    "only_cell_filled": "single_cell",
    "some_file_holds": "search",
    "mail_is": "mail",
}
"""The file of each metric of ours; its function has the metric's name."""


def _adapt(name: str, found: object) -> Metric:
    shown = printable(name, 100)
    if not callable(found):
        raise InputError(f"metric {shown}: must be a function (result, expected, options) -> CheckResult")
    function = cast("Callable[[Value, Value, Options], object]", found)

    def metric(result: Value, expected: Value, options: Options) -> CheckResult:
        checked = function(result, expected, options)
        shown_value = printable(repr(checked), 100)
        if not isinstance(checked, CheckResult) or not 0 <= checked.score <= 1:
            raise TypeError(f"a metric must return a CheckResult with a score from 0 to 1, not {shown_value}")
        return checked

    return metric


METRICS: Registry[Metric] = Registry(
    "metric", "trueline.metrics", {name: f"{__name__}.{module}:{name}" for name, module in _MODULES.items()}, _adapt
)
"""The functions that a task's evaluator may name."""


def is_native(name: str, options: Options) -> bool:
    """Whether there is a metric of this name that takes these options.

    Raises:
        InputError: Two packages use the name, or the package's metric cannot be imported.
    """
    if name == "compare_table" and METRICS.provides(name):
        from trueline.tasks.checkers.metrics.table import supported

        return supported(options)
    return METRICS.provides(name)
