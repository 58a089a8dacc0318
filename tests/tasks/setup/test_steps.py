"""Set-up steps on a real desktop."""

from __future__ import annotations

import base64
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import JsonValue

from tasks.conftest import Do
from tasks.samples import task
from trueline.desktop.types import FileExists
from trueline.records import ObservationSpec
from trueline.tasks.errors import SetupError
from trueline.tasks.loading import parse_task
from trueline.tasks.model import Step
from trueline.tasks.setup import run_steps
from trueline.tasks.setup.errors import StepError
from trueline.tasks.setup.run_steps import StepReport
from trueline.tasks.workspace import Workspace

PNG = base64.b64decode(
    b"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
"""One pixel."""


def steps(*listed: tuple[str, dict[str, JsonValue]]) -> tuple[Step, ...]:
    config: list[JsonValue] = [{"type": name, "parameters": parameters} for name, parameters in listed]
    return parse_task(task(config=config), file="x").config


def run(
    do: Do, workspace: Workspace, *listed: tuple[str, dict[str, JsonValue]], lenient: bool = False
) -> list[StepReport]:
    return list(do(run_steps(steps(*listed), workspace, lenient=lenient)))


def fails(do: Do, workspace: Workspace, *listed: tuple[str, dict[str, JsonValue]]) -> StepError:
    with pytest.raises(StepError) as caught:
        run(do, workspace, *listed)
    assert isinstance(caught.value, SetupError)
    return caught.value


def titles(do: Do, workspace: Workspace) -> list[str]:
    return [window.title for window in do(workspace.desktop.windows())]


def active(do: Do, workspace: Workspace) -> list[str]:
    return [window.title for window in do(workspace.desktop.windows()) if window.active]


@pytest.mark.parametrize(
    ("parameters", "output"),
    [
        ({"command": ["echo", "a b", "$HOME"]}, "a b $HOME\n"),
        ({"command": "echo 'a b'  c"}, "a b c\n"),
        ({"command": "echo ~/x '~/y' a~/z"}, "/home/user/x /home/user/y a~/z\n"),
        ({"command": "echo $HOME; false", "shell": True}, "/home/user\n"),
        ({"command": "echo $HOME", "shell": "true"}, "/home/user\n"),
        ({"command": ["echo $0", "name"], "shell": True}, "name\n"),
        ({"command": ["echo", "~/x", "{SCREEN_WIDTH_HALF}x{SCREEN_HEIGHT}"]}, "/home/user/x 512x768\n"),
        ({"command": "echo {CLIENT_PASSWORD}", "shell": True}, "pw\n"),
        ({"command": ["python", "-c", "print(6 * 7)"]}, "42\n"),
    ],
)  # fmt: skip
def test_commands_run_as_osworlds_do(
    do: Do, workspace: Workspace, parameters: dict[str, JsonValue], output: str
) -> None:
    (report,) = run(do, replace(workspace, password="pw"), ("execute", parameters))
    assert report.output == output


def test_a_command_may_end_as_it_likes_unless_the_step_checks(do: Do, workspace: Workspace) -> None:
    (report,) = run(do, workspace, ("command", {"command": ["sh", "-c", "exit 3"]}))
    assert report.returncode == 3
    wrong: dict[str, JsonValue] = {"command": "echo to-out; echo to-err >&2; exit 3", "shell": True, "check": True}
    error = fails(do, workspace, ("sleep", {"seconds": 0}), ("execute", wrong))
    assert (error.number, error.step.type) == (2, "execute")
    assert "setup step 2 (execute) failed: it exited with code 3" in str(error)
    assert error.output == "to-out\nto-err\n"


def test_a_command_is_repeated_until_it_says_so(do: Do, workspace: Workspace) -> None:
    count = "echo x >> ~/count; wc -l < ~/count; [ $(wc -l < ~/count) -ge 3 ]"
    (report,) = run(do, workspace, ("execute", {"command": count, "shell": True, "until": {"returncode": 0}}))
    assert report.output == "3\n"
    (report,) = run(do, workspace, ("execute", {"command": count, "shell": True, "until": {"stdout": "5"}}))
    assert report.output == "5\n"


def test_outputs_are_kept_under_their_names(do: Do, workspace: Workspace) -> None:
    run(do, workspace, ("execute", {"command": "echo out; echo err >&2", "shell": True, "stdout": "o", "stderr": "e"}))
    assert workspace.outputs == {"o": b"out\n", "e": b"err\n"}


def test_a_program_that_is_not_there_fails(do: Do, workspace: Workspace) -> None:
    for name in ("execute", "launch"):
        assert "no-such-program" in str(fails(do, workspace, (name, {"command": ["no-such-program"]})))


def test_files_are_put_inside(do: Do, workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "assets").mkdir()
    (tmp_path / "assets/a.txt").write_bytes(b"\0hello")
    files: list[JsonValue] = [{"local_path": "assets/a.txt", "path": "/home/user/new/folder/b.txt"}]
    run(do, workspace, ("upload_file", {"files": files}))
    assert do(workspace.desktop.get("new/folder/b.txt")) == b"\0hello"


@pytest.mark.parametrize("name", ["/etc/passwd", "../secret", "assets/../../secret", "link", "none"])
def test_a_task_cannot_name_other_files_of_this_machine(
    do: Do, workspace: Workspace, tmp_path: Path, name: str
) -> None:
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "in").mkdir()
    (tmp_path / "in/link").symlink_to(tmp_path / "secret")
    inside = replace(workspace, assets=(tmp_path / "in",))
    error = fails(do, inside, ("upload_file", {"files": [{"local_path": name, "path": "/home/user/got"}]}))
    assert name in str(error)


