"""Makes stand-in files; runs in the environment of OSWorld's package, which has the office and PDF libraries.

Reads `[{"path", "kind", "seed", "wants"}]` on standard input. Files of one seed have the same content, those of
different seeds differ. With `wants`, a file has what its task's check looks for.
"""

from __future__ import annotations

import io
import json
import random
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

WORDS = (
    "amber", "anchor", "basil", "bridge", "candle", "canyon", "cedar", "cobalt", "copper", "coral", "delta",
    "ember", "falcon", "fern", "garnet", "glacier", "harbor", "hazel", "island", "ivory", "jasper", "juniper",
    "kelp", "lantern", "laurel", "maple", "marble", "meadow", "nectar", "olive", "onyx", "opal", "orchid",
    "pebble", "pepper", "quartz", "raven", "river", "saffron", "sage", "shadow", "spruce", "sunset", "thistle",
    "timber", "topaz", "tulip", "valley", "velvet", "walnut", "willow",
)  # fmt: skip
SHEETS = tuple(f"Sheet{number}" for number in range(1, 9))
_SIDES = (640, 480)

Wants = dict[str, Any]


def words(rng: random.Random, number: int) -> str:
    return " ".join(rng.choice(WORDS) for _ in range(number))


def rows(rng: random.Random) -> list[list[Any]]:
    """A table of words and whole numbers, which look the same in a sheet and in its CSV."""
    body = [[words(rng, 2).title(), rng.choice(WORDS), rng.randint(20, 900), rng.randint(1, 90)] for _ in range(12)]
    return [["Name", "Group", "Amount", "Count"], *body]


def workbook(path: Path, rng: random.Random, wants: Wants) -> None:
    openpyxl: Any = import_module("openpyxl")
    charts: Any = import_module("openpyxl.chart")
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name in dict.fromkeys((*wants.get("sheets", ()), *SHEETS)):
        sheet = book.create_sheet(name)
        for row in rows(rng):
            sheet.append(row)
        if name in SHEETS[:2]:
            chart = charts.BarChart()
            chart.title = words(rng, 2)
            chart.add_data(charts.Reference(sheet, min_col=3, min_row=1, max_row=9), titles_from_data=True)
            sheet.add_chart(chart, "F2")
    if wants:
        _as_wanted(book, wants)
    book.save(path)


def _as_wanted(book: Any, wants: Wants) -> None:
    styles: Any = import_module("openpyxl.styles")
    for cell in wants.get("cells", ()):
        sheet = book.worksheets[cell["sheet"]] if isinstance(cell["sheet"], int) else book[cell["sheet"]]
        target, font = sheet[cell["at"]], {}
        if cell.get("merge"):
            target.value = None
            continue
        if "value" in cell:
            target.value = cell["value"]
        if "font_color" in cell:
            font["color"] = cell["font_color"]
        if cell.get("font_bold"):
            font["bold"] = True
        if font:
            target.font = styles.Font(**font)
        if "bgcolor" in cell:
            target.fill = styles.PatternFill("solid", fgColor=cell["bgcolor"])
    for place in wants.get("merged", ()):
        book[place["sheet"]].merge_cells(place["range"])
    if "zoom" in wants:
        book.worksheets[0].sheet_view.zoomScale = wants["zoom"]
    for rule in wants.get("validation", ()):
        validation = import_module("openpyxl.worksheet.datavalidation").DataValidation(
            type="list", formula1='"' + ",".join(rule["choices"]) + '"'
        )
        book.worksheets[0].add_data_validation(validation)
        validation.add(rule["range"])


def sheet_csv(path: Path, rng: random.Random, _: Wants) -> None:
    lines = [",".join(str(value) for value in row) for row in rows(rng)]
    path.write_text("\n".join(lines) + "\n", "utf-8")


