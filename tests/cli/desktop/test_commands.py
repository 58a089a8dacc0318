"""The desktop commands as a user calls them, with real desktops."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from PIL import Image

from support.machine import need_machine
from trueline.cli.main import main
from trueline.desktop.local import applications
from trueline.records.tree import parse_xml

SMALL = ("--size", "800x600")


@pytest.fixture(autouse=True, scope="module")
def machine() -> None:
    """Skip where there can be no desktop; on CI that is a failure."""
    need_machine()


def desktop(*words: str) -> int:
    return main(["desktop", *words])


def test_a_picture_of_a_file_in_its_application(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    letter, out = tmp_path / "letter.txt", tmp_path / "out.png"
    letter.write_text("Dear all")
    assert desktop("shot", str(out), "--open", str(letter), *SMALL, "--json") == 0
    said = json.loads(capsys.readouterr().out)
    assert "letter.txt" in said["window"] and (said["width"], said["height"]) == (800, 600)
    with Image.open(io.BytesIO(out.read_bytes())) as image:
        assert image.size == (800, 600) and len(image.convert("RGB").getcolors(1 << 20) or []) > 20


def test_the_tree_in_each_form(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    letter = tmp_path / "letter.txt"
    letter.write_text("Dear <all> & \x1b[31mred")
    assert desktop("tree", "--open", str(letter), *SMALL) == 0
    tree = parse_xml(capsys.readouterr().out)
    assert any("Dear <all>" in node.text for node in tree.root.walk())
    out = tmp_path / "tree.tsv"
    assert desktop("tree", "--app", "mousepad", "--format", "tsv", "-o", str(out), *SMALL) == 0
    assert out.read_text().startswith("tag\tname\ttext") and "menu\tFile" in out.read_text()
    assert desktop("tree", "--app", "terminal", "--format", "json", *SMALL) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["partial"] is False and "terminal" in json.dumps(document).lower()


def test_a_command_runs_and_its_outcome_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = "printf 'a\\033[31mb\\n'; echo bad >&2; echo x > Desktop/note; exit 7"
    assert desktop("run", *SMALL, "--", "sh", "-c", script) == 1
    said = capsys.readouterr()
    assert said.out == "a\\x1b[31mb\n"
    assert "bad" in said.err and "created 'Desktop/note'" in said.err and "it ended with 7" in said.err
    shot = tmp_path / "after.png"
    assert desktop("run", *SMALL, "--shot", str(shot), "--json", "--", "echo", "--json") == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["returncode"], document["stdout"], document["changes"]) == (0, "--json\n", [])
    assert shot.read_bytes().startswith(b"\x89PNG")


def test_action_code_runs_from_text_and_from_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert desktop("run", *SMALL, "--python", "import pyautogui; print(pyautogui.size())") == 0
    assert "800" in capsys.readouterr().out
    file = tmp_path / "act.py"
    file.write_text("1/0")
    assert desktop("run", *SMALL, "--python", str(file)) == 1
    assert "ZeroDivisionError" in capsys.readouterr().out


def test_a_started_desktop_is_used_by_host_programs_and_ends_by_signal() -> None:
    argv = [sys.executable, "-m", "trueline", "desktop", "start", *SMALL, "--json"]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as host:
        assert host.stdout is not None
        said = ""
        while not said.endswith("}\n"):
            said += host.stdout.readline()
        env = {**os.environ, "DISPLAY": json.loads(said)["display"]}
        move = ["xdotool", "mousemove", "123", "45", "getmouselocation"]
        assert subprocess.run(move, env=env, check=True, capture_output=True).stdout.startswith(b"x:123 y:45")
        host.send_signal(signal.SIGINT)
        assert host.wait(20) == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_before_it_is_up_ends_it_at_once(number: signal.Signals) -> None:
    argv = [sys.executable, "-m", "trueline", "desktop", "start", *SMALL, "--app", "mousepad"]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as host:
        while not Path(f"/proc/{host.pid}/task/{host.pid}/children").read_text():
            assert host.poll() is None
            time.sleep(0.01)  # the first program of the desktop is there, its application is not
        host.send_signal(number)
        out, err = host.communicate(timeout=30)
    assert (host.returncode, out, err) == (130, b"", b"trueline desktop: interrupted\n")


@pytest.mark.full
def test_action_code_has_the_time_limit_and_says_what_was_cut(capsys: pytest.CaptureFixture[str]) -> None:
    assert desktop("run", *SMALL, "--time-limit", "1", "--python", "while True: pass") == 1
    assert "the code did not end within 1 s" in capsys.readouterr().err
    long = "print('x' * 3_000_000)" + " " * 300
    assert desktop("run", *SMALL, "--json", "--python", long) == 0
    assert json.loads(capsys.readouterr().out)["truncated"] is True


def test_a_file_whose_name_is_not_utf8_is_told_in_valid_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert desktop("run", *SMALL, "--json", "--", "python3", "-c", r"open(b'n\xff', 'w')") == 0
    changes = json.loads(capsys.readouterr().out)["changes"]
    assert {"path": r"n\xff", "kind": "created"} in changes


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("shot",), "OUT.png"),
        (("shot", "x.png", "--app", "nosuch"), "choose one of calc, chromium"),
        (("shot", "x.png", "--size", "big"), "must be a size such as 1280x800"),
        (("shot", "x.png", "--size", "1x1"), "from 320x200"),
        (("shot", "x.png", "--open", "/no/such.txt"), "there is no such file"),
        (("tree", "--format", "yaml"), "invalid choice"),
        (("run",), "either a command after -- or --python"),
        (("run", "--python", "pass", "--", "ls"), "either a command after -- or --python"),
        (("run", "--python", "no-such.py"), "there is no such file"),
        (("run", "--time-limit", "-1", "--", "ls"), "86400"),
        (("run", "--time-limit", "soon", "--", "ls"), "must be above 0 and at most 86400 seconds, not 'soon'"),
        (("run", "--shot", "/no/such/x.png", "--", "ls"), "the folder /no/such does not exist"),
        (("run", "--python", sys.executable), "is not UTF-8 text"),
        (("shot", "/no/such/x.png"), "the folder /no/such does not exist"),
        (("tree", "-o", "/no/such/x.xml"), "the folder /no/such does not exist"),
        (("shot", "x.png", "--app", "mousepad", "--open", "http://a.example/"), "only chromium opens an address"),
        (("watch", "--port", "1x"), "must be a non-negative integer, not '1x'"),
        (("bench", "--runs", "0"), "must be an integer from 1 to 100, not '0'"),
    ],
)
def test_wrong_usage_is_one_line_and_two(words: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert desktop(*words) == 2
    error = capsys.readouterr().err
    assert said in error and error.count("\n") == 1


def test_an_application_that_is_not_installed_names_its_package(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(applications, "SEARCH_PATH", "/nowhere")
    assert desktop("shot", "x.png", "--app", "gimp") == 2
    assert capsys.readouterr().err == "trueline desktop: gimp is not installed; sudo apt-get install gimp\n"


@pytest.mark.full
@pytest.mark.parametrize("name", sorted(applications.APPLICATIONS))
def test_every_application_shows_itself(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out.png"
    assert desktop("shot", str(out), "--app", name, "--json") == 0
    assert json.loads(capsys.readouterr().out)["window"]


@pytest.mark.full
def test_the_benchmark_has_its_figures(capsys: pytest.CaptureFixture[str]) -> None:
    assert desktop("bench", "--json", "--runs", "1") == 0
    figures = json.loads(capsys.readouterr().out)
    assert list(figures) == [
        "start_s",
        "reset_s",
        "screenshot_ms",
        "tree_ms",
        "click_ms",
        "type50_ms",
        "ratios",
        "http",
    ]
    assert set(figures["tree_ms"]) == {"mousepad", "calc", "calc_cells", "chromium"}
    assert all(value > 0 for value in (*figures["tree_ms"].values(), *figures["ratios"].values()))
    assert set(figures["http"]) == {"screenshot", "tree_mousepad", "tree_calc", "tree_chromium"}
    page = figures["http"]["tree_chromium"]
    assert page["ours_ms"] > 0 and page["stand_in_ms"] > 0
    assert abs(page["ours_elements"] - page["stand_in_elements"]) < 20 < 2000 < page["ours_elements"], "equal work"
