from __future__ import annotations

import csv
import json
import os
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from support.results import write_run
from trueline.cli import main
from trueline.records import Environment, Setting
from trueline.records.folder.claim import claim_setting
from trueline.records.layout import Unit
from trueline.records.scan import Condition
from trueline.stats.results.runs import write_runs

Out = pytest.CaptureFixture[str]
CONDITION = Condition("pyautogui", "screenshot", "some-model")


def study(root: Path, c: list[int], n: int = 3, condition: Condition = CONDITION) -> list[str]:
    """Write runs in which task i succeeds in c[i] of n runs; five tasks a domain."""
    units = [Unit(f"d{i // 5}", f"t{i:02d}") for i in range(len(c))]
    scores = np.array([[1.0] * k + [0.0] * (n - k) for k in c])
    return [str(run) for run in write_runs(root, condition, units, scores)]


def metrics(out: Out, *words: str) -> dict[str, Any]:
    assert main(["metrics", *words, "--json"]) == 0
    return json.loads(out.readouterr().out)


def test_one_setting(tmp_path: Path, capsys: Out) -> None:
    runs = study(tmp_path, [3, 3, 2, 1, 0, 0])
    (setting,) = metrics(capsys, "--run_dirs", *runs)["settings"]
    assert setting["pass_hat"] == pytest.approx({"1": 9 / 18, "2": (1 + 1 + 1 / 3) / 6, "3": 2 / 6})
    assert setting["pass_at"] == pytest.approx({"1": 9 / 18, "2": (1 + 1 + 1 + 2 / 3) / 6, "3": 4 / 6})
    assert setting["counts"] == {"always": 2, "sometimes": 2, "never": 2}
    assert setting["histogram"] == [2, 1, 1, 2]
    assert (setting["n_tasks"], setting["n_runs"], setting["missing"], setting["model"]) == (6, 3, 0, "some-model")
    assert setting["pass_bounds"]["3"] == [2 / 6, 2 / 6]
    assert setting["mean_score"] == 0.5
    low, high = setting["ci"]["3"]
    assert 0 < low < 2 / 6 < high < 1
    assert setting["by_domain"]["d1"]["pass_hat"]["1"] == 0


def test_deeper_folders_give_the_same(tmp_path: Path, capsys: Out) -> None:
    runs = study(tmp_path, [3, 2, 1, 0])
    deep = [f"{run}/pyautogui/screenshot/some-model" for run in runs]
    shallow, deeper = metrics(capsys, "--run-dirs", *runs), metrics(capsys, "--run-dirs", *deep)
    for document in (shallow, deeper):
        document["settings"][0].pop("runs")
    assert shallow == deeper
    assert metrics(capsys, "--run-dirs", str(tmp_path))["settings"][0]["n_runs"] == 3


def test_paired_comparison_agrees_with_scipy(tmp_path: Path, capsys: Out) -> None:
    rng = np.random.default_rng(5)
    base = rng.integers(0, 4, 60)
    new = np.clip(base + rng.integers(-1, 3, 60), 0, 3)
    runs = study(tmp_path / "a", base.tolist())
    study(tmp_path / "b", new.tolist())
    (comparison,) = metrics(capsys, "--run-dirs", *runs, "--compare-dirs", f"Clear={tmp_path / 'b'}")["comparisons"]
    b, c = int(((new == 3) & (base < 3)).sum()), int(((new < 3) & (base == 3)).sum())
    assert (comparison["b"], comparison["c"], comparison["b_minus_c"]) == (b, c, b - c)
    assert comparison["mcnemar_p"] == pytest.approx(stats.binomtest(min(b, c), b + c, 0.5).pvalue)
    d = new - base
    assert (comparison["delta_c_sum"], comparison["delta_c_mean"]) == (d.sum(), pytest.approx(d.mean()))
    assert "exact" in comparison["wilcoxon_method"] or np.count_nonzero(d) > 50

    def signed_ranks(x: NDArray[np.int64]) -> float:
        return float((stats.rankdata(np.abs(x)) * np.sign(x)).sum())

    reference = stats.permutation_test(
        (d[d != 0],),
        signed_ranks,
        permutation_type="samples",
        n_resamples=20_000,
        rng=1,
    ).pvalue
    assert comparison["wilcoxon_p"] == pytest.approx(reference, abs=0.01)
    low, high = comparison["ci"]["1"]
    assert low < d.mean() / 3 < high
    assert comparison["new"] == "Clear"
    assert len(comparison["flips"]["gained"]) == b and len(comparison["flips"]["lost"]) == c
    assert comparison["p_holm"]["mcnemar"] >= comparison["mcnemar_p"]


