# matplotlib's own types are incomplete.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
"""Plots of a report: Pass^k curves with bands, and how successes per task moved between two settings."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from trueline.errors import MissingExtraError
from trueline.stats.comparisons.compare import Comparison
from trueline.stats.figures import figure_style, render_figure, save_figure
from trueline.stats.metrics.report import MetricsReport
from trueline.stats.pass_rates.summary import count
from trueline.text import printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Okabe and Ito's, told apart by people who do not see all colours."""


@dataclass(frozen=True)
class Plot:
    """A plot of a report. A notebook shows it as SVG."""

    figure: Figure

    def save(self, path: str | Path) -> None:
        """Write the plot into a file; the ending names the format: `.svg`, `.png` or `.pdf`.

        Raises:
            InputError: The ending is another one, or the file cannot be written.
        """
        save_figure(self.figure, Path(path))

    def _repr_svg_(self) -> str:
        return render_figure(self.figure, "svg").decode()


def plot_report(report: MetricsReport) -> Plot:
    """Plot a report.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("a plot", "plot") from None
    panels = 1 + len(report.comparisons)
    with figure_style():
        figure = Figure(figsize=(4.8 * panels, 4.2), layout="constrained")
        first, *others = figure.subplots(1, panels, squeeze=False)[0]
        _curves(first, report)
        for axes, comparison in zip(others, report.comparisons, strict=True):
            _transitions(axes, comparison, report)
    return Plot(figure)


def _curves(axes: Axes, report: MetricsReport) -> None:
    for number, summary in enumerate(report.summaries):
        rates = summary.rates
        if not rates.pass_hat:
            continue
        ks = list(rates.pass_hat)
        colour = _COLOURS[number % len(_COLOURS)]
        label = f"{printable(summary.table.name, 40)} (n = {rates.n_counted})"
        axes.plot(ks, [100 * rates.pass_hat[k] for k in ks], marker="o", color=colour, label=label)
        if all(k in rates.ci for k in ks):
            low, high = [100 * rates.ci[k].low for k in ks], [100 * rates.ci[k].high for k in ks]
            if len(ks) > 1:
                axes.fill_between(ks, low, high, color=colour, alpha=0.15, linewidth=0)
            else:
                axes.vlines(ks, low, high, color=colour)
    axes.set(xlabel="k", ylabel="Pass^k (%)", ylim=(0, 100), title="All of k runs succeed")
    axes.set_xticks(range(1, max(summary.table.n_runs for summary in report.summaries) + 1))
    axes.grid(axis="y", alpha=0.3)
    if any(summary.rates.pass_hat for summary in report.summaries):
        axes.legend(fontsize="small", loc="upper right")


def _transitions(axes: Axes, comparison: Comparison, report: MetricsReport) -> None:
    """A grid of tasks by successes before and after; the diagonal did not change."""
    before, after = count(comparison.base, report.options), count(comparison.new, report.options)
    both = before.counted & after.counted
    grid = np.zeros((after.n_runs + 1, before.n_runs + 1), np.int64)
    np.add.at(grid, (after.successes[both], before.successes[both]), 1)
    axes.imshow(grid, origin="lower", cmap="Blues", aspect="auto")
    dark = grid.max() / 2
    for (row, column), tasks in np.ndenumerate(grid):
        axes.text(column, row, str(tasks), ha="center", va="center", color="white" if tasks > dark else "black")
    axes.set(
        xlabel=f"successes in {printable(comparison.base.name, 40)}",
        ylabel=f"successes in {printable(comparison.new.name, 40)}",
        title=f"Tasks by successes (n = {comparison.n_pairs})",
    )
    axes.set_xticks(range(before.n_runs + 1))
    axes.set_yticks(range(after.n_runs + 1))
