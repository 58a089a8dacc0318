"""Builds one sandbox and keeps it: runs outside of it, in namespaces of its own, as an unprivileged user.

Arguments: the control socket (SOCK_SEQPACKET, one JSON object a message) and, if the desktop has a block of ids of its
own, a descriptor that holds the block while it is open. It makes new user, mount, network and IPC namespaces and says
so; then the host gives the user namespace its ids. The first message says what to build and carries the session's
channel. When the control socket closes, however its owner ended, the sandbox is killed and this program ends: mounts,
sockets and memory go with the namespaces.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import json
import os
import resource
import select
import signal
import socket
import struct
import sys
import time
from contextlib import suppress

TYPE_CHECKING = False  # `typing` costs milliseconds at every start
if TYPE_CHECKING:
    from typing import TypedDict

    class SandboxPlan(TypedDict):
        """What the host wants built."""

        work: str
        user: int
        """The user of X server and session, as our user namespace numbers it."""
        programs: str
        tmpfs: list[tuple[str, int, int, str]]
        terminals: int
        namespace_limits: dict[str, int]
        etc: dict[str, str]
        addresses: list[str]
        template: str
        filter: str
        rlimits: dict[str, int]
        oom_score: int
        shared_memory: int
        niceness: int
        memory: int
        lifetime: float
        x_argv: list[str]
        session_argv: list[str]

    class Request(TypedDict):
        """What the host asks for; which fields there are depends on `op`."""

        id: int
        op: str
        address: str
        port: int
        udp: bool


X_SECCOMP, X_READY, SECCOMP, READY, CHANNEL, ARGUMENTS = 40, 41, 42, 43, 44, 45
"""Descriptors with fixed numbers, which the command lines name."""
TAIL = 2000
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_REMOUNT = 0x1, 0x2, 0x4, 0x20
MS_BIND, MS_REC, MS_PRIVATE = 0x1000, 0x4000, 0x40000
NAMESPACES = 0x10000000 | 0x20000 | 0x40000000 | 0x8000000  # user, mount, network, IPC
PR_SET_PDEATHSIG, PR_SET_DUMPABLE = 1, 4
NOT_INSIDE = ("keeper.py", "changes.py", "contents.py", "filter.bpf")
"""Programs that nothing inside needs."""
WATCH_CALM, WATCH_CLOSE = 0.5, 0.1
MOST_PASSED, FEW_PASSED = 1024, 64
"""Descriptors on their way: those of a user that shares its id with other desktops, and those nobody minds."""
SHARED_EVERY = 10
"""Looks after which shared mappings are read again though nothing seems to have grown."""
ANONYMOUS = "/dev/zero (deleted)\n"
"""How the kernel calls memory that is shared and has no file."""
SEMAPHORES, MESSAGE_QUEUES = "250 32000 100 512", 256
"""System V: semaphores in a set, altogether, operations at once, sets; and queues. They lie in the kernel's memory."""
PASS_LIMIT, PASS_AGAIN = 3.0, 0.01
"""Seconds for which it is tried to pass a descriptor while this user keeps too many on their way."""
NEVER_LEFT_FOR = ("0.0.0.0/8", "127.0.0.0/8", "224.0.0.0/4", "255.255.255.255/32")
"""Loopbacks, and addresses of more than one machine."""
IPC_RMID = 0
SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 1

LIBC = ctypes.CDLL(None, use_errno=True)
PAGE = resource.getpagesize()
HELPERS: set[int] = set()
"""Processes of ours that do something for the host."""


