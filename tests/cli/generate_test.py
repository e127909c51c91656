#!/usr/bin/env python3
"""Language models: trained on plain texts, measured, asked to go on.

    generate_test.py HEED
"""

import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

from program import Heed

SMALL = ["--width", "32", "--layers", "1", "--workers", "2", "--rate", "0.01", "--dropout", "0",
         "--vocabulary", "60", "--set", "training.batch_rows=300", "--set", "training.average=0.9"]
NEXT = {"one": "two", "two": "three", "three": "four", "four": "five", "five": "one"}


def counting(count, seed=1):
    """Lines in which every word but the first follows from the one before it."""
    dice = random.Random(seed)
    lines = []
    for _ in range(count):
        words = [dice.choice(sorted(NEXT))]
        while len(words) < 6:
            words.append(NEXT[words[-1]])
        lines.append(" ".join(words) + "\n")
    return "".join(lines)


def learns(heed):
    """From a file of lines to a perplexity that only the first word adds to."""
    (heed.folder / "train.txt").write_text(counting(600) + "\n\n")
    (heed.folder / "test.txt").write_text(counting(50, seed=2))
    for body in ("attention", "lstm"):
        heed.done("train", "generate", "train.txt", "-o", body, "--body", body, *SMALL, "--epochs", "8",
                  "--test", "test.txt")
        report = heed.done("evaluate", body, "test.txt")
        assert "50 texts, 350 words" in report and "bits per character" in report, report
        scores = json.loads(heed.done("evaluate", body, "test.txt", "--json"))
        # One of five words, then six that are certain: 5 ^ (1 / 7) = 1.26.
        assert 1.2 < scores["perplexity"]["value"] < 1.4, (body, scores)
        low, high = scores["perplexity"]["interval"]
        assert low <= scores["perplexity"]["value"] <= high
        metrics = json.loads((heed.folder / body / "metrics.json").read_text())
        assert metrics["held_out"]["measure"] == "perplexity per word", metrics
        assert 1.2 < metrics["held_out"]["score"] < 1.5, metrics
        lines = heed.done("predict", body, input=b"two three\nfive\n").splitlines()
        assert lines == ["two three four five one two", "five one two three four five"], lines
    assert "next token" in heed.done("describe", "attention")


def goes_on(heed):
    """Drawn and searched for; into a file, into a pipe, as JSON."""
    (heed.folder / "prompts.txt").write_text("two\n\nfour five\n")
    drawn = [heed.done("predict", "attention", "prompts.txt", "--temperature", "5", "--seed", seed)
             for seed in ("1", "1", "2")]
    assert drawn[0] == drawn[1] != drawn[2], drawn
    # A file gets what a pipe gets.
    with open(heed.folder / "out.txt", "wb") as file:
        heed.done("predict", "attention", "prompts.txt", "--temperature", "5", "--seed", "1", stdout=file)
    assert (heed.folder / "out.txt").read_text() == drawn[0]
    assert [line.startswith(start) for line, start in zip(drawn[0].splitlines(),
                                                           ("two", "", "four five"))] == [True] * 3
    greedy = heed.done("predict", "attention", "prompts.txt", "--temperature", "0")
    assert greedy == heed.done("predict", "attention", "prompts.txt", "--top-k", "1"), greedy
    searched = heed.done("predict", "attention", "prompts.txt", "--temperature", "0", "--beam", "4")
    assert searched.count("\n") == 3, searched
    one = json.loads(heed.done("predict", "attention", "--json", "--top", "3", input=b"three\n"))
    assert one["prompt"] == "three" and len(one["answers"]) == 3, one
    assert one["text"].startswith(" "), one
    short = heed.done("predict", "attention", "--longest", "1", input=b"two\n")
    assert len(short) < len("two three four five one two\n"), short
    # Far more than the model reads at once, a script that it has never seen, and a blank line.
    for prompt in ("two three four five one " * 3000 + "two", "漢字 кот", " "):
        text = heed.done("predict", "attention", "--longest", "20", input=(prompt + "\n").encode())
        assert text.startswith(prompt) and text.count("\n") == 1, text[-200:]


def streams(heed):
    """Tokens come one by one, and the next prompt is answered before the pipe is closed."""
    run = subprocess.Popen(heed.command("predict", "attention"), cwd=heed.folder,
                           stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
    for prompt, expected in ((b"two\n", b"two three four five one two\n"),
                             (b"one two\n", b"one two three four five one\n")):
        run.stdin.write(prompt)
        pieces = [os.read(run.stdout.fileno(), 1000)]
        while not pieces[-1].endswith(b"\n"):
            pieces.append(os.read(run.stdout.fileno(), 1000))
        assert b"".join(pieces) == expected, pieces
    run.stdin.close()
    assert run.wait() == 0


def files(heed):
    """Paragraphs, tables, several files; resumed to the same model."""
    (heed.folder / "book.txt").write_text("one two\nthree four\n\n" * 40)
    (heed.folder / "t.jsonl").write_text('{"text": "one two three"}\n' * 40)
    quick = [*SMALL, "--epochs", "1"]
    heed.done("train", "generate", "book.txt", "--format", "paragraphs", "-o", "p", *quick)
    report = heed.done("evaluate", "p", "book.txt", "--format", "paragraphs")
    assert "40 texts, 200 words" in report, report
    heed.done("train", "generate", "t.jsonl", "train.txt", "-o", "t", *quick)


def mistakes(heed):
    """Each ends with a sentence."""
    (heed.folder / "empty.txt").write_text("\n \n")
    heed.fails("empty.txt: has no examples", "train", "generate", "empty.txt", "-o", "x")
    heed.fails("its rows know those behind them", "train", "generate", "train.txt", "--body", "window",
          "-o", "x")
    heed.fails("bidirectional true", "train", "generate", "train.txt", "--body", "lstm", "--set",
          "body.bidirectional=true", "-o", "x")
    heed.fails("ensemble", "train", "generate", "train.txt", "--set", "ensemble.size=2", "-o", "x")
    heed.fails("--temperature", "predict", "attention", "--temperature", "-1", input=b"one\n")
    heed.fails("--top-p", "predict", "attention", "--top-p", "0", input=b"one\n")
    for beam in ("0", "10000"):
        heed.fails("--beam", "predict", "attention", "--beam", beam, input=b"one\n")
    assert not (heed.folder / "x").exists()


def main():
    with tempfile.TemporaryDirectory() as folder:
        heed = Heed(sys.argv[1], pathlib.Path(folder))
        for check in (learns, goes_on, streams, files, mistakes):
            check(heed)


if __name__ == "__main__":
    main()
