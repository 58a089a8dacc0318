"""Further attempts to leave the sandbox, by area; `test_isolation` holds those of every test run.

Each is Python run inside after `test_isolation.PRELUDE` and `MORE`. It is refused when it raises an error of the
system; `refuse()` does so where the kernel answers, but with nothing.
"""

from __future__ import annotations

MORE = """
import array, mmap, pty, shutil, stat, threading
def refuse(reason="nothing there"):
    raise OSError(1, reason)
def unless(found):
    if not found:
        refuse()
def own(name="own"):
    open(name, "w").close()
    return name
def prctl(option, *rest):
    return check(libc.prctl(option, *(ctypes.c_ulong(word) for word in (*rest, 0, 0, 0, 0)[:4])))
def many(count, work):
    kept = []
    for number in range(count):
        kept.append(work(number))
def killed(code):
    done = subprocess.run([sys.executable, "-c", code], stdin=subprocess.DEVNULL, capture_output=True)
    if done.returncode:
        refuse(f"it ended with {done.returncode}")
"""

FILES = {
    "reach the host through /proc/self/root": 'open("/proc/self/root" + sys.argv[1])',
    "reach the host above the root folder": 'open("/../../../.." + sys.argv[1])',
    "reach the host from the current folder": 'open("/proc/self/cwd/../../../.." + sys.argv[1])',
    "reach the host through a thread's root": 'open(f"/proc/{os.getpid()}/task/{os.getpid()}/root" + sys.argv[1])',
    "link a program of the system": 'os.link("/usr/bin/true", "mine")',
    "link a file of /etc": 'os.link("/etc/passwd", "mine")',
    "rename a program of the system": 'os.rename("/usr/bin/true", "/usr/bin/false")',
    "change a program's permissions": 'os.chmod("/usr/bin/true", 0o777)',
    "change a program's time": 'os.utime("/usr/bin/true")',
    "delete a program": 'os.unlink("/usr/bin/true")',
    "give a file to root": "os.chown(own(), 0, 0)",
    "give a file to another user": "os.chown(own(), 1001, 1001)",
    "give a file capabilities": 'os.setxattr(own(), "security.capability", bytes(20))',
    "mark a folder of the overlay as root does": 'os.setxattr(".", "trusted.overlay.opaque", b"y")',
    "make a whiteout": 'os.mknod("white", 0o600 | stat.S_IFCHR, 0)',
    "make a block device": 'os.mknod("block", 0o600 | stat.S_IFBLK, os.makedev(8, 0))',
    "make a file without a name in /usr": 'os.open("/usr", os.O_TMPFILE | os.O_RDWR)',
    "write the template": 'open("/mnt/template/x", "w")',
    "open the layer of the home folder": 'os.listdir("/mnt/disk/upper")',
    "open the folder before the root was changed": 'unless(set(os.listdir("/")) & {"oldroot", "newroot"})',
    "write its own memory through /proc": 'open("/proc/self/mem", "r+b")',
    "write the identity map": 'open("/proc/self/uid_map", "w")',
    "allow groups to be set": 'open("/proc/self/setgroups", "w")',
    "lower its score for memory": 'open("/proc/self/oom_score_adj", "w")',
    "lower the agent's score for memory": 'open(f"/proc/{agent()}/oom_score_adj", "w")',
    "change the program a dump is given to": 'open("/proc/sys/kernel/core_pattern", "w")',
    "drop the machine's caches": 'open("/proc/sys/vm/drop_caches", "w")',
    "let memory be overcommitted": 'open("/proc/sys/vm/overcommit_memory", "w")',
    "register a kind of program": 'open("/proc/sys/fs/binfmt_misc/register", "w")',
    "read the kernel's messages": 'open("/proc/kmsg").read(1)',
    "read the kernel's addresses": 'unless([1 for line in open("/proc/kallsyms") if int(line.split()[0], 16)])',
    "read the memory map of the machine": 'unless([1 for line in open("/proc/iomem") if not line.startswith(("00000000-00000000", " "))])',  # noqa: E501
    "read the kernel's timers": 'unless(open("/proc/timer_list").read())',
    "list the devices of the machine": 'unless(set(os.listdir("/dev")) - {"console", "core", "fd", "full", "null", "ptmx", "pts", "random", "shm", "stderr", "stdin", "stdout", "tty", "urandom", "zero"})',  # noqa: E501
    "list the drivers of the machine": 'os.listdir("/sys/class")',
    "list the kernel's internals": 'os.listdir("/sys/kernel")',
    "switch off a processor": 'open("/sys/devices/system/cpu/cpu1/online", "w")',
    "list other homes": 'unless(set(os.listdir("/home")) - {"user"})',
    "read the keys of the secure shell": 'os.listdir("/etc/ssh")',
    "read who may become root": 'open("/etc/sudoers")',
    "list private certificates": 'os.listdir("/etc/ssl/private")',
    "read what is mounted on the host": 'unless([1 for line in open("/proc/self/mountinfo") if "trueline/desktop" in line or "/.cache/" in line])',  # noqa: E501
    "read what the host told process 1": 'unless([word for word in open("/proc/1/environ").read().split("\\0") if word and not word.startswith(("PATH=/usr/bin", "LANG="))])',  # noqa: E501
    "write the memory of process 1": 'open("/proc/1/mem", "r+b")',
    "read the session's environment": 'open(f"/proc/{session()}/environ").read()',
    "preload a library into everything": 'open("/etc/ld.so.preload", "w")',
    "change the fonts' cache": 'open("/var/cache/fontconfig/evil", "w")',
    "add a launcher": 'open("/usr/local/bin/evil", "w")',
    "replace a module of the agent": 'open("/usr/local/lib/trueline/os.py", "w")',
}

