"""Every application of the full set on a real desktop: it starts without questions, is read, takes what is typed."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterator
from email.message import EmailMessage
from socket import socket

import pytest

from trueline.actions import Action, Click, Hotkey, Point, Type
from trueline.desktop.local import LocalDesktop, LocalOptions
from trueline.desktop.local.applications import APPLICATIONS, find_application, open_application
from trueline.desktop.local.cdp import Tabs
from trueline.desktop.local.thunderbird import INBOX, SMTP_PORT, mbox
from trueline.desktop.types import Window, WindowShown
from trueline.records import ObservationSpec
from trueline.records.tree import Node, Tree

pytestmark = pytest.mark.full
PATIENCE = 60.0
PARTS = {"xfdesktop", "xfce4-panel"}
PAGE = b"<title>Shop</title><h1>Prices</h1><a href='#x'>Cheap tea</a><input aria-label='Search box' autofocus>"
PDF = (
    b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
    b"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 400 300]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>endobj\n"
    b"4 0 obj<</Length 48>>stream\nBT /F 24 Tf 40 200 Td (Quarterly report) Tj ET\nendstream endobj\n"
    b"5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj\ntrailer<</Root 1 0 R>>\n"
)


class Hands:
    """A desktop, and what a test does with it."""

    def __init__(self, runner: asyncio.Runner, desktop: LocalDesktop) -> None:
        self.runner, self.desktop = runner, desktop
        self._acts = 0

    def open(self, name: str, *arguments: str) -> Window:
        window = self.runner.run(
            open_application(self.desktop, find_application(name), *arguments, time_limit=PATIENCE)
        )
        assert window is not None
        return window

    def do(self, *actions: Action) -> None:
        for action in actions:
            self._acts += 1
            result = self.runner.run(self.desktop.act(action, id=f"act-{self._acts}"))
            assert result.error is None, result.error

    def tree(self) -> Tree:
        tree = self.runner.run(self.desktop.observe(ObservationSpec(screenshot=False, tree=True))).tree
        assert tree is not None
        return tree

    def find(self, what: str, fits: Callable[[Node], bool]) -> Node:
        """The first element on the screen that fits, as soon as there is one."""

        async def look() -> Node:
            while True:
                seen = await self.desktop.observe(ObservationSpec(screenshot=False, tree=True))
                assert seen.tree is not None
                for node in seen.tree.root.walk():
                    if node.position is not None and fits(node):
                        return node
                await asyncio.sleep(0.05)

        try:
            return self.runner.run(asyncio.wait_for(look(), PATIENCE))
        except TimeoutError:
            pytest.fail(f"not in the tree: {what}")

    def until(self, what: str, holds: Callable[[], Awaitable[bool]]) -> None:
        async def wait() -> None:
            while True:
                if await holds():
                    return
                await asyncio.sleep(0.05)

        try:
            self.runner.run(asyncio.wait_for(wait(), PATIENCE))
        except TimeoutError:
            pytest.fail(f"it did not come about: {what}")

    def windows(self) -> list[tuple[str, str]]:
        return [(w.app, w.title) for w in self.runner.run(self.desktop.windows()) if w.app not in PARTS]

    def click(self, node: Node) -> None:
        assert node.centre is not None
        self.do(Click(at=Point(node.centre.x, node.centre.y)))


@pytest.fixture
def hands(machine: None, runner: asyncio.Runner) -> Iterator[Hands]:
    desktop = LocalDesktop(LocalOptions(width=1280, height=900))
    runner.run(desktop.start())
    yield Hands(runner, desktop)
    runner.run(desktop.stop())


def no_questions(hands: Hands) -> None:
    """One window, and nothing on it that wants an answer first."""
    assert len(hands.windows()) == 1, hands.windows()
    asking = [node for node in hands.tree().root.walk() if node.role in ("dialog", "alert") and node.position]
    assert not asking, [(node.role, node.name) for node in asking]


def test_all_are_installed_and_each_has_a_test() -> None:
    for name in APPLICATIONS:
        find_application(name)


def test_calc(hands: Hands) -> None:
    window = hands.open("calc")
    assert window.width == 1280, "it fills the screen"
    no_questions(hands)
    hands.do(Type(text="Apples\n12\n=A2*2\n"))
    a3 = hands.find("the sum", lambda node: node.role == "table-cell" and node.name == "A3" and node.text == "24")
    assert a3.attributes["Formula"] == "A2*2" and a3.value is not None and a3.value.value == "24.0"
    cells = {node.name: node for node in hands.tree().root.walk() if node.role == "table-cell"}
    assert cells["A1"].text == "Apples" and {"C10", "D20"} <= set(cells)
    assert "focused" in cells["A4"].states
    # Clicking where the tree says B5 is, writes into B5.
    hands.click(cells["B5"])
    hands.do(Type(text="here\n"))
    hands.find("B5", lambda node: node.name == "B5" and node.text == "here")
    # At some starts LibreOffice lists its menu bar twice, and the entries hang below one of the two.
    files = [node for node in hands.tree().root.walk() if node.role == "menu" and node.name == "File" and node.position]
    assert any(file.children for file in files), "menus are there with what is in them"


def test_calc_far_from_its_first_cell(hands: Hands) -> None:
    hands.open("calc")
    hands.click(hands.find("the box with the address", lambda node: node.role == "text" and node.text == "A1"))
    hands.do(Hotkey(keys=("ctrl", "a")), Type(text="CV5000\n"))
    hands.click(hands.find("the cell", lambda node: node.role == "table-cell" and node.name == "CV5000"))
    hands.do(Type(text="far\n"))
    hands.find("the cell", lambda node: node.role == "table-cell" and node.name == "CV5000" and node.text == "far")
    names = {node.name for node in hands.tree().root.walk() if node.role == "table-cell"}
    assert "A1" not in names and len(names) > 100


def test_writer(hands: Hands) -> None:
    hands.open("writer")
    no_questions(hands)
    hands.do(Type(text="Dear <all>, 你好"))
    hands.find("the text", lambda node: node.role == "paragraph" and node.text == "Dear <all>, 你好")


def test_impress(hands: Hands) -> None:
    hands.open("impress")
    no_questions(hands)
    hands.find("the slide", lambda node: "Add Title" in node.name or "Title" in node.text)


def test_chromium(hands: Hands) -> None:
    hands.runner.run(hands.desktop.put("shop.html", PAGE))
    window = hands.open("chromium", "/home/user/shop.html")
    assert window.width == 1280
    no_questions(hands)
    assert {"Prices", "Cheap tea"} <= {node.name for node in hands.tree().root.walk() if node.position}
    hands.click(hands.find("the box", lambda node: node.name == "Search box"))
    hands.do(Type(text="Ünï tea"))
    hands.find("what was typed", lambda node: node.name == "Search box" and "Ünï tea" in node.text)
    # From the menu it is started without our flags on its command line, yet runs.
    entry = hands.runner.run(hands.desktop.get(".local/share/applications/chromium.desktop"))
    assert b"\nExec=/usr/local/bin/chromium " in entry


def test_tabs_over_devtools(hands: Hands) -> None:
    desktop, run = hands.desktop, hands.runner.run
    run(desktop.launch(("google-chrome", "--remote-debugging-port=1337")))
    run(desktop.launch(("socat", "tcp-listen:9222,fork", "tcp:localhost:1337")))
    tabs = Tabs(desktop, 9222)
    run(tabs.wait_until_up(time_limit=PATIENCE))
    assert [tab.url for tab in run(tabs.pages())] == ["about:blank"], "it begins with an empty page"
    page = "data:text/html,<title>A%20%26%20B</title>x"
    opened = run(tabs.open(page))

    async def there() -> bool:
        return any(tab.title == "A & B" and tab.id == opened.id for tab in await tabs.pages())

    hands.until("the page in the list of tabs", there)
    assert run(tabs.browser()).startswith("ws://localhost")
    run(desktop.wait_for(WindowShown("A & B", "chromium"), time_limit=PATIENCE))
    run(tabs.close(opened))

    async def closed() -> bool:
        return all(tab.id != opened.id for tab in await tabs.pages())

    hands.until("the tab is closed", closed)
    run(desktop.run(("pkill", "chrome")))

    async def ended() -> bool:
        return (await desktop.run(("pgrep", "-f", "user-data-dir"))).returncode == 1

    hands.until("the browser ends by the name it was started with", ended)


def test_gimp(hands: Hands) -> None:
    hands.open("gimp")
    no_questions(hands)
    hands.find("a menu", lambda node: node.role == "menu" and node.name == "Filters")
    hands.do(Hotkey(keys=("ctrl", "n")))
    hands.find("the dialog for a new image", lambda node: node.role == "dialog" and "New Image" in node.name)


def test_vlc(hands: Hands) -> None:
    hands.open("vlc")
    no_questions(hands)
    for _ in range(3):
        hands.tree()
    media = hands.find("a menu", lambda node: node.name == "Media")
    hands.click(media)
    hands.find("what is in the menu", lambda node: "Open File" in node.name)
    assert ("vlc", "VLC media player") in hands.windows(), "being read does not end it"


def test_evince(hands: Hands) -> None:
    hands.runner.run(hands.desktop.put("Documents/report.pdf", PDF))
    assert "report.pdf" in hands.open("evince", "/home/user/Documents/report.pdf").title
    no_questions(hands)
    hands.find("the page", lambda node: "Quarterly report" in node.text)


def test_disks_show_a_drive_that_nothing_but_they_know(hands: Hands) -> None:
    """GNOME Disks is not given the machine's disks; what is deleted is gone from what it shows."""
    run, desktop = hands.runner.run, hands.desktop
    run(desktop.launch(("gnome-disks",)))
    run(desktop.wait_for(WindowShown("Disks"), time_limit=PATIENCE))
    hands.click(hands.find("the drive", lambda node: node.name == "34 GB Disk" or "34 GB Disk" in node.text))
    hands.find("the partition", lambda node: "BIOS Boot" in node.name + node.text)
    service, path = "org.freedesktop.UDisks2", "/org/freedesktop/UDisks2"
    call = ("gdbus", "call", "--session", "-d", service, "-o")
    delete = (*call, f"{path}/block_devices/sda2", "-m", f"{service}.Partition.Delete", "{}")
    assert run(desktop.run(delete)).text == "()\n"
    assert run(desktop.run(delete)).returncode != 0, "it is gone"
    listed = run(desktop.run((*call, path, "-m", "org.freedesktop.DBus.ObjectManager.GetManagedObjects"))).text
    assert "sda1" in listed and "sda2" not in listed


