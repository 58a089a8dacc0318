"""Every endpoint of OSWorld's protocol, asked as its clients ask it, on a real desktop."""

from __future__ import annotations

import asyncio
import io
import subprocess
from typing import Any

import aiohttp
import pytest
from PIL import Image

from support.desktop_service import Answer, Service, until
from trueline.desktop.types import Settled, WindowShown
from trueline.records.tree import parse_xml

PREFIX = "import pyautogui; import time; pyautogui.FAILSAFE = False; "


def do(service: Service, code: str) -> Any:
    return service.post("/execute", {"command": ["python", "-c", PREFIX + code], "shell": False})


def upload(service: Service, path: str, content: bytes) -> Any:
    form = aiohttp.FormData()
    form.add_field("file_path", path)
    form.add_field("file_data", content, filename="x")
    return service.ask("POST", "/setup/upload", data=form)


async def until_window(service: Service, title: str) -> None:
    await service.desktop.wait_for(WindowShown(title), time_limit=20)
    await service.desktop.wait_for(Settled())


def test_the_screen_is_a_png_of_its_size(runner: asyncio.Runner, service: Service) -> None:
    answer = runner.run(service.get("/screenshot"))
    assert (answer.status, answer.type) == (200, "image/png")
    assert Image.open(io.BytesIO(answer.body)).size == (1024, 768)
    assert runner.run(service.post("/screen_size")).json == {"width": 1024, "height": 768}


def test_the_tree_is_osworlds_xml(runner: asyncio.Runner, service: Service) -> None:
    answer = runner.run(service.get("/accessibility"))
    assert list(answer.json) == ["AT"]
    root = parse_xml(answer.json["AT"]).root
    assert root.role == "desktop-frame"
    assert {"xfdesktop", "xfce4-panel"} <= {child.name for child in root.children}


@pytest.mark.full
def test_a_tree_from_which_an_application_is_missing_says_so(runner: asyncio.Runner, service: Service) -> None:
    async def work() -> None:
        desktop = service.desktop
        pid = str(await desktop.launch(("mousepad",)))
        await until_window(service, "Mousepad")
        whole = await service.get("/accessibility")
        assert "x-trueline-partial" not in whole.headers
        hidden = [n for n in parse_xml(whole.json["AT"]).root.walk() if n.role == "menu-item" and n.position is None]
        assert hidden and all(node.attributes for node in hidden), "what is hidden is told of too"
        # An entry that cannot be chosen now has no action.
        assert all(node.actions for node in hidden if "sensitive" in node.states)
        await desktop.run(("kill", "-STOP", pid))
        answer = await service.get("/accessibility")
        assert answer.status == 200 and answer.headers["x-trueline-partial"] == "1"
        await desktop.run(("kill", "-KILL", pid))

    runner.run(asyncio.wait_for(work(), 60))


def test_names_that_are_not_utf8_are_told_and_asked_for(runner: asyncio.Runner, service: Service) -> None:
    async def work() -> None:
        make = "import os; os.mkdir(b'd\\xff'); open(b'd\\xff/x', 'w').write('there')"
        assert (await service.post("/execute", {"command": ["python3", "-c", make]})).json["returncode"] == 0
        changes = (await service.get("/trueline/diff")).json["changes"]
        assert {change["path"] for change in changes} >= {r"d\xff", r"d\xff/x"}
        names = (await service.post("/list_directory", {"path": "~"})).json["directory_tree"]["children"]
        assert r"d\xff" in {entry["name"] for entry in names}
        form = {"content-type": "application/x-www-form-urlencoded"}
        got = await service.ask("POST", "/file", data=b"file_path=~/d%FF/x", headers=form)
        assert (got.status, got.body) == (200, b"there")

    runner.run(asyncio.wait_for(work(), 30))


def test_code_that_fails_half_way_leaves_nothing_pressed(runner: asyncio.Runner, service: Service) -> None:
    async def work() -> None:
        await service.desktop.put("Desktop/half.txt", b"")
        await service.desktop.launch(("mousepad", "Desktop/half.txt"))
        await until_window(service, "half.txt")
        failed = await do(service, "pyautogui.keyDown('shift'); pyautogui.press('no such key')")
        assert failed.json["returncode"] == 1
        await do(service, "pyautogui.write('abc'); pyautogui.hotkey('ctrl', 's')")

        async def saved() -> bool:
            return (await service.desktop.get("Desktop/half.txt")).startswith(b"abc")

        await until(saved)
        await service.desktop.run(("pkill", "mousepad"))

    runner.run(asyncio.wait_for(work(), 60))


