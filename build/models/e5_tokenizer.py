"""The XLM-R tokenizer of multilingual-e5 as a Hugging Face `tokenizer.json`, and its config files."""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np

from build.errors import BuildError
from build.models.e5_weights import E5Weights

# sentencepiece 0.2.0 carries the nmt_nfkc table as a constant in its compiled module. It is cut out
# there instead of being asked for by `import sentencepiece`: that release has no wheel for Python
# 3.13, and later ones follow a newer Unicode than the model was trained with.
_CHARSMAP_HEAD = bytes.fromhex("00b40200008400000000008001000080")
_CHARSMAP_BYTES = 237_561
_CHARSMAP_SHA256 = "51d3684747b35ef99cd4802f37cc1ee0c6bec4d060814f774efb1066d3c167f2"

_SPECIAL = ("<s>", "<pad>", "</s>", "<unk>")


def charsmap(module: Path) -> bytes:
    """Cut the normalisation table out of sentencepiece's compiled module."""
    data = module.read_bytes()
    start = data.find(_CHARSMAP_HEAD)
    table = data[start : start + _CHARSMAP_BYTES] if start >= 0 else b""
    if hashlib.sha256(table).hexdigest() != _CHARSMAP_SHA256:
        raise BuildError("sentencepiece's module does not hold the expected nmt_nfkc table.")
    return table


def write(model: E5Weights, table: bytes, folder: Path) -> None:
    """Write tokenizer.json, tokenizer_config.json and config.json."""
    if model.pieces[:4] != _SPECIAL or model.pieces[-1] != "<mask>":
        raise BuildError("The vocabulary of the E5 weights does not start and end as XLM-R's does.")
    compact = json.dumps(_tokenizer(model, table), ensure_ascii=False, separators=(",", ":"))
    (folder / "tokenizer.json").write_text(compact, "utf-8")
    for name, value in (("tokenizer_config", _tokenizer_config()), ("config", _config(model))):
        (folder / f"{name}.json").write_text(json.dumps(value, indent=1) + "\n", "utf-8")


def _tokenizer(model: E5Weights, table: bytes) -> dict[str, Any]:
    mask = len(model.pieces) - 1
    metaspace = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [*(_added(i, text) for i, text in enumerate(_SPECIAL)), _added(mask, "<mask>", True)],
        "normalizer": {
            "type": "Sequence",
            "normalizers": [
                # The zero-width joiner became a space in XLM-R's older table.
                {"type": "Replace", "pattern": {"String": "\u200d"}, "content": " "},
                {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(table).decode()},
                {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "},
            ],
        },
        "pre_tokenizer": metaspace,
        "post_processor": _template(),
        "decoder": metaspace,
        "model": {
            "type": "Unigram",
            "unk_id": 3,
            "vocab": [
                [piece, float(np.float32(score))]
                for piece, score in zip(model.pieces, model.scores, strict=True)
            ],
            "byte_fallback": False,
        },
    }


def _added(index: int, text: str, strip_left: bool = False) -> dict[str, Any]:
    flags = {
        "single_word": False,
        "lstrip": strip_left,
        "rstrip": False,
        "normalized": False,
        "special": True,
    }
    return {"id": index, "content": text, **flags}


def _template() -> dict[str, Any]:
    def special(text: str) -> dict[str, Any]:
        return {"SpecialToken": {"id": text, "type_id": 0}}

    def sequence(name: str) -> dict[str, Any]:
        return {"Sequence": {"id": name, "type_id": 0}}

    start, end = special("<s>"), special("</s>")
    return {
        "type": "TemplateProcessing",
        "single": [start, sequence("A"), end],
        "pair": [start, sequence("A"), end, end, sequence("B"), end],
        "special_tokens": {
            text: {"id": text, "ids": [index], "tokens": [text]} for text, index in (("<s>", 0), ("</s>", 2))
        },
    }


def _tokenizer_config() -> dict[str, Any]:
    return {
        "tokenizer_class": "XLMRobertaTokenizer",
        "model_max_length": 512,
        "clean_up_tokenization_spaces": False,
        "bos_token": "<s>",
        "eos_token": "</s>",
        "sep_token": "</s>",
        "cls_token": "<s>",
        "unk_token": "<unk>",
        "pad_token": "<pad>",
        "mask_token": "<mask>",
    }


def _config(model: E5Weights) -> dict[str, Any]:
    return {
        "_name_or_path": "multilingual-e5-small",
        "architectures": ["BertModel"],
        "model_type": "bert",
        "tokenizer_class": "XLMRobertaTokenizer",
        "hidden_size": model.hidden,
        "num_hidden_layers": model.layers,
        "num_attention_heads": model.heads,
        "intermediate_size": model.feed_forward,
        "hidden_act": "gelu",
        "max_position_embeddings": model.positions,
        "type_vocab_size": model.types,
        "vocab_size": len(model.pieces),
        "layer_norm_eps": 1e-12,
        "pad_token_id": 1,
        "position_embedding_type": "absolute",
        "attention_probs_dropout_prob": 0.1,
        "hidden_dropout_prob": 0.1,
        "initializer_range": 0.02,
    }
