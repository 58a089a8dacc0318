"""The getter `list_directory`: a folder of the desktop in OSWorld's form."""

from __future__ import annotations

from pydantic import JsonValue, TypeAdapter, ValidationError

from trueline.tasks.checkers.values import UnreadableResult
from trueline.tasks.errors import CheckerError
from trueline.tasks.model import Getter, Part
from trueline.tasks.model.steps import Text
from trueline.tasks.workspace import Workspace
from trueline.text import printable

_NO_FOLDER, _TOO_MANY, _CLOSED = 4, 5, 6
_TREE = """
import json, os, sys
left = 20000
def plain(name):
    return name.encode("utf-8", "backslashreplace").decode()
def names(path):
    try:
        return os.listdir(path)
    except PermissionError:
        # Anything unreadable in the home folder was made so by the agent.
        if os.path.realpath(path).startswith(os.path.expanduser("~") + "/"):
            sys.exit(6)
        return []
    except OSError:
        return []
def walk(path, depth):
    global left
    node = {"type": "directory", "name": plain(os.path.basename(path)), "children": []}
    for name in names(path):
        if depth >= 40:
            sys.exit(5)
        left -= 1
        if left < 0:
            sys.exit(5)
        inner = os.path.join(path, name)
        is_folder = os.path.isdir(inner) and not os.path.islink(inner)
        node["children"].append(walk(inner, depth + 1) if is_folder else {"type": "file", "name": plain(name)})
    return node
if not os.path.isdir(sys.argv[1]):
    sys.exit(4)
json.dump(walk(sys.argv[1], 0), sys.stdout)
"""
_JSON: TypeAdapter[JsonValue] = TypeAdapter(JsonValue)


class DirectoryFields(Part):
    """Fields of the getter."""

    path: Text


async def list_directory(getter: Getter, workspace: Workspace) -> JsonValue:
    """The folder with everything in it; `None` if there is no such folder.

    Raises:
        UnreadableResult: There are too many files in it, or it holds a folder that cannot be listed.
        CheckerError: It cannot be listed.
    """
    path = getter.parse(DirectoryFields).path
    # Isolated: no module is imported from the home folder.
    done = await workspace.desktop.run(("python3", "-I", "-B", "-c", _TREE, path))
    if done.returncode == _NO_FOLDER:
        return None
    if done.returncode == _TOO_MANY or done.truncated:
        raise UnreadableResult(f"{path}: there are too many files to list, or they are nested too deeply")
    if done.returncode == _CLOSED:
        raise UnreadableResult(f"{path}: a folder in it is not readable, so it cannot be listed")
    try:
        if done.returncode == 0:
            return _JSON.validate_json(done.stdout)
    except ValidationError as error:
        raise CheckerError(f"{path}: the listing is not valid JSON") from error
    said = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
    raise CheckerError(f"{path}: cannot be listed: {printable(said)}")
