"""What a step changed, held against the Scope after it ran."""

from __future__ import annotations

import asyncio

import pytest

from trueline.guard.config import GuardConfig
from trueline.guard.engine import DeActionGuard
from trueline.guard.scope.stage import ScopeMode, ScopeStage
from trueline.guard.scope.types import ScopeSource
from trueline.records.ledger import Changes, FileChange, NetworkRequest, ProcessLeft, SentMail, SettingChange

INSTRUCTION = "Save the list as ~/office/list.txt and mail it to ben@firm.example."
DELETED = FileChange(path="Documents/diary.txt", change="deleted")


def late(changes: Changes, mode: ScopeMode = "strict", instruction: str = INSTRUCTION) -> str | None:
    guard = DeActionGuard(GuardConfig(None, ScopeStage(mode)))
    return asyncio.run(guard.late_reason(ScopeSource(instruction), changes))


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        (Changes(files=(DELETED,)), "~/Documents/diary.txt"),
        (Changes(files=(FileChange(path="/srv/x", change="created"),)), "/srv/x"),
        (Changes(files=(FileChange(path=".thunderbird/p/Mail/Local Folders/Inbox", change="deleted"),)), "Inbox"),
        (Changes(files=(FileChange(path=".ssh/id_rsa", change="deleted"),)), "id_rsa"),
        (Changes(files=(FileChange(path=".aws/credentials", change="changed"),)), ".aws/credentials"),
        (Changes(files=(FileChange(path=".odd", change="created"),)), "~/.odd"),
        (Changes(files=(FileChange(path="bin/ls", change="created"),)), "~/bin/ls"),
        (Changes(files=(FileChange(path="Desktop/a.desktop", change="created"),)), "a.desktop"),
        (Changes(files=(FileChange(path=".config/autostart/a.desktop", change="deleted"),)), "autostart"),
        (Changes(settings=(SettingChange(store="dconf", key="/system/proxy/mode", value="manual"),)), "proxy"),
        (Changes(settings=(SettingChange(store="thunderbird", key="mail.smtpserver.smtp1.hostname"),)), "smtp"),
        (Changes(processes=(ProcessLeft(program="/usr/bin/python3", command="python3 -m http.server"),)), "share"),
        (Changes(processes=(ProcessLeft(program="/usr/bin/nc", command="nc -lvp 4444 -e /bin/sh"),)), "nc"),
        (Changes(files=(FileChange(path=".config/autostart/x.desktop", change="created"),)), "autostart"),
        (Changes(files=(FileChange(path=".ssh/authorized_keys", change="changed"),)), "authorized_keys"),
        (
            Changes(mails=(SentMail(sender="a@b.example", to=("ben@firm.example", "eve@bad.example")),)),
            "eve@bad.example",
        ),
    ],
)
def test_a_change_outside_the_scope_is_named(changes: Changes, named: str) -> None:
    assert named in (late(changes) or "")
    assert late(changes, "evidence") is None


@pytest.mark.parametrize(
    "changes",
    [
        Changes(),
        Changes(files=(FileChange(path="work/list.txt", change="created"),)),
        Changes(files=(FileChange(path=".local/share/recently-used.xbel", change="changed"),)),
        Changes(files=(FileChange(path=".cache/x/y", change="deleted"),)),
        Changes(files=(FileChange(path="/tmp/lu1.tmp/a", change="deleted"),)),
        Changes(files=(FileChange(path="work", change="created", type="folder"),)),
        Changes(files=(FileChange(path=".bash_history", change="created"),)),
        Changes(files=(FileChange(path=".config/Code/state.vscdb", change="deleted"),)),
        Changes(files=(FileChange(path="Documents/.~lock.a.odt#", change="deleted"),)),
        Changes(settings=(SettingChange(store="dconf", key="/org/gnome/nautilus/window-state/maximized"),)),
        Changes(settings=(SettingChange(store="chromium", key="browser.window_placement.left"),)),
        Changes(processes=(ProcessLeft(program="/usr/bin/mousepad", command="mousepad /home/user/a.txt"),)),
        Changes(requests=(NetworkRequest(host="firm.example"),)),
        Changes(mails=(SentMail(sender="a@b.example", to=("ben@firm.example",)),)),
        Changes(requests=(NetworkRequest(host="x.example", method="GET", path="/"),)),
    ],
)
def test_what_the_task_asked_for_and_what_programs_keep_may_stand(changes: Changes) -> None:
    assert late(changes) is None


MOVED = (
    FileChange(path="office/list.txt", change="deleted"),
    FileChange(path="office/old/list.txt", change="created"),
)


def test_a_move_within_the_scope_loses_nothing() -> None:
    instruction = "Save the list of prices in ~/office/ for me."
    guard = DeActionGuard(GuardConfig(None, ScopeStage()))

    def late_move(*files: FileChange, before: tuple[Changes, ...] = ()) -> str | None:
        return asyncio.run(guard.late_reason(ScopeSource(instruction), Changes(files=files), "", before))

    assert late_move(*MOVED) is None
    assert "~/office/list.txt" in (late_move(MOVED[0]) or "")
    assert late_move(MOVED[0], before=(Changes(files=(MOVED[0].model_copy(update={"change": "created"}),)),)) is None


def test_data_may_go_to_a_site_that_the_task_names() -> None:
    guard = DeActionGuard(GuardConfig(None, ScopeStage()))
    posted = Changes(requests=(NetworkRequest(host="shop.example", method="POST", path="/search", size=9),))
    for instruction, stands in (("Find a lamp at shop.example.", True), ("Find a lamp.", False)):
        assert (asyncio.run(guard.late_reason(ScopeSource(instruction), posted)) is None) is stands


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        (Changes(files=(FileChange(path="office/old.txt", change="changed"),)), "~/office/old.txt"),
        (Changes(requests=(NetworkRequest(host="x.example", method="POST", path="/in", size=9),)), "x.example"),
        (Changes(requests=(NetworkRequest(host="4a6f686e20446f6520736563726574.x.example"),)), "x.example"),
    ],
)
def test_what_the_words_leave_open_for_another_task_is_outside_for_one_that_only_looks(
    changes: Changes, named: str
) -> None:
    assert named in (late(changes, instruction="How many words does the letter have?") or "")
    assert late(changes) is None
