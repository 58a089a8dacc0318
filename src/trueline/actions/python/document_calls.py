"""Libraries of documents, tables and pictures: what they read and save. Their objects do nothing else."""

from __future__ import annotations

from trueline.actions.python.effects import ShellEquivalent
from trueline.actions.python.library import Amounts, LibraryCall, path_of, run
from trueline.actions.python.name_sets import names
from trueline.actions.python.values import DATA, Instance, PartialText, PathValue, Value

LIBRARIES = names(
    "openpyxl pandas numpy docx pptx PIL bs4 lxml cv2 PyPDF2 pypdf fitz xlrd xlwt xlsxwriter yaml toml tabulate "
    "dateutil pytz tqdm markdown chardet charset_normalizer xml configparser tomllib plistlib pickle sqlite3 "
    "mutagen odf psutil filecmp"
)
_READS = names(
    "load_workbook read_csv read_excel read_json read_html read_table read_fwf read_feather read_parquet read_xml "
    "read_orc read_stata read_sas read_hdf ExcelFile Document Presentation open imread loadtxt genfromtxt "
    "fromfile PdfReader PdfFileReader open_workbook parse iterparse read File MP3 FLAC cmp fromstring_file "
    "VideoCapture load"
)
_SAVES = names(
    "save saveas to_csv to_excel to_json to_html to_parquet to_feather to_pickle to_hdf to_stata to_xml to_latex "
    "to_markdown to_sql to_orc to_string savetxt savez savez_compressed imwrite tofile dump write write_image "
    "savefig ExcelWriter Workbook VideoWriter write_c14n close write_png insert_image"
)
_RUNS = names(
    "eval query pipe load_all unsafe_load full_load load_extension read_pickle Unpickler loads vectorize read_sql "
    "memmap ctypeslib f2py Popen system"
)
_SAFE_LOADS = frozenset({"yaml.safe_load", "yaml.safe_load_all", "toml.load", "toml.loads", "tomllib.load",
    "tomllib.loads", "plistlib.load", "plistlib.loads", "yaml.dump", "yaml.safe_dump", "numpy.loadtxt"})  # fmt: skip


def document_call(call: LibraryCall) -> Amounts | None:
    """A function of such a library, or a method of one of its objects; None when it may do anything."""
    top = call.name.partition(".")[0]
    last = call.name.rpartition(".")[2]
    owned = isinstance(call.owner, Instance)
    if not owned and top not in LIBRARIES:
        return None
    made = call.owner if owned else Instance("document", (_first_path(call),))
    if call.name in _SAFE_LOADS:
        return Amounts(DATA, _read(call) if last in ("load",) else ())
    if last in _RUNS or (top in ("pickle", "yaml") and last == "load") or "allow_pickle" in call.keywords:
        return Amounts(made, (ShellEquivalent(unseen=f"{call.name}() runs what it is given"),))
    if last in _SAVES and not (top == "openpyxl" and last == "Workbook"):
        return Amounts(made, _written(call, owned))
    if last in _READS:
        return Amounts(made, _read(call))
    if top == "psutil" and last in ("Process", "kill", "terminate", "suspend"):
        return Amounts(made, (run("kill", path_of(call.arg(0))),) if last != "Process" else ())
    if owned and last in ("kill", "terminate", "suspend", "send_signal"):
        return Amounts(made, (run("kill", "$…"),))
    return Amounts(made)


def _first_path(call: LibraryCall) -> str:
    given = call.arg(0, "filename", "path", "path_or_buf", "io")
    return path_of(given) if isinstance(given, str | PathValue | PartialText) else ""


def _read(call: LibraryCall) -> tuple[ShellEquivalent, ...]:
    given = call.arg(0, "filepath_or_buffer", "io", "filename", "path", "fp", "path_or_buf", "docx", "pptx", "stream")
    if given is None or isinstance(given, Instance | bytes):
        return ()
    place = call.place_of(given)
    return (run("curl", place) if "://" in place else run("cat", place),)


def _written(call: LibraryCall, owned: bool) -> tuple[ShellEquivalent, ...]:
    own = call.owner.detail[0] if owned and call.owner.detail else ""
    place = 1 if call.name.rpartition(".")[2] == "dump" else 0
    given: Value = call.arg(place, "filename", "path_or_buf", "excel_writer", "path", "fp", "file", "buf", "fname")
    if isinstance(given, Instance):
        return ()  # a file that was opened before
    if given is None:
        return (run("tee", own),) if own else ()
    return (run("tee", call.place_of(given)),)
