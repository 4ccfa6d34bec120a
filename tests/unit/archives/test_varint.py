"""Numbers and keys of the index: what is written is read, order is kept, truncation is handled."""

from __future__ import annotations

import pytest

pytest.importorskip("hypothesis")
from hypothesis import given
from hypothesis import strategies as st

from cairn.sources.archives import varint
from cairn.sources.archives.positions import decode_positions

NUMBERS = st.one_of(st.integers(0, 300), st.integers(0, 2**32 - 1), st.integers(0, 2**56))
EDGES = [0, 0x7FFF, 0x8000, 0x3FFFFF, 0x400000, 0x1FFFFFFF, 0x20000000, 2**36 - 1, 2**36, 2**57 - 1, 2**57]


@given(st.lists(NUMBERS))
def test_numbers_survive(values: list[int]) -> None:
    """Intent: LEB128 there and back, several in a row."""
    data = b"".join(map(varint.encode_uint, values))
    assert varint.decode_uints(data, 0, len(values)) == (values, len(data))


@given(st.binary(max_size=12))
def test_any_bytes_are_a_number_or_a_known_error(data: bytes) -> None:
    """Intent: damaged numbers raise what the guard knows, and never run on."""
    for decode in (varint.decode_uint, varint.decode_sortuint):
        try:
            value, at = decode(data, 0)
        except (IndexError, ValueError):
            continue
        assert 0 <= value < 2**71
        assert 0 < at <= len(data)


def test_a_number_without_end_is_refused() -> None:
    """Intent: no endless shifting."""
    with pytest.raises(ValueError, match="too long"):
        varint.decode_uint(b"\xff" * 40, 0)


@given(NUMBERS, NUMBERS)
def test_sortable_numbers_sort_and_survive(a: int, b: int) -> None:
    """Intent: the bytes compare as the numbers do."""
    first, second = varint.encode_sortuint(a), varint.encode_sortuint(b)
    assert (first < second) == (a < b)
    assert varint.decode_sortuint(first, 0) == (a, len(first))


@pytest.mark.parametrize("value", EDGES)
def test_sortable_numbers_at_their_edges(value: int) -> None:
    """Intent: the length changes exactly where FORMATS 2.2 says."""
    assert varint.decode_sortuint(varint.encode_sortuint(value), 0)[0] == value
    assert varint.encode_sortuint(value) < varint.encode_sortuint(value + 1)


def test_sortable_numbers_have_the_documented_sizes() -> None:
    """Intent: 2 bytes below 0x8000, 3 to 0x3FFFFF, 4 to 0x1FFFFFFF."""
    sizes = [len(varint.encode_sortuint(value)) for value in EDGES[:7]]
    assert sizes == [2, 2, 3, 3, 4, 4, 5]


@given(NUMBERS, st.integers(0, 9))
def test_a_truncated_separator_bounds_from_below(value: int, length: int) -> None:
    """Intent: every number whose encoding is not below the separator is not below its floor."""
    key = varint.encode_sortuint(value)
    separator = key[:length]
    floor = varint.sortuint_floor(separator)
    assert floor <= value
    assert varint.encode_sortuint(floor) >= separator
    if floor:
        assert varint.encode_sortuint(floor - 1) < separator


@given(st.binary(max_size=20), st.binary(max_size=9).filter(lambda rest: not rest.startswith(b"\xff")))
def test_escaped_terms_survive(term: bytes, rest: bytes) -> None:
    r"""Intent: a term with \0 in it is not taken for a term and a docid."""
    assert varint.unescape(varint.escape(term)) == (term, None)
    assert varint.unescape(varint.escape(term) + b"\0" + rest) == (term, rest)


class Writer:
    """The encoder of positions, only here: bits from the lowest, short codes in the middle."""

    def __init__(self) -> None:
        self.bits: list[int] = []

    def put(self, value: int, outcomes: int) -> None:
        width = (outcomes - 1).bit_length()
        if width == 0:
            return
        spare = (1 << width) - outcomes
        middle = (outcomes - spare) // 2
        high = value >= middle + spare
        rest = value - middle - spare if high else value
        self.bits += [(rest >> bit) & 1 for bit in range(width - 1)]
        if rest < middle:
            self.bits.append(int(high))

    def between(self, positions: list[int], j: int, k: int) -> None:
        if j + 1 >= k:
            return
        middle = j + (k - j) // 2
        room = positions[k] - positions[j] + j - k + 1
        self.put(positions[middle] - positions[j] - (middle - j), room)
        self.between(positions, j, middle)
        self.between(positions, middle, k)

    def done(self) -> bytes:
        data = bytearray((len(self.bits) + 7) // 8)
        for index, bit in enumerate(self.bits):
            data[index // 8] |= bit << (index % 8)
        return bytes(data)


def encode_positions(positions: list[int]) -> bytes:
    head = varint.encode_uint(positions[-1])
    if len(positions) == 1:
        return head
    writer = Writer()
    writer.put(positions[0], positions[-1])
    writer.put(len(positions) - 2, positions[-1] - positions[0])
    writer.between(positions, 0, len(positions) - 1)
    # A list that needs no bits at all still has a byte, or it would look like a single position.
    return head + (writer.done() or b"\0")


@given(st.lists(st.one_of(st.integers(0, 40), st.integers(0, 100_000)), min_size=1, unique=True))
def test_positions_survive(positions: list[int]) -> None:
    """Intent: interpolative coding there and back, dense and sparse."""
    positions.sort()
    assert decode_positions(encode_positions(positions)) == positions


@given(st.binary(min_size=1, max_size=40))
def test_any_bytes_are_positions_or_a_known_error(data: bytes) -> None:
    """Intent: damaged positions neither hang nor fill the memory."""
    try:
        positions = decode_positions(data)
    except (IndexError, ValueError):
        return
    assert len(positions) < 1_000_001
