"""Control groups where they are allowed, and the way out where it is asked for."""

from __future__ import annotations

import asyncio
import socket
import struct
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest

from trueline.desktop.local import LocalDesktop, LocalOptions
from trueline.desktop.local.checks import check_way_out
from trueline.desktop.local.groups import ROOT, ControlGroup, make_groups, plan_groups
from trueline.desktop.local.network import host_addresses
from trueline.desktop.local.options import ResourceLimits
from trueline.desktop.local.ownership import Owner

V1 = "9:pids:/here\n4:memory:/there/own\n3:cpu,cpuacct:/\n0::/\n"
LIMITS = ResourceLimits(processes=100, memory=5000, processors=1.5)


def test_groups_of_the_first_version_lie_below_our_own() -> None:
    assert plan_groups(LIMITS, 500, ROOT, V1) == (
        "cgroup v1",
        [
            ControlGroup(ROOT / "memory/there/own", {"memory.limit_in_bytes": "5500"}),
            ControlGroup(ROOT / "pids/here", {"pids.max": "100"}),
            ControlGroup(ROOT / "cpu", {"cpu.cfs_quota_us": "150000"}),
        ],
    )


def test_groups_of_the_second_version_lie_where_limits_are_handed_on(tmp_path: Path) -> None:
    own = tmp_path / "user.slice/user.service/app.scope"
    own.mkdir(parents=True)
    for folder, handed in ((own, ""), (own.parent, "cpu memory pids\n"), (tmp_path, "cpu memory pids\n")):
        (folder / "cgroup.subtree_control").write_text(handed)
    kind, groups = plan_groups(LIMITS, 0, tmp_path, "0::/user.slice/user.service/app.scope\n")
    assert kind == "cgroup v2"
    assert groups == [ControlGroup(own.parent, {"memory.max": "5000", "pids.max": "100", "cpu.max": "150000 100000"})]
    (own.parent / "cgroup.subtree_control").write_text("cpu\n")
    (tmp_path / "cgroup.subtree_control").write_text("")
    assert plan_groups(LIMITS, 0, tmp_path, "0::/user.slice/user.service/app.scope\n") == ("", [])


def test_where_groups_may_not_be_made_there_are_none_and_nothing_is_left(tmp_path: Path) -> None:
    (tmp_path / "pids").mkdir()
    assert make_groups(ResourceLimits(), 0, tmp_path, "4:memory:/gone\n9:pids:/\n") is None
    assert list(tmp_path.rglob("trueline-*")) == []


def test_a_desktop_is_in_its_groups_and_they_go_with_it(machine: None, runner: asyncio.Runner) -> None:
    if make_here() is None:
        pytest.skip("this user may make no control groups here")

    async def work() -> list[Path]:
        options = LocalOptions(width=640, height=480, limits=ResourceLimits(processes=300))
        async with LocalDesktop(options) as desktop:
            sandbox = desktop.running.sandbox
            assert sandbox.limited_by in ("cgroup v1", "cgroup v2")
            return groups_of(sandbox.supervisor_pid)

    found = runner.run(work())
    assert len(found) > 0 and not [path for path in found if path.exists()]


def groups_of(pid: int) -> list[Path]:
    """The groups a process of ours is in, which must limit its processes."""
    inside = Path(f"/proc/{pid}/cgroup").read_text()
    name = next(part for part in inside.replace("\n", "/").split("/") if part.startswith("trueline-"))
    found = list(ROOT.rglob(name))
    assert any((path / "pids.max").read_text() == "300\n" for path in found if (path / "pids.max").exists())
    return found


def make_here() -> bool | None:
    groups = make_groups(ResourceLimits(), 0)
    if groups is None:
        return None
    groups.finish()
    return True


def test_a_way_out_that_cannot_be_says_what_it_needs(tmp_path: Path) -> None:
    user, tun = Owner(1234, 1234, drop=False), tmp_path / "tun"
    assert "install -y --no-install-recommends passt" in check_way_out(user, str(tmp_path), tun).fix
    (tmp_path / "pasta").touch(mode=0o755)
    assert check_way_out(user, str(tmp_path), tun).fix == "sudo modprobe tun"
    tun.touch(mode=0o600)
    assert check_way_out(user, str(tmp_path), tun).fix == f"sudo chmod 666 {tun}"
    assert check_way_out(Owner(1234, 1234, drop=True), str(tmp_path), tun).ok, "root hands out a copy of its own"


