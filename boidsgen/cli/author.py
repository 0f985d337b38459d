"""Scenarios while somebody edits them: their files are watched, and `boidsgen live` serves a page that follows one.

The server answers this computer alone, at an address that nobody can guess. Its page, `webpage/live.html`, holds the
page of the scenario in a frame and asks what has changed: keys that can be moved are moved in the frame shown, and for
anything else the page is loaded anew. What is moved in the page can be written back to the file.
"""

import json
import re
import secrets
import sys
import threading
import time
import tomllib
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from html import escape
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from math import inf
from pathlib import Path
from typing import Any, cast
from urllib.parse import parse_qsl

import tomlkit
from tomlkit.items import InlineTable, Table
from typing_extensions import override

from boidsgen.errors import MAX_DOCUMENT, BoidsgenError, ScenarioError, StorageError, UsageError
from boidsgen.output.publish import SAVED, open_file
from boidsgen.pipeline import preflight
from boidsgen.scenario.layers import Override
from boidsgen.scenario.loading import draft
from boidsgen.scenario.scenario import Scenario, provenance
from boidsgen.scenario.sources import Source, extended, find, names_of_files, paths_to, source_in
from boidsgen.scenario.wording import abbreviated
from boidsgen.system import parsing, read_input
from boidsgen.webpage.document import CHANGED, numbered
from boidsgen.webpage.links import KEY, link_keys
from boidsgen.webpage.outer import outer_page
from boidsgen.webpage.writer import digest_of, filled, page_data, resource, script_json, unused_modules

LOOK_INTERVAL = 0.3  # Seconds between two looks
GONE_AFTER = 10
"""Looks after which a file that is not there is no longer being replaced: it has gone, and that is a change."""
HOST = "127.0.0.1"
QUESTION_PATIENCE = 20.0  # Seconds after which a question about changes is answered that there are none
MOST_WRITTEN = 10_000  # Bytes of what a page asks to be written
WHOLE_KEYS = {"count", "start", "individual"}  # What is in these keys when a page is made


def files_of(scenarios: Sequence[str], overrides: Sequence[Override] = ()) -> Iterator[Path]:
    """The scenarios, and the files that they name as far as they can be read."""
    for name in scenarios:
        yield from paths_to(name)
        with suppress(BoidsgenError):
            yield from draft(find(name), overrides).files


def refuse_presets(scenarios: Sequence[str], command: str) -> None:
    """Raise UsageError for a scenario that is no file."""
    for name in scenarios:
        with suppress(ScenarioError):  # a file with an error, which waits for a change like any other
            if find(name).path is None:
                made = f"`boidsgen new {name}.toml --from {name}`"
                raise UsageError(f"{command}: {name} is not a file; {made} makes one")


def changes(files: Callable[[], Iterable[Path]], interval: float = LOOK_INTERVAL) -> Iterator[None]:
    """Yield at once, and then whenever one of the files has changed; without end.

    A file that is missing is being replaced: that is a change only if it stays away. A file that was not there and
    appears is a change. Looking from time to time works on every file system.

    Args:
        files: to look at; called again after every change, since a scenario may name others by then.
        interval: seconds between two looks.
    """
    while True:
        before = {file: _seen(file) for file in files()}
        yield
        missed = dict.fromkeys(before, 0)
        changed = False
        while not changed:
            time.sleep(interval)
            for file, found in before.items():
                now = _seen(file)
                missed[file] = missed[file] + 1 if now is None and found is not None else 0
                changed |= now not in {None, found} or missed[file] == GONE_AFTER


def _seen(file: Path) -> tuple[int, int] | None:
    """When a file was changed and its size; None if it is not there."""
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


