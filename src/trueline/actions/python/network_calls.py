"""Calls that reach the network."""

from __future__ import annotations

from typing import cast

from trueline.actions.python.effects import UNKNOWN, ShellEquivalent
from trueline.actions.python.library import Amounts, Handler, LibraryCall, line, path_of, quoted, run
from trueline.actions.python.name_sets import names
from trueline.actions.python.values import DATA, Instance, PartialText, Value, text_of

_SENDING = frozenset({"post", "put", "patch"})
_VERBS = frozenset({"get", "head", "options", "delete", "request", "stream", "send", *_SENDING})
_BODIES = ("data", "json", "files", "content", "body")


def _fetch(call: LibraryCall) -> Amounts:
    """`requests.get`, `httpx.post`, `urllib.request.urlopen` and their like."""
    verb = call.name.rpartition(".")[2].lower()
    place = 0
    if verb in ("request", "stream"):
        verb, place = text_of(call.arg(0, "method")).lower(), 1
    target = call.arg(place, "url", "fullurl")
    url, sends = _url(target)
    uses_body = verb == "urlopen" and call.arg(1, "data") is not None
    body = uses_body or any(name in call.keywords for name in _BODIES)
    sends = sends or body or verb in _SENDING
    return Amounts(Instance("response", (url,)), (fetch(url, sends=sends, verb=verb),))


def fetch(url: str, *, sends: bool, verb: str = "get") -> ShellEquivalent:
    """An address is fetched, or something is sent there."""
    if not sends:
        return run("curl", url)
    return run("curl", "-T", "-", url) if verb == "put" else run("curl", "-d", "@-", url)


def _url(target: Value) -> tuple[str, bool]:
    if isinstance(target, Instance) and target.kind == "urllib.request.Request":
        return target.detail[0], target.detail[1] == "sends"
    return path_of(target), False


def _request(call: LibraryCall) -> Amounts:
    sends = call.arg(1, "data") is not None or text_of(call.keywords.get("method", "")).lower() in _SENDING
    return Amounts(Instance("urllib.request.Request", (call.path(0, "url"), "sends" if sends else "")))


def _retrieve(call: LibraryCall) -> Amounts:
    target = call.arg(1, "filename")
    words = ("-O",) if target is None else ("-o", path_of(target))
    return Amounts((DATA, DATA), (run("curl", *words, call.path(0, "url")),))


def _connected(call: LibraryCall) -> Amounts:
    """A client object that knows its host."""
    host = call.arg(0, "host", "server", "base_url")
    kind = call.name
    where = path_of(host) if host is not None else ""
    if "smtplib" in kind:
        return Amounts(Instance("smtplib.SMTP", (where,)), (run("sendmail", where),) if where else (run("sendmail"),))
    if "ftplib" in kind:
        return Amounts(Instance("ftplib.FTP", (where,)), (run("ftp", where),) if where else ())
    if "http.client" in kind:
        return Amounts(Instance("http.client.HTTPConnection", (where,)))
    return Amounts(Instance("nc", (where,)), (run("nc", where),) if where else ())


def _session(_call: LibraryCall) -> Amounts:
    return Amounts(Instance("requests.Session"))


def _socket(_call: LibraryCall) -> Amounts:
    return Amounts(Instance("socket.socket"))


def _create_connection(call: LibraryCall) -> Amounts:
    host, port = _address(call.arg(0, "address"))
    return Amounts(Instance("socket.socket", (host, port)), (run("nc", host, port),))


def _looked_up(call: LibraryCall) -> Amounts:
    return Amounts(DATA, (run("host", call.path(0, "host", "hostname")),))


def _server(call: LibraryCall) -> Amounts:
    return Amounts(Instance("server"), (ShellEquivalent(unseen=f"a server: {call.name}"),))


def _address(value: Value) -> tuple[str, str]:
    parts = [text_of(part) for part in cast("tuple[Value, ...]", value)] if isinstance(value, list | tuple) else []
    return (parts[0], parts[1]) if len(parts) > 1 else (parts[0] if parts else UNKNOWN, UNKNOWN)


