"""The program of the child process: llama.cpp's own OpenAI-compatible server. It imports nothing else of Trueline.

One line of JSON on standard input says what to serve; one line on standard output says where. The process ends when
its standard input does: that happens when the parent closes it, and when the parent dies in whatever way.
"""

from __future__ import annotations

import ctypes
import importlib
import json
import os
import signal
import sys
from typing import Protocol, TypedDict

_PR_SET_PDEATHSIG = 1


class ServerOptions(TypedDict):
    """What to serve."""

    model: str
    file: str
    key: str
    threads: int
    context: int
    max_tokens: int


class _Server(Protocol):
    listening_address: str


def main() -> None:
    """Serve until standard input ends."""
    _die_with_parent()
    order: ServerOptions = json.loads(sys.stdin.readline())
    # llama.cpp may print; standard output is kept for the one line that the parent waits for.
    said = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    server = _serve(order)
    said.write(json.dumps({"url": server.listening_address}) + "\n")
    said.flush()
    sys.stdin.read()
    # The server's threads do not end by themselves.
    os._exit(0)


def _die_with_parent() -> None:
    """Ask Linux to end this process with its parent, for the case that others hold our standard input open too."""
    if sys.platform == "linux":
        parent = os.getppid()
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)


def _serve(order: ServerOptions) -> _Server:
    """Start the server; it is ready when this returns."""
    # The package has no types of its own.
    xllamacpp = importlib.import_module("xllamacpp")
    params = xllamacpp.CommonParams()
    params.model.path = order["file"]
    params.model_alias = {order["model"]}
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [order["key"]]
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = order["threads"]
    params.n_gpu_layers = 0
    params.n_ctx = order["context"]
    params.n_predict = order["max_tokens"]
    # One request at a time from an empty state: the same request then gets the same answer at temperature 0.
    params.n_parallel = 1
    params.cache_prompt = False
    params.ui = False
    params.endpoint_slots = False
    params.verbosity = 1
    server: _Server = xllamacpp.Server(params)
    return server


if __name__ == "__main__":
    main()
