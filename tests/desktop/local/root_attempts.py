"""Attempts of a root inside to leave the sandbox; Python that runs after `PRELUDE`, `MORE` and `AS_ROOT`.

`INSIDE` names those of `test_isolation` and `attempts` that a root inside may do: they change its own desktop alone.
"""

from __future__ import annotations

AS_ROOT = """
def agent():
    return int(os.environ["AGENT"])
def run_by_init():
    # Returns once process 1 has done something after this call: it took away a process that lost its parent.
    out, into = os.pipe()
    parent = os.fork()
    if parent == 0:
        if orphan := os.fork():
            os.write(into, str(orphan).encode())
        os._exit(0)
    os.waitpid(parent, 0)
    orphan = int(os.read(out, 100))
    while os.path.exists(f"/proc/{orphan}"):
        time.sleep(0.01)
def write(path, text="x"):
    with open(path, "w") as file:
        file.write(text)
"""

INSIDE = {
    "list root's home",
    "read the password hashes",
    "write a program",
    "replace sudo",
    "change who is who",
    "write a new file in /etc",
    "write in the root folder",
    "fill a folder without a limit",
    "become root",
    "become root by su",
    "become root by sudo",
    "list the agent's descriptors",
    "list the session's open files",
    "link a program of the system",
    "link a file of /etc",
    "rename a program of the system",
    "change a program's permissions",
    "change a program's time",
    "delete a program",
    "give a file to root",
    "give a file to another user",
    "give a file capabilities",
    "make a file without a name in /usr",
    "read the keys of the secure shell",
    "preload a library into everything",
    "change the fonts' cache",
    "add a launcher",
    "become root's group",
    "join groups",
    "become another user for files",
    "become the owner of the other desktop",
    "change the shell by a set-user-id program",
    "replace the interpreter of the checker",
}
"""Some of them the machine refuses all the same: files below a layer of folders cannot be changed in place."""

OF_USER = {"read the keys of the secure shell"}
"""What the user may do there without root: the settings that anybody may read lie in that folder."""

