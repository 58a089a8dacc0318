"""The manifests of a result folder: how its results came about, without secrets, and how to get them again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from support.model_server import model_server
from support.small_suite import write_suite
from trueline.cli import main
from trueline.models.testing import Say
from trueline.runs.request_file import dump_request, make_request

SCREEN = ["--screen_width", "1024", "--screen_height", "768", "--progress", "none", "--json"]
FAIL = Say("```\nFAIL\n```")


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, machine: None) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LOCAL_OPENAI_API_KEY", "sk-secret-of-the-tests")
    write_suite(tmp_path / "suite", "t0")


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    code = main(["run", *words])
    return code, capsys.readouterr().err


def manifests(folder: str) -> dict[str, Any]:
    return {path.name: json.loads(path.read_bytes()) for path in Path(folder).glob("manifest*.json")}


def everything(folder: str) -> bytes:
    return b"".join(path.read_bytes() for path in Path(folder).rglob("*") if path.is_file())


def test_each_distinct_command_keeps_its_manifest(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--suite", "suite", "--agent", "fail", *SCREEN]
    assert run(capsys, *words)[0] == 0
    first = manifests("results")
    assert len(first) == 1
    assert run(capsys, *words)[0] == 0
    assert manifests("results") == first
    assert run(capsys, *words, "--num_envs", "2")[0] == 0
    both = manifests("results")
    assert len(both) == 2
    assert first.items() <= both.items()


@pytest.mark.full
def test_a_manifest_runs_the_same_again_elsewhere(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "--suite", "suite", "--agent", "fail", *SCREEN)[0] == 0
    (name,) = manifests("results")
    for words in (["results"], [f"results/{name}"], ["results", "--result_dir", "./results/"]):
        code, err = run(capsys, "--reproduce", *words)
        assert (code, "name another folder with --result_dir" in err) == (2, True)
    code, err = run(capsys, "--reproduce", "results", "--result_dir", "again")
    assert code == 0, err
    (first,), (second,) = manifests("results").values(), manifests("again").values()
    assert first["setting_digest"] == second["setting_digest"]
    assert first["episodes"] == second["episodes"]
    episode = Path(first["episodes"][0], "episode.json")
    seeds = [json.loads(Path(folder, episode).read_bytes())["seed"] for folder in ("results", "again")]
    assert seeds[0] == seeds[1]


@pytest.mark.full
def test_what_would_not_be_the_same_is_refused_and_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "--suite", "suite", "--agent", "fail", *SCREEN)[0] == 0
    (name,) = manifests("results")

    def again(*words: str) -> str:
        code, err = run(capsys, "--reproduce", f"results/{name}", "--result_dir", "again", *words)
        assert (code, err.count("\n")) == (2, 1)
        assert not Path("again").exists()
        return err

    said = again("--max_steps", "7", "--seed", "3")
    assert "limits.max_steps: 15 there, 7 here" in said
    assert "seed: 0 there, 3 here" in said
    path = Path("results", name)
    document = json.loads(path.read_bytes())
    path.write_text(json.dumps(document | {"trueline": "0.0.1"}))
    assert 'trueline: "0.0.1" there' in again()
    path.write_text(json.dumps(document))
    task = Path("suite/examples/os/t0.json")
    task.write_text(task.read_text().replace("Write hello", "Write Hello"))
    assert "the tasks' files" in again()
    path.write_text(json.dumps(document | {"episodes": []}))
    assert "the list of episodes" in again()
    path.write_text(json.dumps({"words": "x"}))
    assert "is not a run manifest: trueline: is required" in again()


def test_of_several_manifests_one_must_be_named(capsys: pytest.CaptureFixture[str]) -> None:
    Path("results").mkdir()
    assert "which has none" in run(capsys, "--reproduce", "results", "--result_dir", "again")[1]
    for name in "ab":
        Path(f"results/manifest-{name}.json").write_text("{}")
    code, err = run(capsys, "--reproduce", "results", "--result_dir", "again")
    assert (code, "manifest-a.json, manifest-b.json" in err) == (2, True)


@pytest.mark.full
def test_a_password_is_written_nowhere_and_asked_for_again(capsys: pytest.CaptureFixture[str]) -> None:
    spelt = ["--client_password", "hunter2secret"]
    with model_server(default=FAIL) as server:
        words = ["--suite", "suite", "--model", "local|m", "--model_url", f"{server.url}/v1", *SCREEN]
        assert run(capsys, *words, *spelt)[0] == 0
        assert b"hunter2secret" in server.seen[0].raw, "the agent itself is told"
        assert b"hunter2secret" not in everything("results")
        again = ["--reproduce", "results", "--result_dir", "again"]
        code, err = run(capsys, *again)
        assert (code, "secrets are not stored in a manifest; pass all of --client_password again" in err) == (2, True)
        assert not Path("again").exists()
        assert run(capsys, *again, *spelt)[0] == 0
    assert b"hunter2secret" not in everything("again")


@pytest.mark.parametrize(
    ("fields", "kept"),
    [
        ({"client_password": "x1", "domain": "os"}, {"client_password": "[hidden]", "domain": "os"}),
        ({"client_password": "passwort", "seed": 1}, {"client_password": "[hidden]", "seed": 1}),
        ({"client_password": "password", "seed": 1}, {"seed": 1}),
        ({"agent_options": {"a": 1, "password": 12}}, {"agent_options": {"a": 1, "password": "[hidden]"}}),
        ({"agent_options": {"secret": "x"}}, {"agent_options": {"secret": "[hidden]"}}),
        ({"guard": "a:B", "guard_options": {"api_key": "Zq8-of-the-tests"}},
         {"guard": "a:B", "guard_options": {"api_key": "[hidden]"}}),
        ({"model_url": "http://h/sk-secret-of-the-tests"}, {"model_url": "http://h/[key]"}),
        ({"model_url": "http://me:pw@h/v1"}, {"model_url": "http://[hidden]@h/v1"}),
    ],
)  # fmt: skip
def test_a_request_is_written_without_its_secrets(fields: dict[str, Any], kept: dict[str, Any]) -> None:
    assert dump_request(make_request(fields)) == kept


@pytest.mark.full
def test_a_manifest_of_the_first_version_still_reproduces(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--suite", "suite", "--agent", "fail", "--screen_width", "1024", "--screen-height", "768", "--seed", "5"]
    assert run(capsys, *words, "--progress", "none")[0] == 0
    (path,) = Path("results").glob("manifest*.json")
    new = json.loads(path.read_bytes())
    assert new.pop("request")["seed"] == 5
    path.write_text(json.dumps({**new, "words": [*words, "--progress", "none", "--json"]}))
    code, err = run(capsys, "--reproduce", "results", "--result_dir", "again")
    assert code == 0, err
    (again,) = manifests("again").values()
    assert again["setting_digest"] == new["setting_digest"]
    assert again["request"]["seed"] == 5


AGENT = """
from trueline.actions import Done
from trueline.records import ObservationSpec, Proposal

class Mine:
    wants = ObservationSpec(screenshot=True)
    def __init__(self, api_key, engine, mood="calm"): assert api_key == engine["token"] == "Zq8-of-the-tests"
    async def reset(self, ctx): pass
    async def propose(self, obs, last): return Proposal(id="p", actions=(Done(),))
    async def revise(self, rejected, feedback): return rejected
"""


@pytest.mark.full
def test_keys_among_an_agents_options_are_written_nowhere(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("mine_keys.py").write_text(AGENT)
    monkeypatch.syspath_prepend(".")
    options = ["api_key=Zq8-of-the-tests", 'engine={"name": "e", "token": "Zq8-of-the-tests"}', "mood=glad"]
    words = ["--suite", "suite", "--agent", "mine_keys:Mine", *SCREEN, "--agent_option", *options]
    code, err = run(capsys, *words)
    assert code == 0, err
    assert b"Zq8-of-the-tests" not in everything("results")
    (manifest,) = manifests("results").values()
    assert manifest["setting"]["agent_options"] == {
        "api_key": "[hidden]", "engine": {"name": "e", "token": "[hidden]"}, "mood": "glad",
    }  # fmt: skip
