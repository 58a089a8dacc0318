"""Pairs of presentations: a random one, and the same with one thing changed."""

from __future__ import annotations

import copy
import io
import random
from dataclasses import dataclass, field
from xml.sax.saxutils import escape, quoteattr

from PIL import Image
from pydantic import JsonValue

from support.agreement import Case, Generator
from tasks.office_files import archive
from trueline.tasks.checkers.values import FileValue

_NS = (
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" '
    'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
)
_TYPE = "application/vnd.openxmlformats-officedocument.presentationml."
_REL = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
_TREE = '<p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>'
TEXTS = ("alpha", "Beta gamma", "", " x ", "Product Comparison", "Elaborate on what you want to discuss.", "Ωmega", "3")
SWITCHES = (
    "number_of_slides", "shape", "text", "indent", "font_name", "font_size", "font_bold", "font_italic", "color_rgb",
    "font_underline", "strike_through", "alignment", "title_bottom_position", "table_bottom_position",
    "right_position", "top_position", "shape_for_shift_size", "image_size", "modify_height", "bullets",
    "background_color", "note",
)  # fmt: skip


def png(colour: tuple[int, int, int]) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (4, 4), colour).save(buffer, "PNG")
    return buffer.getvalue()


@dataclass
class Run:
    text: str
    attributes: dict[str, str] = field(default_factory=dict[str, str])
    fill: str = ""
    font: str = ""
    bare: bool = True

    def xml(self) -> str:
        text = f"<a:t>{escape(self.text)}</a:t>" if self.text else "<a:t/>"
        if self.bare:
            return f"<a:r>{text}</a:r>"
        latin = f"<a:latin typeface={quoteattr(self.font)}/>" if self.font else ""
        attributes = "".join(f" {name}={quoteattr(value)}" for name, value in self.attributes.items())
        return f"<a:r><a:rPr{attributes}>{self.fill}{latin}</a:rPr>{text}</a:r>"


@dataclass
class Paragraph:
    runs: list[Run]
    properties: str | None = None
    tail: str = ""

    def xml(self) -> str:
        return f"<a:p>{self.properties or ''}{''.join(run.xml() for run in self.runs)}{self.tail}</a:p>"


@dataclass
class Shape:
    kind: str
    place: tuple[int, int, int, int] | None
    paragraphs: list[Paragraph] | None = None
    inner: list[Shape] = field(default_factory=list["Shape"])
    rows: list[list[list[Paragraph]]] = field(default_factory=list[list[list[Paragraph]]])

    def frame(self, tag: str = "a:xfrm") -> str:
        if self.place is None:
            return "" if tag == "a:xfrm" else f"<{tag}/>"
        left, top, width, height = self.place
        return f'<{tag}><a:off x="{left}" y="{top}"/><a:ext cx="{width}" cy="{height}"/></{tag}>'

    def xml(self, number: int) -> str:
        name = f'<p:cNvPr id="{number}" name="s{number}"/>'
        match self.kind:
            case "pic":
                return (f'<p:pic><p:nvPicPr>{name}<p:cNvPicPr/><p:nvPr/></p:nvPicPr><p:blipFill><a:blip r:embed="rId9"/>'  # noqa: E501
                        f'</p:blipFill><p:spPr>{self.frame()}<a:prstGeom prst="rect"/></p:spPr></p:pic>')  # fmt: skip
            case "group":
                shapes = "".join(shape.xml(number * 10 + place) for place, shape in enumerate(self.inner))
                return (f"<p:grpSp><p:nvGrpSpPr>{name}<p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr>{self.frame()}"
                        f"</p:grpSpPr>{shapes}</p:grpSp>")  # fmt: skip
            case "line":
                return (f'<p:cxnSp><p:nvCxnSpPr>{name}<p:cNvCxnSpPr/><p:nvPr/></p:nvCxnSpPr><p:spPr>{self.frame()}'
                        '<a:prstGeom prst="line"/></p:spPr></p:cxnSp>')  # fmt: skip
            case "table":
                grid = '<a:gridCol w="9"/>' * len(self.rows[0])
                rows = "".join(
                    '<a:tr h="9">'
                    + "".join(f"<a:tc>{_body('a:txBody', cell)}<a:tcPr/></a:tc>" for cell in row)
                    + "</a:tr>"
                    for row in self.rows
                )
                return (f"<p:graphicFrame><p:nvGraphicFramePr>{name}<p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr>"  # noqa: E501
                        f'{self.frame("p:xfrm")}<a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/'
                        f'2006/table"><a:tbl><a:tblGrid>{grid}</a:tblGrid>{rows}</a:tbl></a:graphicData></a:graphic>'
                        "</p:graphicFrame>")  # fmt: skip
            case _:
                mark, geometry, box = "", '<a:prstGeom prst="rect"/>', ""
                if self.kind.startswith("ph"):
                    mark, geometry = f"<p:ph {self.kind[3:]}/>", ""
                elif self.kind == "free":
                    geometry = "<a:custGeom><a:pathLst/></a:custGeom>"
                elif self.kind == "box":
                    box = ' txBox="1"'
                body = "" if self.paragraphs is None else _body("p:txBody", self.paragraphs)
                return (f"<p:sp><p:nvSpPr>{name}<p:cNvSpPr{box}/><p:nvPr>{mark}</p:nvPr></p:nvSpPr><p:spPr>{self.frame()}"  # noqa: E501
                        f"{geometry}</p:spPr>{body}</p:sp>")  # fmt: skip


