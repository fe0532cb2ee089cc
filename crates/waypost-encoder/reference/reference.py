"""Writes the small random models that the tests read, and what an independent implementation makes
of them: tokenizers by hand, a forward pass in numpy with 64-bit floats.

    python3 crates/waypost-encoder/reference/reference.py

It needs numpy alone, and writes the same bytes every time.
"""

import json
import math
import struct
import unicodedata
from pathlib import Path

import numpy

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"

TEXTS = [
    "tides near the harbor tomorrow",
    "Sea temperature, 12.5 degrees?",
    "",
    "a",
    "UNKNOWABLE zzz the",
    "Crème brûlée near Hà Nội",
    "明天海溫",
    "  spaces   and\ttabs\n",
    "the tide the sea the harbor the sea the tide near the sea and the harbor the sea the tide "
    "near the harbor and the sea tomorrow and the day after and the day after that",
]

WORDS = """the sea tide temperature harbor near tomorrow day after that degrees in of and what is how
warm cold water moon sun show me map for week creme brulee ha noi spaces tabs""".split()
PIECES = "##s ##r ##h ##e ##d ##g ##ing ##ow ##able ##er ##a ##z".split()
LETTERS = list("abcdefghijklmnopqrstuvwxyz0123456789.,?!") + list("明天海")


# --- tokenizers, by hand ------------------------------------------------------------------------


def is_han(char):
    return 0x4E00 <= ord(char) <= 0x9FFF


def is_punctuation(char):
    return char in "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~" or unicodedata.category(char)[0] == "P"


def wordpiece(text, vocabulary):
    decomposed = unicodedata.normalize("NFD", text)
    plain = "".join(c for c in decomposed if unicodedata.category(c) != "Mn").lower()
    spaced = "".join(f" {c} " if is_han(c) or is_punctuation(c) else c for c in plain)
    ids = [vocabulary["[CLS]"]]
    for word in spaced.split():
        pieces, start = [], 0
        while start < len(word):
            for end in range(len(word), start, -1):
                piece = ("##" if start else "") + word[start:end]
                if piece in vocabulary:
                    pieces.append(vocabulary[piece])
                    start = end
                    break
            else:
                pieces = [vocabulary["[UNK]"]]
                break
        ids += pieces
    return ids + [vocabulary["[SEP]"]]


def unigram(text, vocabulary):
    """The cut with the greatest sum of scores; what has no piece costs 10 below the least score."""
    index = {piece: at for at, (piece, _) in enumerate(vocabulary)}
    scores = [score for _, score in vocabulary]
    unknown, penalty = index["<unk>"], min(scores) - 10.0
    text = unicodedata.normalize("NFKC", text)
    ids = [index["<s>"]]
    for word in text.split():
        word = "▁" + word
        best = [(0.0, 0, 0)] + [(-math.inf, 0, 0)] * len(word)
        for start in range(len(word)):
            if best[start][0] == -math.inf:
                continue
            for end in range(start + 1, len(word) + 1):
                at = index.get(word[start:end])
                if at is not None and best[start][0] + scores[at] > best[end][0]:
                    best[end] = (best[start][0] + scores[at], start, at)
            if word[start] not in index and best[start][0] + penalty > best[start + 1][0]:
                best[start + 1] = (best[start][0] + penalty, start, unknown)
        pieces, end = [], len(word)
        while end > 0:
            _, start, at = best[end]
            # Neighbors that are both unknown are one unknown token.
            if not (at == unknown and pieces and pieces[-1] == unknown):
                pieces.append(at)
            end = start
        ids += reversed(pieces)
    return ids + [index["</s>"]]


def cut(ids, longest):
    return ids if len(ids) <= longest else ids[: longest - 1] + ids[-1:]


# --- the forward pass ---------------------------------------------------------------------------


def erf(values):
    return numpy.vectorize(math.erf)(values)


def normalized(rows, gain, shift, epsilon):
    mean = rows.mean(axis=1, keepdims=True)
    variance = ((rows - mean) ** 2).mean(axis=1, keepdims=True)
    return (rows - mean) / numpy.sqrt(variance + epsilon) * gain + shift


