# matplotlib's own types are incomplete.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
"""Figures rendered and saved, the same every time."""

from __future__ import annotations

import io
import os
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING

from trueline.errors import InputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS = (".svg", ".png", ".pdf")


def figure_style() -> AbstractContextManager[None]:
    """Names come from folders: `$` must not start a formula. Text stays text in the SVG, where matplotlib escapes it.

    Both drawing and rendering must happen within it.
    """
    from matplotlib import rc_context

    return rc_context({"svg.fonttype": "none", "text.parse_math": False, "svg.hashsalt": "trueline"})


def render_figure(figure: Figure, form: str, *, dpi: int = 120) -> bytes:
    """Render a figure as `svg`, `png` or `pdf`."""
    out = io.BytesIO()
    with figure_style():
        figure.savefig(out, format=form, metadata={"Date": None} if form == "svg" else None, dpi=dpi)
    return out.getvalue()


def check_figure_path(path: Path) -> None:
    """Refuse a file whose ending names no format.

    Raises:
        InputError: The ending is none of `FORMATS`.
    """
    if path.suffix not in FORMATS:
        raise InputError(f"{path}: a figure is written as {', '.join(FORMATS)}; give the file one of these endings")


def save_figure(figure: Figure, path: Path, *, dpi: int = 120) -> None:
    """Write a figure into a file; its ending names the format.

    Raises:
        InputError: The ending is none of `FORMATS`, or the file cannot be written.
    """
    check_figure_path(path)
    partial = path.with_name(f".{path.name}.{os.getpid()}{path.suffix}")
    try:
        partial.write_bytes(render_figure(figure, path.suffix[1:], dpi=dpi))
        partial.replace(path)
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror})") from error
