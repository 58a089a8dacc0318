"""`--guard_ocr`: text read from the screenshot, wherever the guard looks."""

from __future__ import annotations

import asyncio
import base64
import importlib
import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from support.bench_set import write_set
from support.drawn_screens import DELETE, draw_screen
from support.results import write_run
from support.serving import running
from trueline.actions import Click, Point
from trueline.cli import main
from trueline.desktop.ocr import shared_reader
from trueline.guard import DeActionGuard, GuardConfig
from trueline.guard.ocr import ScreenReader
from trueline.guard.policy import load_policy
from trueline.guard.replay import Replay, Replayer
from trueline.records import ActionResult, Attempt, EpisodeWriter, Observation, Proposal, Step, TaskRef
from trueline.records.end import End
from trueline.records.events import Ended, Started
from trueline.records.verdict import Verdict

NOW = datetime(2026, 3, 20, tzinfo=UTC)
ACTION = f"pyautogui.click{DELETE.middle}"
SEEN = "click on the text 'Delete' (read by OCR): delete"
CHECK = ["guard", "check", "--instruction", "Rename it", "--action", "action.py", "--screenshot", "screen.png"]
BENCH = ["guard", "bench", "--benchmark_file", "MisActBench", "--detector", "policy"]


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("action.py").write_text(ACTION)
    Path("screen.png").write_bytes(draw_screen())


@pytest.mark.full
def test_check_tells_what_a_click_lands_on(capsys: pytest.CaptureFixture[str]) -> None:
    def said(*words: str) -> list[str]:
        assert main([*CHECK, "--json", *words]) == 0
        verdict = Verdict.model_validate_json(capsys.readouterr().out)
        return [item.text for item in verdict.evidence if item.source == "ocr"]

    assert said() == []
    assert said("--guard_ocr") == [SEEN]
    assert main([*CHECK, "--guard_ocr"]) == 0
    assert f"evidence (ocr): {SEEN}" in capsys.readouterr().out


@pytest.mark.full
def test_bench_reads_the_screens_and_its_setting_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    file = write_set(Path(), 1)
    folder = file.parent / "trajectories" / "trajectory-0000"
    data = json.loads(file.read_text())
    for number, step in data["trajectory-0000"]["steps"].items():
        step["agent_output"] = ACTION
        (folder / f"step_{int(number) - 1}.png").write_bytes(draw_screen())
    file.write_text(json.dumps(data))
    assert main([*BENCH, "--guard_ocr"]) == 0
    assert SEEN in Path("output/deaction_results.json").read_text()
    assert main(BENCH) == 2
    assert "(ocr: rapidocr " in capsys.readouterr().err


@pytest.mark.full
def test_replay_reads_the_screens_of_stored_runs() -> None:
    folder = Path("results/pyautogui/screenshot/some-model/os/a")
    _write_episode(folder)
    guard = DeActionGuard(GuardConfig(policy=load_policy(), ocr=ScreenReader()))

    async def work() -> Replay:
        found = await Replayer(guard, None, "block", asyncio.Semaphore(4)).replay(folder)
        assert isinstance(found, Replay)
        return found

    (step,) = asyncio.run(work()).steps
    assert SEEN in [item.text for item in step.verdict.evidence if item.source == "ocr"]
    assert main(["guard", "replay", "results", "--guard_ocr"]) == 0


@pytest.mark.full
def test_a_service_reads_the_screens_it_is_sent() -> None:
    guard = DeActionGuard(GuardConfig(policy=load_policy(), ocr=ScreenReader()))
    picture = base64.b64encode(Path("screen.png").read_bytes()).decode()

    async def work() -> Any:
        async with asyncio.timeout(60), running(guard) as client:
            session = await client.begin()
            asked = {"session": session, "action": ACTION, "screenshot": picture}
            return await client.post("/v1/check", asked)

    status, answer = asyncio.run(work())
    assert status == 200
    assert SEEN in [item["text"] for item in answer["evidence"] if item["source"] == "ocr"]


@pytest.mark.full
def test_the_mcp_server_reads_the_operators_screen() -> None:
    mcp = importlib.import_module("mcp")
    words = [
        "-m",
        "trueline",
        "guard",
        "mcp",
        "--guard_ocr",
        "--instruction",
        "Rename it",
        "--screenshot",
        "screen.png",
    ]

    async def work() -> Any:
        server = mcp.StdioServerParameters(command=sys.executable, args=words, cwd=str(Path.cwd()))
        async with asyncio.timeout(60), mcp.Client(server) as connected:
            return await connected.call_tool("check_action", {"action": ACTION})

    assert SEEN in "".join(part.text for part in asyncio.run(work()).content)


@pytest.mark.parametrize(
    "words",
    [
        CHECK,
        BENCH,
        ["guard", "replay", "results"],
        ["guard", "redteam"],
        ["guard", "serve", "--port", "0"],
        ["guard", "proxy", "--upstream", "127.0.0.1:9", "--port", "0"],
        pytest.param(["guard", "mcp"], marks=pytest.mark.full),
    ],
    ids=lambda words: words[1],
)
def test_without_the_extra_one_line_names_it(
    words: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "rapidocr", None)
    shared_reader.cache_clear()  # another test may have loaded it
    write_set(Path(), 1)
    write_run(Path("results"), {"a": 1.0})
    assert main([*words, "--guard_ocr"]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1
    assert "reading text from pictures" in err and "trueline[ocr]" in err


def test_without_the_policy_stage_it_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*CHECK, "--no_policy", "--guard_ocr"]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1 and "--guard_ocr: applies to the policy stage, which --no_policy disables" in err


def _write_episode(folder: Path) -> None:
    writer = EpisodeWriter(folder, Started(time=NOW, task=TaskRef(domain="os", id="a"), instruction="Rename it."))
    seen = writer.keep_observation(Observation(NOW, draw_screen()))
    click = Click(at=Point(*DELETE.middle))
    shot = writer.keep_screenshot(draw_screen(()), step=1, time=NOW)
    writer.step(
        Step(
            number=1,
            observation=seen,
            attempts=(Attempt(proposal=Proposal(id="1", actions=(click,))),),
            results=(ActionResult(action=click, time=NOW, screenshot=shot),),
        )
    )
    writer.finish(Ended(time=NOW, end=End.DONE, score=1.0))