def _body(tag: str, paragraphs: list[Paragraph]) -> str:
    return f"<{tag}><a:bodyPr/>{''.join(paragraph.xml() for paragraph in paragraphs)}</{tag}>"


@dataclass
class Slide:
    shapes: list[Shape]
    background: str = ""
    notes: str | None = None


@dataclass
class Deck:
    slides: list[Slide]
    master_background: str = ""
    size: tuple[int, int] = (9_144_000, 6_858_000)
    picture: bytes = b""

    def file(self, name: str = "a.pptx") -> FileValue:
        members: dict[str, str | bytes] = {}
        overrides = {"/ppt/presentation.xml": f"{_TYPE}presentation.main+xml",
                     "/ppt/slideMasters/slideMaster1.xml": f"{_TYPE}slideMaster+xml",
                     "/ppt/slideLayouts/slideLayout1.xml": f"{_TYPE}slideLayout+xml"}  # fmt: skip
        members["_rels/.rels"] = _relations([("rId1", "officeDocument", "ppt/presentation.xml")])
        ids = "".join(f'<p:sldId id="{256 + place}" r:id="rId{place + 2}"/>' for place in range(len(self.slides)))
        members["ppt/presentation.xml"] = (
            f'<p:presentation {_NS}><p:sldMasterIdLst><p:sldMasterId id="1" r:id="rId1"/></p:sldMasterIdLst>'
            f'<p:sldIdLst>{ids}</p:sldIdLst><p:sldSz cx="{self.size[0]}" cy="{self.size[1]}"/></p:presentation>'
        )
        members["ppt/_rels/presentation.xml.rels"] = _relations(
            [("rId1", "slideMaster", "slideMasters/slideMaster1.xml")]
            + [(f"rId{place + 2}", "slide", f"slides/slide{place + 1}.xml") for place in range(len(self.slides))]
        )
        members["ppt/slideMasters/slideMaster1.xml"] = (
            f"<p:sldMaster {_NS}><p:cSld>{self.master_background}<p:spTree>{_TREE}{_model('title', '', 7)}"
            f"{_model('body', '1', 8)}</p:spTree></p:cSld></p:sldMaster>"
        )
        members["ppt/slideMasters/_rels/slideMaster1.xml.rels"] = _relations(
            [("rId1", "slideLayout", "../slideLayouts/slideLayout1.xml")]
        )
        members["ppt/slideLayouts/slideLayout1.xml"] = (
            f"<p:sldLayout {_NS}><p:cSld><p:spTree>{_TREE}{_model('title', '', None)}{_model('body', '1', 5)}"
            f"{_model('', '2', None)}</p:spTree></p:cSld></p:sldLayout>"
        )
        members["ppt/slideLayouts/_rels/slideLayout1.xml.rels"] = _relations(
            [("rId1", "slideMaster", "../slideMasters/slideMaster1.xml")]
        )
        for number, slide in enumerate(self.slides, 1):
            shapes = "".join(shape.xml(place + 2) for place, shape in enumerate(slide.shapes))
            members[f"ppt/slides/slide{number}.xml"] = (
                f"<p:sld {_NS}><p:cSld>{slide.background}<p:spTree>{_TREE}{shapes}</p:spTree></p:cSld></p:sld>"
            )
            relations = [
                ("rId1", "slideLayout", "../slideLayouts/slideLayout1.xml"),
                ("rId9", "image", "../media/i.png"),
            ]
            if slide.notes is not None:
                relations.append(("rId2", "notesSlide", f"../notesSlides/notesSlide{number}.xml"))
                members[f"ppt/notesSlides/notesSlide{number}.xml"] = _notes(slide.notes)
                members[f"ppt/notesSlides/_rels/notesSlide{number}.xml.rels"] = _relations(
                    [("rId1", "slide", f"../slides/slide{number}.xml")]
                )
                overrides[f"/ppt/notesSlides/notesSlide{number}.xml"] = f"{_TYPE}notesSlide+xml"
            members[f"ppt/slides/_rels/slide{number}.xml.rels"] = _relations(relations)
            overrides[f"/ppt/slides/slide{number}.xml"] = f"{_TYPE}slide+xml"
        members["ppt/media/i.png"] = self.picture or png((1, 2, 3))
        listed = "".join(f'<Override PartName="{part}" ContentType="{kind}"/>' for part, kind in overrides.items())
        members["[Content_Types].xml"] = (
            '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" '
            'ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="png" '
            f'ContentType="image/png"/><Default Extension="xml" ContentType="application/xml"/>{listed}</Types>'
        )
        return FileValue(name, archive(members))


