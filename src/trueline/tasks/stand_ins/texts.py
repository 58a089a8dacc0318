"""Plain text in the formats that tasks name: prose, data, source code, settings, mail."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping
from email.message import EmailMessage

from trueline.tasks.stand_ins.content import Content

SOLVED = "SOLVED = True"
"""The line that a stand-in for a test suite looks for in the Python files beside it."""


def plain(content: Content) -> str:
    """Paragraphs."""
    return "\n\n".join(content.paragraph() for _ in range(12)) + "\n"


def markdown(content: Content) -> str:
    """A page with headings and a list."""
    points = "\n".join(f"- {content.sentence()}" for _ in range(4))
    return (
        f"# {content.title()}\n\n{content.paragraph()}\n\n{points}\n\n## {content.title()}\n\n{content.paragraph()}\n"
    )


def html(content: Content) -> str:
    """A page with a heading, paragraphs and a table. It has no quotation marks: tasks put such files into commands."""
    rows = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in content.table(10))
    body = "".join(f"<p>{content.paragraph()}</p>" for _ in range(3))
    title = content.title()
    return (
        f"<!DOCTYPE html><html><head><meta charset=utf-8><title>{title}</title></head><body><h1>{title}</h1>{body}"
        f"<table>{rows}</table></body></html>\n"
    )


def comma_separated(content: Content) -> str:
    """A table with a header."""
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows(content.table(40))
    return buffer.getvalue()


def json_object(content: Content) -> str:
    """An object with a list of records."""
    header, *rows = content.table(8)
    records = [dict(zip(map(str, header), map(str, row), strict=True)) for row in rows]
    return json.dumps({"title": content.title(), "records": records}, indent=2) + "\n"


def settings(content: Content) -> str:
    """Settings of an editor, or a workspace of one."""
    return json.dumps({"folders": [], "settings": {"editor.tabSize": content.number(2, 8)}}, indent=4) + "\n"


def module(content: Content) -> str:
    """A Python program that prints a few lines; as a test suite it passes once a file beside it says `SOLVED`."""
    return (
        f'"""{content.sentence()}"""\n\nfrom pathlib import Path\n\n\ndef values(count={content.number(3, 9)}):\n'
        f"    return [place * {content.number(2, 9)} for place in range(count)]\n\n\ndef test():\n"
        f'    beside = Path(__file__).resolve().parent.glob("*.py")\n    return any({SOLVED!r} in '
        "path.read_text().splitlines() "
        'for path in beside)\n\n\nif __name__ == "__main__":\n    for value in values():\n        print(value)\n'
    )


def shell_script(content: Content) -> str:
    """A script that prints a line."""
    return f"#!/bin/bash\necho '{content.sentence()}'\n"


def mail(content: Content) -> str:
    """A message."""
    return message(content).as_string()


def message(content: Content, to: str = "alex@example.com") -> EmailMessage:
    """A message with a subject and a date."""
    made = EmailMessage()
    made["From"] = f"{content.person()} <{content.words(1)}@example.org>"
    made["To"] = to
    made["Subject"] = content.title()
    made["Date"] = content.date().strftime("%a, %d %b %Y 10:00:00 +0000")
    made["Message-ID"] = f"<{content.number(10**8, 10**9)}@example.org>"
    made.set_content(content.paragraph() + "\n")
    return made


def subtitles(content: Content) -> str:
    """Subtitles of half a minute."""
    return "\n".join(
        f"{place + 1}\n00:00:{2 * place:02},000 --> 00:00:{2 * place + 1:02},500\n{content.sentence()}\n"
        for place in range(15)
    )


def latex(content: Content) -> str:
    """An article."""
    return (
        f"\\documentclass{{article}}\n\\title{{{content.title()}}}\n\\begin{{document}}\n\\maketitle\n"
        f"\\section{{{content.title()}}}\n{content.paragraph()}\n\\end{{document}}\n"
    )


def bibliography(content: Content) -> str:
    """A few references."""
    return "\n".join(
        f"@article{{{content.person().lower()}{place},\n  title={{{content.title()}}},\n"
        f"  author={{{content.person()}}},\n  year={{{content.number(1990, 2023)}}}\n}}\n"
        for place in range(6)
    )


def style_sheet(content: Content) -> str:
    """Rules for a page."""
    return f"body {{ color: rgb{content.colour()}; }}\nh1 {{ font-size: {content.number(20, 40)}px; }}\n"


def script(content: Content) -> str:
    """A script of a page."""
    return f"const values = [{content.number(1, 9)}, {content.number(1, 9)}];\nconsole.log(values);\n"


def registry(_content: Content) -> str:
    """Settings of LibreOffice's that change nothing."""
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<oor:items xmlns:oor="http://openoffice.org/2001/registry" '
        'xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"/>\n'
    )


def xml(content: Content) -> str:
    """A document with records."""
    rows = "".join(f"<record id='{place}'>{content.sentence()}</record>" for place in range(8))
    return f"<?xml version='1.0' encoding='UTF-8'?>\n<records>{rows}</records>\n"


def mapping(content: Content) -> str:
    """Names and values in YAML."""
    lines = [f"{name}: {content.sentence()}" for name in ("title", "description", "author", "theme")]
    return "\n".join((*lines, "tags:", *(f"  - {content.words(1)}" for _ in range(3)))) + "\n"


def sections(content: Content) -> str:
    """Names and values in sections."""
    return "\n".join(f"[{content.words(1)}{place}]\nvalue = {content.number(1, 99)}\n" for place in range(3))


TEXTS: Mapping[str, Callable[[Content], str]] = {
    "": plain, "txt": plain, "text": plain, "log": plain, "md": markdown, "html": html, "htm": html, "xml": xml,
    "csv": comma_separated, "tsv": comma_separated, "json": json_object, "code-workspace": settings, "py": module,
    "sh": shell_script, "eml": mail, "srt": subtitles, "tex": latex, "bib": bibliography, "css": style_sheet,
    "js": script, "xcu": registry, "ini": sections, "conf": sections, "cfg": sections, "yml": mapping, "yaml": mapping,
}  # fmt: skip
"""By ending, without its dot."""
