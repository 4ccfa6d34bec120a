"""How far a passage says what a question says: BM25 of words, and of their parts.

Whole words decide, runs of four characters within words (with the edges of the word) help: they
see inflections, compounds, clitics ("والماء") and typing errors in every language alike, without a
stemmer. The score is made from the passage's text, not from the index, so that passages found by
meaning, passages of other indexes and passages without any index are scored by one measure.

nDCG@10 by words alone, the hundred best of FTS5 ordered by: bm25 of FTS5 / words / words + 0.2 ×
parts: field-qa in English .471 / .479 / .508, xquad en .952 / .957 / .973, ar .911 / .906 / .947,
hi .962 / .953 / .972, mtrag .599 / .615 / .618. Snowball stems instead of parts: .497, .962, .951,
.959, .598. Constants of BM25 (Robertson and Zaragoza 2009) k1 = 0.9, b = 0.4 as in Anserini.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from cairn.passages.scripts import has_cjk
from cairn.passages.types import Passage
from cairn.passages.words import fold
from cairn.retrieval.overlap import Weights, keys_of, plain_words

K1, B = 0.9, 0.4
USUAL_WORDS = 150
"""Length of a passage that is neither favoured nor held back."""

TITLE = 3
"""A word in the title or the heading counts as three."""

PARTS = 0.2
_PART = 4  # characters


class Wording:
    """What a question's words are worth, ready to be compared with passages."""

    def __init__(
        self,
        terms: Mapping[str, float],
        alternatives: Mapping[str, Sequence[str]] | None = None,
        synonyms: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        """``terms`` has the rarity of each; ``alternatives`` other forms that count as the term.

        ``synonyms`` cover a term but are no wording of it: "disinfect" is said of hands, too, when
        water is to be purified.
        """
        self._wanted: list[tuple[tuple[str, ...], float]] = []  # any of these strings; worth of one
        self._most = 0.0
        self._stands_for: dict[str, str] = {}  # key of another form -> key of the term
        said: set[str] = set()
        for term, weight in terms.items():
            forms = tuple(dict.fromkeys(map(fold, (term, *(alternatives or {}).get(term, ())))))
            self._wanted.append((tuple(f if has_cjk(f) else f" {f} " for f in forms), weight))
            self._most += weight * (K1 + 1)
            for form in (*forms[1:], *(synonyms or {}).get(term, ())):
                for key, instead in zip(keys_of(form), keys_of(term), strict=False):
                    self._stands_for[key] = instead
            for form in forms:
                new = [] if has_cjk(form) else [part for part in parts(form) if part not in said]
                said.update(new)
                self._wanted += [((part,), weight * PARTS) for part in new]
                if form == forms[0]:
                    self._most += weight * PARTS * len(new) * (K1 + 1)

    def score(self, head: str, body: str, length: int) -> float:
        """0 to 1. ``head`` and ``body`` are as :func:`flat` makes them; ``length`` in words."""
        if not self._most:
            return 0.0
        norm = K1 * (1 - B + B * length / USUAL_WORDS)
        total = 0.0
        for needles, worth in self._wanted:
            count = sum(body.count(needle) + TITLE * head.count(needle) for needle in needles)
            if count:
                total += worth * count * (K1 + 1) / (count + norm)
        return min(1.0, total / self._most)

    def meant(self, keys: set[str]) -> set[str]:
        """Keys of terms of which another form is among these keys."""
        return {self._stands_for[key] for key in keys & self._stands_for.keys()}


def parts(word: str) -> list[str]:
    """Runs of four characters of a word between spaces; the word itself when it is shorter."""
    edged = f" {word} "
    return list(dict.fromkeys(edged[i : i + _PART] for i in range(max(1, len(edged) - _PART + 1))))


def flat(words: Iterable[str]) -> str:
    """Folded words in which each can be found with its edges: two spaces between."""
    return f" {'  '.join(map(fold, words))} "


def read(passage: Passage, weights: Weights, wording: Wording) -> tuple[float, float]:
    """Coverage (see :mod:`cairn.retrieval.overlap`) and wording of a passage."""
    heads = dict.fromkeys((passage.title, passage.locator))
    head = [word for text in heads for word in plain_words(text)]
    body = plain_words(passage.text)
    found = {key for word in dict.fromkeys([*head, *body]) for key in keys_of(word)}
    found |= wording.meant(found)
    return weights.share(found), wording.score(flat(head), flat(body), len(body))
