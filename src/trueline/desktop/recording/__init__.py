"""Recording a screen: frames are kept as they come; a video and a contact sheet are made at the end."""

from trueline.desktop.recording.contact_sheet import contact_sheet
from trueline.desktop.recording.record import make_film, record

__all__ = ["contact_sheet", "make_film", "record"]
