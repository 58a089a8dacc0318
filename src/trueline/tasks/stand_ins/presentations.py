"""Presentations: .pptx and .odp with a title, bullets, notes, and here and there a picture, a table or a text box."""

from __future__ import annotations

from xml.sax.saxutils import escape

from trueline.tasks.stand_ins.content import Content
from trueline.tasks.stand_ins.office_open_xml import OFFICE, OfficeFile
from trueline.tasks.stand_ins.opendocument import open_document
from trueline.tasks.stand_ins.pictures import draw, encoded

_A = "http://schemas.openxmlformats.org/drawingml/2006"
_P = "http://schemas.openxmlformats.org/presentationml/2006/main"
_NS = f'xmlns:a="{_A}/main" xmlns:r="{OFFICE}" xmlns:p="{_P}"'
_TYPE = "application/vnd.openxmlformats-officedocument.presentationml"
SLIDES = 14
_TREE = (
    '<p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr><a:xfrm><a:off '
    'x="0" y="0"/>'
    '<a:ext cx="0" cy="0"/><a:chOff x="0" y="0"/><a:chExt cx="0" cy="0"/></a:xfrm></p:grpSpPr>'
)
_TITLE_AT, _BODY_AT = (457200, 274638, 8229600, 1143000), (457200, 1600200, 8229600, 3200400)
_PICTURE_AT, _TABLE_AT, _BOX_AT = (
    (5486400, 4800600, 2438400, 1524000),
    (457200, 4876800, 4572000, 1112520),
    (457200, 6172200, 4572000, 369332),
)
_NUMBER_AT = (6553200, 6356350, 2133600, 365125)
Place = tuple[int, int, int, int]


def pptx(content: Content) -> bytes:
    """A presentation of PowerPoint's."""
    package = OfficeFile()
    title = content.title()
    _add_masters(package)
    package.add_picture("ppt/media/image1.png", encoded(draw(content, (320, 200)), "png"))
    for number in range(1, SLIDES + 1):
        _add_slide(package, content, number)
    ids = "".join(f'<p:sldId id="{255 + number}" r:id="rId{number}"/>' for number in range(1, SLIDES + 1))
    package.add(
        "ppt/presentation.xml",
        f'<p:presentation {_NS}><p:sldMasterIdLst><p:sldMasterId id="2147483648" r:id="rId100"/></p:sldMasterIdLst>'
        f'<p:notesMasterIdLst><p:notesMasterId r:id="rId101"/></p:notesMasterIdLst><p:sldIdLst>{ids}</p:sldIdLst>'
        '<p:sldSz cx="9144000" cy="6858000" type="screen4x3"/><p:notesSz cx="6858000" cy="9144000"/></p:presentation>',
        f"{_TYPE}.presentation.main+xml",
    )
    relations = [(f"rId{number}", "slide", f"slides/slide{number}.xml") for number in range(1, SLIDES + 1)]
    relations += [("rId100", "slideMaster", "slideMasters/slideMaster1.xml"),
                  ("rId101", "notesMaster", "notesMasters/notesMaster1.xml"),
                  ("rId102", "theme", "theme/theme1.xml")]  # fmt: skip
    package.relate("ppt/presentation.xml", relations)
    return package.file("ppt/presentation.xml", title, content.person())


def _add_slide(package: OfficeFile, content: Content, number: int) -> None:
    opening = number == 1
    shapes = [_text(2, "Title 1", 'type="ctrTitle"' if opening else 'type="title"', [content.title()])]
    if opening:
        shapes.append(_text(3, "Subtitle 2", 'type="subTitle" idx="1"', [content.title()]))
    else:
        bullets = [content.words(content.number(4, 8)).capitalize() for _ in range(4)]
        shapes.append(_text(3, "Content Placeholder 2", 'idx="1"', bullets))
        if number % 3 == 0:
            shapes.append(_picture(4, _PICTURE_AT))
        if number % 4 == 0:
            shapes.append(_table(5, content, _TABLE_AT))
        if number % 5 == 0:
            shapes.append(_text(6, "TextBox 5", "", [content.sentence()], _BOX_AT, box=True))
    _add_page(package, f"ppt/slides/slide{number}.xml", "sld", shapes, "slide")
    layout = "slideLayout1" if opening else "slideLayout2"
    relations = [("rId1", "slideLayout", f"../slideLayouts/{layout}.xml"),
                 ("rId2", "notesSlide", f"../notesSlides/notesSlide{number}.xml")]  # fmt: skip
    if not opening and number % 3 == 0:
        relations.append(("rId3", "image", "../media/image1.png"))
    package.relate(f"ppt/slides/slide{number}.xml", relations)
    notes = [_text(2, "Notes Placeholder 1", 'type="body" idx="1"', [content.sentence(), content.sentence()])]
    _add_page(package, f"ppt/notesSlides/notesSlide{number}.xml", "notes", notes, "notesSlide")
    package.relate(
        f"ppt/notesSlides/notesSlide{number}.xml",
        [
            ("rId1", "notesMaster", "../notesMasters/notesMaster1.xml"),
            ("rId2", "slide", f"../slides/slide{number}.xml"),
        ],
    )


