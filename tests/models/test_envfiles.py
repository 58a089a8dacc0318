"""`.env` and `.envrc` are read, never run."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from dotenv import dotenv_values
from hypothesis import given, settings
from hypothesis import strategies as st

from trueline.errors import InputError
from trueline.models.envfiles import load_env


def read(tmp_path: Path, text: str, name: str = ".env", environ: dict[str, str] | None = None) -> dict[str, str]:
    (tmp_path / name).write_text(text, encoding="utf-8")
    return dict(load_env(tmp_path, environ or {}).values)


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("K=v", "v"),
        ("export K=v", "v"),
        ("  export   K=v  ", "v"),
        ("K='a b # c'", "a b # c"),
        ('K="a b # c"', "a b # c"),
        ("K=abc#def", "abc#def"),
        ("K=abc # a comment", "abc"),
        ("K=# a comment", ""),
        ("K=", ""),
        ('K=""', ""),
        ("K='$HOME'", "$HOME"),
        ("K=$OTHER/v1", "other/v1"),
        ('K="${OTHER}/v1"', "other/v1"),
        ("K=${NOT_SET}x", "x"),
        (r'K="a\"b\\c"', 'a"b\\c'),
        ("K=a=b=c", "a=b=c"),
    ],
)
@pytest.mark.parametrize("name", [".env", ".envrc"])
def test_values_as_people_write_them(tmp_path: Path, name: str, line: str, value: str) -> None:
    assert read(tmp_path, f"OTHER=other\n{line}\n", name)["K"] == value


def test_lines_that_are_no_assignments_are_passed_over(tmp_path: Path) -> None:
    text = "# comment\nsource_up\ndotenv ../.env\nlayout python\nPATH_add bin\nif true; then\n  export A=1\nfi\n"
    assert read(tmp_path, text, ".envrc") == {"A": "1"}


@pytest.mark.parametrize("value", ["$(touch ran)", "`touch ran`", '"$(touch ran)"', "x$(touch ran)y"])
def test_commands_are_never_run_and_their_values_never_guessed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".envrc").write_text(f"A=1\nexport OPENAI_API_KEY={value}\n")
    env = load_env(environ={})
    assert env.get("OPENAI_API_KEY") is None
    assert env.commands == {"OPENAI_API_KEY": ".envrc:2"}
    assert not (tmp_path / "ran").exists()


def test_the_process_comes_first_then_env_then_envrc(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("A=env\nB=env\nEMPTY=env\n")
    (tmp_path / ".envrc").write_text("A=envrc\nB=envrc\nC=envrc\n")
    env = load_env(tmp_path, {"A": "process", "EMPTY": ""})
    assert [env.get(name) for name in "ABC"] == ["process", "env", "envrc"]
    assert env.get("EMPTY") == "env"
    assert env.get("NOTHING", "C", "B") == "envrc"


def test_values_never_show(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("OPENAI_API_KEY=sk-verysecret\n")
    assert "verysecret" not in repr(load_env(tmp_path, {"TOKEN": "verysecret2"}))


def test_a_file_that_is_no_text_is_named(tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes(b"A=\xff\xfe")
    with pytest.raises(InputError, match=r"\.env"):
        load_env(tmp_path, {})


WORD = st.text(st.characters(codec="ascii", categories=["L", "N"], include_characters="._-/:+"), min_size=1)


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["", "export "]), WORD, st.sampled_from(["{}", "'{}'", '"{}"']))))
def test_plain_files_read_as_python_dotenv_reads_them(
    tmp_path_factory: pytest.TempPathFactory, lines: list[tuple[str, str, str]]
) -> None:
    text = "".join(f"{export}K{i}={quote.format(word)}\n" for i, (export, word, quote) in enumerate(lines))
    ours = read(tmp_path_factory.mktemp("env"), text)
    assert ours == dotenv_values(stream=io.StringIO(text), interpolate=False)
