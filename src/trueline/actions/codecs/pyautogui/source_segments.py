"""The text of a syntax node, in time proportional to that text."""

from __future__ import annotations

import ast
import re

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")


class Segments:
    """A source, cut into lines as Python's parser cuts it. Columns of the parser count bytes."""

    def __init__(self, source: str) -> None:
        self._lines = [line.encode("utf-8", "surrogatepass") for line in _LINE.findall(source)]

    def text(self, node: ast.stmt | ast.expr) -> str:
        """Return the source text of a node."""
        first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
        lines = self._lines[first : last + 1]
        # The end is cut first: both cuts may fall on the same line.
        lines[-1] = lines[-1][: node.end_col_offset]
        lines[0] = lines[0][node.col_offset :]
        return b"".join(lines).decode("utf-8", "replace")
