"""Which model to load and how, decided from the catalogue and the device. No browser in here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from cairn.errors import ModelUnavailable
from cairn.models.ports import ModelInfo

CATALOGUE = "models.json"
NEED_F16 = {"fp16", "q4f16", "q2f16", "q1f16"}


@dataclass(frozen=True, slots=True)
class Device:
    """What workers/device.mjs found."""

    threads: int
    gpu: bool
    f16: bool

    @classmethod
    def of(cls, found: Mapping[str, Any]) -> Device:
        """From its JavaScript record."""
        return cls(int(found["threads"]), bool(found["gpu"]), bool(found["f16"]))


@dataclass(frozen=True, slots=True)
class Choice:
    """One way to run one model here."""

    entry: Mapping[str, Any]
    device: Literal["webgpu", "wasm"]
    dtype: str
    files: list[dict[str, Any]]

    @property
    def info(self) -> ModelInfo:
        """What is loaded when this choice is."""
        return ModelInfo(
            id=str(self.entry["id"]),
            revision=str(self.entry.get("revision", "")),
            dtype=self.dtype,
            device=self.device,
            dimensions=int(self.entry.get("dimensions") or 0),
            context=int(self.entry.get("context") or 0),
            voice="sources" if self.entry.get("voice") == "sources" else "own",
        )

    def params(self, device: Device, base: str) -> dict[str, Any]:
        """Parameters of ``embed.load`` and ``generate.load``."""
        model = str(self.entry["id"])
        files = [
            {
                "url": f"{base}models/{model}/{file['path']}",
                "path": str(file["path"]),
                "bytes": int(file["bytes"]),
                "sha256": str(file["sha256"]),
            }
            for file in self.files
        ]
        return {
            "model": model,
            "device": self.device,
            "dtype": self.dtype,
            "files": files,
            "threads": device.threads,
        }


def choices(catalogue: Mapping[str, Any], role: str, device: Device) -> list[Choice]:
    """Ways to run the default model of a role on this device, best first; raises ModelUnavailable."""
    models = [m for m in catalogue.get("models", []) if m.get("role") == role]
    entry = next((m for m in models if m.get("default")), None)
    if entry is None:
        raise ModelUnavailable(f"This build ships no {role}.", hint="Use a build that has one.")
    found: list[Choice] = []
    for name in ("webgpu", "wasm"):
        way = entry["files"].get(name)
        if way is None or (name == "webgpu" and not usable_on_gpu(str(way["dtype"]), device)):
            continue
        found.append(Choice(entry, name, str(way["dtype"]), list(way["files"])))
    if not found:
        raise ModelUnavailable(
            f"{entry.get('name', entry['id'])} needs a graphics processor that this device lacks.",
            hint="Searching by words still works.",
        )
    return found


def usable_on_gpu(dtype: str, device: Device) -> bool:
    """16-bit weights give wrong numbers or errors on adapters without shader-f16."""
    return device.gpu and (dtype not in NEED_F16 or device.f16)
