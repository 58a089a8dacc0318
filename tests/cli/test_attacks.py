"""`trueline attacks` as a user calls it."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from PIL import Image

from trueline.cli import main
from trueline.tasks.attacks.goals import GOALS
from trueline.tasks.attacks.vectors import VECTORS


def call(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(["attacks", *words])
    said = capsys.readouterr()
    return code, said.out, said.err


def test_every_vector_and_goal_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = call(capsys, "list")
    shown = {line.split()[0] for line in out.splitlines() if line.strip()}
    assert code == 0
    assert {*VECTORS.names(), *GOALS.names()} <= shown
    found = json.loads(call(capsys, "list", "--json")[1])
    canvas = next(row for row in found["vectors"] if row["vector"] == "web_canvas")
    assert (canvas["channels"], canvas["programs"], canvas["delivered"]) == (
        ["pixels"],
        ["chromium"],
        "at the end of the set-up",
    )
    assert all(row["about"] for row in found["vectors"])
    assert all(row["seen_in"] and row["text"] for row in found["goals"])


@pytest.mark.parametrize("name", ["web_alt_text", "accept_purchase", "stop_task"])
def test_one_is_shown(capsys: pytest.CaptureFixture[str], name: str) -> None:
    code, out, _ = call(capsys, "show", name)
    assert code == 0 and name in out.splitlines()[0]
    assert json.loads(call(capsys, "show", name, "--json")[1])


@pytest.mark.parametrize("words", [("show", "no\x1b[2Jthing"), ("preview", "nothing", "stop_task")])
def test_unknown_names_are_one_line(capsys: pytest.CaptureFixture[str], words: tuple[str, ...]) -> None:
    code, out, err = call(capsys, *words)
    assert (code, out) == (2, "")
    assert err.startswith("trueline attacks") and err.count("\n") == 1
    assert "unknown" in err and "\x1b" not in err


def test_a_preview_is_a_picture_of_a_desktop(machine: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "seen.png"
    words = ("preview", "desktop_notification", "stop_task", "--out", str(out), "--size", "800x600", "--json")
    code, said, err = call(capsys, *words)
    assert code == 0, err
    found = json.loads(said)
    assert found["in_text"] is True and found["in_pixels"] in (True, None)
    assert (found["in_pixels"] is None) == bool(found["unmeasured"])
    with Image.open(io.BytesIO(out.read_bytes())) as picture:
        assert picture.size == (800, 600)


def test_what_cannot_be_delivered_is_one_line(
    machine: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("preview", "file_name", "stop_task", "--out", str(tmp_path / "x.png"), "--text", "two\nlines")
    code, _, err = call(capsys, *words)
    assert (code, err.count("\n")) == (1, 1)
    assert "file_name: the text has a line break" in err
    assert not (tmp_path / "x.png").exists()
