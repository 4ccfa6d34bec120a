"""What the readiness strip says of the archives."""

from __future__ import annotations

from cairn.protocol import Cell
from cairn.sources.library import Library


def archives_cell(library: Library | None) -> Cell:
    """None, n archives, one being copied, or one whose file must be chosen again."""
    infos = library.shelf.infos() if library is not None else []
    if library is None or not infos:
        return {"state": "off", "label": "No archives yet", "action": ""}
    if not library.shelf.opened:
        return {"state": "starting", "label": "Opening archives", "action": ""}
    waiting = [info for info in infos if info["archive"]["state"] == "absent"]
    failed = [info for info in infos if info["archive"]["state"] == "failed"]
    if waiting:
        more = f" and {len(waiting) - 1} more" if len(waiting) > 1 else ""
        label = f"“{waiting[0]['title']}”{more}: open the file again"
        return {"state": "degraded", "label": label, "action": "Open again"}
    if failed:
        return {"state": "degraded", "label": failed[0]["archive"]["problem"], "action": ""}
    label = "1 archive" if len(infos) == 1 else f"{len(infos)} archives"
    for source_id, (done, total) in library.shelf.copying.items():
        title = next((info["title"] for info in infos if info["id"] == source_id), "")
        label = f"Copying “{title}”"
        return {
            "state": "ready",
            "label": label,
            "action": "",
            "done": done,
            "total": total,
            "unit": "bytes",
        }
    return {"state": "ready", "label": label, "action": ""}
