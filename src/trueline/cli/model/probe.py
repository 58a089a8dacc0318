"""`trueline model probe`: is a server deterministic at temperature 0, alone and under load?"""

from __future__ import annotations

import argparse
import asyncio
from typing import TYPE_CHECKING

from trueline.cli.flag_values import count
from trueline.cli.model.flags import add_model_flags
from trueline.cli.output import money, print_json, print_note
from trueline.cli.parser import Parser

if TYPE_CHECKING:
    from trueline.models.probe import Probe

_QUESTION = "Describe a harbour at dawn in one paragraph of plain English."


def configure(parser: Parser) -> None:
    """Declare the flags."""
    add_model_flags(parser, timeout=300)
    parser.add_argument(
        "--times", type=count, default=5, metavar="N", help="number of requests, alone and under load (5)"
    )
    parser.add_argument("--load", type=int, default=8, metavar="N",
                        help="simultaneous requests under load; 0 skips this part (8)")  # fmt: skip
    parser.add_argument("--text", default=_QUESTION, metavar="TEXT", help="the question")
    parser.add_argument(
        "--max-tokens", type=count, default=128, metavar="N", help="limit of tokens for each answer (128)"
    )


def run(args: argparse.Namespace) -> int:
    """Probe and print."""
    seen = asyncio.run(_probe(args))
    if args.json:
        print_json(_document(args, seen))
    else:
        print(_text(args, seen))
    return 0


async def _probe(args: argparse.Namespace) -> Probe:
    from trueline.models.build import Config, open_model
    from trueline.models.families import fit_sampling
    from trueline.models.limits import Limiters, ProviderLimits
    from trueline.models.probe import probe
    from trueline.models.types import Request, user
    from trueline.records.setting import Sampling

    config = Config(limiters=Limiters(ProviderLimits(in_flight=max(64, args.load))))
    model = open_model(args.spec, provider=args.model_provider, url=args.model_url, config=config)
    fitted = fit_sampling(model.id, Sampling(temperature=0.0, max_tokens=args.max_tokens))
    if fitted.misfits:
        print_note(f"{model.id} is asked without temperature 0: {fitted.misfits[0].reason}")
    request = Request(
        messages=(user(args.text),),
        sampling=fitted.sampling,
        deadline_s=args.timeout,
    )
    try:
        return await probe(model, request, times=args.times, load=args.load)
    finally:
        await model.close()


def _document(args: argparse.Namespace, seen: Probe) -> dict[str, object]:
    return {
        "model": args.spec,
        "times": args.times,
        "load": args.load,
        "deterministic": seen.deterministic,
        "batch_invariant": seen.batch_invariant,
        "answers": [{"text": text, "alone": alone, "loaded": loaded} for text, alone, loaded in seen.variants()],
        "usage": seen.usage.model_dump(mode="json", exclude={"cost"}),
        "cost": seen.usage.cost,
    }


def _text(args: argparse.Namespace, seen: Probe) -> str:
    from trueline.models.probe import first_difference

    variants = seen.variants()
    lines = [f"alone:      {_agreement(seen.alone)}"]
    if seen.loaded:
        lines.append(f"under load: {_agreement(seen.loaded)} ({args.load} requests at once)")
    if len(variants) > 1:
        place = min(first_difference(variants[0][0], other) for other, _, _ in variants[1:])
        lines.append(f"{len(variants)} different answers; the first differences come at character {place + 1}")
    lines.append(_verdict(seen))
    usage = seen.usage
    lines.append(
        f"{usage.calls} requests, {usage.input_tokens} tokens in, {usage.output_tokens} out, {money(usage.cost)}"
    )
    return "\n".join(lines)


def _agreement(answers: tuple[str, ...]) -> str:
    most = max(answers.count(text) for text in set(answers))
    return f"{most} of {len(answers)} answers are the same"


def _verdict(seen: Probe) -> str:
    if not seen.deterministic:
        return "not deterministic at temperature 0, even alone"
    if seen.batch_invariant is None:
        return "deterministic at temperature 0 alone, as far as seen; not tried under load"
    if seen.batch_invariant:
        return "deterministic at temperature 0 and batch-invariant, as far as seen"
    return "deterministic alone but not batch-invariant: the answer depends on what else the server is asked"
