"""The simulated user: what it is shown, and what of its words reaches the agent."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from pydantic import JsonValue

from trueline.actions import Type
from trueline.models.scripted import ScriptedModel
from trueline.records import ActionResult, Attempt, Proposal, Step
from trueline.records.end import End
from trueline.runs.retries.binary import BinaryRetry
from trueline.runs.retries.clarify import ClarifyUponRetry
from trueline.runs.types import FailedTry

STEP = Step(
    number=1,
    attempts=(Attempt(proposal=Proposal(id="p", thought="I save it", actions=(Type(text="hi"),))),),
    results=(ActionResult(action=Type(text="hi")),),
)
RULE: JsonValue = {"expected": {"rules": {"include": ["blue elephant"]}}}


def model(tmp_path: Path, *rules: dict[str, object]) -> ScriptedModel:
    path = tmp_path / "user.json"
    path.write_text(json.dumps({"rules": list(rules)}))
    return ScriptedModel(path)


def says(message: str, **when: object) -> dict[str, object]:
    return {"when": when, "answer": {"json": {"thought": "…", "message": message}}}


def clarify(model: ScriptedModel) -> ClarifyUponRetry:
    return ClarifyUponRetry(model, "Name the animal.", RULE, max_retries=2)


def word(retry: BinaryRetry | ClarifyUponRetry, number: int = 1) -> str | None:
    told = asyncio.run(retry.after(FailedTry(number, End.DONE, 0.0, (STEP,))))
    return None if told is None else told.text


def test_the_users_word_reaches_the_agent_and_only_so_often(tmp_path: Path) -> None:
    user = clarify(model(tmp_path, says("I wanted the colour as well.", text="I save it")))
    assert "I wanted the colour as well." in (word(user) or "")
    assert word(user, 3) is None


def test_a_user_who_gives_it_away_is_asked_again(tmp_path: Path) -> None:
    user = clarify(model(tmp_path, says("Say more about it.", text="not passed on"), says("It is a Blue  Elephant!")))
    told = word(user) or ""
    assert "Say more about it." in told
    assert "lephant" not in told


def test_a_user_who_cannot_keep_it_says_only_that_it_failed(tmp_path: Path) -> None:
    told = word(clarify(model(tmp_path, says("A blue elephant.")))) or ""
    assert told == word(BinaryRetry(max_retries=1))
    assert "lephant" not in told


def test_what_the_user_took_is_counted(tmp_path: Path) -> None:
    retry = clarify(model(tmp_path, says("A blue elephant.")))
    told = asyncio.run(retry.after(FailedTry(1, End.DONE, 0.0, (STEP,))))
    assert told is not None and told.usage is not None and told.usage.calls == 3
