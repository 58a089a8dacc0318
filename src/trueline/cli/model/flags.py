"""Flags and output shared by the subcommands of `trueline model`, and used by other commands."""

from __future__ import annotations

import argparse
import math
import sys

from trueline.cli.parser import Parser
from trueline.text import printable


def add_model_flags(parser: Parser, timeout: float) -> None:
    """Declare which model is asked, and for how long."""
    parser.add_argument("spec", metavar="SPEC", help="provider|model, or a model name that only one provider serves")
    parser.add_argument("--model-provider", metavar="P", help="the provider, if SPEC does not name it")
    parser.add_argument("--model-url", metavar="URL", help="address of the server; overrides the environment's")
    parser.add_argument("--timeout", type=positive, default=timeout, metavar="S",
                        help=f"seconds for an answer, retries included ({timeout:g})")  # fmt: skip
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")


def positive(word: str) -> float:
    """Parse a positive number."""
    value = float(word)
    if not 0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"must be greater than 0, not {word}")
    return value


def count(word: str) -> int:
    """Parse a positive integer."""
    value = int(word)
    if value < 1:
        raise argparse.ArgumentTypeError(f"must be greater than 0, not {word}")
    return value


def safe_lines(text: str) -> str:
    """Return a model's text for a terminal: lines and tabs stay, every other control character is escaped."""
    return "\n".join(
        "\t".join(printable(cell, len(cell) + 1) for cell in line.split("\t")) for line in text.split("\n")
    )


def remark(text: str) -> None:
    """Print a note on stderr."""
    print(printable(text, 1000), file=sys.stderr)


def money(cost: float | None) -> str:
    """Show a cost."""
    return "cost unknown" if cost is None else f"${cost:.6f}".rstrip("0").rstrip(".")
