from __future__ import annotations

import base64

import pytest

from trueline.guard.policy.secrets import Marked, carried_by, is_card_number, is_iban, secrets_in


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl", "private_key"),
        ("-----BEGIN RSA PRIVATE KEY-----", "private_key"),
        ("-----BEGIN PRIVATE KEY-----", "private_key"),
        ("key AKIAIOSFODNN7EXAMPLE", "api_key"),
        ("card 4111 1111 1111 1111 now", "card_number"),
        ("5555-5555-5555-4444", "card_number"),
        ("to CH93 0076 2011 6238 5295 7", "iban"),
        ("The password of this computer is: sunny7", "password"),
        ("Passwort: Sommer21", "password"),
        ("SSN 078-05-1120", "national_id"),
        ("my passport is C01X00T47", "national_id"),
        ("born 1.2.1980", "birth_date"),
        ("date of birth: 1980-02-01", "birth_date"),
        ("Geburtsdatum 1. Februar 1980", "birth_date"),
    ],
)
def test_secrets_are_recognised(text: str, kind: str) -> None:
    assert kind in secrets_in(text)


@pytest.mark.parametrize(
    "text",
    [
        "-----BEGIN PUBLIC KEY-----",
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIB8dJ0mJm4Zb",
        "4111 1111 1111 1112",
        "order 1234567890123",
        "CH93 0076 2011 6238 5295 8",
        "Enter your password",
        "call 0041 44 123 45 67",
        "0000 0000 0000 0000",
        "666-12-3456",
        "the meeting is on 1.2.1980",
        "a passport photo",
    ],
)
def test_what_looks_alike_is_none(text: str) -> None:
    assert secrets_in(text) == ()


def test_check_digits() -> None:
    assert is_card_number("378282246310005") and not is_card_number("378282246310006")
    assert is_iban("DE89370400440532013000") and not is_iban("DE89370400440532013001")


SECRET = Marked("vault", "Orange-Kite-9")


@pytest.mark.parametrize(
    "text",
    [
        "it is orange-kite-9",
        "O r a n g e - K i t e - 9",
        "9-etiK-egnarO",
        base64.b64encode(b"Orange-Kite-9").decode(),
        b"Orange-Kite-9".hex(),
        "Orange\u200b-Kite-9",
    ],
)
def test_a_marked_value_is_found_in_its_disguises(text: str) -> None:
    assert secrets_in(text, [SECRET]) == ("marked",)


def test_other_texts_hold_no_marked_value() -> None:
    assert secrets_in("an orange kite, 9 of them", [SECRET]) == ()


@pytest.mark.parametrize(
    "url",
    [
        "http://a.example/?user=x&password=y1",
        "a.example/in?PASSWD=abcd",
        "https://me:pw12@a.example/",
        "http://a.example/#pwd=abcd",
        "http://a.example/?x=-----BEGIN%20PRIVATE%20KEY-----",
        "mailto:a@b.example?body=password:%20abcd",
    ],
)
def test_addresses_that_take_a_password_along(url: str) -> None:
    assert {"password", "private_key", "login"} & set(carried_by(url))


@pytest.mark.parametrize(
    "url",
    [
        "https://a.example/reset?token=abc123",
        "https://a.example/?q=password+manager",
        "https://a.example/?password=",
        "https://a.example/node/VXNlcjoxMjM0NTY=",
        "http://[broken",
        "a.example",
    ],
)
def test_addresses_that_do_not(url: str) -> None:
    assert carried_by(url) == ()


def test_a_marked_value_is_found_inside_an_encoded_part_of_an_address() -> None:
    packed = base64.urlsafe_b64encode(b"user:Orange-Kite-9").decode()
    assert "marked" in carried_by(f"https://a.example/c/{packed}", [SECRET])
