"""`trueline guard proxy`: put the guard between an agent and a machine that speaks OSWorld's protocol."""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from trueline.cli.flag_values import positive
from trueline.cli.guard_flags import add_guard_flag, add_guard_options, guard_request
from trueline.cli.output import print_note
from trueline.cli.parser import Parser
from trueline.errors import InputError

if TYPE_CHECKING:
    from trueline.guard.proxy import ProxyJournal, ProxySettings
    from trueline.guard.session import TellsSteps
    from trueline.serving import Listener

TOKEN_VARIABLE = "TRUELINE_PROXY_TOKEN"  # noqa: S105 (the name of a variable)
UPSTREAM_VARIABLE = "TRUELINE_DESKTOP_TOKEN"

_SEES = ("screenshot_a11y_tree", "screenshot", "a11y_tree")
_EXAMPLES = f"""\
examples:
  trueline guard proxy --upstream 10.0.0.5:5000 --instruction "Rename report.txt to final.txt" --no-token
  trueline guard proxy --upstream 127.0.0.1:5000        and each task begins with POST /trueline/session
  curl -H "Authorization: Bearer $TOKEN" -d '{{"instruction": "Rename report.txt"}}' \\
       http://127.0.0.1:5001/trueline/session
  {UPSTREAM_VARIABLE}=… trueline guard proxy --upstream 127.0.0.1:5000      the token that the machine asks for

The agent talks to this address instead of the machine's. The first line on stdout says where it listens and its token,
once it accepts connections: `url: http://127.0.0.1:5001 token: …`. SIGINT and SIGTERM end it with exit code 0.
"""


def configure(parser: Parser) -> None:
    """Declare the flags."""
    parser.epilog = _EXAMPLES
    parser.add_argument("--upstream", required=True, metavar="HOST[:PORT]", help="address of the machine (port 5000)")
    parser.add_argument("--instruction", metavar="TEXT", help="what the user wants; starts a session at once")
    parser.add_argument("--domain", metavar="D", help="domain of the task, for rules limited to one domain")
    parser.add_argument("--setup-first", action="store_true",
                        help="start the session at the agent's first action; let set-up pass before it")  # fmt: skip
    parser.add_argument("--without-session", choices=["refuse", "pass"], default="refuse",
                        help="what to do with actions while there is no session (refuse)")  # fmt: skip
    parser.add_argument("--side-doors", choices=["closed", "guarded"], default="closed",
                        help="refuse or judge code to /run_python, /run_bash_script and /setup (closed)")  # fmt: skip
    parser.add_argument("--observation-type", choices=_SEES, default=_SEES[0],
                        help=f"what the guard looks at; an unseen screen blocks the action ({_SEES[0]})")  # fmt: skip
    parser.add_argument("--check-timeout", type=positive, default=45, metavar="S",
                        help="seconds after which a check is undecided (45; OSWorld's client waits 90)")  # fmt: skip
    parser.add_argument("--result-dir", type=Path, metavar="DIR", help="append the verdicts to guard_proxy.jsonl there")
    parser.add_argument("--host", default="127.0.0.1", metavar="H", help="address to listen on (127.0.0.1)")
    parser.add_argument("--port", type=int, default=5001, metavar="N", help="port; 0 takes a free one (5001)")
    parser.add_argument("--no-token", action="store_true",
                        help=f"require no token on OSWorld's paths; sessions still require ${TOKEN_VARIABLE}, "
                        "or a random one if it is not set")  # fmt: skip
    add_guard_flag(parser)
    add_guard_options(parser)
    parser.add_argument("--json", action="store_true", help="print the first line as JSON")


def run(args: argparse.Namespace) -> int:
    """Serve until a signal."""
    from trueline.desktop.osworld import parse_address
    from trueline.guard.proxy import ProxyJournal
    from trueline.serving import Listener, Tokens, new_token

    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s")
    if args.setup_first and args.instruction is None:
        raise InputError("--setup_first requires --instruction")
    if args.instruction is not None and not args.instruction.strip():
        raise InputError("--instruction: must not be empty")
    parse_address(args.upstream)
    given = os.environ.get(TOKEN_VARIABLE)
    token = given or new_token()
    Tokens([token])
    journal = None if args.result_dir is None else ProxyJournal(args.result_dir)
    listener = Listener.open(args.host, args.port)
    try:
        asyncio.run(_serve(args, listener, token, "(as given)" if given else token, journal))
    finally:
        listener.socket.close()
    return 0


async def _serve(
    args: argparse.Namespace, listener: Listener, token: str, shown: str, journal: ProxyJournal | None
) -> None:
    from trueline.desktop.osworld import parse_address
    from trueline.guard.proxy import Gate, serve_proxy
    from trueline.guard.registry import open_guard

    async with open_guard(guard_request(args)) as opened:
        upstream_token = os.environ.get(UPSTREAM_VARIABLE)
        gate = Gate(
            parse_address(args.upstream), upstream_token, opened.guard, _settings(args, opened.narrator), journal
        )
        try:
            if args.setup_first:
                gate.begin_later(args.instruction, args.domain)
            elif args.instruction is not None:
                await gate.begin(args.instruction, args.domain)
            _warn(args, listener)
            ready = lambda: _announce(args, listener, shown)  # noqa: E731
            await serve_proxy(listener, gate, token, open_protocol=args.no_token, ready=ready)
        finally:
            await gate.close()


def _settings(args: argparse.Namespace, narrator: TellsSteps | None) -> ProxySettings:
    from trueline.guard.proxy import ProxySettings
    from trueline.records.observation import ObservationSpec

    return ProxySettings(
        on_error=args.guard_on_error,
        side_doors=args.side_doors,
        without_session=args.without_session,
        sees=ObservationSpec(screenshot=args.observation_type != "a11y_tree", tree="tree" in args.observation_type),
        narrator=narrator,
        check_seconds=args.check_timeout,
    )


def _announce(args: argparse.Namespace, listener: Listener, token: str) -> None:
    if args.json:
        import orjson

        known = None if token == "(as given)" else token  # noqa: S105 (what is shown instead)
        print(orjson.dumps({"url": listener.url, "token": known}).decode(), flush=True)
    else:
        print(f"url: {listener.url} token: {token}", flush=True)


def _warn(args: argparse.Namespace, listener: Listener) -> None:
    if args.guard_on_error == "allow":
        print_note("warning: --guard_on_error allow lets undecided actions run")
    if args.without_session == "pass":
        print_note("warning: --without_session pass lets everything run while there is no session")
    if not listener.loopback:
        print_note(f"warning: {args.host} is reachable from other machines, unencrypted: put a TLS proxy in front")
