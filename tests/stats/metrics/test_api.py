"""`metrics` and `read_results` from Python."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

import trueline
from support.results import write_run
from trueline import MetricsReport, metrics, read_results
from trueline.cli import main
from trueline.errors import InputError, MissingExtraError

Out = pytest.CaptureFixture[str]
Scores = dict[str, float | str | None]


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write_study(root: str, runs: int, shift: int) -> list[str]:
    """Twelve tasks of three domains; which of them succeed is fixed, one trial is missing."""
    for run in range(1, runs + 1):
        scores: Scores = {
            f"d{task % 3}/t{task}": 1.0 if (task * 7 + run * 5 + shift * 3) % 11 < 4 + shift else 0.0
            for task in range(12)
        }
        if run == 2:
            scores["d1/t4"] = None
        write_run(Path(root) / f"run{run}", scores)
    return [f"{root}/run{run}" for run in range(1, runs + 1)]


def printed(out: Out, *words: str) -> str:
    assert main(["metrics", *words]) == 0
    return out.readouterr().out


def as_printed(report: MetricsReport) -> object:
    return json.loads(json.dumps(report.to_json()))


def test_the_report_is_what_the_command_prints(capsys: Out) -> None:
    base, new = write_study("base", 3, 0), write_study("new", 3, 2)
    write_study("more", 5, 1)
    cases: list[tuple[list[str], MetricsReport]] = [
        (["--run-dirs", *base], metrics(base)),
        (["--run-dirs", *base, "--compare-dirs", *new, "--k", "1", "2"], metrics(base, compare_dirs=new, k=[1, 2])),
        (
            ["--run-dirs", "base", "--compare-dirs", "A=more", "--compare-dirs", "B=new", "--margin", "0.1"],
            metrics("base", compare_dirs={"A": Path("more"), "B": "new"}, margin=0.1),
        ),
        (
            ["--run-dirs", "base", "--compare-dirs", "new", "--missing", "fail", "--mcnemar", "midp", "--seed", "3"],
            metrics("base", compare_dirs=read_results("new"), missing="fail", mcnemar="midp", seed=3),
        ),
        (
            ["--run-dirs", "base", "--compare-dirs", "new", "--inference", "suite", "--threshold", "0.5"],
            metrics(read_results(base), compare_dirs=new, inference="suite", threshold=0.5),
        ),
    ]
    for words, report in cases:
        assert json.loads(printed(capsys, *words, "--json")) == as_printed(report)
        assert printed(capsys, *words) == report.to_text() == str(report)
        assert printed(capsys, *words, "--verbose") == report.to_text(verbose=True)


def test_an_index_is_a_file_or_a_mapping(capsys: Out) -> None:
    base = write_study("base", 3, 0)
    index = {"d0": ["t0", "t3", "absent"], "d1": ["t1"]}
    Path("index.json").write_text(json.dumps(index))
    report = metrics(base, example_json=index)
    assert as_printed(report) == as_printed(metrics(base, example_json="index.json"))
    assert json.loads(printed(capsys, "--run-dirs", *base, "--example-json", "index.json", "--json")) == as_printed(
        report
    )
    assert report.summaries[0].rates.n_tasks == 4


def test_results_are_typed_episodes() -> None:
    base = write_study("base", 3, 0)
    results = read_results(base)
    assert (len(results), [run.label for run in results.runs]) == (36, base)
    (unscored,) = [episode for episode in results if episode.score is None]
    assert (str(unscored.unit), unscored.condition.model, unscored.problem) == (
        "d1/t4",
        "some-model",
        "unfinished: no result.txt",
    )
    assert repr(results) == "Results(36 episodes in 3 runs)"
    assert repr(metrics(results)) == "MetricsReport('Runs')"


def test_by_domain_adds_rows() -> None:
    base = write_study("base", 3, 0)
    plain, by_domain = metrics(base), metrics(base, by="domain")
    assert "Domain" not in plain.to_text() and "<th>Domain</th>" not in plain._repr_html_()
    assert re.search(r"^d2 +\| Runs", by_domain.to_text(), re.MULTILINE)
    assert "<th>Domain</th>" in by_domain._repr_html_() and "<td>d2</td>" in by_domain._repr_html_()
    assert as_printed(plain) == as_printed(by_domain)


def test_a_data_frame_has_a_row_per_setting_domain_and_k() -> None:
    pytest.importorskip("pandas")
    base, new = write_study("base", 3, 0), write_study("new", 3, 2)
    frame = metrics(base, compare_dirs=new).to_pandas()
    assert list(frame["setting"]) == ["Baseline"] * 3 + ["New"] * 3 and "domain" not in frame
    assert frame["pass_hat"].dtype == float and frame["n_tasks"].dtype == int
    report = metrics(base, by="domain")
    rates = report.summaries[0].by_domain["d1"]
    row = report.to_pandas().query("domain == 'd1' and k == 2").iloc[0]
    assert (row["pass_hat"], row["pass_at"], row["ci_low"]) == (rates.pass_hat[2], rates.pass_at[2], rates.ci[2].low)


def test_names_that_are_not_utf8_fit_in_a_data_frame() -> None:
    pytest.importorskip("pandas")
    run = write_run(Path("r"), {"os/a": 1})
    domain = os.fsencode(run / "pyautogui/screenshot/some-model/os")
    os.rename(domain, domain + b"\xff")
    assert list(metrics(run, by="domain").to_pandas()["domain"]) == [r"os\xff"]


def test_without_pandas_the_error_says_what_to_install() -> None:
    write_study("base", 1, 0)
    # An entry of None in sys.modules is how Python marks a module that cannot be imported.
    code = (
        "import sys; sys.modules['pandas'] = None\n"
        "import trueline\n"
        "from trueline.errors import MissingExtraError\n"
        "report = trueline.metrics('base')\n"
        "try: report.to_pandas()\n"
        "except MissingExtraError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == (
        "MetricsReport.to_pandas() needs an extra that is not installed: pip install 'trueline[office]'\n"
    )
    assert issubclass(MissingExtraError, InputError)


class Tags(HTMLParser):
    """The elements of a page and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert attrs == []
        self.tags.add(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


def test_hostile_names_stay_text_in_html_and_in_a_plot() -> None:
    hostile = "<script>alert(1)<|img src=x onerror=x>&\x1b[31m\u202e"
    run = write_run(Path("r"), {f"{hostile}/<b>t": 1, f"{hostile}/u": "<i>0"}, condition=f"pyautogui/som/{hostile}")
    other = write_run(Path(f"s{hostile}"), {f"{hostile}/<b>t": 0}, condition=f"pyautogui/som/{hostile}")
    report = metrics(run, compare_dirs={hostile: other}, by="domain")
    page = report._repr_html_()
    found = Tags(page)
    assert found.tags == {"table", "thead", "tbody", "tr", "th", "td", "details", "summary", "pre"}
    assert "<script>alert(1)<|img src=x" in found.text
    assert "\x1b" not in page and "\u202e" not in page
    pytest.importorskip("matplotlib")
    svg = report.plot()._repr_svg_()
    assert "&lt;script&gt;" in svg and "<script" not in svg and "\x1b" not in svg
    report.plot().save("plot.svg")
    assert Path("plot.svg").read_text() == svg


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: metrics("base", threshold=2), "`threshold` 2: must be above 0 and at most 1"),
        (lambda: metrics("base", margin=3), "`margin` 3: must be from 0 to 1, such as 0.03 for three points"),
        (
            lambda: metrics("base", missing="drop"),  # pyright: ignore[reportArgumentType]
            "`missing` 'drop': choose one of bounds, exclude, fail",
        ),
        (
            lambda: metrics("base", by="task"),  # pyright: ignore[reportArgumentType]
            "`by` 'task': choose one of setting, domain",
        ),
        (
            lambda: metrics("base", generalise="all"),  # pyright: ignore[reportArgumentType]
            "`generalise` 'all': choose one of hosts, goals",
        ),
        (lambda: metrics("base", seed=-1), "`seed` -1: must be a non-negative integer"),
        (lambda: metrics("base", k=4), "`k` 4: k goes from 1 to the number of runs, which is 3"),
        (
            lambda: metrics("base", inference="suite", margin=0.1),
            "`margin`: is about a population of tasks and has no meaning with `inference` suite",
        ),
        (
            lambda: metrics("base", compare_dirs={"Baseline": "base"}),
            "`compare_dirs`: two settings are called 'Baseline'; give each a name of its own",
        ),
        (
            lambda: metrics(read_results("base"), result_file="other.txt"),
            "`result_file` 'other.txt': these scores were read from result.txt; pass it to read_results",
        ),
        (
            lambda: read_results("base", result_file="a/b"),
            "`result_file` 'a/b': must be the name of a file in each episode's folder, without a path",
        ),
        (lambda: read_results("absent"), "absent: there is no such folder"),
        (lambda: read_results(""), "an empty name is not a folder of results"),
        (lambda: read_results([]), "name at least one folder of results"),
        (lambda: metrics("base").plot().save("plot.exe"), "plot.exe: a figure is written as .svg, .png, .pdf; give"),
    ],
)
def test_errors_are_one_line_and_name_the_argument(call: object, message: str) -> None:
    write_study("base", 3, 0)
    assert callable(call)
    with pytest.raises(InputError) as caught:
        call()
    assert str(caught.value).startswith(message) and "\n" not in str(caught.value)


def test_the_command_names_its_flags(capsys: Out) -> None:
    write_study("base", 3, 0)
    assert main(["metrics", "--run-dirs", "base", "--inference", "suite", "--margin", "0.1"]) == 2
    assert (
        "--margin: is about a population of tasks and has no meaning with --inference suite" in capsys.readouterr().err
    )
    assert main(["metrics", "--run-dirs", "base", "--result-file", "a/b"]) == 2
    assert "--result-file 'a/b': must be" in capsys.readouterr().err


def test_the_names_are_public() -> None:
    assert {"metrics", "read_results", "MetricsReport"} <= set(trueline.__all__)
