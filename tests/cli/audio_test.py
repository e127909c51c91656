#!/usr/bin/env python3
"""Recordings: trained on, evaluated, predicted, tagged; bad ones refused or skipped.

    audio_test.py HEED
"""

import array
import json
import math
import os
import pathlib
import random
import struct
import sys
import tempfile

from program import Heed

RATE = 8000
SMALL = ["--preset", "tiny", "--epochs", "6", "--workers", "2", "--rate", "0.003"]
KINDS = {"low": 200, "middle": 600, "high": 1800}


def tone(hertz, seconds, dice, rate=RATE):
    loudness = 3000 * 2 ** dice.random()
    return array.array("h", [int(loudness * math.sin(2 * math.pi * hertz * i / rate)
                                 + dice.gauss(0, 100)) for i in range(int(seconds * rate))])


def wav(samples, rate=RATE, channels=1, claimed=None):
    data = samples.tobytes()
    size = len(data) if claimed is None else claimed
    return (b"RIFF" + struct.pack("<I", (36 + size) & 0xFFFFFFFF) + b"WAVEfmt "
            + struct.pack("<IHHIIHH", 16, 1, channels, rate, rate * channels * 2, channels * 2, 16)
            + b"data" + struct.pack("<I", size) + data)


def make_folder(folder, count, seed):
    dice = random.Random(seed)
    for name, hertz in KINDS.items():
        (folder / name).mkdir(parents=True)
        for i in range(count):
            samples = tone(hertz * (0.9 + 0.2 * dice.random()), 0.2 + 0.2 * dice.random(), dice)
            (folder / name / f"{i}.wav").write_bytes(wav(samples))


def labels(heed, data, seed):
    make_folder(heed.folder / data, 20, seed)


def classify(heed):
    labels(heed, "train", 1)
    labels(heed, "test", 2)
    heed.done("train", "classify", "train", "-o", "m", *SMALL)
    config = json.loads((heed.folder / "m/config.json").read_text())
    assert config["input"]["kind"] == "audio" and config["input"]["rate"] == 8000, config["input"]
    assert config["wide"]["kind"] == "none"
    score = json.loads(heed.done("evaluate", "m", "test", "--json"))["accuracy"]["value"]
    assert score > 0.95, score
    # Features were kept; a second training reads them and ends with the same weights.
    kept = list((heed.folder / "cache/heed/features").rglob("*"))
    assert len([path for path in kept if path.is_file()]) == 60, len(kept)
    heed.done("train", "classify", "train", "-o", "again", *SMALL)
    heed.done("train", "classify", "train", "-o", "uncached", *SMALL, "--set", "input.cache=false")
    weights = [(heed.folder / name / "model.safetensors").read_bytes() for name in ("m", "again")]
    assert weights[0] == weights[1]
    assert heed.done("predict", "m", "test") == heed.done("predict", "uncached", "test")


def predict(heed):
    """Files, a folder without classes, standard input as WAV and raw."""
    dice = random.Random(5)
    (heed.folder / "new").mkdir()
    for name, hertz in KINDS.items():
        (heed.folder / "new" / f"{name}.wav").write_bytes(wav(tone(hertz, 0.3, dice)))
    lines = heed.done("predict", "m", "new/high.wav", "new/low.wav").splitlines()
    assert [line.split("\t")[:2] for line in lines] == [["new/high.wav", "high"],
                                                        ["new/low.wav", "low"]], lines
    lines = heed.done("predict", "m", "new").splitlines()
    assert [line.split("\t")[1] for line in lines] == ["high", "low", "middle"], lines
    for bytes, flags in [(wav(tone(1800, 0.4, dice)), []),
                         (wav(tone(1800, 0.4, dice), claimed=0xFFFFFFFF), []),
                         (tone(1800, 0.4, dice).tobytes(), ["--raw-rate", RATE])]:
        line = heed.done("predict", "m", "-", *flags, input=bytes)
        assert line.split("\t")[:2] == ["-", "high"], line
    stream = tone(200, 1, dice) + tone(1800, 1, dice) + tone(600, 0.5, dice)
    lines = heed.done("predict", "m", "-", "--raw-rate", RATE, "--window", 1,
                      input=stream.tobytes()).splitlines()
    assert [line.split("\t")[1] for line in lines] == ["low", "high", "middle"], lines
    # Another rate, and two channels.
    fast = tone(1800, 0.3, dice, rate=44100)
    both = array.array("h", [sample for one in fast for sample in (one, one)])
    (heed.folder / "cd.wav").write_bytes(wav(both, rate=44100, channels=2))
    assert heed.done("predict", "m", "cd.wav").split("\t")[1] == "high"
    refused(heed, "standard input: is no WAV file", "predict", "m", "-", input=b"hello, hello")


def refused(heed, expected, *arguments, **options):
    result = heed.run(*arguments, **options)
    said = result.stderr.decode()
    assert result.returncode not in (0, -6, -11) and expected in said, (arguments, said)
    return result


