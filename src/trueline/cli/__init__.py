"""The `trueline` program: one file per command, thin: parse, call, print."""

from trueline.cli.main import main

__all__ = ["main"]
