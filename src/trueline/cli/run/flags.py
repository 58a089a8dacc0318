"""The flags of `trueline run`, in the groups that its help shows."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path

from trueline.cli.flag_values import count, positive
from trueline.cli.guard_flags import add_guard_options
from trueline.cli.parser import FlagGroup, Parser, whole_number
from trueline.cli.tasks.selection import (
    ABOUT_CHECKERS,
    CHECKERS,
    add_mirror_flag,
    add_network_flag,
    add_selection_flags,
)

OBSERVATIONS = ("screenshot", "a11y_tree", "screenshot_a11y_tree", "som")
_SIMULATED = "oracle, noop, fail, comply, hijacked, persona, replay:DIR"
SPACES = ("pyautogui", "computer_13")
LIKE = ("osharm", "osworld", "reliability")
LATER: Mapping[str, str] = {
    "enable_plan": "plans",
    "plan_cache_dir": "plans",
    "enable_plan_feedback": "plan feedback",
    "plan_feedback_file": "plan feedback",
    "ground_provider": "grounding models",
    "ground_url": "grounding models",
    "ground_model": "grounding models",
    "grounding_width": "grounding models",
    "grounding_height": "grounding models",
    "thinking": "Kimi's thinking mode",
    "enable_proxy": "proxies",
    "region": "clouds and their regions",
}
"""Flags of OSWorld and its kin that are not supported yet, and what they are for."""
LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")


def add_flags(parser: Parser) -> None:
    """Declare all flags, in groups; each group's order is the one that `--help` shows."""
    common = parser.common_group("common")
    add_selection_flags(parser, title="tasks", common=common)
    _common(common)
    _agent(parser.add_argument_group("agent and model"))
    _attack(parser.add_argument_group("attack"))
    _guard(parser.add_argument_group("guard"))
    _judge(parser.add_argument_group("judge"))
    advanced = parser.add_argument_group("advanced")
    _limits(advanced)
    _desktop(advanced)
    _retries(advanced)
    _records(advanced)


def _common(group: FlagGroup) -> None:
    add = group.add_argument
    add("--agent", metavar="A",
        help=f"prompt, claude, openai, MODULE:CLASS, FILE.py:CLASS, or simulated: {_SIMULATED} (prompt)")  # fmt: skip
    add("--model", metavar="SPEC", help="provider|model of the agent, or a bare name")
    add("--repeats", type=count, metavar="N", help="run everything N times, into run1 … runN")
    add("--num-envs", type=count, default=1, metavar="N", help="desktops at the same time (1)")
    add("--observation-type", choices=OBSERVATIONS, help="what the agent sees (a11y_tree)")
    add("--max-steps", type=count, metavar="N", help="maximum steps per episode (15)")
    add("--max-cost", type=positive, metavar="USD", help="stop once this much is spent")
    add("--result-dir", type=Path, metavar="DIR", help="where results go (./results)")
    add("--dry-run", action="store_true", help="print what would run and what it would cost, roughly, then exit")
    add("--json", action="store_true", help="print one JSON document on stdout at the end")


def _agent(group: FlagGroup) -> None:
    add = group.add_argument
    add("--agent-option", nargs="+", default=[], metavar="NAME=VALUE", help="options of this kind of agent")
    add("--action-space", choices=SPACES, help="how the model writes actions (pyautogui)")
    add("--instruction", choices=["original", "clarified"], default="original",
        help="wording of the instruction, where a task has both (original)")  # fmt: skip
    add("--max-trajectory-length", type=whole_number, metavar="N", help="earlier steps to show the model (3)")
    add("--a11y-tree-max-tokens", type=count, metavar="N", help="cut the accessibility tree off after N tokens (10000)")
    add("--model-provider", metavar="P", help="the provider, if --model does not name it")
    add("--model-url", metavar="URL", help="address of the model's server (from the environment)")
    add(
        "--temperature",
        "--model-temperature",
        type=_seconds,
        metavar="X",
        help="sampling temperature of the agent (1.0)",
    )
    add("--top-p", type=positive, metavar="X", help="nucleus sampling of the agent (0.9)")
    add("--max-tokens", type=count, metavar="N", help="maximum tokens per answer (1500)")
    add(
        "--stop-token", nargs="+", default=[], type=_not_empty, metavar="TEXT", help="stop sequences that end an answer"
    )
    for name in LATER:
        group.add_argument(f"--{name.replace('_', '-')}", nargs="?", const="", help=argparse.SUPPRESS, dest=name)


def _attack(group: FlagGroup) -> None:
    add = group.add_argument
    add("--inject", action="store_true", help="run each task with each of its injections")
    add("--only-injection", nargs="+", default=[], metavar="GLOB",
        help="with --inject: only these injections, as vector/goal")  # fmt: skip
    add("--twins", action="store_true",
        help="with --inject: also each injection's three harmless twins, of equal place and length")  # fmt: skip
    add("--attack-text", choices=["own", "task"], default="own",
        help="whose words injections have: our own, or those that the task file brings (own)")  # fmt: skip
    add("--allow-live-targets", action="store_true",
        help="with --attack_text task on a machine that is not ours: its texts may name hosts that exist")  # fmt: skip
    add("--jailbreak", action="store_true", help="wrap the instruction in a jailbreak prompt")
    add("--sites", metavar="SITE=URL,...",
        help="RTC-Bench: its own sites (forum, share, chat) instead of our stand-ins")  # fmt: skip
    add("--end-to-end", action="store_true",
        help="RTC-Bench: let the agent find the injected page; otherwise it starts there")  # fmt: skip


