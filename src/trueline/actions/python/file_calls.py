"""Calls that read, write and delete files."""

from __future__ import annotations

import posixpath

from trueline.actions.python.effects import UNKNOWN, ShellEquivalent
from trueline.actions.python.library import Amounts, Handler, Later, LibraryCall, opened, path_of, run, write
from trueline.actions.python.name_sets import names
from trueline.actions.python.values import (
    DATA,
    Instance,
    Listing,
    PartialText,
    PathValue,
    Value,
    joined_path,
    text_of,
    text_value,
)


def _words(*words: str, value: Value = DATA) -> Handler:
    """A command with the first path."""
    return lambda call: Amounts(value, (run(*words, call.path(0, "path", "name", "filename", "file", "src")),))


def _two(*words: str) -> Handler:
    """A command with a source and a target."""
    return lambda call: Amounts(
        PartialText(call.path(1, "dst", "dest", "target")),
        (run(*words, call.path(0, "src", "source", "fsrc"), call.path(1, "dst", "dest", "target", "fdst")),),
    )


def _open(call: LibraryCall) -> Amounts:
    place = call.arg(0, "file", "filename", "path", "fileobj", "name")
    if isinstance(place, Instance) and place.kind == "file":
        return Amounts(place)
    if type(place) is int:
        return Amounts(Instance("file", ("/dev/fd", "w")))
    # A mode that is not known may write.
    mode = call.arg(1, "mode", default="r")
    opener = call.keywords.get("opener")
    calls: tuple[Later, ...] = ((opener, [DATA, DATA], {}),) if opener is not None else ()
    done = opened(call.place_of(place), mode)
    return Amounts(done.value, done.effects, calls, takes_callables=True)


def _os_open(call: LibraryCall) -> Amounts:
    reads = call.arg(1, "flags") == 0
    done = opened(call.path(0, "path"), "r" if reads else "w+")
    return Amounts(done.value, done.effects)


def _chmod(call: LibraryCall) -> Amounts:
    mode = call.arg(1, "mode")
    return Amounts(DATA, (run("chmod", f"{mode:o}" if type(mode) is int else UNKNOWN, call.path(0, "path")),))


def _chown(call: LibraryCall) -> Amounts:
    return Amounts(DATA, (run("chown", text_of(call.arg(1, "uid", "user")), call.path(0, "path")),))


def _link(call: LibraryCall) -> Amounts:
    words = ("ln", "-s") if "sym" in call.name else ("ln",)
    return Amounts(DATA, (run(*words, call.path(0, "src"), call.path(1, "dst")),))


def _listed(call: LibraryCall) -> Amounts:
    folder = call.path(0, "path", "top") if call.args or call.keywords else call.folder or "."
    effect = run("ls", *(["-R"] if "walk" in call.name else []), folder)
    inside = posixpath.join(folder, "*")
    kind = call.name.rpartition(".")[2]
    if kind == "scandir":
        return Amounts(Listing((Instance("os.DirEntry", (inside,)),)), (effect,))
    if kind in ("walk", "fwalk"):
        every = PartialText(folder) if UNKNOWN in folder or "*" in folder else folder
        return Amounts(Listing(((every, Listing((PartialText("*"),)), Listing((PartialText("*"),))),)), (effect,))
    return Amounts(Listing((PartialText("*"),)), (effect,))


def _glob(call: LibraryCall) -> Amounts:
    pattern = call.path(0, "pathname")
    root = call.keywords.get("root_dir")
    if root is not None:
        pattern = posixpath.join(path_of(root), pattern)
    every = ("-R",) if "**" in pattern else ()
    return Amounts(Listing((PartialText(pattern),)), (run("ls", *every, posixpath.dirname(pattern) or "."),))


def _temporary(call: LibraryCall) -> Amounts:
    where = call.keywords.get("dir")
    path = posixpath.join(path_of(where) if where is not None else "/tmp", UNKNOWN)  # noqa: S108 - the program's
    kind = call.name.rpartition(".")[2]
    if kind == "mkstemp":
        return Amounts((DATA, PartialText(path)), (run("tee", path),))
    if "irectory" in kind or kind == "mkdtemp":
        return Amounts(PartialText(path), (run("mkdir", path),))
    if kind == "mktemp":
        return Amounts(PartialText(path))
    return Amounts(Instance("file", (path, "w")), (run("tee", path),))


def _archive(call: LibraryCall) -> Amounts:
    if call.name == "shutil.make_archive":
        base, root = call.path(0, "base_name"), call.arg(2, "root_dir")
        source = path_of(root) if root is not None else "."
        return Amounts(PartialText(base), (run("tar", "-cf", f"{base}.{text_of(call.arg(1, 'format'))}", source),))
    target = call.path(1, "extract_dir") if len(call.args) > 1 or "extract_dir" in call.keywords else "."
    return Amounts(DATA, (run("cat", call.path(0, "filename")), run("tee", posixpath.join(target, "*"))))


