"""Prediction files: good ones in many shapes, and faults in them; what a file means then, the oracle finds out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fuzz.mutations import odd_text
from fuzz.oracle import NO_LABEL, THREE, TWO, Row
from fuzz.tables import write_parquet

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    Edit = Callable[[random.Random, list[Row]], None]

NOUNS = ("judge", "actor", "doctor", "lawyer", "artist", "author", "tourist", "banker")
WORDS = {
    "entailment": ("entailment", "Entailment", "ENTAILMENT", " entailment ", "entails", "e", "E"),
    "neutral": ("neutral", "Neutral", "n"),
    "contradiction": ("contradiction", "CONTRADICTION", "contradicts", "c"),
    "non-entailment": ("non-entailment", "not_entailment", "non entailment", "Not-Entailment"),
}


def make_gold(chance: random.Random) -> list[Row]:
    """Make a small set of pairs with two or three labels, and ids of several kinds."""
    labels = chance.choice((TWO, THREE, THREE))
    shape = chance.choice(("ex{}", "{}", "pair {}", "p,{}", 'q"{}"', "ü{}", "[{}]", "=a{}"))
    count = chance.randint(2, 24)
    return [
        {
            "id": shape.format(number),
            "premise": f"The {chance.choice(NOUNS)} saw the {chance.choice(NOUNS)} number {number}.",
            "hypothesis": f"Someone saw a {chance.choice(NOUNS)}.",
            "label": labels[number % len(labels)],
            "subcase": chance.choice(("one", "other")),
        }
        for number in range(count)
    ]


def make_predictions(chance: random.Random, pairs: list[Row]) -> list[Row]:
    """Make predictions that are right about half of the time, in any order."""
    labels = chance.choice((TWO, THREE, THREE))
    rows = []
    for pair in pairs:
        label = pair["label"] if chance.random() < 0.5 and pair["label"] in labels else chance.choice(labels)
        rows.append({"id": pair["id"], "label": label})
    chance.shuffle(rows)
    return rows


# Good files: what differs from the plainest one changes nothing of what they mean.


def other_words(chance: random.Random, rows: list[Row]) -> None:
    """Write labels in other ways."""
    for row in rows:
        row["label"] = chance.choice(WORDS[row["label"]])


def other_names(chance: random.Random, rows: list[Row]) -> None:
    """Name the columns as others do."""
    names = {
        "id": chance.choice(("id", "pairID", "pair_id", "ID", "uid", "idx", " id ")),
        "label": chance.choice(("label", "prediction", "pred", "gold_label", "predicted_label", "Label")),
    }
    _rename(rows, names)


def more_columns(chance: random.Random, rows: list[Row]) -> None:
    """Add columns that mean nothing."""
    name = chance.choice(
        ("note", "__row__", "_row", "n", "correct", "gold", "answer", "set", "text", "index", "right")
    )
    for row in rows:
        row[name] = chance.choice(("x", "0.5", "entailment", "a,b", None))


def truth_beside(chance: random.Random, rows: list[Row]) -> None:
    """Put a column of true labels beside the predictions, which may be anything."""
    for row in rows:
        row["prediction"] = row["label"]
        row["label"] = chance.choice(THREE)


def with_probabilities(chance: random.Random, rows: list[Row]) -> None:
    """Give every prediction probabilities that agree with it."""
    labels = TWO if any(row["label"] == TWO[1] for row in rows) else THREE
    for row in rows:
        row |= {f"p_{_snake(name)}": value for name, value in _agreeing(chance, row["label"], labels).items()}


def probabilities_alone(chance: random.Random, rows: list[Row]) -> None:
    """Give probabilities instead of labels."""
    with_probabilities(chance, rows)
    for row in rows:
        del row["label"]


def probability_objects(chance: random.Random, rows: list[Row]) -> None:
    """Give probabilities as one object."""
    labels = TWO if any(row["label"] == TWO[1] for row in rows) else THREE
    for row in rows:
        row["probs"] = _agreeing(chance, row["label"], labels)


def some_without_label(chance: random.Random, rows: list[Row]) -> None:
    """Let some rows say that there is not a label."""
    for row in rows:
        if chance.random() < 0.3:
            row["label"] = chance.choice(NO_LABEL)


def unchanged(chance: random.Random, rows: list[Row]) -> None:
    """Leave the plainest file as it is."""
    del chance, rows


GOOD: tuple[Edit, ...] = (
    unchanged,
    other_words,
    other_names,
    more_columns,
    truth_beside,
    with_probabilities,
    probabilities_alone,
    some_without_label,
)


# Faults: the oracle finds out by itself whether the file is still good.


def _one(chance: random.Random, rows: list[Row]) -> Row:
    return chance.choice(rows)


def drop_row(chance: random.Random, rows: list[Row]) -> None:
    """Leave out a prediction."""
    rows.pop(chance.randrange(len(rows)))


def repeat_row(chance: random.Random, rows: list[Row]) -> None:
    """Predict one pair twice, perhaps with two labels."""
    row = dict(_one(chance, rows))
    row["label"] = chance.choice((row.get("label"), *THREE))
    rows.insert(chance.randint(0, len(rows)), row)


def swap_ids(chance: random.Random, rows: list[Row]) -> None:
    """Exchange two ids: still a good file, with another score."""
    first, second = _one(chance, rows), _one(chance, rows)
    first["id"], second["id"] = second["id"], first["id"]


def spoil_id(chance: random.Random, rows: list[Row]) -> None:
    """Change one id, to another text or to that of another row."""
    row = _one(chance, rows)
    kept = str(row["id"])
    row["id"] = chance.choice(
        (
            odd_text(chance),
            f" {kept}",
            f"{kept} ",
            kept.upper(),
            f"{kept}\u200b",
            None,
            _one(chance, rows)["id"],
        )
    )


def spoil_label(chance: random.Random, rows: list[Row]) -> None:
    """Write something else for one label."""
    odd = (
        odd_text(chance),
        "perhaps",
        "0",
        "1",
        "2",
        "entailmnet",
        "LABEL_0",
        "-",
        None,
        "entailment?",
        "maybe",
    )
    _one(chance, rows)["label"] = chance.choice(odd)


def number_labels(chance: random.Random, rows: list[Row]) -> None:
    """Write numbers for all labels."""
    for row in rows:
        row["label"] = chance.choice((0, 1, 2))


def two_predictions(chance: random.Random, rows: list[Row]) -> None:
    """Add a second column of predictions."""
    for row in rows:
        row["pred"] = row["label"]
        row["prediction"] = chance.choice(THREE)


def spoil_probability(chance: random.Random, rows: list[Row]) -> None:
    """Give probabilities, and change one of them."""
    with_probabilities(chance, rows)
    row = _one(chance, rows)
    name = chance.choice([name for name in row if name.startswith("p_")])
    row[name] = chance.choice(
        (-0.1, 1.5, float("nan"), float("inf"), "x", None, "0,5", 0.999, 0.0, "1e-3", True, "½")
    )


def contradict_label(chance: random.Random, rows: list[Row]) -> None:
    """Give probabilities that say something else than the label."""
    with_probabilities(chance, rows)
    _one(chance, rows)["label"] = chance.choice((*THREE, TWO[1]))


def contradict_two(chance: random.Random, rows: list[Row]) -> None:
    """Give the probabilities of three labels, and another one of non-entailment."""
    with_probabilities(chance, rows)
    for row in rows:
        row["p_non_entailment"] = chance.choice((0.0, 0.5, 1.0, 1 - row["p_entailment"]))


def one_probability(chance: random.Random, rows: list[Row]) -> None:
    """Give some of the probabilities only."""
    probabilities_alone(chance, rows)
    name = chance.choice([name for name in rows[0] if name.startswith("p_")])
    for row in rows:
        row.pop(name, None)


def spoil_object(chance: random.Random, rows: list[Row]) -> None:
    """Change the object of one row."""
    probability_objects(chance, rows)
    row = _one(chance, rows)
    row["probs"] = chance.choice(
        (
            [0.1, 0.2, 0.7],
            0.5,
            "x",
            None,
            {},
            {"entailment": 1.0},
            {"LABEL_0": 1.0},
            {"entailment": "1"},
            [[1]],
        )
    )


def nested_column(chance: random.Random, rows: list[Row]) -> None:
    """Make lists or objects of a column."""
    name = chance.choice(("id", "label"))
    for row in rows:
        row[name] = chance.choice(([row[name]], {"a": row[name]}))


def mixed_ids(chance: random.Random, rows: list[Row]) -> None:
    """Write some ids as numbers."""
    for number, row in enumerate(rows):
        row["id"] = chance.choice((row["id"], number, float(number), True))


def odd_name(chance: random.Random, rows: list[Row]) -> None:
    """Give a column a strange name."""
    name = chance.choice(("id", "label"))
    _rename(rows, {name: odd_text(chance) or "x"})


def header_again(chance: random.Random, rows: list[Row]) -> None:
    """Have the header among the rows."""
    rows.insert(chance.randint(0, len(rows)), {name: name for name in rows[0]})


def no_rows(chance: random.Random, rows: list[Row]) -> None:
    """Leave out all rows but the first, or all."""
    del chance
    del rows[1:]


FAULTS: tuple[Edit, ...] = (
    drop_row,
    repeat_row,
    swap_ids,
    spoil_id,
    spoil_label,
    number_labels,
    two_predictions,
    spoil_probability,
    contradict_label,
    contradict_two,
    one_probability,
    spoil_object,
    nested_column,
    mixed_ids,
    odd_name,
    header_again,
    no_rows,
)


def _rename(rows: list[Row], names: dict[str, str]) -> None:
    for row in rows:
        changed = {names.get(name, name): value for name, value in row.items()}
        row.clear()
        row.update(changed)


def _snake(label: str) -> str:
    return label.replace("-", "_")


def _agreeing(chance: random.Random, label: str, labels: tuple[str, ...]) -> dict[str, float]:
    """Divide 1 among the labels so that the given one has most."""
    most = chance.choice((0.52, 0.6, 0.9, 1.0))
    rest = [name for name in labels if name != label]
    first = round((1 - most) * chance.choice((0.25, 0.5)), 4) if len(rest) > 1 else 1 - most
    shares = [first, 1 - most - first][: len(rest)]
    return {label: most, **dict(zip(rest, shares, strict=False))}


def write_odd_parquet(chance: random.Random, rows: list[Row]) -> tuple[bytes, str]:
    """Write a column in a type that it doesn't have elsewhere."""
    import pyarrow as pa

    with_probabilities(chance, rows)
    columns: dict[str, Any] = {name: [row[name] for row in rows] for name in rows[0]}
    name = chance.choice(("id", "label", "p_entailment"))
    values, count = columns[name], len(rows)
    ways: dict[str, Callable[[], Any]] = {
        "dictionary": lambda: pa.array([str(value) for value in values]).dictionary_encode(),
        "list": lambda: pa.array([[value] for value in values]),
        "binary": lambda: pa.array([str(value).encode() for value in values], pa.binary()),
        "duration": lambda: pa.array(range(count), pa.duration("s")),
        "date": lambda: pa.array(range(count), pa.date32()),
        "time": lambda: pa.array(range(count), pa.time32("s")),
        "timestamp": lambda: pa.array(range(count), pa.timestamp("us", tz="UTC")),
        "boolean": lambda: pa.array([number % 2 == 0 for number in range(count)]),
        "decimal": lambda: pa.array([str(number) for number in range(count)]).cast(pa.decimal128(10, 2)),
        "nulls": lambda: pa.nulls(count),
        "integers": lambda: pa.array(range(count), pa.uint8()),
        "floats": lambda: pa.array([number / 3 for number in range(count)], pa.float32()),
        "struct": lambda: pa.array([{"a": value, "b": None} for value in values]),
        "large text": lambda: pa.array([str(value) for value in values], pa.large_string()),
    }
    way = chance.choice(list(ways))
    columns[name] = ways[way]()
    return write_parquet(columns), f"parquet: {name} as {way}"


def spoil_json(chance: random.Random, content: bytes) -> bytes:
    """Give an object a key twice, or write something odd behind a line."""
    lines = content.split(b"\n")
    if chance.random() < 0.5:
        at = chance.randrange(len(lines) - 1)
        lines[at] = lines[at][:-1] + chance.choice(
            (b', "label": "neutral"}', b', "id": "other"}', b', "label": null}')
        )
        return b"\n".join(lines)
    lines[chance.randrange(len(lines))] += chance.choice(
        (
            b'{"id": "x", "id": "y", "label": "neutral"}',
            b'{"id": "\\ud800", "label": "neutral"}',
            b"[" * 5000,
            b'{"a":' * 5000,
            b"null",
            b'{"id": 1e400, "label": NaN}',
            b"// no",
        )
    )
    return b"\n".join(lines)
