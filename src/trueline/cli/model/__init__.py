"""`trueline model`: ask a language model, list the providers, probe a server."""

from __future__ import annotations

import argparse

from trueline.cli.parser import Parser
from trueline.cli.subcommands import Subcommand, configure_all, run_one

_EXAMPLES = """\
examples:
  trueline model list
  trueline model ask 'openai|gpt-5' "What is on the screen?" --image screen.png
  trueline model ask 'local|my-model' "Is this aligned?" --schema verdict.json --model-url http://localhost:8000/v1
  trueline model probe 'vllm|my-model' --times 5 --load 8
"""


SUBCOMMANDS = {
    "ask": Subcommand("model.ask", "Send one request, to try a key, a server or a schema."),
    "list": Subcommand("model.list_", "List the providers, their variables and whether these are set."),
    "probe": Subcommand(
        "model.probe", "Check whether a server is deterministic at temperature 0, alone and under load."
    ),
}


def configure(parser: Parser) -> None:
    """Declare the subcommands."""
    parser.epilog = _EXAMPLES
    configure_all(parser, SUBCOMMANDS)


def run(args: argparse.Namespace) -> int:
    """Run the subcommand."""
    return run_one(args, SUBCOMMANDS)
