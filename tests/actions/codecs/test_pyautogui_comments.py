from __future__ import annotations

import ast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trueline.actions.codecs.pyautogui import decode, strip_comments


@pytest.mark.parametrize(
    ("source", "stripped"),
    [
        ("import pyautogui  # the library\npyautogui.click(1, 2)\n", "import pyautogui\npyautogui.click(1, 2)\n"),
        ("# only\nx = 1\n  # indented\ny = 2", "x = 1\ny = 2"),
        ("x = '# text'  # note", "x = '# text'"),
        ('x = """\n# text\n"""  # note', 'x = """\n# text\n"""'),
        ("f(a,  b)   # spaces stay", "f(a,  b)"),
        ("f(  # one\n  1,\n  # two\n  2)", "f(\n  1,\n  2)"),
        ("x = 1  # a\r\ny = 2", "x = 1\r\ny = 2"),
        ("é = 'ü#'  # ö", "é = 'ü#'"),
        ("if x:  # why\n    y()  # what\n", "if x:\n    y()\n"),
        ("no comment", "no comment"),
        ("# all", ""),
        ("", ""),
    ],
)
def test_comments_go_and_the_rest_stays(source: str, stripped: str) -> None:
    assert strip_comments(source) == stripped


@pytest.mark.parametrize(
    "source", ["x = 'open  # string", "f(  # never closed", "  x\n y  # odd indent", "x = $  # what"]
)
def test_what_has_no_tokens_stays_unchanged(source: str) -> None:
    assert strip_comments(source) == source


statements = st.sampled_from(
    [
        "pyautogui.click(1, 2)",
        "x = '# no'",
        "pyautogui.write('''a\n# b\n''')",
        "f(1,\n  2)",
        "if True:\n    pass",
        "y = [\n 1,\n 2\n]",
        "s = f'#{1}'",
    ]
)
comments = st.text(
    st.characters(codec="utf-8", exclude_characters="\r\n\x00\x0c", exclude_categories=["Cs"]), max_size=15
)


@settings(deadline=None)
@given(st.lists(st.tuples(statements, comments, st.booleans()), max_size=8))
def test_the_program_means_the_same(lines: list[tuple[str, str, bool]]) -> None:
    source = "\n".join(f"# {comment}\n{code}" if above else f"{code}  #{comment}" for code, comment, above in lines)
    plain = "\n".join(code for code, _, _ in lines)
    assert strip_comments(source) == plain
    assert ast.dump(ast.parse(strip_comments(source))) == ast.dump(ast.parse(source))
    assert [a.kind for a in decode(source).actions] == [a.kind for a in decode(plain).actions]
