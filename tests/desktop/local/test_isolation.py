"""Attempts from inside to reach what is not the desktop's own. Each must be refused, by an error it can see."""

from __future__ import annotations

import asyncio
import os
import socket
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from trueline.desktop.local import LocalDesktop, LocalOptions
from trueline.desktop.types import PathRefused

PRELUDE = """
import ctypes, fcntl, os, platform, resource, signal, socket, struct, subprocess, sys, termios, time
libc = ctypes.CDLL(None, use_errno=True)
X86 = platform.machine() == "x86_64"
def check(result):
    if result == -1:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result
def call(x86, arm, *args):
    words = [ctypes.c_long(a) if isinstance(a, int) else a for a in args]
    return check(libc.syscall(ctypes.c_long(x86 if X86 else arm), *words))
def agent():
    return os.getppid()
def session():
    return int(open(f"/proc/{agent()}/stat").read().split()[3])
def run(*argv):
    if subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True).returncode:
        raise OSError(1, "the program failed")
def connect(family, address, kind=socket.SOCK_STREAM):
    s = socket.socket(family, kind); s.settimeout(3); s.connect(address)
"""

ATTEMPTS = {
    "read a file of the host": "open(sys.argv[1])",
    "list a folder of the host": "os.listdir(os.path.dirname(sys.argv[1]))",
    "list root's home": 'os.listdir("/root")',
    "read the password hashes": 'open("/etc/shadow")',
    "read the host's file systems": 'open("/etc/fstab")',
    "reach the host through process 1": 'open("/proc/1/root" + sys.argv[1])',
    "read the template's folder": 'os.listdir("/var/cache/trueline")',
    "write a program": 'open("/usr/bin/evil", "w")',
    "replace sudo": 'open("/usr/local/bin/sudo", "w")',
    "replace the agent's program": 'open("/usr/local/lib/trueline/agent.py", "a")',
    "change who is who": 'open("/etc/passwd", "a")',
    "write a new file in /etc": 'open("/etc/evil", "w")',
    "write in the root folder": 'open("/evil", "w")',
    "write beside the devices": 'open("/dev/evil", "w")',
    "fill a folder without a limit": 'open("/run/evil", "w")',
    "make a device": 'os.mknod("disk", 0o600 | 0o060000, os.makedev(254, 0))',
    "open the machine's memory": 'open("/dev/mem")',
    "open kernel memory": 'open("/proc/kcore", "rb")',
    "open the virtual machines": 'open("/dev/kvm")',
    "open a disk": 'open("/dev/vda")',
    "open the tunnel device": 'open("/dev/net/tun")',
    "open fuse": 'open("/dev/fuse")',
    "reach a port of the host": 'connect(socket.AF_INET, ("127.0.0.1", int(sys.argv[2])))',
    "reach the host's address": "connect(socket.AF_INET, (sys.argv[3], int(sys.argv[2])))",
    "reach the internet": 'connect(socket.AF_INET, ("1.1.1.1", 443))',
    "send into the internet": 'connect(socket.AF_INET, ("8.8.8.8", 53), socket.SOCK_DGRAM)',
    "resolve a name": 'socket.gethostbyname("example.com")',
    "reach an abstract socket of the host": 'connect(socket.AF_UNIX, "\\0" + sys.argv[4])',
    "reach the hypervisor's sockets": "socket.socket(40, socket.SOCK_STREAM)",
    "sniff packets": "socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 3)",
    "send raw packets": "socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)",
    "talk to the crypto subsystem": "socket.socket(38, socket.SOCK_SEQPACKET)",
    "add a network address": 'run("ip", "addr", "add", "10.0.0.1/8", "dev", "lo")',
    "mount": 'check(libc.mount(b"t", b"/tmp", b"tmpfs", 0, None))',
    "unmount the X sockets": 'check(libc.umount2(b"/tmp/.X11-unix", 2))',
    "make a user namespace": "check(libc.unshare(0x10000000))",
    "make a user namespace by clone": "call(56, 220, 0x10000000 | 17, 0, 0, 0, 0) or os._exit(0)",
    "make a user namespace by clone3": 'call(435, 435, struct.pack("<8Q", 0x10000000, *[0] * 7), 64)',
    "enter another namespace": 'check(libc.setns(os.open("/proc/1/ns/net", 0), 0))',
    "change the root folder": 'os.chroot("/tmp")',
    "become root": "os.setuid(0)",
    "become root by su": 'run("su", "-c", "true")',
    "become root by a set-user-id program": 'run("mount", "-t", "tmpfs", "t", "/tmp")',
    "trace the agent": "check(libc.ptrace(16, agent(), 0, 0))",
    "read the agent's memory": 'open(f"/proc/{agent()}/mem", "rb")',
    "read the session's memory": 'open(f"/proc/{session()}/mem", "rb")',
    "list the agent's descriptors": 'os.listdir(f"/proc/{agent()}/fd")',
    "read a process's memory by call": "call(310, 270, os.getpid(), 0, 0, 0, 0, 0)",
    "take a descriptor of another process": "call(438, 438, os.pidfd_open(agent()), 3, 0)",
    "signal a process of the host": "os.kill(int(sys.argv[5]), 0)",
    "load a kernel program": "call(321, 280, 0, 0, 0)",
    "watch the kernel": "call(298, 241, 0, 0, -1, -1, 0)",
    "use the key ring": "call(250, 219, 0, -3, 0)",
    "use io_uring": "call(425, 425, 8, ctypes.create_string_buffer(200))",
    "handle page faults": "call(323, 282, 0)",
    "open by handle": "call(304, 265, -100, 0, 0)",
    "read the kernel's log": "call(103, 116, 3, ctypes.create_string_buffer(100), 100)",
    "type into the terminal": 'm, s = os.openpty(); fcntl.ioctl(s, 0x5412, b"x")',
    "set the clock": "time.clock_settime(time.CLOCK_REALTIME, 0)",
    "set the host name": 'check(libc.sethostname(b"evil", 4))',
    "change a kernel setting": 'open("/proc/sys/kernel/core_pattern", "w")',
    "change a network setting": 'open("/proc/sys/net/ipv4/ip_forward", "w")',
    "raise the limit of shared memory": 'open("/proc/sys/kernel/shmall", "w")',
    "raise the limit of messages": 'open("/proc/sys/kernel/msgmni", "w")',
    "change who may bind low ports": 'open("/proc/sys/net/ipv4/ip_unprivileged_port_start", "w")',
    "read how the kernel was started": 'open("/proc/cmdline").read()',
    "read how the kernel was built": 'open("/proc/config.gz", "rb").read()',
    "press a magic key": 'open("/proc/sysrq-trigger", "w")',
    "list control groups": 'os.listdir("/sys/fs/cgroup")',
    "hide memory in a nameless file": 'os.memfd_create("x")',
    "take shared memory without a limit": "check(libc.shmget(0, ctypes.c_size_t(2 << 30), 0o1600))",
    "raise a limit": "resource.setrlimit(resource.RLIMIT_NPROC, (100000, 100000)) if True else None",
    "take priority": "os.nice(-10)",
    "remove the X server's socket": 'os.unlink("/tmp/.X11-unix/X0")',
    "open the X server's picture": 'open("/fb/Xvfb_screen0", "r+")',
    "kill the X server": 'run("pkill", "Xvfb")',
    "take over a sink's port": 's = socket.socket(); s.setsockopt(1, 15, 1); s.bind(("127.0.0.1", 2525))',
    "read a sink's records": 'open(f"/proc/{sys.argv[5]}/mem", "rb")',
    "take a sink's packets away": 'run("ip", "link", "set", "lo", "down")',
    "reach the other desktop's bus": 'connect(socket.AF_UNIX, sys.argv[6] + "/run/bus")',
    "reach the other desktop's X server": 'connect(socket.AF_UNIX, sys.argv[6] + "/x11/X0")',
}