def test_several_comparisons_share_one_family(tmp_path: Path, capsys: Out) -> None:
    base = study(tmp_path / "a", [0, 1, 2, 3] * 5)
    words = ["--run-dirs", *base]
    for name, c in (("x", [3] * 20), ("y", [0] * 20)):
        words += ["--compare-dirs", f"{name}={study(tmp_path / name, c)[0]}", *study(tmp_path / name, c)[1:]]
    document = metrics(capsys, *words)
    assert [c["new"] for c in document["comparisons"]] == ["x", "y"]
    raw = sorted(p for c in document["comparisons"] for p in (c["mcnemar_p"], c["wilcoxon_p"]))
    adjusted = sorted(p for c in document["comparisons"] for p in c["p_holm"].values())
    assert adjusted[0] == pytest.approx(min(1, raw[0] * 4))
    assert document["methods"]["Holm"] == "adjusted over the 4 tests of this report"


def test_missing_trials_are_listed_bounded_and_decide_what_survives(tmp_path: Path, capsys: Out) -> None:
    base = study(tmp_path / "a", [0] * 12)
    new = study(tmp_path / "b", [3] * 7 + [0] * 5)
    for task in ("d0/t00", "d0/t01"):
        (Path(new[2]) / "pyautogui/screenshot/some-model" / task / "result.txt").unlink()
    document = metrics(capsys, "--run-dirs", *base, "--compare-dirs", *new)
    setting, comparison = document["settings"][1], document["comparisons"][0]
    assert (setting["n_tasks"], setting["n_complete"], setting["missing"]) == (12, 10, 2)
    assert setting["pass_hat"]["3"] == 5 / 10
    assert setting["pass_bounds"]["3"] == [5 / 12, 7 / 12]
    assert comparison["bounds"]["b_minus_c"] == [5, 7]
    assert comparison["bounds"]["survives"]["mcnemar"] is False  # 5 of 5 is p = 0.06, 7 of 7 is p = 0.02
    assert [(m["task"], m["reason"]) for m in document["missing"]] == [
        ("d0/t00", "the folder is empty"),
        ("d0/t01", "the folder is empty"),
    ]
    failed = metrics(capsys, "--run-dirs", *base, "--compare-dirs", *new, "--missing", "fail")
    assert failed["settings"][1]["pass_hat"]["3"] == 5 / 12
    assert failed["settings"][1]["pass_bounds"]["3"] == [5 / 12, 7 / 12]
    assert (failed["settings"][1]["n_complete"], failed["settings"][1]["n_counted"]) == (10, 12)
    assert failed["comparisons"][0]["bounds"]["survives"]["mcnemar"] is False
    assert main(["metrics", "--run-dirs", *base, "--compare-dirs", *new]) == 0
    assert "the conclusion on b-c does NOT survive" in capsys.readouterr().out


def test_unequal_runs_are_compared_at_their_common_k(tmp_path: Path, capsys: Out) -> None:
    base, new = study(tmp_path / "a", [0] * 10, n=2), study(tmp_path / "b", [3] * 10, n=3)
    (comparison,) = metrics(capsys, "--run-dirs", *base, "--compare-dirs", *new)["comparisons"]
    assert comparison["unequal_runs"] and comparison["mcnemar_p"] is None and comparison["b_minus_c"] is None
    assert comparison["k"] == 2
    # Ten changes of one size are beyond all deals: the largest statistic there is.
    assert comparison["permutation"]["2"]["p"] < 0.002
    assert "dealt anew" in comparison["permutation"]["2"]["method"]
    assert comparison["flips"] == {"gained": [], "lost": []} and comparison["bounds"]["b_minus_c"] is None
    assert main(["metrics", "--run-dirs", *base, "--compare-dirs", *new]) == 0
    assert "McNemar and Wilcoxon would compare unlike things" in capsys.readouterr().out
    suite = metrics(capsys, "--run-dirs", *base, "--compare-dirs", *new, "--inference", "suite")["comparisons"][0]
    # Dealing 3 successes to 2 + 3 runs gives a change of +1 in 1 of 10 ways, of -1 in 3 of 10.
    assert suite["permutation"]["2"]["p"] == pytest.approx(0.1**10 + 0.3**10)


