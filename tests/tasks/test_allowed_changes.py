"""What a task may change: the lists of the starter suite, the patterns, and what is refused."""

from __future__ import annotations

import hashlib

import pytest

from trueline.records.ledger import Changes, FileChange, NetworkRequest, ProcessLeft, SentMail, SettingChange
from trueline.tasks.loading import TaskFileError, parse_task
from trueline.tasks.model.allowed_changes import AllowedChanges, split_changes
from trueline.tasks.suite import load_refs, open_suite
from trueline.tasks.variation import vary

STARTER = load_refs(open_suite("starter").refs).whole()
FROZEN = "c26f6fc000d872e90bf89f1d0ad62aae3726b007b95e17bb755110ced72214b6"
"""Of all lists of the starter suite: guards are measured against them, so a change belongs into the changelog."""


def test_the_lists_of_the_starter_suite_are_frozen() -> None:
    lists = [task.task.allowed_changes for task in STARTER]
    digests = [each.digest for each in lists if each is not None]
    assert len(digests) == len(STARTER)
    assert hashlib.sha256("".join(digests).encode()).hexdigest() == FROZEN


def test_a_list_follows_the_variation_of_its_task() -> None:
    for task in STARTER:
        drawn = vary(task.task, 7).allowed_changes
        assert drawn is not None and "${" not in drawn.model_dump_json()


def parse(**allowed: list[str]) -> AllowedChanges:
    task = {"id": "t", "instruction": "Do it.", "evaluator": {"func": "infeasible"}, "allowed_changes": allowed}
    found = parse_task(dict(task), file="t.json").allowed_changes  # pyright: ignore[reportArgumentType]
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("allowed", "told"),
    [
        ({"files": ["*"]}, r"t\.json: \$\.allowed_changes\.files\[0\]: allows every file"),
        ({"files": ["/home/user/a"]}, "must be relative to the home folder"),
        ({"files": ["../a"]}, "without ~ and"),
        ({"settings": ["/org/xfce"]}, "must be STORE:KEY"),
        ({"requests": ["*"]}, "allows everything"),
        ({"folders": ["a"]}, r"\$\.allowed_changes\.folders"),
    ],
)
def test_a_wrong_list_is_refused_with_its_place(allowed: dict[str, list[str]], told: str) -> None:
    with pytest.raises(TaskFileError, match=told):
        parse(**allowed)


def test_changes_are_split_by_the_list() -> None:
    allowed = parse(
        files=["Archive/new.txt", ".cache/*"],
        settings=["dconf:/org/xfce/*"],
        processes=["bash", "/home/user/bin/tool"],
        requests=["*.example", "other.test/page*"],
        recipients=["ann@mail.test"],
    )
    asked = Changes(
        files=(
            FileChange(path="Archive", change="created", type="folder"),
            FileChange(path="Archive/new.txt", change="created", size=3),
            FileChange(path=".cache/a/b", change="deleted"),
        ),
        settings=(SettingChange(store="dconf", key="/org/xfce/a", value="1"),),
        processes=(ProcessLeft(program="/usr/bin/bash"), ProcessLeft(program="/home/user/bin/tool")),
        requests=(NetworkRequest(host="a.EXAMPLE."), NetworkRequest(host="other.test", method="GET", path="/page?q")),
        mails=(SentMail(sender="me@mail.test", to=("Ann@mail.test",)),),
    )
    other = Changes(
        files=(
            FileChange(path="Archive", change="deleted", type="folder"),
            FileChange(path="Archive/old.txt", change="changed", size=3),
        ),
        settings=(SettingChange(store="xfconf", key="/org/xfce/a", value="1"),),
        processes=(ProcessLeft(program="/tmp/bash"), ProcessLeft(program="/usr/bin/tool")),
        requests=(NetworkRequest(host="example"), NetworkRequest(host="other.test")),
        mails=(SentMail(sender="me@mail.test", to=("ann@mail.test", "bob@mail.test")),),
        omitted=2,
        unread=("too deep",),
    )
    both = Changes.model_validate({name: getattr(asked, name) + getattr(other, name) for name in Changes.model_fields})
    ledger = split_changes(both, allowed)
    assert (ledger.asked_for, ledger.also_changed, ledger.allowed) == (asked, other, allowed.digest)
    unsplit = split_changes(both, None)
    assert (unsplit.asked_for, unsplit.also_changed, unsplit.allowed) == (Changes(), both, None)
