from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from trueline.cli import main
from trueline.errors import InputError, MissingExtraError
from trueline.guard.policy import load_rules
from trueline.guard.policy.cedar.tokens import split_statements
from trueline.records.verdict import Category

CLICK = 'forbid(principal, action == Trueline::Action::"click", resource)'
RUN = 'forbid(principal, action == Trueline::Action::"run", resource)'
PLAIN = """\
// Two of our own.
@id("drafts") @category("malicious instruction following")
@reason("Sending needs a person.") @instead("Leave a draft.") @owner("desk")
forbid(principal, action == Trueline::Action::"click", resource)
when { resource.name like "*Send; // now*" };

permit(principal, action, resource) when { context.step > 3 };
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "own.cedar"


def test_a_missing_extra_is_said_in_one_line(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_text(PLAIN, "utf-8")
    monkeypatch.setitem(sys.modules, "cedarpy", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'trueline\[cedar\]'"):
        load_rules([file])
    assert main(["guard", "rules", "show", str(file)]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_statements_end_at_semicolons_outside_of_texts_and_comments() -> None:
    first, second = split_statements(PLAIN)
    assert (first.line, second.line) == (2, 7)
    assert first.annotations["reason"] == "Sending needs a person." and first.forbids
    assert second.source(PLAIN) == "permit(principal, action, resource) when { context.step > 3 };"


@pytest.mark.full
def test_annotations_become_the_fields_of_a_rule(file: Path) -> None:
    file.write_text(PLAIN, "utf-8")
    drafts, later = load_rules([file]).policies.policies
    assert (drafts.id, drafts.effect, drafts.line) == ("drafts", "forbid", 2)
    assert (drafts.category, drafts.wrong, drafts.instead) == (
        Category.MALICIOUS_INSTRUCTION, "Sending needs a person.", "Leave a draft.",
    )  # fmt: skip
    assert (later.id, later.effect) == ("own.cedar:7", "allow")


@pytest.mark.full
def test_literals_are_folded_as_the_texts_are(file: Path) -> None:
    file.write_text(f'{CLICK} when {{ resource.name like "*\\*SΕND* " || resource.role == "Push-Button" }};', "utf-8")
    assert '"*\\*send*"' in load_rules([file]).policies.policies[0].source
    assert '"push-button"' in load_rules([file]).policies.policies[0].source


@pytest.mark.full
@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (f'{CLICK}\nwhen {{ resource.rol == "x" }};', "line 2: attribute `rol` on entity type"),
        (f'{CLICK} when {{\n  resource.role ==\n  "x" ++ 2 }};', "line 3: unexpected token `+`"),
        (f'{CLICK}\nwhen {{ resource.role == "x"\n', "line 2: unexpected end of input"),
        ('forbid(principal, action == Trueline::Action::"clik", resource);', "line 1: unrecognized action"),
        (f'// a\n{CLICK};\n\nfrobid(principal, action, resource);', "line 4: invalid policy effect: frobid"),
        (f'{CLICK}\nwhen {{ resource.act == "snd" }};', 'line 2: act is never "snd"; choose one of'),
        (f'{CLICK}\nwhen {{ ["snd", "pay"].contains(resource.act) }};', 'line 2: act is never "snd"'),
        (f'{RUN} when {{ resource.does.containsAny(["upload",\n"uplod"]) }};', 'line 2: does is never "uplod"'),
        (f'{RUN} unless {{ context.asked.contains("refunds") }};', 'line 1: asked is never "refunds"; choose one of'),
        (f'{RUN} when {{ resource.touches == resource.covers }};', "line 1: touches takes only .contains"),
        (f'{CLICK}\nwhen {{ context.domain == "os" }};', "line 2: unable to guarantee safety of access to optional"),
        ("permit(principal == ?principal, action, resource);", "line 1: templates"),
        ('@category("bad")\npermit(principal, action, resource);', "line 1: @category 'bad': must be one of"),
        ('permit(principal, action == Trueline::Action::"read", resource);', "line 1: a permit clears operations"),
        ("@suspect permit(principal, action, resource);", "line 1: @suspect applies to a forbid only"),
        ('@id("a b") forbid(principal, action, resource);', "line 1: @id 'a b': must be"),
        ('@id("a") permit(principal, action, resource);' * 2, "line 1: the id 'a' is taken by the policy of line 1"),
        ('@id("delete-home") permit(principal, action, resource);', "line 1: the id 'delete-home' is taken by"),
        (f"{CLICK} when {{ {'(' * 2000}true{')' * 2000} }};", "line 1: the policy is nested deeper than 50 levels"),
        (f"{CLICK} when {{ {' || '.join(['true'] * 5000)} }};", "line 1: the policy holds more than 250 operators"),
        ("\0\x1b[31m", "line 1: invalid token"),
    ],
)  # fmt: skip
def test_a_wrong_file_is_one_line_with_its_place(
    file: Path, text: str, problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_text(text, "utf-8")
    assert main(["guard", "rules", "show", str(file)]) == 2
    error = capsys.readouterr().err
    assert f"{file}: {problem}" in error and error.count("\n") == 1 and "\x1b" not in error


@pytest.mark.full
def test_files_of_both_kinds_are_read_in_their_order(file: Path, tmp_path: Path) -> None:
    file.write_text(PLAIN, "utf-8")
    rules = tmp_path / "own.yaml"
    rules.write_text("words: {refunds: ['refund*']}\ndisable: [machine-off]\n", "utf-8")
    second = tmp_path / "second.cedar"
    second.write_text(f'@id("r") {RUN} unless {{ context.asked.contains("refunds") }};', "utf-8")
    loaded = load_rules([file, rules, second])
    assert [policy.id for policy in loaded.policies.policies] == ["drafts", "own.cedar:7", "r"]
    assert loaded.sources["r"] == second and "machine-off" not in loaded.ids
    with pytest.raises(InputError, match="asked is never"):
        load_rules([second, rules])


@pytest.mark.full
def test_rules_switch_policies_of_earlier_files_off(file: Path, tmp_path: Path) -> None:
    file.write_text(PLAIN, "utf-8")
    rules = tmp_path / "own.yaml"
    rules.write_text("disable: [drafts]\n", "utf-8")
    assert [policy.id for policy in load_rules([file, rules]).policies.policies] == ["own.cedar:7"]


@pytest.mark.full
def test_the_digest_holds_the_content(file: Path) -> None:
    file.write_text(PLAIN, "utf-8")
    before = load_rules([file]).digest
    file.write_text(PLAIN.replace("> 3", "> 4"), "utf-8")
    assert len({before, load_rules([file]).digest, load_rules().digest}) == 3


@pytest.mark.full
def test_policies_are_listed(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(PLAIN, "utf-8")
    assert main(["guard", "rules", "show", str(file)]) == 0
    assert "2 policies in Cedar" in capsys.readouterr().out
    assert main(["guard", "rules", "show", str(file), "--json"]) == 0
    policies = json.loads(capsys.readouterr().out)["policies"]
    assert [(policy["id"], policy["line"], policy["effect"]) for policy in policies] == [
        ("drafts", 2, "forbid"), ("own.cedar:7", 7, "allow"),
    ]  # fmt: skip
