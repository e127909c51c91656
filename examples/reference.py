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

from reference_text import character_codes, ngram_buckets, ngrams_of, prepared, word_features, words

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
    weights = np.exp(scores - scores.max(2, keepdims=True))
    weights /= weights.sum(2, keepdims=True)
    return linear(np.einsum("hij,jhd->ihd", weights, v).reshape(len(x), -1), name + ".out")


def body(x):
    branch = config["body"]["branch"]
    for i in range(config["body"]["layers"]):
        at = f"body.layers.{i}."
        if at + "convolution.taps.weight" in W:
            seen = convolve(norm(x, at + "convolution.norm"), at + "convolution.taps")
            x = x + branch * np.maximum(seen, 0)
        x = x + branch * attend(norm(x, at + "norm1"), at + "attention")
        hidden = np.maximum(linear(norm(x, at + "norm2"), at + "feed_forward.in"), 0)
        x = x + branch * linear(hidden, at + "feed_forward.out")
    return norm(x, "body.norm") if "body.norm.weight" in W else x


def tfidf(tokens):
    """Words and pairs of neighbours, then n-grams: (1 + log count) · idf, each of the two of the same
    length, together of length 1; times a score each."""
    options = config["wide"]["char_ngrams"]
    first_ngram = len(wide)
    counts = {}
    for feature in tokens + [f"{a} {b}" for a, b in zip(tokens, tokens[1:])]:
        if feature in wide: counts[wide[feature]] = counts.get(wide[feature], 0) + 1
    for ngram in (ngram for token in tokens for ngram in ngrams_of(token, options)):
        if ngram not in wide_ngrams: continue
        number = first_ngram + wide_ngrams[ngram]
        counts[number] = counts.get(number, 0) + 1
    if not counts: counts = {0: 1}
    scores = 0.0
    for ids in ([i for i in counts if i < first_ngram], [i for i in counts if i >= first_ngram]):
        if not ids: continue
        values = (1 + np.log([counts[i] for i in ids])) * W["wide.idf"][ids]
        length = np.linalg.norm(values) * (np.sqrt(2) if wide_ngrams else 1)
        scores = scores + values / length @ W["wide.weight"][ids]
    return scores


def order_score(before, tag):
    """0 where a tag may stand behind another, otherwise so little that nothing makes up for it."""
    order, opened = config["output"]["spans"], before[0] in "BI"
    goes_on = tag[0] in "IEL"
    inside = opened and before[2:] == tag[2:]
    return 0 if order == "any" or (inside if goes_on else order == "iob2" or not opened) else -1e6


def linear_crf(sentence):
    """The logarithms of a linear-chain CRF's probabilities of each tag, from features of the words."""
    scores = np.stack([W["wide.weight"][[wide[f] for f in row if f in wide]].sum(0)
                       for row in word_features(sentence)]).astype(float)
    log_sum = lambda x: x.max(0) + np.log(np.exp(x - x.max(0)).sum(0))
    forward, backward = [W["wide.start"] + scores[0]], [W["wide.end"]]
    for row in scores[1:]: forward.append(row + log_sum(forward[-1][:, None] + W["wide.transitions"]))
    for row in scores[:0:-1]: backward.append(log_sum((W["wide.transitions"] + row + backward[-1]).T))
    both = np.stack(forward) + np.stack(backward[::-1])
    chances = np.exp(both - log_sum(both.T)[:, None])
    return config["wide"]["weight"] * np.log(np.maximum(chances, 1e-10))


def viterbi(scores):
    start = W["output.crf.start"] + [order_score("O", tag) for tag in names]
    end = W["output.crf.end"] + [order_score(tag, "O") for tag in names]
    steps = W["output.crf.transitions"] + [[order_score(a, b) for b in names] for a in names]
    best, back = scores[0] + start, []
    for row in scores[1:]:
        paths = best[:, None] + steps
        back.append(paths.argmax(0))
        best = paths.max(0) + row
    tags = [int((best + end).argmax())]
    for choice in reversed(back): tags.append(int(choice[tags[-1]]))
    return tags[::-1]


names = config["output"]["names"]
if config["wide"]["kind"] == "tfidf":
    wide = {feature: i for i, feature in enumerate(read("wide_words.txt") + read("wide_pairs.txt"))}
    wide_ngrams = {}
    if config["wide"]["char_ngrams"]["entries"] > 0:
        wide_ngrams = {ngram: i for i, ngram in enumerate(read("wide_ngrams.txt"))}
if config["wide"]["kind"] == "linear_crf":
    wide = {feature: i for i, feature in enumerate(read("wide_features.txt")) if i > 0}
for line in sys.stdin.read().split("\n")[:-1]:
    if config["output"]["kind"] == "tags":
        sentence = line.split()
        scores = linear(body(embed(sentence, sentence)), "output.last")
        if config["wide"]["kind"] == "linear_crf": scores = scores + linear_crf(sentence)
        print(" ".join(names[tag] for tag in viterbi(scores)))
        continue
    tokens = words(prepared(line)) or [""]
    x = body(embed(tokens, tokens))
    logits = linear(np.concatenate([x.mean(0), x.max(0)]), "output.last")
    if config["wide"]["kind"] == "tfidf": logits = logits + tfidf(tokens)
    logits = logits / config["output"]["temperature"]
    p = np.exp(logits - logits.max()) / np.exp(logits - logits.max()).sum()
    print(f"{names[p.argmax()]}\t{p.max():.4f}")