@pytest.mark.parametrize("program", ["gedit", "geany"])
def test_editors(hands: Hands, program: str) -> None:
    desktop, run = hands.desktop, hands.runner.run
    run(desktop.put("Desktop/letter.txt", b"first line\n"))
    run(desktop.launch((program, "/home/user/Desktop/letter.txt")))
    run(desktop.wait_for(WindowShown("letter.txt", program), time_limit=PATIENCE))
    hands.click(hands.find("the text", lambda node: "first line" in node.text))
    no_questions(hands)
    hands.do(Hotkey(keys=("ctrl", "Home")), Type(text="Hello & <you>\n"), Hotkey(keys=("ctrl", "s")))

    async def saved() -> bool:
        return await desktop.get("Desktop/letter.txt") == b"Hello & <you>\nfirst line\n"

    hands.until("the file is saved", saved)


def serve_one_mail(door: socket, got: list[str]) -> None:
    """As much of SMTP as one message needs."""
    connection, _ = door.accept()
    with connection, connection.makefile("rwb") as talk:
        talk.write(b"220 sink\r\n")
        talk.flush()
        for line in talk:
            word = line[:4].upper()
            if word == b"DATA":
                talk.write(b"354 go on\r\n")
                talk.flush()
                for text in talk:
                    if text == b".\r\n":
                        break
                    got.append(text.decode())
            elif word in (b"MAIL", b"RCPT"):
                got.append(line.decode())
            talk.write(b"250 ok\r\n")
            talk.flush()
            if word == b"DATA":
                return


