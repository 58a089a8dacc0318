"""What an action hits on the screen."""

from __future__ import annotations

from dataclasses import dataclass

from trueline.guard.policy.folding import key

EDITABLE_ROLES = frozenset(
    {"entry", "text", "password-text", "textbox", "searchbox", "text-area", "spin-button", "terminal"}
)
"""Roles that take typed text; documents do so when they say that they are editable."""
BUTTON_ROLES = frozenset({
    "push-button", "button", "toggle-button", "menu-item", "check-menu-item", "radio-menu-item", "link", "check-box",
    "radio-button", "switch", "push-button-menu", "split-button", "page-tab", "icon",
})  # fmt: skip
INERT_ROLES = frozenset({
    "article", "block-quote", "caption", "definition", "description-list", "desktop-frame", "document-email",
    "document-frame", "document-text", "document-web", "filler", "footer", "form", "frame", "grouping", "header",
    "heading", "image", "internal-frame", "label", "landmark", "layered-pane", "list", "log", "mark", "page", "panel",
    "paragraph", "redundant-object", "root-pane", "scroll-pane", "section", "separator", "split-pane", "static",
    "status-bar", "table", "table-column-header", "table-row", "table-row-header", "time", "viewport",
})  # fmt: skip
"""Nothing happens when the pointer goes over one of these, and a wheel only scrolls it."""
_BARE_ROLES = frozenset({
    "", "alert", "application", "canvas", "desktop-frame", "dialog", "document-frame", "document-web", "drawing-area",
    "embedded", "filler", "form", "frame", "glass-pane", "grouping", "html-container", "internal-frame", "landmark",
    "layered-pane", "panel", "redundant-object", "root-pane", "scroll-pane", "section", "split-pane", "unknown",
    "viewport", "window",
})  # fmt: skip
"""Roles of elements whose drawn content the tree does not describe."""
_SCROLLS_ONLY = INERT_ROLES | {"link", "list-item", "table-cell", "tree-item", "tree", "tree-table"}

_SEVERAL_LINES = frozenset({"multi_line", "multi-line"})
"""OSWorld's spelling, and AT-SPI's own."""
TERMINAL_APPS = frozenset({
    "xfce4-terminal", "gnome-terminal", "gnome-terminal-server", "xterm", "konsole", "kitty", "alacritty", "terminator",
    "tilix", "lxterminal", "mate-terminal", "terminal", "uxterm", "qterminal", "ptyxis",
})  # fmt: skip
_RUN_BOXES = frozenset({"xfce4-appfinder", "gmrun", "xfrun4", "lxpanel-run", "grun"})
"""Their only field takes a command to run."""
_BROWSERS = ("chrom", "firefox", "brave", "edge", "opera", "vivaldi", "epiphany", "safari", "falkon", "navigator")
_MAILERS = ("thunderbird", "evolution", "geary", "kmail", "mail", "outlook", "claws")
DESKTOPS = ("xfdesktop", "desktop_window", "nautilus-desktop", "plasmashell", "caja-desktop", "pcmanfm-desktop")
"""They draw the background."""
_FILE_MANAGERS = ("thunar", "nautilus", "nemo", "caja", "dolphin", "pcmanfm", "files", "explorer", "finder")
_ADDRESS_BARS = (
    "address",
    "search or enter",
    "enter address",
    "adress",
    "adresse",
    "dirección",
    "direcciones",
    "indirizzo",
    "endereço",
    "url",
)
_BROWSERS_OWN_WORDS = frozenset({
    "address and search bar", "search with google or enter address", "search or enter address",
    "enter search terms and address", "adress- und suchleiste", "mit google suchen oder adresse eingeben",
    "barre d'adresse et de recherche", "barra de direcciones y de búsqueda", "barra degli indirizzi e di ricerca",
    "barra de endereço e de pesquisa",
})  # fmt: skip
"""Names of address bars, for screens of which it is not known what belongs to which application."""
_RECIPIENT_FIELDS = frozenset({
    "to", "cc", "bcc", "to:", "cc:", "bcc:", "recipients", "an", "an:", "kopie", "blindkopie", "à", "para", "aan", "a",
})  # fmt: skip


