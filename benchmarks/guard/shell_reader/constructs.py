"""Every construct of a shell that runs something, as rules for generated lines."""

from __future__ import annotations

import shlex

from line_maker import MARKERS, LineMaker, Rule


def _sequence(make: LineMaker, depth: int) -> str:
    return f"{make.statement(depth)}\n{make.statement(depth)}"


def _simple(make: LineMaker, depth: int) -> str:
    return make.simple(depth)


def _joined(make: LineMaker, depth: int) -> str:
    """Commands on one line."""
    operators = (" && ", " || ", "; ", " | ", " |& ", " & ", "&&", "||", ";", "|", " |\n", " &&\n\n", " || # why\n")
    count = make.random.choice((2, 2, 3))
    return "".join(make.simple(depth) + make.random.choice(operators) for _ in range(count)) + make.simple(depth)


def _prefixed(make: LineMaker, depth: int) -> str:
    prefix = make.random.choice(
        (
            "time ",
            "! ",
            "time -p ",
            "nohup ",
            "timeout 5 ",
            "timeout -k 1 5 ",
            "setsid -w ",
            "nice ",
            "nice -n 3 ",
            "env ",
            "env A=1 ",
            "env -u A ",
            'env -i PATH="$PATH" ',
            "command ",
            "stdbuf -oL ",
            "A=1 B='x y' ",
            "exec 5>/dev/null; ",
            "nohup setsid -w ",
            "! ! ",
            "time ! ",
            "A=$(mark) ".replace("mark", MARKERS[0]),
            "env -- ",
            "nice --adjustment=1 ",
        )
    )
    return prefix + make.simple(depth)


def _group(make: LineMaker, depth: int) -> str:
    form = make.random.choice(("{{ {}}}", "({})", "( {} )", "{{\n{}\n}}", "time {{ {}}}", "! {{ {}}}", "! ( {} )"))
    redirect = make.random.choice(("", "", "", " >out", " 2>&1", " </dev/null", " | cat", " &\nwait"))
    return form.format(make.body(depth)) + redirect


def _condition(make: LineMaker, depth: int) -> str:
    test = make.random.choice(("true", "false", "[ -n x ]", "[[ a == a ]]", "((1))", make.simple(depth), "! true"))
    more = make.random.choice(
        (
            "",
            "",
            f"else\n{make.body(depth)}",
            f"elif {make.simple(depth)}; then {make.body(depth)}else {make.body(depth)}",
        )
    )
    return f"if {test}; then{make.random.choice((' ', chr(10)))}{make.body(depth)}{more}fi"


def _counted(make: LineMaker, depth: int) -> str:
    name = make.name()
    kind, test = make.random.choice((("while", "-lt"), ("until", "-ge")))
    return f"{name}=0\n{kind} [ ${name} {test} 2 ]; do {name}=$(({name}+1)); {make.body(depth)}done"


def _for(make: LineMaker, depth: int) -> str:
    name = make.name()
    match make.random.randrange(5):
        case 0:
            return f"for {name} in 1 2; do {make.body(depth)}done"
        case 1:
            return f"for (({name}=0; {name}<2; {name}++)); do\n{make.body(depth)}done"
        case 2:
            values = " ".join(make.random.sample(MARKERS, 2))
            return f'for {name} in {values}\ndo ${name} {make.word(depth)}\n"${name}" two; done'
        case 3:
            return f"for {name} in {make.substitution(depth)} x; do {make.body(depth)}done"
        case _:
            return f"select {name} in {MARKERS[0]} {MARKERS[1]}; do ${name} a; break; done <<< 1"


def _case(make: LineMaker, depth: int) -> str:
    pattern = make.random.choice(("a", "(a", "a|b", '"a"', "[ab]", "?", "*", f"$({make.one_line()})"))
    subject = make.random.choice(("a", '"a"', "$(echo a)", make.substitution(depth)))
    return (
        f"case {subject} in\n  {pattern}) {make.body(depth)};;\n"
        f"  b) {make.simple(depth)} ;;\n *) {make.simple(depth)}\nesac"
    )


def _function(make: LineMaker, depth: int) -> str:
    name = make.name("f")
    head = make.random.choice((f"{name}() {{", f"function {name} {{", f"{name} () {{\n"))
    call = make.random.choice(
        (name, f"{name} x", f'{name} "a b" {MARKERS[2]}', f"x=$({name})", f"({name})", f"{name} | cat")
    )
    inside = make.random.choice(
        (make.body(depth), f'{MARKERS[3]} "$1" $#\n', f'{MARKERS[4]} "$@"\n', "local q=1; return\n")
    )
    return f"{head} {make.body(depth)}{inside}}}\n{call}"


