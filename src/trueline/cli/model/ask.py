"""`trueline model ask`: one request and its answer."""

from __future__ import annotations

import argparse
import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from trueline.cli.flag_values import count
from trueline.cli.model.flags import add_model_flags
from trueline.cli.output import money, print_json, print_note, safe_lines
from trueline.cli.parser import Parser
from trueline.errors import InputError

if TYPE_CHECKING:
    from trueline.models.types import Answer, Model, ModelId, Request, Schema
    from trueline.records.usage import Usage


def configure(parser: Parser) -> None:
    """Declare the flags."""
    add_model_flags(parser, timeout=60)
    parser.add_argument("text", metavar="TEXT", help="the question; - reads it from stdin")
    parser.add_argument(
        "--image", nargs="+", type=Path, default=[], metavar="F", help="images to send with the question"
    )
    parser.add_argument("--schema", type=Path, metavar="F.json", help="the answer must be JSON of this schema")
    parser.add_argument("--system", default="", metavar="TEXT", help="the system prompt")
    parser.add_argument(
        "--temperature",
        "--model-temperature",
        type=float,
        metavar="X",
        help="sampling parameter (default: the provider's)",
    )
    parser.add_argument("--top-p", type=float, metavar="X", help="sampling parameter (default: the provider's)")
    parser.add_argument(
        "--max-tokens", type=count, metavar="N", help="limit of tokens for the answer, hidden reasoning included"
    )
    parser.add_argument(
        "--stop", nargs="+", default=[], metavar="TEXT", help="end the answer before any of these texts"
    )
    parser.add_argument("--seed", type=int, metavar="N", help="random seed, for providers that support one")
    parser.add_argument("--reasoning-effort", metavar="E", help="minimal, low, medium, high … (depends on the model)")
    parser.add_argument("--cache", action=argparse.BooleanOptionalAction, default=False,
                        help="read the answer from the cache and keep it there (default: no)")  # fmt: skip
    fixture = parser.add_mutually_exclusive_group()
    fixture.add_argument(
        "--record", type=Path, metavar="F.jsonl", help="append the request and the answer to this recording"
    )
    fixture.add_argument("--replay", type=Path, metavar="F.jsonl", help="answer from this recording, without a network")


def run(args: argparse.Namespace) -> int:
    """Ask and print."""
    request = _request(args)
    model_id, answer = asyncio.run(_ask(args, request))
    note = _note(model_id)
    if args.json:
        print_json(_document(answer) | ({"note": note} if note else {}))
    else:
        _print(answer)
        if note:
            print_note(f"note: {note}")
    answer.require()
    return 0


def _request(args: argparse.Namespace) -> Request:
    from trueline.models.images import read_image
    from trueline.models.types import Request, user
    from trueline.records.setting import Sampling

    text = sys.stdin.read() if args.text == "-" else args.text
    if not text:
        raise InputError("the question is empty")
    return Request(
        messages=(user(text, *map(read_image, args.image)),),
        system=args.system,
        sampling=Sampling(
            temperature=args.temperature,
            top_p=args.top_p,
            max_tokens=args.max_tokens,
            reasoning_effort=args.reasoning_effort,
            stop=tuple(args.stop),
            seed=args.seed,
        ),
        expects=_read_schema(args.schema) if args.schema else None,
        deadline_s=args.timeout,
    )


def _read_schema(path: Path) -> Schema:
    import orjson

    from trueline.models.schemas import check_schema
    from trueline.models.types import Schema

    try:
        definition = orjson.loads(path.read_bytes())
    except OSError as e:
        raise InputError(f"{path}: the schema cannot be read: {e.strerror}") from None
    except ValueError as e:
        raise InputError(f"{path}: invalid JSON: {e}") from None
    if not isinstance(definition, dict):
        raise InputError(f"{path}: a schema must be a JSON object")
    schema = Schema.model_validate({"definition": definition})
    try:
        check_schema(schema.definition)
    except InputError as e:
        raise InputError(f"{path}: {e}") from None
    return schema


async def _ask(args: argparse.Namespace, request: Request) -> tuple[ModelId, Answer]:
    from trueline.models.cache import Cache, CachedModel, cache_path

    model = _open(args)
    cache = Cache(cache_path()) if args.cache else None
    try:
        if cache is not None:
            model = CachedModel(model, cache)
        if args.record:
            from trueline.models.recordings import RecordingModel

            # Outermost, so that answers from the cache are recorded too.
            model = RecordingModel(model, args.record)
        return model.id, await model.ask(request)
    finally:
        await model.close()
        if cache is not None:
            await cache.close()


def _open(args: argparse.Namespace) -> Model:
    from trueline.models.build import open_model
    from trueline.models.specs import parse_spec
    from trueline.models.types import ModelId

    spec = parse_spec(args.spec, provider=args.model_provider, url=args.model_url)
    if not args.replay:
        return open_model(spec)
    from trueline.models.recordings import ReplayModel

    return ReplayModel(args.replay, ModelId(provider=spec.provider, model=spec.model))


def _note(model: ModelId) -> str:
    if model.provider != "embedded":
        return ""
    from trueline.models.embedded import NOTE

    return NOTE


def _document(answer: Answer) -> dict[str, object]:
    return {
        "text": answer.text,
        "parsed": answer.parsed,
        "usage": _usage(answer.usage),
        "cost": answer.usage.cost,
        "cached": answer.cached,
        "latency_s": round(answer.latency_s, 6),
        "stop": answer.stop,
        "refusal": answer.refusal,
        "reasoning": answer.reasoning,
        "calls": [call.model_dump(mode="json", include={"name", "arguments"}) for call in answer.calls],
        "attempts": answer.attempts,
        "model": answer.model,
    }


def _usage(usage: Usage) -> dict[str, object]:
    """Usage of the call; null is unknown, which is not zero."""
    calls: dict[str, object] = usage.model_dump(mode="json", include={"calls", "uncounted"})
    tokens: dict[str, object] = usage.model_dump(mode="json", exclude={"calls", "uncounted", "cost"})
    return (dict.fromkeys(tokens) if usage.uncounted else tokens) | calls


def _print(answer: Answer) -> None:
    if answer.text:
        print(safe_lines(answer.text))
    usage = answer.usage
    facts = [
        answer.model,
        "tokens unknown" if usage.uncounted else f"{usage.input_tokens} tokens in, {usage.output_tokens} out",
        money(usage.cost),
        f"{answer.latency_s:.2f} s",
        *(["from the cache"] if answer.cached else []),
        *([f"{answer.attempts} attempts"] if answer.attempts > 1 else []),
    ]
    print_note(", ".join(fact for fact in facts if fact))
