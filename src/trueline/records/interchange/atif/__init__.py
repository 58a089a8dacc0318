"""ATIF: one JSON document per trajectory, pictures in files beside it."""

from trueline.records.interchange.atif.from_atif import find_documents, import_atif, is_document
from trueline.records.interchange.atif.to_atif import export_atif

__all__ = ["export_atif", "find_documents", "import_atif", "is_document"]
