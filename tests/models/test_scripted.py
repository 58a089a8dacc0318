"""The scripted model: rules from a file, answers and faults of every kind, and files that are wrong."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from trueline.models.errors import (
    AttemptTimeoutError,
    AuthError,
    ConnectionLostError,
    DeadlineError,
    InvalidAnswerError,
    MalformedResponseError,
    ModelError,
    RateLimitedError,
    RejectedError,
    ServerError,
)
from trueline.models.scripted import ScriptedModel
from trueline.models.scripted.script import ScriptError, UnmatchedError, read_script
from trueline.models.types import Answer, Image, Request, Schema, Text, ToolResult, assistant, user

VERDICT = Schema(
    name="verdict",
    definition={
        "type": "object",
        "properties": {"thought": {"type": "string"}, "align": {"type": "boolean"}},
        "required": ["thought", "align"],
        "additionalProperties": False,
    },
)

SCRIPT = """
about = "A guard that knows one word."

[[rules]]
name = "fast check of deleting"
when = { purpose = "guard", stage = ["fast_check", "again"], text_regex = "(?i)delete" }
answer = { json = { thought = "It deletes.", align = false }, usage = { input_tokens = 9, calls = 1, cost = 0.01 } }

[[rules]]
when = { purpose = ["guard", "judge"] }
answer = { json = { thought = "Fine.", align = true } }

[[rules]]
when = { system = "You are an agent", images = 1 }
answers = [
  { calls = [{ name = "computer", arguments = { action = "click", x = 3 } }], reasoning = "There is a button." },
  { text = '''
Two
lines.''' },
]

[[rules]]
when = { call = [5], sample = 2 }
answer = { text = "fifth" }

