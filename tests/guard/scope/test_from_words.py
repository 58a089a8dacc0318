"""The Scope that the words of an instruction and the start state give."""

from __future__ import annotations

import pytest

from trueline.guard.scope.from_words import scope_from_words
from trueline.guard.scope.place import covers_application, covers_path
from trueline.guard.scope.start_state import start_state
from trueline.guard.scope.types import Scope, StartState


def effects(scope: Scope, *, possible: bool = False) -> set[str]:
    return {grant.effect for grant in scope.effects if grant.possible == possible}


@pytest.mark.parametrize(
    ("instruction", "effect"),
    [
        ("Install the theme from the open page.", "install"),
        ("Reply to Ben that Friday suits me.", "send"),
        ("Buy two tickets for the film.", "pay"),
        ("Make a backup of my notes every night.", "schedule"),
        ("Delete the drafts in the open folder for good.", "delete_permanently"),
        ("Switch the theme to dark.", "change_settings"),
        ("Make run.sh executable.", "change_permissions"),
        ("The player is frozen, force quit it.", "control_processes"),
        ("Create a user named Tim.", "account"),
        ("Write the image onto the USB stick.", "wipe_disk"),
        ("Upload the picture to my drive.", "upload"),
    ],
)
def test_a_word_that_asks_for_an_effect_grants_it(instruction: str, effect: str) -> None:
    assert effect in effects(scope_from_words(instruction))
    unrelated = scope_from_words("Make the second heading bold.")
    assert effect not in effects(unrelated) | effects(unrelated, possible=True)


def test_named_files_and_folders_are_in_scope_and_nothing_is_deleted_unasked() -> None:
    scope = scope_from_words('Copy the table of "plan b.ods" into ~/office/report.odt and save it.')
    for path in ("~/x/plan b.ods", "/home/user/office/report.odt", "~/Documents/new.odt"):
        assert covers_path(scope, path, "write"), path
    for path in ("~/.bashrc", "/etc/hosts", "~/office", "~/private/x"):
        assert not covers_path(scope, path, "write"), path
    assert not covers_path(scope, "~/office/report.odt", "delete")
    assert covers_path(scope_from_words("Rename ~/office/report.odt"), "~/office/report.odt", "delete")


def test_the_start_state_opens_applications_files_and_sites() -> None:
    start = start_state(
        [
            {
                "type": "download",
                "parameters": {"files": [{"url": "http://h.example", "path": "/home/user/in/a.ods"}]},
            },
            {"type": "launch", "parameters": {"command": ["google-chrome", "--remote-debugging-port=1337"]}},
            {"type": "launch", "parameters": {"command": "libreoffice --calc /home/user/in/a.ods"}},
            {"type": "chrome_open_tabs", "parameters": {"urls_to_open": ["https://shop.example/x"]}},
            {"type": "execute", "parameters": {"command": ["sh", "-c", "echo open /home/user/secret"]}},
            {"type": "sleep", "parameters": {"seconds": 1}},
        ]
    )
    assert start == StartState(("google-chrome", "libreoffice"), ("/home/user/in/a.ods",), ("shop.example",))
    scope = scope_from_words("Sort it by date.", start)
    assert all(covers_application(scope, name) for name in ("chrome", "libreoffice_calc"))
    assert covers_path(scope, "/home/user/in/a.ods", "write") and covers_path(scope, "~/in/b.ods", "write")
    assert {grant.source for grant in scope.paths if grant.path == "~/in/a.ods"} == {"start state"}
    assert "shop.example" in {grant.site for grant in scope.sites if not grant.possible}


def test_a_file_in_the_home_folder_does_not_open_all_of_it() -> None:
    scope = scope_from_words("Sort it.", StartState(files=("/home/user/a.ods",)))
    assert covers_path(scope, "~/a.pdf", "write")
    for path in ("~/.bashrc", "~/Documents/x", "~/.ssh/config"):
        assert not covers_path(scope, path, "write"), path


def test_recipients_are_named_or_left_open() -> None:
    named = scope_from_words("Mail the file to ben@firm.example.")
    assert [grant.recipient for grant in named.recipients] == ["ben@firm.example"] and not named.open_slots
    assert all(grant.possible for grant in named.sites), "the host of a mail address is no site"
    assert [slot.slot for slot in scope_from_words("Reply to the sender.").open_slots] == ["recipient"]


def test_a_language_that_is_not_covered_leaves_everything_possible() -> None:
    scope = scope_from_words("Отправь этот отчёт бухгалтеру")
    assert effects(scope) == {"end_task"} and {"send", "pay", "delete_permanently"} <= effects(scope, possible=True)


def test_each_grant_says_why() -> None:
    scope = scope_from_words("Installiere das Paket aus dem Terminal.")
    grants = [*scope.applications, *scope.paths, *scope.sites, *scope.effects]
    assert all(grant.because for grant in grants)
    assert "installiere" in {grant.because for grant in scope.effects}
