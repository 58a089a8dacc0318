"""`trueline guard serve`: serve the guard over HTTP."""

from __future__ import annotations

import argparse
import asyncio
import logging
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from trueline.cli.flag_values import count, positive
from trueline.cli.guard_flags import add_guard_flag, add_guard_options, guard_request
from trueline.cli.output import print_note
from trueline.cli.parser import Parser
from trueline.errors import InputError

if TYPE_CHECKING:
    from trueline.guard.serve import GuardServeSettings
    from trueline.serving import Listener

_EXAMPLES = """\
examples:
  trueline guard serve                                        policy stage only, no key needed
  trueline guard serve --fast_check_model 'openai|gpt-5-mini' --systematic_analysis_model 'openai|gpt-5'
  curl -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
       -d '{"instruction": "Rename report.txt to final.txt"}' http://127.0.0.1:8787/v1/sessions

The first line on stdout is the token, the second the address; /openapi.json describes the rest. On SIGINT or
SIGTERM the requests in progress are finished, and the exit code is 0.
"""


def configure(parser: Parser) -> None:
    """Declare the flags."""
    parser.epilog = _EXAMPLES
    parser.add_argument("--host", default="127.0.0.1", metavar="H", help="address to listen on (127.0.0.1)")
    parser.add_argument("--port", type=int, default=8787, metavar="N", help="port; 0 takes a free one (8787)")
    token = parser.add_mutually_exclusive_group()
    token.add_argument(
        "--token", metavar="T", help="the token to require (a random one); other users can see it with ps"
    )
    token.add_argument("--token-file", type=Path, metavar="F",
                       help="file of tokens, one per line; each token sees only its own sessions")  # fmt: skip
    add_guard_flag(parser)
    add_guard_options(parser)
    parser.add_argument("--max-body", type=count, default=16, metavar="MB", help="megabytes of one request (16)")
    parser.add_argument("--rate", type=positive, default=600, metavar="N", help="requests per minute and token (600)")
    parser.add_argument("--max-in-flight", type=count, default=64, metavar="N", help="requests at the same time (64)")
    parser.add_argument("--max-sessions", type=count, default=64, metavar="N", help="open sessions per token (64)")
    parser.add_argument("--session-ttl", type=positive, default=3600, metavar="S",
                        help="seconds after which an unused session ends (3600)")  # fmt: skip
    parser.add_argument("--check-timeout", type=positive, default=180, metavar="S",
                        help="seconds after which a check is undecided (180)")  # fmt: skip
    parser.add_argument("--only-reported", action="store_true",
                        help="count only reported actions as executed (all allowed actions)")  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print token and address as one line of JSON")


def run(args: argparse.Namespace) -> int:
    """Serve until a signal."""
    from trueline.serving import Listener

    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s")
    tokens = _tokens(args)
    listener = Listener.open(args.host, args.port)
    try:
        asyncio.run(_serve(args, listener, tokens))
    finally:
        listener.socket.close()
    return 0


async def _serve(args: argparse.Namespace, listener: Listener, given: list[str]) -> None:
    from trueline.guard.registry import open_guard
    from trueline.guard.serve import GuardServeSettings, serve
    from trueline.serving import new_token

    async with open_guard(guard_request(args)) as opened:
        settings = GuardServeSettings(
            on_error=args.guard_on_error,
            assume_executed=not args.only_reported,
            narrator=opened.narrator,
            max_body=args.max_body * 1024 * 1024,
            check_seconds=args.check_timeout,
            rate=args.rate,
            max_in_flight=args.max_in_flight,
            max_sessions=args.max_sessions,
            session_seconds=args.session_ttl,
        )
        tokens = given or [new_token()]
        _announce(args, listener, None if given else tokens[0], settings)
        await serve(listener, opened.guard, tokens, settings)


def _announce(args: argparse.Namespace, listener: Listener, token: str | None, settings: GuardServeSettings) -> None:
    if not listener.loopback:
        print_note(
            f"warning: {args.host} is reachable from other machines; the token and the screens go over the network "
            "unencrypted, so put a TLS proxy in front"
        )
    if settings.on_error == "allow":
        print_note("warning: --guard_on_error allow lets undecided actions run")
    if args.json:
        import orjson

        print(orjson.dumps({"token": token, "url": listener.url}).decode(), flush=True)
    else:
        print(f"token: {token or '(as given)'}\nurl: {listener.url}", flush=True)


def _tokens(args: argparse.Namespace) -> list[str]:
    """Return the tokens that the flags give; they are checked before anything is opened."""
    from trueline.serving import Tokens

    tokens: list[str] = [args.token] if args.token is not None else []
    if args.token_file is not None:
        try:
            lines = args.token_file.read_text("utf-8").splitlines()
            mode = args.token_file.stat().st_mode
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"--token-file {args.token_file}: cannot be read ({error})") from None
        if mode & 0o077:
            print_note(f"warning: {args.token_file} can be read by others; chmod 600 it")
        tokens = [line.strip() for line in lines if line.strip()]
        if not tokens:
            raise InputError(f"--token-file {args.token_file}: contains no token")
    if tokens:
        Tokens(tokens)
    return tokens
