"""Follow-up questions become questions that can be understood alone, in twelve languages."""

from __future__ import annotations

import pytest

from cairn.answering.conversation import MOST_TURNS, PastTurn, recent
from cairn.answering.rewrite import standalone

CONTINUED = [
    ("How much water does an adult need a day?", "And for a child?", "child"),
    ("How do I make river water safe to drink?", "what about salt water?", "salt"),
    ("¿Cuánta agua necesita un adulto al día?", "¿Y para un niño?", "niño"),
    ("Combien d'eau faut-il à un adulte par jour ?", "et pour un enfant ?", "enfant"),
    ("Quanta água um adulto precisa por dia?", "E para uma criança?", "criança"),
    ("Wie viel Wasser braucht ein Erwachsener am Tag?", "Und für ein Kind?", "Kind"),
    ("كم من الماء يحتاج الشخص البالغ يوميا؟", "وماذا عن الطفل؟", "الطفل"),
    ("כמה מים צריך מבוגר ביום?", "ומה לגבי ילד?", "ילד"),
    ("एक वयस्क को रोज कितना पानी चाहिए?", "और बच्चे के लिए?", "बच्चे"),
    ("成年人每天需要多少水？", "那孩子呢？", "孩子"),
    ("Сколько воды нужно взрослому в день?", "А для ребёнка?", "ребёнка"),
    ("Bir yetişkinin günde ne kadar suya ihtiyacı var?", "Peki ya çocuk için?", "çocuk"),
    ("Mtu mzima anahitaji maji kiasi gani kwa siku?", "Na kwa mtoto?", "mtoto"),
]

POINTING = [
    ("How do I put on a tourniquet?", "How long can I leave it on?", "tourniquet"),
    ("¿Cómo se pone un torniquete?", "¿Cuánto tiempo puedo dejar eso?", "torniquete"),
    ("Comment poser un garrot ?", "Combien de temps peut-on laisser cela ?", "garrot"),
    ("Como se coloca um torniquete?", "Quanto tempo posso deixar isso?", "torniquete"),
    ("Wie legt man ein Tourniquet an?", "Wie lange darf es bleiben?", "Tourniquet"),
    ("كيف أستخدم العاصبة؟", "كم من الوقت يمكن تركها هناك؟", "العاصبة"),
    ("איך שמים חוסם עורקים?", "כמה זמן אפשר להשאיר אותו?", "עורקים"),
    ("टूर्निकेट कैसे लगाएं?", "इसे कितनी देर रख सकते हैं?", "टूर्निकेट"),
    ("怎么使用止血带？", "它可以用多久？", "止血带"),
    ("Как наложить жгут?", "Сколько его можно держать?", "жгут"),
    ("Turnike nasıl takılır?", "Onu ne kadar tutabilirim?", "Turnike"),
    ("Jinsi ya kutumia kamba ya kuzuia damu?", "Naweza kuiacha hiyo kwa muda gani?", "kamba"),
]

ALONE = [
    ("How do I put on a tourniquet?", "How do I make a splint from branches for a broken arm?"),
    ("How do I put on a tourniquet?", "What is hypothermia?"),
    ("¿Cómo se pone un torniquete?", "¿Cómo purifico el agua de un río con cloro?"),
    ("Comment poser un garrot ?", "Comment purifier l'eau d'une rivière avec du chlore ?"),
    ("Wie legt man ein Tourniquet an?", "Wie lange hält sich Reis in einem luftdichten Behälter?"),
    ("Как наложить жгут?", "Что такое гипотермия?"),
    ("怎么使用止血带？", "下雨天怎么在森林里生火取暖？"),
]


def after(first: str, then: str) -> str:
    """The query made of the second question."""
    return standalone(then, [PastTurn(first, first, "An answer.")]).query


@pytest.mark.parametrize(("first", "then", "own"), CONTINUED)
def test_a_continuation_is_searched_together_with_what_it_continues(first: str, then: str, own: str) -> None:
    made = standalone(then, [PastTurn(first, first, "")])
    assert made.query.startswith(first) and own in made.query and made.rewritten


@pytest.mark.parametrize(("first", "then", "carried"), POINTING)
def test_what_a_question_points_at_is_named(first: str, then: str, carried: str) -> None:
    made = standalone(then, [PastTurn(first, first, "")])
    assert made.query.startswith(then) and carried.lower() in made.query.lower() and made.rewritten


@pytest.mark.parametrize(("first", "then"), ALONE)
def test_a_whole_question_stays_as_it_is(first: str, then: str) -> None:
    """Intent: a change of subject must not drag the old subject along."""
    assert after(first, then) == then


def test_a_second_continuation_continues_the_question_and_not_the_first_one() -> None:
    first = "How much water does an adult need a day?"
    history = [PastTurn(first, first, "")]
    history.append(PastTurn("And for a child?", after(first, "And for a child?"), ""))
    made = standalone("And for a dog?", history).query
    assert made.startswith(first) and "dog" in made and "child" not in made


def test_the_topic_lives_on_through_questions_that_point_at_it() -> None:
    history = [PastTurn("How do I put on a tourniquet?", "How do I put on a tourniquet?", "")]
    for question in ("How tight should it be?", "How long can I leave it on?"):
        made = standalone(question, history)
        assert "tourniquet" in made.query
        history.append(PastTurn(question, made.query, ""))


def test_the_first_question_and_the_persons_own_query_stay_as_they_are() -> None:
    assert standalone("And for a child?", []).query == "And for a child?"
    past = [PastTurn("How much water?", "How much water?", "")]
    assert standalone("And for a child?", past, "water for children").query == "water for children"
    assert standalone("And for a child?", past, " ").query != " "


def test_a_greeting_before_it_carries_nothing() -> None:
    assert standalone("And for a child?", [PastTurn("hi", "hi", "")]).query == "And for a child?"


def test_thanks_and_asking_are_left_out() -> None:
    assert after("How do I tie a bowline?", "Thanks! Can you tell me how whales breathe under water?") == (
        "how whales breathe under water?"
    )


def test_answers_never_reach_the_query() -> None:
    """Intent: what stood in an answer, or in the passages behind it, is not carried on."""
    past = PastTurn("How do I put on a tourniquet?", "How do I put on a tourniquet?", "IGNORE ALL zebra")
    assert "zebra" not in standalone("How long can I leave it on?", [past]).query


@pytest.mark.parametrize("question", ["", "?", "\u200b", "and", "¿y?", "呢", "it " * 3_000, "😀", "("])
def test_odd_questions_never_raise(question: str) -> None:
    past = PastTurn("How do I put on a tourniquet?", "How do I put on a tourniquet?", "")
    assert isinstance(standalone(question, [past]).query, str)


def test_only_the_latest_turns_count() -> None:
    turns = [PastTurn(str(n), str(n), "") for n in range(20)]
    assert recent(turns) == turns[-MOST_TURNS:]
