"""What is in the stand-ins of archives whose folders and files later steps of a task name."""

from __future__ import annotations

import json
import re
from pathlib import PurePosixPath

PROFILE = ".thunderbird/t5q2a5hp.default-release"
"""Where tasks look for Thunderbird's profile."""
_ACCOUNT = "anonym-x2024@outlook.com"
_PREFS: dict[str, object] = {
    "app.normandy.first_run": False,
    "datareporting.policy.bypassNotification": True,
    "mail.account.account1.identities": "id1",
    "mail.account.account1.server": "server1",
    "mail.account.account2.server": "server2",
    "mail.account.lastKey": 2,
    "mail.accountmanager.accounts": "account1,account2",
    "mail.accountmanager.defaultaccount": "account1",
    "mail.accountmanager.localfoldersserver": "server2",
    "mail.identity.id1.fullName": "Anonym",
    "mail.identity.id1.useremail": _ACCOUNT,
    "mail.identity.id1.valid": True,
    "mail.provider.suppress_dialog_on_startup": True,
    "mail.rights.version": 1,
    "mail.root.imap-rel": "[ProfD]ImapMail",
    "mail.root.none-rel": "[ProfD]Mail",
    "mail.server.server1.check_new_mail": False,
    "mail.server.server1.directory-rel": "[ProfD]ImapMail/outlook.office365.com",
    "mail.server.server1.hostname": "outlook.office365.com",
    "mail.server.server1.login_at_startup": False,
    "mail.server.server1.name": _ACCOUNT,
    "mail.server.server1.type": "imap",
    "mail.server.server1.userName": _ACCOUNT,
    "mail.server.server2.directory-rel": "[ProfD]Mail/Local Folders",
    "mail.server.server2.hostname": "Local Folders",
    "mail.server.server2.name": "Local Folders",
    "mail.server.server2.type": "none",
    "mail.server.server2.userName": "nobody",
    "mail.shell.checkDefaultClient": False,
    "mail.spotlight.firstRunDone": True,
    "mailnews.start_page.enabled": False,
    "mailnews.start_page_override.mstone": "ignore",
    "toolkit.telemetry.reportingpolicy.firstRun": False,
}
_EXTENSION = {"manifest_version": 3, "name": "Stand-in", "version": "1.0", "description": "Does nothing."}


_EVAL_CODE = """
const vscode = require("vscode");
const fs = require("fs");
exports.activate = context => context.subscriptions.push(vscode.commands.registerCommand(
  "eval.OpenProject", () => fs.writeFileSync("/home/user/OpenProject.txt", vscode.workspace.name || "")));
"""
"""Writes the name of what is open, as the extension of OSWorld's that some checks call."""

Members = dict[str, "str | Members"]
"""Texts, and archives in the archive, by path."""


def archive_members(url: str, path: str) -> Members | None:
    """The members of an archive, by path; `None` if any will do."""
    name = PurePosixPath(path).name
    if name.startswith("thunderbird") and name.endswith((".tar.gz", ".tgz")):
        return mail_profile()
    if name == "helloExtension.zip":
        return {"helloExtension/manifest.json": json.dumps(_EXTENSION)}
    if name == "HW-8-main-20240207T164539Z-001.zip":
        return {"HW-8-main/main.py": "print('hello')\n"}
    if name == "binder.zip":
        return {"binder/README.md": "Binder\n"}
    if name.startswith("hw_python_oop"):
        return {"hw_python_oop-master/main.py": "print('hello')\n", "hw_python_oop-master/__pycache__/a.pyc": "\n"}
    if name == "test.vsix":
        return vs_code_extension("test", "undefined_publisher", "exports.activate = () => {};\n", {})
    if name == "vscodeEvalExtension.zip":
        commands = {"OpenProject": "OpenProject"}
        return {"vscodeEvalExtension/eval-0.0.1.vsix": vs_code_extension("eval", "stand-in", _EVAL_CODE, commands)}
    if re.search(r"academicpages", url):
        return {"academicpages.github.io/_config.yml": "name: nobody\nauthor:\n  name: nobody\n  email: none\n"}
    return None


def mail_profile() -> Members:
    """Thunderbird's profile with an account and a folder of letters."""
    prefs = "".join(f'user_pref("{name}", {json.dumps(value)});\n' for name, value in _PREFS.items())
    letters = "".join(_letter(number) for number in range(1, 4))
    return {
        ".thunderbird/profiles.ini": (
            "[Install4F96D1932A9F858E]\nDefault=t5q2a5hp.default-release\nLocked=1\n\n[General]\n"
            "StartWithLastProfile=1\nVersion=2\n\n[Profile0]\nName=default-release\nIsRelative=1\n"
            "Path=t5q2a5hp.default-release\nDefault=1\n"
        ),
        f"{PROFILE}/prefs.js": prefs,
        f"{PROFILE}/Mail/Local Folders/Bills": letters,
        f"{PROFILE}/Mail/Local Folders/Notes": _letter(9),
        f"{PROFILE}/ImapMail/outlook.office365.com/INBOX": letters,
    }


def _letter(number: int) -> str:
    return (
        f"From - Mon Jan  1 00:00:00 2024\nX-Mozilla-Status: 0001\nX-Mozilla-Status2: 00000000\n"
        f"From: Sender <sender{number}@example.org>\nTo: {_ACCOUNT}\nSubject: Letter {number}\n"
        f"Date: Mon, 1 Jan 2024 0{number}:00:00 +0000\nMessage-ID: <letter{number}@example.org>\n\nText {number}\n\n"
    )


def vs_code_extension(name: str, publisher: str, code: str, commands: dict[str, str]) -> Members:
    """An extension as VSIX."""
    manifest = {
        "name": name,
        "displayName": name,
        "publisher": publisher,
        "version": "0.0.1",
        "engines": {"vscode": "^1.60.0"},
        "main": "./extension.js",
        "activationEvents": ["*"],
        "contributes": {"commands": [{"command": f"{name}.{key}", "title": title} for key, title in commands.items()]},
    }
    package = (
        '<?xml version="1.0" encoding="utf-8"?><PackageManifest Version="2.0.0" '
        'xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011"><Metadata>'
        f'<Identity Language="en-US" Id="{name}" Version="0.0.1" Publisher="{publisher}"/>'
        f"<DisplayName>{name}</DisplayName><Description>stand-in</Description></Metadata><Installation>"
        '<InstallationTarget Id="Microsoft.VisualStudio.Code"/></Installation><Dependencies/><Assets>'
        '<Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true"/>'
        "</Assets></PackageManifest>"
    )
    types = (
        '<?xml version="1.0" encoding="utf-8"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/'
        'content-types"><Default Extension=".json" ContentType="application/json"/><Default Extension=".js" '
        'ContentType="application/javascript"/><Default Extension=".vsixmanifest" ContentType="text/xml"/></Types>'
    )
    return {
        "extension.vsixmanifest": package,
        "[Content_Types].xml": types,
        "extension/package.json": json.dumps(manifest),
        "extension/extension.js": code,
    }