def _model(kind: str, index: str, factor: int | None) -> str:
    mark = (f' type="{kind}"' if kind else "") + (f' idx="{index}"' if index else "")
    place = (
        ""
        if factor is None
        else f'<a:xfrm><a:off x="{factor}00" y="{factor}10"/><a:ext cx="{factor}20" cy="{factor}30"/></a:xfrm>'
    )
    return (f'<p:sp><p:nvSpPr><p:cNvPr id="2" name="x"/><p:cNvSpPr/><p:nvPr><p:ph{mark}/></p:nvPr></p:nvSpPr>'
            f"<p:spPr>{place}</p:spPr></p:sp>")  # fmt: skip


def _notes(text: str) -> str:
    paragraphs = "".join(f"<a:p><a:r><a:t>{escape(line)}</a:t></a:r></a:p>" for line in text.split("\n"))
    return (f'<p:notes {_NS}><p:cSld><p:spTree>{_TREE}<p:sp><p:nvSpPr><p:cNvPr id="3" name="n"/><p:cNvSpPr/><p:nvPr>'
            f'<p:ph type="body" idx="1"/></p:nvPr></p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/>{paragraphs}</p:txBody></p:sp>'  # noqa: E501
            "</p:spTree></p:cSld></p:notes>")  # fmt: skip


def _relations(listed: list[tuple[str, str, str]]) -> str:
    rows = "".join(f'<Relationship Id="{id}" Type="{_REL}{kind}" Target="{target}"/>' for id, kind, target in listed)
    return f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{rows}</Relationships>'


def solid(colour: str) -> str:
    return f'<a:solidFill><a:srgbClr val="{colour}"/></a:solidFill>'


FILLS = ("", solid("FF0000"), solid("ff0000"), solid("00FF00"), '<a:solidFill><a:schemeClr val="tx1"/></a:solidFill>',
         "<a:noFill/>")  # fmt: skip


def background(fill: str) -> str:
    return f"<p:bg><p:bgPr>{fill}<a:effectLst/></p:bgPr></p:bg>" if fill else ""


def run(rng: random.Random) -> Run:
    choices = {"sz": ("1800", "2400"), "b": ("1", "0"), "i": ("1", "0"), "u": ("sng", "none", "dbl"),
               "strike": ("sngStrike", "noStrike")}  # fmt: skip
    attributes = {name: rng.choice(values) for name, values in choices.items() if rng.random() < 0.3}
    return Run(rng.choice([text for text in TEXTS if text]) if rng.random() < 0.97 else "", attributes,
               rng.choice(FILLS), rng.choice(("", "Arial", "Times")), bare=rng.random() < 0.3)  # fmt: skip


