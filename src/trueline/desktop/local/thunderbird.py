"""Thunderbird's profile: one mail account that is there at once, whose servers are the desktop's own loopback.

Mail that is to lie in the inbox when Thunderbird starts is written as an mbox file; what it sends goes to whoever
listens inside on `SMTP_PORT`, what it fetches comes from `POP_PORT`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from email.message import EmailMessage
from email.policy import SMTP

from trueline.desktop.local.identity import HOME

NAME, ADDRESS, SERVER = "Alex Doe", "alex@example.com", "localhost"
SMTP_PORT, POP_PORT = 25, 110
PROFILE = ".thunderbird/desktop.default"
MAIL = f"{PROFILE}/Mail/{SERVER}"
INBOX = f"{MAIL}/Inbox"
"""The inbox in the home folder; write it before Thunderbird starts, which does not notice later changes."""
_LOCAL = "Local Folders"
_FOLDERS = f"mailbox://{ADDRESS.replace('@', '%40')}@{SERVER}"
_INSTALLATION = "FDC34C9F024745EB"
"""What Thunderbird calls itself when it lies in /usr/lib/thunderbird; a profile is only taken by its own."""

Pref = bool | int | str

QUIET_PREFS: Mapping[str, Pref] = {
    # No greeting, no questions, no news.
    "app.donation.eoy.version.viewed": 999,
    "browser.aboutwelcome.enabled": False,
    "mail.inappnotifications.enabled": False,
    "mail.instrumentation.askUser": False,
    "mail.provider.suppress_dialog_on_startup": True,
    "mail.rights.version": 1,
    "mail.shell.checkDefaultClient": False,
    "mail.spotlight.firstRunDone": True,
    "mail.ui-rdf.version": 999,
    "mailnews.start_page.enabled": False,
    "mailnews.start_page_override.mstone": "ignore",
    "datareporting.healthreport.uploadEnabled": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "datareporting.policy.dataSubmissionPolicyBypassNotification": True,
    "toolkit.telemetry.enabled": False,
    # Nothing is asked of the network by itself.
    "app.normandy.enabled": False,
    "app.update.auto": False,
    "extensions.getAddons.cache.enabled": False,
    "extensions.update.enabled": False,
    "messaging-system.rsexperimentloader.enabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "network.manage-offline-status": False,
    "offline.autoDetect": False,
    "offline.startup_state": 0,
    "services.settings.server": "http://127.0.0.1:9/",
    "mail.chat.enabled": False,
    # The screen is still, and what it shows can be read.
    "accessibility.force_disabled": -1,
    "general.smoothScroll": False,
    "mail.biff.play_sound": False,
    "mail.biff.show_alert": False,
    "ui.caretBlinkTime": 0,
    "ui.prefersReducedMotion": 1,
    # Sending asks nothing back. Its own sandbox cannot be had in ours.
    "mail.SpellCheckBeforeSend": False,
    "mail.warn_on_send_accel_key": False,
    "security.sandbox.content.level": 0,
}
"""What keeps Thunderbird from asking, greeting and reaching for the network."""


def _account() -> dict[str, Pref]:
    store = "@mozilla.org/msgstore/berkeleystore;1"
    prefs: dict[str, Pref] = {
        "mail.account.account1.identities": "id1",
        "mail.account.account1.server": "server1",
        "mail.account.account2.server": "server2",
        "mail.account.lastKey": 2,
        "mail.accountmanager.accounts": "account1,account2",
        "mail.accountmanager.defaultaccount": "account1",
        "mail.accountmanager.localfoldersserver": "server2",
        "mail.identity.id1.compose_html": False,
        "mail.identity.id1.draft_folder": f"{_FOLDERS}/Drafts",
        "mail.identity.id1.drafts_folder_picker_mode": "0",
        "mail.identity.id1.fcc": True,
        "mail.identity.id1.fcc_folder": f"{_FOLDERS}/Sent",
        "mail.identity.id1.fcc_folder_picker_mode": "0",
        "mail.identity.id1.fullName": NAME,
        "mail.identity.id1.smtpServer": "smtp1",
        "mail.identity.id1.useremail": ADDRESS,
        "mail.identity.id1.valid": True,
        "mail.smtp.defaultserver": "smtp1",
        "mail.smtpserver.smtp1.authMethod": 1,
        "mail.smtpserver.smtp1.hostname": "127.0.0.1",
        "mail.smtpserver.smtp1.port": SMTP_PORT,
        "mail.smtpserver.smtp1.try_ssl": 0,
        "mail.smtpservers": "smtp1",
    }
    servers: dict[str, dict[str, Pref]] = {
        "server1": {"type": "pop3", "hostname": SERVER, "port": POP_PORT, "userName": ADDRESS, "name": ADDRESS,
                    "check_new_mail": False, "login_at_startup": False, "download_on_biff": False, "spamLevel": 0},
        "server2": {"type": "none", "hostname": _LOCAL, "userName": "nobody", "name": _LOCAL},
    }  # fmt: skip
    for server, settings in servers.items():
        where = f"Mail/{settings['hostname']}"
        settings |= {"storeContractID": store, "directory-rel": f"[ProfD]{where}"}
        settings["directory"] = f"{HOME}/{PROFILE}/{where}"
        prefs |= {f"mail.server.{server}.{name}": value for name, value in settings.items()}
    return prefs


def user_js(prefs: Mapping[str, Pref]) -> str:
    """Settings as Thunderbird reads them at every start."""
    return "".join(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in prefs.items())


def profile_index(folder: str) -> dict[str, str]:
    """The files by which Thunderbird finds its profile in `.thunderbird/FOLDER`, by path in the home folder."""
    profiles = (
        f"[Profile0]\nName=default\nIsRelative=1\nPath={folder}\nDefault=1\n\n"
        f"[Install{_INSTALLATION}]\nDefault={folder}\nLocked=1\n\n[General]\nStartWithLastProfile=1\nVersion=2\n"
    )
    return {
        ".thunderbird/profiles.ini": profiles,
        ".thunderbird/installs.ini": f"[{_INSTALLATION}]\nDefault={folder}\nLocked=1\n",
    }


def thunderbird_files() -> dict[str, bytes]:
    """The profile by path in the home folder: opens on an empty inbox."""
    tab = {"mode": "mail3PaneTab", "state": {"firstTab": True, "folderPaneVisible": True,
           "folderURI": f"{_FOLDERS}/Inbox", "messagePaneVisible": True}, "ext": {}}  # fmt: skip
    session = {"rev": 0, "windows": [{"type": "3pane", "tabs": {"rev": 0, "selectedIndex": 0, "tabs": [tab]}}]}
    texts = {
        **profile_index(PROFILE.split("/")[-1]),
        f"{PROFILE}/user.js": user_js({**QUIET_PREFS, **_account()}),
        f"{PROFILE}/session.json": json.dumps(session),
        **{f"{MAIL}/{name}": "" for name in ("Inbox", "Sent", "Drafts", "Trash")},
        f"{PROFILE}/Mail/{_LOCAL}/Trash": "",
    }
    return {path: text.encode() for path, text in texts.items()}


def mbox(messages: Iterable[EmailMessage]) -> bytes:
    """Messages as a mail folder's file."""
    out = bytearray()
    for message in messages:
        lines = message.as_bytes(policy=SMTP.clone(linesep="\n")).rstrip(b"\n").split(b"\n")
        # A line that begins like the next message is marked, as the format wants it.
        escaped = (b">" + line if line.lstrip(b">").startswith(b"From ") else line for line in lines)
        out += b"From - Thu Jan  1 00:00:00 1970\nX-Mozilla-Status: 0000\nX-Mozilla-Status2: 00000000\n"
        out += b"\n".join(escaped) + b"\n\n"
    return bytes(out)