def _called_argument(make: LineMaker, _depth: int) -> str:
    name = make.name("f")
    form = make.random.choice(
        ('"$@"', '$1 "$2"', '"$1" b', "shift; $1", 'set -- "$1" y; "$@"', "${1} z", "$*", '"${@:1}"')
    )
    return f"{name}() {{ {form}; }}; {name} {MARKERS[1]} {MARKERS[2]}"


def _document(make: LineMaker, depth: int) -> str:
    """A here-document: a text with substitutions, or input of a shell."""
    end = make.random.choice(("E", "END_1", "done", "'E'", '"E F"', "\\E"))
    word = end.strip("'\"\\")
    plain = end == word
    noise = make.random.choice(
        ("it's", 'a "b', ") ( esac", "# x", "fi; done", "$x ${y:-z}", "a \\$(markx) b" if plain else "$(markx)", "")
    )
    inside = make.substitution(depth) if plain else "`markx` $(markx)"
    dash = make.random.choice(("<<", "<<-", "<< "))
    reader = make.random.choice(("cat", make.simple(depth), "cat - | cat", f"{make.simple(depth)} | cat"))
    first, pipe, rest = reader.partition(" |")
    behind = make.random.choice(("", "", f"; {make.simple(depth)}", f" && {make.one_line()}", " >out"))
    return f"{first} {dash}{end}{pipe}{rest}{behind}\n{noise}\n{inside} b\n{word}"


def _two_documents(make: LineMaker, depth: int) -> str:
    return f"cat <<A 3<<'B'\n{make.substitution(depth)}\nA\n$(markx)\nB"


def _shell_input(make: LineMaker, depth: int) -> str:
    """Text that reaches a shell on its input, or as an argument."""
    code = make.random.choice((make.one_line(), f"{make.one_line()}; {make.one_line()}", make.simple(depth)))
    quoted = shlex.quote(code)
    shell = make.random.choice(("bash", "sh", "bash -s", "bash -s -- a", "env bash", "timeout 5 bash", "bash --norc"))
    if shell.startswith("sh") and ("$'" in code or '$"' in code):
        shell = "bash"
    plain = make.one_line()
    return make.random.choice(
        (
            f"bash -c {quoted}",
            f"bash -c {quoted} x y",
            f"bash -xc {quoted}",
            f"bash -c -- {quoted}",
            f"eval {quoted}",
            f"eval {make.one_line()}",
            f"bash <<< {quoted}",
            f"{shell} <<'E'\n{code}\nE",
            f"echo {shlex.quote(plain)} | {shell}",
            f"printf '%s\\n' {shlex.quote(plain)} | {shell}",
            f"bash <(echo {shlex.quote(plain)})",
            f"source <(echo {shlex.quote(plain)})",
            f". /dev/stdin <<< {quoted}",
            f"{{ {shell}; }} <<< {shlex.quote(plain)}",
            f"echo {shlex.quote(plain)} | tee >({shell}) >/dev/null; wait",
            f"bash -c 'bash -c '\\''{plain}'\\'''",
            f"bash -c '\"$@\"' _ {plain}",
            f"bash -c '$0 $1' {MARKERS[1]} x",
            f"echo {shlex.quote(plain)} | (cat | {shell})",
            f"echo {shlex.quote(plain)} > s.sh; bash s.sh",
            f"echo {shlex.quote(plain)} > s.sh; . ./s.sh",
            f"echo '{MARKERS[0]} a' > s.sh; echo {shlex.quote(plain)} >> s.sh; bash < s.sh",
            f"bash -O extglob -c {quoted}",
            f"exec 3<<< {shlex.quote(plain)}; bash <&3",
            f"cat <<< {shlex.quote(plain)} | {shell}",
            f'while read -r l; do eval "$l"; done <<< {shlex.quote(plain)}',
            f'eval "$(echo {shlex.quote(plain)})"',
        )
    )


