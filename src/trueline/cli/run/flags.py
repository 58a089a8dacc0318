"""The flags of `trueline run`: the seeds' names, then ours."""

from __future__ import annotations

import argparse
from pathlib import Path

from trueline.cli.guard_live import add_live_flags
from trueline.cli.model.flags import count, positive
from trueline.cli.parser import Parser, whole_number
from trueline.cli.run.like import LATER, LIKE

OBSERVATIONS = ("screenshot", "a11y_tree", "screenshot_a11y_tree", "som")
_SIMULATED = "oracle, noop, fail, comply, hijacked, persona, replay:DIR"
SPACES = ("pyautogui", "computer_13")
LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")


def add_flags(parser: Parser) -> None:
    """Declare everything but the selection of tasks."""
    _seeds(parser.add_argument_group("as in OSWorld, OS-Harm and the reliability study"))
    _ours(parser.add_argument_group("ours"))
    _guard(parser)


def _seeds(group: argparse._ArgumentGroup) -> None:  # pyright: ignore[reportPrivateUsage]: argparse names no other
    add = group.add_argument
    add("--provider-name", default="local", metavar="P", help="local (a desktop of this machine) or osworld (local)")
    add("--path-to-vm", metavar="HOST:PORT", help="with --provider_name osworld: the machine that speaks its protocol")
    add("--headless", action="store_true", help="accepted; desktops are never shown (see trueline desktop watch)")
    add("--action-space", choices=SPACES, help="pyautogui or computer_13")
    add("--observation-type", choices=OBSERVATIONS, help="what the agent sees")
    add("--screen-width", type=count, default=1920, metavar="N")
    add("--screen-height", type=count, default=1080, metavar="N")
    add("--sleep-after-execution", type=_seconds, metavar="S", help="a rest after each action, on top of settling")
    add("--max-steps", type=count, metavar="N", help="of one episode")
    add("--max-trajectory-length", type=whole_number, metavar="N", help="earlier steps that the model is shown")
    add("--a11y-tree-max-tokens", type=count, metavar="N")
    add("--model", metavar="SPEC", help="provider|model of the agent, or a bare name")
    add("--model-provider", metavar="P", help="the provider, if the model's name does not hold it")
    add("--model-url", metavar="URL", help="the server's address, over the environment's")
    add("--temperature", "--model-temperature", type=_seconds, metavar="X")
    add("--top-p", type=positive, metavar="X")
    add("--max-tokens", type=count, metavar="N", help="of one answer")
    add("--client-password", default="password", metavar="W", help="of the account on the desktop (password)")
    add("--result-dir", type=Path, metavar="DIR", help="where results go (./results)")
    add("--num-envs", type=count, default=1, metavar="N", help="desktops at the same time (1)")
    add(
        "--log-level",
        type=str.upper,
        choices=LEVELS,
        metavar="L",
        help=f"how much Trueline logs on stderr: {', '.join(LEVELS)}",
    )
    add("--jailbreak", action="store_true", help="wrap the instruction so that the model is pressed to comply")
    add("--inject", action="store_true", help="run each task with each of its injections")
    add("--only-injection", nargs="+", default=[], metavar="GLOB", help="with --inject: only these, as vector/goal")
    add("--judge-model", metavar="M", help="judge the episodes afterwards with this model")
    add("--judge-type", default="aer", metavar="T", help="see trueline judge (aer)")
    add("--sys-prompt-version", default="v3", metavar="V", help="of the judge (v3)")
    add("--perturbations", metavar="SET", help="how the desktop looks otherwise: 1, 2 or another named set")
    add("--method", choices=["binary_retry", "clarify_upon_retry"], help="try again after a failure")
    add("--max-retries", type=count, metavar="N")
    add("--max-total-steps", type=count, metavar="N", help="of all tries together")
    add("--user-sim-model", metavar="SPEC", help="plays the user for clarify_upon_retry")
    for name, about in LATER.items():
        group.add_argument(f"--{name.replace('_', '-')}", nargs="?", const="", help=argparse.SUPPRESS, dest=name)
        assert about


def _ours(group: argparse._ArgumentGroup) -> None:  # pyright: ignore[reportPrivateUsage]: argparse names no other
    add = group.add_argument
    add("--like", choices=sorted(LIKE), help="the defaults of that system (osworld)")
    add("--agent", metavar="A", help=f"prompt, claude, openai, pkg:Class, or simulated: {_SIMULATED} (prompt)")
    add("--agent-option", nargs="+", default=[], metavar="NAME=VALUE", help="what this kind of agent takes besides")
    add("--instruction", choices=["original", "clarified"], default="original", help="wording, where a task has both")
    add("--repeats", type=count, metavar="N", help="run everything N times, into run1 … runN")
    add("--paired-seeds", action="store_true", help="the same random choices for every setting")
    add("--timeout", type=positive, metavar="S", help="seconds for the steps of one episode")
    add("--max-cost", type=positive, metavar="USD", help="stop when so much is spent")
    add("--max-episode-cost", type=positive, metavar="USD", help="of one episode")
    add("--prices", type=Path, nargs="+", default=[], metavar="FILE", help="what models cost, over our own table")
    add("--max-episode-tokens", type=count, metavar="N", help="of one episode")
    add("--store", choices=["all", "redacted", "none"], default="all", help="what of screens and typed text is kept")
    add("--record", action="store_true", help="a video of each episode")
    add("--offline", action="store_true", help="fetch no file of a task; use only what was fetched before")
    add("--dry-run", action="store_true", help="say what would be run, and end")
    add("--reproduce", type=Path, metavar="MANIFEST", help="run again what it says, into another --result_dir")
    add("--progress", choices=["auto", "rich", "plain", "json", "none"], default="auto", help="on stderr (auto)")
    add("--json", action="store_true", help="one JSON document on stdout at the end")


def _guard(parser: Parser) -> None:
    parser.add_argument("--guard", default="none", metavar="G", help="none, policy, deaction or pkg:Class (none)")
    parser.add_argument("--guard-max-revisions", type=whole_number, default=2, metavar="N",
                        help="how often the agent may revise a rejected step (2)")  # fmt: skip
    parser.add_argument("--guard-exhausted", choices=["skip", "fail", "stop", "ask"], default="stop",
                        help="what happens when no revision is let through (stop)")  # fmt: skip
    parser.add_argument("--guard-shadow", action="store_true", help="only watch: whatever the verdict, it runs")
    add_live_flags(parser)


def _seconds(word: str) -> float:
    value = float(word)
    if not 0 <= value < 3600:
        raise argparse.ArgumentTypeError(f"{word} is not from 0 to 3600")
    return value
