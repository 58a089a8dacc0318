"""Recordings: any run becomes a fixture that answers without a network, and nothing but what was recorded."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trueline.errors import InputError
from trueline.models.errors import ModelError, RateLimitedError
from trueline.models.recordings import RecordingModel, ReplayModel
from trueline.models.recordings.entry import RecordingError
from trueline.models.recordings.replay import UnseenRequestError
from trueline.models.scripted import ScriptedModel
from trueline.models.types import Answer, Image, ModelId, Request, Schema, ToolCall, user
from trueline.records.setting import Sampling
from trueline.records.usage import Usage

ID = ModelId(provider="local", model="m", url="http://secret-host:8000/v1")


class Told:
    """A model that answers what it is told, once each."""

    id = ID

    def __init__(self, *outcomes: Answer | ModelError) -> None:
        self._outcomes = iter(outcomes)

    async def ask(self, request: Request) -> Answer:
        outcome = next(self._outcomes)
        if isinstance(outcome, ModelError):
            raise outcome
        return outcome

    async def close(self) -> None:
        pass


def request(text: str = "hello", *parts: Image, **fields: Any) -> Request:
    return Request(messages=(user(text, *parts),), **fields)


def record(path: Path, *pairs: tuple[Request, Answer | ModelError]) -> None:
    async def main() -> None:
        model = RecordingModel(Told(*(outcome for _, outcome in pairs)), path)
        for asked, outcome in pairs:
            if isinstance(outcome, ModelError):
                with pytest.raises(type(outcome)):
                    await model.ask(asked)
            else:
                assert await model.ask(asked) == outcome
        await model.close()

    asyncio.run(main())


def replay(path: Path, *requests: Request) -> list[Answer]:
    async def main() -> list[Answer]:
        model = ReplayModel(path, ID)
        return [await model.ask(asked) for asked in requests]

    return asyncio.run(main())


def texts(answers: list[Answer]) -> list[str]:
    return [answer.text for answer in answers]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "recording.jsonl"


def test_a_recording_answers_the_same_in_full(path: Path) -> None:
    answer = Answer(
        text="a\ud800\u2028b\n",
        parsed={"n": 10**30, "none": None},
        calls=(ToolCall(id="1", name="f", arguments={"x": [1, None]}),),
        stop="tool_calls",
        usage=Usage(input_tokens=3, calls=1, cost=None),
        latency_s=0.25,
        model="m-2026",
    )
    schema = Schema(definition={"type": "object", "properties": {"a": {"default": None}}})
    asked = request("look\ud800", Image(data=b"png"), expects=schema, sampling=Sampling(temperature=0))
    record(path, (asked, answer))
    assert replay(path, asked) == [answer]


def test_refusals_and_truncations_stay_what_they_are(path: Path) -> None:
    refused, cut = Answer(stop="refusal", refusal="No."), Answer(text="ha", stop="length")
    record(path, (request("a"), refused), (request("b"), cut))
    assert replay(path, request("b"), request("a")) == [cut, refused]


def test_errors_are_raised_again(path: Path) -> None:
    record(path, (request(), RateLimitedError("HTTP 429: slow down", status=429)), (request(), Answer(text="now")))
    model = ReplayModel(path, ID)
    with pytest.raises(RateLimitedError, match="HTTP 429: slow down") as e:
        asyncio.run(model.ask(request()))
    assert e.value.status == 429
    assert asyncio.run(model.ask(request())).text == "now"


def test_the_same_request_gets_its_answers_in_the_recorded_order(path: Path) -> None:
    record(path, *((request(), Answer(text=str(n))) for n in range(3)))
    assert texts(replay(path, request(), request(), request())) == ["0", "1", "2"]
    with pytest.raises(UnseenRequestError, match=r"recording\.jsonl: .* was recorded 3 times and is sent once more"):
        replay(path, *[request()] * 4)


def test_episodes_get_their_own_answers_first(path: Path) -> None:
    pairs = [(request(episode=e), Answer(text=f"{e}{n}")) for n in range(2) for e in "ab"]
    record(path, *pairs)
    asked = [request(episode=e) for e in "bbba"]
    assert texts(replay(path, *asked)) == ["b0", "b1", "a0", "a1"]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.sampled_from("xy"), st.sampled_from("ab")), min_size=1, max_size=12), st.randoms())
def test_whatever_the_order_each_answer_is_given_exactly_once(
    tmp_path_factory: pytest.TempPathFactory, asked: list[tuple[str, str]], random: Any
) -> None:
    path = tmp_path_factory.mktemp("recording") / "r.jsonl"
    requests = [request(text, episode=episode) for text, episode in asked]
    record(path, *((r, Answer(text=f"{asked[n]} {n}")) for n, r in enumerate(requests)))
    order = list(range(len(asked)))
    random.shuffle(order)
    given_out = texts(replay(path, *(requests[n] for n in order)))
    assert sorted(given_out) == sorted(f"{a} {n}" for n, a in enumerate(asked))
    assert all(str(asked[n]) in text for n, text in zip(order, given_out, strict=True))


def test_an_unseen_request_shows_the_nearest_and_what_differs(path: Path) -> None:
    shared = "The task is to save the file. " * 10
    record(
        path,
        (request("something else entirely", system="s", sampling=Sampling(temperature=0.0)), Answer(text="1")),
        (request(shared + "Step one.", sampling=Sampling(temperature=0.0)), Answer(text="2")),
        (request("The", sampling=Sampling(temperature=0.0)), Answer(text="3")),
    )
    with pytest.raises(UnseenRequestError) as e:
        replay(path, request(shared + "Step two.", sampling=Sampling(temperature=0.7)))
    line = str(e.value)
    assert "was not recorded; the most similar one, number 2 of 3, differs in" in line
    assert "sampling.temperature (recorded 0.0, asked 0.7)" in line
    assert "messages[0].parts[0].text (recorded '" in line
    assert "Step one.'" in line and "Step two.'" in line
    assert len(line) < 600 and "\n" not in line


def test_another_picture_is_another_request(path: Path) -> None:
    record(path, (request("look", Image(data=b"one")), Answer(text="1")))
    with pytest.raises(UnseenRequestError, match=r"messages\[0\]\.parts\[1\]\.digest"):
        replay(path, request("look", Image(data=b"two")))


def test_many_differences_are_counted(path: Path) -> None:
    record(path, (request(), Answer(text="1")))
    sampling = Sampling(temperature=1, top_p=1, seed=1, max_tokens=5)
    with pytest.raises(UnseenRequestError, match=r"; and 2 more$"):
        replay(path, request("x", sampling=sampling))


def test_neither_pictures_nor_addresses_are_written(path: Path) -> None:
    record(path, (request("look", Image(data=b"what-was-on-the-screen")), Answer(text="1")))
    data = path.read_bytes()
    assert b"what-was-on" not in data
    assert b"d2hhdC13YXM" not in data  # the same in base64
    assert b"secret-host" not in data
    assert path.stat().st_mode & 0o077 == 0


def test_several_models_share_a_file(tmp_path: Path, path: Path) -> None:
    script = tmp_path / "s.json"
    script.write_text('{"rules": [{"answer": {"text": "scripted"}}]}')
    scripted = ScriptedModel(script)
    record(path, (request(), Answer(text="local")))
    recording = RecordingModel(scripted, path)
    asyncio.run(recording.ask(request()))
    asyncio.run(recording.close())
    assert texts(replay(path, request())) == ["local"]
    assert asyncio.run(ReplayModel(path, scripted.id).ask(request())).text == "scripted"
    with pytest.raises(InputError, match=r"has no answers of openai\|x; it was recorded with local\|m, scripted\|"):
        ReplayModel(path, ModelId(provider="openai", model="x"))


def test_concurrent_requests_are_whole_lines(path: Path) -> None:
    async def main() -> None:
        models = [RecordingModel(Told(*[Answer(text="x" * 50_000)] * 20), path) for _ in range(3)]
        await asyncio.gather(*(model.ask(request(str(n))) for model in models for n in range(20)))
        await asyncio.gather(*(model.close() for model in models))

    asyncio.run(main())
    assert len([json.loads(line) for line in path.read_text().splitlines()]) == 60


def test_a_torn_last_line_is_passed_over_and_cut_off_by_the_next_recorder(path: Path) -> None:
    record(path, (request("a"), Answer(text="1")), (request("b"), Answer(text="2")))
    whole = path.read_bytes()
    os.truncate(path, len(whole) - 10)
    assert texts(replay(path, request("a"))) == ["1"]
    record(path, (request("b"), Answer(text="2 again")))
    assert texts(replay(path, request("a"), request("b"))) == ["1", "2 again"]
    path.write_bytes(b"{torn" + b" " * 200_000)
    record(path, (request("c"), Answer(text="3")))
    assert texts(replay(path, request("c"))) == ["3"]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{", "invalid JSON"),
        ("[]", "the line: "),
        ('{"format": 1, "model": "m", "purpose": "ask", "request": {}}', "either an answer or an error"),
        ('{"format": 2, "model": "m", "purpose": "ask", "request": {}, "answer": {}}', "format: "),
        ('{"format": 1, "model": "m", "purpose": "ask", "request": {}, "answer": {"txt": ""}}', "answer.txt: "),
    ],
)
def test_a_broken_line_is_named(path: Path, line: str, problem: str) -> None:
    record(path, (request(), Answer(text="1")))
    with path.open("a") as file:
        file.write(line + "\n")
    with pytest.raises(RecordingError, match=rf"recording\.jsonl:2: .*{problem}") as e:
        ReplayModel(path, ID)
    assert "\n" not in str(e.value)


def test_places_that_cannot_be_used(tmp_path: Path, path: Path) -> None:
    with pytest.raises(RecordingError, match="cannot be read: No such file"):
        ReplayModel(path, ID)
    with pytest.raises(RecordingError, match=r"nowhere/r\.jsonl: cannot record here"):
        RecordingModel(Told(), tmp_path / "nowhere" / "r.jsonl")
    path.touch()
    with pytest.raises(InputError, match="recorded with nothing"):
        ReplayModel(path, ID)