class Outside:
    """Things of the host worth reaching."""

    def __init__(self, folder: Path, other: LocalDesktop) -> None:
        self.secret = folder / "secret"
        self.secret.write_text("secret")
        self.port = socket.create_server(("0.0.0.0", 0))
        self.abstract = socket.socket(socket.AF_UNIX)
        self.abstract.bind(f"\0trueline-test-{os.getpid()}")
        self.abstract.listen()
        self.other = other

    def arguments(self) -> tuple[str, ...]:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            try:
                probe.connect(("192.0.2.1", 9))
                address = probe.getsockname()[0]
            except OSError:
                address = "192.0.2.1"
        name = f"trueline-test-{os.getpid()}"
        work = str(self.other.running.sandbox.path("run").parent)
        return (str(self.secret), str(self.port.getsockname()[1]), address, name, str(os.getpid()), work)


@pytest.fixture(scope="module")
def outside(
    machine: None, runner: asyncio.Runner, desktop: LocalDesktop, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Outside]:
    other = LocalDesktop(LocalOptions(width=640, height=480))
    runner.run(other.start())
    outside = Outside(tmp_path_factory.mktemp("outside"), other)
    with outside.port, outside.abstract, runner.run(desktop.listen(2525)):
        yield outside
    runner.run(other.stop())


