"""Pairs of documents: a random one, and the same with one thing changed."""

from __future__ import annotations

import copy
import random
from dataclasses import dataclass, field
from xml.sax.saxutils import escape, quoteattr

from pydantic import JsonValue

from support.agreement import Case, Generator
from support.agreement.slides import png
from support.agreement.words import WORDS, changed, lines, maybe_missing, some_options
from tasks.office_files import archive, docx_file, odt_file
from trueline.tasks.checkers.values import FileValue

_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml."


@dataclass
class Run:
    text: str
    formats: str = ""
    inner: str = ""

    def xml(self) -> str:
        text = f'<w:t xml:space="preserve">{escape(self.text)}</w:t>' if self.text else ""
        return f"<w:r>{f'<w:rPr>{self.formats}</w:rPr>' if self.formats else ''}{text}{self.inner}</w:r>"


@dataclass
class Paragraph:
    runs: list[Run]
    properties: str = ""

    def xml(self) -> str:
        return f"<w:p><w:pPr>{self.properties}</w:pPr>{''.join(run.xml() for run in self.runs)}</w:p>"


@dataclass
class Document:
    paragraphs: list[Paragraph]
    tables: list[list[list[str]]] = field(default_factory=list[list[list[str]]])
    merged: str = ""
    pictures: list[bytes] = field(default_factory=list[bytes])
    footer: str | None = None
    kind: str = f"{_WORD}document.main+xml"

    def file(self, name: str = "a.docx") -> FileValue:
        tables = "".join(self._table(rows) for rows in self.tables)
        reference = "" if self.footer is None else '<w:footerReference w:type="default" r:id="rId7"/>'
        section = (f'<w:sectPr>{reference}<w:pgSz w:w="12240" w:h="15840"/><w:pgMar w:left="1800" w:right="1800"/>'
                   "</w:sectPr>")  # fmt: skip
        body = "".join(paragraph.xml() for paragraph in self.paragraphs) + tables + section
        relations = [("rId7", "footer", "footer1.xml")] if self.footer is not None else []
        relations += [(f"rId{20 + place}", "image", f"media/i{place}.png") for place in range(len(self.pictures))]
        members: dict[str, str | bytes] = {
            "_rels/.rels": _relations([("rId1", "officeDocument", "word/document.xml")]),
            "word/document.xml": f'<w:document xmlns:w="{_W}" xmlns:r="{_R}"><w:body>{body}</w:body></w:document>',
            "word/_rels/document.xml.rels": _relations(relations),
        }
        for place, picture in enumerate(self.pictures):
            members[f"word/media/i{place}.png"] = picture
        if self.footer is not None:
            text = f"<w:p><w:r><w:t>{escape(self.footer)}</w:t></w:r></w:p>"
            members["word/footer1.xml"] = f'<w:ftr xmlns:w="{_W}">{text}</w:ftr>'
        members["[Content_Types].xml"] = (
            '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" '
            'ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="png" '
            f'ContentType="image/png"/><Override PartName="/word/document.xml" ContentType="{self.kind}"/>'
            f'<Override PartName="/word/footer1.xml" ContentType="{_WORD}footer+xml"/></Types>'
        )
        return FileValue(name, archive(members))

    def _table(self, rows: list[list[str]]) -> str:
        columns = len(rows[0])
        grid = "<w:gridCol/>" * columns
        made = ""
        for number, row in enumerate(rows):
            cells = ""
            for place, text in enumerate(row):
                properties = ""
                if self.merged == "down" and place == 0:
                    properties = '<w:vMerge w:val="restart"/>' if number == 0 else "<w:vMerge/>"
                if self.merged == "across" and number == 0:
                    if place == 1:
                        continue
                    properties = '<w:gridSpan w:val="2"/>' if place == 0 else ""
                paragraphs = "".join(f"<w:p>{Run(part).xml()}</w:p>" for part in text.split("|"))
                cells += f"<w:tc><w:tcPr>{properties}</w:tcPr>{paragraphs}</w:tc>"
            made += f"<w:tr>{cells}</w:tr>"
        return f"<w:tbl><w:tblGrid>{grid}</w:tblGrid>{made}</w:tbl>"


