"""`trueline desktop`: a real, isolated desktop to look at, to drive and to serve."""

from __future__ import annotations

import argparse

from trueline.cli.parser import Parser
from trueline.cli.subcommands import Subcommand, configure_all, run_one

_EXAMPLES = """\
examples:
  trueline desktop shot screen.png --app mousepad
  trueline desktop tree --app mousepad --format tsv
  trueline desktop serve --port 5000
"""

SUBCOMMANDS = {
    "start": Subcommand("desktop.start", "Start a desktop and keep it until Ctrl-C.", ("desktop",)),
    "shot": Subcommand("desktop.shot", "Start a desktop, open an application and write a picture of it.", ("desktop",)),
    "tree": Subcommand(
        "desktop.tree", "Start a desktop, open an application and write its accessibility tree.", ("desktop",)
    ),
    # A module named `run` would take the place of the function of that name in this package.
    "run": Subcommand("desktop.run_", "Run a command or action code on a fresh desktop.", ("desktop",)),
    "serve": Subcommand("desktop.serve", "Serve a desktop that speaks OSWorld's protocol.", ("desktop", "serve")),
    "watch": Subcommand("desktop.watch", "Watch a live desktop in the browser."),
    "video": Subcommand("desktop.video", "Make a video from the frames of an interrupted recording."),
    "install-vscode": Subcommand("desktop.install_vscode", "Build the web build of Visual Studio Code for desktops."),
    "bench": Subcommand("desktop.bench", "Measure how fast desktops are on this machine.", ("desktop",)),
}


def configure(parser: Parser) -> None:
    """Declare the subcommands."""
    parser.epilog = _EXAMPLES
    configure_all(parser, SUBCOMMANDS)


def run(args: argparse.Namespace) -> int:
    """Run the subcommand."""
    return run_one(args, SUBCOMMANDS)
