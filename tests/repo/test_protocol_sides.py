"""The JavaScript and MicroPython sides speak the protocol of pysrc/cairn/protocol, no other."""

from __future__ import annotations

import re
from pathlib import Path

from cairn import protocol
from cairn.errors import ERRORS

ROOT = Path(__file__).resolve().parents[2]
SIDES = [
    *sorted((ROOT / "web").rglob("*.py")),
    *sorted((ROOT / "web").rglob("*.mjs")),
    *sorted((ROOT / "workers").rglob("*.mjs")),
]
KNOWN = (
    set(protocol.ENGINE_METHODS)
    | protocol.ENGINE_NOTIFICATIONS
    | set(protocol.EMBED_METHODS)
    | protocol.EMBED_NOTIFICATIONS
    | set(protocol.GENERATE_METHODS)
    | protocol.GENERATE_NOTIFICATIONS
    | set(protocol.PDF_METHODS)
)
AREAS = "|".join(sorted({name.split(".")[0] for name in KNOWN}))
NAME = re.compile(rf"""["'`]((?:{AREAS})\.[a-z_]+)["'`]""")


def names_used(paths: list[Path]) -> dict[str, str]:
    """Protocol-like names written as strings, with the file they stand in."""
    found: dict[str, str] = {}
    for path in paths:
        for name in NAME.findall(path.read_text(encoding="utf-8")):
            found[name] = str(path.relative_to(ROOT))
    return found


def test_every_name_used_outside_python_is_in_the_protocol() -> None:
    """Intent: a renamed or misspelled method fails here, not on a person's device."""
    used = names_used(SIDES)
    assert used, "no side was found"
    assert not {name: where for name, where in used.items() if name not in KNOWN}


def test_workers_serve_every_method_of_their_border() -> None:
    """Intent: what the engine may ask of a worker is there to be asked."""
    for worker, table in (
        ("embed.mjs", protocol.EMBED_METHODS),
        ("generate.mjs", protocol.GENERATE_METHODS),
        ("pdf-text.mjs", protocol.PDF_METHODS),
    ):
        used = names_used([ROOT / "workers" / worker])
        assert set(table) <= set(used), f"{worker} lacks {sorted(set(table) - set(used))}"


def test_the_page_understands_every_event_of_an_answer() -> None:
    """Intent: an event that the engine sends and the page drops would be a silent loss."""
    page = "\n".join(p.read_text(encoding="utf-8") for p in sorted((ROOT / "web/ui").glob("*.py")))
    missing = [e for e in sorted(protocol.ASK_EVENTS) if f'"{e}"' not in page]
    assert not missing


def test_channel_and_lock_names_agree() -> None:
    """Intent: two spellings of the lock would give two engines over one database."""
    script = "\n".join(p.read_text(encoding="utf-8") for p in sorted((ROOT / "web").glob("*.mjs")))
    assert f'"{protocol.ENGINE_LOCK}"' in script
    assert f'"{protocol.CHANNEL}"' in script
    for name in protocol.CHANNEL_MESSAGES:
        assert f'"{name}"' in script, name


def test_error_codes_are_unique_and_rebuildable() -> None:
    """Intent: every typed error survives the border with its class, sentence and hint."""
    for code, cls in ERRORS.items():
        error = cls("A sentence.", hint="A step.", retryable=True)
        back = protocol.decode_error(protocol.encode_error(error))
        assert type(back) is cls
        assert (back.code, back.message, back.hint, back.retryable) == (
            code,
            "A sentence.",
            "A step.",
            True,
        )
