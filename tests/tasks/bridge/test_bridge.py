"""OSWorld's own functions on a real desktop, and what an evaluation can reach."""

from __future__ import annotations

import asyncio
import io
import json
import os
import socket
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from support.stock_machine import stock_machine
from tasks.conftest import Do
from trueline.desktop.local import LocalDesktop
from trueline.desktop.osworld import OSWorldDesktop
from trueline.tasks.bridge.bridge import Bridge
from trueline.tasks.bridge.environment import NoEnvironment, find_environment
from trueline.tasks.bridge.evaluation import BridgedTask
from trueline.tasks.bridge.names import known_names
from trueline.tasks.bridge.sandbox import MIB, EvaluationLimits
from trueline.tasks.bridge.score import BridgedEvidence, Bridging
from trueline.tasks.checkers import CheckResult, evaluate
from trueline.tasks.checkers.home import keep_home
from trueline.tasks.downloads import Downloads
from trueline.tasks.errors import CheckerError
from trueline.tasks.model import Evaluator
from trueline.tasks.model.evaluator import checks
from trueline.tasks.workspace import Workspace

pytestmark = pytest.mark.full
LIMITS = EvaluationLimits(seconds=60, cpu_seconds=2, memory=700 * MIB)


@pytest.fixture(scope="module")
def bridge(machine: None, do: Do) -> Iterator[Bridge]:
    try:
        find_environment()
    except NoEnvironment as error:
        pytest.fail(f"{error}, or ./scripts/setup full")
    bridge = Bridge(limits=LIMITS)
    yield bridge
    do(bridge.__aexit__())


def evaluator(**fields: object) -> Evaluator:
    return Evaluator.model_validate_json(json.dumps(fields))


def command(line: str) -> dict[str, object]:
    return {"type": "vm_command_line", "command": line, "shell": True}


def rule(**rules: object) -> dict[str, object]:
    return {"type": "rule", "rules": rules}


def book(*rows: tuple[object, ...]) -> bytes:
    openpyxl: Any = import_module("openpyxl")
    made, file = openpyxl.Workbook(), io.BytesIO()
    for row in rows:
        made.active.append(row)
    made.save(file)
    return file.getvalue()


def table(path: str) -> Evaluator:
    return evaluator(
        func="compare_table",
        result={"type": "vm_file", "path": path, "dest": "result.xlsx"},
        expected={"type": "cache_file", "path": "gold.xlsx"},
        options={"rules": [{"type": "sheet_data", "sheet_idx0": 0, "sheet_idx1": "EI0"}]},
    )


async def score(
    each: Evaluator, workspace: Workspace, bridge: Bridge, *, checkers: str = "bridged", **more: Any
) -> CheckResult:
    return await evaluate(
        each, workspace, failed=False, checkers=checkers, bridging=Bridging(bridge, **more)  # type: ignore[arg-type]
    )  # fmt: skip


def test_the_names_known_without_the_package_are_those_it_has(do: Do, bridge: Bridge) -> None:
    ready = do(bridge.worker()).ready
    assert {kind: frozenset(names) for kind, names in ready.names.items()} == known_names()


def test_commands_and_workbooks_are_scored_and_compared_with_our_own(
    do: Do, bridge: Bridge, workspace: Workspace
) -> None:
    workspace.outputs["gold.xlsx"] = book(("a", 1), ("b", 2))
    says = evaluator(
        func="check_include_exclude", result=command("id -un"), expected=rule(include=["user"], exclude=[])
    )
    kept: list[BridgedEvidence] = []

    async def work() -> None:
        await workspace.desktop.put("good.xlsx", book(("a", 1), ("b", 2)))
        await workspace.desktop.put("bad.xlsx", book(("a", 1), ("b", 3)))
        for each, wanted in ((says, 1.0), (table("/home/user/good.xlsx"), 1.0), (table("/home/user/bad.xlsx"), 0.0)):
            found = await score(each, workspace, bridge, checkers="both", keep=kept.append)
            assert (found.score, found.scored_by, found.disagreement) == (wanted, "bridged", "")
        assert kept[0].checks == ({"result": "user\n", "expected": {"include": ["user"], "exclude": []}},)
        assert set(kept[1].files) == {"gold.xlsx", "result.xlsx"}
        # The same score again from what was kept, without a desktop.
        async with bridge.evaluation(None, BridgedTask(), kept[2].files) as evaluation:
            again = await evaluation.check(checks(table(""))[0], kept[2].checks[0])
        assert again.score == 0

    do(work())