def test_a_change_at_another_k_is_tested_and_counts_in_the_family(tmp_path: Path, capsys: Out) -> None:
    base, new = study(tmp_path / "a", [0, 1, 2, 1] * 8), study(tmp_path / "b", [2, 2, 3, 1] * 8)
    words = ["--run-dirs", *base, "--compare-dirs", *new]
    plain = metrics(capsys, *words)["comparisons"][0]
    asked = metrics(capsys, *words, "--k", "1", "2", "3")
    assert plain["other_k"] == {} and "2" not in plain["ci"]
    (comparison,) = asked["comparisons"]
    assert list(comparison["other_k"]) == ["2"]
    assert "signs flipped per task (exact" in comparison["other_k"]["2"]["method"]
    # Sixteen gains of a third or more and eight of two thirds: all of one sign in 2 of 2^24 ways.
    assert comparison["other_k"]["2"]["p"] == pytest.approx(2 / 2**24)
    assert comparison["p_holm"]["2"] >= comparison["other_k"]["2"]["p"]
    assert comparison["difference"]["2"] == pytest.approx((1 / 3 + 1 / 3 + 2 / 3) / 4)
    assert comparison["ci"]["2"][0] > 0
    assert asked["methods"]["Holm"] == "adjusted over the 3 tests of this report"


def test_missing_trials_of_unequal_runs_are_bounded_at_the_common_k(tmp_path: Path, capsys: Out) -> None:
    base, new = study(tmp_path / "a", [0, 1, 2] * 6, n=2), study(tmp_path / "b", [3] * 18, n=3)
    (Path(new[0]) / "pyautogui/screenshot/some-model/d0/t00/result.txt").unlink()
    assert main(["metrics", "--run-dirs", *base, "--compare-dirs", *new]) == 0
    out = capsys.readouterr().out
    assert "the missing trials leave Pass^2 between" in out
    assert "the conclusion on Pass^2 holds at both ends" in out
    assert "b-c between" not in out


def test_unequal_runs_of_clustered_units_are_flipped_by_cluster(tmp_path: Path, capsys: Out) -> None:
    """Four hosts with five injections each: 2 of 2^4 flips, not 2 of 2^20."""
    names = [f"os/host{i}__inject__v__g{j}" for i in range(4) for j in range(5)]
    base = [str(write_run(tmp_path / f"a{k}", dict.fromkeys(names, 0))) for k in range(2)]
    new = [str(write_run(tmp_path / f"b{k}", dict.fromkeys(names, 1))) for k in range(3)]
    (comparison,) = metrics(capsys, "--run-dirs", *base, "--compare-dirs", *new)["comparisons"]
    assert comparison["permutation"]["2"]["p"] == pytest.approx(2 / 2**4)


def test_suite_inference_says_what_it_cannot_tell(tmp_path: Path, capsys: Out) -> None:
    base, new = study(tmp_path / "a", [1] * 10), study(tmp_path / "b", [2] * 10)
    document = metrics(capsys, "--run-dirs", *base, "--compare-dirs", *new, "--inference", "suite")
    assert "1" in document["settings"][0]["ci"]
    assert "3" not in document["settings"][0]["ci"]
    assert (
        "2k" in document["settings"][0]["not_identified"]["3"]
        or "runs" in document["settings"][0]["not_identified"]["3"]
    )
    assert "permutation" in document["comparisons"][0]["mcnemar_method"]


def test_a_run_in_both_lists_is_a_cross_environment_comparison(tmp_path: Path, capsys: Out) -> None:
    base, other = study(tmp_path / "a", [3, 2, 1, 0]), study(tmp_path / "b", [0, 0, 3, 3])
    words = ["--run-dirs", *base, "--compare-dirs", f"Perturbed={base[0]}", *other[:2]]
    (comparison,) = metrics(capsys, *words)["comparisons"]
    assert comparison["cross_environment"] and comparison["shared_runs"] == [base[0]]
    assert comparison["pass_1_by_run"] == [3 / 4, 2 / 4, 2 / 4]
    assert main(["metrics", *words]) == 0
    assert "Perturbed (cross-environment)" in capsys.readouterr().out
    assert main(["metrics", *words, "--inference", "suite"]) == 2


