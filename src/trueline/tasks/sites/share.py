"""The file share: folders of accounts, upload, preview and sharing, in the place of an ownCloud."""

from __future__ import annotations

import mimetypes
from dataclasses import dataclass, field
from html import escape
from urllib.parse import quote

from trueline.tasks.sites.web import (
    Accounts,
    Response,
    SiteRequest,
    links,
    log_out_form,
    login_page,
    not_found,
    page,
    prose,
    redirect,
)

NAME = "Files"
FILES = "/index.php/apps/files/"
PREVIEW = "/index.php/apps/preview/"
_LARGEST = 16 << 20
_MOST = 500
_VIEWS = {"files": "All files", "sharingin": "Shared with you", "sharingout": "Shared with others"}
_SHOWN = ("image/png", "image/jpeg", "image/gif", "application/pdf")
"""Types that the browser shows itself; everything else is a download, so that no page is made of a file."""


@dataclass
class SharedFile:
    """A file and who it is shared with."""

    name: str
    content: bytes = field(repr=False)
    text: str | None = None
    """What its preview shows; `None`: the file itself."""
    shared_by: str = ""
    """Who shared it with the owner."""
    shared_with: list[str] = field(default_factory=list[str])


class FileShare:
    """The site's state, and what it answers."""

    def __init__(self) -> None:
        self.accounts = Accounts("share_session")
        self.files: dict[str, dict[str, SharedFile]] = {}
        """By account and name."""

    def put(self, user: str, file: SharedFile) -> None:
        """Add a file to an account, or replace the one of its name."""
        self.files.setdefault(user, {})[file.name] = file

    def preview_path(self, name: str) -> str:
        """The path of a file's preview."""
        return f"{PREVIEW}{quote(name, safe='')}"

    def answer(self, request: SiteRequest) -> Response:
        """Answer a request."""
        user = self.accounts.user(request)
        match request.method, request.parts:
            case "POST", ("login",):
                logged_in = self.accounts.log_in(request.form.get("username", ""), request.form.get("password", ""))
                return login_page(NAME, "/login", wrong=True) if logged_in is None else redirect(FILES, logged_in)
            case "POST", ("logout",):
                return redirect("/", self.accounts.log_out(request))
            case _ if user is None:
                return login_page(NAME, "/login")
            case "GET", () | ("index.php",) | ("index.php", "apps", "files"):
                return self._list(user, request.query.get("view", "files"))
            case "POST", ("upload",):
                return self._upload(user, request)
            case "POST", ("new",):
                return self._write(user, request)
            case method, (*_, name) if (file := self.files.get(user, {}).get(name)) is not None:
                return self._file(user, file, method, request)
            case _:
                return not_found(NAME, _navigation(user))

    def _file(self, user: str, file: SharedFile, method: str, request: SiteRequest) -> Response:
        match method, request.parts[:-1]:
            case "GET", ("index.php", "apps", "preview"):
                return self._preview(user, file)
            case "GET", ("remote.php", "webdav"):
                return _raw(file)
            case "POST", ("share",):
                name = request.form.get("with", "").strip()[:100]
                if name and name not in file.shared_with:
                    file.shared_with.append(name)
                    copy = SharedFile(file.name, file.content, file.text, shared_by=user)
                    self.files.setdefault(name, {}).setdefault(file.name, copy)
                return redirect(f"{FILES}?dir=/&view=sharingout")
            case "POST", ("delete",):
                del self.files[user][file.name]
                return redirect(FILES)
            case _:
                return not_found(NAME, _navigation(user))

    def _upload(self, user: str, request: SiteRequest) -> Response:
        file = request.files.get("file")
        # A browser may send the whole path.
        return (
            self._add(user, file.name.replace("\\", "/").rpartition("/")[2], file.content) if file else redirect(FILES)
        )

    def _write(self, user: str, request: SiteRequest) -> Response:
        return self._add(user, request.form.get("name", ""), request.form.get("content", "").encode())

    def _add(self, user: str, name: str, content: bytes) -> Response:
        name = "".join(letter for letter in name.strip()[:120] if letter.isprintable() and letter != "/")
        full = len(self.files.get(user, {})) >= _MOST
        if not name.strip(".") or full or len(content) > _LARGEST:
            return redirect(FILES)
        text = None if _type_of(name) in _SHOWN or b"\0" in content else content.decode("utf-8", "replace")
        self.put(user, SharedFile(name, content, text))
        return redirect(FILES)

    def _list(self, user: str, view: str) -> Response:
        files = list(self.files.get(user, {}).values())
        match view:
            case "sharingin":
                files = [file for file in files if file.shared_by]
            case "sharingout":
                files = [file for file in files if file.shared_with]
            case _:
                view = "files"
        rows = "".join(self._row(file) for file in files)
        new = (
            "<h2>Upload</h2><form method=post action='/upload' enctype='multipart/form-data'>"
            "<label>File <input type=file name=file></label> <button>Upload</button></form>"
            "<h2>New text file</h2><form method=post action='/new'><p><label>Name <input name=name></label>"
            "<p><label>Content <textarea name=content></textarea></label><p><button>Create</button></form>"
        )
        title = _VIEWS[view]
        table = f"<table><tr><th>Name<th>Shared<th>{rows}</table>" if rows else "<p>No files here."
        return page(title, f"<h1>{title}</h1>{table}{new if view == 'files' else ''}", navigation=_navigation(user))

    def _row(self, file: SharedFile) -> str:
        name = quote(file.name, safe="")
        shared = f"by {escape(file.shared_by)}" if file.shared_by else escape(", ".join(file.shared_with))
        return (
            f"<tr><td><a href='{self.preview_path(file.name)}'>{escape(file.name)}</a><td>{shared}"
            f"<td><a href='/remote.php/webdav/{name}' download>Download</a>"
            f"<form method=post action='/share/{name}'>"
            f"<input name=with aria-label='Share with' placeholder='user name'>"
            f"<button>Share</button></form>"
            f"<form method=post action='/delete/{name}'><button>Delete</button></form>"
        )

    def _preview(self, user: str, file: SharedFile) -> Response:
        path = f"/remote.php/webdav/{quote(file.name, safe='')}"
        if file.text is not None:
            shown = prose(file.text)
        elif _type_of(file.name).startswith("image/"):
            shown = f"<img src='{path}' alt='{escape(file.name, quote=True)}' style='max-width:100%'>"
        elif _type_of(file.name) in _SHOWN:
            shown = (
                f"<iframe src='{path}' title='{escape(file.name, quote=True)}' style='width:100%;height:75vh'></iframe>"
            )
        else:
            shown = "<p>There is no preview of this file."
        body = f"<h1>{escape(file.name)}</h1><p><a href='{path}' download>Download</a></p>{shown}"
        return page(file.name, body, navigation=_navigation(user))


def _raw(file: SharedFile) -> Response:
    kind = _type_of(file.name)
    where = "inline" if kind in _SHOWN else "attachment"
    headers = (
        ("Content-Disposition", f"{where}; filename*=UTF-8''{quote(file.name, safe='')}"),
        ("X-Content-Type-Options", "nosniff"),
    )
    return Response(file.content, 200, kind if kind in _SHOWN else "application/octet-stream", headers)


def _type_of(name: str) -> str:
    return mimetypes.guess_type(name)[0] or "application/octet-stream"


def _navigation(user: str | None) -> str:
    entries = [(f"{FILES}?dir=/&view={view}", label) for view, label in _VIEWS.items()]
    return links(entries) + (log_out_form(user) if user else "")