def paragraph(rng: random.Random) -> Paragraph:
    return Paragraph([run(rng) for _ in range(rng.choice((0, 1, 1, 1, 2)))], properties(rng),
                     rng.choice(("", "", "", "<a:br/>", '<a:fld id="{1}" type="slidenum"><a:t>7</a:t></a:fld>',
                                 "<a:endParaRPr/>")))  # fmt: skip


def properties(rng: random.Random) -> str | None:
    if rng.random() < 0.4:
        return None
    bullet = rng.choice(("", "", '<a:buChar char="-"/>', '<a:buChar char="*"/>', "<a:buNone/>"))
    attributes = rng.choice(("", ' algn="l"', ' algn="ctr"', ' lvl="0"', ' lvl="1"', ' algn="r" lvl="2"'))
    return f"<a:pPr{attributes}>{bullet}</a:pPr>"


def shape(rng: random.Random, depth: int = 0) -> Shape:
    kind = rng.choice(("auto", "box", "free", "ph type=\"title\"", "ph type=\"body\" idx=\"1\"", "ph idx=\"2\"", "pic",
                       "line", "table", *(("group",) if depth < 2 else ())))  # fmt: skip
    place: tuple[int, int, int, int] | None = tuple(rng.choice((0, 1000, 100_000, 4_000_000)) for _ in range(4))  # pyright: ignore[reportAssignmentType]
    if kind.startswith("ph") and rng.random() < 0.6:
        place = None
    made = Shape(kind, place)
    if kind == "group":
        made.inner = [shape(rng, depth + 1) for _ in range(rng.randrange(1, 3))]
    elif kind == "table":
        made.rows = [[[paragraph(rng)] for _ in range(2)] for _ in range(rng.randrange(1, 3))]
    elif kind not in ("pic", "line") and rng.random() < 0.95:
        made.paragraphs = [paragraph(rng) for _ in range(rng.choice((1, 1, 1, 2)))]
    return made


def deck(rng: random.Random) -> Deck:
    slides = [
        Slide([shape(rng) for _ in range(rng.randrange(1, 4))], background(rng.choice(FILLS) if rng.random() < 0.2 else ""),  # noqa: E501
              rng.choice((None, None, "a note", " a note\n", "")))
        for _ in range(rng.choice((1, 1, 2, 3)))
    ]  # fmt: skip
    return Deck(slides, background(rng.choice((*FILLS[:4], "<a:noFill/>"))))


def _texts(shapes: list[Shape]) -> list[Paragraph]:
    found: list[Paragraph] = []
    for each in shapes:
        found += each.paragraphs or []
        found += _texts(each.inner)
        found += [paragraph for row in each.rows for cell in row for paragraph in cell]
    return found


def _runs(made: Deck) -> list[Run]:
    return [run for slide in made.slides for paragraph in _texts(slide.shapes) for run in paragraph.runs]


