"""Narratives: one call per executed step, cached, made in the background, and never an exception."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from guard.engine_samples import CLICK, NOW, Quitter, Servers, past, png, say, says, scripted, seen
from trueline.actions import Type
from trueline.guard.narrative import LONGEST, BackgroundNarrator, Narrator
from trueline.models import Model
from trueline.models.cache import Cache, CachedModel
from trueline.models.testing import Hang, Play, Say, Status
from trueline.records.observation import Observation
from trueline.records.step import Narrative

TOLD = {"narrative": "The inbox was opened; three mails are listed."}
STEP, AFTER = past(1, CLICK, Type(text="hello")), seen(2)


def test_a_step_is_told_from_both_screens_and_the_action() -> None:
    servers = Servers(say(TOLD), Hang())
    told = servers.run(lambda model, _: Narrator(model).narrate(STEP, AFTER, episode="e"))
    assert told.text == TOLD["narrative"]
    assert told.error is None and told.model == "local|fast"
    assert told.usage is not None and told.usage.calls == 1 and told.latency is not None
    [asked] = servers.server.seen
    assert len(asked.pictures()) == 2 and len(set(asked.pictures())) == 2
    assert b"hello" in asked.raw and b"click" in asked.raw


@pytest.mark.parametrize(
    ("play", "words"),
    [
        (Status(500), "no"),
        (Say(stop="refusal", refusal="never"), "refused"),
        (Say('{"narrative": "half', stop="length"), "cut off"),
        (Say("just words"), "schema"),
        (say({"narrative": "  "}), "empty"),
        (Hang(), "deadline"),
    ],
    ids=["status", "refusal", "truncated", "no JSON", "empty", "hang"],
)
def test_what_goes_wrong_stands_in_the_narrative(play: Play, words: str) -> None:
    servers = Servers(play, Hang())
    told = servers.run(lambda model, _: Narrator(model, deadline=0.5 if play == Hang() else 20).narrate(STEP, AFTER))
    assert told.text is None
    assert told.error and (words in told.error or "in time" in told.error)


def test_a_model_that_cancels_itself_leaves_no_narrative() -> None:
    told = asyncio.run(Narrator(Quitter()).narrate(STEP, AFTER))
    assert told.text is None and "cancelled" in str(told.error)


@pytest.mark.parametrize("missing", ["before", "after"])
def test_a_missing_screen_is_an_error_and_nothing_is_asked(tmp_path: Path, missing: str) -> None:
    nothing = Observation(NOW)
    step, after = (replace(STEP, observation=nothing), AFTER) if missing == "before" else (STEP, nothing)
    told = asyncio.run(Narrator(scripted(tmp_path, "m", says(TOLD))).narrate(step, after))
    assert told.text is None and missing in str(told.error)
    assert told.usage is not None and told.usage.calls == 0


def test_a_narrative_is_one_short_line(tmp_path: Path) -> None:
    model = scripted(tmp_path, "m", says({"narrative": "One.\n\nTwo\u202e." + "x" * 5000}))
    told = asyncio.run(Narrator(model).narrate(STEP, AFTER))
    assert told.text is not None and len(told.text) <= LONGEST + 10
    assert told.text.startswith("One. Two\\u202e.x")


def test_the_same_step_is_told_once(tmp_path: Path) -> None:
    servers = Servers(say(TOLD), Hang())

    async def work(model: Model, _: Model) -> list[Narrative]:
        cache = Cache(tmp_path / "answers.sqlite")
        steps = (STEP, replace(STEP, number=9, narrative="old"), past(1, CLICK))
        # A new narrator each time, as in another process.
        made = [await Narrator(CachedModel(model, cache)).narrate(step, AFTER) for step in steps]
        await cache.close()
        return made

    first, again, other = servers.run(work)
    assert servers.server.count == 2
    assert first.text == again.text == other.text
    assert again.usage is not None and (again.usage.calls, again.usage.cost) == (0, 0.0)
    assert other.usage is not None and other.usage.calls == 1


def test_in_the_background_steps_are_told_a_few_at_a_time() -> None:
    servers = Servers(say(TOLD, delay_s=0.05), Hang())

    async def work(model: Model, _: Model) -> dict[int, Narrative]:
        async with BackgroundNarrator(Narrator(model), in_flight=2) as background:
            assert await background.collect() == {}
            for number in range(1, 7):
                background.start(past(number, CLICK), AFTER)
                background.start(past(number, CLICK), AFTER)
            return await background.collect()

    told = servers.run(work)
    assert sorted(told) == [1, 2, 3, 4, 5, 6]
    assert all(narrative.text for narrative in told.values())
    assert servers.server.count == 6 and servers.server.most_active == 2


def test_collecting_does_not_wait_for_ever_and_leaving_stops_what_hangs() -> None:
    servers = Servers(Hang(), Hang())

    async def work(model: Model, _: Model) -> dict[int, Narrative]:
        async with BackgroundNarrator(Narrator(model)) as background:
            background.start(STEP, AFTER)
            await servers.server.asked.wait()
            told = await background.collect(wait=0.01)
        await servers.server.abandoned.wait()
        return told

    assert servers.run(work) == {}


def test_screens_come_as_they_are(tmp_path: Path) -> None:
    fits = {"when": {"images": 2, "purpose": "narrative"}} | says(TOLD)
    file = tmp_path / "after.png"
    file.write_bytes(png(5))
    narrator = Narrator(scripted(tmp_path, "m", fits))
    assert asyncio.run(narrator.narrate(STEP, Observation(NOW, screenshot=file))).text == TOLD["narrative"]
