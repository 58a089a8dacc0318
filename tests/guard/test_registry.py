"""Guards by name, by import path and from other packages; one that is installed works in every command."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from support.bench_set import write_set
from support.desktop_service import TOKEN, Service, service
from support.extend_page import blocks, section
from support.model_server import model_server
from support.packages import install
from support.small_suite import write_suite
from trueline.cli import main
from trueline.errors import InputError
from trueline.guard.registry import GUARDS, GuardRequest, guard_options, open_guard
from trueline.models.testing import Say
from trueline.models.testing.server import Seen
from trueline.records.setting import Environment, GuardSetting, Setting

__all__ = ["service"]
WRITE = "```python\npyautogui.write('hello\\n')\npyautogui.hotkey('ctrl', 's')\n```"


def test_every_file_of_kinds_is_a_guard() -> None:
    assert GUARDS.names() == (
        "action-text-only",
        "alignment-check-like",
        "always-aligned",
        "always-misaligned",
        "deaction",
        "inferact-like",
        "injection-classifier",
        "invariant",
        "llamafirewall",
        "policy",
        "random",
        "scope",
        "task-shield-like",
    )
    assert all(GUARDS.find(name).options.model_validate({}) for name in GUARDS.names())


@pytest.mark.parametrize(("former", "present"), [("task-shield", "task-shield-like"), ("inferact", "inferact-like")])
def test_former_names_stay_valid_and_give_the_same_digests(former: str, present: str) -> None:
    assert former in GUARDS and GUARDS.find(former) is GUARDS.find(present)
    environment = Environment(provider="local")
    old, new = (
        Setting(agent="a", guard=GuardSetting(name=name), environment=environment) for name in (former, present)
    )
    assert old == new and old.guard is not None and old.guard.name == present
    text = f'{{"agent":"a","environment":{{"provider":"local"}},"guard":{{"name":"{former}"}}}}'  # as it was recorded
    assert old.digest == hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.parametrize("name", ["my_guards:Never", "my_guards.py:Never"])
def test_class_in_the_current_folder(tmp_path: Path, name: str) -> None:
    (tmp_path / "my_guards.py").write_text(
        "class Never:\n    def __init__(self, word=''): ...\n    async def check(self, context): ...\n"
    )
    code = (
        "import asyncio, sys\n"
        "from trueline.guard.registry import GuardRequest, open_guard\n"
        "async def main():\n"
        "    async with open_guard(GuardRequest(name=sys.argv[1], options={'word': 'x'})) as opened:\n"
        "        print(opened.setting.options, opened.asks_models)\n"
        "asyncio.run(main())"
    )
    # `-P` is how a program in `bin` starts: without the current folder among the places to import from.
    done = subprocess.run([sys.executable, "-P", "-c", code, name], cwd=tmp_path, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("{'word': 'x'} False\n", "")


def test_class_that_cannot_be_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "broken_guard.py").write_text("class Never(:\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="broken_guard:Never: the module cannot be imported: SyntaxError"):
        GUARDS.find("broken_guard:Never")
    with pytest.raises(InputError, match="no module 'nowhere'; looked in the current folder"):
        GUARDS.find("nowhere:Never")


@pytest.mark.parametrize(
    ("module", "code", "said"),
    [
        ("number_guard", "Broken = 3", "must be a class with an async method check, or a GuardKind"),
        ("sync_guard", "class Broken:\n    def check(self, context): ...", "has no async method check"),
        (
            "raising_guard",
            "class Broken:\n    def __init__(self): raise OSError('no disk')",
            "created: OSError: no disk",
        ),
        ("sized_guard", "class Broken:\n    def __init__(self, size): ...", "cannot be created: TypeError: .*'size'"),
    ],
)
def test_class_that_is_no_guard(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str, code: str, said: str
) -> None:
    (tmp_path / f"{module}.py").write_text(code)
    monkeypatch.chdir(tmp_path)

    async def open_it() -> None:
        async with open_guard(GuardRequest(name=f"{module}:Broken")):
            pass

    with pytest.raises(InputError, match=said):
        asyncio.run(open_it())


@pytest.mark.parametrize(
    ("name", "option", "said"),
    [
        ("policy", {"wings": 2}, "`guard_options.wings`: does not apply to `guard` policy; it takes rules, classifier"),
        ("always-aligned", {"wings": 2}, "it takes no options"),
        ("policy", {"mode": "cost"}, "does not apply to `guard` policy; use `guard` deaction"),
        ("deaction", {"mode": "both"}, "`guard_options.mode`: must be 'cost' or 'latency'"),
        ("deaction", {"fast_check_model": "unheard-of"}, "its provider is not known"),
    ],
)
def test_option_that_a_guard_does_not_take(name: str, option: dict[str, str | int], said: str) -> None:
    with pytest.raises(InputError) as raised:
        guard_options(GuardRequest(name=name, options={**option}))
    assert said in str(raised.value)


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The guard of docs/how-to/extend.md as an installed package."""
    packages = tmp_path / "packages"
    (_, file, code), (_, _, toml) = blocks(section("Guard"))
    install(packages, "word-guard", tomllib.loads(toml)["project"]["entry-points"], {file: code})
    monkeypatch.syspath_prepend(packages)
    monkeypatch.chdir(tmp_path)
    return packages