PROCESSES = {
    "trace the session": "check(libc.ptrace(0x4206, session(), 0, 0))",
    "be traced": "check(libc.ptrace(0, 0, 0, 0))",
    "write another process's memory by call": "call(311, 271, agent(), 0, 0, 0, 0, 0)",
    "advise another process's memory": "call(440, 440, os.pidfd_open(agent()), 0, 0, 4, 0)",
    "compare two processes": "call(312, 272, agent(), os.getpid(), 0, 0, 0)",
    "read the session's maps": 'unless(open(f"/proc/{session()}/maps").read())',
    "list the session's open files": 'os.listdir(f"/proc/{session()}/fd")',
    "reach the agent's current folder": 'os.listdir(f"/proc/{agent()}/cwd/")',
    "reach the agent's root": 'os.listdir(f"/proc/{agent()}/root/")',
    "read the agent's stack": 'open(f"/proc/{agent()}/stack").read()',
    "take the agent's priority": "os.setpriority(os.PRIO_PROCESS, agent(), -20)",
    "run in real time": "os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))",
    "run in real time, by turns": "os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))",
    "read disks in real time": "call(251, 30, 1, 0, 1 << 13)",
    "raise the number of open files": "resource.setrlimit(resource.RLIMIT_NOFILE, (1 << 20, 1 << 20))",
    "raise the memory of a process": "resource.setrlimit(resource.RLIMIT_DATA, (-1, -1))",
    "raise the priority it may take": "resource.setrlimit(resource.RLIMIT_NICE, (40, 40))",
    "raise the agent's limits": "resource.prlimit(agent(), resource.RLIMIT_NPROC, (1 << 16, 1 << 16))",
    "become root's group": "os.setgid(0)",
    "join groups": "os.setgroups([0, 4, 27])",
    "become another user for files": "os.seteuid(1001)",
    "become the owner of the other desktop": "os.setuid(int(sys.argv[7]))",
    "take capabilities": 'call(126, 91, struct.pack("<II", 0x20080522, 0), struct.pack("<6I", *[0xFFFFFFFF] * 6))',
    "keep capabilities over programs": "prctl(47, 2, 21)",
    "set secure bits": "prctl(28, 0)",
    "take privileges again": "prctl(38, 0)",
    "leave the filter": "prctl(22, 0)",
    "move the end of its memory": "prctl(35, 1, 4096)",
    "give itself ids by the helper": 'run("newuidmap", str(os.getpid()), "0", "0", "1")',
    "become root by sudo": 'run("sudo", "-n", "id")',
    "become root by policy": 'run("pkexec", "true")',
    "change the shell by a set-user-id program": 'run("chsh", "-s", "/bin/sh")',
    "signal the supervisor": "os.kill(int(sys.argv[8]), 0)",
    "open the supervisor": "os.pidfd_open(int(sys.argv[8]))",
    "see the supervisor": 'open(f"/proc/{sys.argv[8]}/cmdline")',
    "signal process 1 of its own machine away": "os.kill(1, signal.SIGKILL); os.kill(1, 0); refuse('it lives')",
}