@dataclass(frozen=True)
class Target:
    """One element and its place. Everything here comes from applications and is untrusted."""

    role: str
    name: str = ""
    text: str = ""
    window: str = ""
    app: str = ""
    dialog: str = ""
    """The text of the dialog or alert around it."""
    url: str = ""
    states: frozenset[str] = frozenset()
    in_page: bool = False
    """It is part of a web page (or of an application made of one), not of the program around it."""
    sure: bool = True
    """False when several windows lie over each other there and the tree does not say which is on top."""
    by_ocr: bool = False
    """It is only a text that OCR read; its element is unknown."""

    @property
    def label(self) -> str:
        """Its name, or its text when it has none."""
        return self.name or self.text

    @property
    def place(self) -> tuple[str, str, str]:
        """Identifies the element across screens; a terminal's title changes, so it is left out."""
        return (self.role, "" if self.is_terminal else self.name, self.app)

    @property
    def is_terminal(self) -> bool:
        """Enter runs what is typed here."""
        named = self.role in EDITABLE_ROLES and self.name.casefold().startswith("terminal")
        in_editor = named and not (self.in_browser and self.in_page)
        runs = self.role in EDITABLE_ROLES and self.app.casefold() in _RUN_BOXES
        return (
            self.role == "terminal" or in_editor or runs or (self.in_terminal and self.role in ("", "text", "unknown"))
        )

    @property
    def is_editable(self) -> bool:
        """Takes typed text."""
        return self.role in EDITABLE_ROLES or "editable" in self.states or self.is_terminal

    @property
    def is_button(self) -> bool:
        """Enter and Space press it."""
        return self.role in BUTTON_ROLES

    @property
    def is_document(self) -> bool:
        """Takes several lines: Enter only begins a new one, Tab is a character."""
        lines = (
            not self.states.isdisjoint(_SEVERAL_LINES)
            or self.role.startswith(("document", "paragraph"))
            or self.role in ("text", "text-area")
        )
        return self.is_editable and lines and not self.is_terminal

    @property
    def is_address_bar(self) -> bool:
        """Enter opens what is typed here."""
        if self.role not in ("entry", "textbox", "searchbox") or self.in_page:
            return False
        name = key(self.name)
        if not self.app:
            return name in _BROWSERS_OWN_WORDS
        return self.in_browser and any(word in name for word in _ADDRESS_BARS)

    @property
    def is_recipient_field(self) -> bool:
        """Addresses typed here are written to."""
        return key(self.name) in _RECIPIENT_FIELDS and self.is_editable

    @property
    def in_terminal(self) -> bool:
        """Belongs to a terminal."""
        return self.app.casefold() in TERMINAL_APPS

    @property
    def in_browser(self) -> bool:
        """Belongs to a web browser."""
        return self.app.casefold().startswith(_BROWSERS)

    @property
    def in_mail(self) -> bool:
        """Belongs to a mail program."""
        return self.app.casefold().startswith(_MAILERS)

    @property
    def in_file_manager(self) -> bool:
        """Belongs to a file manager."""
        return self.app.casefold().startswith(_FILE_MANAGERS)

    @property
    def is_inert(self) -> bool:
        """The pointer may rest on it without any effect."""
        return self.role in INERT_ROLES and "editable" not in self.states

    @property
    def is_bare(self) -> bool:
        """The tree does not describe what is drawn there: a canvas, a frame, a nameless element, the background."""
        unnamed = not self.label and not self.is_editable
        return self.role in _BARE_ROLES or unnamed or self.app.casefold().startswith(DESKTOPS)

    @property
    def only_scrolls(self) -> bool:
        """The wheel changes no value here."""
        return self.role in _SCROLLS_ONLY

    def __str__(self) -> str:
        if self.by_ocr:
            return f"the text {self.label!r} (read by OCR)"
        where = ", ".join(part for part in (f"window {self.window!r}" if self.window else "", self.app) if part)
        return f"{self.role or 'something'} {self.label!r}" + (f" ({where})" if where else "")


TERMINAL = Target("terminal", app="terminal")
"""A terminal that was opened by a shortcut and is not on any screen yet."""
ADDRESS_BAR = Target("entry", "address bar", app="firefox")
"""A browser's address field that was reached by a shortcut."""
RUN_BOX = Target("terminal", "run", app="launcher")
"""The desktop's "run a command" field."""
