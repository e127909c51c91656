#!/usr/bin/env python3
"""What a model of heed answers, computed again with numpy from the files in its folder alone:
default text classifiers and taggers, texts of up to 512 tokens. docs/formats.md says the same in words.

    reference.py MODEL < LINES     a classifier: a text on each line → label, tab, probability
                                   a tagger: words between spaces → a line of tags
"""
import json
import pathlib
import sys

import numpy as np

from reference_linear import LinearCrf, Tfidf, best_tags
from reference_text import character_codes, ngram_buckets, prepared, words

folder = pathlib.Path(sys.argv[1])
config = json.loads((folder / "config.json").read_text())
raw = (folder / "model.safetensors").read_bytes()
size = int.from_bytes(raw[:8], "little")
W = {name: np.frombuffer(raw[8 + size:][slice(*t["data_offsets"])], "<f4").reshape(t["shape"])
     for name, t in json.loads(raw[8:8 + size]).items() if name != "__metadata__"}
read = lambda name: [line.rsplit("\t", 1)[0] for line in (folder / name).read_text().split("\n")[:-1]]
vocabulary = {word: i for i, word in enumerate(read("vocabulary.txt"))}
linear = lambda x, name: x @ W[name + ".weight"].T + W[name + ".bias"]


def embed(tokens, spelled):
    x = np.stack([W["input.words.weight"][vocabulary.get(prepared(token), 0)] for token in tokens])
    for row, word in enumerate(spelled):
        ids = ngram_buckets(word, config["input"]["char_ngrams"])
        if ids: x[row] += W["input.char_ngrams.weight"][ids].mean(0)
        if "input.char_cnn.out.weight" not in W: continue
        characters = W["input.char_cnn.characters.weight"][character_codes(word)]
        seen = convolve(characters, "input.char_cnn.filters")
        x[row] += linear(np.maximum(seen.max(0), 0), "input.char_cnn.out")
    return x


def convolve(x, name):
    weight = W[name + ".weight"]  # (out, in, taps)
    side = weight.shape[2] // 2
    padded = np.pad(x, ((side, side), (0, 0)))
    return sum(padded[t:t + len(x)] @ weight[:, :, t].T for t in range(weight.shape[2])) + W[name + ".bias"]


def averages(x):
    """Moving averages, whose gates say how much of the row before stays; half the columns from behind."""
    width = x.shape[1] // 2
    fresh, stays, h = np.tanh(x[:, :width]), 1 / (1 + np.exp(-x[:, width:])), np.zeros((len(x), width), "f4")
    for columns, rows in ((slice(0, width - width // 2), range(len(x))),
                          (slice(width - width // 2, width), range(len(x) - 1, -1, -1))):
        state = 0
        for row in rows:
            f = stays[row, columns]
            state = h[row, columns] = f * state + (1 - f) * fresh[row, columns]
    return h


def norm(x, name):
    centred = x - x.mean(1, keepdims=True)
    scale = np.sqrt((centred**2).mean(1, keepdims=True) + config["body"]["epsilon"])
    return centred / scale * W[name + ".weight"] + W[name + ".bias"]


def attend(x, name):
    heads = config["body"]["attention"]["heads"]
    q, k, v = (linear(x, f"{name}.{part}").reshape(len(x), heads, -1) for part in "qkv")
    half = q.shape[2] // 2
    angle = np.arange(len(x))[:, None, None] * 10000.0 ** (-np.arange(half) / half)  # rotary positions
    turn = lambda y: np.concatenate([y[..., :half] * np.cos(angle) - y[..., half:] * np.sin(angle),
                                     y[..., :half] * np.sin(angle) + y[..., half:] * np.cos(angle)], 2)
    scores = np.einsum("ihd,jhd->hij", turn(q), turn(k)) / np.sqrt(2 * half)
    distance = np.abs(np.arange(len(x))[:, None] - np.arange(len(x)))
    windows = config["body"]["attention"].get("windows") or [0]
    for head in range(heads):
        window = windows[-1 - (heads - 1 - head) % len(windows)]
        if window > 0: scores[head][distance > window] = -np.inf
    weights = np.exp(scores - scores.max(2, keepdims=True))
    weights /= weights.sum(2, keepdims=True)
    return linear(np.einsum("hij,jhd->ihd", weights, v).reshape(len(x), -1), name + ".out")


def body(x):
    branch = config["body"]["branch"]
    for i in range(config["body"]["layers"]):
        at = f"body.layers.{i}."
        if at + "convolution.taps.weight" in W:
            seen = convolve(norm(x, at + "convolution.norm"), at + "convolution.taps")
            x = x + branch * (averages(seen) if config["body"]["convolution"].get("recurrent") else np.maximum(seen, 0))
        x = x + branch * attend(norm(x, at + "norm1"), at + "attention")
        hidden = np.maximum(linear(norm(x, at + "norm2"), at + "feed_forward.in"), 0)
        x = x + branch * linear(hidden, at + "feed_forward.out")
    return norm(x, "body.norm") if "body.norm.weight" in W else x


names = config["output"]["names"]
wide = {"tfidf": Tfidf, "linear_crf": LinearCrf}.get(config["wide"]["kind"])
beside = wide(config, W, read).scores if wide else lambda words: 0
for line in sys.stdin.read().split("\n")[:-1]:
    if config["output"]["kind"] == "tags":
        sentence = line.split()
        scores = linear(body(embed(sentence, sentence)), "output.last") + beside(sentence)
        print(" ".join(names[tag] for tag in best_tags(config, W, scores)))
        continue
    tokens = words(prepared(line)) or [""]
    x = body(embed(tokens, tokens))
    logits = linear(np.concatenate([x.mean(0), x.max(0)]), "output.last")
    logits = config["wide"].get("network_weight", 1) * logits + beside(tokens)
    logits = logits / config["output"]["temperature"]
    p = np.exp(logits - logits.max()) / np.exp(logits - logits.max()).sum()
    print(f"{names[p.argmax()]}\t{p.max():.4f}")