NAMESPACES = {
    f"make a namespace of its own: {name}": f"check(libc.unshare({flag}))"
    for name, flag in {
        "mounts": 0x20000, "control groups": 0x2000000, "names": 0x4000000, "messages": 0x8000000,
        "processes": 0x20000000, "network": 0x40000000, "time": 0x80, "user and mounts": 0x10020000,
    }.items()
} | {
    "clone into another network": "call(56, 220, 0x40000000 | 17, 0, 0, 0, 0) or os._exit(0)",
    "enter the agent's namespaces": "check(libc.setns(os.pidfd_open(agent()), 0x20000))",
    "open the user namespace above": 'fcntl.ioctl(os.open("/proc/self/ns/user", 0), 0xB702)',
    "open the process namespace above": 'fcntl.ioctl(os.open("/proc/self/ns/pid", 0), 0xB702)',
    "open the owner of its network": 'fcntl.ioctl(os.open("/proc/self/ns/net", 0), 0xB701)',
    "build a sandbox": 'run("bwrap", "--ro-bind", "/", "/", "true")',
    "unshare by program": 'run("unshare", "-Ur", "true")',
    "enter by program": 'run("nsenter", "-t", "1", "-m", "true")',
    "make its mounts writable": 'check(libc.mount(None, b"/usr", None, 0x1020, None))',
    "bind a folder over another": 'check(libc.mount(b"/tmp", b"/etc", None, 0x1000, None))',
    "open a tree of mounts": 'call(428, 428, -100, b"/usr", 1)',
    "open a file system": 'call(430, 430, b"tmpfs", 0)',
    "change the flags of a mount": 'call(442, 442, -100, b"/usr", 0, bytes(32), 32)',
    "pivot": 'call(155, 41, b".", b".")',
}  # fmt: skip

CALLS = {
    f"call {name}": f"call({x86}, {arm}, 0, 0, 0, 0, 0, 0)"
    for name, (x86, arm) in {
        "acct": (163, 89), "add_key": (248, 217), "adjtimex": (159, 171), "delete_module": (176, 106),
        "fanotify_init": (300, 262), "finit_module": (313, 273), "init_module": (175, 105),
        "io_uring_enter": (426, 426), "io_uring_register": (427, 427), "kexec_load": (246, 104),
        "mbind": (237, 235), "memfd_secret": (447, 447), "move_pages": (279, 239),
        "name_to_handle_at": (303, 264), "quotactl": (179, 60), "reboot": (169, 142), "request_key": (249, 218),
        "set_mempolicy": (238, 237), "setdomainname": (171, 162), "settimeofday": (164, 170), "swapon": (167, 224),
        "vhangup": (153, 58), "vmsplice": (278, 75),
    }.items()
} | {
    f"open a socket of family {name}": f"socket.socket({family}, {kind})"
    for name, family, kind in (
        ("appletalk", 5, 2), ("x25", 9, 5), ("key", 15, 3), ("rds", 21, 5), ("can", 29, 3), ("tipc", 30, 2),
        ("bluetooth", 31, 1), ("caif", 37, 5), ("nfc", 39, 3), ("kcm", 41, 2), ("qipcrtr", 42, 2), ("smc", 43, 1),
        ("xdp", 44, 3), ("mctp", 45, 2),
    )
} | {
    "make a pair of sockets to the hypervisor": "socket.socketpair(40, socket.SOCK_STREAM)",
    "call as 32-bit programs do": "killed('import ctypes, mmap; m = mmap.mmap(-1, 4096, prot=7); m.write(bytes.fromhex(\"b814000000cd80c3\")); ctypes.CFUNCTYPE(ctypes.c_long)(ctypes.addressof(ctypes.c_char.from_buffer(m)))()') if X86 else refuse()",  # noqa: E501
    "call as x32 programs do": "call(0x40000000 | 39, 172) if X86 else refuse()",
    "type into the console": 'fcntl.ioctl(os.open("/dev/tty", os.O_RDWR), 0x541C, b"\\3")',
    "map the first page": "call(9, 222, 0, 4096, 3, 0x32, -1, 0)",
}  # fmt: skip