def document(path: Path, rng: random.Random, wants: Wants) -> None:
    """A document with headings, a table and a picture, and the formats that tasks of Writer ask for."""
    docx: Any = import_module("docx")
    enums: Any = import_module("docx.enum.text")
    shared: Any = import_module("docx.shared")
    found = docx.Document()
    done = bool(wants.get("formatted"))
    if "font" in wants:
        found.styles["Normal"].font.name = wants["font"]
    first = found.add_paragraph(words(rng, 4).capitalize())
    if done:
        first.alignment = enums.WD_ALIGN_PARAGRAPH.CENTER
    for _ in range(6):
        paragraph = found.add_paragraph(words(rng, 8).capitalize() + ".")
        if done:
            paragraph.paragraph_format.line_spacing = 2.0
    molecule = found.add_paragraph("Water is H")
    molecule.add_run("2").font.subscript = done
    molecule.add_run("O.")
    slanted = found.add_paragraph().add_run(words(rng, 3))
    slanted.italic, slanted.font.size = True, shared.Pt(14 if done else 12)
    _table(found, rng, shared, coloured=done)
    for _ in range(wants.get("breaks", 0)):
        found.add_paragraph().add_run().add_break(enums.WD_BREAK.PAGE)
    if wants.get("page_numbers"):
        _page_number(found)
    if wants.get("tabs"):
        _only_tabbed_lines(found, rng, enums, shared)
    else:
        picture = io.BytesIO()
        draw(rng).save(picture, "PNG")
        picture.seek(0)
        found.add_picture(picture, width=shared.Inches(2))
        last = found.add_paragraph().add_run(words(rng, 7).capitalize() + ".")
        last.font.strike = done
    if "font" in wants:
        for run in (run for paragraph in found.paragraphs for run in paragraph.runs):
            run.font.name = wants["font"]
    found.save(path)


def _table(found: Any, rng: random.Random, shared: Any, *, coloured: bool) -> None:
    table = found.add_table(rows=3, cols=3)
    for cell in (cell for row in table.rows for cell in row.cells):
        word = rng.choice(WORDS)
        run = cell.paragraphs[0].add_run(word)
        if coloured:
            run.font.color.rgb = shared.RGBColor(255, 0, 0) if word[0] in "aeiou" else shared.RGBColor(0, 0, 255)


def _page_number(found: Any) -> None:
    oxml: Any = import_module("docx.oxml")
    names: Any = import_module("docx.oxml.ns")
    for section in found.sections:
        paragraph = section.footer.paragraphs[0]
        paragraph.text = "1"
        field = oxml.OxmlElement("w:fldSimple")
        field.set(names.qn("w:instr"), "PAGE")
        paragraph._p.append(field)


def _only_tabbed_lines(found: Any, rng: random.Random, enums: Any, shared: Any) -> None:
    """Lines of which all but the first three words stand at the right, after a tab."""
    for paragraph in list(found.paragraphs):
        paragraph._p.getparent().remove(paragraph._p)
    for _ in range(8):
        line = found.add_paragraph(f"{words(rng, 3)}\t{words(rng, 4)}")
        line.paragraph_format.tab_stops.add_tab_stop(shared.Inches(6), enums.WD_TAB_ALIGNMENT.RIGHT)


def train_records(path: Path, _: random.Random, wants: Wants) -> None:
    """A list of calls of trains in which some trains stand twice, or once if it is done."""
    docx: Any = import_module("docx")
    found = docx.Document()
    for number in range(24):
        if number % 4 == 3 and wants.get("formatted"):
            continue
        train = number - (number % 4 == 3)
        found.add_paragraph(f"06:{number:02}:00, T{train:03}, ST{number % 7}, {number % 3}")
    found.save(path)


def open_document(path: Path, rng: random.Random, _: Wants) -> None:
    text: Any = import_module("odf.text")
    found = import_module("odf.opendocument").OpenDocumentText()
    for _number in range(8):
        found.text.addElement(text.P(text=words(rng, 8)))
    found.save(str(path))


def slides(path: Path, rng: random.Random, wants: Wants) -> None:
    pptx: Any = import_module("pptx")
    util: Any = import_module("pptx.util")
    found = pptx.Presentation()
    if wants.get("portrait"):
        found.slide_width, found.slide_height = found.slide_height, found.slide_width
    for number in range(wants.get("slides", 12)):
        slide = found.slides.add_slide(found.slide_layouts[1])
        slide.shapes.title.text = words(rng, 3).title()
        slide.placeholders[1].text = "\n".join(words(rng, 3) for _ in range(3))
        box = slide.shapes.add_textbox(util.Inches(1), util.Inches(6), util.Inches(5), util.Inches(1))
        box.text_frame.text = words(rng, 5)
        box.text_frame.add_paragraph().text = words(rng, 3)
        if number % 4 == 0:
            picture = io.BytesIO()
            draw(rng).save(picture, "PNG")
            picture.seek(0)
            slide.shapes.add_picture(picture, util.Inches(5), util.Inches(2), width=util.Inches(3))
        if "background" in wants:
            slide.background.fill.solid()
            colour: Any = import_module("pptx.dml.color")
            slide.background.fill.fore_color.rgb = colour.RGBColor(*wants["background"])
    if wants.get("cover"):
        _as_cover(found)
    if "sound" in wants:
        slide = found.slides[wants["slide"]]
        slide.shapes.add_movie(wants["sound"], 0, 0, 914400, 914400, mime_type="audio/mpeg")
    if "numbers" in wants:
        _number_colour(found, wants["numbers"])
    if "transition" in wants:
        etree: Any = import_module("lxml.etree")
        namespace = "http://schemas.openxmlformats.org/presentationml/2006/main"
        for slide in found.slides:
            moves = etree.SubElement(slide._element, f"{{{namespace}}}transition")
            etree.SubElement(moves, f"{{{namespace}}}{wants['transition']}")
    found.save(path)


