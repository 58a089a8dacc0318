"""Money limits of `trueline run` are kept, or refused before anything starts."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.model_server import model_server
from support.small_suite import write_suite
from trueline.cli import main
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
    assert f"{limit}: the price of local|m is not known" in err
    assert not Path("results").exists()


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
