"""Search over several sources with and without an embedder, and with one that fails."""

from __future__ import annotations

import asyncio
from array import array
from collections.abc import Callable, Sequence

import pytest

import cairn.retrieval.search as module
from cairn.errors import CairnError, PackInvalid, WorkerCrashed
from cairn.index.types import Hit
from cairn.models.ports import ModelInfo
from cairn.retrieval.analysis import analyse
from cairn.retrieval.search import add_meaning, comparable, search, search_words
from cairn.retrieval.types import SearchResult
from cairn.sources.types import VectorModel
from tests.unit.retrieval.library import E5, E5_VECTORS, Clock, FakeEmbedder, FakeSource

TEXTS = [
    "Boil river water for one minute before you drink it.",
    "A compass needle points to magnetic north.",
    "Chlorine makes clear water safe after thirty minutes.",
]
NEAR, FAR = (1.0, 0.0), (0.0, 1.0)


def run(
    question: str,
    sources: Sequence[FakeSource],
    embedder: FakeEmbedder | None = None,
    clock: Callable[[], float] | None = None,
    failed: list[tuple[str, CairnError]] | None = None,
) -> SearchResult:
    heard: list[tuple[str, CairnError]] = [] if failed is None else failed
    return asyncio.run(
        search(
            question, sources=sources, embedder=embedder, clock=clock or Clock(),
            failed=lambda part, error: heard.append((part, error)),
        )
    )  # fmt: skip


def kept(result: SearchResult) -> list[str]:
    return [c.passage.text for c in result.kept]


def test_words_alone() -> None:
    """Intent: without a model the keyword index answers, and says so."""
    result = run("boil river water", [FakeSource(TEXTS)])
    assert result.mode == "lexical-fallback" and result.outcome == "matched"
    assert kept(result)[0] == TEXTS[0]
    assert result.kept[0].lexical_rank == 1 and result.kept[0].coverage == 1.0
    assert result.kept[0].mode == "lexical-fallback"
    assert {"lexical", "passages", "rank"} <= result.timings.keys()


@pytest.mark.parametrize("question", ["", "-", "*", "😀", '"a" OR NEAR('])
def test_nothing_to_look_for(question: str) -> None:
    """Intent: no question raises, whatever there is to search with."""
    for embedder in (None, FakeEmbedder()):
        result = run(question, [FakeSource(TEXTS, vectors=[FAR] * 3)], embedder)
        assert result.outcome in ("no_match", "weak") or result.mode == "hybrid-full-vector"


def test_no_sources() -> None:
    assert run("water", [], FakeEmbedder()).outcome == "no_match"


def test_meaning_finds_what_words_do_not() -> None:
    """Intent: a Spanish question reaches an English passage."""
    source = FakeSource(TEXTS, vectors=[NEAR, FAR, FAR])
    result = run("hervir agua del arroyo", [source], FakeEmbedder({"hervir": NEAR}))
    assert result.mode == "hybrid-full-vector"
    assert kept(result)[0] == TEXTS[0]
    assert result.kept[0].semantic_rank == 1 and result.kept[0].lexical_rank == 0
    assert result.kept[0].mode == "hybrid-full-vector"
    assert {"embed", "vectors"} <= result.timings.keys()


def test_a_poor_keyword_list_does_not_outvote_meaning() -> None:
    """Intent: one shared name must not put its passages beside what was meant."""
    texts = ["Compass roses of Peru.", "More about Peru.", *TEXTS]
    source = FakeSource(texts, vectors=[FAR, FAR, NEAR, FAR, FAR])
    result = run("hervir agua del arroyo en Peru", [source], FakeEmbedder({"hervir": NEAR}))
    assert kept(result)[0] == TEXTS[0]
    peru = next(c for c in result.considered if c.passage.text == texts[0])
    assert peru.lexical_rank and peru.fused < result.kept[0].fused


def test_keyword_hits_have_their_cosine_too() -> None:
    """Intent: what words found is compared by meaning as well where the source gives single vectors."""

    class Valued(FakeSource):
        def vector_values(self, rows: Sequence[int]) -> list[array[int]]:
            assert self._vectors is not None
            return [array("b", [round(100 * v) for v in self._vectors[row]]) for row in rows]

        def search_vector(self, query: array[float], limit: int) -> list[Hit]:
            return super().search_vector(query, 1)

    source = Valued(TEXTS, vectors=[NEAR, FAR, (0.6, 0.8)])
    result = run("safe water", [source], FakeEmbedder({"safe water": NEAR}))
    chlorine = next(c for c in result.considered if c.passage.text == TEXTS[2])
    assert chlorine.semantic_score == pytest.approx(0.6) and chlorine.semantic_rank == 2


def test_vectors_of_other_weights_are_not_compared() -> None:
    """Intent: cosines between two models mean nothing; then E5 reranks the keyword hits."""
    other = VectorModel("e5", "another revision", "q8", 2)
    source = FakeSource(TEXTS, vectors=[NEAR, FAR, FAR], model=other)
    result = run("boil river water", [source], FakeEmbedder({"boil": NEAR}))
    assert result.mode == "semantic-reranked"
    assert comparable(E5_VECTORS, E5)  # q8 vectors, q4 question: the same weights
    assert not comparable(other, E5)
    assert not comparable(VectorModel("e5", "r1", "q8", 3), E5)
    assert not comparable(None, E5) and not comparable(E5_VECTORS, None)