def forward(ids, tensors, config, pooling):
    tensor = {name: values.astype(numpy.float64) for name, values in tensors.items()}
    epsilon, heads = config["layer_norm_eps"], config["num_attention_heads"]
    first = 0 if config["model_type"] == "bert" else config["pad_token_id"] + 1
    rows = tensor["embeddings.word_embeddings.weight"][ids]
    rows = rows + tensor["embeddings.position_embeddings.weight"][first : first + len(ids)]
    rows = rows + tensor["embeddings.token_type_embeddings.weight"][0]
    norm = lambda rows, name: normalized(
        rows, tensor[f"{name}.weight"], tensor[f"{name}.bias"], epsilon
    )
    rows = norm(rows, "embeddings.LayerNorm")
    for layer in range(config["num_hidden_layers"]):
        at = f"encoder.layer.{layer}"
        dense = lambda rows, name: rows @ tensor[f"{at}.{name}.weight"].T + tensor[f"{at}.{name}.bias"]
        split = lambda rows: rows.reshape(len(ids), heads, -1).transpose(1, 0, 2)
        query, key, value = (split(dense(rows, f"attention.self.{p}")) for p in ("query", "key", "value"))
        scores = query @ key.transpose(0, 2, 1) / math.sqrt(query.shape[-1])
        shares = numpy.exp(scores - scores.max(axis=-1, keepdims=True))
        shares /= shares.sum(axis=-1, keepdims=True)
        mixed = (shares @ value).transpose(1, 0, 2).reshape(len(ids), -1)
        rows = norm(rows + dense(mixed, "attention.output.dense"), f"{at}.attention.output.LayerNorm")
        between = dense(rows, "intermediate.dense")
        between = between * 0.5 * (1.0 + erf(between / math.sqrt(2.0)))
        rows = norm(rows + dense(between, "output.dense"), f"{at}.output.LayerNorm")
    vector = rows.mean(axis=0) if pooling == "mean" else rows[0]
    return vector / numpy.linalg.norm(vector)


# --- files --------------------------------------------------------------------------------------


def stored(values, dtype):
    """The bytes of a tensor, and the numbers that a reader of those bytes has."""
    values = values.astype(numpy.float32)
    if dtype == "F32":
        return values.tobytes(), values
    if dtype == "F16":
        return values.astype(numpy.float16).tobytes(), values.astype(numpy.float16).astype(numpy.float32)
    upper = (values.view(numpy.uint32) >> 16).astype(numpy.uint16)
    return upper.tobytes(), (upper.astype(numpy.uint32) << 16).view(numpy.float32)


def random_tensors(config, seed):
    random = numpy.random.default_rng(seed)
    hidden, between = config["hidden_size"], config["intermediate_size"]
    tensors = {
        "embeddings.word_embeddings.weight": random.normal(0, 0.5, (config["vocab_size"], hidden)),
        "embeddings.position_embeddings.weight": random.normal(
            0, 0.3, (config["max_position_embeddings"], hidden)
        ),
        "embeddings.token_type_embeddings.weight": random.normal(
            0, 0.3, (config["type_vocab_size"], hidden)
        ),
    }

    def norm(name):
        tensors[f"{name}.weight"] = random.normal(1, 0.1, hidden)
        tensors[f"{name}.bias"] = random.normal(0, 0.1, hidden)

    def dense(name, inputs, outputs):
        tensors[f"{name}.weight"] = random.normal(0, 1.2 / math.sqrt(inputs), (outputs, inputs))
        tensors[f"{name}.bias"] = random.normal(0, 0.1, outputs)

    norm("embeddings.LayerNorm")
    for layer in range(config["num_hidden_layers"]):
        at = f"encoder.layer.{layer}"
        for part in ("query", "key", "value"):
            dense(f"{at}.attention.self.{part}", hidden, hidden)
        dense(f"{at}.attention.output.dense", hidden, hidden)
        norm(f"{at}.attention.output.LayerNorm")
        dense(f"{at}.intermediate.dense", hidden, between)
        dense(f"{at}.output.dense", between, hidden)
        norm(f"{at}.output.LayerNorm")
    return tensors


def write_tensors(path, tensors, dtype, prefix):
    header, data, read = {"__metadata__": {"format": "pt"}}, b"", {}
    for name, values in tensors.items():
        encoded, read[name] = stored(values, dtype)
        offsets = [len(data), len(data) + len(encoded)]
        header[prefix + name] = {"dtype": dtype, "shape": list(values.shape), "data_offsets": offsets}
        data += encoded
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)
    return read


