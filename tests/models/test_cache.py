"""The cache: what is remembered, what never is, and what happens when the file is shared or damaged."""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trueline.models.cache import (
    Cache,
    CacheDamagedError,
    CachedModel,
    CacheError,
    cache_key,
    cache_path,
    clear_cache,
    read_stats,
)
from trueline.models.cache import file as cache_file
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


# The file --------------------------------------------------------------------------------------------------------


def test_folder_and_file_are_for_their_owner(path: Path) -> None:
    run(lambda cache: cache.get(b"k"), path)
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({"TRUELINE_CACHE_DIR": "/a/b", "XDG_CACHE_HOME": "/x"}, "/a/b/answers.sqlite"),
        ({"XDG_CACHE_HOME": "/x"}, "/x/trueline/answers.sqlite"),
        ({"XDG_CACHE_HOME": "relative"}, str(Path.home() / ".cache/trueline/answers.sqlite")),
        ({}, str(Path.home() / ".cache/trueline/answers.sqlite")),
    ],
)
def test_place(environ: dict[str, str], expected: str) -> None:
    assert str(cache_path(environ)) == expected


_WORKER = """
import asyncio, sys
from pathlib import Path
from trueline.models.cache import Cache
from trueline.models.types import Answer, ModelId
model = ModelId(provider="local", model="m")
async def main(path, worker):
    cache = Cache(Path(path))
    for n in range(60):
        key = b"key-%d" % n
        kept = await cache.get(key)
        assert kept is None or kept.text.endswith(f" {n}"), kept
        await cache.put(key, Answer(text=f"of {worker}: {n}"), model=model, purpose="guard")
        again = await cache.get(key)
        assert again is not None and (kept is None or again == kept)
    await cache.close()
asyncio.run(main(*sys.argv[1:]))
"""


def test_many_processes_share_a_new_file(path: Path) -> None:
    workers = [
        subprocess.Popen([sys.executable, "-c", _WORKER, str(path), str(n)], stderr=subprocess.PIPE) for n in range(4)
    ]
    errors = [worker.communicate()[1].decode() for worker in workers]
    assert [worker.returncode for worker in workers] == [0] * 4, errors
    assert read_stats(path).answers == 60


def test_many_threads_share_one_cache(path: Path) -> None:
    cache = Cache(path)

    async def work(worker: int) -> None:
        for n in range(30):
            await cache.put(b"key-%d" % n, Answer(text=f"{n}"), model=ID, purpose="guard")
            kept = await cache.get(b"key-%d" % n)
            assert kept is not None
            assert kept.text == f"{n}", worker

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(asyncio.run, [work(worker) for worker in range(4)]))
    asyncio.run(cache.close())
    assert read_stats(path).answers == 30


def test_a_closed_cache_opens_again(path: Path) -> None:
    async def work(cache: Cache) -> Answer | None:
        await cache.put(b"k", Answer(text="kept"), model=ID, purpose="guard")
        await cache.close()
        return await cache.get(b"k")

    assert run(work, path) == Answer(text="kept")


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_goes_on_with_its_own_connection(path: Path) -> None:
    cache = Cache(path)

    async def put(key: bytes) -> None:
        await cache.put(key, Answer(text=key.decode()), model=ID, purpose="plan")

    asyncio.run(put(b"parent"))
    child = os.fork()
    if child == 0:
        code = 1
        try:
            asyncio.run(put(b"child"))
            code = 0
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    asyncio.run(put(b"parent again"))
    asyncio.run(cache.close())
    assert read_stats(path).answers == 3


def test_a_file_that_is_no_database_is_named_and_moved_aside_by_clear(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"certainly no database " * 100)
    with pytest.raises(CacheDamagedError, match=r"answers\.sqlite: the cache is damaged .*trueline cache clear"):
        run(lambda cache: cache.get(b"k"), path)
    moved = clear_cache(path).moved_to
    assert moved is not None
    assert moved.read_bytes().startswith(b"certainly no database")
    assert run(lambda cache: cache.get(b"k"), path) is None


def test_a_changed_answer_is_never_given(path: Path) -> None:
    run(lambda cache: cache.put(b"k", Answer(text="aligned"), model=ID, purpose="guard"), path)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE answers SET answer = replace(answer, 'aligned', 'benign')")
    with pytest.raises(CacheDamagedError, match="differs from what was written"):
        run(lambda cache: cache.get(b"k"), path)


