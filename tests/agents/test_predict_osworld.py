"""One of the agents that come with OSWorld's own package, in its own environment."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from pydantic import JsonValue

from support.acting import FEEDBACK, INSTRUCTION, SCREEN, items, observed, plain, texts
from trueline.actions import Click, Done, Fail, Point
from trueline.agents import AgentContext, find_agent
from trueline.agents.types import close_agent
from trueline.models.testing import FakeServer, Say
from trueline.records.setting import Sampling

PYTHON = Path(__file__).resolve().parents[2] / ".venv-osworld" / "bin" / "python"
AGENT = "mm_agents.uitars15_v2:UITarsAgent"


@pytest.mark.full
def test_an_agent_of_osworlds_package_runs_as_one_of_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The agent logs through a package that OSWorld's environment here does not have; it needs no more of it than this.
    (tmp_path / "loguru.py").write_text("import logging\nlogger = logging.getLogger('loguru')\n")
    options: dict[str, JsonValue] = {
        "python": str(PYTHON),
        "path": [str(tmp_path)],
        "model": "doubao-1-5-thinking-vision-pro",
        "arguments": {"model_type": "doubao", "max_image_history_length": 5, "language": "English"},
    }
    found = find_agent(AGENT, options, Sampling(temperature=0.0, top_p=0.9, max_tokens=500))
    assert found.revises == "emulated"
    answers = (
        Say("Thought: I open it.\nAction: click(point='<point>500 500</point>')"),
        Say("Thought: Rather this.\nAction: left_double(point='<point>250 250</point>')"),
        Say("Thought: That is all.\nAction: finished(content='done')"),
        Say("What a day."),
    )
    server = FakeServer(*answers, default=Say("What a day."))

    async def main() -> None:
        async with asyncio.timeout(100), server:
            monkeypatch.setenv("DOUBAO_API_KEY", "key-of-the-tests")
            monkeypatch.setenv("DOUBAO_API_URL", f"{server.url}/chat/completions")
            agent = found.make()
            try:
                await agent.reset(AgentContext(INSTRUCTION, SCREEN))
                first = await agent.propose(observed(), ())
                assert [action for action in plain(first.actions) if action.kind == "click"] == [
                    Click(at=Point(960, 540))
                ]
                assert first.raw == answers[0].text
                revised = await agent.revise(first, FEEDBACK)
                assert [a.count for a in revised.actions if isinstance(a, Click)] == [2]
                assert "revise=emulated" in revised.notes
                assert plain((await agent.propose(observed(), ())).actions) == [Done()]
                assert plain((await agent.propose(observed(), ())).actions) == [Fail()]
            finally:
                await close_agent(agent)

    asyncio.run(main())
    bodies = [seen.body for seen in server.seen]
    assert INSTRUCTION in texts(bodies[0]["messages"])
    assert ("It deletes a file." in texts(bodies[0]), "It deletes a file." in texts(bodies[1]["messages"])) == (
        False,
        True,
    )
    assert len(items(bodies[2]["messages"])) > len(items(bodies[0]["messages"]))
    assert server.seen[0].pictures()
