"""Money limits of `trueline run` are kept, or refused before anything starts."""

from __future__ import annotations

from pathlib import Path

import pytest

from judge.samples import judging, tree
from support.model_server import model_server
from support.small_suite import write_suite
from trueline.cli import main
from trueline.cli.run import parse_request
from trueline.cli.run.judge import judge_episodes
from trueline.models.testing import Say

TABLE = """
[[price]]
providers = ["local"]
as_of = 2030-01-01
models.m = { input = 1, output = 2 }
"""


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LOCAL_OPENAI_API_KEY", "sk-secret-of-the-tests")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-of-the-tests")
    write_suite(tmp_path / "suite", "t0")


@pytest.mark.parametrize("limit", ["--max_cost", "--max_episode_cost"])
@pytest.mark.parametrize(
    "words",
    [
        ["--model", "local|m"],
        ["--agent", "noop", "--guard", "deaction", "--systematic_analysis_model", "local|m"],
        ["--agent", "noop", "--guard", "deaction", "--systematic_analysis_model", "openai|gpt-4o",
         "--narrative_summary_model", "local|m"],
        ["--agent", "noop", "--method", "clarify_upon_retry", "--user_sim_model", "local|m"],
    ],
)  # fmt: skip
def test_a_model_without_a_price_is_refused(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, limit: str, words: list[str]
) -> None:
    with model_server(default=Say()) as server:
        monkeypatch.setenv("LOCAL_OPENAI_BASE_URL", f"{server.url}/v1")
        code = main(["run", "--suite", "suite", *words, limit, "1"])
        assert server.count == 0
    err = capsys.readouterr().err
    assert (code, err.count("\n")) == (2, 1)
    assert f"{limit}: cannot be enforced, the price of local|m is unknown" in err
    assert not Path("results").exists()


def test_a_judge_without_a_price_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--suite", "suite", "--agent", "noop", "--judge_model", "local|m", "--max_cost", "1"]) == 2
    assert "--max_cost: cannot be enforced, the price of local|m is unknown" in capsys.readouterr().err
    assert not Path("results").exists()


@pytest.mark.parametrize(
    ("spent", "most", "told"),
    [
        # The first answer costs more than is left; what is asked by then, eight at a time, still ends.
        (0.0, 8, "the money limit of $1 is reached"),
        (0.4, 8, "the money limit of $0.6 is reached"),
        (1.0, 0, "--max_cost is spent, so nothing is judged\nthe episodes are recorded; to judge them: trueline judge"),
    ],
)
def test_the_judge_has_what_the_run_left(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    spent: float,
    most: int,
    told: str,
) -> None:
    monkeypatch.setenv("TRUELINE_CACHE_DIR", str(tmp_path / "cache"))
    tree(tmp_path / "results", 20)
    Path("prices.toml").write_text(TABLE.replace("output = 2", "output = 2_000_000"))
    words = ["--suite", "suite", "--agent", "noop", "--judge_model", "local|m", "--judge_type", "a11y_tree"]
    with model_server(default=judging()) as server:
        monkeypatch.setenv("LOCAL_OPENAI_BASE_URL", f"{server.url}/v1")
        words += ["--max_cost", "1", "--prices", "prices.toml", "--result_dir", "results"]
        judge_episodes(parse_request(words).request, spent)
        assert min(1, most) <= server.count <= most
    assert told in capsys.readouterr().err


def test_an_agent_that_spends_unseen_is_refused(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("seer.py").write_text("class Seer:\n    def predict(self, instruction, obs): ...\n")
    monkeypatch.syspath_prepend(".")
    assert main(["run", "--suite", "suite", "--agent", "seer:Seer", "--max_cost", "1"]) == 2
    assert "calls its model by itself" in capsys.readouterr().err


def test_a_table_of_ones_own_makes_the_limit_possible(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("prices.toml").write_text(TABLE)
    monkeypatch.setenv("LOCAL_OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    words = ["run", "--suite", "suite", "--model", "local|m", "--max_cost", "1", "--prices", "prices.toml", "--dry_run"]
    assert main(words) == 0
    assert "unknown" not in capsys.readouterr().out
