"""Our metrics give the scores OSWorld's own functions give, on generated pairs of files."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import pytest
from pydantic import JsonValue

from support.osworld_reference import ReferenceCall, ask_osworld
from tasks.office_files import docx_file, odt_file, xlsx_file
from trueline.tasks.checkers.compute import compute
from trueline.tasks.checkers.values import FileValue, Value
from trueline.tasks.errors import CheckerError

pytestmark = pytest.mark.full

WORDS = ("alpha", "Beta", "gamma ray", " delta", "Ωmega", "", "3", "3.0", "x,y", "tab\there", "two  blanks", "ALPHA")


@dataclass(frozen=True)
class Case:
    metric: str
    result: Value
    expected: Value
    options: dict[str, JsonValue]


def same_scores(cases: list[Case], folder: Path) -> None:
    """Ask both sides; where OSWorld raises we say so too, unless what the agent left is the reason."""
    calls = [
        ReferenceCall(
            case.metric,
            (_argument(case.result, folder / f"{number}r"), _argument(case.expected, folder / f"{number}e")),
            case.options,
        )
        for number, case in enumerate(cases)
    ]
    theirs = ask_osworld(calls)
    ours = [_score(case) for case in cases]
    wrong = [
        (case, mine, reference)
        for case, mine, reference in zip(cases, ours, theirs, strict=True)
        if mine != (None if reference is None else pytest.approx(reference, abs=1e-9))
    ]
    assert not wrong, f"{len(wrong)} of {len(cases)} differ: {wrong[:5]}"
    # A generator that makes only pairs of one kind proves nothing.
    assert {0.0, 1.0} <= {score for score in ours if score is not None}


def _argument(value: Value, place: Path) -> JsonValue:
    if isinstance(value, FileValue):
        path = place.with_name(f"{place.name}{value.suffix}")
        path.write_bytes(value.content)
        return str(path)
    if isinstance(value, tuple):
        return [_argument(file, place.with_name(f"{place.name}{number}")) for number, file in enumerate(value)]
    return value


def _score(case: Case) -> float | None:
    try:
        return compute(case.metric, case.result, case.expected, case.options).score
    except CheckerError:
        return None


def generate(seed: int, count: int, make: Callable[[random.Random], Case]) -> list[Case]:
    return [make(random.Random(f"{seed}:{number}")) for number in range(count)]


def text_file(text: str, name: str = "a.txt") -> FileValue:
    return FileValue(name, text.encode())


def some_options(rng: random.Random, *names: str) -> dict[str, JsonValue]:
    return {name: rng.random() < 0.6 for name in names if rng.random() < 0.5}


def lines(rng: random.Random) -> list[str]:
    return [rng.choice(WORDS) for _ in range(rng.randrange(5))]


def changed(rng: random.Random, items: list[str]) -> list[str]:
    """The same or nearly the same."""
    items = list(items)
    match rng.randrange(8):
        case 0:
            rng.shuffle(items)
        case 1:
            items = [item.swapcase() for item in items]
        case 2:
            items = [item.replace(" ", "  ") for item in items]
        case 3:
            items.append(rng.choice(WORDS))
        case 4:
            items = items[:-1]
        case 5:
            items.insert(rng.randrange(len(items) + 1), "")
        case _:
            pass
    return items


def test_values(tmp_path: Path) -> None:
    def exact(rng: random.Random) -> Case:
        values: tuple[JsonValue, ...] = ("a", "a\n", "", None, 1, 1.0, True, ["a"], {"a": 1})
        return Case("exact_match", rng.choice(values), {"expected": rng.choice(values)}, {})

    def include(rng: random.Random) -> Case:
        text = rng.choice((None, "", " ".join(lines(rng)), "all is well\n"))
        rules: dict[str, JsonValue] = {
            key: [*rng.sample(("alpha", "Beta", "well", "", "no"), rng.randrange(3))]
            for key in ("include", "exclude")
            if rng.random() < 0.7
        }
        return Case("check_include_exclude", text, rules, {})

    same_scores(generate(1, 200, exact) + generate(2, 200, include), tmp_path)


def test_text_files(tmp_path: Path) -> None:
    def make(rng: random.Random) -> Case:
        text = lines(rng)
        join = rng.choice(("\n", "\r\n", "\r"))
        pair = text_file("\n".join(text)), text_file(join.join(changed(rng, text)))
        return Case("compare_text_file", *pair, some_options(rng, "ignore_blanks", "ignore_case"))

    same_scores(generate(3, 300, make), tmp_path)


def test_csv_files(tmp_path: Path) -> None:
    def make(rng: random.Random) -> Case:
        text = lines(rng)
        result = "\n".join(changed(rng, text)).encode(rng.choice(("utf-8", "utf-8", "cp1253")), "replace")
        golds = tuple(text_file("\n".join(changed(rng, text)) + rng.choice(("", "\n")), "e.csv") for _ in range(2))
        expected: Value = golds if rng.random() < 0.3 else golds[0]
        missing = rng.random() < 0.05
        options = some_options(rng, "strict", "ignore_case")
        return Case("compare_csv", None if missing else FileValue("r.csv", result), expected, options)

    same_scores(generate(4, 300, make), tmp_path)


def test_lists(tmp_path: Path) -> None:
    patterns = ("alpha", "^alpha", "a$", r"\d", ".+", "gamma.*ray", "(?i)beta", "x,y", r"\s\s")

    def make(rng: random.Random) -> Case:
        rules: dict[str, JsonValue] = {
            key: [*rng.sample(patterns, rng.randrange(3))] for key in ("expect", "unexpect") if rng.random() < 0.7
        }
        return Case("check_list", text_file("\n".join(lines(rng))), rules, {})

    same_scores(generate(5, 300, make), tmp_path)


def test_json_files(tmp_path: Path) -> None:
    keys: tuple[list[JsonValue], ...] = (["a"], ["b", "c"], ["l", 0], ["l", 5], ["no"], [], ["a", "x"], ["b", "w"])

    def rule(rng: random.Random) -> JsonValue:
        values: tuple[JsonValue, ...] = (1, 2.5, "one", "One two", None, True, [1, "x"], "p,q", '"p,q"')
        method, ref = rng.choice(
            [(name, rng.choice(values)) for name in ("eq", "ne", "lt", "le", "gt", "ge")]
            + [("re", "^one"), ("re.I", "ONE"), ("re.IGNORECASE.S", "o.e"), ("approx:0.5", 2), ("approx:1", 1.5)]
            + [(f"range.{x}{y}", [1, 2.5]) for x in "et" for y in "et"]
            + [("str_list_eq", ["p", "q"]), ("str_set_eq", ["q", "p"])]
        )
        return {"key": rng.choice(keys), "method": method, "ref": ref}

    def make(rng: random.Random) -> Case:
        values: tuple[JsonValue, ...] = (1, 2.5, "one", "One two", None, True, [1, "x"], "p,q", '"p,q"', 2)
        document = {"a": rng.choice(values), "b": {"c": rng.choice(values), "w": 2.5}, "l": [rng.choice(values), "x"]}
        rules: dict[str, JsonValue] = {
            key: [rule(rng) for _ in range(rng.randrange(1, 3))] for key in ("expect", "unexpect") if rng.random() < 0.6
        }
        broken = "{" if rng.random() < 0.05 else ""
        options: dict[str, JsonValue] = {"is_yaml": True} if rng.random() < 0.3 else {}
        text = broken + json.dumps(document)
        if rng.random() < 0.05:
            text = rng.choice(("", "# nothing\n", "null"))
        return Case("check_json", text_file(text, "a.json"), rules, options)

    same_scores(generate(6, 1000, make), tmp_path)


def test_documents(tmp_path: Path) -> None:
    names = ("ignore_blanks", "ignore_case", "ignore_order", "content_only", "fuzzy_match", "delete_empty_lines")

    def make(rng: random.Random) -> Case:
        text = [" ".join(lines(rng)) for _ in range(rng.randrange(4))]
        build = odt_file if rng.random() < 0.2 else docx_file
        pair = build(changed(rng, text), rng), build(text, rng)
        return Case("compare_docx_files", *pair, some_options(rng, *names))

    same_scores(generate(7, 300, make), tmp_path)


def test_sheets(tmp_path: Path) -> None:
    moment = datetime.fromisoformat("2024-02-29T12:30")
    cells: tuple[object, ...] = (
        1,
        2,
        2.5,
        2.50001,
        0.1 + 0.2,
        "x",
        "X",
        "1",
        "NA",
        None,
        True,
        moment,
        "two words",
        -7,
        1e6,
    )

    def make(rng: random.Random) -> Case:
        kinds = [rng.sample(cells, rng.randrange(1, 4)) for _ in range(3)]
        header: list[object] = ["a", "b", rng.choice(("c", "a", None))]
        rows = [header]
        rows += [[rng.choice(kind) for kind in kinds] for _ in range(rng.randrange(4))]
        other = [list(row) for row in rows]
        if rng.random() < 0.5:
            other[rng.randrange(len(other))][rng.randrange(3)] = rng.choice(cells)
        left, right = rng.choice(((0, "EI0"), ("RI0", "EI0"), ("RNfirst", "ENfirst"), ("RNsecond", "EI1"), (5, "EI0")))
        rule: dict[str, JsonValue] = {"type": "sheet_data", "sheet_idx0": left, "sheet_idx1": right}
        if rng.random() < 0.2:
            rule["precision"] = rng.randrange(6)
        pair = xlsx_file({"first": rows, "second": rows}), xlsx_file({"first": other, "second": rows})
        return Case("compare_table", *pair, {"rules": [rule]})

    same_scores(generate(8, 200, make), tmp_path)


def test_cells(tmp_path: Path) -> None:
    def make(rng: random.Random) -> Case:
        book = xlsx_file(
            {"S": [["a", 1, 2.5, "=1+1"], ["b c", -3, datetime.fromisoformat("2024-02-29")], [7, None, "z", '="x"']]},
            merge=rng.choice((None, "A1:B1", "B2:C3")),
            style={
                "bold": rng.random() < 0.5,
                "color": rng.choice((None, "FFFF0000")),
                "fill": rng.choice((None, "FF00FF00")),
            },
            styled=rng.choice(("A1", "A1", "B3", "D1", "D3", "F9")),
        )
        choices: list[tuple[str, str, JsonValue]] = [
            *(("value", method, ref) for method in ("eq", "ne", "gt") for ref in ("a", 1, 2.5, None, -3, 45351)),
            ("value", "approx:0.6", 2), ("value", "re", "b"),
            *(("merge", "eq", ref) for ref in (True, False)),
            *(("font_bold", "eq", ref) for ref in (True, False, None)),
            *((name, "eq", ref) for name in ("bgcolor", "fgcolor") for ref in ("FF00FF00", "00000000")),
            *(("font_color", "eq", ref) for ref in ("FFFF0000", None)),
            ("font_name", "eq", "Calibri"), ("font_size", "ge", 11), ("font_italic", "eq", False),
            ("font_underline", "eq", None),
        ]  # fmt: skip
        prop, method, ref = rng.choice(choices)
        cell = rng.choice(("A1", "B1", "C1", "A2", "B2", "C2", "B3", "C3", "D1", "D3", "F9"))
        rule: JsonValue = {"type": "check_cell", "sheet_idx": 0, "coordinate": cell,
                           "props": {prop: {"method": method, "ref": ref}}}  # fmt: skip
        return Case("compare_table", book, None, {"rules": [rule]})

    same_scores(generate(9, 600, make), tmp_path)