def test_thunderbird_shows_mail_and_sends_it(hands: Hands) -> None:
    desktop, run = hands.desktop, hands.runner.run
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = "Boss <boss@corp.example>", "alex@example.com", "Report 3"
    mail["Date"], mail["Message-ID"] = "Mon, 16 Nov 2026 07:00:00 +0000", "<1@corp.example>"
    mail.set_content("The numbers are final.\n")
    run(desktop.put(INBOX, mbox([mail])))
    window = hands.open("thunderbird")
    assert window.width == 1280
    no_questions(hands)
    hands.click(hands.find("the message", lambda node: "Report 3" in node.name and "Boss" in node.name))
    hands.find("its text", lambda node: "numbers are final" in node.name + node.text)
    got: list[str] = []
    with run(desktop.listen(SMTP_PORT)) as door:
        door.settimeout(PATIENCE)
        sink = threading.Thread(target=serve_one_mail, args=(door, got), daemon=True)
        sink.start()
        compose = "to='friend@corp.example',subject='Hi, there',body='line one'"
        run(desktop.launch(("thunderbird", "-compose", compose)))
        run(desktop.wait_for(WindowShown("Write: Hi, there"), time_limit=PATIENCE))
        hands.find("the message", lambda node: "line one" in node.name + node.text)
        hands.do(Hotkey(keys=("ctrl", "Return")))
        sink.join(PATIENCE)
    text = "".join(got)
    assert "thunderbird" not in {change.path for change in run(desktop.diff())}, "no litter in the home folder"
    assert "RCPT TO:<friend@corp.example>" in text and "Subject: Hi, there" in text and "line one" in text


def test_an_application_that_hangs_costs_only_itself(hands: Hands) -> None:
    hands.open("calc")
    hands.open("mousepad")
    hands.runner.run(hands.desktop.run(("pkill", "-STOP", "soffice.bin")))
    nodes = list(hands.tree().root.walk())
    assert any(node.role == "text" and node.position for node in nodes), "the editor is all there"
    assert not any(node.role == "table-cell" for node in nodes)
    hands.runner.run(hands.desktop.run(("pkill", "-CONT", "soffice.bin")))
    hands.find("the sheet, once it goes on", lambda node: node.role == "table-cell" and node.name == "A1")