RESOURCES = {
    "take all processes": "many(5000, lambda _: os.fork() or time.sleep(3) or os._exit(0))",
    "take all threads": "many(5000, lambda _: threading.Thread(target=time.sleep, args=(3,), daemon=True).start())",
    "open files without end": 'many(1 << 20, lambda _: os.open("/dev/null", 0))',
    "open terminals without end": "many(4000, lambda _: pty.openpty())",
    "watch files without end": "many(4000, lambda _: check(libc.inotify_init1(0)))",
    "send descriptors without end": 'pairs = []; many(200, lambda _: (pairs.append(socket.socketpair()), socket.send_fds(pairs[-1][0], [b"x"], [0] * 253)))',  # noqa: E501
    "make timers without end": "many(200_000, lambda _: call(222, 107, 0, 0, ctypes.create_string_buffer(8)))",
    "make message queues without end": 'many(20_000, lambda number: call(240, 180, b"q%d" % number, os.O_CREAT | os.O_RDWR, 0o600, 0))',  # noqa: E501
    "make shared memory without end": "many(9999, lambda _: check(libc.shmget(0, ctypes.c_size_t(1 << 20), 0o1600)))",
    "make semaphores without end": "many(2000, lambda _: check(libc.semget(0, 250, 0o1600)))",
    "make queues of messages without end": "many(2000, lambda _: check(libc.msgget(0, 0o1600)))",
    "lock memory": "m = mmap.mmap(-1, 64 << 20); check(libc.mlockall(3))",
    "use huge pages": "call(9, 222, 0, 2 << 20, 3, 0x40022, -1, 0)",
    "take more memory than a process may": "bytearray(3 << 30)",
} | {
    f"fill {folder} with {what}": code.replace("FOLDER", folder)
    for folder in ("/tmp", "/dev/shm", "/var/tmp", "/run/user/1000", "/var/log/desktop", "/home/user")
    for what, code in {
        "files": 'os.makedirs("FOLDER/many", exist_ok=True); many(200_000, lambda number: os.mkdir(f"FOLDER/many/{number}"))',  # noqa: E501
        "bytes": 'many(1100, lambda _: open("FOLDER/big", "ab").write(bytes(1 << 20)))',
    }.items()
}

OTHERS = {
    "signal a program of the other desktop": "os.kill(int(sys.argv[9]), 0)",
    "open the other desktop's files": 'os.listdir(f"/proc/{sys.argv[9]}/root")',
    "open the other desktop's file in /tmp": 'open("/tmp/of-the-other")',
    "open the other desktop's shared memory": 'open("/dev/shm/of-the-other")',
    "open the other desktop's home": 'open("/home/user/of-the-other")',
    "attach the other desktop's memory": "check(libc.shmget(4242, 0, 0))",
    "open the other desktop's message queue": "check(libc.msgget(4242, 0))",
    "reach a port of the other desktop": 'connect(socket.AF_INET, ("127.0.0.1", 4545))',
    "reach an abstract socket of the other desktop": 'connect(socket.AF_UNIX, "\\0of-the-other")',
    "hold the other desktop's block": 'connect(socket.AF_UNIX, f"\\0trueline-ids-{sys.argv[10]}")',
    "reach the other desktop's X server by network": 'connect(socket.AF_INET, ("127.0.0.1", 6000))',
    "reach the other desktop's X server by name": 'connect(socket.AF_UNIX, "\\0/tmp/.X11-unix/X1")',
    "type into the other desktop's terminals": 'unless([n for n in os.listdir("/dev/pts") if n != "ptmx"])',
}

