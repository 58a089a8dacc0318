"""Requests, responses and pages of the sites: plain data, without any network."""

from __future__ import annotations

import email.policy
import re
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from email import message_from_bytes
from html import escape
from html.parser import HTMLParser
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl, unquote, urlsplit

HTML = "text/html; charset=utf-8"
_MOST_FIELDS = 200
_SAFE = re.compile(r"[^\x20-\x7e]")


@dataclass(frozen=True)
class Upload:
    """A file of a form."""

    name: str
    content: bytes = field(repr=False)


@dataclass(frozen=True)
class SiteRequest:
    """What a browser asks for. Everything in it is hostile."""

    method: str
    path: str
    """Without the query, percent signs decoded."""
    query: Mapping[str, str] = field(default_factory=dict[str, str])
    form: Mapping[str, str] = field(default_factory=dict[str, str])
    files: Mapping[str, Upload] = field(default_factory=dict[str, Upload])
    cookies: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts of the path between slashes."""
        return tuple(part for part in self.path.split("/") if part)


@dataclass(frozen=True)
class Response:
    """What the site answers."""

    body: bytes
    status: int = 200
    content_type: str = HTML
    headers: tuple[tuple[str, str], ...] = ()


def parse_request(
    method: str, target: str, *, cookie: str = "", content_type: str = "", body: bytes = b""
) -> SiteRequest:
    """Make a request from the parts of one over HTTP; what cannot be read is left out."""
    try:
        parts = urlsplit(target)
    except ValueError:
        parts = urlsplit("/")
    form, files = _read_form(content_type, body)
    jar: SimpleCookie = SimpleCookie()
    try:
        jar.load(cookie)
    except CookieError:
        jar = SimpleCookie()
    return SiteRequest(
        method=method,
        path=unquote(parts.path) or "/",
        query=_fields(parts.query),
        form=form,
        files=files,
        cookies={name: morsel.value for name, morsel in jar.items()},
    )


def _fields(text: str) -> dict[str, str]:
    try:
        return dict(parse_qsl(text, keep_blank_values=True, max_num_fields=_MOST_FIELDS))
    except ValueError:
        return {}


def _read_form(content_type: str, body: bytes) -> tuple[dict[str, str], dict[str, Upload]]:
    kind = content_type.partition(";")[0].strip().lower()
    if kind == "application/x-www-form-urlencoded":
        return _fields(body.decode("utf-8", "replace")), {}
    if kind != "multipart/form-data":
        return {}, {}
    head = f"Content-Type: {_SAFE.sub('', content_type)}\r\n\r\n".encode()
    message = message_from_bytes(head + body, policy=email.policy.HTTP)
    form: dict[str, str] = {}
    files: dict[str, Upload] = {}
    for part in list(message.iter_parts())[:_MOST_FIELDS] if message.is_multipart() else ():
        name = part.get_param("name", header="content-disposition")
        content = part.get_payload(decode=True)
        if not isinstance(name, str) or not isinstance(content, bytes):
            continue
        file = part.get_filename()
        if file is None:
            form[name] = content.decode("utf-8", "replace")
        elif file:
            files[name] = Upload(file, content)
    return form, files


def redirect(to: str, *headers: tuple[str, str]) -> Response:
    """Send the browser to a path of the same site."""
    # A path that begins with two slashes would name another host.
    return Response(b"", 303, headers=(("Location", "/" + _SAFE.sub("", to).lstrip("/")), *headers))


def page(title: str, body: str, *, navigation: str = "", status: int = 200) -> Response:
    """A page around HTML that is already escaped; the title is text."""
    return Response(
        (
            "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'>"
            f"<title>{escape(title)}</title><style>{_STYLE}</style>"
            f"<body><nav>{navigation}</nav><main>{body}</main>"
        ).encode("utf-8", "replace"),
        status,
    )


_STYLE = (
    "body{font:17px/1.5 sans-serif;margin:0;color:#222}nav{background:#234;color:#fff;padding:.6em 1.5em}"
    "nav a,nav button{color:#fff;margin-right:1.2em}nav small{color:#ccc}"
    "nav form{display:inline}nav button{background:none;border:0;font:inherit}"
    "main{max-width:62em;margin:1em auto;padding:0 1.5em}pre{background:#f3f3f3;padding:.7em;white-space:pre-wrap}"
    "article,section{border-bottom:1px solid #ddd;padding:.6em 0}small{color:#666}"
    "textarea{width:100%;height:8em;font:inherit}"
    "input,button,select{font:inherit;padding:.25em}"
    "table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:.4em}"
)


def prose(text: str) -> str:
    """Text as HTML: paragraphs, and code between lines of three backticks."""
    pieces = text.replace("\r\n", "\n").split("```")
    shown: list[str] = []
    for place, piece in enumerate(pieces):
        if place % 2:
            first, newline, rest = piece.partition("\n")
            code = rest if newline and re.fullmatch(r"\w*", first.strip()) else piece
            shown.append(f"<pre><code>{escape(code.strip())}</code></pre>")
        else:
            blocks = (block.strip() for block in re.split(r"\n\s*\n", piece))
            shown += (f"<p>{escape(block).replace(chr(10), '<br>')}</p>" for block in blocks if block)
    return "".join(shown)


def shown_text(response: Response) -> str:
    """The text that a page shows."""
    reader = _Text()
    reader.feed(response.body.decode("utf-8", "replace"))
    reader.close()
    return "".join(reader.pieces)


class _Text(HTMLParser):
    """Collects text; what is no text of the page is left out."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self._inside: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002 - the parser's
        if tag in ("style", "script", "title"):
            self._inside.append(tag)
        elif tag in ("br", "p", "pre", "article", "section", "tr", "h1", "h2", "li"):
            self.pieces.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if self._inside and self._inside[-1] == tag:
            self._inside.pop()

    def handle_data(self, data: str) -> None:
        if not self._inside:
            self.pieces.append(data)


