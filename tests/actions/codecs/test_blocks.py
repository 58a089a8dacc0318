from __future__ import annotations

import pytest

from trueline.actions.codecs.blocks import split_blocks


@pytest.mark.parametrize(
    ("answer", "bodies", "languages"),
    [
        ("a ```python\nx\n``` b", ["\nx\n"], ["python"]),
        ("```\nx\n```", ["\nx\n"], [""]),
        ("```c++\nx\n``````json {}```", ["\nx\n", " {}"], ["c++", "json"]),
        ("```x```", ["x"], [""]),
        ("```python\nwrite('```')\n```", ["\nwrite('```')\n"], ["python"]),
        ('```python\nwrite("it\'s ``` ok")\nx```', ['\nwrite("it\'s ``` ok")\nx'], ["python"]),
        ("```python\nnever closed", [], []),
        ("```", [], []),
        ("", [], []),
    ],
)
def test_blocks(answer: str, bodies: list[str], languages: list[str]) -> None:
    blocks, _ = split_blocks(answer)
    assert [block.body for block in blocks] == bodies
    assert [block.language for block in blocks] == languages


def test_text_outside() -> None:
    assert split_blocks("one ```x``` two ```y``` three")[1].split() == ["one", "two", "three"]
    assert "half" not in split_blocks("one ```python\nhalf")[1]