def _number_colour(found: Any, colour: str) -> None:
    """The colour of slide numbers, which the slide master says."""
    etree: Any = import_module("lxml.etree")
    namespace = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
    rgb = {"red": "FF0000", "blue": "0000FF", "green": "00FF00", "black": "000000"}[colour]
    for fill in found.slide_master._element.iter(f"{namespace}solidFill"):
        for child in list(fill):
            fill.remove(child)
        etree.SubElement(fill, f"{namespace}srgbClr", val=rgb)


def _as_cover(found: Any) -> None:
    """The picture of the first slide fills it in height, in the middle, with its proportions."""
    for shape in found.slides[0].shapes:
        if hasattr(shape, "image"):
            scale = max(found.slide_width / shape.width, found.slide_height / shape.height)
            shape.width, shape.height = round(shape.width * scale), round(shape.height * scale)
            shape.left = (found.slide_width - shape.width) // 2
            shape.top = (found.slide_height - shape.height) // 2


def draw(rng: random.Random) -> Any:
    """A picture with shapes, of moderate colours so that it can become brighter, darker and more colourful."""
    image: Any = import_module("PIL.Image")
    drawing: Any = import_module("PIL.ImageDraw")
    found = image.new("RGB", _SIDES, tuple(rng.randint(120, 160) for _ in range(3)))
    pen = drawing.Draw(found)
    for number in range(18):
        x, y = rng.randint(0, 520), rng.randint(0, 380)
        box, colour = (x, y, x + rng.randint(40, 120), y + rng.randint(40, 100)), _colour(rng)
        (pen.ellipse if number % 2 else pen.rectangle)(box, fill=colour)
    return found


def _colour(rng: random.Random) -> tuple[int, ...]:
    return tuple(rng.randint(60, 190) for _ in range(3))


def picture(path: Path, rng: random.Random, wants: Wants) -> None:
    kind = {"jpg": "JPEG", "jpeg": "JPEG"}.get(path.suffix[1:].lower(), path.suffix[1:].upper())
    found = draw(rng)
    if wants.get("square"):
        found = found.crop((0, 0, min(_SIDES), min(_SIDES)))
    found.save(path, kind if kind in ("JPEG", "PNG", "GIF", "WEBP", "BMP") else "PNG")


def pdf(path: Path, rng: random.Random, wants: Wants) -> None:
    fitz: Any = import_module("fitz")
    found = fitz.open()
    for _ in range(wants.get("pages", 2)):
        page = found.new_page()
        for line in range(12):
            page.insert_text((72, 90 + 20 * line), words(rng, 7))
        picture = io.BytesIO()
        draw(rng).save(picture, "PNG")
        page.insert_image(fitz.Rect(72, 400, 272, 550), stream=picture.getvalue())
    found.set_metadata({"title": wants.get("title", "")})
    found.save(str(path), no_new_id=True)


def sound(path: Path, rng: random.Random, wants: Wants) -> None:
    frequency = rng.randint(200, 3000)
    _ffmpeg(
        "-f", "lavfi", "-i", f"sine=frequency={frequency}:duration={wants.get('seconds', 8)}", *_tags(rng), str(path)
    )


def film(path: Path, rng: random.Random, wants: Wants) -> None:
    hue = rng.randint(0, 359)
    source = f"testsrc=duration=150:size=320x240:rate=4,hue=h={hue}"
    tone = f"sine=frequency={rng.randint(200, 3000)}:duration=150"
    _ffmpeg("-f", "lavfi", "-i", source, "-f", "lavfi", "-i", tone, "-pix_fmt", "yuv420p", "-preset", "ultrafast",
            "-shortest", "-metadata", f"title={wants.get('title', '')}", str(path))  # fmt: skip