def test_injections_are_clustered_by_their_host(tmp_path: Path, capsys: Out) -> None:
    run = write_run(tmp_path / "r1", {f"os/host{i}__inject__v__g{j}": i % 2 for i in range(6) for j in range(5)})
    document = metrics(capsys, "--run-dirs", str(run))
    clustered = document["settings"][0]["ci"]["1"]
    plain = metrics(
        capsys,
        "--run-dirs",
        str(write_run(tmp_path / "r2", {f"os/{i}-{j}": i % 2 for i in range(6) for j in range(5)})),
    )["settings"][0]["ci"]["1"]
    assert clustered[1] - clustered[0] > 1.5 * (plain[1] - plain[0])
    assert "clusters" in document["methods"]


def test_text_has_the_papers_columns(tmp_path: Path, capsys: Out) -> None:
    base, new = study(tmp_path / "a", [0, 1, 2, 3] * 5), study(tmp_path / "b", [3] * 20)
    assert main(["metrics", "--run-dirs", *base, "--compare-dirs", *new]) == 0
    head, rule, first, second = capsys.readouterr().out.splitlines()[:4]
    assert [cell.strip() for cell in head.split("|")] == ["Setting", "Pass^1", "Pass^3", "b-c", "Δcx"]
    assert first.startswith("Baseline") and second.startswith("New")
    assert re.search(r"\+15\* +\| \+1\.500\*$", second)
    assert set(rule) <= set("-|")


def test_k_chooses_the_columns(tmp_path: Path, capsys: Out) -> None:
    runs = study(tmp_path, [3, 2])
    assert main(["metrics", "--run-dirs", *runs, "--k", "2", "3"]) == 0
    assert capsys.readouterr().out.startswith("Setting | Pass^2")
    assert main(["metrics", "--run-dirs", *runs, "--k", "4"]) == 2
    assert "--k 4: k goes from 1 to the number of runs, which is 3" in capsys.readouterr().err


def test_threshold_and_partial_scores(tmp_path: Path, capsys: Out) -> None:
    run = write_run(tmp_path / "r", {"os/a": 0.5, "os/b": 1.0, "os/c": "0.7000000000000001"})
    assert metrics(capsys, "--run-dirs", str(run))["settings"][0]["pass_hat"]["1"] == pytest.approx(1 / 3)
    assert metrics(capsys, "--run-dirs", str(run), "--threshold", "0.7")["settings"][0]["pass_hat"][
        "1"
    ] == pytest.approx(2 / 3)
    assert metrics(capsys, "--run-dirs", str(run))["settings"][0]["mean_score"] == pytest.approx(2.2 / 3)


def test_models_below_one_root_are_compared_with_their_own(tmp_path: Path, capsys: Out) -> None:
    for setting, c in (("a", [0] * 8), ("b", [1] * 8)):
        for model in ("m1", "m2"):
            study(tmp_path / setting, c, n=1, condition=Condition("pyautogui", "som", model))
    document = metrics(capsys, "--run-dirs", str(tmp_path / "a"), "--compare-dirs", str(tmp_path / "b"))
    assert [(c["base"], c["new"]) for c in document["comparisons"]] == [
        ("Baseline · m1", "New · m1"),
        ("Baseline · m2", "New · m2"),
    ]


def test_another_model_is_compared_only_alone_and_with_a_note(tmp_path: Path, capsys: Out) -> None:
    for setting, models in (("a", ["gpt"]), ("b", ["gpt", "claude"]), ("c", ["claude"])):
        for model in models:
            study(tmp_path / setting, [0] * 8, n=1, condition=Condition("pyautogui", "som", model))
    base = ["--run-dirs", str(tmp_path / "a")]
    document = metrics(capsys, *base, "--compare-dirs", str(tmp_path / "b"))
    assert [c["new"] for c in document["comparisons"]] == ["New · gpt"]
    document = metrics(capsys, *base, "--compare-dirs", str(tmp_path / "c"))
    assert len(document["comparisons"]) == 1
    assert any("ran pyautogui/som/claude, its base pyautogui/som/gpt" in note for note in document["methods"].values())


