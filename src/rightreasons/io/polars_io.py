"""The only place where polars is given a path: each path is one file, and never a pattern, a URL or a home folder.

Polars expands `[1]`, `*` and `?` in the paths that it reads, `~` at the start of any path, and takes `file:` for the
scheme of a URL. Paths are therefore made absolute and read without globbing; a path that polars can't take because it
isn't UTF-8 is opened here. A test forbids these functions of polars everywhere else.
"""

from __future__ import annotations

import io
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from rightreasons.core.errors import InputError

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Mapping, Sequence
    from typing import IO

    PathLike = str | os.PathLike[str]

_DAMAGE_ERRORS = (pl.exceptions.PolarsError, pl.exceptions.PanicException)


def scan_parquet(path: PathLike) -> pl.LazyFrame:
    """Scan one parquet file; only the columns that are selected are read."""
    with explain_parquet_damage(path):
        frame = pl.scan_parquet(_open_source(path), glob=False, hive_partitioning=False)
        frame.collect_schema()
        return frame


def read_parquet(
    path: PathLike, columns: Sequence[str] | None = None, n_rows: int | None = None
) -> pl.DataFrame:
    """Read one parquet file, or some of its columns and first rows."""
    frame = scan_parquet(path)
    wanted = frame if columns is None else frame.select(list(columns))
    with explain_parquet_damage(path):
        return (wanted if n_rows is None else wanted.head(n_rows)).collect()


def read_parquet_schema(path: PathLike) -> pl.Schema:
    """Read the names and types of the columns of one parquet file."""
    return scan_parquet(path).collect_schema()


def read_parquet_metadata(path: PathLike) -> dict[str, str]:
    """Read the key-value metadata of one parquet file."""
    with explain_parquet_damage(path):
        return pl.read_parquet_metadata(_open_source(path))


def read_csv(path: PathLike, **options: Any) -> pl.DataFrame:
    """Read one CSV or TSV file of this package as polars does; files of users are read by `tables`."""
    return pl.read_csv(io.BytesIO(Path(path).read_bytes()), **options)


def write_parquet(table: pl.DataFrame, path: PathLike) -> None:
    """Write a table to one parquet file."""
    with Path(path).open("wb") as file:
        table.write_parquet(file)


def sink_parquet(
    frame: pl.LazyFrame, path: PathLike, *, row_group_size: int, metadata: Mapping[str, str]
) -> None:
    """Write a lazy table to one parquet file, batch by batch."""
    target = _make_absolute(path)
    if target is not None:
        frame.sink_parquet(target, row_group_size=row_group_size, metadata=dict(metadata))
        return
    with Path(path).open("wb") as file:
        frame.sink_parquet(file, row_group_size=row_group_size, metadata=dict(metadata))


@contextmanager
def explain_parquet_damage(path: PathLike) -> Iterator[None]:
    """Turn the errors of polars and of the system on a parquet file into an InputError that names the file."""
    try:
        yield
    except OSError as error:
        raise build_read_error(path, error) from error
    except _DAMAGE_ERRORS as error:
        cause = str(error).splitlines()[0]
        raise InputError(
            f"{path} is a truncated or damaged parquet file ({cause}). Create or download it again."
        ) from error


def build_read_error(path: PathLike, error: OSError) -> InputError:
    """Build the error for a file that the system can't read."""
    return InputError(f"{path} can't be read: {error.strerror or error}. Check the path.")


def _open_source(path: PathLike) -> str | IO[bytes]:
    """Return the absolute path of an existing file, or the opened file if its path isn't UTF-8."""
    with Path(path).open("rb"):  # a folder would be read as the sum of its files
        target = _make_absolute(path)
    return Path(path).open("rb") if target is None else target  # polars closes it with the frame


def _make_absolute(path: PathLike) -> str | None:
    """Make a path absolute; None if it isn't UTF-8, which polars refuses."""
    whole = str(Path(path).absolute())
    try:
        whole.encode()
    except UnicodeEncodeError:
        return None
    return whole
