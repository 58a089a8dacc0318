"""Text documents: .docx and .odt with headings, paragraphs, a list, two tables, a picture and a footer."""

from __future__ import annotations

from xml.sax.saxutils import escape

from trueline.tasks.stand_ins.content import Content
from trueline.tasks.stand_ins.office_open_xml import OFFICE, OfficeFile
from trueline.tasks.stand_ins.opendocument import open_document
from trueline.tasks.stand_ins.pictures import draw, encoded

_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml"
_A = "http://schemas.openxmlformats.org/drawingml/2006"
_CHAPTERS = 4
_EMU = 9525
"""Per pixel."""
_BASED = '<w:basedOn w:val="Normal"/>'
_FONT = '<w:rFonts w:ascii="Liberation Serif" w:hAnsi="Liberation Serif"/>'
_STYLES = (
    ("Normal", "Normal", f'<w:rPr>{_FONT}<w:sz w:val="24"/></w:rPr>'),
    ("Title", "Title", f'{_BASED}<w:pPr><w:jc w:val="center"/></w:pPr><w:rPr><w:sz w:val="44"/></w:rPr>'),
    (
        "Heading1",
        "heading 1",
        f'{_BASED}<w:pPr><w:outlineLvl w:val="0"/></w:pPr><w:rPr><w:b/><w:sz w:val="32"/></w:rPr>',
    ),
    ("ListParagraph", "List Paragraph", f'{_BASED}<w:pPr><w:ind w:left="720"/></w:pPr>'),
    ("Footer", "footer", _BASED),
)


def docx(content: Content) -> bytes:
    """A document of Word's."""
    package = OfficeFile()
    title, author = content.title(), content.person()
    image = draw(content, (320, 200))
    body = [_paragraph(title, "Title")]
    for chapter in range(_CHAPTERS):
        body.append(_paragraph(content.title(), "Heading1"))
        body += [_paragraph(content.paragraph()) for _ in range(4)]
        if chapter == 0:
            body += [_paragraph(content.words(4).capitalize(), "ListParagraph") for _ in range(4)]
        elif chapter == 1:
            body.append(f"<w:p><w:r>{_drawing(*image.size)}</w:r></w:p>")
        else:
            body += [_table(content), _paragraph("")]
    section = (
        '<w:sectPr><w:footerReference w:type="default" r:id="rId2"/><w:pgSz w:w="12240" w:h="15840"/><w:pgMar '
        'w:top="1440" w:right="1440" w:bottom="1440" w:left="1440" w:header="720" w:footer="720" '
        'w:gutter="0"/></w:sectPr>'
    )
    package.add(
        "word/document.xml",
        f'<w:document xmlns:w="{_W}" xmlns:r="{OFFICE}"><w:body>{"".join(body)}{section}</w:body></w:document>',
        f"{_WORD}.document.main+xml",
    )
    styles = "".join(
        f'<w:style w:type="paragraph" w:default="{int(id == "Normal")}" w:styleId="{id}"><w:name w:val="{name}"/>{rest}'
        "</w:style>"
        for id, name, rest in _STYLES
    )
    package.add("word/styles.xml", f'<w:styles xmlns:w="{_W}">{styles}</w:styles>', f"{_WORD}.styles+xml")
    footer = f'<w:ftr xmlns:w="{_W}">{_paragraph(title, "Footer")}</w:ftr>'
    package.add("word/footer1.xml", footer, f"{_WORD}.footer+xml")
    package.add_picture("word/media/image1.png", encoded(image, "png"))
    package.relate("word/document.xml", [("rId1", "styles", "styles.xml"), ("rId2", "footer", "footer1.xml"),
                                         ("rId3", "image", "media/image1.png")])  # fmt: skip
    return package.file("word/document.xml", title, author)


def _paragraph(text: str, style: str = "Normal") -> str:
    run = f'<w:r><w:t xml:space="preserve">{escape(text)}</w:t></w:r>' if text else ""
    return f'<w:p><w:pPr><w:pStyle w:val="{style}"/></w:pPr>{run}</w:p>'


def _table(content: Content) -> str:
    rows = content.table(6)
    line = '<w:{0} w:val="single" w:sz="4" w:space="0" w:color="000000"/>'
    borders = "".join(line.format(side) for side in ("top", "left", "bottom", "right", "insideH", "insideV"))
    made = "".join(
        "<w:tr>"
        + "".join(
            f'<w:tc><w:tcPr><w:tcW w:w="2300" w:type="dxa"/></w:tcPr>{_paragraph(str(cell))}</w:tc>' for cell in row[:4]
        )
        + "</w:tr>"
        for row in rows
    )
    grid = '<w:gridCol w:w="2300"/>' * 4
    properties = f'<w:tblW w:w="0" w:type="auto"/><w:tblBorders>{borders}</w:tblBorders>'
    return f"<w:tbl><w:tblPr>{properties}</w:tblPr><w:tblGrid>{grid}</w:tblGrid>{made}</w:tbl>"


def _drawing(width: int, height: int) -> str:
    extent = f'cx="{width * _EMU}" cy="{height * _EMU}"'
    return (
        f'<w:drawing><wp:inline xmlns:wp="{_A}/wordprocessingDrawing" distT="0" distB="0" distL="0" distR="0">'
        f'<wp:extent {extent}/><wp:docPr id="1" name="Picture 1"/><a:graphic xmlns:a="{_A}/main"><a:graphicData '
        f'uri="{_A}/picture"><pic:pic xmlns:pic="{_A}/picture"><pic:nvPicPr><pic:cNvPr id="1" name="image1.png"/>'
        '<pic:cNvPicPr/></pic:nvPicPr><pic:blipFill><a:blip r:embed="rId3"/><a:stretch><a:fillRect/></a:stretch>'
        f'</pic:blipFill><pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext {extent}/></a:xfrm><a:prstGeom prst="rect">'
        "<a:avLst/></a:prstGeom></pic:spPr></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing>"
    )


def odt(content: Content) -> bytes:
    """An OpenDocument text."""
    body = f'<text:h text:outline-level="1">{escape(content.title())}</text:h>'
    body += "".join(f"<text:p>{escape(content.paragraph())}</text:p>" for _ in range(12))
    return open_document("text", f"<office:text>{body}</office:text>")