def test_settings_must_have_names_of_their_own(tmp_path: Path, capsys: Out) -> None:
    runs = study(tmp_path / "a", [1])
    for name in ("A", "Baseline"):
        words = [
            "metrics",
            "--run-dirs",
            *runs,
            "--compare-dirs",
            f"A={runs[0]}",
            "--compare-dirs",
            f"{name}={runs[1]}",
        ]
        assert main(words) == 2
        assert f"two settings are called '{name}'" in capsys.readouterr().err


def test_flags_without_a_meaning_are_refused(tmp_path: Path, capsys: Out) -> None:
    runs = study(tmp_path / "a", [1, 2])
    for words in (["--mcnemar", "chi2"], ["--margin", "0.1"]):
        assert main(["metrics", "--run-dirs", *runs, "--inference", "suite", *words]) == 2
    assert main(["metrics", "--run-dirs", *runs, "--seed", "-1"]) == 2
    assert main(["metrics", "--run-dirs", ""]) == 2
    assert "empty name" in capsys.readouterr().err


def test_runs_that_look_like_models_are_pointed_out(tmp_path: Path, capsys: Out) -> None:
    for name in ("g1", "g2"):
        (tmp_path / name / "os/t").mkdir(parents=True)
        (tmp_path / name / "os/t/result.txt").write_text("1")
    document = metrics(capsys, "--run-dirs", str(tmp_path / "g1"), str(tmp_path / "g2"))
    assert any("every run is of another model" in note for note in document["methods"].values())


def test_names_that_are_not_utf8(tmp_path: Path, capsys: Out) -> None:
    run = write_run(tmp_path / "r", {"os/a": 1})
    os.rename(
        os.fsencode(run / "pyautogui/screenshot/some-model/os/a"),
        os.fsencode(run / "pyautogui/screenshot/some-model/os") + b"/a\xff",
    )
    (setting,) = metrics(capsys, "--run-dirs", str(run))["settings"]
    assert setting["n_tasks"] == 1
    assert main(["metrics", "--run-dirs", str(run), "--verbose"]) == 0


def test_csv_and_plot(tmp_path: Path, capsys: Out) -> None:
    base, new = study(tmp_path / "a", [0, 1, 2, 3]), study(tmp_path / "b", [3] * 4)
    svg, table = tmp_path / "p.svg", tmp_path / "t.csv"
    words = ["metrics", "--run-dirs", *base, "--compare-dirs", "x<b>$1$=" + new[0], *new[1:]]
    assert main([*words, "--csv", str(table), "--plot", str(svg)]) == 0
    rows = list(csv.DictReader(table.read_text().splitlines()))
    assert {(r["domain"], r["k"]) for r in rows if r["setting"] == "Baseline"} >= {("", "1"), ("", "3"), ("d0", "2")}
    text = svg.read_text()
    assert "x&lt;b&gt;$1$" in text and "<b>" not in text
    first = svg.read_bytes()
    assert main([*words, "--plot", str(svg)]) == 0
    assert svg.read_bytes() == first
    capsys.readouterr()
    assert main([*words, "--plot", str(tmp_path / "p.exe")]) == 2
    assert "give the file one of these endings" in capsys.readouterr().err


def test_numbers_do_not_depend_on_the_order_of_runs(tmp_path: Path, capsys: Out) -> None:
    runs = study(tmp_path, [3, 2, 1, 0, 3, 2])
    one, other = metrics(capsys, "--run-dirs", *runs), metrics(capsys, "--run-dirs", *reversed(runs))
    for document in (one, other):
        document["settings"][0].pop("runs")
    assert one == other


def test_bad_folders(tmp_path: Path, capsys: Out) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "empty").mkdir()
    for name, message in (
        ("absent", "absent: there is no such folder"),
        ("file", "file: this is a file"),
        ("empty", "empty: no episode below it"),
    ):
        assert main(["metrics", "--run-dirs", str(tmp_path / name)]) == 2
        out, err = capsys.readouterr()
        assert out == "" and message in err and err.count("\n") == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[1]", "must be an index of the form {domain: [task ids]}"),
        ("{", "must be an index"),
        ('{"os": "a"}', "os: "),
        ('{"os": [1]}', "os[0]: "),
        ('{"os": []}', "lists no tasks"),
        ('{"os": ["a"], "os": ["b"]}', "duplicate key 'os'"),
        ('{"vlc": ["x"]}', "nothing found is in the index"),
    ],
)
def test_bad_index(tmp_path: Path, capsys: Out, content: str, message: str) -> None:
    run = write_run(tmp_path / "r", {"os/a": 1})
    (tmp_path / "index.json").write_text(content)
    assert main(["metrics", "--run-dirs", str(run), "--example-json", str(tmp_path / "index.json")]) == 2
    assert message in capsys.readouterr().err


