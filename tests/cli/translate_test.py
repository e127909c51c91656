#!/usr/bin/env python3
"""Texts that are written for texts: trained, evaluated, searched for.

    translate_test.py HEED
"""

import gzip
import json
import os
import pathlib
import pty
import random
import signal
import subprocess
import sys
import tempfile

from program import Heed

WORDS = {"rot": "red", "blau": "blue", "alt": "old", "neu": "new", "Hund": "dog", "Katze": "cat",
         "Haus": "house", "sieht": "sees", "und": "and", "ein": "a"}
SMALL = ["--width", "32", "--layers", "1", "--decoder-layers", "1", "--workers", "2", "--rate", "0.01",
         "--dropout", "0", "--smoothing", "0", "--vocabulary", "60", "--target-vocabulary", "60",
         "--set", "training.batch_rows=300", "--set", "training.average=0.9"]


def pairs(count, seed=1):
    """Sentences, and their translation word by word, the first word last."""
    dice = random.Random(seed)
    result = []
    for _ in range(count):
        words = dice.choices(sorted(WORDS), k=dice.randint(1, 6))
        result.append((" ".join(words), " ".join(WORDS[word] for word in words[1:] + words[:1])))
    return result


def write(heed, name, data):
    (heed.folder / f"{name}.de").write_text("".join(f"{source}\n" for source, _ in data))
    (heed.folder / f"{name}.en").write_text("".join(f"{target}\n" for _, target in data))


def learns(heed):
    """From two files to translations that are right."""
    write(heed, "train", pairs(1500))
    write(heed, "test", pairs(60, seed=2))
    heed.done("train", "translate", "train.de", "train.en", "-o", "m", *SMALL, "--epochs", "20",
              "--test", "test.de", "test.en")
    report = heed.done("evaluate", "m", "test.de", "test.en")
    assert "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:" in report, report
    scores = json.loads(heed.done("evaluate", "m", "test.de", "test.en", "--json"))
    low, high = scores["bleu"]["interval"]
    assert low <= scores["bleu"]["value"] <= high and scores["bleu"]["value"] > 80, scores
    metrics = json.loads((heed.folder / "m/metrics.json").read_text())
    assert metrics["held_out"]["measure"] == "BLEU" and metrics["bleu"] == scores["bleu"], metrics


def answers(heed):
    """predict: a line for each text, several with --top, JSON, drawn ones."""
    lines = heed.done("predict", "m", "test.de").splitlines()
    expected = (heed.folder / "test.en").read_text().splitlines()
    assert len(lines) == len(expected)
    right = sum(a == b for a, b in zip(lines, expected))
    assert right > 0.8 * len(expected), right
    # However many share the work, and one by one.
    assert heed.done("predict", "m", "test.de", "--workers", "1").splitlines() == lines
    two = heed.done("predict", "m", input="Hund sieht\n\n".encode()).split("\n")
    assert len(two) == 3 and two[0] != "" and two[1] == two[2] == "", two
    best = heed.done("predict", "m", "--top", "3", input=b"Hund sieht\n").split("\n")
    assert len(best) == 5 and best[3] == best[4] == "", best
    scores = [float(line.split("\t")[1]) for line in best[:3]]
    assert scores == sorted(scores, reverse=True), scores
    one = json.loads(heed.done("predict", "m", "--json", "--top", "2", input=b"Hund\n"))
    assert one["source"] == "Hund" and "dog" in one["text"] and len(one["answers"]) == 2, one
    assert one["score"] == one["answers"][0]["score"] <= 0, one
    for beam in ["1", "2", "12"]:
        assert len(heed.done("predict", "m", "test.de", "--beam", beam).splitlines()) == len(lines)
    drawn = [heed.done("predict", "m", "test.de", "--temperature", "2", "--seed", seed)
             for seed in ("1", "1", "2")]
    assert drawn[0] == drawn[1] != drawn[2]
    assert heed.done("predict", "m", "test.de", "--temperature", "2", "--top-k", "1").splitlines() == \
        heed.done("predict", "m", "test.de", "--beam", "1").splitlines()
    short = heed.done("predict", "m", "test.de", "--longest", "1").splitlines()
    assert all(len(line.split()) <= 1 for line in short), short
    # A source of 10,000 tokens, and a script that was never seen.
    long = heed.done("predict", "m", input=("Hund " * 10000 + "\n漢字 кот\n").encode())
    assert long.count("\n") == 2, long


def typed(heed):
    """Lines that are typed are answered in bits, which are the same texts."""
    text = "Hund sieht alt Katze\n\nneu Haus\n"
    expected = heed.done("predict", "m", input=text.encode())
    keyboard, terminal = pty.openpty()
    run = subprocess.Popen(heed.command("predict", "m"), cwd=heed.folder, stdin=terminal,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0)
    os.close(terminal)
    os.write(keyboard, text.encode())
    first = run.stdout.readline().decode()  # without an end of the input
    os.write(keyboard, b"\x04")
    rest = run.communicate()[0].decode()
    assert first + rest == expected, (first, rest, expected)
    os.close(keyboard)
    assert run.returncode == 0


