"""LlamaFirewall: its AlignmentCheck and its scanners of texts (./scripts/setup proof)."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, JsonValue

from trueline.errors import RequestError
from trueline.guard.registry import GuardKind, GuardTools, OpenedGuard
from trueline.guard.workers.worker_guard import PYTHON, SECONDS, open_worker
from trueline.records.base import Record

Scanner = Literal["alignment", "hidden_ascii", "regex"]


class FirewallOptions(Record):
    """Options of the guard `llamafirewall`.

    Its PromptGuard is missing: it needs weights that are downloaded with an account.
    """

    scanners: tuple[Scanner, ...] = ("alignment", "hidden_ascii")
    alignment_model: str | None = None
    """The model of AlignmentCheck, as its server calls it."""
    alignment_url: str | None = None
    """The server, OpenAI's protocol: https://…/v1."""
    alignment_key_env: str = "OPENAI_API_KEY"
    """The environment variable with its key."""
    python: Path = PYTHON
    """The interpreter that has the package llamafirewall."""
    deadline: Annotated[float, Field(gt=0)] = SECONDS


def _open(options: FirewallOptions, tools: GuardTools) -> OpenedGuard:
    worker: dict[str, JsonValue] = {"scanners": list(options.scanners)}
    if "alignment" in options.scanners:
        for name in ("alignment_model", "alignment_url"):
            if not getattr(options, name):
                raise RequestError(f"`guard_options.{name}`: is required by the scanner alignment of llamafirewall")
        worker |= {
            "model": options.alignment_model,
            "url": options.alignment_url,
            "key_env": options.alignment_key_env,
        }
    # Where the model is served and with which key does not shape what it says.
    recorded = {name: value for name, value in worker.items() if name not in ("url", "key_env")}
    name = "llamafirewall"
    return open_worker(name, name, options.python, worker, options.deadline, tools, recorded=recorded)


GUARD = GuardKind.typed(FirewallOptions, _open)
