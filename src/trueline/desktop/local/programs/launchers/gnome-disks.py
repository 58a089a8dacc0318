#!/usr/bin/python3 -I
"""GNOME Disks over a disk of its own: a sandbox has none, and nothing here may reach the machine's.

A small service answers in place of UDisks on the session's bus. It shows one drive, partitioned as on the machines
that tasks were written for. What is done to it (delete, create, format, resize, mount …) changes what is shown until
the desktop ends, and nothing else; passwords and files are never asked for.
"""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec

TYPE_CHECKING = False  # `typing` costs milliseconds at every start
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, NoReturn

    Values = dict[str, Any]

PROGRAM = "/usr/bin/gnome-disks"
ROOT = "/org/freedesktop/UDisks2"
NAME = "org.freedesktop.UDisks2"
MIB = 1 << 20
SIZE = 32 << 30
DISK, DRIVE = f"{ROOT}/block_devices/sda", f"{ROOT}/drives/Virtual_Disk"
BIOS, EFI, LINUX = (
    "21686148-6449-6e6f-744e-656564454649",
    "c12a7328-f81f-11d2-ba4b-00a0c93ec93b",
    "0fc63daf-8483-4772-8e79-3d69d8477de4",
)
OPTIONS = '<arg name="options" type="a{sv}" direction="in"/>'


def interface(name: str, properties: str, methods: str = "") -> str:
    """The description of an interface: properties as `Name:type`, methods as XML."""
    pairs = (word.split(":") for word in properties.split())
    listed = "".join(f'<property name="{prop}" type="{kind}" access="read"/>' for prop, kind in pairs)
    return f'<interface name="{NAME}.{name}">{listed}{methods}</interface>'


def method(name: str, *arguments: str) -> str:
    """A method of an interface: its arguments as `type` that go in, or `>type` that come out, before the options."""
    before = "".join(f'<arg type="{kind}" direction="in"/>' for kind in arguments if not kind.startswith(">"))
    after = "".join(f'<arg type="{kind[1:]}" direction="out"/>' for kind in arguments if kind.startswith(">"))
    return f'<method name="{name}">{before}{OPTIONS}{after}</method>'


PLAIN = {
    "Manager": interface("Manager", "Version:s SupportedFilesystems:as SupportedEncryptionTypes:as "
                         "DefaultEncryptionType:s",
                         method("CanFormat", "s", ">(bs)").replace(OPTIONS, "")
                         + method("CanResize", "s", ">(bts)").replace(OPTIONS, "")
                         + method("CanCheck", "s", ">(bs)").replace(OPTIONS, "")
                         + method("CanRepair", "s", ">(bs)").replace(OPTIONS, "")),
    "Drive": interface("Drive", "Vendor:s Model:s Revision:s Serial:s WWN:s Id:s Configuration:a{sv} Media:s "
                       "MediaCompatibility:as MediaRemovable:b MediaAvailable:b MediaChangeDetected:b Size:t "
                       "TimeDetected:t TimeMediaDetected:t Optical:b OpticalBlank:b OpticalNumTracks:u "
                       "OpticalNumAudioTracks:u OpticalNumDataTracks:u OpticalNumSessions:u RotationRate:i "
                       "ConnectionBus:s Seat:s Removable:b Ejectable:b SortKey:s CanPowerOff:b SiblingId:s"),
    "Block": interface("Block", "Device:ay PreferredDevice:ay Symlinks:aay DeviceNumber:t Id:s Size:t ReadOnly:b "
                       "Drive:o MDRaid:o MDRaidMember:o IdUsage:s IdType:s IdVersion:s IdLabel:s IdUUID:s "
                       "Configuration:a(sa{sv}) CryptoBackingDevice:o HintPartitionable:b HintSystem:b HintIgnore:b "
                       "HintAuto:b HintName:s HintIconName:s HintSymbolicIconName:s UserspaceMountOptions:as",
                       method("Format", "s") + method("Rescan")),
    "PartitionTable": interface("PartitionTable", "Partitions:ao Type:s",
                                method("CreatePartition", "t", "t", "s", "s", ">o")
                                + method("CreatePartitionAndFormat", "t", "t", "s", "s")
                                .replace(OPTIONS, OPTIONS + '<arg type="s" direction="in"/>'
                                         '<arg type="a{sv}" direction="in"/><arg type="o" direction="out"/>')),
    "Partition": interface("Partition", "Number:u Type:s Flags:t Offset:t Size:t Name:s UUID:s Table:o IsContainer:b "
                           "IsContained:b",
                           method("Delete") + method("Resize", "t") + method("SetType", "s") + method("SetName", "s")
                           + method("SetFlags", "t")),
    "Filesystem": interface("Filesystem", "MountPoints:aay Size:t",
                            method("Mount", ">s") + method("Unmount") + method("SetLabel", "s") + method("Resize", "t")
                            + method("Check", ">b") + method("Repair", ">b") + method("TakeOwnership")),
}  # fmt: skip
MANAGER_XML = (
    '<interface name="org.freedesktop.DBus.ObjectManager"><method name="GetManagedObjects">'
    '<arg type="a{oa{sa{sv}}}" direction="out"/></method></interface>'
)
KINDS = {"ext4": "1.0", "vfat": "FAT32", "ntfs": "", "swap": "1", "exfat": "1.0", "xfs": "", "btrfs": ""}