def change(rng: random.Random, made: Deck) -> None:
    """Change one thing."""
    slide = rng.choice(made.slides)
    kind = rng.randrange(13)
    texts, runs = _texts(slide.shapes), _runs(made)
    if kind == 0:
        slide.shapes.append(shape(rng))
    elif kind == 1:
        made.slides.append(Slide([shape(rng)]))
    elif kind == 2:
        slide.background = background(rng.choice(FILLS))
    elif kind == 3:
        slide.notes = rng.choice(("a note", "other", "", None))
    elif kind in (4, 5):
        moved = rng.choice(slide.shapes)
        if moved.place is not None:
            place = list(moved.place)
            at = rng.randrange(4)
            factor = rng.choice((1.004, 1.0049, 1.0051, 1.006, 1.5, 1 / 1.0049, 1 / 1.0052, 0.5, 0, 40))
            place[at] = int(place[at] * factor) or rng.choice((0, 1, 3_599_999, 3_600_000, 4_320_000, 1_980_000))
            moved.place = (place[0], place[1], place[2], place[3])
        elif rng.random() < 0.3:
            moved.place = (700, 710, 720, 730)
    elif kind == 6 and texts:
        rng.choice(texts).properties = properties(rng)
    elif kind == 7 and texts:
        rng.choice(texts).runs.append(run(rng))
    elif kind == 8 and runs:
        rng.choice(runs).text += rng.choice((" ", "x"))
    elif kind in (9, 10, 11) and runs:
        changed = rng.choice(runs)
        fresh = run(rng)
        changed.bare = False
        name = rng.choice(("sz", "b", "i", "u", "strike", "fill", "font"))
        if name == "fill":
            changed.fill = rng.choice(FILLS)
        elif name == "font":
            changed.font = fresh.font
        elif name in fresh.attributes:
            changed.attributes[name] = fresh.attributes[name]
        else:
            changed.attributes.pop(name, None)
    elif kind == 12 and len(slide.shapes) > 1:
        rng.shuffle(slide.shapes)


def switches(rng: random.Random) -> dict[str, JsonValue]:
    if rng.random() < 0.35:
        return {}
    chosen = rng.sample(SWITCHES, rng.choice((1, 2, 4, 12)))
    options: dict[str, JsonValue] = {f"examine_{name}": rng.random() < 0.4 for name in chosen}
    if rng.random() < 0.2:
        options["approximately_tolerance"] = rng.choice((0.0, 0.01, 0.5))
    return options


def compare_pptx_files(rng: random.Random) -> Case:
    gold = deck(rng)
    found = copy.deepcopy(gold)
    for _ in range(rng.choice((0, 1, 1, 1, 1, 2))):
        change(rng, found)
    result = found.file()
    if rng.random() < 0.01:
        result = FileValue("a.pptx", rng.choice((b"", b"PK\3\4", archive({"a": "b"}))))
    return Case("compare_pptx_files", result, gold.file("e.pptx"), switches(rng))


def moved_shapes(rng: random.Random) -> Case:
    """Presentations that are equal but for the place of one shape, around the limits of the special switches."""
    name = rng.choice(("title_bottom_position", "table_bottom_position", "right_position", "top_position",
                       "shape_for_shift_size", "image_size", "modify_height"))  # fmt: skip
    kinds = {"title_bottom_position": "auto", "table_bottom_position": "table", "right_position": "line",
             "top_position": "pic", "shape_for_shift_size": "auto", "image_size": "pic",
             "modify_height": rng.choice(("free", "line", "auto"))}  # fmt: skip
    text = rng.choice(("Product Comparison", "Elaborate on what you want to discuss.", "alpha"))
    words = [Paragraph([Run(text)])]

    def made(place: tuple[int, int, int, int]) -> Deck:
        special = Shape(kinds[name], place, words if kinds[name] in ("auto", "free") else None)
        special.rows = [[words]]
        return Deck([Slide([copy.deepcopy(special)]) for _ in range(3)])

    def coordinate() -> int:
        return rng.choice(
            (1000, 1_979_999, 1_980_000, 1_980_001, 3_599_999, 3_600_000, 4_319_999, 4_320_000, 5_000_000)
        )

    first = (coordinate(), coordinate(), 1000, 2000)
    second = (rng.choice((first[0], coordinate())), rng.choice((first[1], coordinate())), rng.choice((1000, 1006)),
              rng.choice((2000, 2009, 2012)))  # fmt: skip
    options: dict[str, JsonValue] = {"examine_shape": False, f"examine_{name}": True}
    return Case("compare_pptx_files", made(first).file(), made(second).file(), options)


def check_slide_orientation(rng: random.Random) -> Case:
    made = deck(rng)
    made.size = (rng.choice((100, 200)), rng.choice((100, 200, 201)))
    return Case("check_slide_orientation_Portrait", made.file(), None, arguments=1)


