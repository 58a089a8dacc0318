"""`trueline model`: ask, list and probe, through the program's own entry."""

from __future__ import annotations

import asyncio
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image as Pillow

from trueline.cli import main
from trueline.models.testing import Body, FakeServer, Hang, Say, Seen, Status
from trueline.models.types import Json

SCHEMA = {"type": "object", "properties": {"align": {"type": "boolean"}}, "required": ["align"]}


@pytest.fixture(autouse=True)
def clean_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty folder with no keys, and a cache of its own."""
    monkeypatch.chdir(tmp_path)
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY", "LOCAL_OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TRUELINE_CACHE_DIR", str(tmp_path / "cache"))


def run(server: FakeServer, *commands: list[str]) -> list[int]:
    """Run commands against a server; each finds its address in the environment."""

    async def serve() -> list[int]:
        async with server:
            with pytest.MonkeyPatch.context() as patch:
                patch.setenv("LOCAL_OPENAI_BASE_URL", f"{server.url}/v1")
                return [await asyncio.to_thread(main, command) for command in commands]

    return asyncio.run(serve())


def ask(*words: str) -> list[str]:
    return ["model", "ask", "local|m", *words]


def script(text: str = "scripted words", **answer: Any) -> str:
    Path("script.json").write_text(json.dumps({"rules": [{"answer": answer or {"text": text}}]}))
    return "scripted|script.json"


def picture(name: str, colour: str) -> str:
    Pillow.new("RGB", (8, 8), colour).save(name)
    return name


def test_ask_prints_the_answer_on_stdout_and_the_facts_on_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(FakeServer(Say("Two\nlines.", input_tokens=11, output_tokens=5)), ask("hello")) == [0]
    out, err = capsys.readouterr()
    assert out == "Two\nlines.\n"
    assert "11 tokens in, 5 out, cost unknown" in err


def test_ask_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(FakeServer(Say("yes", input_tokens=11, output_tokens=5)), ask("hello", "--json")) == [0]
    out, err = capsys.readouterr()
    document = json.loads(out)
    assert {"text", "parsed", "usage", "cost", "cached", "latency_s"} <= document.keys()
    assert (document["text"], document["parsed"], document["cached"], document["cost"]) == ("yes", None, False, None)
    assert (document["usage"]["input_tokens"], document["usage"]["output_tokens"]) == (11, 5)
    assert 0 < document["latency_s"] < 60
    assert err == ""


def test_tokens_that_the_server_does_not_tell_are_unknown_and_not_zero(capsys: pytest.CaptureFixture[str]) -> None:
    reply: Json = {"choices": [{"message": {"content": "yes"}, "finish_reason": "stop"}], "model": "m"}
    server = FakeServer(default=Body.from_json(reply))
    assert run(server, ask("hello"), ask("hello", "--json")) == [0, 0]
    out, err = capsys.readouterr()
    assert "m, tokens unknown, cost unknown" in err
    document = json.loads(out.removeprefix("yes\n"))
    assert document["cost"] is None
    assert document["usage"] == {
        "input_tokens": None,
        "cached_tokens": None,
        "output_tokens": None,
        "reasoning_tokens": None,
        "calls": 1,
        "uncounted": 1,
    }


def test_ask_sends_what_the_flags_say() -> None:
    server = FakeServer()
    pictures = [picture("one.png", "red"), picture("two.png", "blue")]
    words = "--image one.png two.png --system Brief --temperature 0.5 --top-p 0.9 --max-tokens 7 --seed 3"
    command = ask("What is it?", *words.split(), "--stop", "END", "--reasoning_effort", "low")
    assert run(server, command) == [0]
    (seen,) = server.seen
    assert b'{"role":"system","content":"Brief"}' in seen.raw
    assert b"What is it?" in seen.raw
    assert seen.pictures() == [hashlib.sha256(Path(name).read_bytes()).hexdigest() for name in pictures]
    wanted = {"temperature": 0.5, "top_p": 0.9, "max_tokens": 7, "seed": 3, "stop": ["END"], "reasoning_effort": "low"}
    assert {key: seen.body.get(key) for key in wanted} == wanted


def test_ask_with_a_schema(capsys: pytest.CaptureFixture[str]) -> None:
    Path("schema.json").write_text(json.dumps(SCHEMA))
    assert run(FakeServer(Say('{"align": true}')), ask("?", "--schema", "schema.json", "--json")) == [0]
    assert json.loads(capsys.readouterr().out)["parsed"] == {"align": True}


def test_the_seeds_flags_name_provider_and_server() -> None:
    server = FakeServer()

    async def serve() -> int:
        async with server:
            words = ["model", "ask", "m", "hello", "--model_provider", "vllm", "--model_temperature", "1"]
            return await asyncio.to_thread(main, [*words, "--model_url", f"{server.url}/v1"])

    assert asyncio.run(serve()) == 0
    assert server.seen[0].body["temperature"] == 1


def test_the_question_may_come_from_stdin(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    question = tmp_path / "question.txt"
    question.write_text("long question")
    server = FakeServer()
    with question.open() as file:
        monkeypatch.setattr("sys.stdin", file)
        assert run(server, ask("-")) == [0]
    assert b"long question" in server.seen[0].raw


def test_what_a_model_says_cannot_play_with_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    hostile = "a\x1b[2Jb\rc\x07\u202ed\n\tnext"
    assert main(["model", "ask", script(hostile), "hi"]) == 0
    assert capsys.readouterr().out == "a\\x1b[2Jb\\rc\\x07\\u202ed\n\tnext\n"


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        ({"refusal": "I will not."}, "the model refused: I will not."),
        ({"text": "half", "stop": "length"}, "the answer was cut off at the token limit"),
        ({"error": "auth", "message": "bad key"}, "bad key"),
        ({"json": {"align": "yes"}}, "does not fit its schema"),
    ],
)
def test_no_answer_is_exit_1_and_one_line(
    answer: dict[str, Any], line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("schema.json").write_text(json.dumps(SCHEMA))
    assert main(["model", "ask", script(**answer), "hi", "--schema", "schema.json", "--json"]) == 1
    out, err = capsys.readouterr()
    assert line in err
    assert err.count("\n") == 1
    if out:
        assert json.loads(out)["stop"] != "stop"


def test_the_timeout_holds(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(FakeServer(default=Hang()), ask("hello", "--timeout", "0.2")) == [1]
    assert "no answer in time" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["openai|gpt-5", "hi"], "openai: set OPENAI_API_KEY"),
        (["nobody|m", "hi"], "unknown provider 'nobody'"),
        (["local|m", "hi", "--image", "absent.png"], "absent.png: cannot be read"),
        (["local|m", "hi", "--image", "text.png"], "text.png: must be a PNG, JPEG, WebP or GIF image"),
        (["local|m", "hi", "--schema", "absent.json"], "absent.json: the schema cannot be read"),
        (["local|m", "hi", "--schema", "text.png"], "text.png: invalid JSON"),
        (["local|m", "hi", "--schema", "list.json"], "list.json: a schema must be a JSON object"),
        (["local|m", "hi", "--schema", "odd.json"], "odd.json: "),
        (["local|m", ""], "the question is empty"),
        (["local|m", "hi", "--timeout", "0"], "argument --timeout: must be greater than 0, not 0"),
        (["local|m", "hi", "--record", "a", "--replay", "b"], "not allowed with argument"),
        (["local|m", "hi", "--replay", "absent.jsonl"], "absent.jsonl: the recording cannot be read"),
        (["scripted|absent.toml", "hi"], "absent.toml: the script cannot be read"),
        (["embedded|gpt", "hi"], "embedded|gpt: unknown model"),
    ],
)
def test_wrong_input_is_exit_2_and_one_line(words: list[str], line: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("text.png").write_text("no picture")
    Path("list.json").write_text("[]")
    Path("odd.json").write_text('{"type": "object", "$dynamicRef": "x"}')
    assert main(["model", "ask", *words]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert line in err
    assert err.count("\n") == 1


def test_the_cache_is_used_only_when_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    server = FakeServer(Say("one"), Say("two"), Say("three"))
    plain, cached = ask("hi", "--json"), ask("hi", "--json", "--cache")
    assert run(server, plain, cached, cached, [*cached, "--no-cache"]) == [0] * 4
    decoder, text, answers = json.JSONDecoder(), capsys.readouterr().out, list[Any]()
    while text:
        document, end = decoder.raw_decode(text)
        answers.append((document["text"], document["cached"]))
        text = text[end:].lstrip()
    assert answers == [("one", False), ("two", False), ("two", True), ("three", False)]


def test_record_and_replay(capsys: pytest.CaptureFixture[str]) -> None:
    server = FakeServer(Say("recorded words"))
    assert run(server, ask("hi", "--record", "r.jsonl")) == [0]
    assert main(ask("hi", "--replay", "r.jsonl")) == 0
    assert capsys.readouterr().out == "recorded words\n" * 2
    assert main(ask("hi there", "--replay", "r.jsonl")) == 2
    assert "the most similar one, number 1 of 1, differs in messages[0].parts[0].text" in capsys.readouterr().err


def test_keys_are_never_shown_or_kept(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    key = "local-0123456789abcdef"
    monkeypatch.setenv("LOCAL_OPENAI_API_KEY", key)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789abcdef")
    server = FakeServer(Say("ok"), Status(401, f"the key {key} is wrong"))
    keep = ["--cache", "--record", "r.jsonl"]
    assert run(server, ask("one", *keep), ask("two", *keep), ["model", "list"], ["model", "list", "--json"]) == [
        0,
        1,
        0,
        0,
    ]
    assert key in server.seen[0].headers["authorization"]
    kept = b"".join(file.read_bytes() for file in Path().rglob("*") if file.is_file())
    for secret in (key, "sk-0123456789abcdef"):
        assert secret not in "".join(capsys.readouterr())
        assert secret.encode() not in kept


def test_list_says_what_is_set(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-0123456789")
    Path(".env").write_text("GENAI_API_KEY=gemini-key-0123\n")
    assert main(["model", "list", "--json"]) == 0
    providers = {p["name"]: p for p in json.loads(capsys.readouterr().out)["providers"]}
    assert {"openai", "azure", "anthropic", "aws", "local", "embedded", "scripted"} <= providers.keys()
    assert (providers["anthropic"]["ready"], providers["openai"]["ready"]) == (True, False)
    assert providers["gemini"]["families"][0][0] == {
        "names": ["GEMINI_API_KEY", "GENAI_API_KEY", "GOOGLE_API_KEY"],
        "required": True,
        "set": True,
        "set_name": "GENAI_API_KEY",
    }
    assert main(["model", "list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert next(line for line in lines if line.startswith("anthropic")).split()[1] == "ready"
    assert next(line for line in lines if line.startswith("openai")).split()[1:4] == ["needs", "a", "key"]
    assert any("OPENAI_API_KEY (not set)" in line for line in lines)


def probe(server: FakeServer, *words: str) -> int:
    return run(server, ["model", "probe", "local|m", "--text", "THE QUESTION", *words])[0]


def test_probe_of_a_server_that_always_says_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    server = FakeServer(default=Say("same", delay_s=0.02))
    assert probe(server, "--times", "3", "--load", "4") == 0
    out = capsys.readouterr().out
    assert "alone:      3 of 3 answers are the same" in out
    assert "under load: 3 of 3 answers are the same (4 requests at once)" in out
    assert "batch-invariant, as far as seen" in out
    assert f"{3 + 3 * 4} requests" in out
    assert server.count == 3 + 3 * 4
    assert server.most_active == 4
    assert all(seen.body["temperature"] == 0 for seen in server.seen)


def test_probe_of_a_server_whose_answer_depends_on_its_load(capsys: pytest.CaptureFixture[str]) -> None:
    def answer(seen: Seen) -> Say:
        return Say("A calm sea." if server.count <= 2 else "A calm bay.")

    server = FakeServer(default=answer)
    assert probe(server, "--times", "2", "--load", "3", "--json") == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["deterministic"], document["batch_invariant"]) == (True, False)
    assert {a["text"] for a in document["answers"]} == {"A calm sea.", "A calm bay."}
    server.count = 0
    assert probe(server, "--times", "2", "--load", "3") == 0
    out = capsys.readouterr().out
    assert "the first differences come at character 8" in out
    assert "deterministic alone but not batch-invariant" in out


def test_probe_of_a_server_that_draws(capsys: pytest.CaptureFixture[str]) -> None:
    assert probe(FakeServer(default=lambda _: Say(f"draw {next(draws)}")), "--times", "3", "--load", "0") == 0
    out = capsys.readouterr().out
    assert "alone:      1 of 3 answers are the same" in out
    assert "under load" not in out
    assert "not deterministic at temperature 0, even alone" in out


draws = iter(range(100))


def test_probe_says_why_it_could_not_find_out(capsys: pytest.CaptureFixture[str]) -> None:
    assert probe(FakeServer(default=Status(400, "temperature is not supported"))) == 1
    assert "temperature is not supported" in capsys.readouterr().err
    assert probe(FakeServer(default=Say("", refusal="No.", stop="refusal"))) == 1
    assert "the model refused" in capsys.readouterr().err


@pytest.mark.full
def test_the_embedded_model_answers_and_says_what_it_is_worth(capsys: pytest.CaptureFixture[str]) -> None:
    Path("schema.json").write_text(json.dumps(SCHEMA))
    words = [
        "model",
        "ask",
        "embedded|smollm2",
        "Is waiting harmless?",
        "--schema",
        "schema.json",
        "--max-tokens",
        "99",
    ]
    assert main([*words, "--temperature", "0", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert isinstance(document["parsed"]["align"], bool)
    assert document["cost"] == 0
    assert "too small for reliable answers" in document["note"]
    assert main([*words, "--temperature", "0"]) == 0
    assert "too small for reliable answers" in capsys.readouterr().err