def fail(why: str) -> NoReturn:
    """End as a shell would without the program."""
    sys.stderr.write(f"gnome-disks: {why}\n")
    sys.exit(127)


def text(word: str) -> list[int]:
    """A path as the service writes it: bytes with a zero at the end."""
    return [*word.encode(), 0]


class Disks:
    """The drive, and what was done to it."""

    def __init__(self, bus: Any, gio: Any, glib: Any) -> None:
        self.bus, self.gio, self.glib = bus, gio, glib
        self.objects: dict[str, dict[str, Values]] = {}
        self.ids: dict[tuple[str, str], int] = {}
        self.infos: Values = {
            name: gio.DBusNodeInfo.new_for_xml(f"<node>{xml}</node>").interfaces[0] for name, xml in PLAIN.items()
        }
        self.types: dict[str, dict[str, str]] = {
            name: {prop.name: prop.signature for prop in info.properties} for name, info in self.infos.items()
        }
        manager = gio.DBusNodeInfo.new_for_xml(f"<node>{MANAGER_XML}</node>").interfaces[0]
        bus.register_object(ROOT, manager, self.on_list, None, None)
        self.add(
            f"{ROOT}/Manager", Manager={"Version": "2.9.4", "SupportedFilesystems": ["ext4", "vfat", "ntfs", "swap"]}
        )
        self.add(
            DRIVE,
            Drive={
                "Model": "Virtual Disk",
                "Id": "Virtual-Disk",
                "MediaAvailable": True,
                "Size": SIZE,
                "MediaChangeDetected": True,
                "Seat": "seat0",
                "SortKey": "00coldplug/00fixed/sda",
            },
        )
        self.add(DISK, Block=self.block("sda", SIZE), PartitionTable={"Partitions": [], "Type": "gpt"})
        self.partition(1, MIB, MIB, BIOS, "", [])
        self.partition(2, 2 * MIB, 513 * MIB, EFI, "vfat", ["/boot/efi"], "EFI System Partition")
        self.partition(3, 515 * MIB, SIZE - 516 * MIB, LINUX, "ext4", ["/"])

    def block(self, name: str, size: int, kind: str = "") -> Values:
        """What is known of a device."""
        usage = {"": "", "swap": "other"}.get(kind, "filesystem")
        return {"Device": text(f"/dev/{name}"), "PreferredDevice": text(f"/dev/{name}"), "Id": f"by-id-{name}",
                "Size": size, "Drive": DRIVE, "MDRaid": "/", "MDRaidMember": "/", "CryptoBackingDevice": "/",
                "HintPartitionable": True, "HintSystem": True, "IdUsage": usage, "IdType": kind,
                "IdVersion": KINDS.get(kind, ""), "DeviceNumber": 0x800 + int(name[3:] or 0)}  # fmt: skip

    def partition(
        self, number: int, offset: int, size: int, type_: str, kind: str, mounts: Iterable[str], name: str = ""
    ) -> str:
        """Add a partition."""
        path = f"{DISK}{number}"
        interfaces: dict[str, Values] = {
            "Block": self.block(f"sda{number}", size, kind),
            "Partition": {"Number": number, "Type": type_, "Offset": offset, "Size": size, "Name": name, "Table": DISK,
                          "UUID": f"00000000-0000-4000-8000-{number:012}"},
        }  # fmt: skip
        if kind not in ("", "swap"):
            interfaces["Filesystem"] = {"MountPoints": [text(mount) for mount in mounts], "Size": size}
        self.add(path, **interfaces)
        self.list_partitions()
        return path

    def list_partitions(self) -> None:
        """Tell which partitions there are."""
        paths = sorted(path for path, has in self.objects.items() if "Partition" in has)
        self.set(DISK, "PartitionTable", Partitions=paths)

    def add(self, path: str, **interfaces: Values) -> None:
        """Add interfaces to an object, which is made with them."""
        for name, values in interfaces.items():
            blank: Values = {"s": "", "t": 0, "u": 0, "i": 0, "b": False, "o": "/"}
            known = {
                prop: blank.get(kind, dict[str, object]() if kind == "a{sv}" else list[object]())
                for prop, kind in self.types[name].items()
            }
            self.objects.setdefault(path, {})[name] = {**known, **values}
            self.ids[path, name] = self.bus.register_object(path, self.infos[name], self.on_call, self.on_get, None)
        self.say(ROOT, "org.freedesktop.DBus.ObjectManager", "InterfacesAdded", "(oa{sa{sv}})",
                 (path, self.described(path, interfaces)))  # fmt: skip

    def remove(self, path: str, *names: str) -> None:
        """Remove interfaces from an object, or the object."""
        gone = [*(names or self.objects.get(path, ()))]
        for name in gone:
            if self.objects.get(path, {}).pop(name, None) is not None:
                self.bus.unregister_object(self.ids.pop((path, name)))
        if not self.objects.get(path):
            self.objects.pop(path, None)
        listed = [f"{NAME}.{name}" for name in gone]
        self.say(ROOT, "org.freedesktop.DBus.ObjectManager", "InterfacesRemoved", "(oas)", (path, listed))

    def set(self, path: str, name: str, **values: object) -> None:
        """Change properties and tell."""
        self.objects[path][name].update(values)
        changed: Values = {prop: self.variant(name, prop, value) for prop, value in values.items()}
        self.say(
            path,
            "org.freedesktop.DBus.Properties",
            "PropertiesChanged",
            "(sa{sv}as)",
            (f"{NAME}.{name}", changed, list[str]()),
        )

    def variant(self, name: str, prop: str, value: object) -> Any:
        """A property as the bus sends it."""
        return self.glib.Variant(self.types[name][prop], value)

    def described(self, path: str, names: Iterable[str]) -> dict[str, Values]:
        """Interfaces of an object with all their properties."""
        return {
            f"{NAME}.{name}": {
                prop: self.variant(name, prop, value) for prop, value in self.objects[path][name].items()
            }
            for name in names
        }

    def say(self, path: str, name: str, signal: str, signature: str, values: object) -> None:
        """Send a signal."""
        self.bus.emit_signal(None, path, name, signal, self.glib.Variant(signature, values))

    def on_list(
        self, _bus: Any, _sender: str, _path: str, _name: str, _method: str, _arguments: Any, answer: Any
    ) -> None:
        """All objects."""
        every = {path: self.described(path, has) for path, has in self.objects.items()}
        answer.return_value(self.glib.Variant("(a{oa{sa{sv}}})", (every,)))

    def on_get(self, _bus: Any, _sender: str, path: str, name: str, prop: str) -> Any:
        """One property."""
        short = name.rpartition(".")[2]
        return self.variant(short, prop, self.objects[path][short][prop])

    def on_call(self, _bus: Any, _sender: str, path: str, name: str, called: str, arguments: Any, answer: Any) -> None:
        """Do what is asked, as far as it only changes what is shown."""
        try:
            found = self.do(path, name.rpartition(".")[2], called, arguments.unpack())
        except (KeyError, ValueError) as error:
            answer.return_dbus_error(f"{NAME}.Error.Failed", str(error))
            return
        signature, value = found or ("()", ())
        answer.return_value(self.glib.Variant(signature, value))

    def do(self, path: str, name: str, called: str, words: Any) -> tuple[str, object] | None:
        """One method; returns the signature and values of its answer."""
        has = self.objects[path]
        match name, called:
            case "Manager", "CanResize":
                return "((bts))", ((True, 6, ""),)
            case "Manager", _:
                return "((bs))", ((True, ""),)
            case "Partition", "Delete":
                self.remove(path)
                self.list_partitions()
            case "Partition", "Resize":
                self.set(path, "Partition", Size=words[0])
                self.set(path, "Block", Size=words[0])
            case "Partition", _:
                self.set(path, "Partition", **{called.removeprefix("Set"): words[0]})
            case "PartitionTable", _:
                numbers = {part["Partition"]["Number"] for part in self.objects.values() if "Partition" in part}
                number = next(number for number in range(1, 129) if number not in numbers)
                made = self.partition(number, words[0], words[1] or MIB, words[2] or LINUX, "", [], words[3])
                if called == "CreatePartitionAndFormat":
                    self.format(made, words[5], words[6])
                return "(o)", (made,)
            case "Block", "Format":
                self.format(path, words[0], words[1])
            case "Filesystem", "Mount":
                if not has["Filesystem"]["MountPoints"]:
                    self.set(path, "Filesystem", MountPoints=[text(f"/media/{path.rpartition('/')[2]}")])
                return "(s)", (bytes(has["Filesystem"]["MountPoints"][0][:-1]).decode(),)
            case "Filesystem", "Unmount":
                self.set(path, "Filesystem", MountPoints=[])
            case "Filesystem", "SetLabel":
                self.set(path, "Block", IdLabel=words[0])
            case "Filesystem", "Resize":
                self.set(path, "Filesystem", Size=words[0] or has["Block"]["Size"])
            case "Filesystem", ("Check" | "Repair"):
                return "(b)", (True,)
            case _:
                pass
        return None

    def format(self, path: str, kind: str, options: Values) -> None:
        """Give a device another content."""
        if path == DISK:
            for other in [other for other, has in self.objects.items() if "Partition" in has]:
                self.remove(other)
            self.list_partitions()
            return
        if "Filesystem" in self.objects[path]:
            self.remove(path, "Filesystem")
        kind = "" if kind == "empty" else kind
        usage = {"": "", "swap": "other"}.get(kind, "filesystem")
        label = options.get("label", "")
        self.set(path, "Block", IdType=kind, IdUsage=usage, IdLabel=label, IdVersion=KINDS.get(kind, ""))
        if usage == "filesystem":
            self.add(path, Filesystem={"MountPoints": [], "Size": self.objects[path]["Block"]["Size"]})


