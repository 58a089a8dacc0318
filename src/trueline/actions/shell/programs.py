"""Programs by what they are for."""

from __future__ import annotations

from trueline.actions.shell.command import Does


def names(text: str) -> frozenset[str]:
    """Return the words of a text, as names of programs."""
    return frozenset(text.split())


SHELLS = names("sh bash zsh dash ksh ash fish mksh pdksh lksh yash posh rbash csh tcsh")
_VERSIONS = frozenset(
    f"{name}{version}"
    for name, versions in {
        "python": ["2.7", *(f"3.{minor}" for minor in range(6, 16))],
        "lua": ["5.1", "5.2", "5.3", "5.4"],
        "php": ["7.4", "8.0", "8.1", "8.2", "8.3", "8.4"],
        "ruby": ["2.7", "3.0", "3.1", "3.2", "3.3"],
    }.items()
    for version in versions
)
INTERPRETERS = (
    SHELLS
    | _VERSIONS
    | names(
        "python python2 python3 pypy3 ipython ipython3 perl ruby node nodejs deno bun php lua luajit tclsh wish "
        "Rscript julia guile racket groovy qjs octave osascript pwsh"
    )
)
FETCHERS = names("curl wget fetch aria2c lynx http https xh ftp tftp nc ncat netcat lwp-request lwp-download GET")
MAILERS = names("mail mailx s-nail mutt neomutt sendmail msmtp ssmtp swaks xdg-email mpack")
OPENERS = names(
    "xdg-open open sensible-browser x-www-browser firefox chromium chromium-browser google-chrome chrome brave-browser "
    "epiphany kde-open gnome-open start w3m links"
)
TERMINALS = names("xterm gnome-terminal xfce4-terminal konsole x-terminal-emulator kitty alacritty tilix terminator")
DECODERS = names("base64 base32 basenc xxd openssl uudecode gunzip zcat gzip rev tr")
LOGINS = names("scp rsync sftp ssh git ssh-copy-id mosh")
"""Their `user@host` is a login, not a mail address."""
OTHER_SHELLS_WORDS = names("repeat foreach nocorrect noglob begin and or not - switch")
"""Words before a command that only other shells know; bash has no such programs."""
ALTER_THE_SHELL = names(
    "alias unalias hash trap source . eval set shopt enable bind unset exec complete export declare typeset local "
    "readonly function ssh mosh telnet su newgrp login tmux screen docker podman chroot nsenter unshare machinectl "
    "script expect wsl"
)
"""Commands after which a name may mean another program, or another program reads the keyboard."""
TAKES_PATHS = names(
    "rm rmdir unlink shred srm trash trash-put cp mv ln cat less more head tail tac nano vim vi emacs gedit geany code "
    "mousepad kate tar zip chmod chown tee truncate touch source . xclip xsel base64 xxd scp rsync cd"
)
"""Their every operand is a path."""

_INSTALL_BY_WORD = "apt apt-get aptitude dnf yum zypper brew snap flatpak conda gem pip pip3 pipx cargo go uv"
INSTALL_WORDS: dict[str, frozenset[str]] = {
    **dict.fromkeys(_INSTALL_BY_WORD.split(), frozenset({"install"})),
    **dict.fromkeys(("npm", "pnpm", "yarn"), frozenset({"install", "i", "add"})),
    "apk": frozenset({"add"}),
    "pacman": frozenset({"-S", "-Sy", "-Syu", "-U"}),
    "dpkg": frozenset({"-i", "--install"}),
    "rpm": frozenset({"-i", "-U", "-ivh", "-Uvh"}),
    "code": frozenset({"--install-extension"}),
}
REMOVE_WORDS = names("remove purge uninstall autoremove erase -R -Rns --purge un --uninstall-extension")


def _each(names: frozenset[str], does: Does) -> dict[str, frozenset[Does]]:
    return dict.fromkeys(names, frozenset((does,)))


ALWAYS: dict[str, frozenset[Does]] = {
    **_each(names("shutdown reboot poweroff halt pm-suspend pm-hibernate rtcwake telinit"), "shutdown"),
    **_each(names("kill pkill killall xkill"), "kill"),
    **_each(names("useradd adduser usermod userdel deluser passwd chpasswd visudo gpasswd chsh"), "account"),
    **_each(names("wipefs blkdiscard mkswap grub-install grub2-install efibootmgr cryptsetup"), "wipe_disk"),
    **_each(names("unlink rmdir srm"), "delete"),
    **_each(names("transfer croc wormhole magic-wormhole ffsend"), "upload"),
    **_each(names("ssh-copy-id"), "upload"),
    **_each(
        names("xwd scrot gnome-screenshot maim xfce4-screenshooter spectacle flameshot grim ksnip shutter"),
        "capture_screen",
    ),
    **_each(names("recordmydesktop simplescreenrecorder wf-recorder byzanz-record peek"), "capture_screen"),
    **_each(names("setxkbmap xmodmap xset swapon mount modprobe rmmod insmod"), "change_settings"),
    **_each(names("swapoff umount ifdown"), "control_services"),
    **_each(names("ngrok cloudflared localtunnel lt bore frpc serveo updog x11vnc vncserver tmate sshx"), "serve"),
    **_each(names("secret-tool pass keyring gopass lpass kwallet-query mimipenguin"), "read_secrets"),
    **_each(OPENERS, "open"),
}
"""What a program does whatever its arguments are."""
