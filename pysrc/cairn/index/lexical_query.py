"""An analysed query as an FTS5 expression that no input can break."""

from __future__ import annotations

import re
from collections.abc import Sequence

from cairn.index.types import LexicalQuery
from cairn.passages.scripts import has_cjk
from cairn.passages.words import grams, is_word, words

MOST_TERMS = 128
# SQLite ends a string at NUL, and UTF-8 has no surrogates (JSON text may carry a lone one).
_UNSTORABLE = re.compile(r"[\0\ud800-\udfff]")
_LONGEST_TERM = 200  # characters; no word of any language is longer


def match_expression(query: LexicalQuery) -> str:
    """``(a OR b) NOT (c)`` with every term quoted; "" when nothing can be found.

    Phrases are required and terms then only rank; without phrases one term must match. A phrase
    with CJK characters asks for all its grams, since their runs are indexed by grams.
    """
    terms = _usable(query.terms)
    phrases = [expression for phrase in query.phrases if (expression := _phrase(phrase))]
    excluded = [expression for word in query.excluded if (expression := _phrase(word))]
    if not terms and not phrases:
        return ""
    if phrases:
        required = " AND ".join(f"({phrase})" for phrase in phrases[:MOST_TERMS])
        # FTS5 ranks by every phrase of the expression that matches, so the optional side repeats
        # one required phrase to be true for every row.
        optional = " OR ".join([*map(_quote, terms), f"({phrases[0]})"])
        found = f"{required} AND ({optional})" if terms else required
    else:
        found = " OR ".join(map(_quote, terms))
    if not excluded:
        return found
    return f"({found}) NOT ({' OR '.join(f'({word})' for word in excluded[:MOST_TERMS])})"


def match_any(query: LexicalQuery, required: Sequence[str], weighed: Sequence[str]) -> str:
    """Rows with one of the ``required`` words, ranked by all; see :mod:`cairn.index.pruning`.

    Every word stands twice in it, so that scores are twice those of :func:`match_expression`.
    """
    ranked = " OR ".join(map(_quote, [*required, *weighed, *weighed]))
    needed = " OR ".join(map(_quote, required))
    excluded = [expression for word in query.excluded if (expression := _phrase(word))]
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


def _quote(term: str) -> str:
    # Within quotes FTS5 knows one special character, the quote itself.
    return '"' + term.replace('"', '""') + '"'