def _add_page(package: OfficeFile, path: str, tag: str, shapes: list[str], kind: str, rest: str = "") -> None:
    tree = f"<p:spTree>{_TREE}{''.join(shapes)}</p:spTree>"
    colours = "" if tag in ("sldMaster", "notesMaster") else "<p:clrMapOvr><a:masterClrMapping/></p:clrMapOvr>"
    background = (
        '<p:bg><p:bgPr><a:solidFill><a:srgbClr val="FFFFFF"/></a:solidFill><a:effectLst/></p:bgPr></p:bg>'
        if tag == "sldMaster"
        else ""
    )
    text = f"<p:{tag} {_NS}><p:cSld>{background}{tree}</p:cSld>{colours}{rest}</p:{tag}>"
    package.add(path, text, f"{_TYPE}.{kind}+xml")


def _frame(place: Place | None, tag: str = "a:xfrm") -> str:
    if place is None:
        return ""
    left, top, width, height = place
    return f'<{tag}><a:off x="{left}" y="{top}"/><a:ext cx="{width}" cy="{height}"/></{tag}>'


def _paragraph(text: str) -> str:
    return f'<a:p><a:r><a:rPr lang="en-US"/><a:t>{escape(text)}</a:t></a:r></a:p>'


def _text(
    number: int, name: str, placeholder: str, texts: list[str], place: Place | None = None, *, box: bool = False
) -> str:
    mark = f"<p:ph {placeholder}/>" if placeholder else ""
    geometry = '<a:prstGeom prst="rect"><a:avLst/></a:prstGeom>' if place else ""
    kind = '<p:cNvSpPr txBox="1"/>' if box else '<p:cNvSpPr><a:spLocks noGrp="1"/></p:cNvSpPr>'
    body = "".join(map(_paragraph, texts)) or "<a:p/>"
    return (
        f'<p:sp><p:nvSpPr><p:cNvPr id="{number}" name="{name}"/>{kind}<p:nvPr>{mark}</p:nvPr></p:nvSpPr>'
        f"<p:spPr>{_frame(place)}{geometry}</p:spPr><p:txBody><a:bodyPr/><a:lstStyle/>{body}</p:txBody></p:sp>"
    )


def _picture(number: int, place: Place) -> str:
    return (
        f'<p:pic><p:nvPicPr><p:cNvPr id="{number}" name="Picture {number - 1}"/><p:cNvPicPr/><p:nvPr/></p:nvPicPr>'
        '<p:blipFill><a:blip r:embed="rId3"/><a:stretch><a:fillRect/></a:stretch></p:blipFill>'
        f'<p:spPr>{_frame(place)}<a:prstGeom prst="rect"><a:avLst/></a:prstGeom></p:spPr></p:pic>'
    )


def _table(number: int, content: Content, place: Place) -> str:
    rows = "".join(
        '<a:tr h="370840">'
        + "".join(
            f"<a:tc><a:txBody><a:bodyPr/><a:lstStyle/>{_paragraph(str(cell))}</a:txBody><a:tcPr/></a:tc>"
            for cell in row[:3]
        )
        + "</a:tr>"
        for row in content.table(2)
    )
    grid = '<a:gridCol w="1524000"/>' * 3
    return (
        f'<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="{number}" name="Table {number - 1}"/><p:cNvGraphicFramePr/>'
        f'<p:nvPr/></p:nvGraphicFramePr>{_frame(place, "p:xfrm")}<a:graphic><a:graphicData uri="{_A}/table"><a:tbl>'
        "<a:tblPr "
        f'firstRow="1"/><a:tblGrid>{grid}</a:tblGrid>{rows}</a:tbl></a:graphicData></a:graphic></p:graphicFrame>'
    )


