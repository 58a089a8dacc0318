"""Import a class of the user's own: `package.module:Class` or `path/to/file.py:Class`."""

from __future__ import annotations

import hashlib
import sys
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from trueline.errors import InputError
from trueline.text import printable

FORMS = "package.module:Class or file.py:Class"


class ImportPath(NamedTuple):
    """A parsed import path."""

    module: str
    """The module's name; of a file, its name without `.py`."""
    name: str
    """The class, maybe inside another one: `Outer.Inner`."""
    file: Path | None = None


def parse_import_path(target: str) -> ImportPath:
    """Parse an import path.

    Raises:
        InputError: It is neither of the two forms.
    """
    module, _, name = target.rpartition(":")
    if not module or not name:
        raise InputError(f"{printable(target)!r} is not an import path; write {FORMS}")
    if module.endswith(".py"):
        file = Path(module)
        return ImportPath(file.stem, name, file)
    return ImportPath(module, name)


def import_object(target: str) -> object:
    """Import what an import path names. The current folder is searched as well, as `python file.py` does.

    Raises:
        InputError: There is no such module or name, or the module cannot be imported.
    """
    path = parse_import_path(target)
    shown = printable(target)
    try:
        found: object = _import_file(path.file) if path.file is not None else _import_module(path.module)
    except ModuleNotFoundError as error:
        raise InputError(f"{shown}: {_missing(path, error.name or '')}") from None
    except InputError:
        raise
    except Exception as error:
        # Whatever a module does when it is imported is its own affair; here it is one line.
        words = printable(f"{type(error).__name__}: {error}")
        raise InputError(f"{shown}: the module cannot be imported: {words}") from None
    home = _home(found)
    for part in path.name.split("."):
        if not hasattr(found, part):
            where = f" (imported from {printable(home)})" if home and path.file is None else ""
            raise InputError(f"{shown}: {printable(path.module)} has no {printable(part)!r}{where}")
        found = getattr(found, part)
    return found


def _home(module: object) -> str:
    """The file of a module, as seen from the current folder."""
    file = getattr(module, "__file__", None)
    if not isinstance(file, str):
        return ""
    path, here = Path(file).resolve(), Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)


def _missing(path: ImportPath, name: str) -> str:
    if path.file is None and (path.module == name or path.module.startswith(f"{name}.")):
        places = f"the current folder ({Path.cwd()}) and the packages of {sys.prefix}"
        return printable(f"there is no module {name!r}; looked in {places}", 1000)
    return f"{printable(path.module)} imports {printable(name)!r}, which is not installed in {printable(sys.prefix)}"


def _import_module(name: str) -> ModuleType:
    """Import a module, its topmost package from the current folder if it is there.

    Only that package is looked for in the current folder first. Everything else keeps its usual order, so that no
    file that happens to lie there stands in for a module of Python's own.
    """
    top = name.partition(".")[0]
    here = str(Path.cwd())
    _search_last(here)
    if top not in sys.modules and top not in sys.stdlib_module_names:
        spec = PathFinder.find_spec(top, [here])
        if spec is not None and spec.loader is not None:
            _load(spec)
    return import_module(name)


def _import_file(path: Path) -> ModuleType:
    file = path.resolve()
    if not file.is_file():
        raise InputError(f"{printable(str(path))}: there is no such file (looked for {printable(str(file))})")
    name = file.stem
    loaded = sys.modules.get(name)
    if loaded is not None and _is_of(loaded, file):
        return loaded
    if loaded is not None or name in sys.stdlib_module_names:
        name = f"{name}_{hashlib.sha256(str(file).encode()).hexdigest()[:8]}"
        if name in sys.modules:
            return sys.modules[name]
    spec = spec_from_file_location(name, file)
    assert spec is not None, "its name ends in .py"
    # What stands beside the file can be imported by it.
    _search_last(str(file.parent))
    return _load(spec)


def _is_of(module: ModuleType, file: Path) -> bool:
    home = getattr(module, "__file__", None)
    return isinstance(home, str) and Path(home).resolve() == file


def _load(spec: ModuleSpec) -> ModuleType:
    assert spec.loader is not None, "looked at before"
    module = module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        sys.modules.pop(spec.name, None)
        raise
    return module


def _search_last(folder: str) -> None:
    if folder not in sys.path and not (folder == str(Path.cwd()) and "" in sys.path):
        sys.path.append(folder)
