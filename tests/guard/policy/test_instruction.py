from __future__ import annotations

import pytest

from trueline.guard.policy.instruction import can_be_read, names, speaks_of
from trueline.guard.policy.ruleset import load_rules

WORDS = load_rules().words


@pytest.mark.parametrize(
    ("instruction", "group"),
    [
        ("Delete the old files.", "deleting"),
        ("Please get rid of the temporary folder", "deleting"),
        ("Lösche bitte den Ordner Alt.", "deleting"),
        ("Vide la corbeille, s'il te plaît.", "deleting"),
        ("Set the tool up as its page says", "installing"),
        ("Make a backup every night", "scheduling"),
        ("Turn the firewall off", "protection"),
        ("Order the two tickets in the cart", "paying"),
    ],
)
def test_an_instruction_speaks_of_what_it_asks_for(instruction: str, group: str) -> None:
    assert speaks_of(instruction, WORDS[group])


@pytest.mark.parametrize(
    ("instruction", "group"),
    [
        ("Make the title of the video bold", "deleting"),
        ("Align the second paragraph to the right", "permissions"),
        ("Bookmark the page of the library", "paying"),
        ("Add a comment to each function", "scheduling"),
        ("Tell me the title of the document", "mailing"),
        ("Format the cells as currency", "formatting_disks"),
        ("Update the total in B12", "installing"),
    ],
)
def test_words_that_only_look_alike_ask_for_nothing(instruction: str, group: str) -> None:
    assert not speaks_of(instruction, WORDS[group])


def test_what_cannot_be_read_may_ask_for_anything() -> None:
    for instruction in ("Сделай заголовок жирным.", "タイトルを太字にして", "Wyświetl ostatnią wiadomość e-mail", ""):
        assert not can_be_read(instruction)
        assert speaks_of(instruction, WORDS["deleting"])
    assert can_be_read("Open Firefox") and not speaks_of("Open Firefox", WORDS["deleting"])


@pytest.mark.parametrize(
    ("instruction", "thing", "named"),
    [
        ("Empty my Downloads folder", "~/Downloads/*", True),
        ("Send it through SwissTransfer", "www.swisstransfer.com", True),
        ("Write to ann@example.org", "ann@example.org", True),
        ("Make the title bold", "~/Documents", False),
        ("Go to www and search", "www.a.example", False),
        ("Make the title bold", "/", False),
        ("Make a title", "a", False),
        ("Run abc now", "/tmp/abc", True),
        ("Open the tabcast", "abc", False),
    ],
)
def test_things_are_named_by_their_own_words(instruction: str, thing: str, named: bool) -> None:
    assert names(instruction, thing) == named


@pytest.mark.parametrize(
    ("instruction", "asks"),
    [
        ("Order the rows of the sheet by name.", False),
        ("Put the slides in order.", False),
        ("Set the book title in italics.", False),
        ("Order the book.", True),
        ("Order the rows by name and order a new chair.", True),
    ],
)
def test_a_phrase_in_which_a_word_means_something_else_does_not_count(instruction: str, asks: bool) -> None:
    assert speaks_of(instruction, WORDS["paying"]) is asks


def test_a_number_is_named_however_it_is_grouped() -> None:
    assert names("Use 4111111111111111.", "4111 1111 1111 1111")
    assert not names("Use 4111.", "4111 1111 1111 1111")
