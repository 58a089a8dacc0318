"""First process of a session whose user can become root: starts the session and runs what `sudo` asks for.

It is root of the session's user namespace with the few capabilities that a system's tools need, without new privileges
and under the filter. Nobody inside can read or change it: it is not dumpable, not even for the root inside. Each call
comes over a connection of its own to the socket `ADDRESS`: one JSON object with the caller's standard streams and
current folder. The host is asked before anything runs; it knows the password and keeps the record.
Arguments: the command line of the session, after the descriptors that only the session gets.
"""

from __future__ import annotations

import ctypes
import fcntl
import grp
import json
import os
import pwd
import select
import signal
import socket
import struct
import sys
import termios
import time
from contextlib import suppress

ADDRESS = "\0trueline-sudo"
HOST = ("127.83.85.68", 912)
USER = 1000
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
KEPT_CAPABILITIES = (0, 1, 3, 4, 5, 6, 7, 10, 31)
"""chown, dac_override, fowner, fsetid, kill, setgid, setuid, net_bind_service, setfcap."""
LAST_CAPABILITY = 40
"""checkpoint_restore, of Linux 5.9; mapped mounts need 5.12."""
SET_USER_ID = ("su", "passwd", "chsh", "chfn", "gpasswd", "newgrp")
"""Programs that check who calls them themselves; without new privileges their set-user-id bit means nothing."""
KEPT_VARIABLES = ("TERM", "COLORTERM", "DISPLAY", "LANG", "LANGUAGE", "TZ")
LONGEST_CALL, LONGEST_LINE = 1 << 18, 1 << 16
MOST_CALLS, AGAIN = 64, 0.05
"""Calls served at once; seconds until the next one is tried to be served when there is no room."""
FIRST_WORD, ASKING = 10.0, 600.0
"""Seconds for a caller to say what it wants, and for host and caller to settle it."""
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_NAME, PR_CAPBSET_DROP, PR_CAP_AMBIENT = 1, 4, 15, 24, 47
LIBC = ctypes.CDLL(None, use_errno=True)

TYPE_CHECKING = False  # `typing` costs milliseconds at every start
if TYPE_CHECKING:
    from typing import TypedDict

    class Call(TypedDict):
        """What a caller sends."""

        program: str
        """`sudo`, or one of `SET_USER_ID`."""
        words: list[str]
        """Everything after the program's name, for the record."""
        flags: str
        argv: list[str]
        """What is to run; empty if nothing is."""
        user: str
        group: str
        env: dict[str, str]
        set: list[str]
        """Names of variables that are kept besides the usual ones."""
        cwd: str
        login: bool
        """Whether it begins in the user's home folder."""
        terminal: bool
        """Whether the command gets a terminal of its own, which the caller shows on its own."""
        background: bool


class CallRefused(Exception):
    """Why a call is refused."""


def give_up_capabilities() -> None:
    """Keep the few capabilities that are meant to be there, also for everything that is started."""
    LIBC.prctl(PR_CAP_AMBIENT, 4, 0, 0, 0)
    for number in range(LAST_CAPABILITY + 24):
        dropped = number in KEPT_CAPABILITIES or LIBC.prctl(PR_CAPBSET_DROP, number, 0, 0, 0) == 0
        if not dropped and number <= LAST_CAPABILITY:  # those beyond are not known yet
            sys.exit(f"capability {number} cannot be given up")
    kept = sum(1 << number for number in KEPT_CAPABILITIES)
    low, high = kept & 0xFFFFFFFF, kept >> 32
    header, data = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)(low, low, 0, high, high, 0)
    if LIBC.capset(header, data):
        sys.exit("capabilities cannot be given up")


def become(real: int, effective: int, group: int, groups: list[int]) -> None:
    """Take a user's place; the capabilities go unless the effective user is root."""
    os.setgroups(groups)
    os.setresgid(group, group, group)
    os.setresuid(real, effective, effective)


def groups_of(name: str, group: int) -> list[int]:
    """The groups of a user."""
    return sorted({group, *os.getgrouplist(name, group)})