def write_json(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def added(tokens):
    keys = ("single_word", "lstrip", "rstrip", "normalized")
    return [
        {"id": at, "content": token, "special": True} | dict.fromkeys(keys, False)
        for token, at in tokens
    ]


def template(begin, end, ids):
    special = lambda token: {"SpecialToken": {"id": token, "type_id": 0}}
    text = lambda name: {"Sequence": {"id": name, "type_id": 0}}
    return {
        "type": "TemplateProcessing",
        "single": [special(begin), text("A"), special(end)],
        "pair": [special(begin), text("A"), special(end), text("B"), special(end)],
        "special_tokens": {
            token: {"id": token, "ids": [ids[token]], "tokens": [token]} for token in (begin, end)
        },
    }


def bert_tokenizer():
    tokens = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"] + WORDS + PIECES + LETTERS
    vocabulary = {token: at for at, token in enumerate(dict.fromkeys(tokens))}
    description = {
        "version": "1.0",
        # As published files have it: whoever reads this has to switch both off.
        "truncation": {"max_length": 6, "strategy": "LongestFirst", "stride": 0, "direction": "Right"},
        "padding": {
            "strategy": {"Fixed": 16},
            "direction": "Right",
            "pad_to_multiple_of": None,
            "pad_id": 0,
            "pad_type_id": 0,
            "pad_token": "[PAD]",
        },
        "added_tokens": added([(token, vocabulary[token]) for token in tokens[:5]]),
        "normalizer": {
            "type": "BertNormalizer",
            "clean_text": True,
            "handle_chinese_chars": True,
            "strip_accents": None,
            "lowercase": True,
        },
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": template("[CLS]", "[SEP]", vocabulary),
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
        "model": {
            "type": "WordPiece",
            "unk_token": "[UNK]",
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
            "vocab": vocabulary,
        },
    }
    return description, len(vocabulary), lambda text: wordpiece(text, vocabulary)


def xlmr_tokenizer():
    pieces = ["<s>", "<pad>", "</s>", "<unk>"]
    pieces += ["▁" + word for word in WORDS] + ["▁"] + LETTERS
    pieces += ["er", "ing", "able", "è", "ê", "û", "ộ", "海溫", "明天", "▁H", "▁N"]
    pieces = list(dict.fromkeys(pieces))
    # Longer pieces are likelier than their letters; no two cuts of a text have the same sum.
    vocabulary = [
        [piece, 0.0 if at < 4 else round(-6.0 + 0.9 * len(piece) - 0.0137 * at, 6)]
        for at, piece in enumerate(pieces)
    ]
    ids = {piece: at for at, piece in enumerate(pieces)}
    tokens = added([(piece, ids[piece]) for piece in pieces[:4]])
    tokens.append(tokens[0] | {"id": len(pieces), "content": "<mask>", "lstrip": True})
    description = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": tokens,
        "normalizer": {"type": "NFKC"},
        "pre_tokenizer": {
            "type": "Sequence",
            "pretokenizers": [
                {"type": "WhitespaceSplit"},
                {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True},
            ],
        },
        "post_processor": template("<s>", "</s>", ids),
        "decoder": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True},
        "model": {"type": "Unigram", "unk_id": 3, "vocab": vocabulary, "byte_fallback": False},
    }
    return description, len(pieces) + 1, lambda text: unigram(text, vocabulary)


def write_model(name, config, tokenizer, pooling, dtype, prefix, seed):
    folder = FIXTURES / name
    description, size, ids_of = tokenizer
    config = {"architectures": ["Model"], "hidden_act": "gelu", "vocab_size": size} | config
    write_json(folder / "config.json", config)
    write_json(folder / "tokenizer.json", description)
    modules = ["Transformer", "Pooling", "Normalize"]
    write_json(
        folder / "modules.json",
        [
            {"idx": at, "name": str(at), "path": f"{at}_{kind}" if at else "", "type": f"models.{kind}"}
            for at, kind in enumerate(modules)
        ],
    )
    write_json(
        folder / "1_Pooling/config.json",
        {"pooling_mode_cls_token": pooling == "cls", "pooling_mode_mean_tokens": pooling == "mean"},
    )
    read = write_tensors(folder / "model.safetensors", random_tensors(config, seed), dtype, prefix)
    first = 0 if config["model_type"] == "bert" else config["pad_token_id"] + 1
    cases = []
    for text in TEXTS:
        ids = cut(ids_of(text), config["max_position_embeddings"] - first)
        vector = forward(ids, read, config, pooling)
        cases.append({"text": text, "ids": ids, "vector": [round(float(x), 9) for x in vector]})
    lines = ",\n".join(json.dumps(case, ensure_ascii=False) for case in cases)
    (folder / "reference.json").write_text(f"[\n{lines}\n]\n", encoding="utf-8")


def main():
    bert = {
        "model_type": "bert",
        "hidden_size": 48,
        "num_attention_heads": 3,
        "intermediate_size": 80,
        "num_hidden_layers": 2,
        "max_position_embeddings": 32,
        "type_vocab_size": 2,
        "layer_norm_eps": 1e-12,
        "pad_token_id": 0,
    }
    write_model("bert", bert, bert_tokenizer(), "mean", "F32", "", 1)
    xlmr = {
        "model_type": "xlm-roberta",
        # Sizes that fit no register evenly.
        "hidden_size": 35,
        "num_attention_heads": 5,
        "intermediate_size": 101,
        "num_hidden_layers": 3,
        "max_position_embeddings": 34,
        "type_vocab_size": 1,
        "layer_norm_eps": 1e-5,
        "pad_token_id": 1,
    }
    write_model("xlm-roberta", xlmr, xlmr_tokenizer(), "cls", "F16", "roberta.", 2)
    small = bert | {"hidden_size": 16, "num_attention_heads": 1, "intermediate_size": 24, "num_hidden_layers": 1}
    write_model("bert-bf16", small, bert_tokenizer(), "mean", "BF16", "bert.", 3)


if __name__ == "__main__":
    main()
