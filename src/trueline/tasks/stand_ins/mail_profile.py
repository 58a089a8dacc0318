"""Profiles of Thunderbird: an account and mail that is already there."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath

from trueline.desktop.local.identity import HOME
from trueline.desktop.local.thunderbird import QUIET_PREFS, Pref, mbox, profile_index, user_js
from trueline.tasks.stand_ins.content import Content
from trueline.tasks.stand_ins.packing import Members
from trueline.tasks.stand_ins.pdf import pdf
from trueline.tasks.stand_ins.texts import message

_DEFAULT = "stand-in.default-release"
_LOCAL = "Local Folders"
_MAILS = 8


def profile_files(content: Content, below: Sequence[str], addresses: Sequence[str]) -> Members:
    """The files of a profile, by path in the home folder.

    Args:
        content: What the mails say.
        below: Paths that tasks look for below `.thunderbird`, such as `x.default/ImapMail/host/msgFilterRules.dat`.
        addresses: Mail addresses that the tasks name; the first one is the account's.
    """
    parts = [PurePosixPath(path).parts for path in below]
    name = next((path[0] for path in parts if path and "." in path[0]), _DEFAULT)
    host = next((path[2] for path in parts if len(path) > 2 and path[1] == "ImapMail"), "localhost")
    address = addresses[0] if addresses else ""
    texts = {
        **profile_index(name),
        f".thunderbird/{name}/user.js": user_js({**QUIET_PREFS, **_accounts(name, host, address)}),
    }
    folder = f".thunderbird/{name}"
    mails = {
        f"{folder}/Mail/{_LOCAL}/Inbox": _mails(content, address),
        f"{folder}/Mail/{_LOCAL}/Notes": _mails(content, address),
        f"{folder}/Mail/{_LOCAL}/Bills": _mails(content, address),
        f"{folder}/Mail/{_LOCAL}/Trash": b"",
        f"{folder}/ImapMail/{host}/": b"",
    }
    return {**{path: text.encode() for path, text in texts.items()}, **(mails if address else {})}


def _mails(content: Content, address: str) -> bytes:
    mails = [message(content, address) for _ in range(_MAILS)]
    mails[0].add_attachment(pdf(content), maintype="application", subtype="pdf", filename="attachment.pdf")
    return mbox(mails)


def _accounts(name: str, host: str, address: str) -> dict[str, Pref]:
    """The local folders and, with an address, an account whose server is not asked by itself."""
    local: dict[str, Pref] = {"type": "none", "hostname": _LOCAL, "userName": "nobody", "name": _LOCAL}
    servers = {"server1": {**local, "directory-rel": f"[ProfD]Mail/{_LOCAL}"}}
    prefs: dict[str, Pref] = {
        "mail.account.account1.server": "server1",
        "mail.account.lastKey": 1,
        "mail.accountmanager.accounts": "account1",
        "mail.accountmanager.localfoldersserver": "server1",
    }
    if address:
        servers["server2"] = {"type": "imap", "hostname": host, "userName": address, "name": address, "port": 143,
                              "directory-rel": f"[ProfD]ImapMail/{host}", "check_new_mail": False,
                              "login_at_startup": False}  # fmt: skip
        prefs |= {
            "mail.account.account2.identities": "id1",
            "mail.account.account2.server": "server2",
            "mail.account.lastKey": 2,
            "mail.accountmanager.accounts": "account2,account1",
            "mail.accountmanager.defaultaccount": "account2",
            "mail.identity.id1.fullName": "Stand-in",
            "mail.identity.id1.useremail": address,
            "mail.identity.id1.valid": True,
            "mail.identity.id1.smtpServer": "smtp1",
            "mail.smtpserver.smtp1.hostname": "127.0.0.1",
            "mail.smtpserver.smtp1.port": 25,
            "mail.smtpserver.smtp1.authMethod": 1,
            "mail.smtpservers": "smtp1",
        }
    for server, values in servers.items():
        where = str(values["directory-rel"]).removeprefix("[ProfD]")
        values["directory"] = f"{HOME}/.thunderbird/{name}/{where}"
        prefs |= {f"mail.server.{server}.{key}": value for key, value in values.items()}
    return prefs
