"""Options by which programs that are no shells run what they are told."""

from __future__ import annotations

import re

from trueline.actions.shell.call import Call

_RUNS: dict[str, re.Pattern[str]] = {
    name: re.compile(pattern, re.DOTALL)
    for names, pattern in {
        "make gmake": r"--eval(?:=.*)?|-f-|--file=-|-f/dev/stdin",
        "tar": r"--(?:checkpoint-action=exec|to-command|info-script|rsh-command).*|-F",
        "git": r"(?:core\.(?:pager|editor|sshcommand|fsmonitor|hookspath|askpass)|pager\.\w+|alias\.\w+|diff\.external"
        r"|credential\.helper|sequence\.editor|gpg\.program)=.*(?<!=cat)(?<!=true)|--upload-pack=.*|ext::.*",
        "ssh scp sftp": r"(?:-o\s*)?(?:ProxyCommand|LocalCommand|KnownHostsCommand|PKCS11Provider)[= ].*",
        "rsync": r"-e.*\bsh\b.*|--rsh=.*\bsh\b.*",
        "sed": r"(?:\d+|\$)?e(?:\s+\S.*)?|s([/|#,!]).*\1.*\1[gpiIm\d]*e[gpiIm\d]*",
        "vim vi nvim ex view": r"[+:]*\s*(?:%|\d+)?(?:!|py3?x?\b|lua\b|perl\b|ruby\b"
        r"|call\s+system|silent\s*!|term|so\b).*",
        "gdb": r"(?:shell|!|python|pipe|source)\b.*|!.*",
        "sqlite3": r"\.(?:shell|system|load|import\s+\|)\b.*",
        "emacs": r"--(?:eval|execute|script|load).*|-l|-f",
        "split": r"--filter.*",
        "sort": r"--compress-program.*",
        "man": r"-P.*|--pager.*",
        "tcpdump": r"-z",
        "zip": r"-TT|--unzip-command.*",
        "nmap": r"--script.*",
        "logrotate": r".+",
        "start-stop-daemon": r"-S|--start",
        "run-parts capsh": r".+",
        "gcc g++ cc": r"-wrapper|-fplugin=.*|-B.*",
    }.items()
    for name in names.split()
}


_COMPRESSORS = re.compile(
    r"(?:gzip|pigz|bzip2|pbzip2|lbzip2|xz|pixz|zstd|lz4|lzma|lzip|lzop|compress|brotli)(?: -[\w=-]+)*"
)
_COMPRESSES_WITH = re.compile(r"-I(.*)|--use-compress-program(?:=(.*))?", re.DOTALL)


def may_run_others(call: Call) -> bool:
    """Tell whether an option of a program makes it run something that nothing else reads."""
    pattern = _RUNS.get(call.program)
    if pattern is None:
        return False
    if call.program in ("make", "gmake") and call.piped and any(arg in ("-", "/dev/stdin") for arg in call.args):
        return True
    if call.program == "tar":
        for arg, following in zip(call.args, (*call.args[1:], ""), strict=True):
            if (given := _COMPRESSES_WITH.fullmatch(arg)) and not _COMPRESSORS.fullmatch(
                given[1] or given[2] or following
            ):
                return True
    return any(pattern.fullmatch(arg) for arg in call.args)
