"""Lists of many leaves: candidate-limited reading equals the whole list, in both kernels."""

from __future__ import annotations

import random
import tracemalloc
from functools import cache

import pytest

from cairn.errors import ArchiveInvalid
from cairn.sources.archives.bm25 import FULL_TEXT
from cairn.sources.archives.glass import Glass
from cairn.sources.archives.kernel import Chunk, Kernel, Postings, numpy_kernel, plain_kernel
from cairn.sources.archives.postings import PostingReader
from cairn.sources.archives.ranking import Ranker
from cairn.sources.archives.reader import BytesReader
from tests.unit.archives.synthetic import database

DOCUMENTS = 30_000
SHARES = {"the": 0.9, "of": 0.4, "water": 0.05, "pump": 0.004, "valve": 0.0008, "zuse": 0.00005}


@cache
def collection() -> tuple[dict[str, dict[int, int]], dict[int, int], bytes]:
    """Terms with their documents, lengths, and the database that holds them.

    Docids have gaps and pass 0x8000, where their encoding grows; chunks are small, so that lists
    have hundreds of leaves under three levels.
    """
    dice = random.Random(7)
    docids = sorted(dice.sample(range(1, 2 * DOCUMENTS), DOCUMENTS))
    terms: dict[str, dict[int, int]] = {}
    for term, share in SHARES.items():
        having = sorted(dice.sample(docids, max(3, int(share * DOCUMENTS))))
        terms[term] = {docid: min(9, int(dice.expovariate(0.7)) + 1) for docid in having}
    terms["block"] = {docid: 1 for docid in docids[20_000:23_000]}  # a run in one place
    terms["a\0b"] = {docids[0]: 2, docids[-1]: 300}
    lengths = {docid: dice.randrange(20, 900) for docid in docids}
    fillers = {f"zz{number:05}": [(docids[number], 1)] for number in range(9_000)}
    glass = database(
        {term: sorted(having.items()) for term, having in terms.items()} | fillers,
        lengths, {docid: f"C/{docid}" for docid in docids[::500]}, {"language": "en"}, chunk=60,
    )  # fmt: skip
    return terms, lengths, glass


def reader() -> tuple[Glass, PostingReader]:
    glass = Glass(BytesReader(collection()[2]))
    return glass, PostingReader(glass)


def kernels() -> list[Kernel]:
    pytest.importorskip("numpy")
    return [plain_kernel(), numpy_kernel()]


def listed(vector: object) -> list[float]:
    return list(vector.tolist())  # type: ignore[attr-defined]


def test_the_database_is_deep_enough_to_prove_anything() -> None:
    """Intent: these tests mean nothing on a list of one leaf."""
    glass, postings = reader()
    found = postings.find(b"the")
    assert found is not None
    assert glass.postlist._level >= 2
    assert len(postings._leaves(found)) > 20
    assert any(glass.postlist.get(leaf.separator[0]) is None for leaf in postings._leaves(found)[1:])


@pytest.mark.parametrize("term", [*SHARES, "block", "a\0b"])
def test_whole_lists(term: str) -> None:
    """Intent: both kernels decode the same postings, those that were written."""
    wanted = collection()[0][term]
    _, postings = reader()
    found = postings.find(term.encode())
    assert found is not None
    assert (found.documents, found.occurrences) == (len(wanted), sum(wanted.values()))
    for kernel in kernels():
        docids, counts = postings.all(found, kernel)
        assert dict(zip(listed(docids), listed(counts), strict=True)) == wanted


