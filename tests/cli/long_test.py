#!/usr/bin/env python3
"""Texts that are longer than a model reads at a time: truncated, or read in segments.

    long_test.py HEED
"""

import json
import pathlib
import random
import sys
import tempfile

from program import COMMON, TOPICS, Heed, conllu, csv, sentences

LONGEST = 8
SMALL = ["--preset", "tiny", "--epochs", "12", "--workers", "2", "--rate", "0.01", "--set",
         "training.batch_rows=256", "--set", "training.average=0.9"]
CLASSIFIER = [*SMALL, "--truncate", LONGEST, "--no-wide"]  # TF-IDF reads the whole text
ALL_OF_IT = [*SMALL, "--truncate", 0, "--no-wide"]


def late_texts(count, seed=1):
    """Texts whose first words say nothing about their label."""
    dice = random.Random(seed)
    pairs = []
    for i in range(count):
        label = sorted(TOPICS)[i % len(TOPICS)]
        words = dice.choices(COMMON, k=LONGEST + dice.randint(0, 2 * LONGEST))
        for word in dice.choices(TOPICS[label], k=3):
            words.insert(dice.randint(LONGEST, len(words)), word)
        pairs.append((" ".join(words), label))
    return pairs


def accuracy(heed, model, data):
    return json.loads(heed.done("evaluate", model, data, "--json"))["accuracy"]["value"]


def classify(heed):
    """What stands beyond the first words is not seen by a model that truncates, only by others."""
    (heed.folder / "x.csv").write_text(csv(late_texts(600)))
    (heed.folder / "t.csv").write_text(csv(late_texts(300, seed=2)))
    heed.done("train", "classify", "x.csv", "-o", "cut", *CLASSIFIER)
    config = json.loads((heed.folder / "cut/config.json").read_text())
    assert config["input"]["truncation"] == LONGEST and config["body"]["segment"] == 512, config
    assert accuracy(heed, "cut", "t.csv") < 0.5
    for body in ["attention", "bag", "lstm", "bag,attention"]:
        segment = ["--segment", LONGEST] if "attention" in body else []
        heed.done("train", "classify", "x.csv", "-o", body, "--body", body, *ALL_OF_IT, *segment)
        score = accuracy(heed, body, "t.csv")
        assert score > 0.97, (body, score)
    # A text of many pieces.
    text = " ".join(["the old red"] * 2000 + ["hammer"] + ["of a new"] * 2000)
    answer = heed.done("predict", "attention", input=text.encode() + b"\n")
    assert len(answer.splitlines()) == 1, answer
    # However many share the work.
    assert heed.done("predict", "attention", "t.csv", "--workers", "1") == \
        heed.done("predict", "attention", "t.csv", "--workers", "3")


def long_sentences(count, seed=1):
    """Some of one clause, some of many."""
    dice = random.Random(seed)
    clauses = sentences(4 * count, seed)
    return [sum(dice.choices(clauses, k=dice.choice([1, 1, 5])), []) for _ in range(count)]


def tag(heed):
    """Every word gets a tag, unless a model was asked to truncate."""
    (heed.folder / "x.conllu").write_text(conllu(long_sentences(200)))
    test = long_sentences(60, seed=2)
    (heed.folder / "t.conllu").write_text(conllu(test))
    words = sum(len(sentence) for sentence in test)
    beyond = sum(max(0, len(sentence) - LONGEST) for sentence in test)
    assert beyond > words / 4
    for name, options, silent in [("T", [], 0), ("C", ["--crf"], 0),
                                  ("A", ["--body", "attention", "--segment", LONGEST], 0),
                                  ("short", ["--truncate", LONGEST], beyond)]:
        heed.done("train", "tag", "x.conllu", "-o", name, *SMALL, *options)
        tags = [line.split("\t")[3] for line in heed.done("predict", name, "t.conllu").splitlines()
                if line.split("\t")[0].isdigit()]
        assert len(tags) == words and tags.count("_") == silent, (name, tags.count("_"), silent)
        truth = [kind for sentence in test for _, kind in sentence]
        right = sum(one == other for one, other in zip(tags, truth))
        score = json.loads(heed.done("evaluate", name, "t.conllu", "--json"))
        assert score["tokens"] == words, score
        assert abs(score["token_accuracy"]["value"] - right / words) < 1e-12, (score, right, words)
        assert right > 0.95 * (words - silent), (name, right, words, silent)
        answers = [json.loads(line)["words"] for line in
                   heed.done("predict", name, "t.conllu", "--json").splitlines()]
        assert sum("probability" not in word for line in answers for word in line) == silent


def main():
    with tempfile.TemporaryDirectory() as folder:
        heed = Heed(pathlib.Path(sys.argv[1]), folder)
        classify(heed)
        tag(heed)


if __name__ == "__main__":
    main()
