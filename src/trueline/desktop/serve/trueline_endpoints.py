"""Trueline's additions to OSWorld's protocol, under `/trueline`: hello, reset, window list, diff."""

from __future__ import annotations

import time
from dataclasses import asdict

from trueline import __version__
from trueline.desktop.serve.replies import ReceivedRequest, Reply, as_json
from trueline.desktop.serve.served_desktop import ServedDesktop
from trueline.text import named

PROTOCOL = 1


async def hello(served: ServedDesktop, _call: ReceivedRequest) -> Reply:
    """GET /trueline."""
    capabilities = sorted(served.desktop.capabilities)
    applied = None if served.perturbation is None else served.perturbation.model_dump(mode="json")
    said = {"trueline": __version__, "protocol": PROTOCOL, "capabilities": capabilities, "perturbation": applied}
    return as_json(said)


async def reset(served: ServedDesktop, _call: ReceivedRequest) -> Reply:
    """POST /trueline/reset."""
    began = time.monotonic()
    await served.desktop.reset()
    return as_json({"status": "success", "seconds": round(time.monotonic() - began, 3)})


async def windows(served: ServedDesktop, _call: ReceivedRequest) -> Reply:
    """GET /trueline/windows."""
    return as_json({"windows": [asdict(window) for window in await served.desktop.windows()]})


async def diff(served: ServedDesktop, _call: ReceivedRequest) -> Reply:
    """GET /trueline/diff."""
    found = await served.desktop.diff()
    return as_json({"changes": [{**asdict(change), "path": named(change.path)} for change in found]})
