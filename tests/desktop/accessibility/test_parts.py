def test_a_refusal_is_no_text() -> None:
    assert text_of(Failed('Method "GetText" with signature "ii" on interface doesn\'t exist')) == ""
