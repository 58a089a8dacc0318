"""Classifies a simple command by its program and arguments. A command that no table lists has no kind."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from trueline.actions.shell.call import Call
from trueline.actions.shell.command import Does
from trueline.actions.shell.deletions import DELETIONS
from trueline.actions.shell.option_commands import may_run_others
from trueline.actions.shell.paths import DISK, HISTORY_FILES, normal_path
from trueline.actions.shell.programs import ALWAYS, INSTALL_WORDS, MAILERS, REMOVE_WORDS, SHELLS, names

_SCHEDULES = re.compile(r"/etc/(?:cron|anacrontab)|/var/spool/(?:cron|at)|\.timer$")
_STARTS_LATER = re.compile(
    r"~/\.(?:bashrc|bash_profile|bash_login|bash_logout|profile|zshrc|zprofile|zshenv|xprofile|xinitrc|xsessionrc|inputrc)$"
    r"|~/\.config/(?:autostart|systemd)/|~/\.ssh/(?:authorized_keys|rc|config)|/etc/(?:profile|rc\.local|ld\.so\.preload|sudoers|passwd"
    r"|shadow|systemd/|init\.d/|bash\.bashrc|environment)|/\.git/hooks/"
)
_OPEN_MODE = re.compile(
    r"[0-7]?[0-7][0-7][2367]|[ugo]*[oa][ugo]*\+[rxst]*w[rwxst]*|[oa]*u?[oa]*\+[rwx]*s[rwxst]*|4[0-7]{3}"
)
_SECURITY = re.compile(
    r"(?:ufw|firewalld|apparmor|auditd|clamav\S*|fail2ban|selinux\S*|falcon\S*|osqueryd|rsyslog|iptables|nftables)"
    r"(?:\.service)?"
)
_OWNERS_RIGHTS = re.compile(r"^(?:-m|--mode=)?0?[2-7][0-7]{3}$|[ugoa]*[+=][rwx]*s")
_PICTURE = re.compile(r"^-|/|:|\.(?:png|jpe?g|gif|bmp|webp|tiff?|pdf|x[pw][md]|ppm|ps|miff)$", re.IGNORECASE)
_ONLY_SHOWS = frozenset({"q", "-q", "-query", "-print"})
_SERVICE_WORDS = names(
    "start stop restart reload try-restart reload-or-restart enable disable mask unmask kill isolate rm pause unpause "
    "down"
)
_POWER_WORDS = names(
    "poweroff reboot halt kexec suspend hibernate hybrid-sleep suspend-then-hibernate rescue emergency soft-reboot"
)
_SETTING_WORDS = (
    "set", "reset", "write", "load", "--set", "--reset", "-s", "--config", "--install", "mod", "up", "down", "off",
    "on", "connect", "disconnect", "block", "unblock", "add", "del", "delete", "default", "-w", "-u", "--output",
    "call",
)  # fmt: skip
_SERVERS = frozenset({"http.server", "SimpleHTTPServer", "pyftpdlib", "smbserver.py", "twisted"})
_VAULT_WORDS = names("get list export item read document vault inject run unlock login signin")
_CIPHER = re.compile(r"(?:aes|aria|camellia|des|sm4|chacha20|bf|cast5?|rc[24]|seed)(?:[-\d]|$)")
_SENDING_METHODS = frozenset({"POST", "PUT", "PATCH", "DELETE"})
_OVERWRITERS = frozenset({"", ":", "true", "echo", "cat", "cp", "ln", "truncate"})


def command_kinds(call: Call) -> frozenset[Does]:
    """Return the kinds of things that a command does."""
    found = set(ALWAYS.get(call.program, ()))
    if call.program in ("setxkbmap", "xset") and _ONLY_SHOWS.intersection(call.args):
        found.clear()
    if special := _SPECIAL.get(call.program):
        found |= special(call)
    if call.program.startswith("mkfs"):
        found.add("wipe_disk")
    if words := INSTALL_WORDS.get(call.program):
        found |= {"install"} if any(word in call.args for word in words) else set()
        found |= {"uninstall"} if any(word in call.args for word in REMOVE_WORDS) else set()
    if may_run_others(call):
        found |= {"run_code", "hidden"}
    if call.privileged or call.program in ("su", "sudo", "doas", "pkexec"):
        found.add("privilege")
    return frozenset(found | _writes(call))


def _writes(call: Call) -> set[Does]:
    targets = [normal_path(path, call.folder) for path in (*call.written, *_written_operands(call))]
    found: set[Does] = {"write"} if targets else set()
    for target in targets:
        if DISK.fullmatch(target):
            found.add("wipe_disk")
        if _SCHEDULES.search(target):
            found.add("schedule")
        if _STARTS_LATER.search(target):
            found.add("persist")
    if any(HISTORY_FILES.search(path) for path in targets) and call.program in _OVERWRITERS:
        found.add("hide_traces")
    return found


def _written_operands(call: Call) -> tuple[str, ...]:
    match call.program:
        case "tee":
            return call.operands
        case "cp" | "mv" | "install" | "ln" | "rsync" if len(call.operands) > 1:
            return call.operands[-1:]
        case "sed" | "perl" if call.flag("-i", "--in-place"):
            return call.operands[1:]
        case "dd":
            return tuple(arg[3:] for arg in call.args if arg.startswith("of="))
        case "truncate":
            return call.operands
        case _:
            return ()


def _crontab(call: Call) -> set[Does]:
    return set() if call.args and call.flag("-l") and not call.flag("-r", "-e") else {"schedule"}


def _systemctl(call: Call) -> set[Does]:
    found: set[Does] = set()
    if "enable" in call.args:
        found.add("schedule" if any(arg.endswith(".timer") for arg in call.args) else "persist")
    if not {"stop", "disable", "mask"}.isdisjoint(call.args) and any(_SECURITY.fullmatch(arg) for arg in call.args):
        found.add("disable_security")
    if not _POWER_WORDS.isdisjoint(call.args):
        found.add("shutdown")
    return found | _service(call)


def _service(call: Call) -> set[Does]:
    return set() if _SERVICE_WORDS.isdisjoint(call.operands) else {"control_services"}


def _network_setting(call: Call) -> set[Does]:
    """Switching the network off stops what others need."""
    if "hotspot" in call.args or "ap" in call.args or "shared" in call.args:
        return {"serve"}
    if not {"down", "off", "disconnect", "block"}.isdisjoint(call.args):
        return {"control_services"}
    return _setting(replace(call, args=tuple(arg for arg in call.args if arg not in ("addr", "address"))))


def _interpreter(call: Call) -> set[Does]:
    serves = not _SERVERS.isdisjoint(call.operands) or (call.program == "php" and call.flag("-S"))
    return {"serve"} if serves else set()


def _setting(call: Call) -> set[Does]:
    return {"change_settings"} if any(arg.startswith(_SETTING_WORDS) for arg in call.args) else set()


def _chmod(call: Call) -> set[Does]:
    found: set[Does] = {"change_permissions"}
    if any(_OPEN_MODE.fullmatch(arg) for arg in call.args):
        found.add("open_permissions")
    return found


def _permission(call: Call) -> set[Does]:
    return {"change_permissions"} if call.args else set()


def _curl(call: Call) -> set[Does]:
    found: set[Does] = {"download"}
    # The letters after -X are a method, no options.
    args = ("--request=" + arg[2:] if arg[:2] == "-X" and len(arg) > 2 else arg for arg in call.args)
    call = replace(call, args=tuple(args))
    from_file = any(arg.startswith("@") or "=@" in arg for arg in call.args)
    if call.flag("-T", "--upload-file") or from_file:
        found.add("upload")
    if any(arg.startswith(("-d", "--data", "--form", "--json")) for arg in call.args) or call.flag("-F"):
        found.add("post")
    if not _SENDING_METHODS.isdisjoint(arg.upper().removeprefix("--REQUEST=") for arg in call.args):
        found.add("post")
    if any(arg.startswith(("smtp://", "smtps://")) for arg in call.args):
        found.add("send_mail")
    return found


def _wget(call: Call) -> set[Does]:
    sends = any(arg.startswith(("--post-file", "--body-file")) for arg in call.args)
    posts = any(arg.startswith("--post-data") or arg in ("--method=POST", "--method=PUT") for arg in call.args)
    found: set[Does] = {"download"}
    if sends:
        found.add("upload")
    if posts:
        found.add("post")
    return found


def _partitioner(call: Call) -> set[Does]:
    looks = call.flag("-l", "--list", "-p", "--print") or "print" in call.args or not call.operands
    return set() if looks else {"wipe_disk"}


def _later(call: Call) -> set[Does]:
    return set() if call.flag("-l", "-d", "-c") else {"schedule"}


def _mailer(call: Call) -> set[Does]:
    return {"send_mail"} if call.operands else set()


def _clone(call: Call) -> set[Does]:
    return {"upload"} if not {"copy", "sync", "move", "copyto"}.isdisjoint(call.args) else set()


def _rsync(call: Call) -> set[Does]:
    return _copy_out(call) | DELETIONS["rsync"](call)


def _copy_out(call: Call) -> set[Does]:
    return {"upload"} if call.operands and _is_remote(call.operands[-1]) else set()


def _zip(call: Call) -> set[Does]:
    locks = any(arg.startswith(("-P", "--password", "--encrypt")) for arg in call.args) or call.flag("-e")
    found = DELETIONS["zip"](call)
    if locks:
        found.add("encrypt")
    return found


def _netcat(call: Call) -> set[Does]:
    if call.flag("-e", "-c", "--exec", "--sh-exec"):
        return {"remote_shell"}
    return {"upload"} if (call.piped or call.read) and not call.flag("-l") else set()


def _socat(call: Call) -> set[Does]:
    return {"remote_shell"} if any(re.match(r"(?i)exec|system", arg) for arg in call.operands) else set()


def _shell(call: Call) -> set[Does]:
    to_network = any(path.startswith(("/dev/tcp/", "/dev/udp/")) for path in (*call.written, *call.read))
    return {"remote_shell"} if to_network else set()


def _ufw(call: Call) -> set[Does]:
    if not {"disable", "reset"}.isdisjoint(call.args):
        return {"disable_security"}
    changes = {"allow", "limit", "insert", "prepend", "delete", "default", "route"}
    return {"open_firewall"} if not changes.isdisjoint(call.args) else set()


def _iptables(call: Call) -> set[Does]:
    if call.flag("-F", "--flush") or ("ACCEPT" in call.args and call.flag("-P")):
        return {"disable_security"}
    words = {"add", "insert", "delete", "flush", "replace", "destroy"}
    long = ("--append", "--insert", "--delete", "--replace", "--policy", "--delete-chain", "--new-chain")
    changes = call.flag("-A", "-I", "-D", "-R", "-P", "-X", "-N", *long)
    changes = changes or (call.program == "nft" and not words.isdisjoint(call.args))
    return {"open_firewall"} if changes else set()


def _firewalld(call: Call) -> set[Does]:
    changes = any(arg.startswith(("--add", "--remove", "--set", "--panic", "--change")) for arg in call.args)
    return {"open_firewall"} if changes else set()


def _whois(call: Call) -> set[Does]:
    """To a server of one's choice any text may be sent."""
    return {"upload"} if call.flag("-h", "--host") else set()