def environment(call: Call, who: pwd.struct_passwd, caller: pwd.struct_passwd) -> dict[str, str]:
    """The variables of a command."""
    kept = {
        name: value
        for name, value in call["env"].items()
        if name in KEPT_VARIABLES or name.startswith("LC_") or (call["program"] == "sudo" and name in call["set"])
    }
    if call["program"] != "sudo":
        return {**kept, "PATH": PATH, "HOME": caller.pw_dir, "USER": caller.pw_name, "LOGNAME": caller.pw_name}
    about = {"HOME": who.pw_dir, "USER": who.pw_name, "LOGNAME": who.pw_name, "SHELL": who.pw_shell or "/bin/sh"}
    by = {"SUDO_USER": caller.pw_name, "SUDO_UID": str(caller.pw_uid), "SUDO_GID": str(caller.pw_gid)}
    chosen = {name: kept[name] for name in call["set"] if name in kept}
    return {**kept, "PATH": PATH, **about, **chosen, **by}


def run(call: Call, fds: list[int], connection: socket.socket, uid: int) -> None:
    """In a process of its own: take the caller's streams or a terminal, become the user, execute."""
    name = call["program"]
    try:
        caller = pwd.getpwuid(uid)
        if name == "sudo":
            who = pwd.getpwnam(call["user"])
            group = grp.getgrnam(call["group"]).gr_gid if call["group"] else who.pw_gid
            ids = (who.pw_uid, who.pw_uid, group, groups_of(who.pw_name, group))
            argv = call["argv"]
        else:
            who, group = caller, caller.pw_gid
            ids = (caller.pw_uid, 0, group, groups_of(caller.pw_name, group))
            argv = [f"/usr/bin/{name}", *call["words"]]
        os.setsid()
        message, passed, streams = {"pid": os.getpid()}, list[int](), fds[:3]
        if call["terminal"]:
            master, slave = os.openpty()
            fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
            os.fchown(slave, who.pw_uid, -1)
            passed, streams = [master], [slave] * 3
        socket.send_fds(connection, [json.dumps(message).encode()], passed)
        os.fchdir(fds[3])
        if call["login"]:
            os.chdir(who.pw_dir)
        for number, fd in enumerate([fcntl.fcntl(stream, fcntl.F_DUPFD, 20) for stream in streams]):
            os.dup2(fd, number)
        os.closerange(3, LONGEST_LINE)
        for number in (signal.SIGPIPE, signal.SIGINT, signal.SIGCHLD):
            signal.signal(number, signal.SIG_DFL)
        os.umask(0o022)
        variables = environment(call, who, caller)
        become(*ids)
        os.execvpe(argv[0], argv, variables)  # noqa: S606 - what sudo is for
    except FileNotFoundError:
        say(f"{name}: {(call['argv'] or [name])[0]}: command not found")
    except KeyError:
        say(f"{name}: unknown user or group")
    except (OSError, ValueError) as error:
        say(f"{name}: {error}")
    os._exit(127)


def say(text: str) -> None:
    """Tell the caller."""
    os.write(2, f"{text}\n".encode("utf-8", "replace"))


def receive_call(connection: socket.socket) -> tuple[Call, list[int]]:
    """Read what a caller wants. Raises CallRefused."""
    data, fds, _, _ = socket.recv_fds(connection, LONGEST_CALL, 4)
    for fd in fds:
        os.set_inheritable(fd, False)
    if len(fds) != 4:
        raise CallRefused("the standard streams are closed")
    call: Call = json.loads(data)
    words: list[object] = [*call["words"], *call["argv"], *call["set"], *call["env"], *call["env"].values()]
    words += [call["program"], call["user"], call["group"], call["flags"], call["cwd"]]
    if not all(isinstance(word, str) and "\0" not in word for word in words):
        raise CallRefused("not a command")
    if call["program"] not in ("sudo", *SET_USER_ID):
        raise CallRefused("no such program")
    return call, fds


def settle(call: Call, connection: socket.socket, uid: int) -> None:
    """Have the host decide, who may ask the caller for the password. Raises CallRefused."""
    if call["program"] == "sudo" and uid not in (0, USER):
        raise CallRefused(f"{pwd.getpwuid(uid).pw_name} is not in the sudoers file.")
    asked = {"program": call["program"], "argv": call["words"], "cwd": call["cwd"], "flags": call["flags"]}
    with socket.create_connection(HOST, ASKING) as sock, sock.makefile("rw", encoding="utf-8") as host:
        print(json.dumps(asked), file=host, flush=True)
        while True:
            answer = json.loads(host.readline(LONGEST_LINE))
            if "ask" not in answer:
                if answer["refused"]:
                    raise CallRefused(str(answer["refused"]))
                return
            connection.send(json.dumps({"ask": answer["ask"]}).encode())
            password = json.loads(connection.recv(LONGEST_LINE) or b'""')
            print(json.dumps(str(password)), file=host, flush=True)


