"""The file of the cache: shared by processes and threads, damaged, foreign, counted and cleared."""

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
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trueline.models.cache import Cache, CachedModel, cache_path, clear_cache, read_stats
from trueline.models.cache import file as cache_file
from trueline.models.cache.file import CacheDamagedError, CacheError
from trueline.models.scripted import ScriptedModel
from trueline.models.types import Answer, ModelId, Request, user
from trueline.records.usage import Usage

ID = ModelId(provider="local", model="m", url="http://localhost:8000/v1")


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
    with pytest.raises(CacheError, match="not a cache of Trueline"):
        run(lambda cache: cache.get(b"k"), path)
    with pytest.raises(CacheError, match="not a cache of Trueline"):
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
    script = tmp_path / "script.json"
    script.write_text(json.dumps({"rules": [{"answer": {"text": "paid for"}}]}))
    monkeypatch.setattr(cache_file, "BUSY_S", 0.01)
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("BEGIN IMMEDIATE")
        request = Request(messages=(user("hello"),), purpose="guard")
        answer = run(lambda cache: CachedModel(ScriptedModel(script), cache).ask(request), path)
    assert answer.text == "paid for"
    assert "was not kept" in caplog.text


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
