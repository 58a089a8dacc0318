"""`trueline judge` and its subcommands, through the program's own entry."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from judge.samples import (
    SAFE,
    UNSAFE,
    asks_for_judgment,
    judged,
    judging,
    judgments_below,
    osharm_episode,
    our_episode,
    place,
    tree,
)
from trueline.cli import main
from trueline.models.testing import FakeServer, Hang, Play, Say, Seen
from trueline.records import Attack, Funnel

Out = pytest.CaptureFixture[str]
MODEL = ("--judge_model", "local|wise", "--caption_model", "local|eyes")


@pytest.fixture(autouse=True)
def clean_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No keys, and a cache of its own; results lie beside it."""
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "LOCAL_OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("TRUELINE_CACHE_DIR", str(tmp_path / "cache"))


def run(server: FakeServer, *words: str) -> int:
    """Judge with models on the server."""

    async def serve() -> int:
        async with server:
            with pytest.MonkeyPatch.context() as patch:
                patch.setenv("LOCAL_OPENAI_BASE_URL", f"{server.url}/v1")
                return await asyncio.to_thread(main, ["judge", *words])

    return asyncio.run(serve())


def test_one_episode_is_judged_and_told(tmp_path: Path, capsys: Out) -> None:
    folder = osharm_episode(place(tmp_path / "results"))
    assert run(FakeServer(default=judging(UNSAFE)), str(folder), *MODEL) == 0
    out = capsys.readouterr().out
    assert "wise/aer/v3: 1 judged, 0 judged before, 0 errors" in out
    assert "success false, safety false, violation_step 1" in out
    assert "It sends the file." in out
    assert json.loads((folder / "judgment/wise/aer/v3/judgment.json").read_bytes()) == UNSAFE
    # A single trajectory gets no batch file, least of all inside of itself.
    assert not list(tmp_path.rglob("batch_judgment_results_*"))


def test_a_tree_gets_os_harms_batch_file(tmp_path: Path, capsys: Out) -> None:
    root = tree(tmp_path / "results")
    answers = iter([SAFE, UNSAFE])

    def play(seen: Seen) -> Play:
        if not asks_for_judgment(seen):
            return Say("a caption")
        answer = next(answers, None)
        return Say(json.dumps(answer)) if answer else Say("", stop="refusal", refusal="no")

    flags = ("--max_workers", "1", "--json")
    assert run(FakeServer(default=play), str(root), *MODEL, *flags) == 1
    document = json.loads(capsys.readouterr().out)
    assert [item["error"] for item in document["episodes"]] == [None, None, "the model refused: no"]
    batch = json.loads((root / "batch_judgment_results_wise_aer_v3.json").read_bytes())
    assert batch["config"] == {
        "root_dir": str(root), "observation_type": None, "sys_prompt_version": "v3", "judge_model": "wise",
        "judge_type": "aer",
    }  # fmt: skip
    names = [str(place(root, f"_t{k}")) for k in range(3)]
    assert batch["results"] == {names[0]: SAFE, names[1]: UNSAFE}
    assert batch["errors"] == {names[2]: "the model refused: no"}
    assert batch["summary"] == {
        "total_trajectories": 3, "successful_evaluations": 2, "errors": 1, "safety_rate": 0.5, "success_rate": 0.5,
    }  # fmt: skip
    assert batch["timing"]["processing_times"].keys() == set(names[:2])
    assert batch["timing"]["slowest_trajectory"] in names


def test_the_next_run_does_only_the_rest(tmp_path: Path, capsys: Out) -> None:
    root = tree(tmp_path / "results")
    bad = FakeServer(default=lambda seen: Say("?") if asks_for_judgment(seen) else Say("a caption"))
    assert run(bad, str(root), *MODEL) == 1
    assert judgments_below(root) == []
    good = FakeServer(default=judging())
    assert run(good, str(root), *MODEL) == 0
    # The captions were paid for before.
    assert [asks_for_judgment(seen) for seen in good.seen] == [True] * 3
    idle = FakeServer()
    assert run(idle, str(root), *MODEL) == 0
    assert idle.count == 0
    assert "0 judged, 3 judged before, 0 errors" in capsys.readouterr().out


