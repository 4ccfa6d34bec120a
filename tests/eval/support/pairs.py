"""Sentences with the passages they are judged by: supported, contradicted, unrelated.

Made from the starter pack and, where it is there, ``../shared/data/corpus``, always alike:

* *supported*: a sentence of the passage as it stands, without its last clause or its brackets, in other
  words (:data:`SAME`), with figures written in another way, or two sentences drawn together;
* *contradicted*: the same sentences with one figure or unit changed, a negation put in or taken out, or
  one word turned into its opposite (:data:`OPPOSITE`);
* *unrelated*: a sentence of another document of the same collection.
"""

from __future__ import annotations

import random
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cairn.passages.chunker import chunk
from cairn.passages.sentences import sentences

ROOT = Path(__file__).parents[3]
STARTER = ROOT / "packs" / "starter" / "docs"
CORPUS = ROOT.parent / "shared" / "data" / "corpus"
LANGUAGES = {"en": "eng", "es": "spa", "fr": "fra", "de": "deu", "eng": "eng", "spa": "spa", "fra": "fra"}
PER_DOCUMENT = 3
SEED = 17

SAME: dict[str, tuple[tuple[str, str], ...]] = {
    "eng": (
        ("do not", "never"),
        ("make sure", "ensure"),
        ("at once", "immediately"),
        ("immediately", "right away"),
        ("person", "casualty"),
        ("people", "persons"),
        ("begin", "start"),
        ("start", "begin"),
        ("about", "roughly"),
        ("doctor", "physician"),
        ("use", "take"),
        ("keep", "hold"),
        ("get", "obtain"),
        ("if", "when"),
        ("children", "kids"),
        ("large", "big"),
        ("quickly", "fast"),
        ("usually", "normally"),
        ("help", "aid"),
    ),
    "spa": (
        ("enseguida", "de inmediato"),
        ("persona", "víctima"),
        ("empiece", "comience"),
        ("use", "utilice"),
        ("unos", "alrededor de"),
        ("si", "cuando"),
        ("niños", "menores"),
        ("médico", "doctor"),
    ),
    "fra": (
        ("tout de suite", "immédiatement"),
        ("personne", "victime"),
        ("commencez", "débutez"),
        ("utilisez", "employez"),
        ("environ", "à peu près"),
        ("si", "quand"),
        ("enfants", "petits"),
    ),
    "deu": (
        ("sofort", "umgehend"),
        ("Person", "Betroffene"),
        ("beginnen", "anfangen"),
        ("etwa", "ungefähr"),
        ("wenn", "falls"),
        ("Arzt", "Doktor"),
        ("benutzen", "verwenden"),
        ("Kinder", "Kleinen"),
    ),
}
OPPOSITE: dict[str, tuple[tuple[str, str], ...]] = {
    "eng": (
        ("above", "below"),
        ("before", "after"),
        ("more", "less"),
        ("always", "never"),
        ("never", "always"),
        ("hot", "cold"),
        ("warm", "cold"),
        ("open", "closed"),
        ("safe", "dangerous"),
        ("up", "down"),
        ("increase", "decrease"),
        ("high", "low"),
        ("outside", "inside"),
        ("inside", "outside"),
        ("clean", "dirty"),
        ("slowly", "quickly"),
        ("left", "right"),
        ("under", "over"),
        ("wet", "dry"),
        ("dry", "wet"),
        ("far", "near"),
    ),
    "spa": (
        ("antes", "después"),
        ("más", "menos"),
        ("siempre", "nunca"),
        ("caliente", "fría"),
        ("fuera", "dentro"),
        ("dentro", "fuera"),
        ("encima", "debajo"),
        ("seguro", "peligroso"),
        ("limpio", "sucio"),
        ("alto", "bajo"),
    ),
    "fra": (
        ("avant", "après"),
        ("plus", "moins"),
        ("toujours", "jamais"),
        ("chaud", "froid"),
        ("dehors", "dedans"),
        ("dessus", "dessous"),
        ("sûr", "dangereux"),
        ("propre", "sale"),
        ("haut", "bas"),
        ("sec", "mouillé"),
    ),
    "deu": (
        ("vor", "nach"),
        ("mehr", "weniger"),
        ("immer", "nie"),
        ("warm", "kalt"),
        ("heiß", "kalt"),
        ("draußen", "drinnen"),
        ("über", "unter"),
        ("sicher", "gefährlich"),
        ("hoch", "niedrig"),
    ),
}
_NEGATION: dict[str, tuple[tuple[str, str], ...]] = {
    "eng": (
        (r"\b(do|does|did|is|are|was|can|should|will|must|may) not\b", r"\1"),
        (r"\b(cannot|can't)\b", "can"),
        (r"\bdon't\b", "do"),
        (r"\b(is|are|can|should|will|must|may|was|were)\b", r"\1 not"),
    ),
    "spa": ((r"\b[Nn]o (?=[a-záéíóúñ])", ""), (r"\b(es|son|puede|debe|está|están|hay)\b", r"no \1")),
    "fra": ((r"\b(?:ne|n') ?(\w+) pas\b", r"\1"), (r"\b(est|sont|peut|doit|faut)\b", r"n'\1 pas")),
    "deu": ((r"\b[Nn]icht\b ?", ""), (r"\b(ist|sind|kann|soll|darf|muss|wird)\b", r"\1 nicht")),
}
_LIST = re.compile(r"^(?:[-*•]|\d{1,2}[.)])\s+")
_WORDS = {"one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "ten": "10"}
_UNITS = (
    ("minutes", "hours"),
    ("hours", "days"),
    ("days", "weeks"),
    ("litres", "millilitres"),
    ("metres", "km"),
    ("minutos", "horas"),
    ("horas", "días"),
    ("minutes", "heures"),
    ("Minuten", "Stunden"),
)


@dataclass(frozen=True, slots=True)
class Pair:
    """A sentence to be judged by a passage."""

    label: str  # "supported", "contradicted" or "unrelated"
    how: str
    language: str
    title: str
    passage: str
    sentence: str


def documents(shared: bool) -> Iterator[tuple[str, str, str]]:
    """Collection, language and text of every document that is used."""
    for path in sorted(STARTER.rglob("*.md")):
        language = path.name.split(".")[-2]
        if language in LANGUAGES:
            yield (
                f"starter/{path.parent.name}",
                language,
                path.read_text(encoding="utf-8").split("+++", 2)[-1],
            )
    if shared and CORPUS.is_dir():
        for path in sorted([*CORPUS.rglob("*.txt"), *CORPUS.rglob("*.md")]):
            language = LANGUAGES.get(path.parent.name, "")
            if language:
                yield path.parent.parent.name, language, path.read_text(encoding="utf-8")[:60_000]


def pairs(*, shared: bool = True) -> list[Pair]:
    """All pairs, the same in every run."""
    dice = random.Random(SEED)
    rows: list[tuple[str, str, str, str, list[str]]] = []
    for collection, language, text in documents(shared):
        title = next((line.lstrip("# ") for line in text.splitlines() if line.startswith("# ")), "")
        found = []
        for span in chunk(text, title):
            passage = text[span.start : span.end]
            said = [_LIST.sub("", " ".join(passage[a:b].split())) for a, b in sentences(passage, language)]
            said = [line for line in said if 45 <= len(line) <= 260 and line[-1:] in ".!" and "|" not in line]
            if said:
                found.append((collection, language, title, passage, said))
        rows += dice.sample(found, min(PER_DOCUMENT, len(found)))
    made = []
    for number, (collection, language, title, passage, said) in enumerate(rows):
        line = said[dice.randrange(len(said))]
        how, sentence = _supported(line, said, language, number)
        made.append(Pair("supported", how, language, title, passage, sentence))
        wrong = [
            w for line in sorted(said, key=lambda s: s != line) for w in _contradicted(line, language, dice)
        ]
        if wrong:
            by_kind = {kind: text for kind, text in reversed(wrong)}
            kind = sorted(by_kind)[number % len(by_kind)]
            made.append(Pair("contradicted", kind, language, title, passage, by_kind[kind]))
        others = [r for r in rows if r[0] == collection and r[1] == language and r[2] != title]
        if others:
            other = others[dice.randrange(len(others))]
            made.append(Pair("unrelated", "same collection", language, title, passage, dice.choice(other[4])))
    return made


def _supported(line: str, said: list[str], language: str, number: int) -> tuple[str, str]:
    changed = line
    for before, after in SAME[language]:
        changed = re.sub(rf"\b{before}\b", after, changed)
    shorter = re.sub(r"\s*\([^)]*\)", "", line)
    head, comma, _ = shorter.rpartition(", ")
    if comma and len(head) >= 35:
        shorter = head + "."
    figures = re.sub(r"\b(" + "|".join(_WORDS) + r")\b(?= \w)", lambda m: _WORDS[m[1]], line)
    at = said.index(line)
    both = line.rstrip(".!") + "; " + said[at + 1] if at + 1 < len(said) else line
    ways = [
        ("as it stands", line),
        ("in other words", changed),
        ("shorter", shorter),
        ("figures", figures),
        ("two", both),
    ]
    different = [way for way in ways if way[1] != line]
    return [ways[0], *different][number % (len(different) + 1)]


def _contradicted(line: str, language: str, dice: random.Random) -> list[tuple[str, str]]:
    found = []
    numbers = list(re.finditer(r"(?<![\w.,-])\d{1,4}(?![\w.,]*\d)(?!\s*[-–]\s*\d)", line))
    if numbers:
        match = numbers[dice.randrange(len(numbers))]
        other = str(int(match[0]) * 2 + 3)
        found.append(("figure", line[: match.start()] + other + line[match.end() :]))
        for before, after in _UNITS:
            if re.search(rf"\d {before}\b", line):
                found.append(("unit", re.sub(rf"(?<=\d ){before}\b", after, line, count=1)))
                break
    for pattern, instead in _NEGATION[language]:
        if re.search(pattern, line):
            found.append(("negation", re.sub(pattern, instead, line, count=1)))
            break
    for before, after in OPPOSITE[language]:
        if re.search(rf"\b{before}\b", line):
            found.append(("opposite", re.sub(rf"\b{before}\b", after, line, count=1)))
            break
    return found


if __name__ == "__main__":
    for pair in pairs()[: int(sys.argv[1]) if len(sys.argv) > 1 else 20]:
        print(pair.label, pair.how, "|", pair.sentence)