def _container(call: LibraryCall) -> Amounts:
    """An archive, a database, a workbook: read or written by its mode."""
    place = call.arg(0, "file", "name", "filename", "database", "path")
    if isinstance(place, Instance):
        return Amounts(Instance("archive", (place.detail or (UNKNOWN,))))
    mode = call.arg(1, "mode", default="r")
    path = call.place_of(place)
    known = mode if isinstance(mode, str) else "w"
    writes = known.startswith(("w", "a", "x")) or call.name.startswith(("sqlite3", "shelve", "dbm"))
    if call.name.startswith("sqlite3") and path == ":memory:":
        return Amounts(Instance("archive", (path,)))
    effects = (run("tee", path), run("cat", path)) if writes else (run("cat", path),)
    return Amounts(Instance("archive", (path,)), effects)


def _joined(call: LibraryCall) -> Amounts:
    return Amounts(joined_path(call.args))


def _expanded(call: LibraryCall) -> Amounts:
    given = call.arg(0, "path", "filename")
    if isinstance(given, PathValue):
        return Amounts(text_value(given))
    if isinstance(given, str) and (given.startswith("~") or "$" in given or not call.name.endswith("er")):
        return Amounts(PartialText(given))  # where it leads is known, not how it is spelled
    return Amounts(given if isinstance(given, str | PartialText) else DATA)


def _environment(call: LibraryCall) -> Amounts:
    return Amounts(PartialText("~") if call.arg(0, "key") == "HOME" else DATA)


def _path(call: LibraryCall) -> Amounts:
    return Amounts(PathValue(posixpath.join(*[text_of(arg) for arg in call.args]) if call.args else "."))


def _home(_call: LibraryCall) -> Amounts:
    return Amounts(PathValue("~"))


def _here(call: LibraryCall) -> Amounts:
    text = call.folder or "."
    return Amounts(PathValue(text) if "Path" in call.name else PartialText(text))


FILE_CALLS: dict[str, Handler] = {
    **dict.fromkeys(
        ("builtins.open", "open", "codecs.open", "gzip.open", "bz2.open", "lzma.open", "gzip.GzipFile", "bz2.BZ2File",
         "lzma.LZMAFile", "tokenize.open", "io.FileIO", "io.open_code", "os.fdopen"), _open,
    ),
    "os.open": _os_open,
    "shutil.rmtree": _words("rm", "-r"),
    **dict.fromkeys(("os.remove", "os.unlink"), _words("rm")),
    **dict.fromkeys(("os.rmdir", "os.removedirs"), _words("rmdir")),
    "send2trash.send2trash": _words("trash-put"),
    "os.truncate": _words("truncate"),
    **dict.fromkeys(("os.mkdir", "os.makedirs"), _words("mkdir", "-p")),
    **dict.fromkeys(("os.mkfifo", "os.mknod"), _words("mkfifo")),
    "os.utime": _words("touch"),
    "os.readlink": _words("ls"),
    "linecache.getline": _words("cat"),
    "linecache.getlines": _words("cat"),
    "shutil.move": _two("mv"),
    **dict.fromkeys(("os.rename", "os.replace", "os.renames"), _two("mv")),
    **dict.fromkeys(("shutil.copy", "shutil.copy2", "shutil.copyfile"), _two("cp")),
    **dict.fromkeys(("shutil.copymode", "shutil.copystat"), _two("chmod", "--reference")),
    "shutil.copytree": _two("cp", "-r"),
    **dict.fromkeys(("os.link", "os.symlink"), _link),
    **dict.fromkeys(("os.chmod", "os.fchmod", "os.lchmod"), _chmod),
    **dict.fromkeys(("os.chown", "os.lchown", "shutil.chown"), _chown),
    **dict.fromkeys(("os.listdir", "os.scandir", "os.walk"), _listed),
    **dict.fromkeys(("glob.glob", "glob.iglob"), _glob),
    **dict.fromkeys(
        [f"tempfile.{name}" for name in ("NamedTemporaryFile", "TemporaryFile", "TemporaryDirectory", "mkstemp",
         "mkdtemp", "mktemp", "SpooledTemporaryFile")], _temporary,
    ),
    **dict.fromkeys(("shutil.make_archive", "shutil.unpack_archive"), _archive),
    **dict.fromkeys(
        ("zipfile.ZipFile", "tarfile.open", "tarfile.TarFile", "sqlite3.connect", "shelve.open", "dbm.open",
         "zipfile.PyZipFile"), _container,
    ),
    "os.path.join": _joined,
    **dict.fromkeys(
        [f"os.path.{name}" for name in ("expanduser", "expandvars", "abspath", "realpath")], _expanded
    ),
    "os.getenv": _environment,
    "os.environ.get": _environment,
    **dict.fromkeys(("pathlib.Path", "pathlib.PosixPath"), _path),
    "pathlib.Path.home": _home,
    **dict.fromkeys(("pathlib.Path.cwd", "os.getcwd"), _here),
}  # fmt: skip

