"""The cache: what is remembered, what never is, and that the same question at the same time is asked once."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, get_args

import pytest

from trueline.models.cache import Cache, CachedModel, read_stats
from trueline.models.cache.key import cache_key
from trueline.models.errors import BudgetSpentError, DeadlineError, ModelError, RejectedError, ServerError
from trueline.models.scripted import ScriptedModel
from trueline.models.types import (
    Answer,
    FunctionTool,
    Image,
    ImagePolicy,
    Model,
    ModelId,
    Purpose,
    Request,
    Schema,
    ToolResult,
    assistant,
    user,
)
from trueline.records.setting import Sampling
from trueline.records.usage import Usage

ID = ModelId(provider="local", model="m", url="http://localhost:8000/v1")
REMEMBERED: tuple[Purpose, ...] = (
    "caption",
    "narrative",
    "clarify",
    "plan",
    "fact",
    "feedback",
    "judge",
    "guard",
    "ask",
)


def request(text: str = "What is on the screen?", **fields: Any) -> Request:
    fields.setdefault("purpose", "caption")
    return Request(messages=(user(text),), **fields)


def counting_model(folder: Path) -> ScriptedModel:
    """A model that says how often it was asked."""
    usage = {"input_tokens": 7, "output_tokens": 2, "calls": 1, "cost": 0.25}
    answers = [{"text": f"answer {n}", "usage": usage} for n in range(1, 21)]
    path = folder / "script.json"
    path.write_text(json.dumps({"rules": [{"answers": answers}]}))
    return ScriptedModel(path)


def run(work: Callable[[Cache], Coroutine[Any, Any, Any]], path: Path) -> Any:
    async def main() -> Any:
        cache = Cache(path)
        try:
            return await work(cache)
        finally:
            await cache.close()

    return asyncio.run(main())


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "answers.sqlite"


@pytest.mark.parametrize("purpose", REMEMBERED)
def test_a_remembered_answer_is_the_same_and_costs_nothing(tmp_path: Path, path: Path, purpose: Purpose) -> None:
    async def work(cache: Cache) -> tuple[Answer, Answer]:
        model = CachedModel(counting_model(tmp_path), cache)
        return await model.ask(request(purpose=purpose)), await model.ask(request(purpose=purpose))

    first, second = run(work, path)
    assert (first.text, first.cached, first.usage.cost) == ("answer 1", False, 0.25)
    assert (second.text, second.cached) == ("answer 1", True)
    assert second.usage == Usage(input_tokens=7, output_tokens=2, calls=0, cost=0.0)


@pytest.mark.parametrize("temperature", [None, 0.0, 1.0])
@pytest.mark.parametrize("purpose", ["agent", "user_sim"])
def test_repeats_of_agents_and_simulated_users_are_real(
    tmp_path: Path, path: Path, purpose: Purpose, temperature: float | None
) -> None:
    async def work(cache: Cache) -> list[str]:
        model = CachedModel(counting_model(tmp_path), cache)
        ask = request(purpose=purpose, sampling=Sampling(temperature=temperature))
        return [(await model.ask(ask)).text for _ in range(3)]

    assert run(work, path) == ["answer 1", "answer 2", "answer 3"]
    assert read_stats(path).answers == 0


def test_every_purpose_has_a_policy() -> None:
    assert {*REMEMBERED, "agent", "user_sim"} == set(get_args(Purpose))


def test_the_answer_outlives_the_process_and_serves_other_purposes(tmp_path: Path, path: Path) -> None:
    async def ask(cache: Cache, purpose: Purpose) -> Answer:
        return await CachedModel(counting_model(tmp_path), cache).ask(request(purpose=purpose, episode=purpose))

    run(lambda cache: ask(cache, "caption"), path)
    assert run(lambda cache: ask(cache, "judge"), path).cached


def test_samples_are_drawn_apart_and_each_is_remembered(tmp_path: Path, path: Path) -> None:
    async def work(cache: Cache) -> list[str]:
        model = CachedModel(counting_model(tmp_path), cache)
        return [(await model.ask(request(purpose="judge", sample=n))).text for n in (0, 1, 2, 0, 1, 2)]

    assert run(work, path) == ["answer 1", "answer 2", "answer 3"] * 2


BASE = request("look", system="be brief")
SHAPING = {
    "text": request("look!", system="be brief"),
    "system": request("look", system="be long"),
    "history": BASE.model_copy(update={"messages": (user("hi"), assistant("hello"), user("look"))}),
    "role": BASE.model_copy(update={"messages": (assistant("look"),)}),
    "parts": BASE.model_copy(update={"messages": (user("lo", "ok"),)}),
    "picture": BASE.model_copy(update={"messages": (user("look", Image(data=b"a")),)}),
    "other picture": BASE.model_copy(update={"messages": (user("look", Image(data=b"b")),)}),
    "detail": BASE.model_copy(update={"messages": (user("look", Image(data=b"a", detail="high")),)}),
    "media type": BASE.model_copy(update={"messages": (user("look", Image(data=b"a", media_type="image/jpeg")),)}),
    "tool result": BASE.model_copy(update={"messages": (user("look", ToolResult(id="1", parts=(Image(data=b"a"),))),)}),
    "tool error": BASE.model_copy(update={"messages": (user("look", ToolResult(id="1", is_error=True)),)}),
    "temperature": request("look", system="be brief", sampling=Sampling(temperature=0)),
    "seed": request("look", system="be brief", sampling=Sampling(seed=0)),
    "effort": request("look", system="be brief", sampling=Sampling(reasoning_effort="low")),
    "stop": request("look", system="be brief", sampling=Sampling(stop=("x",))),
    "tools": request("look", system="be brief", tools=(FunctionTool(name="f", parameters={}),)),
    "choice": request("look", system="be brief", tool_choice="required"),
    "schema": request("look", system="be brief", expects=Schema(definition={"type": "object"})),
    "image policy": request("look", system="be brief", images=ImagePolicy(max_side=10)),
    "sample": request("look", system="be brief", sample=1),
}


def test_the_key_holds_all_that_shapes_the_answer() -> None:
    keys = {name: cache_key(ID, shaped) for name, shaped in SHAPING.items()}
    keys |= {
        f"other {field}": cache_key(ID.model_copy(update={field: "http://other"}), BASE)
        for field in ("provider", "model", "url")
    }
    keys["base"] = cache_key(ID, BASE)
    assert len(set(keys.values())) == len(keys)


def test_the_key_leaves_out_who_asks_and_how_long() -> None:
    other = BASE.model_copy(update={"purpose": "judge", "stage": "s", "episode": "e", "deadline_s": 3.0})
    assert cache_key(ID, BASE) == cache_key(ID, other)


@pytest.mark.parametrize(
    "given_answer",
    [
        {"refusal": "I would rather not."},
        {"text": "half an ans", "stop": "length"},
        {"text": "", "stop": "content_filter"},
        {"error": "server"},
    ],
)
def test_only_whole_answers_are_remembered(tmp_path: Path, path: Path, given_answer: dict[str, Any]) -> None:
    script = tmp_path / "script.json"
    script.write_text(json.dumps({"rules": [{"answers": [given_answer, {"text": "whole"}]}]}))

    async def work(cache: Cache) -> list[str]:
        model = CachedModel(ScriptedModel(script), cache)
        try:
            first = (await model.ask(request())).stop
        except ServerError:
            first = "error"
        return [first, (await model.ask(request())).text, (await model.ask(request())).text]

    first, *rest = run(work, path)
    assert first != "stop"
    assert rest == ["whole", "whole"]


def test_an_answer_that_plain_json_encoders_choke_on_comes_back_as_it_was(path: Path) -> None:
    odd = Answer(text="a\ud800b", parsed={"n": 10**40, "x": None}, usage=Usage(cost=None))

    async def work(cache: Cache) -> Answer | None:
        await cache.put(b"k", odd, model=ID, purpose="judge")
        return await cache.get(b"k")

    assert run(work, path) == odd


# One question at a time ------------------------------------------------------------------------------------------


class HeldModel:
    """A model that answers when told to, and knows how often it was asked and given up."""

    id = ID

    def __init__(self) -> None:
        self.release = asyncio.Event()
        self.asked: list[Request] = []
        self.given_up = 0
        self.error: ModelError | None = None

    async def ask(self, request: Request) -> Answer:
        self.asked.append(request)
        try:
            await self.release.wait()
        except asyncio.CancelledError:
            self.given_up += 1
            raise
        if self.error is not None:
            error, self.error = self.error, None
            raise error
        return Answer(text="here", usage=Usage(calls=1, cost=0.5))

    async def close(self) -> None:
        pass


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not condition():  # noqa: ASYNC110 -- there is no event for what is waited for
            await asyncio.sleep(0.001)


def test_the_same_question_at_the_same_time_is_asked_and_paid_once(path: Path) -> None:
    async def work(cache: Cache) -> tuple[int, list[Answer]]:
        held = HeldModel()
        model: Model = CachedModel(held, cache)
        tasks = [asyncio.create_task(model.ask(request(episode=str(n)))) for n in range(10)]
        await until(lambda: len(held.asked) > 0)
        held.release.set()
        return len(held.asked), await asyncio.gather(*tasks)

    asked, answers = run(work, path)
    assert asked == 1
    assert {answer.text for answer in answers} == {"here"}
    assert sum(answer.usage.cost or 0 for answer in answers) == 0.5
    assert sum(answer.cached for answer in answers) == 9


def test_agents_are_not_joined(path: Path) -> None:
    async def work(cache: Cache) -> int:
        held = HeldModel()
        model = CachedModel(held, cache)
        tasks = [asyncio.create_task(model.ask(request(purpose="agent"))) for _ in range(3)]
        await until(lambda: len(held.asked) == 3)
        held.release.set()
        await asyncio.gather(*tasks)
        return len(held.asked)

    assert run(work, path) == 3


def test_one_who_gives_up_does_not_take_the_answer_from_the_others(path: Path) -> None:
    async def work(cache: Cache) -> tuple[Answer, int]:
        held = HeldModel()
        model = CachedModel(held, cache)
        first = asyncio.create_task(model.ask(request()))
        second = asyncio.create_task(model.ask(request()))
        await until(lambda: len(held.asked) > 0)
        first.cancel()
        await asyncio.wait([first])
        held.release.set()
        return await second, held.given_up

    answer, given_up = run(work, path)
    assert (answer.text, given_up) == ("here", 0)


def test_when_all_give_up_the_question_ends_and_may_be_asked_again(path: Path) -> None:
    async def work(cache: Cache) -> tuple[int, str]:
        held = HeldModel()
        model = CachedModel(held, cache)
        tasks = [asyncio.create_task(model.ask(request())) for _ in range(2)]
        await until(lambda: len(held.asked) > 0)
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        await until(lambda: held.given_up == 1)
        held.release.set()
        return len(held.asked), (await model.ask(request())).text

    assert run(work, path) == (1, "here")


def test_an_error_of_the_provider_is_everybodys_and_is_not_remembered(path: Path) -> None:
    async def work(cache: Cache) -> tuple[list[str], str]:
        held = HeldModel()
        held.error = RejectedError("no such model")
        model = CachedModel(held, cache)
        tasks = [asyncio.create_task(model.ask(request())) for _ in range(2)]
        await until(lambda: len(held.asked) > 0)
        held.release.set()
        outcomes = await asyncio.gather(*tasks, return_exceptions=True)
        return [type(o).__name__ for o in outcomes], (await model.ask(request())).text

    assert run(work, path) == (["RejectedError"] * 2, "here")


@pytest.mark.parametrize("error", [BudgetSpentError("spent"), DeadlineError("late")])
def test_an_empty_purse_or_short_deadline_of_one_does_not_fail_the_others(path: Path, error: ModelError) -> None:
    async def work(cache: Cache) -> list[str]:
        held = HeldModel()
        held.error = error
        model = CachedModel(held, cache)
        poor = asyncio.create_task(model.ask(request(episode="poor", deadline_s=100)))
        await until(lambda: len(held.asked) > 0)
        rich = asyncio.create_task(model.ask(request(episode="rich", deadline_s=200)))
        await asyncio.sleep(0)
        held.release.set()
        outcomes = await asyncio.gather(poor, rich, return_exceptions=True)
        return [o.text if isinstance(o, Answer) else type(o).__name__ for o in outcomes]

    assert run(work, path) == [type(error).__name__, "here"]


def test_one_who_joins_keeps_their_own_deadline(path: Path) -> None:
    async def work(cache: Cache) -> str:
        held = HeldModel()
        model = CachedModel(held, cache)
        patient = asyncio.create_task(model.ask(request()))
        await until(lambda: len(held.asked) > 0)
        with pytest.raises(DeadlineError):
            await model.ask(request(deadline_s=0.01))
        held.release.set()
        return (await patient).text

    assert run(work, path) == "here"