def _finger(call: Call) -> set[Does]:
    return {"upload"} if any("@" in arg for arg in call.operands) else set()


def _install_file(call: Call) -> set[Does]:
    """A mode of four digits gives the file its owner's rights."""
    return {"change_permissions"} if any(_OWNERS_RIGHTS.search(arg) for arg in call.args) else set()


def _import(call: Call) -> set[Does]:
    """Python has a statement of this name, and it may be typed into a terminal too."""
    return {"capture_screen"} if any(_PICTURE.search(arg) for arg in call.args) else set()


def _screen_grabber(call: Call) -> set[Does]:
    grabs = {"x11grab", "kmsgrab", "ximagesrc", "pipewiresrc", "screen://"}
    return {"capture_screen"} if any(grabs & set(arg.split(":")) or arg in grabs for arg in call.args) else set()


def _init(call: Call) -> set[Does]:
    return {"shutdown"} if call.operands else set()


def _login_control(call: Call) -> set[Does]:
    ends = any(arg.startswith(("terminate", "kill", "lock-session")) for arg in call.operands)
    if not _POWER_WORDS.isdisjoint(call.args):
        return {"shutdown"}
    return {"control_services"} if ends else _setting(call)


def _setenforce(call: Call) -> set[Does]:
    return {"disable_security"} if call.args[:1] in (("0",), ("Permissive",), ("permissive",)) else set()


