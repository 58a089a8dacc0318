"""The chat: channels, and direct messages to colleagues who answer, in the place of a Rocket.Chat."""

from __future__ import annotations

from dataclasses import dataclass
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

NAME = "Team chat"
_CHANNELS = ("general", "random")
_COLLEAGUES = ("Sarah Johnson", "Li Ming", "Emily Zhou")
_AWAY = "I am in a meeting, sorry. Please ask somebody else."
_SAID = "That is all that I can tell you about it."
_LONGEST = 20_000


@dataclass(frozen=True)
class Message:
    """One message."""

    author: str
    body: str


class Chat:
    """The site's state, and what it answers."""

    def __init__(self) -> None:
        self.accounts = Accounts("chat_session")
        self.answers: dict[str, str] = {}
        """What colleagues answer when they are asked, by their names."""
        self.rooms: dict[tuple[str, str], list[Message]] = {("channel", name): [] for name in _CHANNELS}

    @property
    def colleagues(self) -> tuple[str, ...]:
        """Whom one can write to; those with an answer first."""
        return tuple(dict.fromkeys((*self.answers, *_COLLEAGUES)))

    def colleague(self, room: str) -> str | None:
        """The colleague of a direct room, by name or user name.

        Rocket.Chat's own addresses hold the room's number, which nobody here knows: any other name leads to the first
        colleague with an answer.
        """
        wanted = _user_name(room)
        found = next((name for name in self.colleagues if _user_name(name) == wanted), None)
        return found or next(iter(self.answers), None)

    def direct_path(self, colleague: str) -> str:
        """The path of the direct room with a colleague."""
        return f"/direct/{quote(_user_name(colleague), safe='')}"

    def send(self, user: str, colleague: str, body: str) -> None:
        """Write to a colleague, who answers at once."""
        room = self.rooms.setdefault(("direct", colleague), [])
        asked = any(message.author == colleague for message in room)
        room.append(Message(user, body[:_LONGEST]))
        answer = self.answers.get(colleague, _AWAY)
        room.append(Message(colleague, _SAID if asked and colleague in self.answers else answer))

    def answer(self, request: SiteRequest) -> Response:
        """Answer a request."""
        user = self.accounts.user(request)
        match request.method, request.parts:
            case "POST", ("login",):
                logged_in = self.accounts.log_in(request.form.get("username", ""), request.form.get("password", ""))
                return login_page(NAME, "/login", wrong=True) if logged_in is None else redirect("/home", logged_in)
            case "POST", ("logout",):
                return redirect("/", self.accounts.log_out(request))
            case _ if user is None:
                return login_page(NAME, "/login")
            case "GET", () | ("home",):
                return page(NAME, "<h1>Welcome</h1><p>Choose a room.</p>" + self._rooms(), navigation=_navigation(user))
            case method, ("direct", room) if (name := self.colleague(room)) is not None:
                if method == "POST" and (body := request.form.get("message", "")).strip():
                    self.send(user or "", name, body)
                return self._room(("direct", name), self.direct_path(name), user or "", post=method == "POST")
            case method, ("channel", room) if ("channel", room) in self.rooms:
                if method == "POST" and (body := request.form.get("message", "")).strip():
                    self.rooms["channel", room].append(Message(user or "", body[:_LONGEST]))
                path = f"/channel/{quote(room, safe='')}"
                return self._room(("channel", room), path, user or "", post=method == "POST")
            case _:
                return not_found(NAME, _navigation(user))

    def _rooms(self) -> str:
        channels = "".join(f"<li><a href='/channel/{name}'>#{name}</a>" for name in _CHANNELS)
        people = "".join(f"<li><a href='{self.direct_path(name)}'>{escape(name)}</a>" for name in self.colleagues)
        return f"<h2>Channels</h2><ul>{channels}</ul><h2>Direct messages</h2><ul>{people}</ul>"

    def _room(self, key: tuple[str, str], path: str, user: str, *, post: bool) -> Response:
        if post:
            return redirect(f"{path}#last")
        title = key[1] if key[0] == "direct" else f"#{key[1]}"
        messages = self.rooms.get(key, [])
        shown = "".join(
            f"<section{mark}><small>{escape(one.author)}</small>{prose(one.body)}</section>"
            for one, mark in zip(messages, [*[""] * (len(messages) - 1), " id=last"], strict=False)
        )
        body = (
            f"<h1>{escape(title)}</h1>{shown or '<p>No messages yet.'}<form method=post action='{path}'>"
            f"<p><label>Message <textarea name=message></textarea></label><p><button>Send</button></form>"
            f"{self._rooms()}"
        )
        return page(title, body, navigation=_navigation(user))


def _navigation(user: str | None) -> str:
    return links((("/home", NAME),)) + (log_out_form(user) if user else "")


def _user_name(name: str) -> str:
    return "_".join(name.strip().lower().replace(".", " ").replace("_", " ").split())