def test_checks_that_only_we_have_are_mixed_in(do: Do, bridge: Bridge, workspace: Workspace) -> None:
    mixed = evaluator(
        func=["unchanged_except", "exact_match"],
        result=[{"type": "home_diff"}, command("printf 1")],
        expected=[rule(paths=["new"]), rule(expected="1")],
    )

    async def work() -> tuple[CheckResult, CheckResult]:
        await keep_home(mixed, workspace)
        before = await score(mixed, workspace, bridge)
        await workspace.desktop.put("unwanted.txt", b"x")
        return before, await score(mixed, workspace, bridge)

    before, after = do(work())
    assert (before.score, before.scored_by) == (1, "bridged")
    assert (after.score, [each.function for each in after.comparisons]) == (0, ["unchanged_except"])


def test_what_is_missing_is_0_an_error_or_no_score_as_it_should_be(
    do: Do, bridge: Bridge, workspace: Workspace
) -> None:
    workspace.outputs["gold.xlsx"] = book(("a", 1))
    dates = {
        "type": "rule_relativeTime",
        "rules": {"relativeTime": {"from": "tomorrow"}, "expected": {"time": "{Year}"}},
    }
    missing = table("/home/user/none.xlsx")
    image = {"type": "vm_file", "path": "/home/user/none.png", "dest": "none.png"}
    cloud = {"type": "cloud_file", "path": "http://nowhere.example/a.xlsx", "dest": "a.xlsx"}
    refusals = (
        (
            evaluator(func="compare_table", result=image, expected=cloud),
            "cloud_file: not scorable without http://nowhere",
        ),
        (evaluator(func="exact_match", result={"type": "googledrive_file"}), "without credentials of Google Drive"),
        (
            evaluator(func="compare_table", result={"type": "cache_file", "path": "x"}),
            "getter cache_file: AssertionError",
        ),
    )

    async def work() -> None:
        assert (await score(missing, workspace, bridge)).score == 0
        for each, message in refusals:
            with pytest.raises(CheckerError, match=message):
                await score(each, workspace, bridge)
        # Where the desktop is, nobody asks a web service; elsewhere the answer is not made up.
        check = checks(evaluator(func="exact_match", result=command("true"), expected=dates))[0]
        for zone, hosts in (("UTC", []), (None, ["ipapi.co"])):
            async with bridge.evaluation(workspace.desktop, BridgedTask(time_zone=zone)) as evaluation:
                answer = await evaluation.check(check)
            assert [refused.name for refused in answer.refused] == hosts

    do(work())


SPY = """
import json, os, socket, subprocess
found = {}
for path in PATHS:
    try:
        found[path] = sorted(os.listdir(path)) if os.path.isdir(path) else open(path, "rb").read(50).decode("latin1")
    except OSError as error:
        found[path] = None
for name, address in ADDRESSES.items():
    try:
        socket.create_connection(tuple(address), 2).close()
        found[name] = True
    except OSError:
        found[name] = False
for number, (kind, name) in enumerate([("udp", ("192.0.2.1", 53)), ("abstract", "\\0trueline-test")]):
    sock = socket.socket(socket.AF_INET if kind == "udp" else socket.AF_UNIX, socket.SOCK_DGRAM)
    try:
        sock.connect(name)
        sock.send(b"x")
        found[kind] = True
    except OSError:
        found[kind] = False
found["mount"] = subprocess.run(["mount", "-t", "tmpfs", "t", "/mnt"], capture_output=True).returncode == 0
found["unshare"] = subprocess.run(["unshare", "-Ur", "true"], capture_output=True).returncode == 0
found["processes"] = sum(name.isdigit() for name in os.listdir("/proc"))
found["environment"] = sorted(os.environ)
found["files"] = sorted(os.listdir("/tmp"))
for path in ("/worker/x", "/environment/x", "/usr/x", "/etc/x", "/dev/x", "/proc/sys/kernel/hostname"):
    try:
        open(path, "w").write("x")
        found["wrote " + path] = True
    except OSError:
        found["wrote " + path] = False
open("/tmp/left", "w").write("for the next evaluation")
open("/tmp/cache/found.json", "w").write(json.dumps(found))
"""


RUN_ANSWER = evaluator(
    func="check_python_file_by_test_suite",
    result={"type": "vm_file", "path": "/home/user/answer.py", "dest": "answer.py"},
    expected={"type": "cache_file", "path": "suite.py"},
)
"""A metric of OSWorld's that runs a file of the agent's."""
SUITE = b"import sys\nsys.path.insert(0, '/tmp/cache')\nimport answer\ndef test():\n    return True\n"