def test_a_download_that_cannot_be_had_fails(do: Do, workspace: Workspace) -> None:
    files: list[JsonValue] = [{"url": "http://127.0.0.1:9/x", "path": "/home/user/x"}]
    assert "and --offline is set" in str(fails(do, workspace, ("download", {"files": files})))


def test_windows_are_opened_raised_typed_into_and_closed(do: Do, workspace: Workspace) -> None:
    do(workspace.desktop.put("one.txt", b""))
    do(workspace.desktop.put("two.txt", b""))
    run(
        do, workspace,
        ("open", {"path": "/home/user/one.txt"}),
        ("launch", {"command": ["mousepad", "--opening-mode=window", "/home/user/two.txt"]}),
    )  # fmt: skip
    assert {"one.txt", "two.txt"} <= {
        name for title in titles(do, workspace) for name in title.replace("~/", "").split()
    }
    run(do, workspace, ("activate_window", {"window_name": "ONE.txt"}))
    assert "one.txt" in active(do, workspace)[0]
    code = "import pyautogui; pyautogui.write('typed'); pyautogui.hotkey('ctrl', 's')"
    (report,) = run(do, workspace, ("execute", {"command": ["python", "-c", code]}))
    assert report.returncode == 0
    run(do, workspace, ("execute", {"command": "cat ~/one.txt", "shell": True, "until": {"stdout": "typed"}}))
    run(do, workspace, ("close_window", {"window_name": "one.txt"}))
    run(do, workspace, ("close_window", {"window_name": "Mousepad.mousepad", "by_class": True}))
    assert not [title for title in titles(do, workspace) if "Mousepad" in title]


def test_launching_an_application_waits_for_its_window(do: Do, workspace: Workspace) -> None:
    run(do, workspace, ("launch", {"command": "LANG=C.UTF-8 mousepad --disable-server", "shell": True}))
    assert [title for title in titles(do, workspace) if "Mousepad" in title]
    run(do, workspace, ("close_window", {"window_name": "mousepad"}))


def test_launching_pkill_waits_until_the_programs_have_ended(do: Do, workspace: Workspace) -> None:
    lingers = (
        b"#!/bin/bash\ntrap 'sleep 0.7; touch ~/has-ended; exit' TERM\ntouch ~/has-begun\nwhile :; do sleep 0.1; done\n"
    )
    do(workspace.desktop.put("lingerer", lingers, mode=0o755))
    do(workspace.desktop.launch(("/home/user/lingerer",)))
    do(workspace.desktop.wait_for(FileExists("/home/user/has-begun")))
    run(do, workspace, ("launch", {"command": ["pkill", "lingerer"]}))
    assert do(workspace.desktop.get("has-ended")) == b""


def test_a_strict_name_is_the_whole_title(do: Do, workspace: Workspace) -> None:
    (report,) = run(do, workspace, ("activate_window", {"window_name": "deskto", "strict": True}), lenient=True)
    assert report.missed.startswith("no window 'deskto' within 1 s; there are 'Desktop'")
    run(do, workspace, ("activate_window", {"window_name": "deskto"}))


@pytest.mark.full
def test_a_window_that_no_step_could_have_opened_is_passed_over(do: Do, workspace: Workspace) -> None:
    (report,) = run(do, workspace, ("activate_window", {"window_name": "nowhere"}))
    assert report.missed.startswith("no window 'nowhere' within 10 s")