def _delegated(make: LineMaker, _depth: int) -> str:
    """Programs that run another one."""
    plain, marker = make.one_line(), make.random.choice(MARKERS)
    return make.random.choice(
        (
            f"echo a b | xargs {plain}",
            f"echo a b | xargs -n1 {plain}",
            f"echo a | xargs -I{{}} {marker} {{}} x",
            f"echo {marker} | xargs env",
            f"echo {marker} y | xargs -n 1 -- env",
            f"printf 'a\\nb\\n' | xargs -I % sh -c '{marker} %'",
            f"find . -maxdepth 0 -exec {plain} {{}} \\;",
            f"find . -maxdepth 0 -exec {plain} {{}} +",
            f"find . -maxdepth 0 -exec sh -c '{plain}' ';'",
            f"env -S '{plain}'",
            f'env -i PATH="$PATH" {plain}',
            f"env -S'A=1 {marker}' x",
            f"flock f {plain}",
            f"flock f -c '{plain}'",
            f"trap '{plain}' EXIT",
            f'trap "{plain}" EXIT; trap - INT',
            f"coproc {plain}\nwait",
            f"coproc {{ {plain}; }}\nwait",
            f"coproc N {{ {plain}; }}; wait",
            f"exec {plain}",
            f"(exec {plain})",
            f"xargs {plain} <<< 'a b'",
            f"xargs -a /dev/null {plain}",
            f"shopt -s expand_aliases\nalias k='{plain}'\nk z",
            f"shopt -s expand_aliases\nalias k='{marker} '\nk k",
            f"mapfile -t -C '{plain} ;:' -c 1 <<< a",
            f"PROMPT_COMMAND='{plain}'; true",
            f"command -- {plain}",
            f"nohup -- {plain}",
            f"x=$(trap '{plain}' EXIT)",
            f"time -p {plain}",
            f"parallel_={marker}; $parallel_ a",
            f"timeout --signal=KILL 5 {plain}",
            f"nice -n5 {plain}",
            f"setsid --wait {plain}",
            f"env --unset=A --chdir=. {plain}",
            f"timeout -sKILL 5 nice {plain}",
        )
    )


def _variables(make: LineMaker, _depth: int) -> str:
    name, other = make.name(), make.name()
    marker, second = make.random.sample(MARKERS, 2)
    cut = make.random.randrange(1, len(marker))
    return make.random.choice(
        (
            f"{name}={marker}; ${name} a",
            f'{name}="{marker} a b"; ${name}',
            f"{name}={marker[:cut]}; ${{{name}}}{marker[cut:]} x",
            f"{name}={marker[:cut]}; {name}+={marker[cut:]}; ${name} x",
            f"${{{name}:-{marker}}} x",
            f"${{{name}:={marker}}} x; ${name}",
            f"{name}=; ${name} {marker} x",
            f"({name}={marker}); ${name} {second} x",
            f"{name}={second}; {name}={marker} true; ${name} x",
            f"{name}={marker}; {other}={name}; ${{!{other}}} x",
            f"declare {name}={marker}; ${name} x",
            f"export {name}={marker}; ${name} x",
            f"read {name} <<< {marker}; ${name} x",
            f"read -r {name} {other} <<< '{marker} a'; ${name} ${other}",
            f"printf -v {name} '%s' {marker}; ${name} x",
            f'{name}=({marker} a b); "${{{name}[@]}}"',
            f"{name}=({marker} c); ${name} x",
            f"{name}=({second} [1]={marker}); ${{{name}[1]}} x",
            f"declare -A {name}=([k]={marker}); ${{{name}[k]}} x",
            f"{name}={marker}; if true; then {name}={second}; fi; ${name} x",
            f"{name}={marker}; false && {name}={second}; ${name} x",
            f"{name}={marker}; for i in 1 2; do ${name} $i; {name}={second}; done",
            f"IFS=:; {name}={marker}:a:b; ${name}",
            f"{name}={marker.upper()}; ${{{name},,}} x",
            f"{name}=xx{marker}; ${{{name}:2}} x",
            f"{name}={marker}zz; ${{{name}%zz}} x",
            f"{name}=zz{marker}; ${{{name}#zz}} x",
            f"{name}={marker.replace('m', 'q', 1)}; ${{{name}/q/m}} x",
            f'set -- {marker} a; $1 "$2"',
            f'set -- {marker} a b; "$@"',
            f"set -- a {marker}; shift; $*",
            f"unset {name}; ${name} {marker} x",
            f"{name}={marker}; unset {name}; ${name} {second} x",
            f"{name}='{marker} $(markx)'; ${name}",
            f'{name}={marker}; eval "${name} x"',
            f"{name}() {{ {other}={marker}; }}; {other}={second}; {name}; ${other} x",
            f"echo {marker} | read {name}; ${{{name}:-{second}}} x",
            f"while :; do {name}={marker}; break; {name}={second}; done; ${name} x",
            f"declare -n {name}={other}; {name}={marker}; ${other} x",
            f"f() {{ local {name}={second}; }}; {name}={marker}; f; ${name} x",
            f"{name}={marker}; {name}=$({second} b); ${name} {marker} c",
            f"until {name}={marker}; do :; done; ${name} x",
            f"case a in a) {name}={marker};; *) {name}={second};; esac; ${name} x",
            f"{name}=a; [[ ${name} == b ]] || {name}={marker}; ${name} x",
            f"((1)) && {name}={marker}; ${name} x",
            f"{name}={marker} {other}=a; ${name} ${other}",
        )
    )


