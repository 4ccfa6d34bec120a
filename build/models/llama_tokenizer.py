"""SmolLM2's byte-level BPE tokenizer, chat template and config files, out of its GGUF."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from build.models.llama_weights import LlamaWeights

_CONTROL = 3  # GGUF's token type of special tokens
_BOS, _EOS, _PAD = 1, 2, 2  # as in the model's own generation_config


def write(model: LlamaWeights, folder: Path) -> None:
    """Write tokenizer.json, tokenizer_config.json, config.json and generation_config.json."""
    compact = json.dumps(_tokenizer(model), ensure_ascii=False, separators=(",", ":"))
    (folder / "tokenizer.json").write_text(compact, "utf-8")
    generation = {"bos_token_id": _BOS, "eos_token_id": _EOS, "pad_token_id": _PAD}
    configs = {
        "tokenizer_config": _tokenizer_config(model),
        "config": _config(model),
        "generation_config": generation,
    }
    for name, value in configs.items():
        text = json.dumps(value, ensure_ascii=False, indent=1) + "\n"
        (folder / f"{name}.json").write_text(text, "utf-8")


def _tokenizer(model: LlamaWeights) -> dict[str, Any]:
    tokens: list[str] = model.field("tokenizer.ggml.tokens")
    types: list[int] = model.field("tokenizer.ggml.token_type")
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    digits = {"type": "Digits", "individual_digits": True}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {"id": i, "content": token, **flags} for i, token in enumerate(tokens) if types[i] == _CONTROL
        ],
        "normalizer": None,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [digits, byte_level]},
        "post_processor": None,
        "decoder": byte_level,
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": False,
            "vocab": {token: i for i, token in enumerate(tokens)},
            "merges": [merge.split(" ", 1) for merge in model.field("tokenizer.ggml.merges")],
        },
    }


def _tokenizer_config(model: LlamaWeights) -> dict[str, Any]:
    tokens: list[str] = model.field("tokenizer.ggml.tokens")

    def special(name: str) -> str:
        return tokens[int(model.field(f"tokenizer.ggml.{name}_token_id"))]

    return {
        "tokenizer_class": "GPT2Tokenizer",
        "add_prefix_space": False,
        "add_bos_token": False,
        "bos_token": special("bos"),
        "eos_token": special("eos"),
        "pad_token": special("padding"),
        "unk_token": special("unknown"),
        "model_max_length": model.context,
        "clean_up_tokenization_spaces": False,
        "chat_template": model.field("tokenizer.chat_template"),
    }


def _config(model: LlamaWeights) -> dict[str, Any]:
    return {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "hidden_size": model.hidden,
        "num_hidden_layers": model.layers,
        "num_attention_heads": model.heads,
        "num_key_value_heads": model.kv_heads,
        "head_dim": model.head_size,
        "intermediate_size": model.feed_forward,
        "hidden_act": "silu",
        "vocab_size": model.vocabulary,
        "max_position_embeddings": model.context,
        "rms_norm_eps": model.epsilon,
        "rope_theta": model.rope_base,
        "tie_word_embeddings": True,
        "bos_token_id": _BOS,
        "eos_token_id": _EOS,
        "pad_token_id": _PAD,
        "torch_dtype": "float32",
        "use_cache": True,
    }