def _tags(rng: random.Random) -> list[str]:
    return ["-metadata", f"title={words(rng, 2)}", "-metadata", f"artist={words(rng, 2)}"]


def _ffmpeg(*arguments: str) -> None:
    program = shutil.which("ffmpeg")
    if program is None:
        raise SystemExit("ffmpeg is not installed")
    subprocess.run([program, "-loglevel", "error", "-y", *arguments], check=True, stdin=subprocess.DEVNULL)


def epub(path: Path, rng: random.Random, _: Wants) -> None:
    chapter = f"<html><head><title>{words(rng, 2)}</title></head><body><p>{words(rng, 30)}</p></body></html>"
    members = {
        "mimetype": "application/epub+zip",
        "toc.ncx": "<ncx><navMap/></ncx>",
        "content.opf": f"<package><metadata><title>{words(rng, 2)}</title></metadata></package>",
        "chapter1.xhtml": chapter,
    }
    _zip(path, {name: content.encode() for name, content in members.items()})


def archive(path: Path, rng: random.Random, wants: Wants) -> None:
    """Files in an archive: those that are wanted, or a text and a PDF."""
    members = _encoded(wants.get("members", {}))
    if not members:
        page = path.with_name(f".{path.name}.pdf")
        pdf(page, rng, {})
        folder = f"{wants['folder']}/" if "folder" in wants else ""
        members = {f"{folder}notes.txt": words(rng, 20).encode(), f"{folder}page.pdf": page.read_bytes()}
        page.unlink()
    if path.suffix in (".gz", ".xz", ".tgz", ".tar"):
        _tar(path, members)
    else:
        _zip(path, members)


def _encoded(members: dict[str, Any]) -> dict[str, bytes]:
    """Texts as bytes, and what has members of its own as an archive."""
    found: dict[str, bytes] = {}
    for name, content in members.items():
        if isinstance(content, dict):
            buffer = io.BytesIO()
            _zip(buffer, _encoded(content))
            found[name] = buffer.getvalue()
        else:
            found[name] = content.encode()
    return found


def _zip(path: Path | io.BytesIO, members: dict[str, bytes]) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members.items():
            file.writestr(zipfile.ZipInfo(name, (2024, 1, 1, 0, 0, 0)), content)


def _tar(path: Path, members: dict[str, bytes]) -> None:
    mode: Any = "w:xz" if path.suffix == ".xz" else "w:gz"
    with tarfile.open(path, mode) as file:
        for name, content in members.items():
            member = tarfile.TarInfo(name)
            member.size, member.mode = len(content), 0o644
            file.addfile(member, io.BytesIO(content))


def text(path: Path, rng: random.Random, wants: Wants) -> None:
    default = "".join(f"{words(rng, 6)}\n" for _ in range(8))
    path.write_text(wants.get("text", default), "utf-8")


def program(path: Path, rng: random.Random, wants: Wants) -> None:
    lines = [
        f"def {rng.choice(WORDS)}_{number}(value):\n    return value + {rng.randint(1, 99)}\n" for number in range(5)
    ]
    path.write_text(wants.get("text", "\n\n".join(lines)), "utf-8")


def page(path: Path, rng: random.Random, _: Wants) -> None:
    path.write_text(f"<!doctype html><html><head><title>{words(rng, 2)}</title></head><body><p>{words(rng, 20)}</p>"
                    "</body></html>\n", "utf-8")  # fmt: skip


def data(path: Path, rng: random.Random, _: Wants) -> None:
    path.write_text(json.dumps({rng.choice(WORDS): rng.randint(1, 99), "name": words(rng, 2)}) + "\n", "utf-8")


KINDS: dict[str, Callable[[Path, random.Random, Wants], None]] = {
    "archive": archive, "book": workbook, "csv": sheet_csv, "document": document, "epub": epub, "film": film,
    "json": data, "odt": open_document, "page": page, "pdf": pdf, "picture": picture, "program": program,
    "slides": slides, "sound": sound, "text": text, "trains": train_records,
}  # fmt: skip


def main() -> None:
    for wanted in json.load(sys.stdin):
        path = Path(wanted["path"])
        path.parent.mkdir(parents=True, exist_ok=True)
        # What the library chooses the format by is the suffix of the name.
        KINDS[wanted["kind"]](path, random.Random(wanted["seed"]), wanted["wants"])


main()
