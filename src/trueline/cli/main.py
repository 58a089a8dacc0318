"""Entry point."""

from __future__ import annotations


def main(argv: list[str] | None = None) -> int:
    """Run the program."""
    return 0
