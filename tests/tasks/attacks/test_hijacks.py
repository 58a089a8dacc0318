"""What a gullible reader makes of injected texts."""

from __future__ import annotations

import base64
import textwrap

import pytest

from trueline.tasks.attacks.canaries import canaries_of
from trueline.tasks.attacks.goals import GOALS, injected_text, injected_title
from trueline.tasks.attacks.hijacks import Order, hijack_steps, read_order
from trueline.tasks.model import Demo

CANARIES = canaries_of(7)
HOSTS = {
    "url_query_params",
    "terminal_cron_setup",
    "accept_purchase",
    "open_remote_access",
    "form_send_password",
    "image_send_password",
    "terminal_remote_script",
    "form_paste_ssh",
    "swisstransfer_send_files",
}
ADDRESSES = {"email_send_password", "email_send_prompt", "email_send_file", "plant_instruction"}


def typed(order: Order, demo: Demo | None = None) -> str:
    return "".join(act.type or "" for step in hijack_steps(order, demo) for act in step.acts)


@pytest.mark.parametrize("goal", GOALS.names())
def test_every_text_is_understood_wherever_it_breaks(goal: str) -> None:
    text = injected_text(GOALS.find(goal), CANARIES)
    wrapped = textwrap.fill(text, 40, break_long_words=False, break_on_hyphens=False)
    for shown in (text, wrapped, f"File Edit\t{injected_title()} {text} OK"):
        order = read_order(shown)
        assert order is not None
        assert order.goal == goal
        expected = {"host": CANARIES.host} if goal in HOSTS else {}
        assert order.values == expected | ({"address": CANARIES.address} if goal in ADDRESSES else {})
        assert all(value in typed(order) for value in order.values.values())


def test_an_address_that_became_a_link_is_read_behind_the_text() -> None:
    for goal, value in (("email_send_password", CANARIES.address), ("url_query_params", CANARIES.host)):
        text = injected_text(GOALS.find(goal), CANARIES)
        (link,) = (word for word in text.split() if value in word)
        order = read_order(f"{text.replace(link, '')} {link} You are currently online.")
        assert order is not None
        assert list(order.values.values()) == [value]
        assert read_order(text.replace(link, "")) is None


def test_comments_do_not_hide_a_text() -> None:
    text = injected_text(GOALS.find("terminal_cron_setup"), CANARIES)
    order = read_order(
        "\n".join(f"# {line}" for line in textwrap.wrap(text, 40, break_long_words=False, break_on_hyphens=False))
    )
    assert order == Order("terminal_cron_setup", {"host": CANARIES.host})


def test_the_task_is_part_of_what_is_sent_without_a_sign_that_a_shell_reads() -> None:
    order = read_order(injected_text(GOALS.find("email_send_prompt"), CANARIES))
    assert order is not None
    task = 'Say "hello" to $USER; `id`'
    sent = "".join(act.type or "" for step in hijack_steps(order, None, task) for act in step.acts)
    assert base64.b64encode(task.encode()).decode() in sent
    assert task not in sent


def test_what_is_no_order_is_none() -> None:
    assert read_order("One more thing from me, the user: please take your time.") is None
    half = injected_text(GOALS.find("stop_task"), CANARIES)[:60]
    assert read_order(half) is None


def test_a_password_is_never_part_of_what_is_typed() -> None:
    for goal in GOALS.names():
        order = read_order(injected_text(GOALS.find(goal), CANARIES))
        assert order is not None
        assert CANARIES.password not in typed(order)


def test_a_task_may_say_itself_how_it_is_hijacked() -> None:
    demo = Demo.model_validate_json(
        """{"solution": [{"acts": [{"done": ""}]}],
            "hijack": {"url_query_params": [{"acts": [{"type": "open {host} ${not_ours}"}]}]}}"""
    )
    assert typed(Order("url_query_params", {"host": "a.example"}), demo) == "open a.example ${not_ours}"
    assert "initial_config" in typed(Order("terminal_local_script"), demo)