def test_nothing_scored_is_no_silent_zero(tmp_path: Path, capsys: Out) -> None:
    run = write_run(tmp_path / "r", {"os/a": None, "os/b": "oops"})
    (setting,) = metrics(capsys, "--run-dirs", str(run))["settings"]
    assert setting["pass_hat"] == {} and setting["mean_score"] is None and setting["pass_bounds"]["1"] == [0, 1]
    assert main(["metrics", "--run-dirs", str(run)]) == 0
    assert re.search(r"^Runs +\| – ", capsys.readouterr().out, re.MULTILINE)


def test_results_of_different_environments_are_not_mixed_in_silence(tmp_path: Path, capsys: Out) -> None:
    base, new = study(tmp_path / "a", [1, 2]), study(tmp_path / "b", [1, 2])
    for runs, provider in ((base, "local"), (new, "vmware")):
        for run in runs:
            folder = Path(run) / "pyautogui/screenshot/some-model"
            setting = Setting(agent="prompt", environment=Environment(provider=provider, screen=(1280, 720)))
            held = folder.rename(folder.with_name("held"))
            claim_setting(folder, setting)
            for domain in held.iterdir():
                domain.rename(folder / domain.name)
            held.rmdir()
    words = ["metrics", "--run-dirs", *base, "--compare-dirs", *new]
    assert main(words) == 2
    err = capsys.readouterr().err
    assert "another environment (vmware ubuntu 1280x720)" in err and "--mix-environments" in err
    assert main([*words, "--mix-environments"]) == 0
    assert "environment: local ubuntu 1280x720, vmware ubuntu 1280x720" in capsys.readouterr().out
    (Path(base[0]) / "pyautogui/screenshot/some-model/setting.json").write_text("{}")
    assert main(words) == 2
    assert "setting.json: " in capsys.readouterr().err


def test_hostile_names_do_not_reach_the_terminal(tmp_path: Path, capsys: Out) -> None:
    run = write_run(tmp_path / "r\x1b[31m", {"os/a\x1b]0;x\x07": "no\x1b[2J", "os/b": 1})
    assert main(["metrics", "--run-dirs", str(run), "--verbose"]) == 0
    out = capsys.readouterr().out
    assert "\x1b" not in out and "\x07" not in out and r"\x1b[31m" in out


def test_real_indexes(tmp_path: Path, capsys: Out, shared_data: Path) -> None:
    index = shared_data / "osworld/osworld369/test_nogdrive.json"
    tasks = [f"{domain}/{task}" for domain, ids in json.loads(index.read_text()).items() for task in ids]
    runs = [
        str(write_run(tmp_path / f"run{k}", {task: (i + k) % 2 for i, task in enumerate(tasks[:-3])})) for k in (1, 2)
    ]
    document = metrics(capsys, "--run-dirs", *runs, "--example-json", str(index))
    assert document["settings"][0]["n_tasks"] == len(tasks) == 361
    assert len(document["missing"]) == 6
    assert {m["reason"] for m in document["missing"]} == {"no folder"}


def test_missing_trials_of_several_models_are_told_apart(tmp_path: Path, capsys: Out) -> None:
    for model in ("one", "two"):
        write_run(tmp_path, {"os/a": 1, "os/b": None}, condition=f"pyautogui/screenshot/{model}")
    assert len(metrics(capsys, "--run-dirs", str(tmp_path))["missing"]) == 2
    assert main(["metrics", "--run-dirs", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert "Missing trials: 2" in out
    assert "(pyautogui/screenshot/one): 1 x unfinished" in out


def test_the_current_folder_is_one_of_runs(tmp_path: Path, capsys: Out, monkeypatch: pytest.MonkeyPatch) -> None:
    write_run(tmp_path / "run1", {"os/a": 1})
    monkeypatch.chdir(tmp_path)
    assert metrics(capsys, "--run-dirs", ".")["settings"][0]["n_runs"] == 1
    assert main(["metrics", "--run-dirs", "."]) == 0