def test_the_same_question_is_not_paid_for_twice_unless_asked_again(tmp_path: Path) -> None:
    """Two episodes in which the same happened: the second judgment comes from the cache."""
    for name in ("a", "b"):
        osharm_episode(place(tmp_path / "results", name))
    server = FakeServer(default=judging())
    assert run(server, str(tmp_path / "results"), *MODEL, "--max_workers", "1") == 0
    assert server.count == 2
    assert len(judgments_below(tmp_path)) == 2
    metas = [json.loads(path.read_bytes()) for path in tmp_path.rglob("judgment.meta.json")]
    spent = sorted(meta["usage"]["input_tokens"] + meta["caption_usage"]["input_tokens"] for meta in metas)
    assert spent[0] == 0 < spent[1]
    server = FakeServer(default=judging(UNSAFE))
    assert run(server, str(tmp_path / "results"), *MODEL, "--again") == 0
    assert [asks_for_judgment(seen) for seen in server.seen] == [True, True]
    assert [json.loads(path.read_bytes()) for path in judgments_below(tmp_path)] == [UNSAFE, UNSAFE]


PRICES = """
[[price]]
providers = ["local"]
as_of = 2030-01-01
models.wise = { input = 1000, output = 1000 }
models.eyes = { input = 0, output = 0 }
"""


def test_a_money_limit_is_kept_and_the_rest_is_judged_later(tmp_path: Path, capsys: Out) -> None:
    root = tree(tmp_path / "results")
    Path("prices.toml").write_text(PRICES)
    words = (str(root), *MODEL, "--max_workers", "1", "--prices", "prices.toml")
    # What is asked first costs more than that, and is answered.
    assert run(FakeServer(default=judging()), *words, "--max_cost", "0.0001") == 1
    out, err = capsys.readouterr()
    assert "wise/aer/v3: 1 judged, 0 judged before, 2 errors" in out
    assert err.count("the money limit of $0.0001 is reached") == 2
    assert run(FakeServer(default=judging()), *words) == 0
    assert "2 judged, 1 judged before, 0 errors" in capsys.readouterr().out


def test_a_money_limit_that_could_not_be_kept_is_refused(tmp_path: Path, capsys: Out) -> None:
    server = FakeServer(default=judging())
    assert run(server, str(tree(tmp_path / "results")), *MODEL, "--max_cost", "1") == 2
    assert server.count == 0
    assert "--max_cost: cannot be enforced, the price of local|wise is unknown" in capsys.readouterr().err


def test_errors_name_their_episodes_and_are_not_endless(tmp_path: Path, capsys: Out) -> None:
    root = tree(tmp_path / "results", 12)
    refusing = FakeServer(default=Say("", stop="refusal", refusal="no"))
    assert run(refusing, str(root), *MODEL, "--judge_type", "a11y_tree", "--max_workers", "1") == 1
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == f"error: {place(root, '_t0')}: wise/a11y_tree/v3: the model refused: no"
    assert len(lines) == 11
    assert lines[-1].startswith("error: and 2 more (see the batch files")


def test_the_report_does_not_depend_on_the_batch_file(tmp_path: Path, capsys: Out) -> None:
    root = tree(tmp_path / "results", 1)
    # Nothing can be put in its place.
    (root / "batch_judgment_results_rules_rules_v1.json").mkdir()
    assert main(["judge", str(root), "--judge_type", "rules", "--json"]) == 1
    shown = capsys.readouterr()
    assert len(json.loads(shown.out)["episodes"]) == 1
    assert shown.err.startswith(f"error: {root}/batch_judgment_results_rules_rules_v1.json: cannot be written")


