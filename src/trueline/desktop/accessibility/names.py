"""What AT-SPI's numbers for roles, states and interfaces mean. The words are those of OSWorld's XML."""

from __future__ import annotations

from functools import lru_cache

A11Y = "org.a11y.atspi."

_ROLES = """
invalid, accelerator label, alert, animation, arrow, calendar, canvas, check box, check menu item, color chooser,
column header, combo box, date editor, desktop icon, desktop frame, dial, dialog, directory pane, drawing area,
file chooser, filler, focus traversable, font chooser, frame, glass pane, html container, icon, image, internal frame,
label, layered pane, list, list item, menu, menu bar, menu item, option pane, page tab, page tab list, panel,
password text, popup menu, progress bar, push button, radio button, radio menu item, root pane, row header, scroll bar,
scroll pane, separator, slider, spin button, split pane, status bar, table, table cell, table column header,
table row header, tear off menu item, terminal, text, toggle button, tool bar, tool tip, tree, tree table, unknown,
viewport, window, extended, header, footer, paragraph, ruler, application, autocomplete, editbar, embedded,
entry, chart, caption, document frame, heading, page, section, redundant object, form, link, input method window,
table row, tree item, document spreadsheet, document presentation, document text, document web, document email,
comment, list box, grouping, image map, notification, info bar, level bar, title bar, block quote, audio, video,
definition, article, landmark, log, marquee, math, rating, timer, static, math fraction, math root, subscript,
superscript, description list, description term, description value, footnote, content deletion, content insertion,
mark, suggestion, push button menu
"""
ROLES = tuple(word.strip().replace(" ", "-") for word in _ROLES.split(","))

UNKNOWN_ROLES = frozenset((ROLES.index("invalid"), ROLES.index("unknown"), ROLES.index("extended")))
"""Numbers that say nothing: the application may have a word of its own."""

_STATES = """
invalid active armed busy checked collapsed defunct editable enabled expandable expanded focusable focused has_tooltip
horizontal iconified modal multi_line multiselectable opaque pressed resizable selectable selected sensitive showing
single_line stale transient vertical visible manages_descendants indeterminate required truncated animated
invalid_entry supports_autocompletion selectable_text is_default visited checkable has_popup read_only
"""
STATES = tuple(_STATES.split())

SHOWING = 1 << STATES.index("showing")
ON_SCREEN = SHOWING | 1 << STATES.index("visible")
DEFUNCT = 1 << STATES.index("defunct")


def role_name(number: int) -> str:
    """The role as OSWorld writes it."""
    return ROLES[number] if 0 <= number < len(ROLES) else "unknown"


@lru_cache(maxsize=4096)
def state_names(bits: int) -> frozenset[str]:
    """The states whose bits are set."""
    return frozenset(name for number, name in enumerate(STATES) if bits >> number & 1)
