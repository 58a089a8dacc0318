"""A key is found however it is spelled."""

from __future__ import annotations

import base64
import html
import json
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trueline.cli import main
from trueline.models.keys import Redactor
from trueline.models.recordings import ReplayModel
from trueline.models.types import Answer, ModelId, Request, user

KEYS = ["wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLE==", "together-0123456789abcdef", "sk-ant-0123456789abcdef_-~"]
SPELLED: dict[str, Callable[[str], str]] = {
    "plain": lambda key: key,
    "backwards": lambda key: key[::-1],
    "for a URL": lambda key: quote(key, safe=""),
    "for a URL in lower case": lambda key: quote(key, safe="").replace("%2B", "%2b").replace("%2F", "%2f"),
    "every character for a URL": lambda key: "".join(f"%{ord(c):02X}" for c in key),
    "every character for a URL, lower": lambda key: "".join(f"%{ord(c):02x}" for c in key),
    "some characters for a URL": lambda key: "".join(f"%{ord(c):02x}" if n % 3 else c for n, c in enumerate(key)),
    "twice for a URL": lambda key: quote(quote(key, safe=""), safe=""),
    "for a URL, backwards": lambda key: "".join(f"%{ord(c):02x}" for c in key[::-1]),
    "escaped for JSON": lambda key: "".join(f"\\u{ord(c):04x}" for c in key),
    "escaped for JSON, upper": lambda key: "".join(f"\\u{ord(c):04X}" for c in key),
    "escaped in JSON in JSON": lambda key: json.dumps("".join(f"\\u{ord(c):04x}" for c in key))[1:-1],
    "slashes escaped": lambda key: key.replace("/", "\\/"),
    "in hexadecimal escapes": lambda key: "".join(f"\\x{ord(c):02x}" for c in key),
    "for HTML": lambda key: "".join(f"&#{ord(c)};" for c in key),
    "for HTML, hexadecimal": lambda key: "".join(f"&#x{ord(c):X};" for c in key),
    "hex": lambda key: key.encode().hex(),
    "base64": lambda key: base64.b64encode(key.encode()).decode(),
    "base64 for URLs": lambda key: base64.urlsafe_b64encode(key.encode()).decode(),
    "base64 of a header": lambda key: base64.b64encode(f"user:{key}".encode()).decode(),
    "base64 of more": lambda key: base64.b64encode(f"a{key}!".encode()).decode(),
    "base64 of other words": lambda key: base64.b64encode(f"token={key}; path=/".encode()).decode(),
}


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("spelling", list(SPELLED))
def test_every_spelling_is_taken_out(spelling: str, key: str) -> None:
    spelled = SPELLED[spelling](key)
    cleaned = Redactor((key,)).clean(f"it is <{spelled}>, said the page")
    assert "[key]" in cleaned
    assert cleaned.startswith("it is <") and cleaned.endswith(">, said the page")
    # Of base64 a character at either end belongs to the neighbours too.
    assert len(cleaned) <= len("it is <[key]>, said the page") + 40
    assert spelled not in cleaned and html.escape(key) not in cleaned
    assert key[4:-4] not in cleaned and key[4:-4][::-1] not in cleaned


@pytest.mark.parametrize("spelling", list(SPELLED))
def test_a_body_stays_json(spelling: str) -> None:
    body = orjson.dumps({"said": SPELLED[spelling](KEYS[0]), "n": [1, "é", "\n\\"]})
    cleaned = orjson.loads(Redactor(tuple(KEYS)).clean_bytes(body))
    assert "[key]" in cleaned["said"] and cleaned["n"] == [1, "é", "\n\\"]


@given(st.text(max_size=200))
def test_other_texts_are_left_alone(text: str) -> None:
    redactor = Redactor(("wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLE==",))
    assert redactor.clean_bytes(text.encode("utf-8", "surrogatepass")) == text.encode("utf-8", "surrogatepass")


@given(st.binary(max_size=200))
def test_bytes_that_are_no_text_are_left_alone(data: bytes) -> None:
    assert Redactor(("together-0123456789abcdef",)).clean_bytes(data) == data


def test_a_recording_holds_no_key_of_a_prompt_and_still_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", KEYS[1])
    Path("s.toml").write_text('[[rules]]\nanswer = { text = "I heard it." }\n')
    question = f"Log in with {KEYS[1]} or sk-looks-like-a-key-123 at https://me:pw123@host/ please"
    ask = ["model", "ask", "scripted|s.toml", question]
    assert main([*ask, "--system", f"key {KEYS[1][::-1]}", "--record", "r.jsonl"]) == 0
    recorded = Path("r.jsonl").read_text()
    for secret in (KEYS[1], KEYS[1][::-1], "sk-looks-like-a-key-123", "pw123"):
        assert secret not in recorded
    capsys.readouterr()
    monkeypatch.delenv("OPENAI_API_KEY")
    assert main([*ask, "--system", f"key {KEYS[1][::-1]}", "--replay", "r.jsonl"]) == 0
    assert "I heard it." in capsys.readouterr().out
    assert main(["model", "ask", "scripted|s.toml", "Log in with", "--replay", "r.jsonl"]) == 2


async def _ask(model: ReplayModel, words: str) -> Answer:
    return await model.ask(Request(messages=(user(words),)))


def test_a_mark_stands_for_one_word_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import asyncio

    monkeypatch.chdir(tmp_path)
    Path("s.toml").write_text('[[rules]]\nanswer = { text = "ok" }\n')
    assert main(["model", "ask", "scripted|s.toml", "use sk-0123456789 now", "--record", "r.jsonl"]) == 0
    model = ReplayModel(Path("r.jsonl"), ModelId(provider="scripted", model="s.toml"))
    from trueline.models.recordings.replay import UnseenRequestError

    with pytest.raises(UnseenRequestError):
        asyncio.run(_ask(model, "use this and that now"))
