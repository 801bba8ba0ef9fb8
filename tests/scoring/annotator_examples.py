"""Labels of annotators that several tests read."""

from __future__ import annotations

import polars as pl

from rightreasons.scoring.annotations import Annotations

# Dawid and Skene (1979), table 1: the labels of 45 patients by five anaesthetists, the first of whom labelled three
# times. A row is a patient.
ANAESTHETISTS = """
1111111 3334334 1122122 2223121 2223222 2223322 1222111 3333433 2222223 2322223 4444444 2223343 1111111 2223212 1211111
1112111 1111111 1111111 2222221 2221322 2222222 2222221 2223222 2212222 1111111 1111111 2322222 1111111 1111111 1121121
1111111 3333233 1111111 2222222 2223232 4334343 2212232 2323233 3333432 1111111 1111111 1212111 2322222 1211111 2222222
"""


def read_anaesthetists() -> Annotations:
    patients = ANAESTHETISTS.split()
    rows = [
        (f"{patient:02}", "ABCDE"[max(0, place - 2)], label)
        for patient, labels in enumerate(patients)
        for place, label in enumerate(labels)
    ]
    return Annotations.from_table(pl.DataFrame(rows, ["item", "annotator", "label"], orient="row"))


def make_annotations(rows: list[tuple[str, str, str]], labels: tuple[str, ...] = ()) -> Annotations:
    schema = dict.fromkeys(("item", "annotator", "label"), pl.String)
    return Annotations.from_table(pl.DataFrame(rows, schema, orient="row"), labels)
