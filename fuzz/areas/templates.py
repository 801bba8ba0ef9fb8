"""Set files: TOML templates with damaged words, trees, slots, weights and bytes."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from fuzz.cases import Area, Case, Outcome, WrongResultError
from fuzz.mutations import mutate_bytes, odd_text

if TYPE_CHECKING:
    import random
    from collections.abc import Callable
    from pathlib import Path

BASES = (
    """\
[set]
name = "quantifiers"
version = 1
labels = ["entailment", "neutral", "contradiction"]

[words]
PEOPLE = { tag = "NNS", words = "doctors lawyers artists students tourists" }
PLACE = ["the museum", "the library", "New York", "Rome"]
DID = "slept danced waited shouted"

[[subcase]]
name = "all-some"
label = "entailment"
claim = "upward"
templates = [
  { name = "all-some", premise = "All {PEOPLE1} in {PLACE1} {DID1}.", hypothesis = "Some {PEOPLE1} {DID1}." },
]

[[subcase]]
name = "no-some"
label = "contradiction"
claim = "downward"
templates = [
  { name = "no-some", premise = "<no PEOPLE1 DID1>", hypothesis = "<some PEOPLE1 DID1>" },
]

[phrases]
"no n v" = "(ROOT (S (NP (DT no) {n}) (VP (VBD {v})) (. .)))"
"some n v" = "(ROOT (S (NP (DT some) {n}) (VP (VBD {v})) (. .)))"
""",
    """\
[set]
name = "forms"
labels = ["entailment", "non-entailment"]
distinct = false
text = "natural"

[words]
SG = { tag = "NN", words = "cat dog bird" }
PL = { tag = "NNS", lemma = "SG", words = "cats dogs birds" }
N = { join = ["SG", "PL"] }
V = "heard saw hid"
BASE = { lemma = "V", words = "hear see hide" }
I = "slept ran"
T = "chased fed"

[phrases]
"the n" = "(NP (DT the) {n})"
"svo x v y" = "(ROOT (S <the x> (VP (VBD {v}) <the y>) (. .)))"

[phrases.VP]
intransitive = { weight = 1, tree = "(VP (VBD {I}))" }
transitive = { weight = 2, tree = "(VP (VBD {T}) (NP (DT the) {SG}))" }

[[subcase]]
name = "one"
label = "non-entailment"
size = 10
templates = [
  { name = "swap", weight = 2, premise = "<svo SG1 T1 SG2>", hypothesis = "<svo SG2 T1 SG1>" },
  { name = "deny", weight = "1/3", premise = "The dog {V1} it.", hypothesis = "The dog did not {V1:BASE} it." },
]

[[subcase]]
name = "two"
label = "entailment"
premise = "The {N1} is {A1}."
templates = [
  { name = "fruit", with = { N = "SG", A = "I" } },
]

