"""`trueline cache`: stats and clear, through the program's own entry."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from trueline.cli import main
from trueline.models.cache import Cache, cache_path
from trueline.models.types import Answer, ModelId, Purpose
from trueline.records.usage import Usage


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TRUELINE_CACHE_DIR", str(tmp_path / "cache"))
    return cache_path()


def fill(*purposes: Purpose) -> None:
    async def work() -> None:
        kept = Cache(cache_path())
        for n, purpose in enumerate(purposes):
            answer = Answer(text="words", usage=Usage(cost=None if purpose == "plan" else 0.25))
            model = ModelId(provider="local", model="m\x1b[2J")
            await kept.put(b"key-%d" % n, answer, model=model, purpose=purpose)
        await kept.close()

    asyncio.run(work())


def test_an_empty_cache(capsys: pytest.CaptureFixture[str], cache: Path) -> None:
    assert main(["cache", "stats"]) == 0
    assert "no cached answers" in capsys.readouterr().out
    assert main(["cache", "clear"]) == 0
    assert capsys.readouterr().out == "0 answers removed\n"
    assert not cache.exists()


def test_stats(capsys: pytest.CaptureFixture[str], cache: Path) -> None:
    fill("guard", "guard", "plan")
    assert main(["cache", "stats"]) == 0
    title, head, guard, plan = capsys.readouterr().out.splitlines()
    assert title.startswith(f"{cache}: 3 answers")
    assert head.split() == ["purpose", "model", "answers", "kB", "cost", "oldest"]
    assert guard.split()[:3] == ["guard", r"local|m\x1b[2J", "2"]
    assert "$0.5000" in guard
    assert "$0.0000 + 1 unknown" in plan
    assert main(["cache", "stats", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["path"], document["answers"]) == (str(cache), 3)
    assert [(s["purpose"], s["answers"], s["cost"], s["unpriced"]) for s in document["shares"]] == [
        ("guard", 2, 0.5, 0),
        ("plan", 1, 0.0, 1),
    ]


def test_clear_by_purpose_and_age(capsys: pytest.CaptureFixture[str], cache: Path) -> None:
    fill("guard", "judge", "plan")
    assert main(["cache", "clear", "--purpose", "guard", "judge", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"removed": 2, "moved_to": None}
    assert main(["cache", "clear", "--older_than", "1.5h"]) == 0
    assert capsys.readouterr().out == "0 answers removed\n"
    with closing(sqlite3.connect(cache)) as db, db:
        db.execute("UPDATE answers SET made = made - 3 * 86400")
    assert main(["cache", "clear", "--older-than", "2d"]) == 0
    assert capsys.readouterr().out == "1 answers removed\n"


def test_a_damaged_cache_is_named_and_moved_aside(capsys: pytest.CaptureFixture[str], cache: Path) -> None:
    cache.parent.mkdir()
    cache.write_bytes(b"no database at all" * 50)
    assert main(["cache", "stats"]) == 2
    error = capsys.readouterr().err
    assert str(cache) in error and "trueline cache clear" in error
    assert main(["cache", "clear"]) == 0
    moved = Path(capsys.readouterr().out.split("is now at ")[1].split(";")[0])
    assert moved.read_bytes() == b"no database at all" * 50
    assert main(["cache", "stats"]) == 0


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["cache"], "the following arguments are required: stats|clear"),
        (["cache", "clear", "--older-than", "3"], "'3' must be an age such as 90s, 45m, 12h, 30d or 2w"),
        (["cache", "clear", "--purpose", "gard"], "--purpose gard: unknown purpose"),
        (["cache", "clear", "--older-then", "3d"], "unknown flag --older-then"),
    ],
)
def test_wrong_words_are_exit_2_and_one_line(words: list[str], line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    error = capsys.readouterr().err
    assert line in error
    assert error.count("\n") == 1