NETWORK = {
    "reach the host by IPv6": 'connect(socket.AF_INET6, ("::1", int(sys.argv[2])))',
    "reach the host by a mapped address": 'connect(socket.AF_INET6, ("::ffff:127.0.0.1", int(sys.argv[2])))',
    "reach the host by nobody's address": 'connect(socket.AF_INET, ("0.0.0.0", int(sys.argv[2])))',
    "reach the host on another loopback address": 'connect(socket.AF_INET, ("127.9.9.9", int(sys.argv[2])))',
    "reach the cloud's secrets": 'connect(socket.AF_INET, ("169.254.169.254", 80))',
    "reach a neighbour": 'connect(socket.AF_INET, ("192.168.1.1", 80))',
    "send to a group": 's = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.setsockopt(0, 32, struct.pack("8xi", 2)); s.sendto(b"x", ("224.0.0.251", 5353))',  # noqa: E501
    "send to everybody": 's = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.setsockopt(1, 6, 1); s.sendto(b"x", ("192.0.2.255", 9))',  # noqa: E501
    "bind to an interface of the host": 's = socket.socket(); s.setsockopt(1, 25, b"eth0")',
    "add an interface": 'run("ip", "link", "add", "evil", "type", "dummy")',
    "add a route": 'run("ip", "route", "add", "default", "dev", "lo")',
    "add a tunnel": 'run("ip", "tunnel", "add", "evil", "mode", "ipip", "local", "127.0.0.1")',
    "flush the policies": 'run("ip", "xfrm", "policy", "flush")',
    "change a neighbour": 'run("ip", "neigh", "add", "10.0.0.1", "lladdr", "02:00:00:00:00:01", "dev", "lo")',
    "send with another address": "s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.setsockopt(0, 19, 1)",
    "mark packets": "s = socket.socket(); s.setsockopt(1, 36, 1)",
    "listen to the kernel's audit": "s = socket.socket(16, 3, 9); s.bind((0, 1))",
    "repair a connection": "s = socket.socket(); s.setsockopt(6, 19, 1)",
}

CHECKERS = {
    "take over where sudo is recorded": 's = socket.socket(); s.setsockopt(1, 15, 1); s.bind(("127.83.85.68", 912))',
    "take over where sudo is recorded, on all addresses": 's = socket.socket(); s.setsockopt(1, 2, 1); s.setsockopt(1, 15, 1); s.bind(("0.0.0.0", 912)); s.listen()',  # noqa: E501
    "replace the X server's socket": 'os.rename(own(), "/tmp/.X11-unix/X0")',
    "hide the X server's folder": 'os.rename("/tmp/.X11-unix", "/tmp/hidden")',
    "open the file of the picture": 'open("/mnt/fb/Xvfb_screen0", "r+b")',
    "read the template's files beside its own": 'os.listdir("/mnt/template")',
    "replace the interpreter of the checker": 'os.replace(own(), "/usr/bin/python3")',
    "take the agent's channel": "call(438, 438, os.pidfd_open(agent()), 44, 0)",
    "reopen the agent's channel": 'os.open(f"/proc/{agent()}/fd/44", os.O_RDWR)',
    "set the desktop's clock back": "call(227, 112, 0, struct.pack('<2q', 0, 0))",
}

AREAS = {
    "files": FILES,
    "processes": PROCESSES,
    "namespaces": NAMESPACES,
    "system calls": CALLS,
    "other desktops": OTHERS,
    "network": NETWORK,
    "checkers": CHECKERS,
}
"""What a shared desktop outlives; `RESOURCES` are tried on one that has tight limits."""
