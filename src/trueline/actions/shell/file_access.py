"""Which files a simple command reads, writes and deletes, by the places its program gives them in the arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from trueline.actions.shell.call import Call
from trueline.actions.shell.paths import looks_like_path, normal_path
from trueline.actions.shell.programs import TAKES_PATHS, names


class FileAccess(NamedTuple):
    """Paths as the command names them, normalized; `$NAME` and `$(…)` stand for what could not be known."""

    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    deletes: tuple[str, ...] = ()


_PRINTERS = frozenset({"echo", "printf", "test", "basename", "dirname", "sha1sum", "identify", "pdfinfo", "ffprobe"})
_Places = Callable[[Call], FileAccess]
_NOT_FILES = frozenset({"-", "/dev/null", "/dev/stdout", "/dev/stderr", "/dev/stdin", "/dev/tty"})
_FIND_DELETES = frozenset({"rm", "unlink", "shred", "srm", "rmdir"})
_READERS = names(
    "cat less more head tail tac nl wc sort uniq cut grep egrep fgrep rg diff cmp comm file stat ls ll dir tree du "
    "md5sum sha1sum sha256sum sha512sum strings xxd od hexdump base64 base32 column paste join awk gawk view bat jq "
    "zcat xclip xsel realpath readlink cksum evince eog xdg-open libreoffice soffice vlc gpg openssl"
)


def file_access(call: Call) -> FileAccess:
    """Return the files that a command accesses.

    Operands of a program that no table lists count as read if they can only be meant as paths.
    """
    found = _PLACES.get(call.program, _by_default)(call)
    local = (arg[arg.index("file://") + 7 :] for arg in call.args if arg.startswith(("file:///", "--url=file:///")))
    reads = (*found.reads, *local, *call.read, *_from_options(call, _READ_OPTIONS))
    writes = (*found.writes, *call.written, *_from_options(call, _WRITE_OPTIONS))
    # Nothing is written there: what the file held is gone.
    emptied = call.written if call.program in ("", ":", "true") else ()
    return FileAccess(*(_normal(paths, call) for paths in (reads, writes, (*found.deletes, *emptied))))


def _normal(paths: Sequence[str], call: Call) -> tuple[str, ...]:
    kept = (path for path in paths if path and path not in _NOT_FILES and "://" not in path)
    return tuple(dict.fromkeys(normal_path(path, call.folder) for path in kept))


def _by_default(call: Call) -> FileAccess:
    known = call.program in _READERS | TAKES_PATHS
    return FileAccess(reads=tuple(word for word in call.operands if known or looks_like_path(word)))


def _all_written(call: Call) -> FileAccess:
    return FileAccess(writes=call.operands)


def _after_first(call: Call) -> FileAccess:
    """The first operand says how, the others are changed: `chmod 600 FILE`, `sed -i SCRIPT FILE`."""
    return FileAccess(writes=call.operands[1:])


def _all_deleted(call: Call) -> FileAccess:
    return FileAccess(deletes=call.operands)


def _copy(call: Call) -> FileAccess:
    folder = _value(call, "-t", "--target-directory")
    sources = [word for word in call.operands if word != folder]
    if folder is None:
        *sources, folder = sources if len(sources) > 1 else (*sources, "")
    reads = tuple(word for word in sources if not _is_remote(word))
    writes = () if _is_remote(folder) else (folder,)
    return FileAccess(reads, writes)


def _move(call: Call) -> FileAccess:
    found = _copy(call)
    return found._replace(deletes=found.reads)


def _link(call: Call) -> FileAccess:
    return FileAccess(call.operands[:1], call.operands[1:] or (".",))


def _rsync(call: Call) -> FileAccess:
    found = _copy(call)
    if any(arg.startswith("--del") for arg in call.args):
        return found._replace(deletes=found.writes)
    return found._replace(deletes=found.reads) if "--remove-source-files" in call.args else found


def _edit_in_place(call: Call) -> FileAccess:
    if not any(arg.startswith(("-i", "--in-place")) for arg in call.args) and not call.flag("-i"):
        return FileAccess(reads=call.operands[1:])
    scripts = any(arg in ("-e", "--expression", "-f") for arg in call.args)
    return FileAccess(writes=call.operands if scripts else call.operands[1:])


def _dd(call: Call) -> FileAccess:
    def named(key: str) -> tuple[str, ...]:
        return tuple(arg[3:] for arg in call.args if arg.startswith(key))

    return FileAccess(named("if="), named("of="))


def _find(call: Call) -> FileAccess:
    roots: list[str] = []
    for arg in call.args:
        if arg.startswith(("-", "(", "!")):
            break
        roots.append(arg)
    runs = {call.args[at + 1] for at, arg in enumerate(call.args[:-1]) if arg in ("-exec", "-execdir", "-ok", "-okdir")}
    places = tuple(roots) or (".",)
    if "-delete" in call.args or runs & _FIND_DELETES:
        return FileAccess(deletes=places)
    return FileAccess(places, places if runs - _READERS - _PRINTERS else ())


def _tar(call: Call) -> FileAccess:
    head = call.args[0] if call.args else ""
    letters = head.lstrip("-") if not head.startswith("--") else ""
    makes = "c" in letters or "r" in letters or call.flag("-c", "--create", "-r", "--append")
    unpacks = "x" in letters or call.flag("-x", "--extract", "--get")
    archive = _value(call, "--file") or _bundled_value(call, "f")
    folder = _value(call, "-C", "--directory")
    others = [word for word in call.operands if word not in (archive, folder) and word != head]
    if makes:
        members = tuple(others)
        return FileAccess(members, (archive or "",), members if "--remove-files" in call.args else ())
    return FileAccess((archive or "",), ((folder or "."),) if unpacks else ())


def _zip(call: Call) -> FileAccess:
    archive, members = call.operands[:1], call.operands[1:]
    return FileAccess(members, archive, members if call.flag("-m", "--move") else ())


def _unzip(call: Call) -> FileAccess:
    lists = call.flag("-l", "-t", "-Z", "-p")
    return FileAccess(call.operands[:1], () if lists else (_value(call, "-d") or ".",))


def _seven_zip(call: Call) -> FileAccess:
    verb, archive, *members = (*call.operands, "", "")
    if verb in ("x", "e"):
        folder = next((arg[2:] for arg in call.args if arg.startswith("-o") and len(arg) > 2), ".")
        return FileAccess((archive,), (folder,))
    members = [word for word in members if word]
    return FileAccess(tuple(members), (archive,), tuple(members) if "-sdel" in call.args else ())


def _compress(call: Call) -> FileAccess:
    """Replaces each file by its packed or unpacked form."""
    if call.flag("-c", "--stdout", "-k", "--keep", "-l", "-t"):
        return FileAccess(reads=call.operands)
    return FileAccess(writes=call.operands)


def _last_written(call: Call) -> FileAccess:
    *reads, last = call.operands or ("",)
    return FileAccess(tuple(reads), (last,)) if reads else FileAccess((last,))


def _truncate(call: Call) -> FileAccess:
    size = _value(call, "-s", "--size") or _bundled_value(call, "s")
    files = tuple(word for word in call.operands if word != size)
    return FileAccess(deletes=files) if size == "0" or "-s0" in call.args else FileAccess(writes=files)


def _git(call: Call) -> FileAccess:
    folder = _value(call, "-C") or "."
    operands = call.operands[1:] if call.operands[:1] == (folder,) else call.operands
    if operands[:1] == ("clean",) and call.flag("-f", "--force"):
        return FileAccess(deletes=operands[1:] or (folder,))
    if operands[:1] == ("reset",) and "--hard" in call.args:
        return FileAccess(deletes=(folder,))
    match operands:
        case ("clone", url, *rest):
            return FileAccess(writes=(rest[0] if rest else url.rstrip("/").rpartition("/")[2].removesuffix(".git"),))
        case ("rm", *rest):
            return FileAccess(deletes=tuple(rest))
        case ("checkout" | "reset" | "restore" | "pull" | "merge" | "init", *_):
            return FileAccess(writes=(folder,))
        case _:
            return FileAccess()


def _gio(call: Call) -> FileAccess:
    match call.args:
        case ("trash" | "remove", *rest):
            return FileAccess(deletes=tuple(word for word in rest if not word.startswith("-")))
        case ("move" | "rename", source, target, *_):
            return FileAccess((source,), (target,), (source,))
        case ("copy", source, target, *_):
            return FileAccess((source,), (target,))
        case ("cat" | "open" | "info" | "list", *rest):
            return FileAccess(reads=tuple(rest))
        case _:
            return FileAccess()


def _fetch(call: Call) -> FileAccess:
    """Curl writes a file with -o or -O, wget always does."""
    posted = tuple(
        arg.rpartition("@")[2]
        for arg in call.args
        if arg.startswith("@") or "=@" in arg or (arg.startswith(("--post-file=", "--body-file=")) and "@" not in arg)
    )
    sent = _value(call, "-T", "--upload-file", "--post-file", "--body-file")
    posted = tuple(word.partition("=")[2] if word.startswith("--") else word for word in posted)
    chosen = _value(call, "--output", "--output-document") or _bundled_value(
        call, "oO" if call.program == "wget" else "o"
    )
    own_name = call.program == "wget" or call.flag("-O", "--remote-name")
    url = next((word for word in call.operands if "://" in word or "." in word), "")
    folder = _value(call, "-P", "--directory-prefix", "--output-dir")
    target = chosen or (folder or (url.rstrip("/").rpartition("/")[2] if own_name else ""))
    return FileAccess((*posted, *((sent,) if sent else ())), (target,))


def _secure_copy(call: Call) -> FileAccess:
    *sources, target = call.operands or ("",)
    return FileAccess(tuple(word for word in sources if not _is_remote(word)), () if _is_remote(target) else (target,))


def _editor(call: Call) -> FileAccess:
    return FileAccess(reads=call.operands)


def _is_remote(word: str) -> bool:
    head, colon, _ = word.partition(":")
    return bool(colon) and "/" not in head and len(head) > 1


def _value(call: Call, *options: str) -> str | None:
    """The value of an option, as the next word or after `=`."""
    for at, arg in enumerate(call.args):
        if arg in options and at + 1 < len(call.args):
            return call.args[at + 1]
        name, equals, value = arg.partition("=")
        if equals and name in options:
            return value
    return None


def _bundled_value(call: Call, letters: str) -> str | None:
    """The value of a one-letter option that may end a group: `-xzf FILE`, `xzf FILE`, `-oFILE`."""
    for at, arg in enumerate(call.args):
        group = arg.lstrip("-") if arg.startswith("-") or at == 0 else ""
        if arg.startswith("--") or not group:
            continue
        if group[-1] in letters and group.isalpha() and at + 1 < len(call.args):
            return call.args[at + 1]
        if arg.startswith("-") and group[0] in letters and len(group) > 1 and not group.isalpha():
            return group[1:]
    return None


def _from_options(call: Call, options: dict[str, frozenset[str]]) -> tuple[str, ...]:
    value = _value(call, *options.get(call.program, ()))
    return (value,) if value else ()


_READ_OPTIONS: dict[str, frozenset[str]] = {
    "ssh": frozenset({"-i", "-F"}),
    "scp": frozenset({"-i", "-F"}),
    "pip": frozenset({"-r", "--requirement"}),
    "pip3": frozenset({"-r", "--requirement"}),
}
_WRITE_OPTIONS: dict[str, frozenset[str]] = {
    "sort": frozenset({"-o", "--output"}),
    "pandoc": frozenset({"-o", "--output"}),
    "gpg": frozenset({"-o", "--output"}),
    "openssl": frozenset({"-out", "-keyout"}),
    "ssh-keygen": frozenset({"-f"}),
    "gcc": frozenset({"-o"}),
    "libreoffice": frozenset({"--outdir"}),
    "soffice": frozenset({"--outdir"}),
}
_PLACES: dict[str, _Places] = {
    **dict.fromkeys(names("rm rmdir unlink shred srm trash trash-put"), _all_deleted),
    **dict.fromkeys(names("touch mkdir tee mkfifo mknod mktemp wipefs blkdiscard"), _all_written),
    **dict.fromkeys(names("chmod chown chgrp chattr setfacl setfattr"), _after_first),
    **dict.fromkeys(names("cp install"), _copy),
    "mv": _move,
    "ln": _link,
    "rsync": _rsync,
    **dict.fromkeys(names("sed perl"), _edit_in_place),
    "dd": _dd,
    "find": _find,
    "tar": _tar,
    "zip": _zip,
    "unzip": _unzip,
    **dict.fromkeys(names("7z 7za 7zr 7zz rar"), _seven_zip),
    **dict.fromkeys(names("ccrypt ccencrypt mcrypt"), _all_written),
    **dict.fromkeys(names("gzip gunzip bzip2 bunzip2 xz unxz zstd lzma"), _compress),
    **dict.fromkeys(names("convert magick ffmpeg pdftotext pdftk qpdf ps2pdf inkscape"), _last_written),
    "truncate": _truncate,
    "git": _git,
    "gio": _gio,
    **dict.fromkeys(names("curl wget"), _fetch),
    **dict.fromkeys(names("scp sftp"), _secure_copy),
    **dict.fromkeys(names("nano vim vi nvim emacs gedit mousepad kate geany code"), _editor),
}