def test_rules_need_no_model(tmp_path: Path, capsys: Out) -> None:
    root = tmp_path / "results"
    our_episode(place(root, "plain"), score=1.0)
    attack = Attack(vector="website", goal="g")
    funnel = Funnel(achieved=True, attempted=True, attempted_step=2)
    bad = our_episode(place(root, "t__inject__website__g"), kind="injection", attack=attack, funnel=funnel, score=0.0)
    assert main(["judge", "--judge_type", "rules", str(root)]) == 0
    assert "1 unsafe, 0 safe, 1 unknown; 1 completed, 1 not, 0 unknown" in capsys.readouterr().out
    judgment = json.loads((bad / "judgment/rules/rules/v1/judgment.json").read_bytes())
    assert (judgment["success"], judgment["safety"], judgment["violation_step"]) == (False, False, 1)
    assert (root / "batch_judgment_results_rules_rules_v1.json").exists()


def test_flags_may_come_first_as_in_os_harms_own_command(tmp_path: Path, capsys: Out) -> None:
    root = tree(tmp_path / "results", 1)
    server = FakeServer(default=judging())
    assert run(server, "--judge_type", "a11y_tree", "--judge_model", "local|a", "local|b", str(root)) == 0
    assert {path.parents[2].name for path in judgments_below(root)} == {"a", "b", "panel+a+b"}
    assert main(["judge", "summary", "--judge_model", "a", str(root)]) == 0
    assert "Judge a/a11y_tree/v3" in capsys.readouterr().out


def test_a_panel_shows_dissent_agreement_and_cost(tmp_path: Path, capsys: Out) -> None:
    root = tree(tmp_path / "results", 4)
    unsafe = {("b", "_t1"), ("b", "_t2"), ("c", "_t2")}

    def answer(seen: Seen) -> dict[str, object]:
        name = next(name for name in ("_t0", "_t1", "_t2", "_t3") if name in seen.raw.decode())
        return UNSAFE if (seen.model, name) in unsafe else SAFE

    panel = ("--judge_model", "local|a", "local|b", "local|c", "--judge_type", "a11y_tree")
    assert run(FakeServer(default=judging(answer)), str(root), *panel) == 0
    out = capsys.readouterr().out
    assert "panel+a+b+c/a11y_tree/v3: 4 judged" in out
    assert "panel, safety: Krippendorff's alpha" in out
    assert f"{place(root, '_t1')}\n  a/a11y_tree/v3: safe, successful\n  b/a11y_tree/v3: unsafe at step 1" in out
    assert "4 calls, 44 tokens in, 20 out, cost unknown" in out
    assert run(FakeServer(), str(root), *panel, "--json") == 0
    document = json.loads(capsys.readouterr().out)
    # Three of twelve answers differ: two pairs on one episode, two on another.
    assert document["alpha"]["safety"] == pytest.approx(1 - 11 * 4 / (2 * 3 * 9))


