"""A simple command with its redirections, ready to be classified."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Call:
    """A simple command with its redirections, ready to be classified."""

    program: str
    args: tuple[str, ...] = ()
    written: tuple[str, ...] = ()
    """Files its output is sent to."""
    read: tuple[str, ...] = ()
    """Files its input comes from."""
    piped: bool = False
    """Whether another command's output is piped into it."""
    privileged: bool = False
    folder: str | None = None

    def flag(self, *names: str) -> bool:
        """Whether an option is given; one-letter options may be combined (`-rf`)."""
        letters = {name[1] for name in names if len(name) == 2 and name[0] == "-"}
        short = [arg[1:] for arg in self.args if arg[:1] == "-" and arg[:2] != "--"]
        return any(arg.partition("=")[0] in names for arg in self.args) or any(letters & set(group) for group in short)

    @property
    def operands(self) -> tuple[str, ...]:
        """The arguments that are not options."""
        end = self.args.index("--") if "--" in self.args else len(self.args)
        return tuple(arg for arg in self.args[:end] if not arg.startswith("-")) + self.args[end + 1 :]
