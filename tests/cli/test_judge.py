"""`trueline judge` and its subcommands, through the program's own entry."""

from __future__ import annotations

import asyncio
import csv
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from judge.samples import (
    SAFE,
    UNSAFE,
    asks_for_judgment,
    judging,
    judgments_below,
    osharm_episode,
    our_episode,
    place,
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


def tree(root: Path, number: int = 3) -> Path:
    for k in range(number):
        osharm_episode(place(root, f"_t{k}"), instruction=f"Do _t{k}.")
    return root


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
    assert run(server, str(tmp_path / "results"), *MODEL) == 0
    assert server.count == 2
    assert len(judgments_below(tmp_path)) == 2
    server = FakeServer(default=judging(UNSAFE))
    assert run(server, str(tmp_path / "results"), *MODEL, "--again") == 0
    assert [asks_for_judgment(seen) for seen in server.seen] == [True, True]
    assert [json.loads(path.read_bytes()) for path in judgments_below(tmp_path)] == [UNSAFE, UNSAFE]


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
        (["R", "--judge_type", "best"], "--judge_type best: there is no such one"),
        (["R", "--sys_prompt_version", "v9"], "--sys_prompt_version v9"),
        (["R", "--observation_type", "sound"], "--observation_type sound"),
        (["R", "--judge_model", "local|m", "local|m"], "is named twice"),
        (["R", "--judge_model", "local|human"], "this name is taken"),
        (["R", "--judge_model", "nonsense"], "unknown which provider serves it"),
        (["R", "--judge_model", "gpt-4.1"], "set OPENAI_API_KEY"),
        (["R", "--judge_model", "local|m"], "for the captioner; --caption_model names another"),
        (["R", "--judge-typ", "rules"], "did you mean --judge-type?"),
        (["R", "--max_workers", "0"], "0 is not above 0"),
        (["summary", "R"], "not judged"),
        (["agreement", "R"], "no label of an episode"),
        (["summary", "R", "--index", "x.json"], "does not say the kind"),
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


def judged(folder: Path, said: dict[str, object], judge: str = "gpt-4.1/aer/v3") -> Path:
    path = folder / "judgment" / judge / "judgment.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(said))
    return folder


def test_summary_counts_by_category_model_vector_and_goal(tmp_path: Path, capsys: Out) -> None:
    root = tmp_path / "results"
    for agent in ("o4-mini", "o4-mini_jailbreak"):
        for k in range(4):
            judged(osharm_episode(place(root, f"_m{k}", model=agent), score=1.0), UNSAFE if k else SAFE)
        judged(osharm_episode(place(root, "___a", model=agent)), SAFE)
        judged(osharm_episode(place(root, "t__inject__website__stop_task", model=agent)), UNSAFE)
        osharm_episode(place(root, "t__inject__vs_code__stop_task", model=agent))
    index = tmp_path / "test_misuse.json"
    index.write_text(json.dumps({"chrome": ["_m0", "_never_run"]}))
    words = ["judge", "summary", str(root), "--index", str(index), "--csv", str(tmp_path / "out.csv"), "--json"]
    assert main(words) == 0
    (judge,) = json.loads(capsys.readouterr().out)["judges"]
    assert judge["judge"] == "gpt-4.1/aer/v3"
    model: dict[str, Any] = judge["models"][0]
    assert model["model"] == "o4-mini"
    assert {name: (cell["unsafe"]["rate"], cell["judged"]) for name, cell in model["by_category"].items()} == {
        "misuse": (0.75, 4), "injection": (1.0, 1), "accident": (0.0, 1),
    }  # fmt: skip
    assert model["by_vector"]["vs_code"]["unsafe"]["rate"] is None
    assert model["by_goal"]["stop_task"]["episodes"] == 2
    missing = {(item["model"], item["task"], item["reason"]) for item in judge["missing"]}
    assert ("o4-mini", "chrome/t__inject__vs_code__stop_task", "not judged") in missing
    assert ("o4-mini", "chrome/_never_run", "no folder") in missing
    with (tmp_path / "out.csv").open() as file:
        assert len({row["model"] for row in csv.DictReader(file)}) == 2
    assert main(["judge", "summary", str(root), "--verbose"]) == 0
    text = capsys.readouterr().out
    assert "Missing judgments: 2" in text
    assert "100.0 [" in text


def test_summary_takes_one_block_per_judge_and_reads_os_harms_names(tmp_path: Path, capsys: Out) -> None:
    folder = judged(osharm_episode(place(tmp_path / "results")), SAFE, "gpt-4.1/a11_tree_default/v3")
    judged(folder, UNSAFE, "rules/rules/v1")
    judged(folder, UNSAFE, "human")
    (folder / "judgment/human/judgment.json").rename(folder / "judgment/human/ann.json")
    assert main(["judge", "summary", str(tmp_path / "results"), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [judge["judge"] for judge in document["judges"]] == ["gpt-4.1/a11y_tree/v3", "rules/rules/v1"]
    words = ["judge", "summary", str(tmp_path / "results"), "--judge_model", "human", "--json"]
    assert main(words) == 0
    assert [judge["judge"] for judge in json.loads(capsys.readouterr().out)["judges"]] == ["human/ann"]


def test_summary_says_why_a_judgment_is_missing(tmp_path: Path, capsys: Out) -> None:
    root = tree(tmp_path / "results", 2)
    judged(place(root, "_t0"), SAFE, "wise/a11y_tree/v3")
    refusing = FakeServer(default=Say("", stop="refusal", refusal="no"))
    assert run(refusing, str(root), *MODEL, "--judge_type", "a11y_tree") == 1
    assert main(["judge", "summary", str(root)]) == 0
    assert "1 x the model refused: no" in capsys.readouterr().out


def test_agreement_with_labels_beside_and_in_a_table(tmp_path: Path, capsys: Out) -> None:
    root = tmp_path / "results"
    human: dict[str, dict[str, object]] = {"_a": UNSAFE, "_b": UNSAFE, "___c": SAFE, "_d": SAFE}
    judge = {"_a": UNSAFE | {"violation_step": 2}, "_b": SAFE, "___c": SAFE}
    table = ["path,success,safety,violation_step"]
    for name, said in human.items():
        folder = osharm_episode(place(root, name))
        if name in judge:
            judged(folder, judge[name])
        judged(folder, said, "human")
        (folder / "judgment/human/judgment.json").rename(folder / "judgment/human/ann.json")
        step = said["violation_step"]
        table.append(f"{folder},{said['success']},{said['safety']},{'' if step is None else step}")
    (tmp_path / "labels.csv").write_text("\n".join(table) + "\n")
    found: list[Any] = []
    for more in ([], ["--human", str(tmp_path / "labels.csv")], ["--human", str(root)]):
        assert main(["judge", "agreement", str(root), *more, "--json"]) == 0
        (document,) = json.loads(capsys.readouterr().out)["judges"]
        found.append({key: value for key, value in document.items() if key != "reviewers"})
        unsafe = document["overall"]["unsafe"]
        assert (unsafe["tp"], unsafe["fp"], unsafe["fn"], unsafe["tn"]) == (1, 0, 1, 1)
        assert (unsafe["precision"], unsafe["recall"]) == (1.0, 0.5)
        assert document["overall"]["violation_step"]["mean"] == 1
        assert document["by_category"].keys() == {"misuse", "accident"}
        assert [item["path"] for item in document["disagreements"]] == [str(place(root, "_b"))]
        assert document["not_judged"] == [str(place(root, "_d"))]
    assert found[0] == found[1] == found[2]
    assert main(["judge", "agreement", str(root)]) == 0
    assert f"{place(root, '_b')}: people say unsafe at step 1, not completed; judge safe, completed" in (
        capsys.readouterr().out
    )


def test_agreement_takes_the_majority_of_reviewers(tmp_path: Path, capsys: Out) -> None:
    folder = judged(osharm_episode(place(tmp_path / "results")), UNSAFE)
    for reviewer, said in (("ann", UNSAFE), ("bob", UNSAFE), ("cem", SAFE)):
        judged(folder, said, "human")
        (folder / "judgment/human/judgment.json").rename(folder / f"judgment/human/{reviewer}.json")
    assert main(["judge", "agreement", str(tmp_path / "results"), "--json"]) == 0
    (document,) = json.loads(capsys.readouterr().out)["judges"]
    assert document["overall"]["unsafe"]["tp"] == 1
    assert document["alpha"]["safety"] is not None
    words = ["judge", "agreement", str(tmp_path / "results"), "--reviewer", "ann", "cem", "--json"]
    assert main(words) == 0
    (document,) = json.loads(capsys.readouterr().out)["judges"]
    assert document["no_majority"] == [str(folder)]
    assert document["overall"]["unsafe"]["n"] == 0


@pytest.fixture
def type_in(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Type words: they come through a real pipe."""
    with ExitStack() as stack:

        def put(text: str) -> None:
            reading, writing = os.pipe()
            os.write(writing, text.encode())
            os.close(writing)
            monkeypatch.setattr("sys.stdin", stack.enter_context(os.fdopen(reading)))

        yield put


def test_label_asks_and_writes(tmp_path: Path, capsys: Out, type_in: Callable[[str], None]) -> None:
    folder = judged(osharm_episode(place(tmp_path / "results")), SAFE)
    type_in("maybe\ny\nn\n9\n1\nIt sends it.\n")
    assert main(["judge", "label", str(tmp_path / "results"), "--reviewer", "ann"]) == 0
    out = capsys.readouterr().out
    assert json.loads((folder / "judgment/human/ann.json").read_bytes()) == {
        "reasoning": "It sends it.", "success": True, "safety": False, "violation_step": 1,
    }  # fmt: skip
    assert "answer y, n, or ? if it cannot be told" in out
    assert "answer with the number of a step, 0 to 2, or nothing" in out
    assert "Mail the report." in out
    assert f"Step 0  ({folder / 'step_0.png'})" in out
    assert "gpt-4.1/aer/v3 says: safe, completed" in out
    assert main(["judge", "label", str(tmp_path / "results"), "--reviewer", "ann"]) == 0
    assert "0 of 1 episodes to label" in capsys.readouterr().out


def test_label_blind_says_nothing_about_whose_episode_it_is(
    tmp_path: Path, capsys: Out, type_in: Callable[[str], None]
) -> None:
    root = tmp_path / "results"
    for name in ("_secret_task", "t__inject__website__stop_task"):
        judged(osharm_episode(place(root, name, model="secret-model"), score=1.0), SAFE)
    type_in("n\ny\n\nn\n?\nfine\n")
    assert main(["judge", "label", str(root), "--blind", "--reviewer", "ann"]) == 0
    out = capsys.readouterr().out
    for word in ("secret", "inject", "website", "misuse", "gpt-4.1", str(root)):
        assert word not in out
    assert "screen_0.png" in out
    labels = [json.loads(path.read_bytes()) for path in root.rglob("judgment/human/ann.json")]
    assert sorted(label["reasoning"] for label in labels) == ["", "fine"]
    assert {label["safety"] for label in labels} == {True, None}


def test_label_skips_and_stops(tmp_path: Path, capsys: Out, type_in: Callable[[str], None]) -> None:
    root = tree(tmp_path / "results", 4)
    type_in("s\ny\ny\nfine\ny\nq\n")
    assert main(["judge", "label", str(root), "--reviewer", "ann"]) == 0
    assert "1 labelled" in capsys.readouterr().out
    assert [path.parents[2].name for path in root.rglob("judgment/human/ann.json")] == ["_t1"]


def test_label_cannot_be_made_to_play_with_the_terminal(
    tmp_path: Path, capsys: Out, type_in: Callable[[str], None]
) -> None:
    osharm_episode(place(tmp_path / "results"), ["a\x1b[2Jb\rc"])
    type_in("")
    assert main(["judge", "label", str(tmp_path / "results"), "--reviewer", "ann"]) == 0
    out = capsys.readouterr().out
    assert "a\\x1b[2Jb\\rc" in out
    assert "0 labelled" in out
    assert main(["judge", "label", str(tmp_path / "results"), "--reviewer", "../ann"]) == 2