@pytest.mark.parametrize("home", ["~", "$HOME", "${HOME}"])
def test_a_path_may_begin_with_a_name_of_the_home_folder(do: Do, workspace: Workspace, home: str) -> None:
    do(workspace.desktop.put("Documents/short-name.txt", b"here"))
    run(do, workspace, ("open", {"path": f"{home}/Documents/short-name.txt"}))
    run(do, workspace, ("close_window", {"window_name": "short-name.txt"}))


@pytest.mark.parametrize(
    ("type_", "parameters"),
    [
        ("execute", {"command": " "}),
        ("launch", {"command": ["", "x"]}),
        ("download", {"files": [{"url": "http://[bad", "path": "/home/user/x"}]}),
        ("upload_file", {"files": [{"local_path": "a\0b", "path": "/home/user/x"}]}),
        ("upload_file", {"files": [{"local_path": "a" * 300, "path": "/home/user/x"}]}),
    ],
)
def test_odd_values_are_a_failed_step(
    do: Do, workspace: Workspace, type_: str, parameters: dict[str, JsonValue]
) -> None:
    assert f"setup step 1 ({type_}) failed" in str(fails(do, workspace, (type_, parameters)))


def test_opening_what_is_not_there_fails(do: Do, workspace: Workspace) -> None:
    assert "/home/user/none.txt: there is no such file on the desktop" in str(
        fails(do, workspace, ("open", {"path": "/home/user/none.txt"}))
    )


def test_after_the_agent_a_window_that_is_gone_is_no_failure(do: Do, workspace: Workspace) -> None:
    (report,) = run(do, workspace, ("open", {"path": "/home/user/none.txt"}), lenient=True)
    assert "no such file" in report.missed


def test_code_that_fails_says_so(do: Do, workspace: Workspace) -> None:
    (report,) = run(do, workspace, ("execute", {"command": ["python3", "-c", "import pyautogui; 1/0"]}))
    assert report.returncode != 0
    assert "ZeroDivisionError" in report.output


def test_a_step_nobody_can_do_fails(do: Do, workspace: Workspace) -> None:
    error = str(fails(do, workspace, ("googledrive", {"platform": "x"})))
    assert "unknown setup step 'googledrive'; choose one of launch, execute, command, open, download," in error


def test_what_failed_can_be_shown_on_a_terminal(do: Do, workspace: Workspace) -> None:
    error = fails(
        do, workspace, ("execute", {"command": r"printf '\033[2Jgone'; exit 1", "shell": True, "check": True})
    )
    assert "\x1b" not in str(error)
    assert do(workspace.desktop.observe(ObservationSpec())).screenshot is not None


def test_a_program_is_waited_for_by_its_effect(do: Do, workspace: Workspace) -> None:
    later = "(sleep 0.3; touch ~/effect) >/dev/null 2>&1 & echo begun"
    effect: dict[str, JsonValue] = {"command_success": "test -e ~/effect"}
    wanted: dict[str, JsonValue] = {"command": later, "shell": True, "check_interval": 0.1}
    (report,) = run(do, workspace, ("execute_with_verification", {**wanted, "verification": effect}))
    assert (report.output, report.returncode) == ("begun\n", 0)
    (report,) = run(do, workspace, ("execute_with_verification", {"command": ["true"]}))
    assert report.returncode == 0
    missing: dict[str, JsonValue] = {**wanted, "verification": {"window_exists": "nowhere"}, "max_wait_time": 0}
    said = fails(do, workspace, ("execute_with_verification", missing))
    assert "not verified within 0 s: no window 'nowhere'" in str(said) and said.output == "begun\n"


def test_the_wallpaper_is_changed_for_whoever_reads_it(do: Do, workspace: Workspace) -> None:
    before = do(workspace.desktop.run(("xfconf-query", "-c", "xfce4-desktop", "-lv"))).text
    do(workspace.desktop.put("Pictures/new one.png", PNG))
    run(do, workspace, ("change_wallpaper", {"path": "~/Pictures/new one.png"}))
    after = do(workspace.desktop.run(("xfconf-query", "-c", "xfce4-desktop", "-lv"))).text
    assert "/home/user/Pictures/new one.png" in after and after != before
    do(workspace.desktop.put("text.png", b"text"))
    said = fails(do, workspace, ("change_wallpaper", {"path": "/home/user/text.png"}))
    assert "text.png: not a picture" in str(said)
    assert "cannot be read" in str(fails(do, workspace, ("change_wallpaper", {"path": "/none.png"})))
