"""`trueline model`: ask a language model, list the providers, probe a server."""

from __future__ import annotations

import argparse

from trueline.cli.model import ask, list_, probe
from trueline.cli.parser import Parser

_EXAMPLES = """\
examples:
  trueline model list
  trueline model ask 'openai|gpt-5' "What is on the screen?" --image screen.png
  trueline model ask 'local|my-model' "Is this aligned?" --schema verdict.json --model-url http://localhost:8000/v1
  trueline model probe 'vllm|my-model' --times 5 --load 8
"""


def configure(parser: Parser) -> None:
    """Declare the subcommands."""
    parser.epilog = _EXAMPLES
    actions = parser.add_subparsers(dest="action", required=True, metavar="ask|list|probe")
    for name, module, about in (
        ("ask", ask, "Send one request: to try a key, a server or a schema."),
        ("list", list_, "Show the providers, the variables they want and whether these are set."),
        ("probe", probe, "Say whether a server is deterministic at temperature 0, alone and under load."),
    ):
        module.configure(actions.add_parser(name, help=about, description=about))


def run(args: argparse.Namespace) -> int:
    """Run the subcommand."""
    return {"ask": ask.run, "list": list_.run, "probe": probe.run}[args.action](args)
