"""The sandbox's identity: its own files of /etc, none of the host's."""

from __future__ import annotations

from trueline.desktop.local.network import RESOLVER
from trueline.desktop.local.options import LocalOptions

USER, UID, HOME, HOSTNAME = "user", 1000, "/home/user", "desktop"
RUNTIME = f"/run/user/{UID}"
MACHINE_ID = "7472756c696e6500000000000000da7a"


def identity_files(options: LocalOptions) -> dict[str, str]:
    """Return the content of each file by its name in /etc."""
    names = [("127.0.0.1", "localhost"), ("127.0.0.1", HOSTNAME), ("::1", "localhost")]
    names += [(address, name) for name, address in options.hosts.items()]
    return {
        "passwd": "root:x:0:0:root:/root:/usr/sbin/nologin\n"
        f"{USER}:x:{UID}:{UID}:User:{HOME}:/bin/bash\n"
        "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n",
        "group": f"root:x:0:\n{USER}:x:{UID}:\nnogroup:x:65534:\n",
        "hosts": "".join(f"{address}\t{name}\n" for address, name in names),
        "hostname": f"{HOSTNAME}\n",
        "resolv.conf": _resolver(options),
        "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\nservices: files\nprotocols: files\n",
        "machine-id": f"{MACHINE_ID}\n",
    }


def _resolver(options: LocalOptions) -> str:
    if options.nameserver:
        return "nameserver 127.0.0.1\noptions timeout:1 attempts:1\n"
    return f"nameserver {RESOLVER}\n" if options.network == "open" else ""
