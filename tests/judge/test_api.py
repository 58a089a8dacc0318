"""`trueline.judge` and `judge_async`, with models from scripts."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import trueline
from judge.samples import SAFE, UNSAFE, judged, judgments_below, osharm_episode, our_episode, place, tree
from trueline import JudgeRequest, judge_async
from trueline.errors import InputError, RequestError
from trueline.judge.judge_episode import JudgeResult
from trueline.models import open_model
from trueline.models.types import Model


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRUELINE_CACHE_DIR", str(tmp_path / "cache"))


SCRIPT = """
[[rules]]
when.purpose = "judge"
answer.text = '''{}'''
[[rules]]
answer.text = "A window."
"""


def script(tmp_path: Path, name: str, answer: dict[str, object]) -> str:
    """A model that describes every picture alike and judges every episode alike."""
    path = tmp_path / f"{name}.toml"
    path.write_text(SCRIPT.format(json.dumps(answer)))
    return f"scripted|{path}"


def test_a_folder_of_results_is_judged_and_reported(tmp_path: Path) -> None:
    root = tree(tmp_path / "results", 2)
    model = script(tmp_path, "wise", UNSAFE)
    told: list[JudgeResult] = []
    report = trueline.judge(root, judge_model=model, caption_model=model, on_result=told.append)
    assert told == report.results
    assert report.complete
    assert {name: judgment.safety for name, judgment in report.judgments.items()} == {
        str(place(root, "_t0")): False,
        str(place(root, "_t1")): False,
    }
    assert [json.loads(path.read_bytes()) for path in judgments_below(root)] == [UNSAFE, UNSAFE]
    assert len(list(root.glob("batch_judgment_results_*.json"))) == 1
    assert "unsafe at step 1, not completed" in report._repr_html_()  # pyright: ignore[reportPrivateUsage]


def test_called_again_it_judges_only_the_rest(tmp_path: Path) -> None:
    root = tree(tmp_path / "results", 1)
    model = script(tmp_path, "wise", SAFE)
    request = JudgeRequest(paths=(root,), judge_model=(model,), judge_type="a11y_tree")
    assert not trueline.judge(request).results[0].judged_before
    tree_of_more = osharm_episode(place(root, "_t9"))
    report = trueline.judge(request)
    assert [(item.judged_before, item.judgment is not None) for item in report.results] == [(True, True), (False, True)]
    assert report.results[1].episode == tree_of_more
    # A field beside the request replaces its own.
    assert not any(item.judged_before for item in trueline.judge(request, again=True).results)


def test_open_models_form_a_panel_and_stay_open(tmp_path: Path) -> None:
    folder = osharm_episode(place(tmp_path / "results"))
    models: list[Model] = [
        open_model(script(tmp_path, name, answer)) for name, answer in (("a", SAFE), ("b", SAFE), ("c", UNSAFE))
    ]
    episode = trueline.read_episode(folder)
    report = trueline.judge(episode, judge_model=models, judge_type="a11y_tree")
    (judgment,) = report.judgments.values()
    assert judgment.safety is True
    assert "dissents on safety" in judgment.reasoning
    assert [str(judge).startswith("panel") for judge in report.all_judges] == [False, False, False, True]
    again = trueline.judge([folder], judge_model=models, judge_type="a11y_tree", again=True)
    assert again.complete
    assert again.usage.calls == 3


def test_it_waits_where_an_event_loop_runs_already(tmp_path: Path) -> None:
    root = tree(tmp_path / "results", 2)
    model = script(tmp_path, "wise", SAFE)

    async def cell_of_a_notebook() -> tuple[int, int]:
        waited = trueline.judge(root, judge_model=model, judge_type="a11y_tree")
        awaited = await judge_async(root, judge_model=open_model(model), judge_type="a11y_tree", again=True)
        return len(waited.judgments), len(awaited.judgments)

    assert asyncio.run(cell_of_a_notebook()) == (2, 2)


def test_an_error_of_a_model_is_in_the_report(tmp_path: Path) -> None:
    folder = osharm_episode(place(tmp_path / "results"))
    (tmp_path / "no.toml").write_text('[[rules]]\nanswer.refusal = "no"\n')
    report = trueline.judge(folder, judge_model=f"scripted|{tmp_path / 'no.toml'}", judge_type="a11y_tree")
    assert not report.complete
    assert report.judgments == {}
    assert [item.error for item in report.errors] == ["the model refused: no"]


def test_rules_need_no_model(tmp_path: Path) -> None:
    our_episode(place(tmp_path, "plain"), score=1.0)
    report = trueline.judge(tmp_path, judge_type="rules")
    assert [judgment.success for judgment in report.judgments.values()] == [True]
    assert report.usage.calls == 0


@pytest.mark.parametrize(
    ("fields", "line"),
    [
        ({"judge_type": "best"}, "`judge_type`: must be 'aer', 'default'"),
        ({"votes": 0}, "`votes`: must be greater than or equal to 1, not 0"),
        ({"wings": 2}, "`wings`: unknown field"),
        ({"judge_model": ["local|m", "local|m"]}, "`judge_model` m: is named twice"),
        ({"judge_model": "gpt-4.1"}, "OPENAI_API_KEY"),
        ({"judge_model": "SCRIPT"}, "needed to describe screenshots; `caption_model` names another"),
        ({"judge_model": "local|m", "caption_model": "local|m", "max_cost": 1}, "the price of local|m is unknown"),
    ],
)
def test_what_is_wrong_is_said_in_one_line_before_anything_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fields: dict[str, object], line: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("LOCAL_OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    root = tree(tmp_path / "results", 1)
    model = script(tmp_path, "wise", SAFE)
    given = {name: model if value == "SCRIPT" else value for name, value in fields.items()}
    with pytest.raises(RequestError if line.startswith("`") else InputError) as raised:
        trueline.judge(root, **given)  # pyright: ignore[reportArgumentType]
    assert line in str(raised.value)
    assert "\n" not in str(raised.value)
    assert judgments_below(root) == []


def test_a_money_limit_does_not_go_with_open_models(tmp_path: Path) -> None:
    model = open_model(script(tmp_path, "wise", SAFE))
    folder = osharm_episode(place(tmp_path / "results"))
    with pytest.raises(RequestError, match="does not limit open models"):
        trueline.judge(folder, judge_model=model, judge_type="a11y_tree", max_cost=1.0)


def test_a_folder_that_is_missing(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such folder"):
        trueline.judge(tmp_path / "nowhere", judge_type="rules")


IN_A_PROCESS = """
import sys
import trueline
{first}
from trueline import judge
import trueline.judge.types
assert trueline.judge.types.RULES == "rules"
print(*judge(sys.argv[1], judge_type="rules").judgments, *trueline.judge(sys.argv[1], judge_type="rules").judgments)
"""


@pytest.mark.parametrize("first", ["", "import trueline.judge.types", "trueline.judge"])
def test_the_name_is_the_package_and_can_be_called_whatever_was_imported_first(tmp_path: Path, first: str) -> None:
    folder = judged(our_episode(place(tmp_path, "plain")), SAFE)
    words = [sys.executable, "-c", IN_A_PROCESS.format(first=first), str(folder)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == (f"{folder} {folder}\n", "")


PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "judge.md"


@pytest.mark.parametrize("number", [0, 1])
def test_the_examples_of_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], number: int
) -> None:
    code = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)[number]
    monkeypatch.chdir(tmp_path)
    tree(Path("results"), 1)
    model = script(tmp_path, "wise", UNSAFE)
    # A model that needs no key stands for the page's; it describes screenshots as well.
    code = re.sub(r'"(gpt-4\.1|claude-sonnet-4-5)"', repr(model), code)
    code = code.replace("judge_model=", f"caption_model={model!r}, judge_model=")
    exec(compile(code, str(PAGE), "exec"), {})
    shown = capsys.readouterr().out
    assert "results/pyautogui/screenshot/m/chrome/_t0" in shown
    assert "False" in shown