@settings(max_examples=60, deadline=None)
@given(place=st.floats(0, 1, exclude_max=True), flip=st.integers(1, 255), cut=st.booleans())
def test_no_damage_turns_into_a_wrong_answer(
    tmp_path_factory: pytest.TempPathFactory, place: float, flip: int, cut: bool
) -> None:
    path = tmp_path_factory.mktemp("cache") / "answers.sqlite"
    answers = {b"key-%d" % n: Answer(text=f"answer {n} " * 20) for n in range(30)}

    async def fill(cache: Cache) -> None:
        for key, answer in answers.items():
            await cache.put(key, answer, model=ID, purpose="guard")

    run(fill, path)
    data = bytearray(path.read_bytes())
    at = int(place * len(data))
    data[at] ^= flip
    path.write_bytes(data[:at] if cut else data)

    async def read(cache: Cache) -> None:
        for key, answer in answers.items():
            with suppress(CacheError):
                assert await cache.get(key) in (None, answer)

    run(read, path)


def test_somebody_elses_database_stays_as_it_is(path: Path) -> None:
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE TABLE theirs (x)")
    before = path.read_bytes()
    with pytest.raises(CacheError, match="no cache of ours"):
        run(lambda cache: cache.get(b"k"), path)
    with pytest.raises(CacheError, match="no cache of ours"):
        clear_cache(path)
    assert path.read_bytes() == before


def test_a_file_of_another_format_is_left_alone(path: Path) -> None:
    run(lambda cache: cache.get(b"k"), path)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("PRAGMA user_version = 99")
    with pytest.raises(CacheError, match=r"format 99.*TRUELINE_CACHE_DIR"):
        run(lambda cache: cache.get(b"k"), path)


def test_a_place_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CacheError, match=r"file/answers\.sqlite: .*TRUELINE_CACHE_DIR"):
        run(lambda cache: cache.get(b"k"), tmp_path / "file" / "answers.sqlite")


def test_an_answer_that_cannot_be_kept_is_still_given(
    tmp_path: Path, path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    run(lambda cache: cache.get(b"k"), path)
    monkeypatch.setattr(cache_file, "BUSY_S", 0.01)
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("BEGIN IMMEDIATE")
        answer = run(lambda cache: CachedModel(counting_model(tmp_path), cache).ask(request()), path)
    assert answer.text == "answer 1"
    assert "was not kept" in caplog.text


# Upkeep ----------------------------------------------------------------------------------------------------------


def fill(path: Path) -> None:
    async def work(cache: Cache) -> None:
        for n, purpose in enumerate(("guard", "guard", "judge")):
            usage = Usage(cost=None if n == 0 else 0.5)
            await cache.put(b"key-%d" % n, Answer(text="secret words", usage=usage), model=ID, purpose=purpose)

    run(work, path)


def test_stats_say_what_is_there_and_make_nothing(path: Path) -> None:
    assert read_stats(path).answers == 0
    assert not path.parent.exists()
    fill(path)
    stats = read_stats(path)
    assert [(s.purpose, s.model, s.answers, s.cost, s.unpriced) for s in stats.shares] == [
        ("guard", "local|m", 2, 0.5, 1),
        ("judge", "local|m", 1, 0.5, 0),
    ]
    assert stats.answers == 3
    assert stats.file_bytes > 0


def test_clear_takes_all_or_some(path: Path) -> None:
    assert clear_cache(path).removed == 0
    fill(path)
    assert clear_cache(path, older_than_s=3600).removed == 0
    assert clear_cache(path, purposes=["judge", "plan"]).removed == 1
    assert read_stats(path).answers == 2
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE answers SET made = made - 7200 WHERE key = ?", (b"key-0",))
    assert clear_cache(path, older_than_s=3600).removed == 1
    assert clear_cache(path).removed == 1
    assert read_stats(path).answers == 0


def test_cleared_answers_are_gone_from_the_disk(path: Path) -> None:
    fill(path)
    clear_cache(path)
    left = b"".join(file.read_bytes() for file in path.parent.iterdir())
    assert b"secret words" not in left