def test_plain_facts(runner: asyncio.Runner, service: Service) -> None:
    assert runner.run(service.get("/platform")).text == "Linux"
    assert runner.run(service.post("/desktop_path")).json == {"desktop_path": "/home/user/Desktop"}
    asked = runner.run(do(service, "import platform; print(platform.system())"))
    assert asked.json == {"status": "success", "output": "Linux\n", "error": "", "returncode": 0}


def test_actions_move_the_pointer(runner: asyncio.Runner, service: Service) -> None:
    assert runner.run(do(service, "pyautogui.moveTo(321, 234)")).json["returncode"] == 0
    assert runner.run(service.get("/cursor_position")).json == [321, 234]
    # Not a straight line: the worker inside does it.
    runner.run(do(service, "\nfor x in (10, 20, 30):\n    pyautogui.moveTo(x, 40)"))
    assert runner.run(service.get("/cursor_position")).json == [30, 40]


def test_code_that_fails_says_so(runner: asyncio.Runner, service: Service) -> None:
    answer = runner.run(do(service, "print('before'); [].pop()"))
    assert (answer.status, answer.json["returncode"], answer.json["output"]) == (200, 1, "before\n")
    assert "IndexError" in answer.json["error"]
    broken = runner.run(do(service, "pyautogui.moveTo(1, 2"))
    assert broken.json["returncode"] == 1 and "SyntaxError" in broken.json["error"]


@pytest.mark.parametrize(
    ("command", "shell", "output"),
    [
        ('echo "a  b" $HOME', False, "a  b $HOME\n"),
        ('echo "a  b" $HOME; echo c', True, "a  b /home/user\nc\n"),
        (["echo", "~/x", "a;b"], False, "/home/user/x a;b\n"),
        (["echo $0 $1", "one", "two"], True, "one two\n"),
        ("python3 -c 'import sys; print(len(sys.argv))' x", False, "2\n"),
    ],
)
def test_commands_run_as_subprocess_runs_them(
    runner: asyncio.Runner, service: Service, command: object, shell: bool, output: str
) -> None:
    for path in ("/execute", "/setup/execute"):
        answer = runner.run(service.post(path, {"command": command, "shell": shell}))
        assert answer.json == {"status": "success", "output": output, "error": "", "returncode": 0}


def test_commands_that_fail(runner: asyncio.Runner, service: Service) -> None:
    failed = runner.run(service.post("/execute", {"command": "echo out; echo err >&2; exit 3", "shell": True}))
    assert failed.json == {"status": "success", "output": "out\n", "error": "err\n", "returncode": 3}
    for command, status in ((["no-such-program"], 500), ("echo 'open", 400), ("", 400), (["x" * 200_000], 500)):
        answer = runner.run(service.post("/execute", {"command": command}))
        assert (answer.status, answer.json["status"]) == (status, "error"), command
    assert runner.run(service.post("/execute", {"shell": True})).status == 400
    for odd in (b'{"command": ["echo", "\\ud800"]}', b'{"command": ["echo", "a\\u0000b"]}'):
        assert runner.run(service.ask("POST", "/execute", data=odd)).status == 400
    raw = runner.run(service.post("/execute", {"command": r"printf '\377\000x'", "shell": True}))
    assert raw.json["output"] == "\ufffd\0x"
    assert runner.run(service.ask("POST", "/execute", data=b"{nonsense")).status == 400


def test_verified_commands(runner: asyncio.Runner, service: Service) -> None:
    asked = {"command": ["touch", "made"], "verification": {"command_success": "test -e ~/made"}, "max_wait_time": 5}
    passed = runner.run(service.post("/setup/execute_with_verification", asked))
    assert (passed.status, passed.json["verification"], passed.json["returncode"]) == (200, "passed", 0)
    assert passed.json["wait_time"] < 5
    wanted = {"window_exists": "no such window"}
    asked = {"command": ["true"], "verification": wanted, "max_wait_time": 0.2, "check_interval": 0.1}
    failed = runner.run(service.post("/execute_with_verification", asked))
    assert (failed.status, failed.json["status"], failed.json["verification"]) == (500, "verification_failed", "failed")
    plain = runner.run(service.post("/execute_with_verification", {"command": ["echo", "1"]}))
    assert plain.json == {"status": "success", "output": "1\n", "error": "", "returncode": 0}