[[rules]]
when.text = "exactly this"
answer.text = "that"
"""


def make(folder: Path, content: str | dict[str, Any], name: str = "") -> ScriptedModel:
    path = folder / (name or ("script.toml" if isinstance(content, str) else "script.json"))
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return ScriptedModel(path)


def ask(model: ScriptedModel, *messages: str, **fields: Any) -> Answer:
    turns = tuple(user(text) for text in messages or ("hello",))
    return asyncio.run(model.ask(Request(messages=turns, **fields)))


def rule(**answer: Any) -> dict[str, Any]:
    return {"rules": [{"answer": answer}]}


def test_the_first_rule_that_fits_answers(tmp_path: Path) -> None:
    model = make(tmp_path, SCRIPT)
    deleting = ask(model, "Delete the file", purpose="guard", stage="fast_check", expects=VERDICT)
    assert deleting.parsed == {"thought": "It deletes.", "align": False}
    assert (deleting.usage.input_tokens, deleting.usage.cost) == (9, 0.01)
    other_stage = ask(model, "Delete the file", purpose="guard", stage="systematic", expects=VERDICT)
    assert other_stage.parsed == {"thought": "Fine.", "align": True}
    assert ask(model, "exactly this, please").text == "that"


def test_only_the_last_message_is_matched(tmp_path: Path) -> None:
    model = make(tmp_path, SCRIPT)
    with pytest.raises(UnmatchedError):
        ask(model, "exactly this", "something else")
    result = ToolResult(id="1", parts=(Text(text="exactly this"), Image(data=b"x")))
    request = Request(messages=(user("go"), assistant("x"), user(result)))
    assert asyncio.run(model.ask(request)).text == "that"


def test_answers_are_given_one_after_the_other_in_each_episode(tmp_path: Path) -> None:
    model = make(tmp_path, SCRIPT)

    def step(episode: str) -> Answer:
        turn = user("Now?", Image(data=b"png"))
        return asyncio.run(model.ask(Request(messages=(turn,), system="You are an agent.", episode=episode)))

    first = step("a")
    assert (first.stop, first.reasoning) == ("tool_calls", "There is a button.")
    assert [(c.name, c.arguments) for c in first.calls] == [("computer", {"action": "click", "x": 3})]
    assert step("b").stop == "tool_calls"
    assert step("a").text == "Two\nlines."
    with pytest.raises(UnmatchedError, match="call 3"):
        step("a")


def test_ids_of_calls_are_unique_in_an_episode(tmp_path: Path) -> None:
    model = make(tmp_path, rule(calls=[{"name": "a"}, {"name": "b"}]))
    ids = [call.id for _ in range(3) for call in ask(model).calls]
    assert len(set(ids)) == 6


def test_call_and_sample_numbers(tmp_path: Path) -> None:
    model = make(tmp_path, SCRIPT)
    for _ in range(4):
        with pytest.raises(UnmatchedError):
            ask(model, sample=2)
    assert ask(model, sample=2).text == "fifth"


def test_an_unmatched_request_is_told_with_file_and_text(tmp_path: Path) -> None:
    model = make(tmp_path, SCRIPT)
    with pytest.raises(UnmatchedError) as e:
        ask(model, "who\x1b[31m are you\n", purpose="plan", stage="first")
    line = str(e.value)
    assert "script.toml" in line
    assert "none of the 5 rules" in line
    assert "purpose plan, stage first" in line
    assert "who" in line
    assert "\n" not in line and "\x1b" not in line


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("rate_limited", RateLimitedError),
        ("server", ServerError),
        ("connection", ConnectionLostError),
        ("timeout", AttemptTimeoutError),
        ("malformed", MalformedResponseError),
        ("rejected", RejectedError),
        ("auth", AuthError),
    ],
)
def test_faults(tmp_path: Path, name: str, kind: type[ModelError]) -> None:
    model = make(tmp_path, rule(error=name, message="busy", status=429, retry_after_s=1.5))
    with pytest.raises(ModelError, match="busy") as e:
        ask(model)
    assert type(e.value) is kind
    assert (e.value.status, e.value.retry_after_s) == (429, 1.5)


def test_refusal_truncation_and_filter_are_results_of_their_own(tmp_path: Path) -> None:
    refused = ask(make(tmp_path, rule(refusal="No.")), expects=VERDICT)
    assert (refused.stop, refused.refusal, refused.complete, refused.parsed) == ("refusal", "No.", False, None)
    cut = ask(make(tmp_path, rule(text='{"thought": "I th', stop="length")), expects=VERDICT)
    assert (cut.stop, cut.complete, cut.parsed) == ("length", False, None)
    assert ask(make(tmp_path, rule(stop="content_filter"))).stop == "content_filter"


@pytest.mark.parametrize(
    "answer", [{"text": "The answer is true."}, {"json": {"thought": 1, "align": True}}, {"json": None}, {"text": "{"}]
)
def test_an_answer_of_the_wrong_form_is_an_error(tmp_path: Path, answer: dict[str, Any]) -> None:
    with pytest.raises(InvalidAnswerError, match=r"script\.json: the answer does not fit"):
        ask(make(tmp_path, rule(**answer)), expects=VERDICT)


def test_json_written_as_text_is_read_like_any_models(tmp_path: Path) -> None:
    answer = ask(make(tmp_path, rule(text='{"thought": "é", "align": true}')), expects=VERDICT)
    assert answer.parsed == {"thought": "é", "align": True}


def test_json_without_a_schema_is_text(tmp_path: Path) -> None:
    answer = ask(make(tmp_path, rule(json={"a": ["é"]})))
    assert (answer.text, answer.parsed) == ('{"a": ["é"]}', None)


def test_a_late_answer_is_no_answer(tmp_path: Path) -> None:
    model = make(tmp_path, rule(text="late", delay_s=3600))
    with pytest.raises(DeadlineError):
        ask(model, deadline_s=0.01)


def test_a_changed_script_is_another_model(tmp_path: Path) -> None:
    one, other = make(tmp_path, rule(text="a")).id, make(tmp_path, rule(text="b")).id
    assert one != other
    assert str(one) == str(other) == f"scripted|{tmp_path}/script.json"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ({"rules": []}, "rules: must be a non-empty list"),
        ({}, "rules: is required"),
        ({"rulez": []}, "rules: is required"),
        ({"rules": [{"answer": {"text": "x"}}], "rulez": 1}, r"rulez: unknown field, did you mean rules\?"),
        (
            {"rules": [{"when": {"purpos": "guard"}, "answer": {"text": "x"}}]},
            r"rules\[0\].when.purpos: unknown field, did you mean purpose\?",
        ),
        ({"rules": [{"when": {"purpose": "guards"}, "answer": {"text": "x"}}]}, r"rules\[0\].when.purpose\[0\]: "),
        ({"rules": [{"answer": {"txt": "x"}}]}, r"rules\[0\].answer.txt: unknown field, did you mean text\?"),
        ({"rules": [{"answer": {"data": 1}}]}, r"rules\[0\].answer.data: unknown field, choose one of text, json"),
        ({"rules": [{"answers": [{"calls": [{"nam": ""}]}]}]}, r"rules\[0\].answers\[0\].calls\[0\]"),
        ({"rules": [{"answer": {}}]}, r"rules\[0\].answer: is empty"),
        ({"rules": [{"when": {}}]}, r"rules\[0\]: give either answer or answers"),
        ({"rules": [{"answer": {"text": "x"}, "answers": [{"text": "x"}]}]}, "give either answer or answers"),
        ({"rules": [{"answer": {"text": "x", "json": 1}}]}, "text and json exclude each other"),
        ({"rules": [{"answer": {"text": "x", "error": "auth"}}]}, "error and text exclude each other"),
        ({"rules": [{"answer": {"error": "http"}}]}, r"rules\[0\].answer.error: "),
        (
            {"rules": [{"when": {"text_regex": "("}, "answer": {"text": "x"}}]},
            "text_regex: must be a regular expression",
        ),
        ({"rules": [{"when": {"call": 0}, "answer": {"text": "x"}}]}, r"when.call\[0\]: .*greater than or equal to 1"),
        ("rules = [", "invalid TOML"),
        ([1], "the file: "),
    ],
)
def test_a_wrong_file_is_one_line_with_file_and_key(tmp_path: Path, content: Any, problem: str) -> None:
    with pytest.raises(ScriptError, match=problem) as e:
        make(tmp_path, content)
    assert str(e.value).startswith(f"{tmp_path}/script.")
    assert "\n" not in str(e.value)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(ScriptError, match=r"nowhere\.toml: the script cannot be read: No such file"):
        ScriptedModel(tmp_path / "nowhere.toml")
    with pytest.raises(ScriptError, match=r"script\.yaml: .* must end in \.toml or \.json"):
        make(tmp_path, "rules: []", "script.yaml")
    (tmp_path / "bytes.json").write_bytes(b"\xff\xfe")
    with pytest.raises(ScriptError, match="invalid JSON"):
        ScriptedModel(tmp_path / "bytes.json")


def test_the_scripts_in_the_documentation_are_right() -> None:
    page = Path(__file__).parents[2] / "docs" / "how-to" / "models.md"
    scripts = [block.partition("```")[0] for block in page.read_text(encoding="utf-8").split("```toml\n")[1:]]
    assert scripts
    for text in scripts:
        assert read_script(text.encode(), "docs.toml").rules