@pytest.mark.parametrize("term", [*SHARES, "block", "a\0b", ""])
def test_candidate_limited_equals_whole_list_then_filter(term: str) -> None:
    """Intent: truncated separators must not lose a posting (FORMATS 2.8, 1); "" is the lengths."""
    terms, lengths, _ = collection()
    wanted = terms[term] if term else lengths
    _, postings = reader()
    found = postings.find(term.encode()) if term else postings._length_list()
    assert found is not None
    dice = random.Random(term)
    for turn in range(45):
        size = dice.choice([1, 1, 2, 5, 40, 700])
        if turn % 3 == 0:
            begin = dice.randrange(1, 2 * DOCUMENTS - size)
            candidates = list(range(begin, begin + size))
        elif turn % 3 == 1:
            candidates = sorted(dice.sample(range(1, 2 * DOCUMENTS + 50), size))
        else:  # around docids that the list has: first and last of chunks among them
            some = dice.sample(sorted(wanted), min(size, len(wanted)))
            candidates = sorted({max(1, docid + dice.choice([-1, 0, 0, 1])) for docid in some})
        expected = [(at, wanted[docid]) for at, docid in enumerate(candidates) if docid in wanted]
        for kernel in kernels():
            matches = postings.matches(found, kernel.vector(candidates), kernel)
            got = list(zip(listed(matches.positions), listed(matches.counts), strict=True))
            assert got == expected


def test_few_candidates_read_little() -> None:
    """Intent: the point of it: a common word costs only what the rare one needs."""
    glass, postings = reader()
    found = postings.find(b"the")
    assert found is not None
    asked: list[int] = []
    many = glass.postlist.pool.many

    def counting(numbers: list[int]) -> list[bytes]:
        asked.extend(numbers)
        return many(numbers)

    glass.postlist.pool.many = counting  # type: ignore[method-assign, assignment]
    kernel = plain_kernel()
    postings.matches(found, kernel.vector([500, 50_000]), kernel)
    assert len(set(asked)) < 12


def brute(terms: list[str], limit: int, every: bool) -> list[tuple[float, int]]:
    """BM25 straight from the lists, in the order of operations of FORMATS 2.4."""
    having, lengths, _ = collection()
    average = 1.0 / (sum(lengths.values()) / len(lengths))
    known = sorted((term for term in set(terms) if term in having), key=lambda term: len(having[term]))
    sets = [set(having[term]) for term in known]
    docids = set.intersection(*sets) if every else set.union(*sets)
    scored = []
    for docid in docids:
        score = 0.0
        norm = max(lengths[docid] * average, 0.5)
        for term in known:
            wdf = having[term].get(docid)
            for _ in range(terms.count(term) if wdf else 0):
                weight = FULL_TEXT.weight(len(lengths), len(having[term]))
                score += weight * (wdf / (1.0 * (norm * 0.5 + 0.5) + wdf))
        scored.append((-score, docid))
    return [(-score, docid) for score, docid in sorted(scored)[:limit]]


QUERIES = [
    ["pump"], ["water", "pump"], ["the", "pump"], ["the", "of", "water"], ["pump", "pump", "water"],
    ["the", "of"], ["valve", "of", "the"], ["zuse", "the", "of", "water", "pump"], ["block", "water"],
]  # fmt: skip


@pytest.mark.parametrize("terms", QUERIES, ids=" ".join)
def test_rankings_are_exact_in_both_modes_and_kernels(terms: list[str]) -> None:
    """Intent: pruning changes no place and no bit of a score."""
    glass, postings = reader()
    ranker = Ranker(postings, glass.statistics)
    encoded = [term.encode() for term in terms]
    every, some = brute(terms, 200, every=True), brute(terms, 200, every=False)
    for kernel in kernels():
        for limit in (1, 10, 200):
            assert ranker.all_of(encoded, limit, kernel=kernel).best == every[:limit]
            assert ranker.any_of(encoded, limit, kernel=kernel).best == some[:limit]


def test_a_common_word_is_not_decoded_when_it_cannot_matter() -> None:
    """Intent: early termination really ends early."""
    glass, postings = reader()
    decoded: list[int] = []
    whole = postings.all
    postings.all = lambda found, kernel: (  # type: ignore[method-assign]
        decoded.append(found.documents) or whole(found, kernel)  # type: ignore[func-returns-value]
    )
    best = Ranker(postings, glass.statistics).any_of([b"the", b"valve"], 10).best
    assert decoded == [24]
    assert best == brute(["the", "valve"], 10, every=False)


def test_common_words_may_be_left_out() -> None:
    """Intent: "of" and "the" of a question do not choose articles, unless there is nothing else."""
    glass, postings = reader()
    ranker = Ranker(postings, glass.statistics)
    assert ranker.any_of([b"the", b"valve"], 5, common=0.2) == ranker.any_of([b"valve"], 5)
    assert ranker.any_of([b"the", b"of"], 5, common=0.2).best == brute(["the", "of"], 5, every=False)