def test_reranking_orders_keyword_hits() -> None:
    """Intent: a source without vectors is ranked by meaning too, and starves none that has them."""
    plain = FakeSource(["water water", "boil water in a pot"], id="plain")
    embedder = FakeEmbedder({"how to boil": NEAR, "boil water in a pot": NEAR})
    result = run("how to boil water", [plain], embedder)
    assert result.mode == "semantic-reranked"
    assert kept(result)[0] == "boil water in a pot"
    both = run("how to boil water", [FakeSource(TEXTS, vectors=[FAR] * 3), plain], embedder)
    assert both.mode == "hybrid-full-vector"
    assert kept(both)[0] == "boil water in a pot" and both.kept[0].mode == "semantic-reranked"


def test_reranking_keeps_to_its_budget() -> None:
    """Intent: half a second a passage in the browser; what is not reached stays a keyword hit."""
    source = FakeSource([f"water number {n}" for n in range(30)])
    embedder = FakeEmbedder()
    result = run("water", [source], embedder, Clock(step=1_000.0))
    assert 0 < len(embedder.asked) - 1 < module.RERANKED
    assert len(result.considered) == 30


def test_reranking_begins_no_batch_that_it_has_no_time_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Intent: on a slow device one batch is most of the budget; a second would double the wait."""
    now = [0.0]
    embedder = FakeEmbedder()
    embed = embedder.embed_passages

    async def slow(texts: Sequence[str]) -> list[array[float]]:
        now[0] += 0.6 * module.RERANK_BUDGET_MS
        return await embed(texts)

    monkeypatch.setattr(embedder, "embed_passages", slow)
    result = run("water", [FakeSource([f"water number {n}" for n in range(30)])], embedder, lambda: now[0])
    assert sum(c.mode == "semantic-reranked" for c in result.considered) == module.RERANK_BATCH


def test_a_failing_embedder_costs_meaning_only() -> None:
    """Intent: degraded, with a note, never an exception; the engine hears of it."""
    embedder = FakeEmbedder()
    embedder.failure = WorkerCrashed("The embedder ran out of memory.")
    failed: list[tuple[str, CairnError]] = []
    result = run("boil water", [FakeSource(TEXTS, vectors=[NEAR, FAR, FAR])], embedder, failed=failed)
    assert result.mode == "lexical-fallback" and kept(result)[0] == TEXTS[0]
    assert any("ran out of memory" in note for note in result.notes)
    assert [(part, error.code) for part, error in failed] == [("meaning", "worker_crashed")]


def test_a_hanging_embedder_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """Intent: nothing hangs without a time-out."""
    monkeypatch.setattr(module, "EMBED_LIMIT_S", 0.02)
    embedder = FakeEmbedder()
    embedder.hangs = True
    failed: list[tuple[str, CairnError]] = []
    result = run("boil water", [FakeSource(TEXTS, vectors=[NEAR, FAR, FAR])], embedder, failed=failed)
    assert result.mode == "lexical-fallback" and result.notes
    assert failed[0][1].code == "timed_out"


def test_a_model_that_is_not_loaded_is_not_asked() -> None:
    embedder = FakeEmbedder()
    embedder.info = None
    assert run("boil water", [FakeSource(TEXTS)], embedder).mode == "lexical-fallback"
    assert embedder.asked == []


def test_other_dimensions_are_not_compared() -> None:
    embedder = FakeEmbedder()
    embedder.info = ModelInfo("e5", "r1", "q8", "wasm", dimensions=3)
    result = run("boil water", [FakeSource(TEXTS, vectors=[NEAR, FAR, FAR])], embedder)
    assert result.mode == "semantic-reranked"


def test_a_damaged_source_is_left_out() -> None:
    """Intent: one bad pack must not take the others with it."""
    result = run("boil water", [FakeSource(TEXTS, broken=True, id="bad"), FakeSource(TEXTS)])
    assert kept(result)[0] == TEXTS[0]
    assert result.notes == ["Bad could not be searched: Bad is damaged."]
    with pytest.raises(PackInvalid):
        run("boil water", [FakeSource(TEXTS, broken=True)])


def test_keyword_hits_come_first() -> None:
    """Intent: the page shows keyword hits before E5 or numpy are there, then better ones."""

    async def scenario() -> None:
        source = FakeSource(TEXTS, vectors=[NEAR, FAR, FAR])
        clock = Clock()
        stage = await search_words(analyse("water safe"), sources=[source], clock=clock)
        assert stage.result.mode == "lexical-fallback" and stage.result.kept
        result = await add_meaning(stage, embedder=FakeEmbedder({"water": NEAR}), clock=clock)
        assert result.mode == "hybrid-full-vector"
        assert {"lexical", "embed", "vectors"} <= result.timings.keys()

    asyncio.run(scenario())


def test_exclusions_reach_the_index() -> None:
    source = FakeSource(TEXTS)
    assert kept(run("water -chlorine", [source])) == [TEXTS[0]]


def test_exclusions_and_phrases_hold_for_meaning_too() -> None:
    """Intent: what a person rules out does not come back because it means the same."""
    source = FakeSource(TEXTS, vectors=[NEAR, FAR, NEAR])
    embedder = FakeEmbedder({"water": NEAR})
    assert TEXTS[2] not in kept(run("water -chlorine", [source], embedder))
    assert kept(run('water "river water"', [source], embedder)) == [TEXTS[0]]


def test_the_same_passages_by_any_order_of_calls() -> None:
    """Intent: a search leaves nothing behind that changes the next one."""
    source = FakeSource(TEXTS, vectors=[NEAR, FAR, FAR])
    first = run("boil water", [source], FakeEmbedder({"boil": NEAR}))
    run("compass", [source])
    again = run("boil water", [source], FakeEmbedder({"boil": NEAR}))
    assert kept(first) == kept(again)
    assert [c.fused for c in first.considered] == [c.fused for c in again.considered]
