"""Code in languages that are not read: whether it only computes and prints, and what its words name."""

from __future__ import annotations

import re
from typing import NamedTuple

from trueline.actions.facts.mentions import mentions
from trueline.actions.shell.paths import normal_path
from trueline.actions.shell.programs import names


class ForeignCode(NamedTuple):
    """What the words of a program name. What it does with them is not known."""

    reads: tuple[str, ...] = ()
    deletes: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    """Texts that it may hand to a shell."""
    hosts: tuple[str, ...] = ()
    sends: bool = False
    """Whether it opens connections."""


_DENIED = re.compile(
    r"\b(?:system|exec\w*|spawn\w*|fork|popen\w*|eval|require\w*|import|include\w*|open\w*|sysopen|File|IO|Kernel|fs|Dir|"
    r"\w*sock\w*|\w*inet\w*|load\w*|dofile|unlink\w*|rmdir|rmSync|rename|chmod|chown|kill|env|ENV|getline|qx|"
    r"passthru|shell\w*|proc_\w+|fetch|https?|net|curl\w*|fopen|file_\w+|readfile|child_process|constructor|send|glob|Deno|Bun)\b"
    r"|`|[#$@]\{|&[{$]|\(\?\??\{|<\$?[A-Z_]\w*>|[\])\"']\s*\(|\$\w+\s*\(|/inet",
    re.IGNORECASE,
)
"""Whatever reaches files, programs or the network, and ways to call what no word names."""
_ALLOWED = names(
    "print printf puts echo say p console log error Math PI math pi huge sqrt floor ceil round abs max min pow sin cos "
    "tan atan2 exp int rand length substr index split join sprintf toupper tolower if else elsif elif unless for "
    "foreach while in and or not BEGIN END end then my our let const var local true false nil null undefined toString "
    "toFixed toUpperCase toLowerCase parseInt parseFloat Number String Array map reduce filter JSON stringify process "
    "version versions platform arch PHP_VERSION PHP_EOL PHP_OS phpversion strlen strtoupper strtolower str_repeat "
    "number_format date time count implode explode sum times each to_i to_f to_s size upcase downcase reverse sort "
    "uniq keys values next last print_r var_dump RUBY_VERSION RUBY_PLATFORM _VERSION string format upper lower len rep "
    "table concat insert tonumber tostring type lc uc ucfirst chomp chop scalar localtime gmtime eq ne "
    "lt gt le ge x STDIN n "
    "Infinity NaN cat paste mean strftime now Time new Date"
)
_STRINGS = re.compile(r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'", re.DOTALL)
_REPLACES = re.compile(
    r"(?:^|;)\s*(?:s|tr|y)(?P<sep>[/|#,!])(?:\\[^\"'`\n]|(?!(?P=sep))[^\"'`\\\n])*(?P=sep)"
    r"(?:\\[^\"'`\n]|(?!(?P=sep))[^\"'`\\\n])*(?P=sep)[gimsxrdc]*(?=\s*(?:;|$))"
)
_PATTERN = re.compile(r"/[^/\"'`\n;{}]*/[gim]*")
_WORD = re.compile(r"(?<![$@\w])[A-Za-z_]\w*")
_VARIABLE = re.compile(
    r"\b(?:for|let|const|var|local)\s+([A-Za-z_]\w*)|(?<![.$@\w])([A-Za-z_]\w*)\s*(?:[-+*/.%]?=(?![=~>])|=>|\+\+)"
)
_AWK_RUNS = re.compile(r"\bsystem\s*\(|\bgetline\b|@\s*\w|/inet|\bENVIRON\b")
_AWK_WRITES = re.compile(r"\bprintf?\b[^;}]*>\s*\"([^\"]+)\"")
_PATH = re.compile(r"(?:^|[\"'<>(\s=])((?:~|/)[\w.+@~*-]+(?:/[\w.+@~*-]+)*)")
_DELETING = re.compile(r"unlink|\brm|remove|delete|rmtree|rmdir|truncate", re.IGNORECASE)
_SENDING = re.compile(r"sock|\binet\b|/inet|\bnet\b|\bTCP|connect|\bUDP", re.IGNORECASE)
_STARTING = re.compile(r"system|exec|spawn|popen|child_process|passthru|proc_open|`|\bqx\b|\brun\b", re.IGNORECASE)
_MOST = 20


def only_prints(code: str) -> bool:
    """Tell whether a program certainly does no more than compute and print, whatever its language."""
    if _DENIED.search(code):
        return False
    rest = _PATTERN.sub(" ", _STRINGS.sub(" ", _REPLACES.sub(";", code)))
    if '"' in rest or "'" in rest:
        return False
    variables = {name for match in _VARIABLE.finditer(rest) for name in match.groups() if name}
    return all(word in _ALLOWED or word in variables for word in _WORD.findall(rest))


def awk_runs_others(code: str) -> bool:
    """Tell whether an awk program may run programs, read other files or connect to somewhere."""
    rest = _PATTERN.sub(" ", _STRINGS.sub(" ", code)).replace("||", " ")
    return _AWK_RUNS.search(code) is not None or "|" in rest


def awk_writes(code: str) -> tuple[str, ...]:
    """The files that an awk program prints into, where it names them."""
    return tuple(normal_path(match[1]) for match in _AWK_WRITES.finditer(code) if match[1] != "/dev/stderr")


def look_at(code: str) -> ForeignCode:
    """Return what the words of a program name."""
    paths = tuple(dict.fromkeys(normal_path(match[1]) for match in _PATH.finditer(code)))[:_MOST]
    texts = (match[0][1:-1] for match in _STRINGS.finditer(code))
    lines = tuple(dict.fromkeys(text for text in texts if text.strip()))[:_MOST] if _STARTING.search(code) else ()
    return ForeignCode(
        paths,
        paths if _DELETING.search(code) else (),
        lines,
        mentions([code]).hosts,
        _SENDING.search(code) is not None,
    )