def serve(connection: socket.socket) -> None:
    """Serve one call, in a process of its own."""
    LIBC.prctl(PR_SET_NAME, b"sudo", 0, 0, 0)
    uid: int = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[1]
    try:
        connection.settimeout(FIRST_WORD)
        call, fds = receive_call(connection)
        connection.settimeout(ASKING)
        settle(call, connection, uid)
    except CallRefused as error:
        connection.send(json.dumps({"refused": str(error)}).encode())
        return
    connection.settimeout(None)
    if not call["argv"] and call["program"] == "sudo":
        connection.send(b'{"returncode": 0}')
        return
    pid = os.fork()
    if pid == 0:
        run(call, fds, connection, uid)
    for fd in fds:
        os.close(fd)
    ended = os.pidfd_open(pid)
    listening = True
    while True:
        ready, _, _ = select.select([ended, *([connection] if listening else [])], [], [])
        if ended in ready:
            break
        told = connection.recv(LONGEST_LINE)
        listening = bool(told)
        if told or not call["background"]:
            forward(pid, int(json.loads(told)["signal"]) if told else signal.SIGHUP)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    connection.send(json.dumps({"returncode": code if code >= 0 else 128 - code}).encode())


def forward(pid: int, number: int) -> None:
    """Send a signal to a command and what it started."""
    with suppress(ProcessLookupError):  # it may have just ended
        os.killpg(pid, number)


def start_session(argv: list[str]) -> int:
    """Start the session as the user, without any capability."""
    pid = os.fork()
    if pid == 0:
        try:
            os.setsid()
            become(USER, USER, USER, groups_of(pwd.getpwuid(USER).pw_name, USER))
            os.execv(argv[0], argv)  # noqa: S606 - the host's command line
        except (OSError, KeyError) as error:
            say(f"the session: {error}")
        finally:
            os._exit(127)
    return pid


def reap(session: int) -> int:
    """Take note of every process that has ended but the session; return how many there were."""
    count = 0
    while True:
        try:
            found = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:
            return count
        if found is None or found.si_pid == session:
            return count
        os.waitpid(found.si_pid, 0)
        count += 1


def wake_up(number: int, frame: object) -> None:
    """Do nothing: what waits is woken by a descriptor."""


def answer_calls(door: socket.socket, session: int) -> int:
    """Serve until the session ends; return how it ended."""
    ended = os.pidfd_open(session)
    wake, poke = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.signal(signal.SIGCHLD, wake_up)
    signal.set_wakeup_fd(poke, warn_on_full_buffer=False)
    calls: set[int] = set()
    while True:
        room = len(calls) < MOST_CALLS
        ready, _, _ = select.select([ended, wake, *([door] if room else [])], [], [])
        if wake in ready:
            os.read(wake, 512)
        if ended in ready:
            return os.waitstatus_to_exitcode(os.waitpid(session, 0)[1]) & 255
        if door in ready:
            try:
                connection, _ = door.accept()
            except OSError:  # root inside may limit even us
                time.sleep(AGAIN)
                continue
            try:
                pid = os.fork()
            except OSError:  # the desktop's limit of processes is reached
                pid = -1
                time.sleep(AGAIN)
            if pid == 0:
                signal.set_wakeup_fd(-1)
                door.close()
                try:
                    serve(connection)
                except (OSError, ValueError, KeyError, TypeError, struct.error):
                    pass  # whoever talks nonsense, or went away, is not answered
                finally:
                    os._exit(0)
            if pid > 0:
                calls.add(pid)
            connection.close()
        reap(session)
        calls = {pid for pid in calls if os.path.exists(f"/proc/{pid}")}


def main() -> None:
    """Start the session, then serve."""
    LIBC.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    count = int(sys.argv[1])
    given, argv = [int(word) for word in sys.argv[2 : 2 + count]], sys.argv[2 + count :]
    give_up_capabilities()
    door = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    door.bind(ADDRESS)
    door.listen(MOST_CALLS)
    session = start_session(argv)
    for fd in given:
        os.close(fd)
    sys.exit(answer_calls(door, session))


main()