def test_scripts(runner: asyncio.Runner, service: Service) -> None:
    good = runner.run(service.post("/run_python", {"code": "import os\nprint(os.getcwd())"})).json
    assert (good["status"], good["output"], good["return_code"], good["need_more"]) == (
        "success",
        "/home/user\n",
        0,
        False,
    )
    bad = runner.run(service.post("/run_python", {"code": "print(1)\n1/0"})).json
    assert (bad["status"], bad["output"], bad["return_code"]) == ("error", "1\n", 1)
    assert "ZeroDivisionError" in bad["error"]
    moved = runner.run(service.post("/run_python", {"code": "import pyautogui\npyautogui.moveTo(77, 66)"})).json
    assert moved["return_code"] == 0 and runner.run(service.get("/cursor_position")).json == [77, 66]
    script = {"script": "echo out\necho err >&2\npwd\nexit 4", "working_dir": "/tmp"}
    said = runner.run(service.post("/run_bash_script", script))
    assert said.json == {"status": "error", "output": "out\nerr\n/tmp\n", "error": "", "returncode": 4}
    slow = runner.run(service.post("/run_bash_script", {"script": "echo begun; sleep 60", "timeout": 0.3}))
    assert (slow.status, slow.json["returncode"]) == (500, -1) and "0.3 s" in slow.json["output"]
    assert runner.run(service.post("/run_bash_script", {"script": "true", "working_dir": "/no"})).status == 400
    left = runner.run(service.post("/execute", {"command": "ls /tmp", "shell": True})).json["output"]
    assert "script-" not in left


def test_files_go_in_and_come_out(runner: asyncio.Runner, service: Service) -> None:
    content = bytes(range(256)) * 1000 + b"\r\n--"
    answer = runner.run(upload(service, "~/new/folder/dät a.bin", content))
    assert (answer.status, answer.text) == (200, f"File Uploaded: {len(content)} bytes")
    for path in ("/home/user/new/folder/dät a.bin", "~/new/folder/dät a.bin", "${HOME}/new/folder/dät a.bin"):
        got = runner.run(service.ask("POST", "/file", data={"file_path": path}))
        assert (got.status, got.body) == (200, content)
        assert got.headers["Content-Disposition"].startswith("attachment")
    assert runner.run(service.ask("POST", "/file", data={"file_path": "/home/user/none"})).status == 404
    assert runner.run(service.ask("POST", "/file", data={"file_path": "/home/user"})).status == 500
    assert runner.run(service.ask("POST", "/file", data={"x": "y"})).status == 400
    listed = runner.run(service.post("/list_directory", {"path": "~/new"})).json["directory_tree"]
    inner = {"type": "directory", "name": "folder", "children": [{"type": "file", "name": "dät a.bin"}]}
    assert listed == {"type": "directory", "name": "new", "children": [inner]}
    assert runner.run(service.post("/list_directory", {"path": "~/none"})).status == 400


def test_a_file_is_opened_its_window_found_raised_and_closed(runner: asyncio.Runner, service: Service) -> None:
    async def work() -> None:
        await upload(service, "~/Desktop/letter.txt", b"Dear all,\n")
        opened = await service.post("/setup/open_file", {"path": "~/Desktop/letter.txt"})
        assert (opened.status, opened.type) == (200, "text/plain")
        await service.post("/setup/launch", {"command": ["thunar", "/usr/share"]})
        await until_window(service, "share")
        shown = (await service.desktop.windows())[-2]
        editor = await service.desktop.wait_for(WindowShown("letter.txt"))
        assert editor is not None and not editor.active and shown.app == "thunar"
        asked = {"window_name": "LETTER.txt"}
        assert (await service.post("/setup/activate_window", asked)).status == 200
        await until_active(service, "letter.txt")
        sized = await service.ask("POST", "/window_size", data={"app_class_name": editor.app.upper()})
        assert sized.json == {"width": editor.width, "height": editor.height}
        exact = {"window_name": "letter", "strict": True}
        assert (await service.post("/setup/close_window", exact)).status == 200
        assert [w for w in await service.desktop.windows() if "letter.txt" in w.title]
        await service.post("/setup/close_window", {"window_name": "THUNAR", "by_class": True})
        await until_gone(service, "thunar")
        await service.post("/setup/close_window", {"window_name": "letter.txt"})
        await until_gone(service, editor.app)

    runner.run(asyncio.wait_for(work(), 60))
    for document, status in (({"path": "~/none.txt"}, 404), ({"path": ""}, 400)):
        assert runner.run(service.post("/setup/open_file", document)).status == status
    assert runner.run(service.ask("POST", "/window_size", data={"app_class_name": "none"})).status == 500
    assert runner.run(service.ask("POST", "/window_size", data={})).status == 400


async def until_active(service: Service, title: str) -> None:
    async def active() -> bool:
        return any(title in window.title and window.active for window in await service.desktop.windows())

    await until(active)


async def until_gone(service: Service, app: str) -> None:
    async def gone() -> bool:
        return all(window.app != app for window in await service.desktop.windows())

    await until(gone)


