from __future__ import annotations

from pathlib import Path

import pytest

from trueline.cli import main


def test_the_demo_says_that_it_is_simulated_and_can_be_repeated(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["demo", "--out", str(tmp_path / "demo")]
    assert main(words) == 0
    first = capsys.readouterr().out
    assert first.startswith("SIMULATED: no agent ran.")
    assert "Pass^3" in first and "Missing trials: 2" in first
    assert main(words) == 0
    assert capsys.readouterr().out == first


def test_the_demo_leaves_other_folders_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine").mkdir()
    assert main(["demo", "--out", str(tmp_path / "mine")]) == 2
    assert "exists and is no folder of this demo" in capsys.readouterr().err
    assert list((tmp_path / "mine").iterdir()) == []