def _guard(group: FlagGroup) -> None:
    add = group.add_argument
    add("--guard", default="none", metavar="NAME",
        help="none, policy, deaction, another installed guard, MODULE:CLASS or FILE.py:CLASS (none)")  # fmt: skip
    add("--guard-max-revisions", type=whole_number, default=2, metavar="N",
        help="how often the agent may revise a rejected step (2)")  # fmt: skip
    add("--guard-exhausted", choices=["skip", "fail", "stop", "ask"], default="stop",
        help="what to do when no revisions are left (stop)")  # fmt: skip
    add("--guard-shadow", action="store_true", help="only watch: every action runs, whatever the verdict")
    add_guard_options(group)


def _judge(group: FlagGroup) -> None:
    add = group.add_argument
    add("--judge-model", metavar="M", help="judge the episodes afterwards with this model")
    add("--judge-type", default="aer", metavar="T", help="type of judge, see trueline judge --help (aer)")
    add("--sys-prompt-version", default="v3", metavar="V", help="version of the judge's prompt (v3)")


def _limits(group: FlagGroup) -> None:
    add = group.add_argument
    add("--like", choices=LIKE, help="use the defaults of this system (osworld)")
    add("--paired-seeds", action="store_true", help="make the same random choices for every setting")
    add("--timeout", type=positive, metavar="S", help="time limit of one episode in seconds")
    add("--max-episode-cost", type=positive, metavar="USD", help="cost limit of one episode")
    add("--max-episode-tokens", type=count, metavar="N", help="token limit of one episode")
    add(
        "--prices",
        type=Path,
        nargs="+",
        default=[],
        metavar="FILE",
        help="price tables that override the built-in one",
    )


def _desktop(group: FlagGroup) -> None:
    add = group.add_argument
    add(
        "--provider-name",
        default="local",
        metavar="P",
        help="local, or osworld (a machine with its server) (local)",
    )
    add("--path-to-vm", metavar="HOST:PORT", help="with --provider_name osworld: address of its server")
    add("--headless", action="store_true", help="accepted; desktops are never shown (see trueline desktop watch)")
    add("--screen-width", type=count, default=1920, metavar="N", help="width of the screen in pixels (1920)")
    add("--screen-height", type=count, default=1080, metavar="N", help="height of the screen in pixels (1080)")
    add("--client-password", default="password", metavar="W", help="password of the desktop's account (password)")
    add_network_flag(group)
    add("--perturbations", metavar="SET", help="change how the desktop looks: 1, 2 or another named set")
    add(
        "--sleep-after-execution",
        type=_seconds,
        metavar="S",
        help="extra seconds to wait after each action",
    )
    add_mirror_flag(group)
    add("--checkers", choices=CHECKERS, help=ABOUT_CHECKERS)
    add("--offline", action="store_true", help="download no task files; use only those downloaded before")


def _retries(group: FlagGroup) -> None:
    add = group.add_argument
    add("--method", choices=["binary_retry", "clarify_upon_retry"], help="how to retry failed episodes")
    add("--max-retries", type=count, metavar="N", help="maximum retries per episode (5)")
    add("--max-total-steps", type=count, metavar="N", help="maximum steps of all tries together")
    add("--user-sim-model", metavar="SPEC", help="provider|model that plays the user for clarify_upon_retry")


def _records(group: FlagGroup) -> None:
    add = group.add_argument
    add("--store", choices=["all", "redacted", "none"], default="all",
        help="which screenshots and typed texts are kept (all)")  # fmt: skip
    add(
        "--record",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="record a video of each episode (by default only with --like osharm)",
    )
    add("--rerun", nargs="+", default=[], metavar="GLOB",
        help="run these episodes again, by <domain>/<task folder>; the old ones are kept below .attempts")  # fmt: skip
    add("--config", type=Path, metavar="FILE", help="a request in YAML; flags override it")
    add("--save-config", type=Path, metavar="FILE", help="write the request that these flags make as YAML")
    add("--reproduce", type=Path, metavar="FILE",
        help="repeat the run of a manifest, in another --result_dir, or of a request file")  # fmt: skip
    add(
        "--progress",
        choices=["auto", "rich", "plain", "json", "none"],
        default="auto",
        help="progress on stderr (auto)",
    )
    add("--log-level", type=str.upper, choices=LEVELS, metavar="L",
        help=f"lowest level to log on stderr: {', '.join(LEVELS)}")  # fmt: skip


def _not_empty(word: str) -> str:
    if not word:
        raise argparse.ArgumentTypeError("must not be empty")
    return word


def _seconds(word: str) -> float:
    value = float(word)
    if not 0 <= value < 3600:
        raise argparse.ArgumentTypeError(f"must be from 0 to 3600, not {word}")
    return value
