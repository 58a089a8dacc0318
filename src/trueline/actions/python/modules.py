"""Modules of the standard library by what their functions can do."""

from __future__ import annotations

from trueline.actions.python.name_sets import names

QUIET = names(
    "math cmath random string re json time datetime calendar itertools functools collections operator copy "
    "decimal fractions statistics textwrap unicodedata hashlib hmac base64 binascii codecs zlib struct uuid enum "
    "typing abc dataclasses html difflib pprint bisect heapq array numbers contextlib warnings traceback csv "
    "secrets colorsys fnmatch posixpath ntpath errno ast tokenize keyword queue argparse shlex glob locale "
    "getpass platform zoneinfo urllib.parse stat copyreg graphlib types.SimpleNamespace types.MappingProxyType "
    "__future__ typing_extensions email.mime email.message email.utils email.header email.encoders email.policy "
    "getopt optparse cmath weakref concurrent.futures.as_completed concurrent.futures.wait sys.stdout sys.stderr "
    "sys.stdin ipaddress io.StringIO io.BytesIO mimetypes xml.sax.saxutils quopri stringprep reprlib"
)
"""What is in them has no effect outside of the program, but that it may call what it is given."""

_QUIET_NAMES = names(
    "os.path os.environ os.getcwd os.getenv os.getpid os.getppid os.getuid os.geteuid os.getgid os.getlogin "
    "os.cpu_count os.uname os.stat os.lstat os.access os.path.exists os.fspath os.fsencode os.fsdecode "
    "os.get_terminal_size os.umask os.urandom os.times os.nice os.close os.fsync os.fstat os.lseek os.pipe "
    "os.isatty os.getloadavg os.statvfs os.sep os.strerror os.PathLike os.wait os.waitpid os.error os.read "
    "os.getgroups os.getpgid os.getpgrp os.getsid sys.argv sys.version sys.version_info sys.getsizeof sys.maxsize "
    "sys.byteorder sys.getrecursionlimit sys.setrecursionlimit sys.getdefaultencoding sys.path "
    "sys.getfilesystemencoding sys.intern sys.flags sys.prefix sys.exc_info sys.stdout sys.stderr sys.stdin "
    "sys.implementation sys.hexversion sys.float_info sys.maxunicode shutil.which shutil.disk_usage "
    "shutil.get_terminal_size shutil.Error shutil.SameFileError subprocess.CalledProcessError "
    "subprocess.TimeoutExpired subprocess.SubprocessError subprocess.PIPE subprocess.list2cmdline "
    "subprocess.CompletedProcess socket.gethostname socket.AF_INET socket.SOCK_STREAM socket.inet_aton "
    "socket.error socket.timeout socket.getdefaulttimeout socket.setdefaulttimeout socket.htons socket.inet_ntoa "
    "socket.ntohs socket.gaierror socket.herror logging.getLogger logging.info logging.debug logging.warning "
    "logging.error logging.INFO logging.DEBUG logging.exception logging.StreamHandler logging.Formatter "
    "logging.critical logging.WARNING logging.ERROR logging.Logger asyncio.sleep asyncio.gather asyncio.run "
    "asyncio.wait asyncio.wait_for asyncio.create_task asyncio.ensure_future asyncio.Queue asyncio.Event "
    "asyncio.Lock asyncio.Semaphore asyncio.get_event_loop asyncio.get_event_loop_policy asyncio.new_event_loop "
    "asyncio.set_event_loop "
    "asyncio.shield asyncio.timeout asyncio.TaskGroup asyncio.TimeoutError asyncio.CancelledError threading.Lock "
    "threading.RLock threading.Event threading.current_thread threading.active_count threading.Semaphore "
    "threading.Condition tempfile.gettempdir importlib.util.find_spec importlib.metadata.version importlib.reload "
    "inspect.getsource signal.SIGTERM signal.SIGKILL signal.SIGINT signal.SIGHUP signal.SIGALRM ctypes.c_char_p "
    "ctypes.c_int urllib.error urllib.request.HTTPError http.HTTPStatus http.client.HTTPException "
    "ssl.create_default_context ssl._create_unverified_context ssl.SSLContext pathlib.PurePath "
    "pathlib.PurePosixPath timeit.default_timer pyautogui.size pyautogui.position pyautogui.onScreen "
    "pyautogui.center pyautogui.linear pyautogui.Point pyautogui.Size pyautogui.resolution pyautogui.alert "
    "pyautogui.confirm pyautogui.prompt pyautogui.password pyautogui.pixel pyautogui.pixelMatchesColor "
    "pyautogui.FailSafeException pyautogui.ImageNotFoundException pyautogui.isShiftCharacter pyautogui.isValidKey "
    "pyautogui.KEYBOARD_KEYS pyautogui.KEY_NAMES pyautogui.countdown pyautogui.getActiveWindow "
    "pyautogui.getActiveWindowTitle pyautogui.getAllTitles pyautogui.getAllWindows pyautogui.getWindowsWithTitle "
    "pyautogui.getWindowsAt pyautogui.PyAutoGUIException pyautogui.getInfo pyautogui.printInfo "
    "pyautogui.displayMousePosition pyautogui.PAUSE pyautogui.FAILSAFE pyperclip.paste "
    "pyperclip.PyperclipException pyperclip.waitForPaste pyperclip.waitForNewPaste pyperclip.is_available"
)
_QUIET_PREFIXES = (
    "os.path.", "os.environ.", "os.O_", "os.W", "os.P_", "os.SEEK_", "os.F_OK", "os.R_OK", "os.X_OK", "os.S_",
    "sys.stdout.", "sys.stderr.",
    "sys.stdin.", "sys.path.", "socket.AF_", "socket.SOCK_", "socket.SOL_", "socket.SO_", "socket.IPPROTO_",
    "socket.SHUT_", "signal.SIG", "pyautogui.ease", "pyautogui.locate", "http.HTTPStatus.", "urllib.error.", "ssl.",
    "select.", "stat.S_", "sqlite3.OperationalError", "sqlite3.Error",
)  # fmt: skip
_QUIET_BUILTINS = names(
    "print input len range str int float bool list dict set tuple frozenset bytes bytearray memoryview abs all "
    "any ascii bin callable chr complex dir divmod enumerate filter format hash hex id isinstance issubclass iter "
    "map max min next object oct ord pow repr reversed round slice sorted sum type zip hasattr super property "
    "staticmethod classmethod NotImplemented Ellipsis None True False __debug__ __name__ __file__ __doc__ anext "
    "aiter ArithmeticError AssertionError AttributeError BaseException BlockingIOError BrokenPipeError "
    "BufferError ChildProcessError ConnectionAbortedError ConnectionError ConnectionRefusedError "
    "ConnectionResetError EOFError EnvironmentError Exception ExceptionGroup FileExistsError FileNotFoundError "
    "FloatingPointError GeneratorExit IOError ImportError IndexError InterruptedError IsADirectoryError KeyError "
    "KeyboardInterrupt LookupError MemoryError ModuleNotFoundError NameError NotADirectoryError "
    "NotImplementedError OSError OverflowError PermissionError ProcessLookupError RecursionError ReferenceError "
    "RuntimeError RuntimeWarning StopAsyncIteration StopIteration SyntaxError SystemError SystemExit TimeoutError "
    "TypeError UnicodeDecodeError UnicodeEncodeError UnicodeError UserWarning ValueError Warning "
    "ZeroDivisionError DeprecationWarning"
)