AROUND = """
import socket, struct, subprocess, sys
port, places = int(sys.argv[1]), sys.argv[2:]
names = socket.if_nameindex()
lines = subprocess.run(["ip", "-o", "-4", "addr"], capture_output=True, text=True).stdout.splitlines()
own = [line.split()[3].split("/")[0] for line in lines]
def nothing(sock):
    pass
def ways():
    yield nothing
    for number, name in names:
        yield lambda sock: sock.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, struct.pack("8xi", number))
        yield lambda sock: sock.setsockopt(socket.IPPROTO_IP, 50, struct.pack("!i", number))
        yield lambda sock: sock.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, name.encode())
    for address in own:
        yield lambda sock: sock.bind((address, 0))
for place in places:
    for prepare in ways():
        for kind in (socket.SOCK_DGRAM, socket.SOCK_STREAM):
            with socket.socket(socket.AF_INET, kind) as sock:
                sock.settimeout(1)
                try:
                    if kind == socket.SOCK_DGRAM:
                        sock.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
                    prepare(sock)
                    sock.connect((place, port))
                    sock.send(b"escaped to " + place.encode())
                except OSError:
                    pass
print("tried")
"""


@pytest.mark.full
def test_with_a_way_out_no_named_interface_leads_to_this_machine(machine: None, runner: asyncio.Runner) -> None:
    """Whatever interface or address a program binds to, and whether it speaks to one machine or to a group."""
    groups = ["224.0.0.251", "239.255.255.250", "224.0.0.1"]
    own = [address for address in host_addresses() if ":" not in address]
    places = [*groups, "255.255.255.255", "127.0.0.1", "127.0.0.255", "127.3.2.1", "0.0.0.0", *own]
    with (
        socket.create_server(("", 0)) as server,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listener,
    ):
        port: int = server.getsockname()[1]
        listener.bind(("", port))
        listener.setblocking(False)
        server.setblocking(False)
        for group in groups:
            for number, _ in socket.if_nameindex():
                member = struct.pack("4s4si", socket.inet_aton(group), bytes(4), number)
                with suppress(OSError):  # not every interface can
                    listener.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, member)

        async def work() -> str:
            async with LocalDesktop(LocalOptions(width=640, height=480, network="open")) as desktop:
                return (await desktop.run(("python3", "-c", AROUND, str(port), *places), time_limit=300)).text

        assert runner.run(work()) == "tried\n"
        with pytest.raises(BlockingIOError):
            raise AssertionError(listener.recvfrom(100))
        with pytest.raises(BlockingIOError):
            raise AssertionError(server.accept())


@pytest.mark.full
def test_with_a_way_out_this_machine_stays_out_of_reach(machine: None, runner: asyncio.Runner) -> None:
    """As far as can be tested without a network: there is a way, and it leads to no address of this machine."""
    addresses = [address for address in host_addresses() if not address.startswith(("fe80", "169.254"))]
    near = [address for address in host_addresses() if address.startswith("fe80")] or ["fe80::1"]
    with socket.create_server(("::", 0), family=socket.AF_INET6, dualstack_ipv6=True) as server:
        port = server.getsockname()[1]
        tries = ["127.0.0.1", "::1", "169.254.169.254", *addresses]
        code = (
            "import socket\n"
            f"for address in {tries!r}:\n"
            "    try:\n"
            f"        socket.create_connection((address, {port}), 5).close(); print('ESCAPED', address)\n"
            "    except ConnectionRefusedError:\n"
            "        pass\n"
            f"for address in {near!r}:\n"
            "    for number, name in socket.if_nameindex():\n"
            "        sock = socket.socket(socket.AF_INET6); sock.settimeout(5)\n"
            "        try:\n"
            f"            sock.connect((address, {port}, 0, number)); print('ESCAPED', address, name)\n"
            "        except OSError:\n"
            "            pass\n"
        )

        supervisors: list[int] = []

        async def work() -> tuple[str, bytes, str, str]:
            async with LocalDesktop(LocalOptions(width=640, height=480, network="open")) as desktop:
                way = await asyncio.to_thread(
                    Path(f"/proc/{desktop.running.sandbox.supervisor_pid}/net/route").read_text
                )
                supervisors.append(desktop.running.sandbox.supervisor_pid)
                tried = await desktop.run(("python3", "-c", code), time_limit=60)
                names = (await desktop.run(("cat", "/etc/resolv.conf"))).text
                return way, tried.stdout, tried.stderr.decode(), names

        way, out, errors, names = runner.run(work())
    assert "00000000" in way.splitlines()[1], "there is a default route"
    assert (out, errors) == (b"", "") and names.startswith("nameserver ")
    left = subprocess.run(["pgrep", "-f", f"pasta.*/proc/{supervisors[0]}/ns"], capture_output=True, check=False)
    assert left.stdout == b"", "pasta ends with its desktop"