def test_installed_guard_in_a_run(installed: Path, capsys: pytest.CaptureFixture[str], machine: None) -> None:
    def answer(seen: Seen) -> Say:
        return Say("```\nFAIL\n```" if b"it holds the word" in seen.raw else WRITE)

    words = ["run", "--suite", str(write_suite(installed.parent / "suite", "t0")), "--json", "--progress", "none"]
    words += ["--guard", "word", "--guard_option", "word=hello", "--screen_width", "1024", "--screen_height", "768"]
    with model_server(default=answer) as server:
        code = main([*words, "--model", "local|m", "--model_url", f"{server.url}/v1", "--max_steps", "1"])
    out, err = capsys.readouterr()
    assert code == 0, err
    assert json.loads(out)["episodes"] == 1
    (record,) = Path("results").rglob("episode.json")
    episode = json.loads(record.read_text())
    assert episode["setting"]["guard"]["name"] == "word"
    verdicts = [verdict for step in episode["steps"] for attempt in step["attempts"] for verdict in attempt["verdicts"]]
    assert verdicts[0]["decision"] == "misaligned" and verdicts[0]["reason"] == "it holds the word hello"


def test_installed_guard_in_a_bench(installed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_set(Path(), 4)
    words = ["guard", "bench", "--benchmark_file", "MisActBench/misactbench.json", "--guard", "word", "--json"]
    assert main([*words, "--guard_option", "word=evil"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["n"], found["precision"], found["recall"]) == (12, 1.0, 1.0)
    assert main(words) == 2
    assert "--guard_option word: is required by --guard word" in capsys.readouterr().err


def test_installed_guard_before_a_desktop(installed: Path, runner: asyncio.Runner, service: Service) -> None:
    async def work() -> None:
        program = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "trueline", "guard", "proxy", "--port", "0", "--json",
            "--upstream", f"127.0.0.1:{service.port}", "--guard", "word", "--guard_option", "word=delete",
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "TRUELINE_DESKTOP_TOKEN": TOKEN},
        )  # fmt: skip
        assert program.stdout and program.stderr
        try:
            line = await asyncio.wait_for(program.stdout.readline(), 60)
            assert line, (await program.stderr.read()).decode()
            said = json.loads(line)
            proxy = Service(service.desktop, int(said["url"].rpartition(":")[2]), said["token"])
            await proxy.post("/trueline/session", {"instruction": "Rename the file"})
            codes: list[int] = []
            for command in (["echo", "rename"], ["echo", "delete"]):
                answer = await proxy.post("/execute", {"command": command, "shell": False})
                codes.append(answer.json["returncode"])
            assert codes == [0, 1]
        finally:
            program.terminate()
            await program.communicate()

    runner.run(work())