[subcase.hypotheses]
other = "The {N2} is {A1}."
same = { hypothesis = "Something is {A1}.", label = "entailment" }
""",
)
ENTRY = """
[modes.odd]
weights = { swap = 0 }
words = { I = "sat" }
"""
LONG = 3000
PAIRS = b"premise,hypothesis\nAll doctors in Rome slept.,Some doctors slept.\nThe dog saw it.,The dog did not see it.\n"


def _number(chance: random.Random, text: str) -> str:
    return _at_random(
        chance,
        text,
        r"(?<![\w\"])\d+(?![\w\"])",
        ("0", "-1", "1e9", "99999999999999999999", "1.5", "nan", "inf", '"1/0"', "true"),
    )


def _string(chance: random.Random, text: str) -> str:
    value = odd_text(chance)
    return _at_random(
        chance,
        text,
        r'"[^"\n]*"',
        (json.dumps(value), json.dumps(value * 3), "[]", "{}", "3", "''", '["a", 1]', "false"),
    )


def _slot(chance: random.Random, text: str) -> str:
    odd = (
        "{}",
        "{X1}",
        "{PEOPLE}",
        "{PEOPLE99}",
        "{PEOPLE1:X}",
        "{V1:V}",
        "{ }",
        "{{",
        "}}",
        "{PEOPLE1/NN}",
        "<the x>",
        "<>",
        "<VP1>",
        "*",
        "{1}",
    )
    return _at_random(chance, text, r"\{[A-Z]\w*\}|<[\w ]+>", odd)


def _bracket(chance: random.Random, text: str) -> str:
    return _at_random(chance, text, r"[()\[\]{}]", ("", "(", ")", "((", "))", "{", "}", "[", "()"))


def _key(chance: random.Random, text: str) -> str:
    odd = (
        "name",
        "label",
        "rank",
        "premise_parse",
        "weight",
        "with",
        "hypotheses",
        "templates",
        '""',
        '"a b"',
        "size",
        "id",
        "set",
        "group",
        "x",
        "words",
    )
    return _at_random(chance, text, r"(?m)(?<=[{,\n] )?\b[a-zA-Z]+(?= = )", odd)


def _line(chance: random.Random, text: str) -> str:
    """Remove, repeat or move a line."""
    lines = text.split("\n")
    at = chance.randrange(len(lines))
    move = chance.choice(("remove", "repeat", "move"))
    kept = lines[at] if move == "repeat" else lines.pop(at)
    if move != "remove":
        lines.insert(chance.randint(0, len(lines)), kept)
    return "\n".join(lines)


def _long_list(chance: random.Random, text: str) -> str:
    words = " ".join(f"word{number}" for number in range(chance.choice((2, 200, LONG))))
    return _at_random(
        chance,
        text,
        r'"(doctors|slept|heard|slept ran|chased|cat)[^"\n]*"',
        (json.dumps(words), '""', '"a a"', '"a"'),
    )


def _deep(chance: random.Random, text: str) -> str:
    depth = chance.choice((50, 1000, 20_000))
    tree = json.dumps("(S " * depth + "(X a)" + ")" * depth)
    phrase = '"<a>"'
    return _at_random(
        chance, text, r'"\(ROOT[^"\n]*"|"\(NP[^"\n]*"', (tree, phrase, '"(VP {I}"', '"<the n>"')
    )


def _mode(chance: random.Random, text: str) -> str:
    return text + chance.choice(
        (ENTRY, "[modes]\nodd = 3\n", "[modes.odd.templates.swap]\npremise = 5\n", "[[modes]]\n")
    )


def _bytes(chance: random.Random, text: str) -> bytes:
    return mutate_bytes(chance, text.encode())


def _at_random(chance: random.Random, text: str, pattern: str, values: tuple[str, ...]) -> str:
    found = list(re.finditer(pattern, text))
    if not found:
        return text
    match = chance.choice(found)
    return text[: match.start()] + chance.choice(values) + text[match.end() :]


EDITS: tuple[Callable[[random.Random, str], str], ...] = (
    _number,
    _string,
    _string,
    _slot,
    _slot,
    _bracket,
    _key,
    _line,
    _long_list,
    _deep,
    _mode,
)


def make(chance: random.Random, shared: Path) -> Case:
    """Make a set file and a command that reads it."""
    del shared
    text = chance.choice(BASES)
    if chance.random() < 0.1:
        return _case(chance, text.encode(), "as it should be", good=True)
    if chance.random() < 0.15:
        return _case(chance, _bytes(chance, text), "damaged bytes")
    names = []
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        edit = chance.choice(EDITS)
        text = edit(chance, text)
        names.append(edit.__name__.strip("_"))
    return _case(chance, text.encode("utf-8", errors="surrogatepass"), ", ".join(names))


def _case(chance: random.Random, content: bytes, about: str, *, good: bool = False) -> Case:
    size = ("--size", chance.choice(("1", "2", "5", "60")))
    mode = ("-o", "mode=odd") if b"modes" in content and chance.random() < 0.7 else ()
    commands: tuple[tuple[str, ...], ...] = (
        ("generate", "set.toml", *size, *mode, "--out", "out.jsonl"),
        ("generate", "set.toml", *size, *mode, "--out", "out.jsonl", "-o", "short=allow", "--seed", "3"),
        (
            "generate",
            "set.toml",
            "--limit",
            "7",
            *mode,
            "--out",
            "out.jsonl",
            "-o",
            "parses=labelled",
            "-o",
            "disjoint=premise",
        ),
        ("evaluate", "constant", "--sets", "set.toml", *size, "--no-html", "--out", "run"),
        ("recognise", "pairs.csv", "--set", "set.toml", "--out", "out.csv"),
    )
    words = chance.choice(commands)
    check = _check_pairs if words[0] == "generate" else None
    return Case(
        f"{about} ({words[0]})",
        words,
        files={"set.toml": content, "pairs.csv": PAIRS},
        check=check,
        must_accept=good and "60" not in words,
    )


def _check_pairs(outcome: Outcome) -> bool:
    """Make sure that no pair has two labels and no id comes twice."""
    del outcome
    with open("out.jsonl", encoding="utf-8") as file:  # noqa: PTH123 - in the working folder
        rows = [json.loads(line) for line in file]
    labels: dict[tuple[str, str], str] = {}
    for row in rows:
        known = labels.setdefault((row["premise"], row["hypothesis"]), row["label"])
        if known != row["label"]:
            raise WrongResultError(f"one pair has two labels: {row}")
        if "{" in row["premise"] and "{" not in json.dumps(rows[0].get("template", "")):
            raise WrongResultError(f"a slot was not filled: {row['premise']!r}")
    if len({row["id"] for row in rows}) < len(rows):
        raise WrongResultError("an id comes twice")
    return True


AREA = Area("templates", 700, make)
