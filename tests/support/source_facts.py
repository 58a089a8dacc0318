"""What the files of the package import, define and do, found in one pass over the whole tree."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2] / "src" / "trueline"


@dataclass
class SourceFacts:
    """What one file holds."""

    path: Path
    """Relative to the package."""
    imports: list[str] = field(default_factory=list[str])
    relative_imports: list[int] = field(default_factory=list[int])
    """Lines."""
    definitions: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    """Functions, methods and classes, with their lines."""
    classes: list[str] = field(default_factory=list[str])
    """Those of the module itself."""
    prints: list[int] = field(default_factory=list[int])
    """Lines of calls of `print`."""
    reads_argv: list[int] = field(default_factory=list[int])

    @property
    def package(self) -> str:
        """The folder below the package, or the file's own name."""
        return self.path.parts[0] if len(self.path.parts) > 1 else self.path.stem


@cache
def source_facts() -> tuple[SourceFacts, ...]:
    """Read every file of the package, once in this process."""
    return tuple(read(path) for path in sorted(SOURCE.rglob("*.py")))


def read(path: Path) -> SourceFacts:
    """Read one file."""
    facts = SourceFacts(path.relative_to(SOURCE))
    module = ast.parse(path.read_text("utf-8"))
    facts.classes += [node.name for node in module.body if isinstance(node, ast.ClassDef)]
    for node in ast.walk(module):
        match node:
            case ast.Import():
                facts.imports += [alias.name for alias in node.names]
            case ast.ImportFrom(module=None) | ast.ImportFrom(level=1 | 2 | 3):
                facts.relative_imports.append(node.lineno)
            case ast.ImportFrom(module=str(name)):
                facts.imports.append(name)
                if name == "trueline":
                    facts.imports += [f"trueline.{alias.name}" for alias in node.names]
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                facts.definitions.append((node.lineno, node.name))
            case ast.Call(func=ast.Name(id="print")):
                facts.prints.append(node.lineno)
            case ast.Attribute(value=ast.Name(id="sys"), attr="argv"):
                facts.reads_argv.append(node.lineno)
            case _:
                pass
    return facts