class Author:
    """A scenario that is edited: all of its valid versions, and what is wrong with the last one.

    Attributes:
        name: of the file.
        token: part of every address.
    """

    def __init__(self, name: str) -> None:
        self.name, self.token = name, secrets.token_urlsafe(16)
        _own(name)
        self._source: Source | None = None  # as last read; what a page shows and writes
        self._versions: list[Scenario] = []
        self._looks, self._error = 0, ""
        self._page = -1, ""
        self._changed = threading.Condition()

    def read(self) -> None:
        """Read the file again."""
        source, found, error = None, None, ""
        try:
            source = extended(_own(self.name))
            found = draft(source).scenario()
            preflight(found)
        except BoidsgenError as problem:
            found, error = None, str(problem)
        with self._changed:
            self._source = source
            self._versions += [found] if found else []
            self._looks, self._error = self._looks + 1, error
            self._changed.notify_all()

    def since(self, look: int, shown: int) -> dict[str, object]:
        """The state after this look at the file, and how a page of this version becomes the last one."""
        with self._changed:
            self._changed.wait_for(lambda: self._looks > look, QUESTION_PATIENCE)
            last = len(self._versions) - 1
            answer: dict[str, object] = {"look": self._looks, "error": self._error, "version": last}
            if 0 <= shown < last:
                before, after = self._versions[shown], self._versions[last]
                answer |= {"moved": moved(before, after), "same": digest_of(before) == digest_of(after)}
            return answer

    def page(self, version: int) -> str:
        """The page of a version, without a poster; IndexError if there is none."""
        if self._page[0] != version:  # a browser asks twice: whether there is one, and for it
            scenario = self._versions[version]
            data, recording = page_data(scenario, name=Path(self.name).stem)
            self._page = version, filled(data, recording, provenance(scenario), without=unused_modules(data))
        return self._page[1]

    def write(self, values: Mapping[str, Any]) -> None:
        """Set keys in the file, and leave everything else in it as it is.

        Raises:
            BoidsgenError: the file would not be valid, has no such table, or is not the one that was last read.
        """
        with self._changed:
            if self._error:
                raise ScenarioError([self._error])
            content, source = read_input(self.name, MAX_DOCUMENT), self._source
            mark = BOM_UTF8 if content.startswith(BOM_UTF8) else b""
            if source is None or content != mark + source.text.encode():
                raise StorageError(f"{self.name}: {SAVED}")
            source = source._replace(text=with_values(source.text, values))
            preflight(draft(source).scenario())
            if len(changed := mark + source.text.encode()) > MAX_DOCUMENT:
                raise StorageError(f"{self.name}: would have more than {MAX_DOCUMENT // 1000} kB, which is not read")
            with open_file(self.name, edits=content) as file:
                file.write(changed)
            self._source = source


def _own(name: str) -> Source:
    """The scenario in a TOML file; UsageError for an output, of which nothing but its scenario would be left."""
    source = source_in(name)
    if source.carried:
        made = f"`boidsgen new mine.toml --from {source.label}` makes one of its scenario"
        raise UsageError(f"live: {source.label} is an output and no TOML file; {made}")
    return source


def moved(before: Scenario, after: Scenario) -> dict[str, Any] | None:
    """The keys that a page can move in which two scenarios differ; None if they differ in anything else."""
    old, new = link_keys(before), link_keys(after)
    found = {key: value for key, value in new.items() if value != old.get(key)}
    fixed = any(key.partition(".")[0] not in CHANGED or WHOLE_KEYS.intersection(key.split(".")) for key in found)
    return None if fixed or old.keys() != new.keys() else {numbered(key): value for key, value in found.items()}


def with_values(text: str, values: Mapping[str, Any]) -> str:
    """A document with these keys set; UsageError where it lacks the table, or a key is none that a page moves."""
    line_end = "\r\n" if 0 < text.count("\r\n") == text.count("\n") else "\n"
    for kind in (tomlkit.table, tomlkit.inline_table):  # a table with a header has no place in one without
        document = tomlkit.parse(text.replace(line_end, "\n"))
        with suppress(ValueError):
            for key, value in values.items():
                _set(document, key, inf if value == "inf" else value, kind)
            written = tomlkit.dumps(document)
            if tomllib.loads(written) == document.unwrap():
                return written.replace("\n", line_end)
    raise UsageError("this file leaves no place for these values; copy the scenario as TOML instead")


