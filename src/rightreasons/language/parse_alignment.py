"""Read tokens and tags off a Penn tree, and find the tokens in the raw text.

Trees spell brackets, quotes, dashes and slashes their own way; a leaf is looked for in all the spellings that a text
may have. Where any leaf is not found, or any character is left over, the tree is of no use for that text.
"""

from __future__ import annotations

import re
from functools import lru_cache

Tagged = tuple[list[tuple[int, int]], list[str]]

_LEAF = re.compile(r"\(([^ \t\r\n()]+)[ \t\r\n]+([^ \t\r\n()]+)[ \t\r\n]*\)")
_TRACE = "-NONE-"
_SOFT = "\u00ad"
_SOFT_HYPHENS = re.compile(f"({_SOFT}+)")
LONGEST_LEAF = 1_000  # no word is longer, and to compile a pattern takes time
_TAGS = (
    "CC CD DT EX FW IN JJ JJR JJS LS MD NN NNS NNP NNPS PDT POS PRP PRP$ RB RBR RBS RP SYM TO UH VB VBD VBG VBN VBP "
    "VBZ WDT WP WP$ WRB . , : `` '' $ # -LRB- -RRB- HYPH NFP ADD AFX XX GW BES HVS"
)
TAGS = frozenset(_TAGS.split())
_OPENING = ('"', "``", "''", "\u201c", "\u00ab", "`", "'", "\u2018")
_CLOSING = ('"', "''", "\u201d", "\u00bb", "``", "'", "\u2019")
_SPELLINGS: dict[str, tuple[str, ...]] = {
    "-LRB-": ("(", "-LRB-"),
    "-RRB-": (")", "-RRB-"),
    "-LSB-": ("[",),
    "-RSB-": ("]",),
    "-LCB-": ("{",),
    "-RCB-": ("}",),
    "``": _OPENING,
    "''": _CLOSING,
    "`": ("`", "'", "\u2018", "\u2019"),
    "'": ("'", "\u2019", "\u2018", "`"),
    "...": ("...", "\u2026", ". . .", "....", ".."),
    "&": ("&amp;", "&"),
    "#": ("#", "\u00a3"),
    "$": ("$", "\u20ac"),
    "--": ("--", "\u2014", "\u2013", "---", "-"),
}
_LOOSE = {"&": "&(?:amp;)?", "'": "['\u2018\u2019]", "-": "[-\u2010-\u2014]", '"': '["\u201c\u201d]'}


def align_parse(text: str, parse: str) -> Tagged | None:
    """Return the spans and tags of the leaves of a tree in its text, or None if text and tree differ."""
    if parse.count("(") != parse.count(")"):
        return None
    at = 0
    spans: list[tuple[int, int]] = []
    tags: list[str] = []
    for tag, leaf in _LEAF.findall(parse):
        while text[at : at + 1].isspace():
            at += 1
        length = _measure_leaf(text, at, leaf)
        if length and tag in TAGS:
            spans.append((at, at + length))
            tags.append(tag)
            at += length
        elif tag != _TRACE and not _is_doubled_stop(text, spans, leaf):
            return None
    return (spans, tags) if spans and not text[at:].strip() else None


def _measure_leaf(text: str, at: int, leaf: str) -> int:
    """Return how many characters of the text spell a leaf at an offset; 0 if it is not there."""
    if leaf in _SPELLINGS:
        return next((len(spelling) for spelling in _SPELLINGS[leaf] if text.startswith(spelling, at)), 0)
    if text.startswith(leaf, at):
        return len(leaf)
    if len(leaf) > LONGEST_LEAF:
        return 0
    there = _compile_loose_leaf_pattern(leaf.replace("\\/", "/").replace("\\*", "*")).match(text, at)
    return len(there.group()) if there else 0


@lru_cache(maxsize=4096)
def _compile_loose_leaf_pattern(leaf: str) -> re.Pattern[str]:
    """Allow for signs that parsers tidy up: soft hyphens left out, `&amp;` read, curly quotes straightened."""
    # Two repetitions of a soft hyphen next to each other could be matched in very many ways.
    words = [part for part in _SOFT_HYPHENS.split(leaf) if part]
    return re.compile("".join(_build_part_pattern(part) for part in words))


def _build_part_pattern(part: str) -> str:
    """Match soft hyphens, at least as many, or letters with soft hyphens between them."""
    if part[0] == _SOFT:
        return f"{_SOFT}{{{len(part)},}}"
    return f"{_SOFT}*".join(_LOOSE.get(sign, re.escape(sign)) for sign in part)


def _is_doubled_stop(text: str, spans: list[tuple[int, int]], leaf: str) -> bool:
    """Return whether a leaf is the full stop that a parser adds after a final abbreviation."""
    return leaf == "." and bool(spans) and text[spans[-1][1] - 1] == "."
