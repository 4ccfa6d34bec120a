"""What a compact index stores of a text: words as they are, CJK runs as overlapping pairs.

FTS5's tokenizer takes a run of CJK characters for one word. Written as pairs in their order
(``烧开水`` → ``烧开 开水 水``) every stretch of such a run is found: two characters are one token, more are a
phrase of pairs, one is the beginning of a token. That costs a fifth of the published 1-, 2- and
3-grams and knows which pairs stand side by side.
"""

from __future__ import annotations

import re

from cairn.passages.scripts import CJK, has_cjk
from cairn.passages.words import grams, normalise, words

_RUN = re.compile(f"[{CJK}]+")


def indexed_text(text: str) -> str:
    """A text as it is given to the tokenizer of a compact index."""
    plain = normalise(text)
    return _RUN.sub(_pairs, plain) if has_cjk(plain) else plain


def further_terms(language: str, *texts: str) -> str:
    """Terms beside those of :func:`indexed_text` that these texts shall be found by; "" for none."""
    return ""


def expression(text: str) -> str:
    """A term or phrase as an FTS5 expression of a compact index; "" when it has no word.

    All its words must stand side by side; where a CJK run interrupts, all parts must be there.
    """
    parts: list[str] = []
    plain: list[str] = []
    for word in words(text):
        if not has_cjk(word):
            plain.append(word)
            continue
        if plain:
            parts.append(_quoted(plain))
            plain = []
        parts.append(_quoted(grams(word, (2,))) if len(word) > 1 else f"{_quoted([word])} *")
    if plain:
        parts.append(_quoted(plain))
    return " AND ".join(dict.fromkeys(parts))


def tokens_asked(term: str) -> str:
    """A term as the tokens whose frequency bounds its own: CJK runs as their pairs."""
    return _RUN.sub(lambda run: f" {' '.join(grams(run.group(), (2,)) or [run.group()])} ", normalise(term))


def _pairs(run: re.Match[str]) -> str:
    found = run.group()
    return f" {' '.join([*grams(found, (2,)), found[-1]])} "


def _quoted(tokens: list[str]) -> str:
    return '"' + " ".join(tokens).replace('"', '""') + '"'
