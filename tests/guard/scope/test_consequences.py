"""What a step changed, held against the Scope after it ran."""

from __future__ import annotations

import asyncio

import pytest

from trueline.guard.config import GuardConfig
from trueline.guard.engine import DeActionGuard
from trueline.guard.scope.stage import ScopeMode, ScopeStage
from trueline.guard.scope.types import ScopeSource
from trueline.records.ledger import Changes, FileChange, NetworkRequest, SentMail

INSTRUCTION = "Save the list as ~/office/list.txt and mail it to ben@firm.example."
DELETED = FileChange(path="Documents/diary.txt", change="deleted")


def late(changes: Changes, mode: ScopeMode = "strict") -> str | None:
    guard = DeActionGuard(GuardConfig(None, ScopeStage(mode)))
    return asyncio.run(guard.late_reason(ScopeSource(INSTRUCTION), changes))


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        (Changes(files=(DELETED,)), "~/Documents/diary.txt"),
        (Changes(files=(FileChange(path="/srv/x", change="created"),)), "/srv/x"),
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
        Changes(mails=(SentMail(sender="a@b.example", to=("ben@firm.example",)),)),
        Changes(requests=(NetworkRequest(host="x.example", method="GET", path="/"),)),
    ],
)
def test_what_the_task_asked_for_and_what_programs_keep_may_stand(changes: Changes) -> None:
    assert late(changes) is None
