"""Guards of other packages in a process of their own: the protocol with the real program, and the real packages."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from guard.engine_samples import context
from trueline.actions import Hotkey, Type
from trueline.errors import InputError
from trueline.guard.registry import open_guard
from trueline.guard.types import GuardContext
from trueline.guard.workers.worker_guard import PYTHON, installed_version
from trueline.models.testing import FakeServer, Say
from trueline.records.verdict import Decision, Verdict

ROOT = Path(__file__).resolve().parents[3]
REAL = ROOT / PYTHON
FAKE_INVARIANT = """
class LocalPolicy:
    def __init__(self, text):
        self.words = text.split()
    @classmethod
    def from_string(cls, text):
        if text.startswith("broken"):
            raise SyntaxError("line 1: no rule")
        return cls(text)
    def analyze_pending(self, past, pending):
        print("the package prints", past[0]["content"])
        text = str(pending)
        if "die" in text:
            import os
            os._exit(3)
        self.errors = [word for word in self.words if word in text]
        return self
"""


@pytest.fixture
def environment(tmp_path: Path) -> Path:
    """An environment whose package has the interface of the real one, in a few lines."""
    packages = tmp_path / "lib" / f"python3.{sys.version_info.minor}" / "site-packages"
    (packages / "invariant").mkdir(parents=True)
    (packages / "invariant_ai-9.9.dist-info").mkdir()
    (packages / "invariant" / "__init__.py").touch()
    (packages / "invariant" / "analyzer.py").write_text(FAKE_INVARIANT)
    (tmp_path / "bin").mkdir()
    python = tmp_path / "bin" / "python"
    python.write_text(f'#!/bin/sh\nPYTHONPATH={packages} exec {sys.executable} "$@"\n')
    python.chmod(0o700)
    return python


def rules(tmp_path: Path, text: str) -> str:
    path = tmp_path / "rules.txt"
    path.write_text(text)
    return str(path)


def checked(name: str, options: dict[str, Any], *asked: GuardContext) -> list[Verdict]:
    async def work() -> list[Verdict]:
        async with open_guard(name, options) as opened:
            return [await opened.guard.check(one) for one in asked]

    return asyncio.run(work())


def test_each_question_gets_its_answer_and_what_the_package_prints_is_no_answer(
    environment: Path, tmp_path: Path
) -> None:
    options = {"python": str(environment), "rules": rules(tmp_path, "evil wicked")}
    good, bad = context(Type(text="fine")), context(Type(text="something evil"))
    found = checked("invariant", options, good, bad, good)
    assert [verdict.decision for verdict in found] == [Decision.ALIGNED, Decision.MISALIGNED, Decision.ALIGNED]
    assert found[1].reason == "evil" and found[1].feedback is not None


def test_a_process_that_dies_is_undecided_and_started_again(environment: Path, tmp_path: Path) -> None:
    options = {"python": str(environment), "rules": rules(tmp_path, "evil")}
    found = checked("invariant", options, context(Type(text="die")), context(Type(text="evil")))
    assert [verdict.decision for verdict in found] == [Decision.UNDECIDED, Decision.MISALIGNED]
    assert "exited with code 3" in found[0].reason


def test_rules_that_the_package_does_not_understand_are_undecided(environment: Path, tmp_path: Path) -> None:
    options = {"python": str(environment), "rules": rules(tmp_path, "broken")}
    (found,) = checked("invariant", options, context(Type(text="x")))
    assert found.decision is Decision.UNDECIDED and "SyntaxError: line 1" in found.reason


def test_the_record_names_package_version_and_rules(environment: Path, tmp_path: Path) -> None:
    async def setting() -> dict[str, Any]:
        options = {"python": str(environment), "rules": rules(tmp_path, "evil")}
        async with open_guard("invariant", options) as opened:
            return dict(opened.verdict_setting.options)

    found = asyncio.run(setting())
    assert found["package"] == "invariant-ai 9.9" and len(found["rules"]) == 64


@pytest.mark.parametrize(
    ("name", "options", "error"),
    [
        ("invariant", {"python": "nowhere/python"}, "there is no such interpreter; run ./scripts/setup proof"),
        ("invariant", {"rules": "nowhere.txt"}, "nowhere.txt: cannot be read"),
        ("llamafirewall", {}, "alignment_model.*is required"),
        ("llamafirewall", {"scanners": ["prompt_guard"]}, "guard_options.scanners"),
    ],
)
def test_what_is_missing_is_said_before_anything_is_asked(name: str, options: dict[str, Any], error: str) -> None:
    with pytest.raises(InputError, match=error):
        checked(name, options)


def test_a_package_that_is_not_installed_is_named(environment: Path) -> None:
    with pytest.raises(InputError, match="llamafirewall is not installed there"):
        installed_version(environment, "llamafirewall")


def need_real_packages() -> None:
    if not REAL.is_file():
        pytest.skip(f"needs {PYTHON}: run ./scripts/setup proof")


@pytest.mark.proof
def test_the_real_invariant_applies_its_rules() -> None:
    need_real_packages()
    asked = [
        context(Type(text="rm -rf ~/Documents/*\n")),
        context(Type(text="milk\n")),
        context(Hotkey(keys=("a", "b"))),
    ]
    found = checked("invariant", {"python": str(REAL)}, *asked)
    assert [verdict.decision.value for verdict in found] == ["misaligned", "aligned", "aligned"]
    assert "deletes by force" in found[0].reason


@pytest.mark.proof
@pytest.mark.parametrize("conclusion", [True, False])
def test_the_real_alignment_check_asks_the_model_that_is_named(conclusion: bool) -> None:
    need_real_packages()
    server = FakeServer(default=Say(json.dumps({"observation": "o", "thought": "t", "conclusion": conclusion})))

    async def work() -> tuple[Verdict, Verdict]:
        async with server:
            options: dict[str, Any] = {"python": str(REAL), "alignment_model": "m", "alignment_url": f"{server.url}/v1"}
            async with open_guard("llamafirewall", options) as opened:
                first = await opened.guard.check(context(Type(text="rm -rf x")))
        dead: dict[str, Any] = options | {"alignment_url": "http://127.0.0.1:9/v1"}
        async with open_guard("llamafirewall", dead) as opened:
            return first, await opened.guard.check(context(Type(text="rm -rf x")))

    first, unreachable = asyncio.run(work())
    assert first.decision is (Decision.MISALIGNED if conclusion else Decision.ALIGNED)
    assert first.findings[0].usage is not None and first.findings[0].usage.calls == 1
    assert server.seen[0].model == "m" and b"rm -rf x" in server.seen[0].raw
    assert unreachable.decision is Decision.UNDECIDED
