"""A better standalone query by a model with a voice of its own, behind checks; else that of the rules.

Only a question that leans on what was before is rewritten, from the questions alone: answers, and
the passages they quote, never come into this prompt. What the model returns is taken when it is one
sentence, in the language of the conversation, says what the question says, carries something on, and
names nothing that the conversation does not name.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from contextlib import aclosing

from cairn.answering.conversation import PastTurn
from cairn.answering.evidence import neutralise
from cairn.answering.prompt import SAMPLING
from cairn.answering.reasoning import Separator
from cairn.answering.rewrite import Rewrite, tells
from cairn.errors import CairnError
from cairn.models.ports import ChatMessage, Delta, Generator
from cairn.passages.languages import UNKNOWN
from cairn.retrieval.analysis import analyse
from cairn.retrieval.overlap import keys

MOST_TOKENS = 128
LIMIT_S = 4.0
HISTORY_TOKENS = 300
LONGEST = 300
OWN_SHARE = 0.5
"""Part of the question's telling words that the rewrite must still have."""

_RULES = (
    "Rewrite the last question so that it can be understood without the others. Answer with one question "
    "in the same language and nothing else. Use only words of the conversation. /no_think"
)
_LABEL = re.compile(
    r"^(?:[\w ]{0,30}(?:question|query|rewrite|pregunta|frage|вопрос)\w*\s*[:：]\s*)", re.IGNORECASE
)
_MANY = re.compile(r"[.!?。！？؟।][\"'”»)]*\s+\S")


async def by_model(
    question: str, history: Sequence[PastTurn], rules: Rewrite, generator: Generator | None
) -> Rewrite:
    """The model's rewrite where it holds, ``rules`` otherwise; never raises for the model."""
    info = generator.info if generator is not None else None
    if generator is None or info is None or info.voice != "own" or not rules.rewritten:
        return rules
    try:
        async with asyncio.timeout(LIMIT_S):
            said = await _ask(question, history, generator)
    except (CairnError, TimeoutError) as error:
        return Rewrite(rules.query, True, rules.why, {**rules.details, "model": f"failed: {error}"})
    fault = check(said, question, history)
    if fault:
        return Rewrite(rules.query, True, rules.why, {**rules.details, "model": said[:200], "refused": fault})
    return Rewrite(said, True, "by the model", {"rules": rules.query})


async def _ask(question: str, history: Sequence[PastTurn], generator: Generator) -> str:
    lines = [" ".join(neutralise(turn.query).split())[:LONGEST] for turn in history]
    counts = await generator.count_tokens(lines) if lines else []
    while lines and sum(counts) > HISTORY_TOKENS:
        lines, counts = lines[1:], counts[1:]
    earlier = "\n".join(f"- {line}" for line in lines)
    asked = " ".join(neutralise(question).split())[:LONGEST]
    messages = [
        ChatMessage("system", _RULES),
        ChatMessage("user", f"Earlier questions:\n{earlier}\n\nLast question: {asked}"),
    ]
    separator, said = Separator(), ""
    parts = generator.generate(messages, max_new_tokens=MOST_TOKENS, sampling=SAMPLING)
    async with aclosing(parts) as stream:  # type: ignore[type-var]  # the port promises aclose()
        async for part in stream:
            if isinstance(part, Delta):
                said += "".join(text for kind, text in separator.feed(part.text) if kind == "text")
    said += "".join(text for kind, text in separator.finish() if kind == "text")
    return _LABEL.sub("", said.strip()).strip(" \"'“”«»")


def check(said: str, question: str, history: Sequence[PastTurn]) -> str:
    """Why a rewrite is not to be used, "" when it is."""
    if not 3 <= len(said) <= LONGEST or "\n" in said or _MANY.search(said):
        return "it is not one sentence"
    language, given = (
        analyse(said).language,
        analyse(f"{history[-1].query if history else ''} {question}").language,
    )
    if UNKNOWN not in (language, given) and language != given:
        return "it is in another language"
    own = {key for word in tells(question) for key in keys(word)}
    told = {key for word in tells(said) for key in keys(word)}
    known = {key for text in (question, *(turn.query for turn in history)) for key in keys(text)}
    if told - known:
        return "it names something new: " + ", ".join(sorted(told - known)[:3])
    if own and len(own & told) < OWN_SHARE * len(own):
        return "it says something else"
    return "" if told - own else "it carries nothing on"
