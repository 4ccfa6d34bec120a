"""A pack's recipe: a folder with ``pack.toml`` and Markdown documents with TOML front matter.

The form of the documents is described in ``packs/starter/README.md``. Faults are PackInvalid and
name the file.
"""

from __future__ import annotations

import hashlib
import tomllib
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from cairn.errors import PackInvalid
from cairn.passages.types import Span
from cairn.sources.packs.fields import Fields
from cairn.sources.packs.manifest import DocumentEntry
from cairn.sources.packs.texts import normalise_text, text_fault

RECIPE = "pack.toml"
_FENCE = "+++"


@dataclass(frozen=True, slots=True)
class RecipeDocument:
    """A document as it goes into the pack: its entry, its text and how that is cut already, if it is.

    ``spans`` cover the text without gaps; without any the chunker cuts.
    """

    entry: DocumentEntry
    text: str
    spans: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a pack is made from; documents sorted by id."""

    id: str
    title: str
    version: str
    notice: str
    licence: str
    documents: tuple[RecipeDocument, ...]


def load_recipe(folder: Path) -> Recipe:
    """Read ``pack.toml`` and every document that its ``docs`` globs name.

    Raises PackInvalid when a file is missing, malformed or lacks a licence, or two ids agree.
    """
    fields = Fields(_toml(_read(folder / RECIPE), RECIPE), "", lambda why: _fault(RECIPE, why))
    licence = fields.text("licence", 500)
    recipe_values = fields.text("id", 80), fields.text("title", 200), fields.text("version", 120)
    documents: dict[str, RecipeDocument] = {}
    for path in _document_paths(folder):
        document = _document(folder, path, licence)
        if document.entry.id in documents:
            raise _fault(_shown(folder, path), f"the id {document.entry.id} is used twice")
        documents[document.entry.id] = document
    if not documents:
        raise _fault(RECIPE, "its docs name no file")
    ordered = tuple(documents[key] for key in sorted(documents))
    return Recipe(*recipe_values, fields.optional_text("notice", 2000), licence, ordered)


def _document_paths(folder: Path) -> list[Path]:
    globs = _toml(_read(folder / RECIPE), RECIPE).get("docs")
    if not isinstance(globs, list) or not all(isinstance(item, str) for item in globs):
        raise _fault(RECIPE, "docs is not a list of globs")
    return sorted({path for item in globs for path in folder.glob(item) if path.is_file()})


def _document(folder: Path, path: Path, licence: str) -> RecipeDocument:
    shown = _shown(folder, path)
    front, body = _split(_read(path), shown)
    fields = Fields(front, "", lambda reason: _fault(shown, reason))
    references = tuple(
        (reference.text("title", 500), reference.url("url"))
        for reference in fields.objects("references", 0, 100, required=False)
    )
    if fields.has("source_url"):
        source_url = fields.url("source_url")
    elif references:
        # The published format wants an address; our own words rest on their references.
        source_url = references[0][1]
    else:
        raise _fault(shown, "it has neither source_url nor references")
    text = normalise_text(body)
    fault = text_fault(text)
    if fault:
        raise _fault(shown, fault)
    entry = DocumentEntry(
        id=fields.text("id", 160),
        title=unicodedata.normalize("NFC", fields.text("title", 500)),
        language=fields.text("language", 3),
        collection=unicodedata.normalize("NFC", fields.text("collection", 200)),
        source_url=source_url,
        licence=fields.optional_text("licence", 500) or licence,
        sha256=hashlib.sha256(text.encode()).hexdigest(),
        references=references,
    )
    suffixes = path.name.split(".")[1:-1]
    if suffixes and suffixes[-1] != entry.language:
        raise _fault(shown, f"its name says {suffixes[-1]} and its language is {entry.language}")
    return RecipeDocument(entry, text)


def _split(text: str, shown: str) -> tuple[dict[str, object], str]:
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    if lines[0].rstrip() != _FENCE or _FENCE not in [line.rstrip() for line in lines[1:]]:
        raise _fault(shown, "it has no front matter between two lines +++")
    end = next(n for n, line in enumerate(lines[1:], start=1) if line.rstrip() == _FENCE)
    return _toml("\n".join(lines[1:end]), shown), "\n".join(lines[end + 1 :])


def _toml(text: str, shown: str) -> dict[str, object]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _fault(shown, f"its TOML is wrong ({error})") from error


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise _fault(path.name, "it is not there") from error
    except UnicodeDecodeError as error:
        raise _fault(path.name, "it is not UTF-8") from error


def _shown(folder: Path, path: Path) -> str:
    return path.relative_to(folder).as_posix()


def _fault(name: str, reason: str) -> PackInvalid:
    return PackInvalid(f"{name} cannot go into a pack: {reason}.", hint="Correct the file.")
