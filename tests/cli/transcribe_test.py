#!/usr/bin/env python3
"""What is said in recordings: learned with a decoder and CTC, with CTC alone, and asked for.

    transcribe_test.py HEED
"""

import array
import json
import math
import pathlib
import random
import struct
import sys
import tempfile

from program import Heed

RATE = 8000
# "Words" are tones.
TONES = {"lo": 250, "mi": 700, "hi": 1800}
SMALL = ["--width", "32", "--layers", "1", "--decoder-layers", "1", "--workers", "2", "--dropout", "0",
         "--rate", "0.01", "--smoothing", "0", "--set", "training.batch_rows=1500", "--set",
         "training.average=0.9", "--set", "input.augment.time_masks=0", "--set",
         "input.augment.band_masks=0"]


def tone(hertz, seconds):
    return [int(6000 * math.sin(2 * math.pi * hertz * i / RATE)) for i in range(int(seconds * RATE))]


def wav(samples):
    data = array.array("h", samples).tobytes()
    return (b"RIFF" + struct.pack("<I", 36 + len(data)) + b"WAVEfmt "
            + struct.pack("<IHHIIHH", 16, 1, 1, RATE, 2 * RATE, 2, 16)
            + b"data" + struct.pack("<I", len(data)) + data)


def make(folder, name, count, seed):
    """A table of recordings with one to three words each."""
    dice = random.Random(seed)
    rows = ["path,text"]
    for i in range(count):
        words = dice.choices(sorted(TONES), k=dice.randint(1, 3))
        samples = [0] * dice.randint(400, 1200)
        for word in words:
            samples += tone(TONES[word] * (0.95 + 0.1 * dice.random()), 0.15)
            samples += [0] * dice.randint(400, 1200)
        (folder / f"{name}{i}.wav").write_bytes(wav([s + int(dice.gauss(0, 30)) for s in samples]))
        rows.append(f"{name}{i}.wav,{' '.join(words)}")
    (folder / f"{name}.csv").write_text("\n".join(rows) + "\n")


def learns(heed):
    make(heed.folder, "train", 240, 1)
    make(heed.folder, "test", 40, 2)
    for name, ctc in (("both", "0.5"), ("ctc", "1")):
        heed.done("train", "transcribe", "train.csv", "-o", name, *SMALL, "--epochs", "50", "--set",
                  f"output.ctc={ctc}")
        report = heed.done("evaluate", name, "test.csv")
        assert "word error rate" in report and "character error rate" in report, report
        scores = json.loads(heed.done("evaluate", name, "test.csv", "--json"))
        assert scores["word_error_rate"] < 0.2, (name, scores)
        metrics = json.loads((heed.folder / name / "metrics.json").read_text())
        assert metrics["held_out"]["measure"] == "word error rate", metrics
        assert metrics["held_out"]["score"] < 0.3, metrics
    assert "decoder" in heed.done("describe", "both")
    assert "decoder" not in heed.done("describe", "ctc")


def answers(heed):
    """Files, several answers, JSON, silence."""
    truth = [line.split(",") for line in (heed.folder / "test.csv").read_text().splitlines()[1:]]
    for model in ("both", "ctc"):
        lines = heed.done("predict", model, "test0.wav", "test1.wav").splitlines()
        assert [line.split("\t")[0] for line in lines] == ["test0.wav", "test1.wav"], lines
        (heed.folder / "paths.csv").write_text("path\n" + "\n".join(path for path, _ in truth))
        said = heed.done("predict", model, "paths.csv").splitlines()
        right = sum(line == text for line, (_, text) in zip(said, truth))
        assert right > 0.6 * len(truth), (model, right, said)
        several = heed.done("predict", model, "test0.wav", "--top", "3").splitlines()
        assert len(several) == 4 and several[3] == "", several
        one = json.loads(heed.done("predict", model, "test0.wav", "--json"))
        assert one["file"] == "test0.wav" and one["text"], one
        # Nothing is said where there is nothing to hear.
        dice = random.Random(3)
        (heed.folder / "silence.wav").write_bytes(
            wav([int(dice.gauss(0, 30)) for _ in range(4000)]))
        assert heed.done("predict", model, "silence.wav") == "silence.wav\t\n"


def mistakes(heed):
    (heed.folder / "bad.csv").write_text("path,text\nnone.wav,lo\n")
    heed.fails("there is no file none.wav", "train", "transcribe", "bad.csv", "-o", "x")
    (heed.folder / "only.csv").write_text("path\ntest0.wav\n")
    heed.fails("only.csv:1", "train", "transcribe", "only.csv", "-o", "x")
    heed.fails("test0.wav", "train", "transcribe", "test0.wav", "-o", "x")
    heed.fails("output.ctc", "train", "transcribe", "train.csv", "-o", "x", "--set", "output.ctc=2")
    assert not (heed.folder / "x").exists()


def main():
    with tempfile.TemporaryDirectory() as folder:
        heed = Heed(sys.argv[1], pathlib.Path(folder))
        for check in (learns, answers, mistakes):
            check(heed)


if __name__ == "__main__":
    main()
