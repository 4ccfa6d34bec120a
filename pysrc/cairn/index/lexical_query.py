"""An analysed query as an FTS5 expression that no input can break."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from cairn.index.types import LexicalQuery
from cairn.passages.scripts import has_cjk
from cairn.passages.words import grams, is_word, words

MOST_TERMS = 128
# SQLite ends a string at NUL, and UTF-8 has no surrogates (JSON text may carry a lone one).
_UNSTORABLE = re.compile(r"[\0\ud800-\udfff]")
_LONGEST_TERM = 200  # characters; no word of any language is longer


@dataclass(frozen=True, slots=True)
class Writing:
    """How an index wants a term, and a phrase that must be there, as FTS5; "" when it has no word."""

    term: Callable[[str], str]
    phrase: Callable[[str], str]


def match_expression(query: LexicalQuery, writing: Writing | None = None) -> str:
    """``(a OR b) NOT (c)`` with every term quoted; "" when nothing can be found.

    Phrases are required and terms then only rank; without phrases one term must match. A phrase
    with CJK characters asks for all its grams, since their runs are indexed by grams; ``writing`` is
    that of an index which is made otherwise.
    """
    by = writing or _PLAIN
    terms = _written(_usable(query.terms), by.term)
    phrases = _written(query.phrases, by.phrase)
    excluded = _written(query.excluded, by.phrase)
    if not terms and not phrases:
        return ""
    if phrases:
        required = " AND ".join(f"({phrase})" for phrase in phrases[:MOST_TERMS])
        # FTS5 ranks by every phrase of the expression that matches, so the optional side repeats
        # one required phrase to be true for every row.
        optional = " OR ".join([*terms, f"({phrases[0]})"])
        found = f"{required} AND ({optional})" if terms else required
    else:
        found = " OR ".join(terms)
    if not excluded:
        return found
    return f"({found}) NOT ({' OR '.join(f'({word})' for word in excluded[:MOST_TERMS])})"


def match_any(
    query: LexicalQuery, required: Sequence[str], weighed: Sequence[str], writing: Writing | None = None
) -> str:
    """Rows with one of the ``required`` words, ranked by all; see :mod:`cairn.index.pruning`.

    Every word stands twice in it, so that scores are twice those of :func:`match_expression`.
    """
    by = writing or _PLAIN
    ranked = " OR ".join(_written([*required, *weighed, *weighed], by.term))
    needed = " OR ".join(_written(required, by.term))
    excluded = _written(query.excluded, by.phrase)
    if excluded:
        # AND must stay the root: below another node FTS5 3.40 loses phrases of several words.
        needed = f"({needed}) NOT ({' OR '.join(f'({word})' for word in excluded[:MOST_TERMS])})"
    return f"({ranked}) AND ({needed})"


def usable_terms(query: LexicalQuery) -> list[str]:
    """The terms that an expression is made of."""
    return _usable(query.terms)


def storable(text: str) -> str:
    """A text without the characters that SQLite or UTF-8 cannot take."""
    return _UNSTORABLE.sub(" ", text)


def _usable(terms: tuple[str, ...]) -> list[str]:
    unique = dict.fromkeys(storable(term)[:_LONGEST_TERM].strip() for term in terms)
    return [term for term in unique if is_word(term)][:MOST_TERMS]


def _phrase(text: str) -> str:
    """Adjacent words as one quoted phrase; "" when it has no word."""
    parts = words(storable(text))[:MOST_TERMS]
    if not parts:
        return ""
    if not has_cjk(text):
        return _quote(" ".join(parts))
    required: dict[str, None] = {}
    for part in parts:
        longest = grams(part, (min(3, len(part)),)) if has_cjk(part) else [part]
        required.update(dict.fromkeys(map(_quote, longest)))
    return " AND ".join(list(required)[:MOST_TERMS])


def _written(texts: Sequence[str], write: Callable[[str], str]) -> list[str]:
    return [expression for text in texts if (expression := write(storable(text)))]


def _quote(term: str) -> str:
    # Within quotes FTS5 knows one special character, the quote itself.
    return '"' + term.replace('"', '""') + '"'


_PLAIN = Writing(_quote, _phrase)