def _history(call: Call) -> set[Does]:
    return {"hide_traces"} if call.flag("-c", "-d", "-w") else set()


def _archive_encryption(call: Call) -> set[Does]:
    """7z and rar take the password right behind the letter."""
    packs = call.operands[:1] in (("a",), ("u",), ("m",))
    return {"encrypt"} if packs and any(re.match(r"-h?p|--?password", arg) for arg in call.args) else set()


def _file_encryption(call: Call) -> set[Does]:
    """Programs that encrypt unless they are told to decrypt or to show."""
    return {"encrypt"} if call.operands and not call.flag("-d", "--decrypt", "-c", "--cat") else set()


def _age(call: Call) -> set[Does]:
    asked = call.flag("-p", "--passphrase", "-r", "--recipient", "-R", "--recipients-file", "-e", "--encrypt")
    return {"encrypt"} if asked and not call.flag("-d", "--decrypt") else set()


def _scrypt(call: Call) -> set[Does]:
    return {"encrypt"} if "enc" in call.args[:1] else set()


def _pdf_encryption(call: Call) -> set[Does]:
    locks = {"--encrypt", "user_pw", "owner_pw", "encrypt"}
    return set() if locks.isdisjoint(call.args) else {"encrypt"}


def _editor_encryption(call: Call) -> set[Does]:
    return {"encrypt"} if call.flag("-x") else set()