class Accounts:
    """Who may log in to a site, and who has."""

    def __init__(self, cookie: str) -> None:
        """The name of the cookie differs between sites: they share a host name, and cookies know no ports."""
        self.cookie = cookie
        self._passwords: dict[str, str] = {}
        self._sessions: dict[str, str] = {}

    def add(self, name: str, password: str) -> None:
        """Add an account, or change its password."""
        self._passwords[name] = password

    @property
    def names(self) -> tuple[str, ...]:
        """All accounts, in the order they were added."""
        return tuple(self._passwords)

    def user(self, request: SiteRequest) -> str | None:
        """Who sent a request; `None` if nobody is logged in."""
        return self._sessions.get(request.cookies.get(self.cookie, ""))

    def log_in(self, name: str, password: str) -> tuple[str, str] | None:
        """The header that logs a browser in; `None` if name and password do not fit."""
        if not name or self._passwords.get(name) != password:
            return None
        token = secrets.token_hex(16)
        self._sessions[token] = name
        return "Set-Cookie", f"{self.cookie}={token}; Path=/; HttpOnly; SameSite=Lax"

    def log_out(self, request: SiteRequest) -> tuple[str, str]:
        """Forget the session, and the header that makes the browser forget it."""
        self._sessions.pop(request.cookies.get(self.cookie, ""), None)
        return "Set-Cookie", f"{self.cookie}=; Path=/; Max-Age=0"

    def request_as(self, name: str, path: str, query: Mapping[str, str]) -> SiteRequest:
        """A request for a page as an account sees it."""
        token = secrets.token_hex(16)
        self._sessions[token] = name
        return SiteRequest("GET", path, query, cookies={self.cookie: token})


def login_page(site: str, action: str, *, wrong: bool = False) -> Response:
    """The form to log in with."""
    said = "<p role=alert>Wrong user name or password.</p>" if wrong else ""
    return page(
        f"{site}: log in",
        f"<h1>{escape(site)}</h1>{said}<form method=post action='{escape(action, quote=True)}'>"
        "<p><label>User name <input name=username autocomplete=username autofocus></label>"
        "<p><label>Password <input name=password type=password autocomplete=current-password></label>"
        "<p><button type=submit>Log in</button></form>",
        status=403 if wrong else 200,
    )


def not_found(site: str, navigation: str = "") -> Response:
    """The answer to a path that does not exist."""
    return page(
        f"{site}: not found", "<h1>Not found</h1><p>There is no such page.</p>", navigation=navigation, status=404
    )


def links(entries: Iterable[tuple[str, str]]) -> str:
    """Links from paths and labels."""
    return "".join(f"<a href='{escape(path, quote=True)}'>{escape(label)}</a>" for path, label in entries)


def log_out_form(user: str) -> str:
    """The button that logs out."""
    return f"<form method=post action='/logout'><small>{escape(user)}</small> <button>Log out</button></form>"