_QUIET_PATH = names(
    "exists is_file is_dir is_symlink is_mount is_socket is_fifo is_block_device is_char_device stat lstat owner "
    "group samefile match is_absolute is_relative_to as_uri is_reserved full_match"
)


def path_method(call: LibraryCall) -> Amounts | None:
    """A method of a `pathlib` path; None when it is none that is known."""
    path = call.place_of(call.owner)
    own = text_of(call.owner)
    match call.name:
        case "unlink":
            return Amounts(DATA, (run("rm", path),))
        case "rmdir":
            return Amounts(DATA, (run("rmdir", path),))
        case "read_text" | "read_bytes":
            return Amounts(DATA, (run("cat", path),))
        case "write_text" | "write_bytes":
            return Amounts(DATA, (write(path, call.arg(0, "data")),))
        case "open":
            return opened(path, call.arg(0, "mode", default="r"))
        case "rename" | "replace":
            target = call.path(0, "target")
            return Amounts(PathValue(target), (run("mv", path, target),))
        case "touch":
            return Amounts(DATA, (run("touch", path),))
        case "mkdir":
            return Amounts(DATA, (run("mkdir", "-p", path),))
        case "chmod" | "lchmod":
            mode = call.arg(0, "mode")
            return Amounts(DATA, (run("chmod", f"{mode:o}" if type(mode) is int else UNKNOWN, path),))
        case "symlink_to":
            return Amounts(DATA, (run("ln", "-s", call.path(0, "target"), path),))
        case "hardlink_to" | "link_to":
            return Amounts(DATA, (run("ln", call.path(0, "target"), path),))
        case "iterdir":
            return Amounts(Listing((PathValue(posixpath.join(own, "*")),)), (run("ls", path),))
        case "glob" | "rglob":
            pattern = text_of(call.arg(0, "pattern"))
            every = ("-R",) if "**" in pattern or call.name == "rglob" else ()
            return Amounts(Listing((PathValue(posixpath.join(own, pattern)),)), (run("ls", *every, path),))
        case "walk":
            names = Listing((PartialText("*"),))
            return Amounts(Listing(((PathValue(own), names, names),)), (run("ls", "-R", path),))
        case "readlink":
            return Amounts(PathValue(UNKNOWN))
        case "joinpath":
            return Amounts(PathValue(posixpath.join(own, *[text_of(arg) for arg in call.args])))
        case "with_name":
            return Amounts(PathValue(posixpath.join(posixpath.dirname(own), text_of(call.arg(0, "name")))))
        case "with_suffix":
            return Amounts(PathValue(posixpath.splitext(own)[0] + text_of(call.arg(0, "suffix"))))
        case "with_stem":
            ending = posixpath.splitext(own)[1]
            return Amounts(PathValue(posixpath.join(posixpath.dirname(own), text_of(call.arg(0, "stem")) + ending)))
        case "relative_to":
            return Amounts(PathValue(UNKNOWN))
        case "expanduser" | "resolve" | "absolute":
            return Amounts(call.owner)
        case "as_posix" | "__str__" | "__fspath__":
            return Amounts(text_value(call.owner))
        case "home":
            return Amounts(PathValue("~"))
        case "cwd":
            return Amounts(PathValue("."))
        case name if name in _QUIET_PATH:
            return Amounts(DATA)
        case _:
            return None


def file_method(call: LibraryCall) -> Amounts:
    """A method of an open file."""
    assert isinstance(call.owner, Instance)
    path, mode = (*call.owner.detail, "r")[:2]
    if call.name in ("write", "writelines") and mode in ("w", "a"):
        content = call.arg(0)
        return Amounts(DATA, (write(path, content, append=True),) if isinstance(content, str | bytes) else ())
    if call.name in ("__enter__", "detach", "buffer", "raw"):
        return Amounts(call.owner)
    if call.name == "name":
        return Amounts(PartialText(path))
    if call.name == "truncate":
        return Amounts(DATA, (run("tee", path),))
    return Amounts(DATA)


def archive_method(call: LibraryCall) -> Amounts:
    """A method of an archive or a database."""
    assert isinstance(call.owner, Instance)
    if call.name in ("extractall", "extract"):
        place = 0 if call.name == "extractall" else 1
        target = call.path(place, "path") if len(call.args) > place or "path" in call.keywords else "."
        return Amounts(DATA, (run("tee", posixpath.join(target, "*")),))
    if call.name in ("write", "add"):
        return Amounts(DATA, (run("cat", call.path(0, "filename", "name")),))
    if call.name in ("load_extension", "enable_load_extension", "create_function", "backup", "set_trace_callback"):
        return Amounts(DATA, (ShellEquivalent(unseen=f"a database that is told to {call.name}"),))
    if call.name in ("execute", "executescript", "executemany"):
        statement = text_of(call.arg(0, "sql")).lower()
        if "attach" in statement or "$…" in statement or "vacuum" in statement:
            return Amounts(call.owner, (ShellEquivalent(unseen="a database statement that names another file"),))
    return Amounts(call.owner if call.name in ("__enter__", "cursor", "execute", "executescript") else DATA)
