"""Archives: folders with the files that tasks look for in them, browser and editor extensions, packages, books."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable
from pathlib import PurePosixPath

from trueline.tasks.stand_ins.content import Content
from trueline.tasks.stand_ins.packing import Members, zip_file
from trueline.tasks.stand_ins.texts import module, script

Make = Callable[[str], bytes | None]
"""Makes a file by its path, or `None` if its type is not known."""
_FILES = (
    "README.md",
    "main.py",
    "notes.txt",
    "data.csv",
    "docs/report.pdf",
    "docs/report.docx",
    "page.html",
    "picture.png",
)
"""What a folder of which nothing more is known contains."""
_CUT = re.compile(r"[-_. ]+")


def unpacked(wanted: tuple[str, ...], name: str, make: Make, content: Content) -> Members:
    """What an archive contains.

    Args:
        wanted: Paths in it that tasks look for; one without an ending is a folder.
        name: The archive's name without its endings; its folder is called so if no path is known.
        make: Makes the files.
        content: What else there is to say.
    """
    found: dict[str, bytes] = {}
    for path in dict.fromkeys((*wanted, *(() if wanted else (name,)))):
        clean = str(PurePosixPath(path))
        made = make(clean) if PurePosixPath(clean).suffix else None
        if made is not None:
            found[clean] = made
            continue
        found[f"{clean}/"] = b""
        for inner in _FILES:
            found.setdefault(f"{clean}/{inner}", make(f"{clean}/{inner}") or b"")
        if "extension" in clean.lower():
            found.setdefault(f"{clean}/manifest.json", browser_extension(content))
            found.setdefault(f"{clean}/hello.js", script(content).encode())
    return found


def browser_extension(content: Content) -> bytes:
    """The manifest of an extension of Chromium's."""
    manifest = {
        "manifest_version": 3, "name": content.title(), "version": "1.0", "description": content.sentence(),
        "content_scripts": [{"matches": ["https://example.com/*"], "js": ["hello.js"]}],
    }  # fmt: skip
    return json.dumps(manifest, indent=2).encode()


def vsix(content: Content, name: str) -> bytes:
    """An extension of Visual Studio Code's with one command."""
    words = _CUT.split(name)
    id = words[0] or "stand-in"
    version = "0.0.1"
    package = {
        "name": id, "displayName": content.title(), "version": version, "publisher": "undefined_publisher",
        "engines": {"vscode": "^1.50.0"}, "main": "./extension.js", "activationEvents": ["*"],
        "contributes": {"commands": [{"command": f"{id}.hello", "title": content.title()}]},
    }  # fmt: skip
    manifest = (
        '<?xml version="1.0" encoding="utf-8"?>\n<PackageManifest Version="2.0.0" '
        'xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011"><Metadata><Identity Language="en-US" '
        f'Id="{id}" Version="{version}" Publisher="undefined_publisher"/><DisplayName>{id}</DisplayName><Description '
        'xml:space="preserve">A stand-in</Description></Metadata><Installation><InstallationTarget '
        'Id="Microsoft.VisualStudio.Code"/></Installation><Dependencies/><Assets><Asset '
        'Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true"/></Assets>'
        "</PackageManifest>"
    )
    types = (
        '<?xml version="1.0" encoding="utf-8"?>\n<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        '<Default Extension=".json" ContentType="application/json"/><Default Extension=".js" '
        'ContentType="application/javascript"/><Default Extension=".vsixmanifest" ContentType="text/xml"/></Types>'
    )
    extension = "exports.activate = () => {};\nexports.deactivate = () => {};\n"
    return zip_file(
        {"extension.vsixmanifest": manifest.encode(), "[Content_Types].xml": types.encode(),
         "extension/package.json": json.dumps(package, indent=2).encode(), "extension/extension.js": extension.encode()}
    )  # fmt: skip


def wheel(content: Content, name: str) -> bytes:
    """A Python package with one module; `name` is the file's, without its ending."""
    project, version, *_ = (*name.split("-"), "0.0.0")
    info = f"{project}-{version}.dist-info"
    files = {
        f"{project}/__init__.py": module(content).encode(),
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {project}\nVersion: {version}\n".encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: stand-in\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    rows = [f"{path},sha256={_digest(made)},{len(made)}" for path, made in files.items()]
    return zip_file({**files, f"{info}/RECORD": "\n".join((*rows, f"{info}/RECORD,,", "")).encode()})


def _digest(made: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(made).digest()).rstrip(b"=").decode()


def epub(content: Content) -> bytes:
    """A book of a few chapters."""
    chapters = {f"chapter{place}.xhtml": _chapter(content) for place in range(1, 5)}
    items = "".join(
        f'<item id="c{place}" href="{name}" media-type="application/xhtml+xml"/>' for place, name in enumerate(chapters)
    )
    spine = "".join(f'<itemref idref="c{place}"/>' for place, _ in enumerate(chapters))
    points = "".join(
        f'<navPoint id="n{place}" playOrder="{place + 1}"><navLabel><text>Chapter {place + 1}</text></navLabel>'
        f'<content src="{name}"/></navPoint>'
        for place, name in enumerate(chapters)
    )
    head = '<?xml version="1.0" encoding="UTF-8"?>\n'
    title = content.title()
    texts = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": f'{head}<container version="1.0" '
        'xmlns="urn:oasis:names:tc:opendocument:xmlns:container">'
        '<rootfiles><rootfile full-path="content.opf" '
        'media-type="application/oebps-package+xml"/></rootfiles></container>',
        "content.opf": f'{head}<package xmlns="http://www.idpf.org/2007/opf" version="2.0" '
        'unique-identifier="id"><metadata '
        'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier '
        f'id="id">{content.number(10**6, 10**7)}</dc:identifier>'
        f'<dc:title>{title}</dc:title><dc:language>en</dc:language></metadata><manifest><item id="ncx" href="toc.ncx" '
        f'media-type="application/x-dtbncx+xml"/>{items}</manifest><spine toc="ncx">{spine}</spine></package>',
        "toc.ncx": f'{head}<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/" '
        f'version="2005-1"><head/><docTitle><text>{title}'
        f"</text></docTitle><navMap>{points}</navMap></ncx>",
        **chapters,
    }
    return zip_file({name: text.encode() for name, text in texts.items()}, stored="mimetype")


def _chapter(content: Content) -> str:
    body = "".join(f"<p>{content.paragraph()}</p>" for _ in range(5))
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<html xmlns="http://www.w3.org/1999/xhtml"><head><title>'
        f"{content.title()}</title></head><body><h1>{content.title()}</h1>{body}</body></html>"
    )