def _relations(listed: list[tuple[str, str, str]]) -> str:
    rows = "".join(f'<Relationship Id="{id}" Type="{_R}/{kind}" Target="{target}"/>' for id, kind, target in listed)
    return f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{rows}</Relationships>'


FORMATS = ("", "", "<w:i/>", '<w:i w:val="0"/>', "<w:strike/>", '<w:strike w:val="false"/>', '<w:sz w:val="28"/>',
           '<w:i/><w:sz w:val="28"/>', '<w:i/><w:sz w:val="27"/>', '<w:vertAlign w:val="subscript"/>',
           '<w:rFonts w:ascii="Arial"/>', '<w:rFonts w:ascii="Times New Roman" w:hAnsi="Arial"/>')  # fmt: skip
SPACINGS = ("", '<w:spacing w:line="240" w:lineRule="auto"/>', '<w:spacing w:line="240"/>',
            '<w:spacing w:line="240" w:lineRule="exact"/>', '<w:spacing w:line="480" w:lineRule="auto"/>',
            '<w:spacing w:after="3"/>')  # fmt: skip


def run(rng: random.Random, text: str | None = None) -> Run:
    inner = rng.choice(("",) * 9 + ('<w:br w:type="page"/>', "<w:br/>", "<w:tab/>"))
    return Run(rng.choice(WORDS) if text is None else text, rng.choice(FORMATS), inner)


def paragraph(rng: random.Random) -> Paragraph:
    tabs = "".join(
        f'<w:tab w:val="{rng.choice(("left", "right", "center", "clear"))}" w:pos="{rng.choice((0, 720, 9360))}"/>'
        for _ in range(rng.choice((0, 0, 1, 2)))
    )
    alignment = rng.choice(("", '<w:jc w:val="center"/>', '<w:jc w:val="left"/>'))
    properties = f"{f'<w:tabs>{tabs}</w:tabs>' if tabs else ''}{rng.choice(SPACINGS)}{alignment}"
    return Paragraph([run(rng) for _ in range(rng.choice((0, 1, 1, 2)))], properties)


def document(rng: random.Random) -> Document:
    return Document(
        [paragraph(rng) for _ in range(rng.randrange(1, 4))],
        [[[rng.choice(("a", " b ", "c|d", "")) for _ in range(3)] for _ in range(rng.randrange(1, 3))]
         for _ in range(rng.choice((0, 1, 1, 2)))],
        rng.choice(("", "", "down", "across")),
        [png((rng.randrange(3), 0, 0)) for _ in range(rng.choice((0, 1, 2)))],
        rng.choice((None, "Page 1", "no number", "")),
    )  # fmt: skip


def change(rng: random.Random, made: Document) -> None:
    """Change one thing."""
    chosen = rng.choice(made.paragraphs)
    match rng.randrange(9):
        case 0:
            chosen.properties = paragraph(rng).properties
        case 1:
            chosen.runs.append(run(rng))
        case 2 if chosen.runs:
            rng.choice(chosen.runs).formats = rng.choice(FORMATS)
        case 3 if made.tables:
            rng.choice(rng.choice(made.tables))[2] = rng.choice(("a", "b", "z"))
        case 4 if made.tables:
            made.tables[0].append(["a", "b", "c"])
        case 5:
            made.pictures = document(rng).pictures
        case 6:
            made.paragraphs.append(paragraph(rng))
        case 7:
            made.footer = rng.choice((None, "3", ""))
        case _:
            pass


def _pairs(name: str, *, arguments: int = 2) -> Generator:
    def make(rng: random.Random) -> Case:
        gold = document(rng)
        found = copy.deepcopy(gold)
        for _ in range(rng.choice((0, 1, 1, 2))):
            change(rng, found)
        if rng.random() < 0.02:
            found.kind = f"{_WORD}template.main+xml"
        result = maybe_missing(rng, found.file() if rng.random() < 0.98 else FileValue("a.docx", b"broken"))
        return Case(name, result, gold.file("e.docx") if arguments == 2 else None, arguments=arguments)

    make.__name__ = name
    return make


