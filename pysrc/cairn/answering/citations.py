"""Citations: stable tokens, what the page shows of a source, and the markers a model may not make.

**Tokens.** A passage's token is ``[CN-<kind>-<code>]``: kind ``P`` (pack), ``A`` (archive) or ``D``
(the person's documents), and a code of the first 12 characters of Crockford's base 32 (digits and
upper-case letters without I, L, O, U) of SHA-256 over ``source NUL document NUL passage``. It does
not depend on the query, on the other hits or on the pack's version, so the same passage has the
same token in every answer. Sixty bits collide with probability 3e-8 somewhere in a library of
250,000 passages; :func:`tokens` still makes the tokens of one answer distinct by lengthening every
code that is shared, four characters at a time. A longer code starts with the shorter one, so a
token is looked up by prefix. Passages of the Emergency Box and of Wikipedia have the tokens of
:mod:`cairn.answering.compatible` instead.

**Numbers.** People and the small models see ``[1]``, ``[2]`` …; a number is a position in the list
of citations of one answer and is written into the text by our code alone.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Container, Mapping, Sequence
from types import MappingProxyType
from urllib.parse import quote

from cairn.answering.compatible import Shared, with_shared
from cairn.passages.types import Passage
from cairn.protocol import CitationInfo
from cairn.retrieval.types import Candidate
from cairn.sources.types import OWN_DOCUMENTS

CODE_CHARS = 12
CODE_STEP = 4
READER = "/reader/text.html"
PDF_READER = "/reader/pdf.html"
ARCHIVE_READER = "/reader/wiki.html"
_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

TOKEN = re.compile(r"\[(?:CN|WB)-[A-Z]-[0-9A-Za-z]{3,52}\]")
"""Our tokens and those of the packs we read (``[WB-E-…]``, ``[WB-W-…]``)."""

MARKER = re.compile(
    r"\[(?:"
    r"(?:(?:source|note|passage|fuente|nota|quelle|来源|资料)\s*)?\^?#?\d{1,3}(?:\s*[,;–-]\s*\^?#?\d{1,3}){0,7}"
    r"|(?:CN|WB)-[A-Z]-[0-9A-Za-z]{1,52}"
    r")\]",
    re.IGNORECASE,
)
"""Anything in a model's text that looks like a citation: ``[1]``, ``[2, 3]``, ``[Source 1]``, tokens."""

MARKER_MAX_CHARS = 72
"""Longest text :data:`MARKER` can match: a stream waits no longer for the closing bracket."""


_NONE_SHARED: Mapping[str, Shared] = MappingProxyType({})


def identity_code(source_id: str, document_id: str, passage_id: str) -> str:
    """All 52 base-32 characters of a passage's identity; tokens are prefixes of it."""
    digest = hashlib.sha256("\0".join((source_id, document_id, passage_id)).encode()).digest()
    number = int.from_bytes(digest, "big") << 4  # 256 bits + 4 = 52 groups of five
    return "".join(_ALPHABET[(number >> shift) & 31] for shift in range(255, -1, -5))


def tokens(identities: Sequence[tuple[str, str, str]], kind: str = "P") -> list[str]:
    """Distinct tokens for distinct ``(source, document, passage)`` identities, in their order.

    Equal identities get equal tokens.
    """
    codes = {identity: identity_code(*identity) for identity in identities}
    lengths = dict.fromkeys(codes, CODE_CHARS)
    while True:
        shared = Counter(codes[identity][:length] for identity, length in lengths.items())
        clashing = [i for i, n in lengths.items() if shared[codes[i][:n]] > 1 and n < len(codes[i])]
        if not clashing:
            return [f"[CN-{kind}-{codes[i][: lengths[i]]}]" for i in identities]
        for identity in clashing:
            lengths[identity] += CODE_STEP


def reader_url(source_id: str, document_id: str, passage_id: str) -> str:
    """Address of the text reader, on this origin, with the passage marked."""
    parts = (("source", source_id), ("document", document_id), ("passage", passage_id))
    return READER + "?" + "&".join(f"{name}={quote(value, safe='')}" for name, value in parts)


def page_url(passage: Passage) -> str:
    """Address of the PDF reader, on this origin, at the passage's first page, with it marked."""
    query = reader_url(passage.source_id, passage.document_id, passage.passage_id).removeprefix(READER)
    last = f"&last={passage.last_page}" if passage.last_page > passage.page else ""
    return f"{PDF_READER}{query}&page={passage.page}{last}"


def article_url(source_id: str, path: str, passage_id: str = "") -> str:
    """Address of the archive reader, on this origin, with the passage marked."""
    parts = [("source", source_id), ("path", path)]
    if passage_id:
        parts.append(("passage", passage_id))
    return ARCHIVE_READER + "?" + "&".join(f"{name}={quote(value, safe='')}" for name, value in parts)


def _address(passage: Passage, archives: Container[str]) -> str:
    """Where the passage is read; of the person's documents, only PDFs have pages."""
    where = passage.source_id, passage.document_id, passage.passage_id
    if passage.source_id in archives:
        return article_url(*where)
    if passage.page and passage.source_id.startswith(OWN_DOCUMENTS):
        return page_url(passage)
    return reader_url(*where)


def citations(
    candidates: Sequence[Candidate],
    titles: Mapping[str, str],
    archives: Container[str] = (),
    shared: Mapping[str, Shared] = _NONE_SHARED,
) -> list[CitationInfo]:
    """Numbered citations of the kept candidates, best first.

    ``titles`` maps source id to title, ``archives`` are the ids of those that are archives, ``shared``
    those whose tokens others give too (:mod:`cairn.answering.compatible`).
    """
    passages = [candidate.passage for candidate in candidates]
    made = tokens([(p.source_id, p.document_id, p.passage_id) for p in passages])
    made = [
        token.replace("-P-", f"-{_token_kind(p.source_id, archives)}-", 1)
        for token, p in zip(made, passages, strict=True)
    ]
    made = with_shared(made, passages, shared)
    numbered = enumerate(zip(passages, candidates, made, strict=True), start=1)
    return [_citation(n, p, c.mode, token, titles, archives) for n, (p, c, token) in numbered]


def _citation(
    n: int, passage: Passage, mode: str, token: str, titles: Mapping[str, str], archives: Container[str]
) -> CitationInfo:
    info = CitationInfo(
        n=n,
        token=token,
        source=passage.source_id,
        source_title=titles.get(passage.source_id, passage.source_id),
        document=passage.document_id,
        passage=passage.passage_id,
        title=passage.title,
        locator=passage.locator,
        language=passage.language,
        collection=passage.collection,
        licence=passage.licence,
        text=passage.text,
        reader_url=_address(passage, archives),
        mode=mode,
        cited=False,
    )
    if passage.page:
        info["page"], info["last_page"] = passage.page, passage.last_page
    return info


def _token_kind(source_id: str, archives: Container[str]) -> str:
    if source_id in archives:
        return "A"
    return "D" if source_id.startswith(OWN_DOCUMENTS) else "P"


def remove_markers(text: str) -> str:
    """The text without anything that looks like a citation (see :data:`MARKER`)."""
    return MARKER.sub("", text)


def marker_numbers(marker: str) -> tuple[int, ...]:
    """The citation numbers that a removed marker named: a hint, never trusted alone.

    >>> marker_numbers("[Source 2, 3]")
    (2, 3)
    """
    if TOKEN.fullmatch(marker):
        return ()
    return tuple(int(digits) for digits in re.findall(r"\d{1,3}", marker))
