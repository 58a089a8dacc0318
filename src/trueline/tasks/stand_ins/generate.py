"""One stand-in: a file of the type that its name demands."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from trueline.desktop.local.thunderbird import mbox
from trueline.tasks.stand_ins import pictures, presentations, sound, text_documents, workbooks
from trueline.tasks.stand_ins.archives import epub, unpacked, vsix, wheel
from trueline.tasks.stand_ins.content import Content
from trueline.tasks.stand_ins.mail_profile import profile_files
from trueline.tasks.stand_ins.packing import Members, tar_file, zip_file
from trueline.tasks.stand_ins.pdf import pdf
from trueline.tasks.stand_ins.texts import TEXTS, message, shell_script
from trueline.tasks.stand_ins.wanted import SHEETS, Wanted

_PROFILE = re.compile(r"thunderbird.*profile|profile.*thunderbird", re.IGNORECASE)
_MAIL_HOME = ".thunderbird"
_COMPRESSIONS = {"gz": "gz", "tgz": "gz", "xz": "xz", "txz": "xz", "tar": ""}
_FILES: Mapping[str, Callable[[Content], bytes]] = {
    "docx": text_documents.docx, "docm": text_documents.docx, "odt": text_documents.odt, "ods": workbooks.ods,
    "xls": workbooks.xls, "pptx": presentations.pptx, "odp": presentations.odp, "pdf": pdf, "epub": epub,
    "svg": pictures.svg, "xcf": pictures.xcf, "raw": pictures.raw_pixels, "mp3": sound.mp3, "wav": sound.wav,
    "mp4": sound.mp4, "m4v": sound.mp4, "mov": sound.mp4,
}  # fmt: skip
_INSTEAD = {"ppt": "pptx", "doc": "docx", "xlsm": "xlsx"}
"""Types of which only a successor can be made; applications go by the content."""


@dataclass(frozen=True)
class GeneratedFile:
    """A generated file."""

    content: bytes
    note: str = ""
    """In what it is less than its name says; empty if in nothing."""


def generate(wanted: Wanted) -> GeneratedFile:
    """Make the stand-in for a file; the same one each time."""
    content = Content(wanted.source)
    if wanted.mail_folder:
        return GeneratedFile(mbox(message(content) for _ in range(5)))
    name = wanted.name
    ending = PurePosixPath(name).suffix.lower().removeprefix(".")
    stem = _stem(name)
    if ending in _COMPRESSIONS or ending == "zip":
        members = _members(wanted, stem, content)
        return GeneratedFile(zip_file(members) if ending == "zip" else tar_file(members, _COMPRESSIONS[ending]))
    if ending == "vsix":
        return GeneratedFile(vsix(content, stem))
    if ending == "whl":
        return GeneratedFile(wheel(content, stem))
    if ending == "pdf":
        return GeneratedFile(pdf(content, wanted.title))
    if ending == "mp4":
        return GeneratedFile(sound.mp4(content, wanted.title))
    if ending == "sh":
        return GeneratedFile(_script(wanted, content))
    if ending in ("xlsx", "xlsm"):
        return GeneratedFile(workbooks.xlsx(content, wanted.sheets), _said(ending))
    made = _file(name, content)
    if made is None:
        return GeneratedFile(TEXTS["txt"](content).encode(), f"{ending or 'no ending'}: unknown type, plain text")
    return GeneratedFile(made, _said(ending))


def _said(ending: str) -> str:
    return f"{ending}: the content is that of {_INSTEAD[ending]}" if ending in _INSTEAD else ""


def _file(name: str, content: Content) -> bytes | None:
    """A file whose type its name says alone; `None` for unknown types."""
    ending = PurePosixPath(name).suffix.lower().removeprefix(".")
    ending = _INSTEAD.get(ending, ending)
    if ending in _FILES:
        return _FILES[ending](content)
    if ending in pictures.KINDS:
        return pictures.picture(content, ending)
    if ending == "xlsx":
        return workbooks.xlsx(content, SHEETS)
    if ending == "vsix":
        return vsix(content, _stem(name))
    return TEXTS[ending](content).encode() if ending in TEXTS else None


def _stem(name: str) -> str:
    path = PurePosixPath(name)
    inner = PurePosixPath(path.stem)
    return (inner.stem if inner.suffix == ".tar" else path.stem).lstrip(".") or "files"


def _members(wanted: Wanted, stem: str, content: Content) -> Members:
    if _PROFILE.search(wanted.name):
        below = [path.removeprefix(f"{_MAIL_HOME}/") for path in wanted.members if path.startswith(f"{_MAIL_HOME}/")]
        return profile_files(
            content, below, () if "blank" in wanted.name else wanted.addresses or ("alex@example.com",)
        )
    return unpacked(tuple(wanted.members), stem, lambda path: _file(path, Content(f"{wanted.source}\0{path}")), content)


def _script(wanted: Wanted, content: Content) -> bytes:
    """A script that makes the folders that the set-up then uses."""
    lines = [shell_script(content)]
    for path in wanted.members if wanted.for_setup else ():
        folder = shlex.quote(path)
        lines.append(f"mkdir -p -- ~/{folder}\n")
        lines += [
            f"printf '%s\\n' {shlex.quote(content.sentence())} >~/{folder}/{name}\n" for name in ("a.txt", "b.txt")
        ]
    return "".join(lines).encode()