class SandboxPart:
    """One of the two sandboxed programs."""

    def __init__(self, name: str, argv: list[str], keep: tuple[int, ...], user: int) -> None:
        """Start it as a user of our namespace, with the descriptors in `keep` and its errors read by us.

        The arguments go through a pipe: what runs inside can read command lines and need not know our paths.
        """
        self.name = name
        self.tail = b""
        self.errors, write = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        null = os.open("/dev/null", os.O_RDWR | os.O_CLOEXEC)
        arguments, feed = os.pipe2(os.O_CLOEXEC)
        split = argv.index("--")
        os.write(feed, "\0".join([*argv[1:split], ""]).encode())
        os.close(feed)
        os.dup2(arguments, ARGUMENTS, inheritable=False)
        os.close(arguments)
        keep = (*keep, ARGUMENTS)
        argv = [argv[0], "--args", str(ARGUMENTS), *argv[split:]]
        for fd in keep:
            os.set_inheritable(fd, True)
        self.pid = start(argv, user, {0: null, 1: null, 2: write})
        for fd in (*keep, write, null):
            os.close(fd)
        self.ended = os.pidfd_open(self.pid)

    def read_errors(self) -> bool:
        """Keep the end of what it wrote; False when there will be no more."""
        try:
            data = os.read(self.errors, 65536)
        except BlockingIOError:
            return True
        self.tail = (self.tail + data)[-TAIL:]
        return bool(data)

    def kill(self) -> None:
        """Kill process 1 of its namespace, and all of it with that, and wait until all are gone."""
        # Without a child it has only just begun, or ended already.
        for pid in children(self.pid) or [self.pid]:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        if not select.select([self.ended], [], [], 5)[0]:
            os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)


def start(argv: list[str], user: int, fds: dict[int, int]) -> int:
    """Start a program as a user of our namespace, who has no privilege there unless it is 0."""
    pid = os.fork()
    if pid:
        return pid
    try:
        if user:
            os.setgroups([])
            os.setresgid(user, user, user)
            os.setresuid(user, user, user)
        for theirs, ours in fds.items():
            os.dup2(ours, theirs)
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        os.execvp(argv[0], argv)  # noqa: S606 - the plan's command line
    except OSError as error:
        os.write(2, f"{argv[0]}: {error.strerror}\n".encode())
    finally:
        os._exit(127)


def children(pid: int) -> list[int]:
    """The processes a process started."""
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            return [int(word) for word in file.read().split()]
    except OSError:
        return []


def own_memory(pid: int) -> tuple[int, int]:
    """Bytes of memory that are a process's own, and those that it shares and no file on a disk holds."""
    found = {"RssAnon": 0, "VmSwap": 0, "RssShmem": 0}
    with suppress(OSError, ValueError), open(f"/proc/{pid}/status", encoding="utf-8", errors="replace") as file:
        for line in file:
            name, _, value = line.partition(":")
            if name in found:
                found[name] = int(value.split()[0]) << 10
    return found["RssAnon"] + found["VmSwap"], found["RssShmem"]


def shared_mappings(pid: int) -> dict[str, int]:
    """Sizes of memory a process shares without a file, by its number.

    What a program has touched and then let go of is held all the same and shows nowhere else, so the size counts.
    """
    found: dict[str, int] = {}
    with suppress(OSError), open(f"/proc/{pid}/maps", encoding="utf-8", errors="replace") as file:
        for line in file:
            if line.endswith(ANONYMOUS):
                place, _, offset, device, inode, *_ = line.split()
                start, end = (int(word, 16) for word in place.split("-"))
                name = f"{device} {inode}"
                found[name] = max(found.get(name, 0), int(offset, 16) + end - start)
    return found


def descendants(pid: int) -> list[int]:
    """A process's children and theirs."""
    found: list[int] = []
    waiting = [pid]
    while waiting:
        for child in children(waiting.pop()):
            found.append(child)
            waiting.append(child)
    return found


def mount(kind: str, source: str, target: str, options: str = "", flags: int = MS_NOSUID | MS_NODEV) -> None:
    """Mount something or raise."""
    if LIBC.mount(source.encode(), target.encode(), kind.encode(), ctypes.c_ulong(flags), options.encode()):
        number = ctypes.get_errno()
        raise OSError(number, f"mount {kind or source}: {os.strerror(number)}")


def unshare() -> None:
    """Make namespaces of our own or raise; nobody outside sees what we mount."""
    if LIBC.unshare(NAMESPACES):
        number = ctypes.get_errno()
        raise OSError(number, f"unshare: {os.strerror(number)}")


def map_one_id(uid: int, gid: int) -> None:
    """Be root of our user namespace and its only user."""
    for name, text in (("setgroups", "deny"), ("uid_map", f"0 {uid} 1"), ("gid_map", f"0 {gid} 1")):
        with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
            file.write(text)


def become_root() -> None:
    """Take the first id of the block that the host gave us."""
    os.setgroups([])
    os.setresgid(0, 0, 0)
    os.setresuid(0, 0, 0)
    LIBC.prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)  # the host's user, who made this namespace, looks into it through /proc


