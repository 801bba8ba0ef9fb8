"""Databases for the tests of studies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from postgres_server import run_postgres

if TYPE_CHECKING:
    from collections.abc import Iterator

    from postgres_server import PostgresServer


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    with run_postgres() as server:
        yield server


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest) -> str | None:
    """Return the URL of an empty database; None stands for the SQLite file in the study folder."""
    if request.param == "sqlite":
        return None
    server: PostgresServer = request.getfixturevalue("postgres")
    return server.make_database()