def attempt(runner: asyncio.Runner, desktop: LocalDesktop, code: str, *arguments: str) -> str:
    body = textwrap.indent(code, "    ")
    report = "\nexcept (OSError, ValueError) as error:\n    print('refused')\nelse:\n    print('ESCAPED')\n"
    result = runner.run(desktop.run(("python3", "-c", f"{PRELUDE}\ntry:\n{body}{report}", *arguments)))
    assert result.returncode == 0, result.stderr.decode()
    return result.text.strip()


@pytest.mark.parametrize("name", ATTEMPTS)
def test_an_attempt_is_refused(runner: asyncio.Runner, desktop: LocalDesktop, outside: Outside, name: str) -> None:
    assert attempt(runner, desktop, ATTEMPTS[name], *outside.arguments()) == "refused"


def test_what_is_allowed_is_not_refused(runner: asyncio.Runner, desktop: LocalDesktop, outside: Outside) -> None:
    allowed = (
        'open("mine", "w"); open("/tmp/mine", "w"); open("/dev/shm/mine", "w")\n'
        'connect(socket.AF_INET, ("127.0.0.1", 2525)); connect(socket.AF_UNIX, "/tmp/.X11-unix/X0")\n'
        'os.kill(agent(), 0); os.kill(session(), 0); os.listdir("/proc/self/fd"); run("true"); call(39, 172)'
    )
    assert attempt(runner, desktop, allowed) == "ESCAPED"


def test_a_sandbox_sees_only_itself(runner: asyncio.Runner, desktop: LocalDesktop) -> None:
    script = "ls /tmp /home /mnt /srv 2>/dev/null; env; grep -c : /proc/net/dev"
    seen = runner.run(desktop.run(("sh", "-c", script))).text
    assert "user" in seen and "trueline" not in seen
    assert seen.splitlines()[-1] == "1", "only the loopback interface"
    status = runner.run(desktop.run(("cat", "/proc/1/status"))).text
    assert "Seccomp:\t2" in status, "process 1 is filtered too"
    assert "CapEff:\t0000000000000000" in status and "CapBnd:\t0000000000000000" in status
    lines = runner.run(desktop.run(("sh", "-c", "cat /proc/[0-9]*/cmdline | tr '\\0' ' '"))).text
    assert "/var/cache" not in lines and "/mnt" not in lines, "the host's paths are not told"


def test_links_in_downloads_and_uploads_stay_inside(
    runner: asyncio.Runner, desktop: LocalDesktop, outside: Outside
) -> None:
    link = f"ln -sfn {outside.secret} out; ln -sfn {outside.secret.parent} outdir; ln -sfn / outroot"
    runner.run(desktop.run(("sh", "-c", link)))
    for path in ("out", "outdir/secret", f"outroot{outside.secret}", f"../../..{outside.secret}"):
        with pytest.raises(PathRefused):
            runner.run(desktop.get(path))
    with pytest.raises(PathRefused):
        runner.run(desktop.put("outdir/planted", b"x"))
    assert sorted(os.listdir(outside.secret.parent)) == ["secret"]
    assert {change.path for change in runner.run(desktop.diff())} >= {"out", "outdir", "outroot"}


def test_the_picture_file_cannot_be_a_trap(runner: asyncio.Runner, desktop: LocalDesktop) -> None:
    picture = desktop.running.sandbox.path("fb") / "Xvfb_screen0"
    size = picture.stat().st_size
    runner.run(desktop.run(("sh", "-c", "find / -name 'Xvfb_screen*' -exec truncate -s 0 {} + 2>/dev/null")))
    assert picture.stat().st_size == size >= 1024 * 768 * 4
