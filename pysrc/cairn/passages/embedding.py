"""What of a passage is given to the embedder: packs and imports must embed alike."""

from __future__ import annotations


def embedding_text(title: str, locator: str, text: str) -> str:
    """The passage after its title and heading, where it does not already start with them.

    A passage is read out of context; its heading often names the subject that its sentences do
    not. The embedder's own prefix (``passage: ``) is added by the embedder.
    """
    body = text.strip()
    opening = body[:400].casefold()
    context = [part for part in dict.fromkeys((title, locator)) if part and part.casefold() not in opening]
    return "\n".join([*context, body])