@pytest.mark.parametrize("sent", [True, False])
def test_a_folder_named_like_a_subcommand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sent: bool) -> None:
    monkeypatch.chdir(tmp_path)
    osharm_episode(place(tmp_path / "summary"))
    if sent:
        assert main(["judge", "./summary", "--judge_type", "rules"]) == 0
        assert main(["judge", "summary", "summary"]) == 0
    else:
        assert main(["judge", "summary"]) == 2


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["nowhere"], "nowhere: there is no such folder"),
        ([], "no folder is named"),
        (["--judge_model", "gpt-4.1", "nowhere"], "no folder is named"),
        (["R", "--judge_type", "best"], "--judge_type: must be 'aer', 'default',"),
        (["R", "--sys_prompt_version", "v9"], "--sys_prompt_version: must be 'v1', 'v2', 'v3' or 'v4', not \"v9\""),
        (["R", "--observation_type", "sound"], "--observation_type: must be 'screenshot', 'a11y_tree'"),
        (["R", "--judge_model", "local|m", "local|m"], "is named twice"),
        (["R", "--judge_model", "local|human"], "is a reserved name"),
        (["R", "--judge_model", "nonsense"], "its provider is not known"),
        (["R", "--judge_model", "gpt-4.1"], "set OPENAI_API_KEY"),
        (["R", "--judge_model", "local|m"], "needed to describe screenshots; --caption_model names another"),
        (["R", "--judge-typ", "rules"], "did you mean --judge_type?"),
        (
            ["R", "--judge_type", "rules", "--test_config_base_dir", "nowhere"],
            "--test_config_base_dir nowhere: has no folder examples",
        ),
        (["R", "--temperature", "nan"], "nan is not a temperature"),
        (["R", "--temperature", "-1"], "-1 is not a temperature"),
        (["R", "--max_workers", "0"], "must be greater than 0, not 0"),
        (["summary", "R"], "not judged"),
        (["agreement", "R"], "no labels of episodes below"),
        (["summary", "R", "--index", "x.json"], "cannot tell the kind of its tasks"),
    ],
)
def test_wrong_words_are_one_line_and_exit_2(tmp_path: Path, capsys: Out, words: list[str], line: str) -> None:
    osharm_episode(place(tmp_path / "results"))
    assert main(["judge", *(str(tmp_path / "results") if word == "R" else word for word in words)]) == 2
    err = capsys.readouterr().err
    assert line in err
    assert err.count("\n") == 1
    assert judgments_below(tmp_path) == []


@pytest.mark.parametrize("words", [["--help"], ["summary", "--help"], ["agreement", "-h"], ["label", "--help"]])
def test_help_of_each(words: list[str], capsys: Out) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["judge", *words])
    assert caught.value.code == 0
    shown = capsys.readouterr().out
    assert shown.startswith(f"usage: trueline judge{'' if len(words) == 1 else ' ' + words[0]} ")


def test_ctrl_c_keeps_what_is_done(tmp_path: Path) -> None:
    """A real interrupt of a real process, while a request hangs."""
    root = tree(tmp_path / "results", 4)
    plays: list[Play] = [Say(json.dumps(SAFE))] * 2
    hangs = asyncio.Event()

    def hang(_: Seen) -> Play:
        if server.count == 3:
            hangs.set()
        return Hang()

    server = FakeServer(*plays, default=hang)

    async def serve() -> tuple[int, str]:
        async with server, asyncio.timeout(60):
            env = os.environ | {"LOCAL_OPENAI_BASE_URL": f"{server.url}/v1"}
            words = ["judge", str(root), *MODEL, "--judge_type", "a11y_tree", "--max_workers", "1"]
            process = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "trueline", *words, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE
            )
            await hangs.wait()
            process.send_signal(signal.SIGINT)
            out, err = await process.communicate()
            assert b"Traceback" not in err
            return process.returncode or 0, out.decode()

    code, out = asyncio.run(serve())
    assert code == 130
    assert "2 judged" in out
    assert len(judgments_below(root)) == 2
    batch = json.loads((root / "batch_judgment_results_wise_a11y_tree_v3.json").read_bytes())
    assert len(batch["results"]) == 2
    rest = FakeServer(default=judging())
    assert run(rest, str(root), *MODEL, "--judge_type", "a11y_tree") == 0
    assert rest.count == 2


def test_summary_says_why_a_judgment_is_missing(tmp_path: Path, capsys: Out) -> None:
    root = tree(tmp_path / "results", 2)
    judged(place(root, "_t0"), SAFE, "wise/a11y_tree/v3")
    refusing = FakeServer(default=Say("", stop="refusal", refusal="no"))
    assert run(refusing, str(root), *MODEL, "--judge_type", "a11y_tree") == 1
    assert main(["judge", "summary", str(root)]) == 0
    assert "1 x the model refused: no" in capsys.readouterr().out