def measured(heed):
    """bench: what a model writes in a second, and what it wrote."""
    lines = heed.done("bench", "decode", "--model", "m", "--texts", "test.de", "--batch", "16",
                      "--written", "w", "--seconds", "0", "--json").splitlines()
    for line, beam in zip(map(json.loads, lines), (1, 5)):
        texts = [json.loads(text) for text in (heed.folder / f"w.{beam}").read_text().splitlines()]
        assert len(texts) == 60 and all(text["source"] for text in texts), texts
        tokens = sum(len(text["written"]) for text in texts)
        assert abs(line["tokens_per_second"] * line["seconds"] - tokens) < 0.01, (line, tokens)
    heed.fails("expected both, or neither", "bench", "decode", "--model", "m")
    heed.fails("only with --mode decode", "bench", "--model", "m", "--texts", "test.de")


def tables(heed):
    """The same from tables and packed files, with any body, and resumed."""
    rows = pairs(200)
    (heed.folder / "p.tsv").write_text("de\ten\n" + "".join(f"{a}\t{b}\n" for a, b in rows))
    (heed.folder / "p.jsonl").write_text(
        "".join(json.dumps({"text": a, "summary": b}) + "\n" for a, b in rows))
    for name in ("train.de", "train.en"):
        with gzip.open(heed.folder / f"{name}.gz", "wb") as file:
            file.write((heed.folder / name).read_bytes())
    quick = [*SMALL, "--epochs", "1"]
    heed.done("train", "translate", "p.tsv", "-o", "t", *quick, "--body", "lstm")
    heed.done("evaluate", "t", "p.tsv")
    heed.done("train", "translate", "p.tsv", "-o", "u", *quick, "--source-column", "en",
              "--target-column", "de", "--target-tokenizer", "word")
    assert "en" == json.loads((heed.folder / "u/config.json").read_text())["columns"]["text"]
    heed.done("train", "summarize", "p.jsonl", "-o", "s", *quick)
    assert "ROUGE-L" in heed.done("evaluate", "s", "p.jsonl")
    heed.done("train", "translate", "train.de.gz", "train.en.gz", "-o", "z", *quick, "--dev",
              "test.de", "test.en")
    assert "decoder" in heed.done("describe", "m")
    # One vocabulary for both sides: no second tokenizer, and the same answers from the folder.
    heed.done("train", "translate", "p.tsv", "-o", "v", *quick, "--shared-vocabulary")
    assert not list((heed.folder / "v").glob("target.*")), list((heed.folder / "v").iterdir())
    config = json.loads((heed.folder / "v/config.json").read_text())
    assert config["input"]["entries"] == config["output"]["entries"] > 0, config
    assert len(heed.done("predict", "v", "test.de").splitlines()) == 60


def resumes(heed):
    """A run that was stopped goes on to the same model."""
    flags = [*SMALL, "--epochs", "2", "--set", "training.checkpoint_steps=5"]
    heed.done("train", "translate", "train.de", "train.en", "-o", "whole", *flags)
    run = heed.start("train", "translate", "train.de", "train.en", "-o", "part", *flags)
    state = heed.folder / "part/checkpoint/state.safetensors"
    while run.poll() is None and not state.exists():
        pass
    run.send_signal(signal.SIGINT)
    run.communicate()
    if run.returncode != 0:
        heed.done("train", "--resume", "part")
    weights = "model.safetensors"
    assert (heed.folder / "whole" / weights).read_bytes() == (heed.folder / "part" / weights).read_bytes()


def mistakes(heed):
    """Each ends with a sentence."""
    folder = heed.folder
    (folder / "short.en").write_text("a\nb\n")
    (folder / "gap.en").write_text("red\n" * 3 + "\n" + "red\n" * 1496)
    heed.fails("has no line beside it: short.en ends after line 2", "train", "translate", "train.de",
          "short.en", "-o", "x")
    heed.fails("gap.en:4: is empty, but line 4 of train.de is not", "train", "translate", "train.de",
          "gap.en", "-o", "x")
    heed.fails("expected two files", "train", "translate", "train.de", "-o", "x")
    heed.fails("both as source and as target", "train", "translate", "train.de", "train.de", "-o",
          "x")
    for beam in ("0", "10000"):
        heed.fails("--beam", "predict", "m", "test.de", "--beam", beam)
    heed.fails("--top-p", "predict", "m", "test.de", "--top-p", "0")
    heed.fails("--top 2000: expected at most 1000", "predict", "m", "test.de", "--top", "2000")
    heed.fails("ensemble", "train", "translate", "train.de", "train.en", "-o", "x", "--set",
          "ensemble.size=2")
    assert not (folder / "x").exists()


def main():
    with tempfile.TemporaryDirectory() as folder:
        heed = Heed(sys.argv[1], pathlib.Path(folder))
        for check in (learns, answers, typed, measured, tables, resumes, mistakes):
            check(heed)


if __name__ == "__main__":
    main()