def test_a_minimised_window_comes_back(runner: asyncio.Runner, service: Service) -> None:
    async def work() -> None:
        await upload(service, '~/brève "日本".txt', b"")
        await service.post("/setup/launch", {"command": ["mousepad", '/home/user/brève "日本".txt']})
        await until_window(service, "日本")
        await service.post("/execute", {"command": "xdotool getactivewindow windowminimize", "shell": True})
        await until_gone(service, "mousepad")
        await service.post("/setup/activate_window", {"window_name": 'Brève "日本".TXT'})
        await until_active(service, "日本")
        for name in ("mousepad", "Mousepad", "mousepad.Mousepad"):
            assert [window for window in await service.desktop.windows() if window.app == "mousepad"], name
            await service.post("/setup/close_window", {"window_name": name, "strict": True, "by_class": True})
        await until_gone(service, "mousepad")

    runner.run(asyncio.wait_for(work(), 60))


def test_the_terminal_with_the_keyboard_is_read(runner: asyncio.Runner, service: Service) -> None:
    assert runner.run(service.get("/terminal")).json == {"output": None, "status": "success"}

    async def work() -> Answer:
        await service.post("/setup/launch", {"command": ["gnome-terminal"]})
        await until_window(service, "Terminal")
        await do(service, "pyautogui.typewrite('echo \"3 < 5\" $((40+2)) é€\\n')")
        while True:
            answer = await service.get("/terminal")
            if answer.json["output"] and "42" in answer.json["output"]:
                return answer

    answer = runner.run(asyncio.wait_for(work(), 60))
    assert "3 < 5 42 é€" in answer.json["output"]
    runner.run(service.post("/setup/close_window", {"window_name": "Terminal"}))


def test_the_wallpaper_is_read_and_changed(runner: asyncio.Runner, service: Service) -> None:
    async def work() -> None:
        before = await service.ask("POST", "/wallpaper")
        assert (before.status, before.body[:4]) == (200, b"\x89PNG")
        picture = io.BytesIO()
        Image.new("RGB", (64, 64), (200, 30, 40)).save(picture, "PNG")
        await upload(service, "~/red.png", picture.getvalue())
        assert (await service.post("/setup/change_wallpaper", {"path": "~/red.png"})).status == 200
        assert (await service.ask("POST", "/wallpaper")).body == picture.getvalue()
        while True:
            shot = await service.get("/screenshot")
            if Image.open(io.BytesIO(shot.body)).getpixel((512, 700)) == (200, 30, 40):
                break

    runner.run(asyncio.wait_for(work(), 30))
    assert runner.run(service.post("/setup/change_wallpaper", {"path": "~/none.png"})).status == 404
    no_picture = runner.run(service.post("/setup/change_wallpaper", {"path": "/etc/passwd"}))
    assert no_picture.status == 400 and "not a picture" in no_picture.json["message"]


def test_downloads_use_the_network_of_the_desktop(runner: asyncio.Runner, service: Service) -> None:
    async def work() -> None:
        await upload(service, "~/site/page.txt", b"page")
        launched = {"command": "cd ~/site && python3 -m http.server 8124", "shell": True}
        await service.post("/setup/launch", launched)
        asked = {"url": "http://127.0.0.1:8124/page.txt", "path": "~/got/it"}

        async def got() -> bool:
            return (await service.post("/setup/download_file", asked)).status == 200

        await until(got)
        assert await service.desktop.get("got/it") == b"page"
        outside = await service.post("/setup/download_file", {"url": "http://example.com/", "path": "~/x"})
        assert outside.status == 500 and "POST /setup/upload" in outside.json["message"]
        assert (await service.post("/setup/download_file", {"url": "file:///etc/passwd", "path": "~/x"})).status == 400

    runner.run(asyncio.wait_for(work(), 60))


def test_recordings_are_told_when_there_is_none(runner: asyncio.Runner, service: Service) -> None:
    assert runner.run(service.post("/end_recording")).status == 400


@pytest.mark.full
def test_recordings_are_films(runner: asyncio.Runner, service: Service, tmp_path: Any) -> None:
    async def work() -> Answer:
        assert (await service.post("/start_recording")).status == 200
        assert (await service.post("/start_recording")).status == 400
        await do(service, "pyautogui.moveTo(400, 400); pyautogui.moveTo(10, 10)")
        return await service.post("/end_recording")

    film = runner.run(asyncio.wait_for(work(), 60))
    assert (film.status, film.type, film.body[4:8]) == (200, "video/mp4", b"ftyp")
    (tmp_path / "film.mp4").write_bytes(film.body)
    probe = ["ffprobe", "-v", "error", "-show_entries", "stream=width,height", "-of", "csv=p=0", tmp_path / "film.mp4"]
    assert subprocess.run(probe, capture_output=True, text=True, check=True).stdout.strip() == "1024,768"
