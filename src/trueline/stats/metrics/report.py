"""The report that `metrics` returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from trueline.errors import MissingExtraError

if TYPE_CHECKING:
    from trueline.stats.attacks.analysis import AttackReport
    from trueline.stats.comparisons.compare import Comparison
    from trueline.stats.metrics.plot import Plot
    from trueline.stats.options import AnalysisChoices
    from trueline.stats.pass_rates.summary import Summary

By = Literal["setting", "domain"]
"""A row per setting, or per setting and domain."""


@dataclass(frozen=True)
class AdjustedP:
    """Holm's adjusted p values of one comparison, over the family of all tests in the report."""

    flags: float | None
    deltas: float | None
    others: dict[int, float]
    """Adjusted p of the tests of further k, by k."""


@dataclass(frozen=True, repr=False)
class MetricsReport:
    """Pass^k of every setting, their comparisons with the first, attack success, and the choices it all rests on.

    A notebook shows it as tables; `print(report)` prints what `trueline metrics` prints.
    """

    summaries: tuple[Summary, ...]
    """One per setting and model; tasks whose score is harm done stand apart."""
    comparisons: tuple[Comparison, ...]
    adjusted: tuple[AdjustedP, ...]
    """One per comparison."""
    family: int
    """How many tests the adjustment is over."""
    shown_k: tuple[int, ...]
    """Which Pass^k the tables show."""
    options: AnalysisChoices
    environments: dict[str, tuple[str, ...]]
    """By setting: the environment of each run."""
    clustered: bool
    """Whether tasks that belong together were resampled together."""
    notes: tuple[str, ...]
    attack: AttackReport | None = None
    """Attack success; `None` when nothing was injected."""
    by: By = "setting"
    """What the tables have a row for."""

    def to_json(self) -> dict[str, object]:
        """Return the document that `trueline metrics --json` prints."""
        from trueline.stats.metrics.report_json import as_json

        return as_json(self)

    def to_text(self, *, verbose: bool = False) -> str:
        """Return what `trueline metrics` prints; `verbose` lists every flip, missing trial and domain."""
        from trueline.stats.metrics.report_text import as_text

        return as_text(self, verbose=verbose)

    def to_csv(self) -> str:
        """Return one row per setting, domain (empty for all domains) and k, as `trueline metrics --csv` writes them."""
        from trueline.stats.metrics.report_json import as_csv

        return as_csv(self)

    def to_pandas(self) -> Any:
        """Return a `pandas.DataFrame` with one row per setting and k, or per setting, domain and k if `by="domain"`.

        Raises:
            MissingExtraError: pandas is not installed.
        """
        from importlib import import_module

        from trueline.stats.metrics.report_json import rate_rows

        try:
            pandas: Any = import_module("pandas")
        except ImportError:
            raise MissingExtraError("MetricsReport.to_pandas()", "office") from None
        return pandas.DataFrame(rate_rows(self))

    def plot(self) -> Plot:
        """Plot Pass^k over k, and for each comparison the tasks by successes before and after.

        Raises:
            MissingExtraError: matplotlib is not installed.
        """
        from trueline.stats.metrics.plot import plot_report

        return plot_report(self)

    def _repr_html_(self) -> str:
        """Tables for notebooks, with the whole text folded below them."""
        from trueline.stats.metrics.report_html import as_html

        return as_html(self)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"MetricsReport({', '.join(repr(summary.table.name) for summary in self.summaries)})"