def copy_tree(source: str, target: str, user: int, leave_out: tuple[str, ...] = ()) -> None:
    """Copy files, folders and links, with their permissions and times; all of them belong to the user."""
    with os.scandir(source) as entries:
        for entry in entries:
            if entry.name in leave_out:
                continue
            found, path = entry.stat(follow_symlinks=False), f"{target}/{entry.name}"
            if entry.is_symlink():
                os.symlink(os.readlink(entry.path), path)
            elif entry.is_dir():
                os.mkdir(path, 0o700)
                copy_tree(entry.path, path, user)
            else:
                copy_file(entry.path, path)
            os.chown(path, user, user, follow_symlinks=False)
            if not entry.is_symlink():
                os.chmod(path, found.st_mode & 0o7777)
            os.utime(path, ns=(found.st_atime_ns, found.st_mtime_ns), follow_symlinks=False)


def copy_file(source: str, target: str) -> None:
    """Copy the content of a plain file."""
    read = os.open(source, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    write = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        while piece := os.read(read, 1 << 20):
            os.write(write, piece)
    finally:
        os.close(read)
        os.close(write)


def loopback_up() -> None:
    """Bring the network's only interface up, and let any user bind low ports where that may be said."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        request = struct.pack("16sh22x", b"lo", 0)
        flags = struct.unpack("16sh22x", fcntl.ioctl(sock, SIOCGIFFLAGS, request))[1]
        fcntl.ioctl(sock, SIOCSIFFLAGS, struct.pack("16sh22x", b"lo", flags | IFF_UP))
    try:
        with open("/proc/sys/net/ipv4/ip_unprivileged_port_start", "w", encoding="ascii") as file:
            file.write("0")
    except OSError:
        pass  # in some containers /proc/sys is read-only: only programs inside that want low ports miss it


def own_addresses(addresses: list[str]) -> None:
    """Make addresses of the host our own: what is sent there from inside comes back and never reaches it.

    Addresses alone do not hold it back, since a program may name the interface it sends through (SO_BINDTODEVICE,
    IP_MULTICAST_IF): what then leaves for an address of the host, its loopback or a group of machines, a policy stops.
    Policies do not concern what stays on our own loopback.
    """
    import subprocess  # costs milliseconds, and few sandboxes have a way out

    lines = [f"addr add {address}/{128 if ':' in address else 32} dev lo" for address in addresses]
    places = (*NEVER_LEFT_FOR, *(address for address in addresses if ":" not in address))  # IPv6 has no way out
    lines += [f"xfrm policy add dst {place} dir out action block" for place in places]
    done = subprocess.run(["ip", "-batch", "-"], input="\n".join(lines).encode(), capture_output=True, check=False)  # noqa: S607
    if done.returncode:
        raise OSError(errno.EADDRNOTAVAIL, f"network open: ip: {done.stderr.decode('utf-8', 'replace').strip()}")


def limit(plan: SandboxPlan) -> None:
    """Set the limits that all of the sandbox's programs inherit."""
    # Set inside our user namespace, the number of processes is counted for this sandbox alone.
    for name, value in plan["rlimits"].items():
        resource.setrlimit(getattr(resource, name), (value, value))
    settings: dict[str, int | str] = {
        "/proc/sys/kernel/shmall": plan["shared_memory"] // PAGE,
        "/proc/sys/kernel/sem": SEMAPHORES,
        "/proc/sys/kernel/msgmni": MESSAGE_QUEUES,
    }
    settings |= {f"/proc/sys/user/{name}": value for name, value in plan["namespace_limits"].items()}
    for path, value in settings.items():  # older kernels refuse, and containers in which /proc/sys is read-only
        with suppress(OSError), open(path, "w", encoding="ascii") as file:
            file.write(str(value))
    with open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:
        file.write(str(plan["oom_score"]))


def build(plan: SandboxPlan, channel: int) -> list[SandboxPart]:
    """Mount everything writable, set the limits, start the X server and the session.

    Nothing is mounted from a folder of the host but what every machine has: who is inside can read where mounts come
    from.
    """
    work, user = plan["work"], plan["user"]
    mount("tmpfs", "tmpfs", work, "size=8m,nr_inodes=1000,mode=0711")
    for name, size, inodes, mode in plan["tmpfs"]:
        os.mkdir(f"{work}/{name}", 0o700)
        options = f"size={size},nr_inodes={inodes},mode={mode},uid={user},gid={user}"
        mount("tmpfs", "tmpfs", f"{work}/{name}", options)
    for name in ("etc", "programs", "home", "pts"):
        os.mkdir(f"{work}/{name}", 0o755)
    for name in ("disk/upper", "disk/work"):
        os.mkdir(f"{work}/{name}", 0o755)
        os.chown(f"{work}/{name}", user, user)
    copy_tree(plan["programs"], f"{work}/programs", 0, NOT_INSIDE)
    for name, text in plan["etc"].items():
        with open(f"{work}/etc/{name}", "w", encoding="utf-8") as file:
            file.write(text)
    mount("devpts", "devpts", f"{work}/pts", f"newinstance,ptmxmode=0666,mode=0620,max={plan['terminals']}", MS_NOSUID)
    loopback_up()
    if plan["addresses"]:
        own_addresses(plan["addresses"])
    limit(plan)
    read, write = os.pipe2(os.O_CLOEXEC)
    filters = [os.open(plan["filter"], os.O_RDONLY | os.O_CLOEXEC) for _ in range(2)]
    for fd, number in zip((filters[0], write, filters[1], read, channel), range(X_SECCOMP, CHANNEL + 1), strict=True):
        os.dup2(fd, number, inheritable=False)
        os.close(fd)
    x = SandboxPart("X server", plan["x_argv"], (X_SECCOMP, X_READY), user)
    os.nice(plan["niceness"])
    mount_home(plan)  # while the X server starts
    return [x, SandboxPart("session", plan["session_argv"], (SECCOMP, READY, CHANNEL), user)]


def mount_home(plan: SandboxPlan) -> None:
    """Lay the home folder over the template, which belongs to the user inside only as a copy."""
    work = plan["work"]
    if plan["user"]:
        copy_tree(plan["template"], f"{work}/template", plan["user"])
        mount("", "", f"{work}/template", "", MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV)
    else:
        mount("", plan["template"], f"{work}/template", "", MS_BIND | MS_REC)
    layers = f"lowerdir={work}/template,upperdir={work}/disk/upper,workdir={work}/disk/work,userxattr"
    mount("overlay", "overlay", f"{work}/home", layers)


def listen(request: Request) -> socket.socket:
    """Make a socket on the sandbox's loopback that nothing inside holds."""
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM if request["udp"] else socket.SOCK_STREAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    sock.bind((request["address"], request["port"]))
    if not request["udp"]:
        sock.listen(128)
    return sock


def send(control: socket.socket, message: dict[str, object], fds: list[int] | None = None) -> None:
    """Send one message; the host may be gone already."""
    end = time.monotonic() + PASS_LIMIT
    while True:
        try:
            socket.send_fds(control, [json.dumps(message).encode()], fds or [])
            return
        except OSError as error:
            if error.errno != errno.ETOOMANYREFS:
                return
            if time.monotonic() > end:
                raise
        time.sleep(PASS_AGAIN)


def answer(control: socket.socket, request: Request, fds: list[int], plan: SandboxPlan) -> None:
    """Do what the host asks."""
    try:
        if request["op"] in ("changes", "contents"):
            send(control, {"id": request["id"]})
            tell_home(plan, request["op"], fds[0])
            return
        with listen(request) as sock:
            send(control, {"id": request["id"]}, [sock.fileno()])
    except OSError as error:
        send(control, {"id": request["id"], "errno": error.errno, "error": os.strerror(error.errno or 0)})
    finally:
        for fd in fds:
            os.close(fd)


def tell_home(plan: SandboxPlan, what: str, fd: int) -> None:
    """Tell what changed in the home folder or what its files hold, from a process of its own if there may be one."""
    sys.path[:0] = [plan["programs"]]
    from changes import send_changes
    from contents import send_contents

    del sys.path[0]
    upper, lower = f"{plan['work']}/disk/upper", f"{plan['work']}/template"

    def tell() -> None:
        if what == "changes":
            send_changes(upper, lower, os.dup(fd))
        else:
            send_contents(upper, os.dup(fd))

    try:
        pid = os.fork()
    except OSError:  # programs inside have taken all processes there may be
        with suppress(OSError):  # whoever asked may be gone
            tell()
        return
    if pid == 0:
        try:
            LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
            tell()
        finally:
            os._exit(0)
    HELPERS.add(pid)


def reap_helpers() -> None:
    """Take note of our own processes that have ended."""
    for pid in tuple(HELPERS):
        if os.waitpid(pid, os.WNOHANG)[0]:
            HELPERS.discard(pid)


def shared_segments() -> list[dict[str, int]]:
    """The segments of System V shared memory, as the kernel's table has them."""
    try:
        with open("/proc/sysvipc/shm", encoding="ascii") as file:
            names = file.readline().split()
            return [dict(zip(names, map(int, line.split()), strict=True)) for line in file]
    except OSError:
        return []


def passed_descriptors(pid: int) -> int:
    """How many descriptors are on their way to a process: sent, and not received."""
    total = 0
    with suppress(OSError):
        for fd in os.listdir(f"/proc/{pid}/fdinfo"):
            with suppress(OSError), open(f"/proc/{pid}/fdinfo/{fd}", encoding="ascii", errors="replace") as file:
                total += sum(int(line.split()[1]) for line in file if line.startswith("scm_fds:"))
    return total


def too_many_passed() -> bool:
    """Whether more than `MOST_PASSED` descriptors of this user are on their way, which the kernel tells who sends."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    left, right = socket.socketpair()
    with left, right:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(MOST_PASSED, hard), hard))
        try:
            socket.send_fds(left, [b"x"], [0])
        except OSError as error:
            return error.errno == errno.ETOOMANYREFS
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return False


def program_of(pid: int) -> int:
    """The session a process is in: each program that is started gets one."""
    try:
        return os.getsid(pid)
    except ProcessLookupError:
        return pid


def core(part: SandboxPart) -> list[int]:
    """What a part is made of: process 1 of its namespace, the first it started, and what that one started."""
    outer = children(part.pid)
    first = [found[0] for pid in outer if (found := children(pid))]
    return [*outer, *first, *(child for pid in first for child in children(pid))]


class MemoryWatch:
    """Kills the biggest programs when all together hold too much memory.

    Shared memory counts for the programs that made it or have it. What no program holds, and no kill would free, goes
    first. A program of many small processes is killed as a whole. What the desktop itself is made of is spared, unless
    it is big: many small programs must not cost the X server its life.
    """

    def __init__(self, control: socket.socket, parts: list[SandboxPart], limit: int, is_shared: bool) -> None:
        """Watch the programs of all parts; what is done is told over the control socket.

        `is_shared`: other desktops run as the same user, whose descriptors on their way this one must not use up.
        """
        self.is_shared = is_shared
        self.control = control
        self.parts = parts
        self.limit = limit
        self.looks = 0
        self.shared_seen = 0
        self.shared: dict[int, dict[str, int]] = {}
        """By process: what it shares without a file. It costs more to read, so it is read when it may have grown."""

    def look(self) -> float:
        """Look once; return the seconds until the next look."""
        pids = [pid for part in self.parts for pid in descendants(part.pid)]
        if self.is_shared and too_many_passed():
            self._free_descriptors(pids)
        memory = {pid: own_memory(pid) for pid in pids}
        self._read_shared(pids, sum(shared for _, shared in memory.values()))
        sizes = {pid: own + sum(self.shared.get(pid, {}).values()) for pid, (own, _) in memory.items()}
        once = {name: size for pid in pids for name, size in self.shared.get(pid, {}).items()}
        total = sum(own for own, _ in memory.values()) + sum(once.values())
        forsaken: dict[int, int] = {}
        for segment in shared_segments():
            held = segment["rss"] + segment["swap"]
            total += held
            if segment["nattch"] == 0:
                forsaken[segment["shmid"]] = held
            elif segment["cpid"] in sizes:
                sizes[segment["cpid"]] += held
        if total > self.limit:
            for number, held in forsaken.items():
                LIBC.shmctl(number, IPC_RMID, None)
                total -= held
        if total > self.limit:
            killed = self._kill(sizes, total - self.limit)
            freed = sum(sizes[pid] for pid in killed)
            send(self.control, {"event": "memory", "total": total, "freed": freed, "pids": killed})
            self.looks = 0
        return WATCH_CLOSE if total > self.limit / 2 else WATCH_CALM

    def _kill(self, sizes: dict[int, int], excess: int) -> list[int]:
        """Kill the biggest programs until so many bytes are free; return the processes."""
        spared = {pid for part in self.parts for pid in core(part)}
        programs: dict[int, list[int]] = {}
        for pid, size in sizes.items():
            if pid not in spared or size > self.limit // 4:
                programs.setdefault(program_of(pid), []).append(pid)
        killed: list[int] = []
        for members in sorted(programs.values(), key=lambda pids: -sum(sizes[pid] for pid in pids)):
            if excess <= 0:
                break
            biggest = max(members, key=sizes.__getitem__)
            alone = sizes[biggest] * 4 >= sum(sizes[pid] for pid in members)
            for pid in [biggest] if alone else members:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
                excess -= sizes[pid]
                killed.append(pid)
        return killed

    def _free_descriptors(self, pids: list[int]) -> None:
        """Kill the program for which the most descriptors are on their way, if they may be too many."""
        counts = {pid: passed_descriptors(pid) for pid in pids}
        most = max(counts, key=counts.__getitem__, default=0)
        if counts.get(most, 0) >= FEW_PASSED:
            with suppress(ProcessLookupError):
                os.kill(most, signal.SIGKILL)
            send(
                self.control,
                {"event": "descriptors", "total": sum(counts.values()), "freed": counts[most], "pids": [most]},
            )

    def _read_shared(self, pids: list[int], shared: int) -> None:
        grown = shared > self.shared_seen + self.limit // 20
        if grown or self.looks % SHARED_EVERY == 0 or sum(map(len, self.shared.values())) > 0:
            self.shared = {pid: found for pid in pids if (found := shared_mappings(pid))}
            self.shared_seen = shared
        self.looks += 1


def keep(control: socket.socket, parts: list[SandboxPart], plan: SandboxPlan) -> None:
    """Answer the host and watch until one of the parts ends, time is up, or the host is gone."""
    poll = select.poll()
    poll.register(control, select.POLLIN)
    ends = {part.ended: part for part in parts}
    outputs = {part.errors: part for part in parts}
    for fd in (*ends, *outputs):
        poll.register(fd, select.POLLIN)
    now = time.monotonic()
    lifetime, watch = plan["lifetime"], MemoryWatch(control, parts, plan["memory"], is_shared=not plan["user"])
    until, look = now + lifetime, now + WATCH_CALM
    while True:
        ready = poll.poll(max(0.0, min(look, until) - time.monotonic()) * 1000 + 1)
        for fd, _ in ready:
            if fd == control.fileno():
                data, fds, _, _ = socket.recv_fds(control, 65536, 1)
                if not data:
                    return
                answer(control, json.loads(data), fds, plan)
            elif fd in outputs:
                if not outputs[fd].read_errors():
                    poll.unregister(fd)
            elif fd in ends:
                part = ends[fd]
                part.read_errors()
                send(control, {"event": "ended", "part": part.name, "detail": part.tail.decode("utf-8", "replace")})
                return
        now = time.monotonic()
        if now >= until:
            send(control, {"event": "ended", "part": "time", "detail": f"its {lifetime:g} seconds are over"})
            return
        reap_helpers()
        if now >= look:
            look = now + watch.look()


def main() -> None:
    """Build, keep, kill."""
    # They have the host's numbers, which may be some of those with a fixed meaning.
    moved = [fcntl.fcntl(int(word), fcntl.F_DUPFD_CLOEXEC, ARGUMENTS + 1) for word in sys.argv[1:]]
    for word in sys.argv[1:]:
        os.close(int(word))
    control, has_block = socket.socket(fileno=moved[0]), len(moved) > 1
    os.umask(0o022)
    try:
        uid, gid = os.geteuid(), os.getegid()
        unshare()
        if not has_block:
            map_one_id(uid, gid)
        send(control, {"event": "unshared"})
        data, fds, _, _ = socket.recv_fds(control, 1 << 18, 1)
        if not data:
            return  # the host went before it said what to build
        if has_block:
            become_root()
        mount("", "none", "/", "", MS_REC | MS_PRIVATE)
        plan: SandboxPlan = json.loads(data)
        parts = build(plan, fds[0])
    except OSError as error:
        send(control, {"event": "failed", "errno": error.errno or errno.EIO, "detail": str(error)})
        return
    send(control, {"event": "started"})
    try:
        keep(control, parts, plan)
    finally:
        for part in parts:
            part.kill()


main()
