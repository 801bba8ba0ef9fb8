"""The database of a study: a SQLite file by default, PostgreSQL by its URL; transactions are repeated after conflicts.

SQLite runs in WAL mode and syncs every commit to the disk, so that a judgement that was acknowledged survives a crash.
One writer at a time has the file: a lock in this process keeps the order, since SQLite lets waiting writers guess when
the file is free. Every operation of a study has the same effect when it is repeated, so a transaction whose commit was
not confirmed is simply run again.
"""

from __future__ import annotations

import os
import random
import re
import threading
import time
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any, TypeVar

from rightreasons.core.errors import InputError, RightReasonsError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from sqlalchemy import Connection, Engine, Table
    from sqlalchemy.sql.dml import Insert

Value = TypeVar("Value")

URL_VARIABLE = "RIGHTREASONS_STUDY_DATABASE"
BUSY_MILLISECONDS = 10_000
MOST_CONNECTIONS = 10
MOST_ATTEMPTS = 8
_CONNECT_SECONDS = 5
# Conflicts between transactions, and connections that were cut: running the transaction again is right.
_RETRIED_STATES = ("40001", "40P01", "55P03", "57P01", "57P02", "57P03", "08000", "08003", "08006")
_BUSY = re.compile(r"database (table )?is (locked|busy)")
_PASSWORD = re.compile(r"://([^:/@]*):[^@/]*@")


# How transactions run: SQLite sees one moment anyway; single queries of PostgreSQL need no transaction around them.
_SQLITE_READ, _SQLITE_WRITE = {"immediate": False}, {"immediate": True}
_QUERIES, _SNAPSHOT = {"isolation_level": "AUTOCOMMIT"}, {"isolation_level": "REPEATABLE READ"}


class DatabaseError(RightReasonsError):
    """The database of a study can't be reached, read or written; nothing that it confirmed is lost."""


def check_people_packages() -> None:
    """Check that the packages that studies need are installed."""
    try:
        import sqlalchemy
        import starlette
        import uvicorn
    except ImportError as error:
        raise InputError(
            f"A study needs the package {error.name}. Install it: pip install 'rightreasons[people]'."
        ) from error
    del sqlalchemy, starlette, uvicorn


def find_database_url(file: Path, url: str | None = None) -> str:
    """Return the URL of a study's database: as specified, from the environment, or its SQLite file."""
    chosen = url or os.environ.get(URL_VARIABLE, "").strip()
    if not chosen:
        return f"sqlite:///{file}"
    scheme = chosen.partition("://")[0]
    if scheme in ("postgres", "postgresql"):
        return chosen.replace(f"{scheme}://", "postgresql+psycopg://", 1)
    if scheme not in ("sqlite", "postgresql+psycopg") or "://" not in chosen:
        raise InputError(
            f"{hide_password(chosen)!r} is not the URL of a supported database. "
            "Use postgresql+psycopg://USER@HOST/NAME, or leave it out to use a SQLite file in the study folder."
        )
    return chosen


def hide_password(url: str) -> str:
    """Replace the password in a URL."""
    return _PASSWORD.sub(r"://\1:***@", url)


