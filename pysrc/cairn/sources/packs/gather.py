"""Documents for a pack from wherever they are: a folder of files, a recipe that lists them, an archive.

A recipe is a JSON or TOML file: an object with ``id``, ``title``, ``version``, ``licence``, ``notice``
and ``documents`` (JSON may be the list alone), each document with ``path`` beside the recipe and what
is known of it. What a document does not say comes from the wishes of the maker, what those leave
open from the file. Faults are PackInvalid and name the file.
"""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cairn.errors import PackInvalid
from cairn.passages.languages import iso639_3
from cairn.sources.packs.fields import Fields
from cairn.sources.packs.manifest import DocumentEntry
from cairn.sources.packs.reading import READABLE, ReadText, read_text
from cairn.sources.packs.recipe import RECIPE, Recipe, RecipeDocument, load_recipe
from cairn.sources.packs.texts import normalise_text, text_fault

NOT_STATED = "not stated"
_NOT_IN_IDS = re.compile(r"[^a-z0-9._-]+")
_ENDED_BY_LANGUAGE = re.compile(r"[._-]([a-z]{2,3})$")


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the maker of a pack says for all documents that do not say it themselves."""

    id: str = ""
    title: str = ""
    version: str = ""
    licence: str = ""
    language: str = ""
    collection: str = ""
    notice: str = ""
    allow_missing_licence: bool = False


def gather(source: Path, wishes: Wishes = Wishes()) -> Recipe:
    """A recipe from a folder (with or without ``pack.toml``), a recipe file or a ZIM archive.

    Raises PackInvalid naming the file and the fault.
    """
    if source.is_dir():
        if (source / RECIPE).is_file() and _lists_globs(source / RECIPE):
            return load_recipe(source)
        listed = source / RECIPE if (source / RECIPE).is_file() else None
        return _listed(listed, wishes) if listed else _folder(source, wishes)
    if not source.is_file():
        raise fault(source.name, "it is not there")
    if source.suffix.lower() in (".json", ".toml"):
        return _listed(source, wishes)
    if source.suffix.lower() == ".zim":
        from cairn.sources.packs.from_archive import gather_archive

        return gather_archive(source, wishes)
    raise fault(source.name, "it is no folder, recipe (.json, .toml) or ZIM archive")


def _lists_globs(recipe: Path) -> bool:
    return "docs" in _parsed(recipe)


def _folder(folder: Path, wishes: Wishes) -> Recipe:
    """Every readable file below a folder; the folder a file lies in is its collection."""
    paths = sorted(path for path in folder.rglob("*") if path.suffix.lower() in READABLE and path.is_file())
    if not paths:
        raise fault(folder.name, f"there is no file that can be read ({', '.join(sorted(READABLE))})")
    gathered = Gathered(wishes)
    for path in paths:
        shown = path.relative_to(folder).as_posix()
        if any(part.startswith(".") for part in path.relative_to(folder).parts):
            continue
        collection = path.parent.name if path.parent != folder else ""
        gathered.add(shown, read_text(path, shown), {"collection": collection})
    return gathered.recipe({"id": slug(folder.resolve().name), "title": folder.resolve().name})


def _listed(recipe: Path, wishes: Wishes) -> Recipe:
    """The documents that a recipe file lists; those of a kind that is not read are refused."""
    value = _parsed(recipe)
    top: dict[str, Any] = value if isinstance(value, dict) else {"documents": value}
    documents = top.get("documents")
    if not isinstance(documents, list) or not documents:
        raise fault(recipe.name, "documents is not a list of documents")
    gathered = Gathered(wishes, str(top.get("licence") or top.get("license") or ""))
    root = recipe.parent.resolve()
    for number, said in enumerate(documents):
        fields = Fields(said, f"documents[{number}]", lambda why: fault(recipe.name, why))
        shown = fields.text("path", 1000)
        path = (root / shown).resolve()
        if not path.is_relative_to(root):
            raise fault(shown, "it lies outside the recipe's folder")
        gathered.add(shown, read_text(path, shown), said)
    name = slug(recipe.resolve().parent.name)
    return gathered.recipe({"id": name, "title": recipe.resolve().parent.name, **top})


def _parsed(recipe: Path) -> Any:
    try:
        text = recipe.read_text(encoding="utf-8-sig")
        return tomllib.loads(text) if recipe.suffix.lower() == ".toml" else json.loads(text)
    except UnicodeDecodeError as error:
        raise fault(recipe.name, "it is not UTF-8") from error
    except ValueError as error:
        raise fault(recipe.name, f"it cannot be understood ({error})") from error


class Gathered:
    """Collects documents and gives each what the format wants."""

    def __init__(self, wishes: Wishes, licence: str = "") -> None:
        self._wishes = wishes
        self._licence = wishes.licence or licence
        self._documents: dict[str, RecipeDocument] = {}

    def add(self, name: str, read: ReadText, said: dict[str, Any]) -> None:
        """Take a document in; ``said`` wins over what the file says, then come the wishes."""
        said = {**read.said, **{key: value for key, value in said.items() if value not in (None, "")}}
        text = normalise_text(read.text.removeprefix("\ufeff"))
        wrong = text_fault(text)
        if wrong:
            raise fault(name, wrong)
        fields = Fields(said, "", lambda why: fault(name, why))
        source_url = next((fields.url(key) for key in ("source_url", "sourceUrl") if fields.has(key)), "")
        if not source_url and str(said.get("source", "")).startswith(("http://", "https://")):
            source_url = fields.url("source")
        identifier = self._free_id(str(said.get("id", "")) or slug(name))
        self._documents[identifier] = RecipeDocument(
            DocumentEntry(
                id=identifier,
                title=_one_line(said.get("title") or read.title or Path(name).stem, 500),
                language=self._language(name, said),
                collection=_one_line(said.get("collection") or self._wishes.collection or "General", 200),
                source_url=source_url,
                licence=self._licence_of(name, said),
                sha256=hashlib.sha256(text.encode()).hexdigest(),
                references=tuple(
                    (reference.text("title", 500), reference.url("url"))
                    for reference in fields.objects("references", 0, 100, required=False)
                ),
            ),
            text,
        )

    def recipe(self, top: dict[str, Any]) -> Recipe:
        """The recipe of all documents, sorted by id; ``top`` is what is said of the pack."""
        wishes = self._wishes
        if not self._documents:
            raise fault(str(top["title"]), "it has no document with text")
        return Recipe(
            id=wishes.id or slug(str(top["id"]))[:80] or "pack",
            title=_one_line(wishes.title or top["title"], 200),
            version=_one_line(wishes.version or str(top.get("version", "1")), 120),
            notice=_one_line(wishes.notice or str(top.get("notice", "")), 2000),
            licence=self._licence,
            documents=tuple(self._documents[key] for key in sorted(self._documents)),
        )

    def _language(self, name: str, said: dict[str, Any]) -> str:
        given = str(said.get("language") or said.get("lang") or "")
        if given:
            return iso639_3(given)
        ending = _ENDED_BY_LANGUAGE.search(Path(name).stem.lower())
        return iso639_3(self._wishes.language or (ending.group(1) if ending else ""))

    def _licence_of(self, name: str, said: dict[str, Any]) -> str:
        licence = said.get("licence") or said.get("license") or self._licence
        if not licence and not self._wishes.allow_missing_licence:
            raise PackInvalid(
                f"{name} cannot go into a pack: its licence is not stated.",
                hint="State it in the recipe, give --licence, or say --allow-missing-licence.",
            )
        return _one_line(licence or NOT_STATED, 500)

    def _free_id(self, wanted: str) -> str:
        return next(name for name in _numbered(wanted) if name not in self._documents)


def _numbered(name: str) -> Iterator[str]:
    yield name
    number = 2
    while True:
        yield f"{name[:150]}-{number}"
        number += 1


def slug(name: str) -> str:
    """A name as an id: ``Water/Boil it.md`` → ``water-boil-it``; what is lost is replaced by a hash."""
    stem = re.sub(r"\.[A-Za-z0-9]{1,8}$", "", name)
    plain = unicodedata.normalize("NFKD", stem).encode("ascii", "ignore").decode().lower()
    cut = _NOT_IN_IDS.sub("-", plain).strip("-._")
    letters = sum(char.isalnum() for char in stem)
    if sum(char.isalnum() for char in cut) < letters or len(cut) > 120:
        cut = f"{cut[:110]}-{hashlib.sha256(name.encode()).hexdigest()[:8]}".strip("-._")
    return cut


def _one_line(value: object, most: int) -> str:
    return unicodedata.normalize("NFC", " ".join(str(value).split()))[:most].strip()


def fault(name: str, reason: str) -> PackInvalid:
    """The error of a file that cannot go into a pack."""
    return PackInvalid(f"{name} cannot go into a pack: {reason}.", hint="Correct the file or leave it out.")
