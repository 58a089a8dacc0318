"""The contract: frozen, serialisable, and honest about what is no answer."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from trueline.models import (
    Answer,
    ComputerTool,
    Image,
    Message,
    Request,
    Schema,
    Text,
    ToolCall,
    ToolResult,
    assistant,
    user,
)
from trueline.models.errors import InvalidAnswerError, NoAnswerError
from trueline.models.types import FunctionTool, NativeItem
from trueline.records.setting import Sampling
from trueline.records.usage import Usage


class Yes(BaseModel):
    yes: bool


FULL = Request(
    messages=(
        user("look", Image(data=b"first-picture")),
        assistant("I see", ToolCall(id="1", name="f", arguments={"a": [1, None]})),
        Message(role="user", parts=(ToolResult(id="1", parts=(Text(text="r"), Image(data=b"two")), is_error=True),)),
        Message(role="assistant", parts=(NativeItem(api="messages", item={"type": "thinking"}),)),
    ),
    system="be good",
    sampling=Sampling(temperature=0, seed=3, stop=("x",)),
    tools=(FunctionTool(name="f", parameters={}), ComputerTool(version="computer", width=1, height=1)),
    expects=Schema.from_model(Yes),
    purpose="judge",
    sample=2,
)


def test_requests_and_answers_survive_json() -> None:
    assert Request.model_validate_json(FULL.model_dump_json()) == FULL
    answer = Answer(text="x", parsed={"yes": True}, stop="stop", usage=Usage(calls=1, cost=0.1), model="m")
    assert Answer.model_validate_json(answer.model_dump_json()) == answer


def test_nothing_can_be_changed_or_slipped_in() -> None:
    with pytest.raises(ValidationError):
        FULL.system = "be bad"  # pyright: ignore[reportAttributeAccessIssue]  # the point of the test
    with pytest.raises(ValidationError):
        Request.model_validate({"messages": [], "temprature": 1})


def test_the_shape_holds_all_that_shapes_the_answer_and_pictures_by_digest() -> None:
    text = str(FULL.shape())
    assert Image(data=b"two").digest in text
    assert "first-picture" not in text
    changed: list[dict[str, object]] = [
        {"system": "x"},
        {"sampling": Sampling(temperature=1)},
        {"tools": ()},
        {"expects": None},
        {"sample": 3},
        {"messages": (user("other"),)},
        {"tool_choice": "required"},
    ]
    assert all(FULL.model_copy(update=change).shape() != FULL.shape() for change in changed)
    same: list[dict[str, object]] = [{"purpose": "guard"}, {"episode": "e"}, {"stage": "s"}, {"deadline_s": 3.0}]
    assert all(FULL.model_copy(update=change).shape() == FULL.shape() for change in same)


@settings(deadline=None)
@given(st.binary(min_size=1), st.binary(min_size=1))
def test_pictures_with_other_bytes_have_other_digests(one: bytes, two: bytes) -> None:
    assert (Image(data=one).digest == Image(data=two).digest) is (one == two)


def test_the_bytes_of_a_picture_do_not_show() -> None:
    assert "secret" not in repr(Image(data=b"secret"))


@pytest.mark.parametrize(
    ("stop", "words"), [("refusal", "refused"), ("length", "cut off"), ("content_filter", "filter")]
)
def test_what_is_no_answer_says_what_it_is(stop: str, words: str) -> None:
    answer = Answer.model_validate({"text": "partly", "stop": stop, "refusal": "because"})
    assert not answer.complete
    with pytest.raises(NoAnswerError, match=f"{words}.*because"):
        answer.require()


def test_parsing_into_the_wrong_model_is_an_error_without_the_content() -> None:
    with pytest.raises(InvalidAnswerError, match="Yes") as caught:
        Answer(parsed={"yes": "secret words"}).parse(Yes)
    assert "secret" not in str(caught.value)
    assert Answer(parsed={"yes": True}).parse(Yes) == Yes(yes=True)


def test_a_copy_with_other_bytes_has_another_digest() -> None:
    image = Image(data=b"one")
    assert image.digest != image.model_copy(update={"data": b"two"}).digest
    assert image.model_copy(update={"data": b"two"}).digest == Image(data=b"two").digest