def compare_docx_files(rng: random.Random) -> Case:
    text = [" ".join(lines(rng)) for _ in range(rng.randrange(4))]
    build = odt_file if rng.random() < 0.2 else docx_file
    pair = build(changed(rng, text), rng), build(text, rng)
    names = ("ignore_blanks", "ignore_case", "ignore_order", "content_only", "fuzzy_match", "delete_empty_lines")
    return Case("compare_docx_files", *pair, some_options(rng, *names))


def odt(rng: random.Random, *, highlighted: bool = False) -> FileValue:
    """An OpenDocument text with what stands between texts: blanks, tabs, links, spans, notes."""

    def piece() -> str:
        return rng.choice((
            "a", "b ", "a<text:s/>b", '<text:s text:c="3"/>', "<text:tab/>x", "<text:line-break/>",
            '<text:a xlink:href="x">link</text:a>', "<text:span>in <text:span>inner</text:span> span</text:span>",
            "<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>note</text:p>"
            "</text:note-body></text:note>", '<text:span text:style-name="T1">marked</text:span>',
        ))  # fmt: skip

    body = "".join(f"<text:p>{''.join(piece() for _ in range(rng.randrange(3)))}</text:p>" for _ in range(2))
    colour = rng.choice(("#ffff00", "#ffff00", "#ffffff")) if highlighted else "#ffffff"
    style = (f'<style:style style:name="T1" style:family="text"><style:text-properties fo:background-color={quoteattr(colour)}/>'  # noqa: E501
             "</style:style>")  # fmt: skip
    names = " ".join(
        f'xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
        for prefix, name in (("office", "office"), ("text", "text"), ("style", "style"), ("fo", "xsl-fo-compatible"))
    )
    content = (
        f'<office:document-content {names} xmlns:xlink="http://www.w3.org/1999/xlink" office:version="1.2">'
        f"<office:automatic-styles>{style}</office:automatic-styles><office:body><office:text>{body}</office:text>"
        "</office:body></office:document-content>"
    )
    kind = "application/vnd.oasis.opendocument.text"
    manifest = (
        '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">'
        f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{kind}"/>'
        '<manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/></manifest:manifest>'
    )
    return FileValue("a.odt", archive({"mimetype": kind, "content.xml": content, "META-INF/manifest.xml": manifest}))


def odt_texts(rng: random.Random) -> Case:
    seed = rng.randrange(1 << 30)
    second = seed if rng.random() < 0.5 else rng.randrange(1 << 30)
    options = some_options(rng, "ignore_blanks", "content_only", "fuzzy_match")
    return Case("compare_docx_files", odt(random.Random(seed)), odt(random.Random(second)), options)


def check_highlighted_words(rng: random.Random) -> Case:
    seed = rng.randrange(1 << 30)
    second = seed if rng.random() < 0.8 else rng.randrange(1 << 30)
    result = odt(random.Random(seed), highlighted=True)
    return Case("check_highlighted_words", maybe_missing(rng, result), odt(random.Random(second)))


def _plain(texts: list[str]) -> FileValue:
    return Document([Paragraph([Run(text)]) for text in texts]).file()


def compare_font_names(rng: random.Random) -> Case:
    made = Document([Paragraph([Run("a", rng.choice(FORMATS[10:]) if rng.random() < 0.3 else FORMATS[10])])
                     for _ in range(rng.randrange(3))])  # fmt: skip
    return Case(
        "compare_font_names", maybe_missing(rng, made.file()), {"font_name": rng.choice(("Arial", "Arial", "X"))}
    )


def contains_page_break(rng: random.Random) -> Case:
    rules: dict[str, JsonValue] = {} if rng.random() < 0.4 else {"page_break_count": rng.choice((0, 1, 2))}
    made = Document([Paragraph([Run("a", inner=rng.choice(('<w:br w:type="page"/>', "<w:br/>", "")))])
                     for _ in range(rng.randrange(4))])  # fmt: skip
    return Case("contains_page_break", maybe_missing(rng, made.file()), rules)


