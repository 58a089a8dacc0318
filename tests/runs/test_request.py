"""A request: which fields it knows, which go together, and what it is as a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from trueline.cli.guard_flags import with_flags
from trueline.cli.parser import Parser
from trueline.cli.run import configure
from trueline.errors import InputError, RequestError
from trueline.runs.compatible_defaults import LIKE, fill_defaults
from trueline.runs.request import RunRequest
from trueline.runs.request_file import dump_request, make_request, read_fields, request_yaml


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"only_injection": ["x"]}, "`only_injection`: requires `inject`"),
        ({"attack_text": "task"}, "`attack_text` task: requires `inject`"),
        ({"inject": True, "allow_live_targets": True}, "`allow_live_targets`: requires `attack_text` task"),
        (
            {"inject": True, "attack_text": "task", "provider_name": "osworld", "path_to_vm": "127.0.0.1:5000"},
            "`attack_text` task: on `provider_name` osworld the hosts that the texts name may be real ones: "
            "set `allow_live_targets`",
        ),
        ({"max_retries": 2}, "`max_retries`: requires `method`"),
        ({"method": "clarify_upon_retry"}, "`method` clarify_upon_retry: requires `user_sim_model`"),
        ({"agent": "oracle", "model": "m"}, "`model`: `agent` oracle is simulated"),
        ({"guard_shadow": True}, "`guard_shadow`: requires `guard`"),
        ({"guard_options": {"mode": "cost"}}, "`guard_options.mode`: requires `guard`"),
        ({"suite": "a", "test_all_meta_path": "b"}, "`suite`: cannot be combined with"),
        ({"provider_name": "aws"}, "`provider_name`: unknown provider 'aws'"),
        ({"max_step": 3}, "`max_step`: unknown field, did you mean max_steps?"),
        ({"max_steps": 0}, "`max_steps`: must be greater than or equal to 1, not 0"),
        ({"num_envs": "many"}, "`num_envs`: must be an integer"),
    ],
)
def test_what_is_wrong_is_said_in_one_line_that_names_the_field(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(RequestError) as error:
        make_request(fields)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("`max_retries`: requires `method`", "--max_retries: requires --method"),
        ("`guard_options.mode`: requires `guard`", "--guard_mode: requires --guard"),
        ("`guard_options.rules`: missing", "--policy: missing"),
        ("`guard_options.mood`: unknown", "--guard_option mood: unknown"),
        ("`agent_options.slip`: unknown", "--agent_option slip: unknown"),
    ],
)
def test_the_command_line_shows_flags_for_fields(message: str, shown: str) -> None:
    assert with_flags(message) == shown


def test_every_field_is_a_flag_of_the_same_name() -> None:
    parser = Parser(prog="run")
    configure(parser)
    flags = {action.dest for action in parser._actions}
    assert set(RunRequest.model_fields) - flags == {"agent_options", "guard_options"}
    assert {"agent_option", "guard_option"} <= flags


def test_a_file_says_where_it_is_wrong(tmp_path: Path) -> None:
    path = tmp_path / "run.yaml"
    path.write_text("suite: starter\nagent: oracle\nmax_step: 3\n")
    with pytest.raises(InputError, match=r"run.yaml: line 3: max_step: unknown field, did you mean max_steps\?"):
        read_fields(path)
    path.write_text("suite: starter\n\nnum_envs: lots\n")
    with pytest.raises(InputError, match=r'run.yaml: line 3: num_envs: must be an integer, not "lots"'):
        read_fields(path)
    path.write_text("- suite\n")
    with pytest.raises(InputError, match="must be a mapping"):
        read_fields(path)
    path.write_text("suite: a\nsuite: b\n")
    with pytest.raises(InputError, match=r"duplicate key 'suite' \(line 2\)"):
        read_fields(path)


FIELDS = st.fixed_dictionaries(
    {},
    optional={
        "suite": st.text(min_size=1, max_size=20),
        "seed": st.integers(0, 2**40),
        "repeats": st.integers(1, 9),
        "only": st.lists(st.text(max_size=9), max_size=3),
        "temperature": st.floats(0, 2),
        "agent_options": st.dictionaries(st.sampled_from(["slip", "mood"]), st.integers() | st.text(max_size=9)),
        "inject": st.booleans(),
        "result_dir": st.sampled_from(["results", "a b/c"]),
    },
)


@example({"suite": "\x85"})
@example({"suite": "\u2028"})
@given(FIELDS)
def test_a_written_request_reads_back_the_same(
    tmp_path_factory: pytest.TempPathFactory, fields: dict[str, Any]
) -> None:
    request = make_request(fields)
    path = tmp_path_factory.mktemp("request") / "run.yaml"
    path.write_text(request_yaml(request), "utf-8")
    assert make_request(read_fields(path)) == request
    assert make_request(json.loads(json.dumps(dump_request(request)))) == request


@pytest.mark.parametrize("like", LIKE)
def test_defaults_are_put_in_where_nothing_is_said(like: str) -> None:
    request = make_request({"like": like, "max_steps": 7, "suite": "starter"})
    completed = fill_defaults(request)
    assert completed.request.max_steps == 7 and "max_steps" not in completed.defaults
    assert completed.request.max_trajectory_length == LIKE[like]["max_trajectory_length"]
    assert completed.request.test_all_meta_path is None
    assert completed.request.record is (like == "osharm")