class StudyDatabase:
    """Connections to one database, and transactions that are repeated after conflicts."""

    def __init__(self, url: str) -> None:
        """Connect on first use."""
        check_people_packages()
        self.shown_url = hide_password(url)
        self.is_sqlite = url.startswith("sqlite")
        self.engine = _make_engine(url, self.shown_url, sqlite=self.is_sqlite)
        self._one_writer = threading.Lock() if self.is_sqlite else nullcontext()

    def write(self, work: Callable[[Connection], Value]) -> Value:
        """Run a transaction that writes; it is on the disk when this returns."""
        with self._one_writer:
            return self._run(work, _SQLITE_WRITE if self.is_sqlite else {})

    def read(self, work: Callable[[Connection], Value], *, snapshot: bool = False) -> Value:
        """Run queries; with a snapshot, all of them see the database at one moment."""
        return self._run(work, _SQLITE_READ if self.is_sqlite else _SNAPSHOT if snapshot else _QUERIES)

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()

    def make_insert_if_missing(self, table: Table) -> Insert:
        """Return an insert that leaves rows alone whose key exists."""
        from sqlalchemy.dialects import postgresql, sqlite

        dialect = sqlite if self.is_sqlite else postgresql
        insert: Any = dialect.insert(table)
        return insert.on_conflict_do_nothing()  # type: ignore[no-any-return]

    def _run(self, work: Callable[[Connection], Value], options: dict[str, Any]) -> Value:
        from sqlalchemy.exc import DBAPIError, SQLAlchemyError

        for attempt in range(1, MOST_ATTEMPTS + 1):
            try:
                with self.engine.connect() as bare:
                    connection = bare.execution_options(**options)
                    with connection.begin():
                        return work(connection)
            except DBAPIError as error:
                if attempt == MOST_ATTEMPTS or not _may_retry(error):
                    raise self._explain_failure(error) from error
            except SQLAlchemyError as error:  # such as no free connection in time
                raise self._explain_failure(error) from error
            time.sleep(random.uniform(0.5, 1) * min(1.0, 0.02 * 2**attempt))  # noqa: S311 - not a secret
        raise AssertionError  # the last attempt returns or raises

    def _explain_failure(self, error: Exception) -> DatabaseError:
        """Say what is wrong with the database, and what to do."""
        reason = hide_password(str(getattr(error, "orig", None) or error)).strip().split("\n")[0].rstrip(".")
        if "disk is full" in reason or "No space left" in reason:
            advice = "Free some space on the disk; the study goes on by itself."
        elif self.is_sqlite:
            advice = "Check the path, the permissions and the free space."
        else:
            advice = "Check that the server runs, and the URL, user and password of --database."
        return DatabaseError(f"The database {self.shown_url} can't be used: {reason}. {advice}")


def _make_engine(url: str, shown: str, *, sqlite: bool) -> Engine:
    from sqlalchemy import create_engine, event
    from sqlalchemy.exc import ArgumentError, NoSuchModuleError

    options: dict[str, Any] = {"pool_size": MOST_CONNECTIONS, "max_overflow": 0, "pool_timeout": 30}
    if not sqlite:
        connect = {"connect_timeout": _CONNECT_SECONDS}
        options |= {"connect_args": connect, "isolation_level": "READ COMMITTED"}
    try:
        engine = create_engine(url, **options)
    except (ArgumentError, NoSuchModuleError, ValueError) as error:
        raise InputError(f"{shown!r} is not a valid database URL. Check --database.") from error
    except ImportError as error:
        raise InputError(
            "PostgreSQL needs the package psycopg. Install it: pip install 'rightreasons[people]'."
        ) from error
    if sqlite:
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
    return engine


def _prepare_sqlite(connection: Any, record: object) -> None:
    """Set up a connection: a log that survives crashes, and transactions that SQLAlchemy begins."""
    del record
    connection.isolation_level = None  # else Python's module begins transactions of its own
    with _closing_cursor(connection) as cursor:
        cursor.execute(f"PRAGMA busy_timeout = {BUSY_MILLISECONDS}")
        cursor.execute("PRAGMA journal_mode = WAL")
        cursor.execute("PRAGMA synchronous = FULL")
        cursor.execute("PRAGMA foreign_keys = ON")
        cursor.execute("PRAGMA secure_delete = ON")  # what was forgotten is overwritten


@contextmanager
def _closing_cursor(connection: Any) -> Iterator[Any]:
    cursor = connection.cursor()
    try:
        yield cursor
    finally:
        cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    """Begin a transaction; one that will write takes the file at once, so that it can't fail halfway."""
    immediate = connection.get_execution_options().get("immediate", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")


def _may_retry(error: Any) -> bool:
    """Return whether a transaction that failed may succeed when it is run again."""
    if error.connection_invalidated or getattr(error.orig, "sqlstate", None) in _RETRIED_STATES:
        return True
    return bool(_BUSY.search(str(error.orig)))
