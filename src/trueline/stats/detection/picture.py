# matplotlib's own types are incomplete.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
"""A picture of the table of detectors."""

from __future__ import annotations

from pathlib import Path

from trueline.errors import MissingExtraError
from trueline.stats.detection.report import DetectionReport
from trueline.stats.detection.report_data import methods
from trueline.stats.detection.report_text import detector_rows
from trueline.stats.figures import check_figure_path, figure_style, save_figure


def draw_table(report: DetectionReport, path: Path) -> None:
    """Draw the table into a file; its ending names the format.

    Raises:
        InputError: The ending names no format, or the file cannot be written.
        MissingExtraError: matplotlib is not installed.
    """
    check_figure_path(path)
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("a picture of the table", "plot") from None
    head, *rows = detector_rows(report)
    with figure_style():
        figure = Figure(figsize=(11.5, 0.9 + 0.34 * len(rows)), layout="constrained")
        axes = figure.subplots()
        axes.set_axis_off()
        axes.set_title(f"{report.trajectories} trajectories, {report.scores.counts.n} labelled steps", fontsize=10)
        widths = [0.24, 0.07, 0.09, *[0.15] * 4]
        table = axes.table(cellText=rows, colLabels=head, colWidths=widths, cellLoc="right", loc="center")
        table.auto_set_font_size(False)
        table.set_fontsize(9)
        table.scale(1, 1.4)
        for (row, column), cell in table.get_celld().items():
            cell.set_linewidth(0.5)
            cell.set_text_props(ha="left" if column == 0 else "right", weight="bold" if row < 2 else "normal")
        figure.supxlabel(f"Percent, with intervals: {methods(report)['intervals']}", fontsize=7)
    save_figure(figure, path, dpi=150)
