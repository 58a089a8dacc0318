"""The forum: threads, comments and replies, in the place of a Postmill."""

from __future__ import annotations

import hashlib
import re
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

NAME = "Forum"
_LONGEST = 20_000
_AUTHORS = ("quiet_river", "mapleleaf88", "tinkerer_jo", "nadia_codes", "old_keyboard", "fernweh42")
_REMARKS = (
    "Thanks for sharing this, I will give it a try at the weekend.",
    "Works fine for me so far. Took a minute to find the right place in the documentation.",
    "Has anybody compared this with the usual way of doing it?",
    "Nice write-up. The short version in the comments is what most people need.",
)


@dataclass
class Comment:
    """One comment."""

    id: str
    author: str
    body: str
    parent: str = ""
    """The comment it replies to; empty for the thread itself."""


@dataclass
class Thread:
    """A submission and its comments."""

    forum: str
    id: str
    slug: str
    title: str
    author: str
    body: str
    comments: list[Comment] = field(default_factory=list[Comment])

    @property
    def path(self) -> str:
        """The path of its page."""
        return f"/f/{quote(self.forum, safe='')}/{quote(self.id, safe='')}/{quote(self.slug, safe='')}"


class Forum:
    """The site's state, and what it answers."""

    def __init__(self) -> None:
        self.accounts = Accounts("forum_session")
        self.threads: dict[str, Thread] = {}
        self._next = 9_000_000

    def add_thread(self, forum: str, id_: str, slug: str) -> Thread:
        """The thread of an address, made up from its words if there is none yet."""
        if id_ not in self.threads:
            words = re.sub(r"[-_]+", " ", slug).strip() or forum
            seed = int(hashlib.sha256(f"{forum}\0{id_}".encode()).hexdigest(), 16)
            author = _AUTHORS[seed % len(_AUTHORS)]
            thread = Thread(forum, id_, slug, words[:1].upper() + words[1:], author, f"{words[:1].upper()}{words[1:]}.")
            for place in range(2):
                speaker = _AUTHORS[(seed + place + 1) % len(_AUTHORS)]
                remark = _REMARKS[(seed + place) % len(_REMARKS)]
                thread.comments.append(Comment(f"{id_}{place}", speaker, remark))
            self.threads[id_] = thread
        return self.threads[id_]

    def comment(self, id_: str) -> Comment | None:
        """The comment with this number."""
        return next((one for thread in self.threads.values() for one in thread.comments if one.id == id_), None)

    def answer(self, request: SiteRequest) -> Response:
        """Answer a request."""
        user = self.accounts.user(request)
        match request.method, request.parts:
            case "GET", ("login",):
                return login_page(NAME, "/login_check")
            case "POST", ("login_check",):
                logged_in = self.accounts.log_in(request.form.get("username", ""), request.form.get("password", ""))
                return login_page(NAME, "/login_check", wrong=True) if logged_in is None else redirect("/", logged_in)
            case "POST", ("logout",):
                return redirect("/", self.accounts.log_out(request))
            case "GET", ():
                return self._list("", user)
            case "GET", ("f", forum):
                return self._list(forum, user)
            case "GET", ("f", forum, id_, *slug):
                return self._thread(self.add_thread(forum, id_, "/".join(slug)), user)
            case "GET", ("submit",):
                return self._submit_form(user)
            case "POST", _ if user is None:
                return redirect("/login")
            case "POST", ("submit",):
                return self._submit(request, user or "")
            case "POST", ("comment", id_) if id_ in self.threads:
                return self._reply(self.threads[id_], request, user or "")
            case _:
                return not_found(NAME, self._navigation(user))

    def _navigation(self, user: str | None) -> str:
        start = links((("/", NAME),))
        return start + (
            links((("/submit", "Submit"),)) + log_out_form(user) if user else links((("/login", "Log in"),))
        )

    def _list(self, forum: str, user: str | None) -> Response:
        threads = [thread for thread in self.threads.values() if forum in ("", thread.forum)]
        rows = "".join(
            f"<article><a href='{thread.path}'>{escape(thread.title)}</a><br>"
            f"<small>{_byline(thread)}, {len(thread.comments)} comments</small></article>"
            for thread in threads
        )
        title = f"/f/{forum}" if forum else "All forums"
        return page(
            title, f"<h1>{escape(title)}</h1>{rows or '<p>Nothing here yet.'}", navigation=self._navigation(user)
        )

    def _thread(self, thread: Thread, user: str | None) -> Response:
        shown = "".join(self._comment(thread, one, user) for one in thread.comments if not one.parent)
        body = (
            f"<article><h1>{escape(thread.title)}</h1><small>{_byline(thread)}</small>"
            f"{prose(thread.body)}</article><h2>Comments</h2>{shown}{_reply_form(thread, '', user)}"
        )
        return page(thread.title, body, navigation=self._navigation(user))

    def _comment(self, thread: Thread, one: Comment, user: str | None, depth: int = 0) -> str:
        inner = [reply for reply in thread.comments if reply.parent == one.id]
        shown = "".join(self._comment(thread, reply, user, depth + 1) for reply in inner) if depth < 50 else ""
        form = f"<details><summary>Reply</summary>{_reply_form(thread, one.id, user)}</details>" if user else ""
        return (
            f"<section id='comment-{escape(one.id, quote=True)}' style='margin-left:{min(depth, 8)}em'>"
            f"<small>{escape(one.author)}</small>{prose(one.body)}{form}</section>{shown}"
        )

    def _submit_form(self, user: str | None) -> Response:
        if user is None:
            return redirect("/login")
        forums = dict.fromkeys(thread.forum for thread in self.threads.values())
        options = "".join(f"<option>{escape(forum)}</option>" for forum in forums)
        body = (
            "<h1>Submit</h1><form method=post action='/submit'>"
            f"<p><label>Forum <select name=forum>{options}</select></label>"
            "<p><label>Title <input name=title size=60></label>"
            "<p><label>Body <textarea name=body></textarea></label><p><button>Create submission</button></form>"
        )
        return page("Submit", body, navigation=self._navigation(user))

    def _submit(self, request: SiteRequest, user: str) -> Response:
        title, forum = request.form.get("title", "").strip()[:300], request.form.get("forum", "")
        if not title or all(thread.forum != forum for thread in self.threads.values()):
            return redirect("/submit")
        slug = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:60]
        thread = Thread(forum, self._number(), slug, title, user, request.form.get("body", "")[:_LONGEST])
        self.threads[thread.id] = thread
        return redirect(thread.path)

    def _reply(self, thread: Thread, request: SiteRequest, user: str) -> Response:
        body, parent = request.form.get("body", "")[:_LONGEST], request.form.get("parent", "")
        known = any(one.id == parent for one in thread.comments)
        if body.strip():
            thread.comments.append(Comment(self._number(), user, body, parent if known else ""))
        return redirect(thread.path)

    def _number(self) -> str:
        self._next += 1
        return str(self._next)


def _byline(thread: Thread) -> str:
    return f"{escape(thread.author)} in /f/{escape(thread.forum)}"


def _reply_form(thread: Thread, parent: str, user: str | None) -> str:
    if user is None:
        return "<p><a href='/login'>Log in</a> to comment."
    return (
        f"<form method=post action='/comment/{quote(thread.id, safe='')}'>"
        f"<input type=hidden name=parent value='{escape(parent, quote=True)}'>"
        "<p><label>Comment <textarea name=body></textarea></label><p><button>Post</button></form>"
    )
