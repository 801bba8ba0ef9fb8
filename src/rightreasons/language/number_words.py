"""Numbers written in words: read and written, up to the trillions."""

from __future__ import annotations

_BELOW_TWENTY = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
UNITS = _BELOW_TWENTY.split()
TENS = {word: 10 * number for number, word in enumerate(_TENS.split(), start=2)}
SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
HUNDRED = 100
LIMIT = 10**15  # words go no further
_VALUES = {word: value for value, word in enumerate(UNITS)} | TENS | {"a": 1}

_SPACE = r"[ \t]+"
_DIGIT = "one|two|three|four|five|six|seven|eight|nine"
_SMALL = rf"(?:(?:{'|'.join(TENS)})(?:(?:-|{_SPACE})(?:{_DIGIT})\b)?|(?:{'|'.join(reversed(UNITS))}))\b"
_HUNDRED = rf"{_SPACE}hundred\b(?:{_SPACE}(?:and{_SPACE})?{_SMALL})?"
_GROUP = rf"{_SMALL}(?:{_HUNDRED})?"
_SCALED = rf"{_SPACE}(?:{'|'.join(SCALES)})\b"
_ON = rf"{_SPACE}(?:and{_SPACE})?{_GROUP}"
APART = rf"(?:{'|'.join(TENS)}) (?:{_DIGIT})\b"  # "twenty one", where others write a hyphen
_LARGE = rf"{_SCALED}(?:{_ON}{_SCALED})*(?:{_ON})?"
# What a number in words looks like: groups below a thousand, each but the last with its scale; "a hundred" is one.
PATTERN = rf"(?:{_GROUP}(?:{_LARGE})?|a(?:{_HUNDRED}(?:{_LARGE})?|{_LARGE}))"


def read_words(text: str) -> int:
    """Read a number in words, such as "two hundred and five", that matches the pattern."""
    total = group = 0
    for word in text.lower().replace("-", " ").replace(",", " ").split():
        if word in _VALUES:
            group += _VALUES[word]
        elif word == "hundred":
            group *= HUNDRED
        elif word in SCALES:
            total += group * SCALES[word]
            group = 0
    return total + group


def write_words(value: int, *, joint: str = "-", conjunction: bool = False) -> str:
    """Write a whole number in words; `joint` stands in "twenty-one", the conjunction in "two hundred and five"."""
    words = []
    for scale, size in sorted(SCALES.items(), key=lambda item: -item[1]):
        count, value = divmod(value, size)
        if count:
            words += [_group(count, joint, conjunction=conjunction), scale]
    if value or not words:
        linked = conjunction and words and value < HUNDRED
        words += ["and"] * bool(linked) + [_group(value, joint, conjunction=conjunction)]
    return " ".join(words)


def _group(value: int, joint: str, *, conjunction: bool) -> str:
    """Write a number below a thousand."""
    hundreds, rest = divmod(value, HUNDRED)
    if not hundreds:
        return _small(rest, joint)
    head = f"{UNITS[hundreds]} hundred"
    return f"{head}{' and' if conjunction else ''} {_small(rest, joint)}" if rest else head


def _small(value: int, joint: str) -> str:
    """Write a number below a hundred."""
    if value < len(UNITS):
        return UNITS[value]
    tens, rest = divmod(value, 10)
    name = list(TENS)[tens - 2]
    return f"{name}{joint}{UNITS[rest]}" if rest else name