def _set(document: tomlkit.TOMLDocument, key: str, value: object, kind: Callable[[], Table | InlineTable]) -> None:
    """Set a key that a page moves; a table on the way that is missing becomes one of this kind."""
    if not re.fullmatch(KEY, numbered(key)) or any(names_of_files({"start": {key.rsplit(".", maxsplit=1)[-1]: value}})):
        raise UsageError(f"{abbreviated(key)} is not moved in a page")
    name, number, *inner, last = numbered(key).split(".")
    if number == "0" and name == "flock":
        document.setdefault(name, tomlkit.table())
    table: Any = document.get(name)
    tables = table if isinstance(table, list) else [table]
    if table is None or int(number) >= len(tables):
        raise UsageError(f"{name}.{number} is not in this file; copy the scenario as TOML instead")
    table = tables[int(number)]
    for part in inner:
        table = table.setdefault(part, kind())
    table[last] = value


@contextmanager
def serving(author: Author, port: int) -> Iterator[str]:
    """Answer the browser while the block lasts; yields the address. StorageError where the port is taken."""
    answering = type("Answering", (_Request,), {"author": author})
    try:
        server = _Server((HOST, port), answering)
    except OSError as error:
        raise StorageError(f"port {port}: {error.strerror}; without --port any free port is taken") from None
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://{HOST}:{server.server_port}/{author.token}/"
    finally:
        server.shutdown()
        server.server_close()


class _Server(ThreadingHTTPServer):
    """A server that says nothing of a page which was closed before it had its answer."""

    @override
    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class _Request(BaseHTTPRequestHandler):
    """One request; those that do not come from the own page get no answer but a refusal."""

    author: Author
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Answer with the page around, the page of a version, or what has changed."""
        place, query = self._asked()
        try:
            numbers = [int(number) for _, number in parse_qsl(query)]
            match place, numbers:
                case "", []:
                    name = escape(Path(self.author.name).name)
                    parts = {"name": name, "title": f"{name} · boidsgen live"}
                    allowed = "connect-src 'self'", "frame-src 'self'", "font-src data:"
                    around = outer_page("live", resource("live.html"), parts, modules=["live"], allowed=allowed)
                    self._answer(HTTPStatus.OK, around, "text/html")
                case "page", [version] if version >= 0:
                    self._answer(HTTPStatus.OK, self.author.page(version), "text/html")
                case "changes", [look, shown]:
                    self._answer(HTTPStatus.OK, script_json(self.author.since(look, shown)), "application/json")
                case _:
                    self._answer(HTTPStatus.NOT_FOUND, "there is nothing at this address")
        except (ValueError, IndexError):
            self._answer(HTTPStatus.NOT_FOUND, "there is nothing at this address")
        except BoidsgenError as error:
            self._answer(HTTPStatus.CONFLICT, str(error))

    def do_POST(self) -> None:
        """Write keys to the file."""
        place, _ = self._asked()
        length = self.headers["Content-Length"] or ""
        if place != "write" or not re.fullmatch("[0-9]{1,9}", length) or int(length) > MOST_WRITTEN:
            self._answer(HTTPStatus.NOT_FOUND, "there is nothing at this address")
            return
        try:
            with parsing("what the page sends"):
                self.author.write(json.loads(self.rfile.read(int(length))))
            self._answer(HTTPStatus.OK, "")
        except BoidsgenError as error:
            self._answer(HTTPStatus.CONFLICT, str(error))

    def _asked(self) -> tuple[str, str]:
        """The place below the address of the page, and the query; nowhere for anybody else's requests."""
        match = re.fullmatch(r"/([^/?]*)/([^?]*)\??(.*)", self.path)
        token, place, query = match.groups() if match else ("", "nowhere", "")
        port = cast("ThreadingHTTPServer", self.server).server_port
        own = {f"{name}:{port}" for name in (HOST, "localhost")}
        host, origin = self.headers["Host"], self.headers.get("Origin")
        known = secrets.compare_digest(token.encode(), self.author.token.encode())
        if known and host in own and origin in {None, f"http://{host}"}:
            return place, query
        return "nowhere", ""

    def _answer(self, status: HTTPStatus, text: str, kind: str = "text/plain") -> None:
        content = text.encode()
        self.send_response(status)
        headers = {
            "Content-Type": f"{kind}; charset=utf-8",
            "Content-Length": f"{len(content)}",
            "Cache-Control": "no-store",
            "Referrer-Policy": "no-referrer",
            "X-Content-Type-Options": "nosniff",
        }
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    @override
    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: standard error is for errors."""
