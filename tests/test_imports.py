"""Imports point only in the direction the architecture gives, and the light packages stay light."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[1] / "src" / "trueline"

# What each package may import besides itself; the files in OPEN and the package itself are open to all.
OPEN = {
    "blocking", "errors", "extras", "line_process", "registry", "strict_json", "tables", "text", "user_code",
    "validation", "__init__",
}  # fmt: skip
BELOW_TASKS = {"desktop", "models", "records", "actions", "serving"}
MAY_IMPORT: dict[str, set[str]] = {
    "__init__": {"agents", "desktop", "guard", "judge", "models", "records", "runs", "stats", "tasks"},
    "__main__": {"cli"},
    "actions": set(),
    "records": {"actions"},
    "stats": {"records"},
    "models": {"records", "actions"},
    "serving": set(),
    "desktop": {"records", "actions", "serving"},
    "tasks": BELOW_TASKS,
    "agents": {"tasks", *BELOW_TASKS},
    "guard": {"tasks", *BELOW_TASKS},
    "judge": {"tasks", "stats", *BELOW_TASKS},
    "runs": {"agents", "guard", "judge", "tasks", "stats", *BELOW_TASKS},
    "studies": {"runs", "agents", "guard", "judge", "tasks", "stats", *BELOW_TASKS},
    "view": {"studies", "runs", "agents", "guard", "judge", "tasks", "stats", *BELOW_TASKS},
    "cli": {"view", "studies", "runs", "agents", "guard", "judge", "tasks", "stats", *BELOW_TASKS},
}
PROVIDER_SDKS = {"openai", "anthropic", "boto3", "botocore"}
X11 = {"Xlib", "xcffib"}


def modules() -> list[Path]:
    return sorted(SOURCE.rglob("*.py"))


def imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            assert node.module is not None
            yield node.module
            if node.module == "trueline":
                yield from (f"trueline.{alias.name}" for alias in node.names)


def package_of(path: Path) -> str:
    parts = path.relative_to(SOURCE).parts
    return parts[0] if len(parts) > 1 else path.stem


def packages() -> set[str]:
    return {path.relative_to(SOURCE).parts[0] for path in modules() if len(path.relative_to(SOURCE).parts) > 1}


def test_every_package_is_in_the_table() -> None:
    assert packages() <= MAY_IMPORT.keys()


def test_the_table_for_contributors_says_what_is_imported() -> None:
    page = (SOURCE.parents[1] / "CONTRIBUTING.md").read_text("utf-8")
    rows = re.findall(r"^\| `(\w+)/` \|[^|]*\| ([^|]*) \|$", page, re.MULTILINE)
    real = {package: set[str]() for package in packages()}
    for path in modules():
        package = package_of(path)
        if package in real:
            names = (name.split(".") for name in imported(path) if name.startswith("trueline."))
            real[package] |= {name[1] for name in names if name[1] in real and name[1] != package}
    assert {package: set(re.findall(r"`(\w+)`", named)) for package, named in rows} == real


def test_the_architecture_page_names_every_package_and_shared_file() -> None:
    page = (SOURCE.parents[1] / "docs/concepts/architecture.md").read_text("utf-8")
    diagram = re.findall(r"```text\n(.*?)```", page, re.DOTALL)[0]
    assert packages() - set(re.findall(r"\w+", diagram)) == set()
    shared = page[page.index("Besides, ") : page.index("are single files")]
    assert set(re.findall(r"`(\w+)`", shared)) == OPEN - {"__init__"}


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_point_one_way(path: Path) -> None:
    package = package_of(path)
    allowed = MAY_IMPORT.get(package, set()) | OPEN | {package}
    for name in imported(path):
        top, _, rest = name.partition(".")
        if top == "trueline" and rest:
            target = rest.split(".")[0]
            assert target in allowed or target.startswith("__"), (
                f"{path.relative_to(SOURCE)} imports {name}, but {package} may not need {target}"
            )
        if top in PROVIDER_SDKS:
            assert package == "models", f"{path} imports {top}: only models/ may"
        if top in X11:
            assert package == "desktop", f"{path} imports {top}: only desktop/ may"


# Programs of their own that run inside a sandbox: what they read and print goes through a pipe to the host.
INSIDE_THE_SANDBOX = tuple(
    SOURCE / folder
    for folder in ("desktop/local/programs", "desktop/worker/inside", "tasks/bridge/inside", "tasks/rtc/machine")
)


def test_nothing_below_cli_prints_or_reads_argv() -> None:
    for path in modules():
        if package_of(path) == "cli" or any(path.is_relative_to(folder) for folder in INSIDE_THE_SANDBOX):
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id != "print", f"{path}:{node.lineno} prints"
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                assert (node.value.id, node.attr) != ("sys", "argv"), f"{path}:{node.lineno} reads argv"


def loaded_by(code: str) -> set[str]:
    out = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys\nprint(*sys.modules)"], capture_output=True, text=True, check=True
    )
    return set(out.stdout.split())


def test_help_loads_nothing_heavy() -> None:
    loaded = loaded_by("from trueline.cli import main\nmain(['--help'])")
    assert not loaded & {"numpy", "scipy", "pydantic", "rich", "PIL", "openai", "anthropic", "asyncio"}


def test_metrics_loads_no_slow_part_of_scipy() -> None:
    loaded = loaded_by("import trueline.cli.metrics")
    assert not loaded & {"scipy.stats", "matplotlib", "pyarrow", "openai", "anthropic"}