ROOT_ATTEMPTS = {
    "clear the read-only flag of our programs": 'call(442, 442, -100, b"/usr/local/lib/trueline", 0, struct.pack("<4Q", 0, 1, 0, 0), 32)',  # noqa: E501
    "clear the read-only flag of the machine's libraries": 'call(442, 442, -100, b"/usr/local/lib/system/lib", 0, struct.pack("<4Q", 0, 1, 0, 0), 32)',  # noqa: E501
    "remount the system writable": 'check(libc.mount(b"", b"/usr", None, 0x20, None))',
    "remount the devices writable": 'check(libc.mount(b"", b"/dev", None, 0x1020, None))',
    "remount with devices allowed": 'check(libc.mount(b"", b"/tmp", None, 0x1020, None))',
    "uncover what lies below /usr": 'check(libc.umount2(b"/usr", 2))',
    "uncover what lies below /usr/local": 'check(libc.umount2(b"/usr/local", 2))',
    "uncover what lies below the home folder": 'check(libc.umount2(b"/home/user", 2))',
    "uncover a hidden file of /proc": 'check(libc.umount2(b"/proc/cmdline", 2))',
    "mount a file system of the kernel": 'check(libc.mount(b"s", b"/mnt", b"sysfs", 0, None))',
    "mount an overlay over its own": 'check(libc.mount(b"o", b"/mnt", b"overlay", 0, b"lowerdir=/:/usr"))',
    "mount by program": 'run("mount", "-o", "remount,rw", "/usr")',
    "mount a new tree": 'call(430, 430, b"tmpfs", 1)',
    "clone a tree of mounts": 'call(428, 428, -100, b"/usr", 1)',
    "write our own programs": 'write("/usr/local/lib/trueline/agent.py")',
    "write the service of sudo": 'write("/usr/local/lib/trueline/root/service.py")',
    "write the machine's Python": 'write(f"/usr/local/lib/system/bin/python3.{sys.version_info[1]}")',
    "add a module to the machine's Python": 'write(f"/usr/local/lib/system/lib/python3.{sys.version_info[1]}/evil.py")',
    "replace the folder of our programs": 'os.rename("/usr/local/lib/trueline", "/usr/local/lib/old")',
    "replace the folder of the machine's Python": 'os.rename("/usr/local/lib/system", "/usr/local/lib/old")',
    "replace the folder above them": 'os.rename("/usr/local/lib", "/usr/local/old")',
    "replace the folder above that": 'os.rename("/usr/local", "/usr/old")',
    "replace /usr": 'os.rename("/usr", "/old")',
    "replace the home folder's mount": 'os.rename("/home/user", "/home/other")',
    "read the memory of process 1": 'open("/proc/1/mem", "rb").read(1)',
    "read the environment of process 1": 'open("/proc/1/environ").read()',
    "read the maps of process 1": 'unless(open("/proc/1/maps").read())',
    "follow the root of process 1": 'os.listdir("/proc/1/root/")',
    "follow a descriptor of process 1": '[os.readlink(f"/proc/1/fd/{n}") for n in os.listdir("/proc/1/fd")]',
    "follow the agent's channel": 'os.readlink(f"/proc/{agent()}/fd/44")',
    "trace process 1": "check(libc.ptrace(0x4206, 1, 0, 0))",
    "kill process 1": "os.kill(1, signal.SIGKILL); run_by_init(); os.kill(1, 0); refuse('it lives')",
    "stop process 1": "os.kill(1, signal.SIGSTOP); run_by_init(); refuse('it goes on')",
    "take a descriptor of process 1": "call(438, 438, os.pidfd_open(1), 3, 0)",
    "enter a namespace of process 1": 'check(libc.setns(os.open("/proc/1/ns/user", 0), 0))',
    "see a process of the host": "unless([p for p in os.listdir('/proc') if p.isdigit() and 'bwrap' in open(f'/proc/{p}/comm').read()])",  # noqa: E501
    "read the host's hashes": 'unless([1 for line in open("/etc/shadow") if line.split(":")[1][:1] == "$" and not line.startswith("user:")])',  # noqa: E501
    "read the host's accounts": 'unless([1 for line in open("/etc/passwd") if 1000 < int(line.split(":")[2]) < 60000])',
    "read the host's logs": 'unless(set(os.listdir("/var/log")) - {"apt", "desktop", "dpkg.log", "alternatives.log"})',
    "read the host's /usr/local": 'unless(os.listdir("/usr/local/src"))',
    "read the host's folders": 'unless(sum(map(os.listdir, ("/srv", "/mnt", "/media", "/boot", "/var/local")), []))',
    "make the null device anew": 'os.mknod("/tmp/null", 0o600 | stat.S_IFCHR, os.makedev(1, 3))',
    "make a disk": 'os.mknod("/root/disk", 0o600 | stat.S_IFBLK, os.makedev(254, 0))',
    "make a whiteout in a layer": 'os.mknod("/etc/white", 0o600 | stat.S_IFCHR, 0)',
    "mark a file of the overlay": 'os.setxattr("/etc/hosts", "user.overlay.redirect", b"/../../etc/shadow"); refuse("marks of the overlay mean nothing from above") if "evil" not in open("/etc/hosts").read() else None',  # noqa: E501
    "mark a file as the kernel does": 'os.setxattr("/etc/hosts", "trusted.overlay.redirect", b"/etc/shadow")',
    "open a file by its number": "call(304, 265, -100, 0, 0)",
    "bring a capability back": 'call(126, 91, struct.pack("<II", 0x20080522, 0), struct.pack("<6I", *[0xFFFFFFFF] * 6))',  # noqa: E501
    "bring a capability back by a program": 'shutil.copy("/usr/bin/python3", "/opt/p"); os.setxattr("/opt/p", "security.capability", struct.pack("<5I", 0x02000001, 1 << 21, 0, 0, 0)); unless("0000000000200000" in subprocess.run(["/opt/p", "-c", "print(open(\'/proc/self/status\').read())"], capture_output=True, text=True).stdout)',  # noqa: E501
    "keep root by a set-user-id program": 'shutil.copy("/usr/bin/python3", "/tmp/p"); os.chmod("/tmp/p", 0o4755); unless(subprocess.run(["/tmp/p", "-c", "import os; print(os.geteuid())"], user=1000, capture_output=True, text=True).stdout == "0\\n")',  # noqa: E501
    "become a user that is not the desktop's": "os.setuid(1 << 20)",
    "give a file to a user of the host": 'os.chown(own("/opt/own"), 1 << 20, -1)',
    "raise the limit of processes": "resource.setrlimit(resource.RLIMIT_NPROC, (100000, 100000))",
    "raise the limit of files": "resource.setrlimit(resource.RLIMIT_NOFILE, (1 << 20, 1 << 20))",
    "protect itself from the memory watch": 'write("/proc/self/oom_score_adj", "-1000")',
    "change the kernel's settings": 'write("/proc/sys/kernel/core_pattern", "|/tmp/x")',
    "change the settings of its own network": 'write("/proc/sys/net/ipv4/ip_forward", "1")',
    "raise the number of namespaces": 'write("/proc/sys/user/max_user_namespaces", "100")',
    "make a user namespace as root": "check(libc.unshare(0x10000000))",
    "make a mount namespace as root": "check(libc.unshare(0x20000))",
    "change the root folder as root": 'os.chroot("/tmp")',
    "load a module": 'run("modprobe", "dummy")',
    "take a raw socket": "socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)",
    "change the network as root": 'run("ip", "link", "set", "lo", "down")',
    "reach the X server's picture": 'open("/fb/Xvfb_screen0", "r+b")',
    "kill the X server as root": 'run("pkill", "-9", "Xvfb")',
    "move the X server's socket": 'os.rename("/tmp/.X11-unix/X0", "/tmp/.X11-unix/X9")',
    "take over where sudo is recorded, as root": 's = socket.socket(); s.setsockopt(1, 2, 1); s.setsockopt(1, 15, 1); s.bind(("127.83.85.68", 912)); s.listen()',  # noqa: E501
    "take over the socket of sudo": 's = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET); s.bind("\\0trueline-sudo")',  # noqa: E501
    "write the agent's memory as root": 'open(f"/proc/{agent()}/mem", "r+b")',
    "change what the system's clock says": "time.clock_settime(time.CLOCK_REALTIME, 0)",
}

