"""`trueline completion`: Tab completion of commands, flags and their values."""

from __future__ import annotations

import argparse

from trueline.cli.parser import Parser

SHELLS = ("bash", "zsh", "fish")
_ABOUT = """\
Print a completion script for your shell.

  bash:  echo 'eval "$(trueline completion bash)"' >> ~/.bashrc
  zsh:   echo 'eval "$(trueline completion zsh)"' >> ~/.zshrc      (after compinit)
  fish:  trueline completion fish > ~/.config/fish/completions/trueline.fish
"""


def configure(parser: Parser) -> None:
    """Declare the arguments."""
    parser.description = _ABOUT
    parser.add_argument("shell", choices=SHELLS, metavar="|".join(SHELLS), help="which shell")


def run(args: argparse.Namespace) -> int:
    """Print the script."""
    from trueline.cli.completion_scripts import SCRIPTS
    from trueline.cli.completion_words import completed_commands

    print(SCRIPTS[args.shell](completed_commands()), end="")
    return 0