def test_code_of_an_agent_reaches_neither_host_nor_network_nor_other_evaluations(
    do: Do, bridge: Bridge, workspace: Workspace, tmp_path: Path
) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("of the host")
    os.chmod(tmp_path, 0o755)
    paths = [
        str(secret),
        "/home",
        str(Path("~/.profile").expanduser()),
        "/etc/passwd",
        "/etc/hostname",
        "/var",
        "/sys/kernel",
        str(Path(__file__)),
    ]
    workspace.outputs["suite.py"] = SUITE
    kept: list[BridgedEvidence] = []

    async def work() -> None:
        with (
            socket.create_server(("127.0.0.1", 0)) as door,
            socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as abstract,
        ):
            abstract.bind("\0trueline-test")
            port = door.getsockname()[1]
            addresses = {"host": ["127.0.0.1", port], "outside": ["192.0.2.1", 80], "desktop": ["127.0.0.1", 5000]}
            code = SPY.replace("PATHS", json.dumps(paths)).replace("ADDRESSES", json.dumps(addresses))
            await workspace.desktop.put("answer.py", code.encode())
            for _ in range(2):
                found = await score(RUN_ANSWER, workspace, bridge, keep=kept.append)
                assert found.score == 1

    do(work())
    found = json.loads(kept[1].files["found.json"])
    assert {name: value for name, value in found.items() if name in paths and value is not None} == {}
    assert {name for name, value in found.items() if value is True} == {"desktop"}
    assert found["files"] == ["cache"]
    assert found["processes"] <= 2
    assert not {name for name in found["environment"] if "KEY" in name or "TOKEN" in name}


GREEDY = """
import os, time
for _ in range(6):
    if os.fork() == 0:
        try:
            lump = b"x" * (200 << 20)
            time.sleep(100)
        finally:
            os._exit(0)
os.wait()
"""
KILLER = """
import os, signal
for victim in (1, 2, os.getppid(), 0, -1):
    try:
        os.kill(victim, signal.SIGKILL)
    except OSError:
        pass
os.abort()
"""


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("while True: pass", "CPU time is used up"),
        (GREEDY, "more than 700 MiB of memory"),
        ("import os; os._exit(0)", "OSWorld's evaluator ended: its process ended"),
        (KILLER, "OSWorld's evaluator ended: it was ended by signal"),
    ],
)
def test_code_that_exhausts_or_ends_its_process_ends_only_this_evaluation(
    do: Do, bridge: Bridge, workspace: Workspace, code: str, why: str
) -> None:
    workspace.outputs["suite.py"] = SUITE
    fine = evaluator(func="exact_match", result=command("printf 1"), expected=rule(expected="1"))

    async def work() -> None:
        worker = await bridge.worker()
        await workspace.desktop.put("answer.py", code.encode())
        with pytest.raises(CheckerError, match=why):
            await score(RUN_ANSWER, workspace, bridge)
        assert await bridge.worker() is worker
        assert (await score(fine, workspace, bridge)).score == 1

    do(work())


def test_evaluations_of_several_desktops_run_at_the_same_time(do: Do, bridge: Bridge, workspace: Workspace) -> None:
    async def one(number: int, place: Workspace) -> float:
        each = evaluator(func="exact_match", result=command("cat number"), expected=rule(expected=str(number)))
        await place.desktop.put("number", str(number).encode())
        return (await score(each, place, bridge)).score

    async def work() -> tuple[float, float]:
        async with LocalDesktop() as other:
            return await asyncio.gather(one(1, workspace), one(2, replace(workspace, desktop=other)))

    assert tuple(do(work())) == (1.0, 1.0)


def test_a_machine_of_osworlds_answers_by_itself(do: Do, bridge: Bridge, tmp_path: Path) -> None:
    async def work() -> tuple[CheckResult, list[tuple[str, ...]]]:
        async with stock_machine() as machine, OSWorldDesktop(f"127.0.0.1:{machine.port}") as desktop:
            line = ["sh", "-c", "echo $HOME"]
            read = {"type": "vm_command_line", "command": line}
            each = evaluator(func="exact_match", result=read, expected=rule(expected="/home/user"))
            return await score(each, Workspace(desktop, Downloads(tmp_path)), bridge), machine.commands

    found, commands = do(work())
    assert found.score == 1
    assert ("sh", "-c", "echo $HOME") in commands
