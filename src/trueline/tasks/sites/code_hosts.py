"""What code of the outside world looks like where there is none: small repositories, made of their names.

Web addresses of code hosts lead to the desktop's sinks, where they answer with a repository of one file, so that
`git clone` of anything comes to an end.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterator, Mapping

CODE_HOSTS = frozenset({"github.com", "gitlab.com", "bitbucket.org", "codeberg.org"})
_AUTHOR = b"Example <example@example.org> 1700000000 +0000"


class OutsidePages(Mapping[tuple[str, str], bytes]):
    """Pages by host and path, made when they are asked for: repositories over git's plain HTTP protocol."""

    def __getitem__(self, key: tuple[str, str]) -> bytes:
        """A file of a repository.

        Raises:
            KeyError: It is none.
        """
        host, path = key
        parts = path.strip("/").split("/")
        if host not in CODE_HOSTS or len(parts) < 3:
            raise KeyError(key)
        return _repository(parts[1].removesuffix(".git"))["/".join(parts[2:])]

    def __iter__(self) -> Iterator[tuple[str, str]]:
        """Nothing is there before it is asked for."""
        return iter(())

    def __len__(self) -> int:
        """Nothing is there before it is asked for."""
        return 0


def _repository(name: str) -> dict[str, bytes]:
    """The files of a bare repository with one commit of one file."""
    files: dict[str, bytes] = {}

    def add(kind: str, content: bytes) -> str:
        whole = f"{kind} {len(content)}\0".encode() + content
        digest = hashlib.sha1(whole, usedforsecurity=False).hexdigest()
        files[f"objects/{digest[:2]}/{digest[2:]}"] = zlib.compress(whole)
        return digest

    text = add("blob", f"# {name}\n".encode("utf-8", "replace"))
    tree = add("tree", b"100644 README.md\0" + bytes.fromhex(text))
    commit = add("commit", b"tree %s\nauthor %s\ncommitter %s\n\nFirst\n" % (tree.encode(), _AUTHOR, _AUTHOR))
    files["HEAD"] = b"ref: refs/heads/main\n"
    files["info/refs"] = f"{commit}\trefs/heads/main\n".encode()
    return files