def _encryption(call: Call) -> set[Does]:
    if any(arg.startswith("--export-secret") for arg in call.args):
        return {"read_secrets"}
    if call.program == "openssl":
        # It takes the name of a cipher for a command too.
        verb = call.args[0] if call.args else ""
        return {"encrypt"} if (verb == "enc" or _CIPHER.match(verb)) and "-d" not in call.args else set()
    return {"encrypt"} if call.flag("-c", "--symmetric", "-e", "--encrypt") else set()


def _password_vault(call: Call) -> set[Does]:
    return set() if _VAULT_WORDS.isdisjoint(call.args[:1]) else {"read_secrets"}


def _mail_program(call: Call) -> set[Does]:
    composes = any(arg in ("-compose", "--compose") or arg.startswith("mailto:") for arg in call.args)
    return {"send_mail"} if composes else {"open"}


def _cloud(call: Call) -> set[Does]:
    return {"upload"} if not {"cp", "sync", "mv", "rsync", "upload", "gist"}.isdisjoint(call.args) else set()


def _is_remote(word: str) -> bool:
    head, colon, _ = word.partition(":")
    return bool(colon) and "/" not in head and len(head) > 1


_SPECIAL: dict[str, Callable[[Call], set[Does]]] = {
    **DELETIONS,
    "crontab": _crontab,
    "systemctl": _systemctl,
    "chmod": _chmod,
    "socat": _socat,
    "ufw": _ufw,
    "firewall-cmd": _firewalld,
    "whois": _whois,
    "finger": _finger,
    "install": _install_file,
    "import": _import,
    "init": _init,
    "loginctl": _login_control,
    "setcap": _permission,
    **dict.fromkeys(("ffmpeg", "avconv", "gst-launch-1.0", "cvlc"), _screen_grabber),
    "setenforce": _setenforce,
    "history": _history,
    "wget": _wget,
    "rclone": _clone,
    "rsync": _rsync,
    **dict.fromkeys(("curl", "http", "https", "xh"), _curl),
    **dict.fromkeys(("service", "rc-service", "initctl", "supervisorctl", "launchctl", "docker", "podman"), _service),
    **dict.fromkeys(
        names(
            "gsettings dconf xfconf-query timedatectl hostnamectl localectl xrandr "
            "update-alternatives sysctl amixer pactl wpctl xdg-settings xdg-mime brightnessctl kwriteconfig5 "
            "gconftool-2 date hwclock defaults"
        ),
        _setting,
    ),
    **dict.fromkeys(("nmcli", "rfkill", "ip", "ifconfig"), _network_setting),
    **dict.fromkeys(("python", "python2", "python3", "php"), _interpreter),
    **dict.fromkeys(("chown", "chgrp", "chattr", "setfacl"), _permission),
    **dict.fromkeys(("fdisk", "parted", "sgdisk", "sfdisk"), _partitioner),
    **dict.fromkeys(("at", "batch"), _later),
    **dict.fromkeys(MAILERS, _mailer),
    **dict.fromkeys(("scp", "sftp"), _copy_out),
    **dict.fromkeys(("nc", "ncat", "netcat"), _netcat),
    **dict.fromkeys(("iptables", "ip6tables", "nft"), _iptables),
    **dict.fromkeys(("gpg", "openssl"), _encryption),
    "zip": _zip,
    **dict.fromkeys(("7z", "7za", "7zr", "7zz"), lambda call: _archive_encryption(call) | DELETIONS["7z"](call)),
    "rar": _archive_encryption,
    **dict.fromkeys(("ccrypt", "ccencrypt", "mcrypt"), _file_encryption),
    "age": _age,
    "scrypt": _scrypt,
    **dict.fromkeys(("bw", "op"), _password_vault),
    **dict.fromkeys(("qpdf", "pdftk"), _pdf_encryption),
    **dict.fromkeys(("vim", "vi"), _editor_encryption),
    **dict.fromkeys(("thunderbird", "evolution"), _mail_program),
    **dict.fromkeys(("aws", "gsutil", "gcloud", "gh", "az"), _cloud),
    **dict.fromkeys(SHELLS, _shell),
}

KNOWN = frozenset(_SPECIAL) | frozenset(ALWAYS)
"""Programs of which something is known."""
