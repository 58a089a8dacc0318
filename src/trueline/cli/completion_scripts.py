"""Completion scripts for bash, zsh and fish, generated from the argument parsers.

bash and zsh share functions that both understand: they print one candidate a line, and `/files` where files may stand.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Mapping

from trueline.cli.completion_words import CompletedCommand, Flag

_Commands = tuple[CompletedCommand, ...]

_SHARED = r"""
_trueline_candidates() {
  local current="$1" place="" option="" since=0 word takes
  shift
  for word in "$@"; do
    case "$word" in
      =) ;;
      --*) option="${word%%=*}"; option="${option//_/-}"; since=0 ;;
      *)
        if [ -z "$option" ] && _trueline_is_command "${place:+$place }$word"; then place="${place:+$place }$word"; fi
        since=$((since + 1)) ;;
    esac
  done
  takes="$(_trueline_takes "$place $option")"
  if [ "$takes" = many ] || { [ "$takes" = one ] && [ "$since" -eq 0 ]; }; then
    case "$current" in
      --*) ;;
      *) _trueline_values "$place $option"; [ "$since" -eq 0 ] && return 0 ;;
    esac
  fi
  case "$current" in
    -*) if [ "${current#--*-}" = "$current" ]; then _trueline_flags "$place"
        else _trueline_flags "$place" | sed 's/_/-/g'; fi ;;
    *) _trueline_words "$place" ;;
  esac
}
"""

_BASH = r"""
_trueline() {
  local current="${COMP_WORDS[COMP_CWORD]}" line IFS=$'\n'
  [ "$current" = "=" ] && current=""
  COMPREPLY=()
  for line in $(_trueline_candidates "$current" "${COMP_WORDS[@]:1:COMP_CWORD-1}"); do
    if [ "$line" = /files ]; then
      compopt -o filenames 2>/dev/null
      COMPREPLY+=($(compgen -f -- "$current"))
    elif [ "${line#"$current"}" != "$line" ] || [ -z "$current" ]; then
      COMPREPLY+=("$line")
    fi
  done
}
complete -F _trueline trueline
"""

_ZSH = r"""
_trueline() {
  local -a candidates
  candidates=("${(@f)$(_trueline_candidates "${words[CURRENT]}" "${(@)words[2,CURRENT-1]}")}")
  if (( ${candidates[(Ie)/files]} )); then _files; fi
  candidates=("${(@)candidates:#/files}")
  candidates=("${(@)candidates:#}")
  (( $#candidates )) && compadd -- "${candidates[@]}"
}
compdef _trueline trueline
"""

_FISH = r"""
function __trueline_at
    set -l tokens (commandline -opc)
    set -l place ''
    if contains -- "$tokens[2]" $__trueline_commands
        set place "$tokens[2]"
        if contains -- "$tokens[2] $tokens[3]" $__trueline_commands
            set place "$tokens[2] $tokens[3]"
        end
    end
    test "$place" = "$argv[1]"
end
complete -c trueline -f
"""


def bash_script(commands: _Commands) -> str:
    """Return the script that bash evaluates."""
    return _shared(commands) + _BASH


def zsh_script(commands: _Commands) -> str:
    """Return the script that zsh evaluates."""
    return "#compdef trueline\n" + _shared(commands) + _ZSH


def fish_script(commands: _Commands) -> str:
    """Return the file that fish reads."""
    names = " ".join(_fish(" ".join(command.path)) for command in commands if command.path)
    return f"set -g __trueline_commands {names}\n{_FISH}" + "".join(map(_fish_command, commands))


SCRIPTS: Mapping[str, Callable[[_Commands], str]] = {"bash": bash_script, "zsh": zsh_script, "fish": fish_script}
"""By the name of the shell."""


def _shared(commands: _Commands) -> str:
    valued = [(command, flag) for command in commands for flag in command.flags if flag.takes != "nothing"]
    known = "|".join(shlex.quote(_place(command)) for command in commands if command.path)
    return "\n".join(
        [
            f'_trueline_is_command() {{\n  case "$1" in\n    {known}) return 0 ;;\n  esac\n  return 1\n}}',
            _case("_trueline_takes", (line for pair in valued for line in _cases(*pair, [pair[1].takes]))),
            _case("_trueline_values", (line for pair in valued for line in _cases(*pair, _values(pair[1])))),
            _case("_trueline_flags", (_line([_place(c)], [n for f in c.flags for n in f.names]) for c in commands)),
            _case("_trueline_words", (_line([_place(c)], [*c.words, *_files(c.files)]) for c in commands)),
            _SHARED.lstrip(),
        ]
    )


def _place(command: CompletedCommand) -> str:
    return " ".join(command.path)


def _values(flag: Flag) -> list[str]:
    return [*flag.values, *_files(flag.files)]


def _files(wanted: bool) -> list[str]:
    return ["/files"] if wanted else []


def _cases(command: CompletedCommand, flag: Flag, printed: list[str]) -> Iterable[str]:
    yield _line([f"{_place(command)} {name.replace('_', '-')}" for name in flag.names], printed)


def _line(cases: list[str], printed: list[str]) -> str:
    if not printed:
        return ""
    return f"    {'|'.join(map(shlex.quote, cases))}) printf '%s\\n' {' '.join(map(shlex.quote, printed))} ;;"


def _case(name: str, lines: Iterable[str]) -> str:
    return "\n".join([f"{name}() {{", '  case "$1" in', *filter(None, lines), "  esac", "}"])


def _fish_command(command: CompletedCommand) -> str:
    here = f"complete -c trueline -n {_fish(f'__trueline_at {_fish(_place(command))}')}"
    lines = [f"{here} -a {_fish(' '.join(command.words))}"] if command.words else []
    lines += [f"{here} -F"] if command.files else []
    for flag in command.flags:
        names = " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in flag.names)
        value = ""
        if flag.takes != "nothing":
            value = " -r -F" if flag.files else f" -x -a {_fish(' '.join(flag.values))}"
        lines.append(f"{here} {names}{value} -d {_fish(flag.about.splitlines()[0] if flag.about else '')}")
    return "".join(f"{line}\n" for line in lines)


def _fish(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