_HTTP = [f"{module}.{verb}" for module in ("requests", "httpx", "requests.api") for verb in sorted(_VERBS)]
NETWORK_CALLS: dict[str, Handler] = {
    **dict.fromkeys((*_HTTP, "urllib.request.urlopen", "urllib3.request"), _fetch),
    "urllib.request.Request": _request,
    "urllib.request.urlretrieve": _retrieve,
    **dict.fromkeys(
        ("smtplib.SMTP", "smtplib.SMTP_SSL", "smtplib.LMTP", "ftplib.FTP", "ftplib.FTP_TLS",
         "http.client.HTTPConnection",
         "http.client.HTTPSConnection", "telnetlib.Telnet", "imaplib.IMAP4", "imaplib.IMAP4_SSL", "poplib.POP3",
         "poplib.POP3_SSL", "xmlrpc.client.ServerProxy", "asyncio.open_connection"), _connected,
    ),
    **dict.fromkeys(
        ("requests.Session", "requests.session", "httpx.Client", "httpx.AsyncClient", "urllib3.PoolManager",
         "urllib.request.build_opener"), _session,
    ),
    "socket.socket": _socket,
    "socket.create_connection": _create_connection,
    **dict.fromkeys(
        ("socket.gethostbyname", "socket.getaddrinfo", "socket.gethostbyaddr", "socket.gethostbyname_ex",
         "socket.getfqdn"), _looked_up,
    ),
    **dict.fromkeys(
        ("socket.create_server", "socketserver.TCPServer", "http.server.HTTPServer", "http.server.ThreadingHTTPServer",
         "socketserver.ThreadingTCPServer", "socketserver.UDPServer", "asyncio.start_server"), _server,
    ),
}  # fmt: skip

_QUIET_SOCKET = names(
    "settimeout setsockopt getsockopt setblocking close shutdown recv recv_into recvfrom makefile fileno "
    "getpeername getsockname __enter__ __exit__ detach gettimeout"
)


def network_method(call: LibraryCall) -> Amounts | None:
    """A method of something that is connected."""
    owner = call.owner
    assert isinstance(owner, Instance)
    host = owner.detail[0] if owner.detail else UNKNOWN
    match owner.kind, call.name:
        case "requests.Session", name if name in _VERBS or name in ("urlopen", "open"):
            return _fetch(LibraryCall(f"requests.{'get' if name == 'open' else name}", call.args, call.keywords))
        case "http.client.HTTPConnection", "request" | "putrequest":
            body = call.arg(2, "body") is not None or text_of(call.arg(0, "method")).lower() in _SENDING
            return Amounts(DATA, (fetch(f"http://{host}{text_of(call.arg(1, 'url'))}", sends=body),))
        case "socket.socket", "connect" | "connect_ex":
            name, port = _address(call.arg(0, "address"))
            return Amounts(DATA, (run("nc", name, port),))
        case "socket.socket", "send" | "sendall" | "sendfile" | "sendmsg":
            where = " ".join(quoted(part) for part in owner.detail if part != UNKNOWN)
            return Amounts(DATA, (line(f"cat | nc {where}".strip()),))
        case "socket.socket", "sendto":
            name, port = _address(call.args[-1] if call.args else None)
            return Amounts(DATA, (line(f"cat | nc -u {quoted(name)} {quoted(port)}"),))
        case "socket.socket", "bind" | "listen":
            return Amounts(DATA, (run("nc", "-l", _address(call.arg(0))[1]),))
        case "socket.socket", "accept":
            return Amounts((Instance("socket.socket"), DATA))
        case "socket.socket", name if name in _QUIET_SOCKET:
            return Amounts(owner if name in ("__enter__", "makefile") else DATA)
        case "smtplib.SMTP", "sendmail" | "send_message":
            to = call.arg(1, "to_addrs")
            people = [text_of(one) for one in cast("list[Value]", to)] if isinstance(to, list) else [text_of(to or "")]
            return Amounts(DATA, (run("sendmail", *(person for person in people if person)),))
        case "smtplib.SMTP", "connect":
            return Amounts(DATA, (run("sendmail", call.path(0, "host")),))
        case "ftplib.FTP", "storbinary" | "storlines":
            return Amounts(DATA, (run("curl", "-T", "-", f"ftp://{host}/"),))
        case "ftplib.FTP", name if name not in _QUIET_SOCKET:
            return Amounts(DATA, (run("curl", f"ftp://{host}/"),))
        case "nc", name:
            return Amounts(owner if name == "__enter__" else DATA, (run("nc", host),) if host else ())
        case "response", "__enter__" | "read" | "decode" | "text":
            return Amounts(owner)
        case "response" | "smtplib.SMTP" | "requests.Session" | "http.client.HTTPConnection" | "ftplib.FTP", _:
            return Amounts(owner if call.name == "__enter__" else DATA)
        case "urllib.request.Request", _:
            return Amounts(DATA)
        case _:
            return None


def as_link(value: Value) -> Value:
    """A text for showing."""
    return PartialText(text_of(value))