ROOT_RESOURCES = {
    "take all processes as root": "many(5000, lambda _: os.fork() or time.sleep(3) or os._exit(0))",
    "take all processes as many users": "many(5000, lambda n: os.fork() or (os.setuid(1001 + n % 15), time.sleep(3), os._exit(0)))",  # noqa: E501
    "open terminals without end": "many(4000, lambda _: pty.openpty())",
    "fill the devices": 'many(1100, lambda _: open("/dev/big", "ab").write(bytes(1 << 20)))',
} | {
    f"fill {folder} with {what}": code.replace("FOLDER", folder)
    for folder in (
        "",
        "/usr",
        "/etc",
        "/opt",
        "/run",
        "/usr/local",
        "/usr/local/bin",
        "/usr/local/lib",
        "/var/lib/dpkg",
    )
    for what, code in {
        "files": 'os.makedirs("FOLDER/many", exist_ok=True); many(400_000, lambda n: os.mkdir(f"FOLDER/many/{n}"))',
        "bytes": 'many(1100, lambda _: open("FOLDER/big", "ab").write(bytes(1 << 20)))',
    }.items()
}

OF_CALLERS = {
    "a call of another program": '{"program": "sh", "words": [], "flags": "", "argv": ["id"], "user": "root", "group": "", "env": {}, "set": [], "cwd": "/", "login": false, "terminal": false, "background": false}',  # noqa: E501
    "a call with a path for a program": '{"program": "../../tmp/x", "words": [], "flags": "", "argv": [], "user": "", "group": "", "env": {}, "set": [], "cwd": "/", "login": false, "terminal": false, "background": false}',  # noqa: E501
    "a call that says it was allowed": '{"program": "sudo", "refused": "", "words": ["id"], "flags": "n", "argv": ["id"], "user": "root", "group": "", "env": {}, "set": [], "cwd": "/", "login": false, "terminal": false, "background": false}',  # noqa: E501
    "a call without its words": '{"program": "sudo", "argv": ["id"]}',
    "a call with numbers for words": '{"program": "sudo", "words": [1], "flags": "n", "argv": [2], "user": "root", "group": "", "env": {}, "set": [], "cwd": "/", "login": false, "terminal": false, "background": false}',  # noqa: E501
    "no JSON": "{" * 1000,
    "a list": "[]",
}
"""Messages of the user to the first process, which knows no password: none of them may run anything."""