_EFFECT_MODULES = names(
    "os sys io shutil subprocess pathlib socket urllib http smtplib ftplib imaplib poplib telnetlib xmlrpc "
    "requests httpx urllib3 webbrowser tempfile sqlite3 shelve dbm pickle marshal zipfile tarfile gzip bz2 lzma "
    "ctypes pty signal threading multiprocessing concurrent asyncio importlib builtins runpy code codeop types "
    "inspect gc logging configparser select selectors ssl atexit sched timeit cProfile profile mmap fcntl "
    "resource pwd grp termios tty email mailbox xml dis pyautogui pyperclip site sysconfig posix linecache "
    "fileinput filecmp zipapp ensurepip venv socketserver wsgiref trace tracemalloc faulthandler unittest doctest "
    "contextvars _thread curses readline rlcompleter pkgutil zipimport nntplib cgi turtle tkinter idlelib "
    "plistlib netrc tomllib crypt spwd syslog optparse openpyxl pandas numpy docx pptx PIL yaml bs4 lxml "
    "pytesseract cv2 matplotlib odf PyPDF2 pypdf fitz xlrd xlwt xlsxwriter tabulate dateutil pytz tqdm psutil "
    "mutagen pydub moviepy toml markdown jinja2 chardet charset_normalizer"
)
"""Modules whose import alone does nothing; what their functions do is looked up one by one."""
_LOUD = frozenset({"antigravity", "this", "site", "idlelib", "turtledemo", "__main__", "__phello__"})


def is_quiet_import(module: str) -> bool:
    """Whether importing a module does nothing by itself."""
    top = module.partition(".")[0]
    return top not in _LOUD and (top in _EFFECT_MODULES or any(name.partition(".")[0] == top for name in QUIET))


def is_quiet(name: str) -> bool:
    """Whether a function has no effect outside of the program, but for calling what it is given."""
    if name.startswith("builtins."):
        return name.removeprefix("builtins.") in _QUIET_BUILTINS
    parts = name.split(".")
    if any(".".join(parts[:end]) in QUIET for end in range(1, len(parts) + 1)):
        return True
    return name in _QUIET_NAMES or name.startswith(_QUIET_PREFIXES)