def evaluate_presentation_fill_to_rgb_distance(rng: random.Random) -> Case:
    made = deck(rng)
    for slide in made.slides:
        slide.background = background(rng.choice((*FILLS[:4], solid("0A141E"), "<a:gradFill/>")))
    rules: dict[str, JsonValue] = {"rgb": rng.choice(([255, 0, 0], [0, 0, 255], [10, 20, 30]))}
    if rng.random() < 0.5:
        rules["original_rgb"] = rng.choice(([0, 255, 0], [255, 0, 0], None))
    return Case("evaluate_presentation_fill_to_rgb_distance", made.file(), rules)


def check_image_stretch_and_center(rng: random.Random) -> Case:
    limit = 457_200
    gold = Deck([Slide([Shape("pic", (0, 0, 10, 10)), Shape("line", (0, 0, 1, 1))])], picture=png((9, 9, 9)))
    width, height = gold.size
    off = [rng.choice((0, 0, 0, limit, limit + 1, -limit)) for _ in range(4)]
    found = copy.deepcopy(gold)
    found.slides[0].shapes = [Shape("pic", (off[0], off[1], width + off[2], height + off[3]))]
    if rng.random() < 0.1:
        found.picture = png((1, 1, 1))
    if rng.random() < 0.05:
        gold.slides[0].shapes.pop(0)
    return Case("check_image_stretch_and_center", found.file(), gold.file("e.pptx"))


def check_strikethrough(rng: random.Random) -> Case:
    made = Deck([Slide([Shape("auto", (0, 0, 1, 1), [
        Paragraph([Run("x", {"strike": "sngStrike"} if rng.random() < 0.8 else {}, bare=rng.random() < 0.1)])
        for _ in range(2)]) for _ in range(2)]) for _ in range(2)])  # fmt: skip

    def some() -> list[JsonValue]:
        return [*rng.sample((0, 1), rng.randrange(1, 3))] if rng.random() < 0.95 else [2]

    rules: dict[str, JsonValue] = {f"{name}_index_s": some() for name in ("slide", "shape", "paragraph")}
    return Case("check_strikethrough", made.file(), rules)


def check_transition(rng: random.Random) -> Case:
    kind = rng.choice(("<p:dissolve/>", "<p:fade/>", ""))
    made = deck(rng).file()
    part = "ppt/slides/slide1.xml"
    transition = f"<p:transition>{kind}</p:transition>" if rng.random() < 0.9 else ""
    changed = _edit(made, part, "</p:sld>", f"{transition}</p:sld>")
    rules: dict[str, JsonValue] = {"slide_idx": rng.choice((0, 0, 0, 7)), "transition_type": "dissolve"}
    return Case("check_transition", changed, rules)


def check_page_number_colors(rng: random.Random) -> Case:
    colours = [rng.choice(("FF0000", "0000FF", "00FF00", "000000", "323232", "F60000", "C80000", "123456", "333333"))
               for _ in range(rng.choice((1, 2, 3)))]  # fmt: skip
    fills = "".join(f"<a:x>{solid(colour)}</a:x>" for colour in colours)
    changed = _edit(deck(rng).file(), "ppt/slideMasters/slideMaster1.xml", "</p:sldMaster>", f"{fills}</p:sldMaster>")
    rules: dict[str, JsonValue] = {"color": rng.choice(("red", "blue", "green", "black", "yellow"))}
    return Case("check_page_number_colors", changed, rules)


def _edit(file: FileValue, part: str, old: str, new: str) -> FileValue:
    from trueline.tasks.checkers.archive import read_archive

    members: dict[str, str | bytes] = {**read_archive(file.content)}
    content = members[part]
    assert isinstance(content, bytes)
    return FileValue(file.name, archive({**members, part: content.decode().replace(old, new)}))


def check_left_panel(rng: random.Random) -> Case:
    name = rng.choice(("Slides View", "Slide View", "Slides View "))
    tree = f'<desktop-frame><application><document-frame name="{name}"/></application></desktop-frame>'
    return Case("check_left_panel", tree if rng.random() < 0.95 else "<broken", None, arguments=1)


GENERATORS: dict[str, Generator] = {
    make.__name__: make
    for make in (
        compare_pptx_files, moved_shapes, check_slide_orientation, evaluate_presentation_fill_to_rgb_distance,
        check_image_stretch_and_center, check_strikethrough, check_transition, check_page_number_colors,
        check_left_panel,
    )
}  # fmt: skip