def _tests(make: LineMaker, depth: int) -> str:
    inner = make.substitution(depth)
    return make.random.choice(
        (
            f"[[ -n {inner} && ( a == b || x =~ ^(x|y)$ ) ]] || {make.simple(depth)}",
            f'[ "{inner}" = a ] || {make.simple(depth)}',
            f"(( $(echo 1) + 0$({make.one_line()}) )) && {make.simple(depth)}",
            f"echo $(( 1 + 0{inner} ))",
            f"test -n {inner} && {make.simple(depth)}",
            f"(( ( 1 << 2 ) > 3 )) && {make.simple(depth)}",
            f"[[ a < b ]] && {make.simple(depth)}",
            f"[[ ! -e {inner} ]] && {make.simple(depth)}",
            f"((i = 3, i++)); {make.simple(depth)}",
            f"[[ 'a b' == *\" \"* ]] && {make.simple(depth)}",
            f"x='a[$({make.one_line()})]'; echo $((x))",
            f"echo $(( ( 2 ) * ( 3 ) )); {make.simple(depth)}",
            f"if (( 1 )) || {make.simple(depth)}; then {make.body(depth)}fi",
        )
    )


def _processes(make: LineMaker, depth: int) -> str:
    return make.random.choice(
        (
            f"cat <({make.body(depth)})",
            f"cat <({make.simple(depth)}) <({make.one_line()})",
            f"{make.one_line()} > >({make.simple(depth)}); wait",
            f"cat < <({make.simple(depth)})",
            f"{MARKERS[5]} <({make.one_line()}) | cat",
            f'x=( $({make.simple(depth)}) "$({make.one_line()})" )',
            f"echo {{a,{make.substitution(depth)}}}",
            f'"$({make.body(depth)})" 2>/dev/null || {make.simple(depth)}',
            f"{{{MARKERS[1]},a,b}}",
            f"{MARKERS[2]} {{1..3}} {{a,b}}{{c,d}}",
            f"{{{MARKERS[1]},{MARKERS[2]}}}",
            f'cat <<< "$({make.body(depth)})"',
            f'echo "a `{make.one_line()} \\`{MARKERS[0]}\\`` b"',
            f'echo "${{x:-$({make.one_line()})}}"',
            f'echo ${{x:-"$({make.one_line()})"}}',
            f'echo \\"$({make.one_line()})\\"',
            f'echo "\\"$({make.body(depth)})\\""',
            f"echo '\\'$({make.one_line()})",
            f"echo \"'$({make.one_line()})'\"",
            f"echo \\'; {make.one_line()}; echo \\'",
            f"echo $'\\''; {make.simple(depth)}; echo $'\\''",
            f"x=$(case a in a) {make.one_line()};; esac)",
            f"x=$(cat <<E\n'$({make.one_line()})\nE\n)\n{make.simple(depth)}",
            f"echo $(cat <<'E'\n)'\nE\n) ; {make.simple(depth)}",
            f"echo a#b; {make.one_line()} #c",
            f"echo $# ; {make.simple(depth)}",
            f"echo ${{#x}} ; {make.simple(depth)}",
            f"x=1;#{MARKERS[0]}\n{make.simple(depth)}",
            f"echo \\# ; {make.simple(depth)}",
            f"echo \\\\; {make.simple(depth)}",
            f'echo "\\\\"; {make.simple(depth)} ""',
            f"if\n{make.simple(depth)}\nthen\n{make.body(depth)}fi | cat",
            f"echo \\$({make.one_line()})".replace("\\$(", "\\$\\(").replace(")", "\\)") + f"; {make.simple(depth)}",
        )
    )


STATEMENTS: tuple[Rule, ...] = (
    _simple, _simple, _sequence, _joined, _joined, _prefixed, _group, _group, _condition, _counted, _for, _for, _case,
    _case, _function, _called_argument, _document, _document, _two_documents, _shell_input, _shell_input, _shell_input,
    _delegated, _delegated, _delegated, _variables, _variables, _variables, _tests, _tests, _processes, _processes,
    _processes,
)  # fmt: skip
WORDS: tuple[Rule, ...] = (
    lambda make, depth: make.substitution(depth),
    lambda make, depth: f'"{make.substitution(depth)}"',
    lambda make, depth: f'"a {make.substitution(depth)}\'b"',
    lambda make, depth: f"x{make.substitution(depth)}y",
    lambda make, _depth: f"<({make.one_line()})",
    lambda make, depth: f"${{u:-{make.substitution(depth)}}}",
    lambda make, depth: f'"${{u:-{make.substitution(depth)}}}"',
    lambda make, depth: f"$((1+0{make.substitution(depth)}))",
    lambda make, _depth: f"{{p,{make.one_line().split()[0]}}}",
    lambda make, depth: f'$"t {make.substitution(depth)}"',
    lambda _make, _depth: '"$HOME"/x',
)