def bad(heed):
    good = wav(tone(200, 0.3, random.Random(7)))
    make_folder(heed.folder / "mixed", 6, 3)
    for name, bytes in [("text.wav", b"not a sound" * 99), ("empty.wav", b""), ("cut.wav", good[:999]),
                        ("none.wav", wav(array.array("h"))), ("zero.wav", wav(array.array("h", [1] * 99), rate=0))]:
        path = heed.folder / "mixed/low" / name
        path.write_bytes(bytes)
        refused(heed, f"mixed/low/{name}: ", "train", "classify", "mixed", "-o", "x", *SMALL)
        refused(heed, f"{name}: ", "predict", "m", f"mixed/low/{name}")
        assert not (heed.folder / "x").exists()
        path.rename(heed.folder / name)
    for path in heed.folder.glob("*.wav"):
        if path.name != "cd.wav":
            path.rename(heed.folder / "mixed/low" / path.name)
    result = heed.run("train", "classify", "mixed", "-o", "x", *SMALL, "--skip-bad")
    said = result.stderr.decode()
    assert result.returncode == 0 and "5 of 23 files cannot be read and are left out:" in said, said
    assert all(f"mixed/low/{name}.wav: " in said for name in ["text", "empty", "cut", "none", "zero"]), said
    refused(heed, "mixed/low/", "evaluate", "x", "mixed")
    assert "5 of 23 files" in heed.run("evaluate", "x", "mixed", "--skip-bad").stderr.decode()
    # What can be read before a bad one is answered.
    result = refused(heed, "cut.wav: ", "predict", "x", "mixed/low")
    assert result.stdout.decode().splitlines()[0].startswith("mixed/low/0.wav\t"), result.stdout
    result = heed.run("predict", "x", "mixed/low", "--skip-bad")
    assert result.returncode == 0 and len(result.stdout.splitlines()) == 6, result
    assert "left out: 5" in result.stderr.decode()
    table = heed.folder / "missing.csv"
    table.write_text("path,label\nmixed/low/0.wav,a\nnowhere.wav,b\nmixed/high/0.wav,b\n"
                     "mixed/low/1.wav,a\nmixed/high/1.wav,b\n")
    refused(heed, "missing.csv:3: there is no file", "train", "classify", "missing.csv", "-o", "y", *SMALL)
    heed.done("train", "classify", "missing.csv", "-o", "y", *SMALL, "--skip-bad")


def tag(heed):
    """Three tones one after another; a row of the table for each."""
    dice = random.Random(9)
    rows = []
    for number in range(24):
        samples, at = array.array("h"), 0.0
        for name in dice.sample(sorted(KINDS), 3):
            seconds = 0.2 + 0.3 * dice.random()
            samples += array.array("h", [int(dice.gauss(0, 50)) for _ in range(RATE // 5)])
            samples += tone(KINDS[name], seconds, dice)
            rows.append(f"{number}.wav,{at + 0.2:.3f},{at + 0.2 + seconds:.3f},{name}")
            at = len(samples) / RATE
        (heed.folder / f"{number}.wav").write_bytes(wav(samples))
    (heed.folder / "spans.csv").write_text("path,start,end,label\n" + "\n".join(rows) + "\n")
    heed.done("train", "tag", "spans.csv", "-o", "t", "--preset", "tiny", "--epochs", "30",
              "--set", "training.batch_rows=512", "--workers", "2")
    measured = json.loads(heed.done("evaluate", "t", "spans.csv", "--json"))
    assert measured["token_accuracy"]["value"] > 0.9, measured
    expected = [row.split(",") for row in rows if row.startswith("0.wav")]
    lines = [line.split("\t") for line in heed.done("predict", "t", "0.wav").splitlines()]
    long = [line for line in lines if float(line[2]) - float(line[1]) > 0.1]
    assert [line[3] for line in long] == [row[3] for row in expected], (lines, expected)
    for line, row in zip(long, expected):
        assert abs(float(line[1]) - float(row[1])) < 0.08, (line, row)
    answer = json.loads(heed.done("predict", "t", "0.wav", "--json"))
    assert answer["file"] == "0.wav" and len(answer["spans"]) == len(lines), answer
    assert {"start", "end", "tag", "probability"} == set(answer["spans"][0]), answer


def preset(heed):
    heed.done("train", "classify", "train", "-o", "p", "--preset", "tutorial-speaker", "--epochs", "1")
    shown = heed.done("describe", "p")
    config = json.loads((heed.folder / "p/config.json").read_text())
    assert config["width"] == 80 and config["output"]["hidden"] == 80, config
    # 40 → 80, four projections of 80, two norms, 80 → 256 → 80, 80 → 80 → 3.
    count = (40 * 80 + 80) + 4 * (80 * 80 + 80) + 4 * 80 + 2 * 80 * 256 + 256 + 80 + 80 * 80 + 80 + 3 * 81
    assert f"{count:,}" in shown, shown
    refused(heed, "--preset tutorial-speaker: a network from audio to label", "train", "tag",
            "spans.csv", "-o", "q", "--preset", "tutorial-speaker")
    # Truncated attention: each frame sees 10 on either side.
    heed.done("train", "classify", "train", "-o", "w", *SMALL, "--set", "body.attention.mask.before=10",
              "--set", "body.attention.mask.after=10")
    assert "10 before, 10 after" in heed.done("describe", "w")


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = folder + "/cache"
        heed = Heed(sys.argv[1], folder)
        classify(heed)
        predict(heed)
        bad(heed)
        tag(heed)
        preset(heed)


if __name__ == "__main__":
    main()
