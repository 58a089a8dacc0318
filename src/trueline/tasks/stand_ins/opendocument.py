"""OpenDocument packages."""

from __future__ import annotations

from trueline.tasks.stand_ins.packing import zip_file

_NS = "urn:oasis:names:tc:opendocument:xmlns"
_PREFIXES = {
    "office": f"{_NS}:office:1.0", "text": f"{_NS}:text:1.0", "table": f"{_NS}:table:1.0", "style": f"{_NS}:style:1.0",
    "draw": f"{_NS}:drawing:1.0", "presentation": f"{_NS}:presentation:1.0", "svg": f"{_NS}:svg-compatible:1.0",
    "fo": f"{_NS}:xsl-fo-compatible:1.0",
}  # fmt: skip
_DECLARED = " ".join(f'xmlns:{prefix}="{uri}"' for prefix, uri in _PREFIXES.items())
_XML = '<?xml version="1.0" encoding="UTF-8"?>\n'


def open_document(kind: str, body: str, styles: str = "") -> bytes:
    """A file of this kind: `text`, `spreadsheet` or `presentation`.

    Args:
        kind: The last part of its media type.
        body: The element inside `office:body`.
        styles: What goes into `styles.xml`.
    """
    media = f"application/vnd.oasis.opendocument.{kind}"
    entries = "".join(
        f'<manifest:file-entry manifest:full-path="{path}" manifest:media-type="{type}"/>'
        for path, type in (("/", media), ("content.xml", "text/xml"), ("styles.xml", "text/xml"))
    )
    texts = {
        "mimetype": media,
        "content.xml": f"{_XML}<office:document-content {_DECLARED} "
        f'office:version="1.2"><office:body>{body}</office:body>'
        "</office:document-content>",
        "styles.xml": f"{_XML}<office:document-styles {_DECLARED} "
        f'office:version="1.2">{styles}</office:document-styles>',
        "META-INF/manifest.xml": f'{_XML}<manifest:manifest xmlns:manifest="{_NS}:manifest:1.0" manifest:version="1.2">'
        f"{entries}</manifest:manifest>",
    }
    return zip_file({name: text.encode() for name, text in texts.items()}, stored="mimetype")