def _add_masters(package: OfficeFile) -> None:
    """The master, its two layouts, the master of the notes, and their themes."""
    colours = (
        '<p:clrMap bg1="lt1" tx1="dk1" bg2="lt2" tx2="dk2" accent1="accent1" accent2="accent2" accent3="accent3" '
        'accent4="accent4" accent5="accent5" accent6="accent6" hlink="hlink" folHlink="folHlink"/>'
    )
    level = '<a:lvl1pPr marL="342900" indent="-342900"><a:buChar char="•"/><a:defRPr sz="2400"/></a:lvl1pPr>'
    styles = (
        f'<p:txStyles><p:titleStyle><a:lvl1pPr algn="ctr"><a:defRPr sz="4000"/></a:lvl1pPr></p:titleStyle><p:bodyStyle>'
        f"{level}</p:bodyStyle><p:otherStyle/></p:txStyles>"
    )
    title = _text(2, "Title Placeholder 1", 'type="title"', ["Title"], _TITLE_AT)
    body = _text(3, "Text Placeholder 2", 'type="body" idx="1"', ["Text"], _BODY_AT)
    number = _text(4, "Slide Number Placeholder 3", 'type="sldNum" sz="quarter" idx="4"', ["1"], _NUMBER_AT)
    layouts = '<p:sldLayoutIdLst><p:sldLayoutId id="2147483649" r:id="rId1"/><p:sldLayoutId id="2147483650" r:id="rId2"/></p:sldLayoutIdLst>'  # noqa: E501
    master = "ppt/slideMasters/slideMaster1.xml"
    _add_page(package, master, "sldMaster", [title, body, number], "slideMaster", colours + layouts + styles)
    package.relate(master, [("rId1", "slideLayout", "../slideLayouts/slideLayout1.xml"),
                            ("rId2", "slideLayout", "../slideLayouts/slideLayout2.xml"),
                            ("rId3", "theme", "../theme/theme1.xml")])  # fmt: skip
    opening = [_text(2, "Title 1", 'type="ctrTitle"', [""], _TITLE_AT),
               _text(3, "Subtitle 2", 'type="subTitle" idx="1"', [""], _BODY_AT)]  # fmt: skip
    plain = [_text(2, "Title 1", 'type="title"', [""]), _text(3, "Content Placeholder 2", 'idx="1"', [""])]
    for place, shapes in ((1, opening), (2, plain)):
        path = f"ppt/slideLayouts/slideLayout{place}.xml"
        _add_page(package, path, "sldLayout", shapes, "slideLayout")
        package.relate(path, [("rId1", "slideMaster", "../slideMasters/slideMaster1.xml")])
    notes = [_text(2, "Notes Placeholder 1", 'type="body" idx="1"', [""], (685800, 4343400, 5486400, 4114800))]
    _add_page(package, "ppt/notesMasters/notesMaster1.xml", "notesMaster", notes, "notesMaster", colours)
    package.relate("ppt/notesMasters/notesMaster1.xml", [("rId1", "theme", "../theme/theme2.xml")])
    for place in (1, 2):
        package.add(f"ppt/theme/theme{place}.xml", _theme(), "application/vnd.openxmlformats-officedocument.theme+xml")


def _theme() -> str:
    names = ("dk1", "lt1", "dk2", "lt2", *(f"accent{place}" for place in range(1, 7)), "hlink", "folHlink")
    values = ("000000", "FFFFFF", "1F497D", "EEECE1", "4F81BD", "C0504D", "9BBB59", "8064A2", "4BACC6", "F79646",
              "0000FF", "800080")  # fmt: skip
    colours = "".join(
        f'<a:{name}><a:srgbClr val="{value}"/></a:{name}>' for name, value in zip(names, values, strict=True)
    )
    font = '<a:latin typeface="Calibri"/><a:ea typeface=""/><a:cs typeface=""/>'
    fill = '<a:solidFill><a:schemeClr val="phClr"/></a:solidFill>'
    effect = "<a:effectStyle><a:effectLst/></a:effectStyle>"
    return (
        f'<a:theme xmlns:a="{_A}/main" name="Plain"><a:themeElements><a:clrScheme name="Plain">{colours}</a:clrScheme>'
        f'<a:fontScheme name="Plain"><a:majorFont>{font}</a:majorFont><a:minorFont>{font}</a:minorFont></a:fontScheme>'
        f'<a:fmtScheme name="Plain"><a:fillStyleLst>{fill * 3}</a:fillStyleLst><a:lnStyleLst>'
        f"{f'<a:ln>{fill}</a:ln>' * 3}</a:lnStyleLst><a:effectStyleLst>{effect * 3}</a:effectStyleLst>"
        f"<a:bgFillStyleLst>{fill * 3}</a:bgFillStyleLst></a:fmtScheme></a:themeElements></a:theme>"
    )


def odp(content: Content) -> bytes:
    """An OpenDocument presentation."""
    pages = "".join(
        f'<draw:page draw:name="page{number}" draw:master-page-name="Default"><draw:frame svg:x="2cm" svg:y="2cm" '
        f'svg:width="21cm" svg:height="3cm"><draw:text-box><text:p>{escape(content.title())}</text:p></draw:text-box>'
        '</draw:frame><draw:frame svg:x="2cm" svg:y="6cm" svg:width="21cm" svg:height="10cm"><draw:text-box>'
        f"{''.join(f'<text:p>{escape(content.sentence())}</text:p>' for _ in range(3))}</draw:text-box></draw:frame>"
        "</draw:page>"
        for number in range(1, SLIDES + 1)
    )
    styles = (
        '<office:automatic-styles><style:page-layout style:name="PL"><style:page-layout-properties '
        'fo:page-width="25.4cm" fo:page-height="19.05cm"/></style:page-layout></office:automatic-styles>'
        "<office:master-styles>"
        '<style:master-page style:name="Default" style:page-layout-name="PL"/></office:master-styles>'
    )
    return open_document("presentation", f"<office:presentation>{pages}</office:presentation>", styles)
