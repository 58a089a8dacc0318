"""Flags shared by the subcommands of `trueline model`."""

from __future__ import annotations

from trueline.cli.flag_values import positive
from trueline.cli.parser import Parser


def add_model_flags(parser: Parser, timeout: float) -> None:
    """Declare which model is asked, and for how long."""
    parser.add_argument("spec", metavar="SPEC", help="provider|model, or a model name that only one provider serves")
    parser.add_argument("--model-provider", metavar="P", help="the provider, if SPEC does not name it")
    parser.add_argument("--model-url", metavar="URL", help="address of the server; overrides the environment's")
    parser.add_argument("--timeout", type=positive, default=timeout, metavar="S",
                        help=f"seconds for an answer, retries included ({timeout:g})")  # fmt: skip
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