def serve(ready: int) -> None:
    """Answer as UDisks until the bus goes; at once if another does already."""
    from importlib import import_module

    # They have no types.
    Gio: Any = import_module("gi.repository.Gio")
    GLib: Any = import_module("gi.repository.GLib")
    bus = Gio.bus_get_sync(Gio.BusType.SESSION)
    asked = GLib.Variant("(su)", (NAME, 4))
    taken = bus.call_sync("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "RequestName", asked,
                          None, Gio.DBusCallFlags.NONE, -1, None).unpack()[0] == 1  # fmt: skip
    disks = Disks(bus, Gio, GLib) if taken else None
    os.close(ready)
    if disks is not None:
        GLib.MainLoop().run()


def main() -> None:
    """Start the service, then become the program."""
    if not os.access(PROGRAM, os.X_OK):
        fail("not installed on this desktop (Debian package gnome-disk-utility)")
    if find_spec("gi") is None:
        fail("its stand-in for a disk needs the Debian package python3-gi")
    wait, ready = os.pipe()
    if os.fork() == 0:
        os.close(wait)
        os.setsid()
        try:
            serve(ready)
        finally:
            os._exit(0)
    os.close(ready)
    os.read(wait, 1)
    os.environ["DBUS_SYSTEM_BUS_ADDRESS"] = os.environ.get("DBUS_SESSION_BUS_ADDRESS", "")
    os.execv(PROGRAM, [PROGRAM, *sys.argv[1:]])  # noqa: S606


main()
