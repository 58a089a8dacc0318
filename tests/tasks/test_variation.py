"""The same task with other names, values and places."""

from __future__ import annotations

import json

import pytest
from pydantic import JsonValue

from support.tiny_suite import note
from trueline.errors import InputError
from trueline.tasks.loading import parse_task
from trueline.tasks.model import Task
from trueline.tasks.variation import drawn, vary


def task(**changes: JsonValue) -> Task:
    return parse_task(note(**changes), file="note.json")


def test_a_seed_decides_and_everything_in_the_task_agrees() -> None:
    for seed in range(20):
        values, varied = drawn(task(), seed), vary(task(), seed)
        assert vary(task(), seed) == varied
        assert varied.instruction == f"Put the word into {values['file']}."
        assert varied.clarified_instruction is not None
        assert str(values["word"]) in varied.clarified_instruction
        assert "${" not in json.dumps(varied.to_json())
        assert varied.demo is not None
        assert varied.demo.solution[0].acts[1].type == f"{values['word']}\n"
        assert not varied.variation


def test_seeds_draw_every_alternative() -> None:
    found = [drawn(task(), seed) for seed in range(200)]
    assert {str(values["file"]) for values in found} == {"a.txt", "b.txt", "c.txt", "d.txt"}
    assert len({tuple(values.values()) for values in found}) == 12


def test_a_task_without_variation_stays_as_it_is() -> None:
    plain = task(variation={}, instruction="costs ${price}")
    assert vary(plain, 1) is plain


def test_fields_of_an_alternative() -> None:
    small: JsonValue = {
        "id": "note",
        "instruction": "${file.name} ${file.size}",
        "variation": {"file": [{"name": "x", "size": 3}]},
        "evaluator": {"func": "infeasible"},
    }
    varied = vary(parse_task(small, file="note.json"), 1)
    assert varied.instruction == "x 3"


def test_a_name_that_is_not_there_is_an_error() -> None:
    with pytest.raises(InputError, match=r"task note: \$\.instruction: \$\{colour\} is not in its variation"):
        vary(task(instruction="paint it ${colour}"), 1)
