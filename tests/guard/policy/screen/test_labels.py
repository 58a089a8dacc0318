from __future__ import annotations

import pytest

from trueline.guard.policy.screen.labels import effect_of_act, meaning_of_press
from trueline.guard.policy.screen.target import Target


@pytest.mark.parametrize(
    ("label", "act"),
    [
        ("Send", "send"),
        ("Senden", "send"),
        ("Delete", "delete"),
        ("Supprimer", "delete"),
        ("Move to Trash", "delete"),
        ("Empty Trash", "delete_forever"),
        ("Delete my account", "delete_account"),
        ("Erase all content and settings", "reset_device"),
        ("Allow", "allow"),
        ("Pay 12.00 EUR", "pay"),
        ("Place order", "pay"),
        ("Install", "install"),
        ("Add extension", "install"),
        ("Submit", "submit"),
        ("Enable Content", "enable_macros"),
        ("Turn off real-time protection", "disable_protection"),
        ("Anyone with the link", "share_public"),
        ("Sponsored: shoes", "advertisement"),
        ("Cancel", "cancel"),
        ("Move to Trash…", "delete"),
        ("Datenträger formatieren...", "reset_device"),
        ("Chiffrer le dossier", "encrypt"),
        ("Finalizar proceso", "stop_service"),
        ("Add to Startup Applications…", "start_later"),
        ("Run at startup", "start_later"),
        ("Add SSH key", "start_later"),
        ("Create cron job", "start_later"),
        ("Riavvia il computer", "shut_down"),
        ("Wachtwoord wijzigen", "change_login"),
        ("Ajouter une adresse de transfert", "forward_mail"),
        ("Copiar senha", "export_secrets"),
        ("Cualquier persona con el enlace", "share_public"),
        ("Consenti accesso", "grant_access"),
        ("Format Cells…", None),
        ("Encryption settings", None),
        ("Passwords", None),
        ("Formatear celdas", None),
        ("Borrar todo", None),
        ("Bold", None),
        ("Paypal settings", None),
        ("Eraser", None),
        ("Clear all filters", None),
        ("", None),
    ],
)
def test_labels_mean_what_they_say(label: str, act: str | None) -> None:
    assert meaning_of_press(Target("push-button", label)) == act


@pytest.mark.parametrize(
    ("label", "dialog", "act"),
    [
        ("OK", "Permanently delete 14 items?", "delete_forever"),
        ("Delete", "Are you sure that you want to permanently delete it?", "delete_forever"),
        ("Delete", "Delete this slide?", "delete"),
        ("Yes", "A file of that name already exists.", "replace"),
        ("Allow", "helper wants to control this screen", "remote_control"),
        ("Allow", "example.org wants to know your location", "allow"),
        ("OK", "The file was saved.", None),
        ("Cancel", "Permanently delete 14 items?", "cancel"),
        ("Ja", "Alles endgültig löschen?", "delete_forever"),
    ],
)
def test_a_dialog_says_what_its_buttons_mean(label: str, dialog: str, act: str | None) -> None:
    assert meaning_of_press(Target("push-button", label, dialog=dialog)) == act


def test_only_what_can_be_pressed_has_a_meaning_and_a_headline_has_none() -> None:
    assert meaning_of_press(Target("paragraph", "Send")) is None
    assert meaning_of_press(Target("link", "Buy now, think later: " + "a long article on shopping " * 4)) is None


def test_effects_follow_from_acts() -> None:
    assert effect_of_act("pay") == "irreversible"
    assert effect_of_act("send") == "egress"
    assert effect_of_act("allow") == "privilege"
    assert effect_of_act(None) == "unknown"