def new_lines(rng: random.Random) -> Case:
    text = lines(rng)
    return Case("compare_docx_files_and_ignore_new_lines", maybe_missing(rng, _plain(changed(rng, text))), _plain(text),
                some_options(rng, "ignore_blanks"))  # fmt: skip


def compare_docx_lines(rng: random.Random) -> Case:
    text = lines(rng)
    return Case("compare_docx_lines", maybe_missing(rng, _plain(changed(rng, text))), _plain(text))


def compare_references(rng: random.Random) -> Case:
    text = [f"Author {rng.choice(WORDS)}, title {rng.choice(WORDS)}, 20{rng.randrange(10)}" for _ in range(3)]
    found = [each if rng.random() < 0.6 else each[: rng.randrange(len(each))] for each in text]
    heads = [[rng.choice(("References", "References", "References", "Sources"))] for _ in range(2)]
    options: dict[str, JsonValue] = {"reference_base_result": rng.choice((0.6, 0.9))} if rng.random() < 0.6 else {}
    if rng.random() < 0.1:
        options["reference_indicator"] = "Sources"
    result, gold = ["text", *heads[0], *found[: rng.choice((3, 3, 3, 2, 0))]], ["text", *heads[1], *text]
    return Case("compare_references", maybe_missing(rng, _plain(result)), _plain(gold), options)


def check_tabstops(rng: random.Random) -> Case:
    def made() -> FileValue:
        stop = f'<w:tabs><w:tab w:val="{rng.choice(("right", "right", "left"))}" w:pos="{rng.choice((8640, 8640, 8000, 720))}"/></w:tabs>'  # noqa: E501
        runs = [Run("one two three"), Run("", inner="<w:tab/>"), Run(rng.choice(("rest", "rest", "more rest")))]
        return Document([Paragraph(runs, stop), Paragraph(runs, stop), Paragraph([])]).file()

    options: dict[str, JsonValue] = {}
    if rng.random() < 0.6:
        options = {"word_number_split_by_tabstop": rng.choice((3, 3, 2)), "index": rng.choice((0, 0, 1, 2))}
    return Case("check_tabstops", maybe_missing(rng, made()), made(), options)


def compare_unique_train_records(rng: random.Random) -> Case:
    original = [f"0{place}:00:00,{rng.choice('ABC')},S{place},1" for place in range(4)] + ["", "no record"]
    seen: set[str] = set()
    gold: list[str] = []
    for line in original:
        id = line.split(",")[1] if "," in line else line
        if id not in seen:
            gold.append(line)
            seen.add(id)
    found = changed(rng, gold) if rng.random() < 0.5 else gold
    return Case("compare_unique_train_records", maybe_missing(rng, _plain(found)), (_plain(gold), _plain(original)))


def fuzzy_place_math(rng: random.Random) -> Case:
    words = [rng.choice(("Lisbon", "Lisboa", "Kyoto", "Kyto", "Oslo", "")) for _ in range(3)]
    return Case("fuzzy_place_math", maybe_missing(rng, _plain(words)), {"expected": ["Lisbon", "Kyoto", "Oslo"]})


GENERATORS: dict[str, Generator] = {
    make.__name__: make
    for make in (
        compare_docx_files, odt_texts, check_highlighted_words, compare_font_names, contains_page_break, new_lines,
        compare_docx_lines, compare_references, check_tabstops, compare_unique_train_records, fuzzy_place_math,
        _pairs("compare_docx_tables"), _pairs("compare_docx_images"), _pairs("compare_init_lines"),
        _pairs("compare_line_spacing"), _pairs("compare_subscript_contains"),
        _pairs("evaluate_strike_through_last_paragraph"), _pairs("check_italic_font_size_14"),
        _pairs("has_page_numbers_in_footers", arguments=1), _pairs("is_first_line_centered", arguments=1),
    )
}  # fmt: skip