def test_unknown_words() -> None:
    """Intent: AND finds nothing, OR goes on, nothing raises."""
    glass, postings = reader()
    ranker = Ranker(postings, glass.statistics)
    assert ranker.all_of([b"pump", b"nosuchword"], 5).best == []
    assert ranker.any_of([b"pump", b"nosuchword"], 5) == ranker.any_of([b"pump"], 5)
    assert ranker.any_of([b"nosuchword"], 5).best == ranker.all_of([], 5).best == []


def test_loaded_lengths_change_nothing() -> None:
    """Intent: idle work only saves time."""
    glass, postings = reader()
    ranker = Ranker(postings, glass.statistics)
    before = ranker.all_of([b"water", b"of"], 50)
    for kernel in kernels():
        postings._lengths = None
        assert postings.lengths_missing == 2 * (glass.statistics.last_docid + 1)
        assert len(list(postings.load_lengths(kernel, batch=4))) > 3
        assert postings.lengths_missing == 0
        assert ranker.all_of([b"water", b"of"], 50, kernel=kernel) == before


def test_lengths_are_not_used_before_all_are_there() -> None:
    """Intent: an interrupted load leaves searching as it was."""
    _, postings = reader()
    kernel = plain_kernel()
    loading = postings.load_lengths(kernel, batch=2)
    next(loading)
    docids = kernel.vector(sorted(collection()[1])[-3:])
    assert listed(postings.lengths(docids, kernel)) == [collection()[1][docid] for docid in docids]
    loading.close()
    assert postings.lengths_missing
    assert not postings.lengths_held


def test_decoded_lists_are_kept_within_their_bounds() -> None:
    """Intent: a word that comes again is not decoded again, and memory has an end."""
    glass = Glass(BytesReader(collection()[2]))
    postings = PostingReader(glass, decoded_bytes=60_000)
    for kernel in kernels():
        for term in ("water", "pump", "water", "of", "the"):
            found = postings.find(term.encode())
            assert found is not None
            postings.all(found, kernel)
            assert postings._held <= 60_000
    water = postings.find(b"water")
    assert water is not None
    postings._table.pool.many = None  # type: ignore[method-assign, assignment]
    assert len(postings.all(water, kernel).docids) == len(collection()[0]["water"])


@pytest.mark.parametrize(
    "chunk",
    [
        Chunk(5, 9, b"\x01\x03"),  # half a posting
        Chunk(5, 9, b"\x01\x02\x01"),  # ends at 8
        Chunk(5, 9, b""),
        Chunk(5, 9, b"\x01\x83"),
        Chunk(5, 9, b"\x01" + b"\xff" * 12 + b"\x01\x01"),
    ],
)
def test_damaged_chunks_are_refused_by_both(chunk: Chunk) -> None:
    """Intent: the end docid of every batch is checked against the header for free."""
    for kernel in kernels():
        with pytest.raises((ValueError, IndexError, OverflowError)):
            kernel.decode([Chunk(1, 1, b"\x01"), chunk])


def test_damage_in_a_list_is_a_typed_error() -> None:
    """Intent: what leaves the module is ArchiveInvalid."""
    data = bytearray(collection()[2])
    at = data.index(b"the\0", len(data) // 3)
    data[at + 9 : at + 30] = b"\xff" * 21
    glass = Glass(BytesReader(bytes(data)))
    postings = PostingReader(glass)
    with pytest.raises(ArchiveInvalid):
        for term in SHARES:
            found = postings.find(term.encode())
            if found:
                postings.all(found, plain_kernel())
        list(postings.load_lengths(plain_kernel()))


def test_memory_stays_with_the_batch() -> None:
    """Intent: a long list is decoded in batches; only the two result columns grow with it."""
    _, postings = reader()
    found = postings.find(b"the")
    assert found is not None
    kernel = kernels()[1]
    postings.all(found, kernel)
    tracemalloc.start()
    result: Postings = postings.all(found, kernel)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 60 * len(result.docids)
