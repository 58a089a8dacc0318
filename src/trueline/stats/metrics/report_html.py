"""The report of `metrics` as HTML for notebooks. Names come from folders, so every cell is escaped."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from trueline.stats.metrics.report_text import as_text, count_rows, domain_rows, rate_rows
from trueline.tables import html_table

if TYPE_CHECKING:
    from trueline.stats.metrics.report import MetricsReport


def as_html(report: MetricsReport) -> str:
    """Return the rates and the counts as tables, and the whole text in a block that can be opened."""
    tables = [rate_rows(report), count_rows(report)]
    if report.by == "domain":
        tables.insert(1, domain_rows(report))
    text = escape(as_text(report, verbose=True))
    details = f"<details><summary>Comparisons, missing trials and methods</summary><pre>{text}</pre></details>"
    return "".join(map(html_table, tables)) + details
