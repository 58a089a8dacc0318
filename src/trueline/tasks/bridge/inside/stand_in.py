"""What getters and metrics use of OSWorld's environment object, over the server of one desktop."""

from __future__ import annotations

import os
from typing import Any, cast

from isolation import PORTS
from package import InstalledPackage

CACHE = "/tmp/cache"  # noqa: S108 - inside; the same in every evaluation, because recorded values hold paths
_ADDRESS = "127.0.0.1"
_RETRY_SECONDS = 0.2
"""Between the tries of a request; OSWorld waits 5 s, three times for each file that is not there."""


class StandIn:
    """Stands in for a DesktopEnv; `missing` notes what it was asked for and lacks."""

    enable_proxy = False
    current_use_proxy = False
    is_environment_used = True
    vnc_port = 8006

    def __init__(self, package: InstalledPackage, task: dict[str, Any]) -> None:
        """Connect nothing yet; `task` is what the host says of the task and its desktop."""
        self.missing: list[str] = []
        self.vm_ip = _ADDRESS
        self.server_port, self.chromium_port, self.vlc_port = PORTS
        self.screen_width, self.screen_height = task["screen"]
        self.client_password = task["password"]
        self.action_history = ["FAIL"] if task["failed"] else []
        self.task_id, self.instruction, self.evaluator = task["id"], task["instruction"], task["evaluator"]
        self.cache_dir_base = os.path.dirname(CACHE)
        self.cache_dir = CACHE
        self.controller = _controller(package, task["rename_chromium"])
        self.setup_controller = package.setup_controller(
            vm_ip=_ADDRESS,
            server_port=self.server_port,
            chromium_port=self.chromium_port,
            vlc_port=self.vlc_port,
            cache_dir=CACHE,
            client_password=self.client_password,
            screen_width=self.screen_width,
            screen_height=self.screen_height,
        )

    @property
    def vm_platform(self) -> Any:
        """The system's name."""
        return self.controller.get_vm_platform()

    @property
    def vm_machine(self) -> Any:
        """The processor's name."""
        return self.controller.get_vm_machine()

    @property
    def vm_screen_size(self) -> Any:
        """The screen's size."""
        return self.controller.get_vm_screen_size()

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("__"):
            self.__dict__.setdefault("missing", []).append(name[:100])
        raise AttributeError(name)


def _controller(package: InstalledPackage, rename: bool) -> Any:
    base: Any = package.controller

    class Controller(base):
        """OSWorld's, for a desktop whose browser is called Chromium: getters look for "Google Chrome"."""

        def get_accessibility_tree(self) -> Any:
            tree = cast("str | None", base.get_accessibility_tree(self))
            if tree and rename:
                return tree.replace('<application name="Chromium"', '<application name="Google Chrome"')
            return tree

    controller: Any = Controller(vm_ip=_ADDRESS, server_port=PORTS[0])
    controller.retry_interval = _RETRY_SECONDS
    return controller
