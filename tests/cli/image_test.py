#!/usr/bin/env python3
"""Pictures through the whole program: training, predicting, masks, and what is wrong with files.

    image_test.py HEED
"""

import gzip
import json
import pathlib
import random
import struct
import sys
import tempfile
import zlib

from program import Heed

SIDE = 12


def chunk(kind, data):
    body = kind + data
    return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))


def png(lines, size=None):
    """A grey picture from lists of numbers, or in colour from lists of triples."""
    colour = isinstance(lines[0][0], tuple)
    width, height = size or (len(lines[0]), len(lines))
    raw = b"".join(b"\0" + bytes(sum(line, ()) if colour else line) for line in lines)
    header = struct.pack(">IIBBBBB", width, height, 8, 2 if colour else 0, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(raw))
            + chunk(b"IEND", b""))


def idx(sizes, data):
    return bytes([0, 0, 8, len(sizes)]) + struct.pack(f">{len(sizes)}I", *sizes) + data


def stripes(dice, across, side=SIDE):
    """Light and dark stripes across or along, with noise: what a model has to tell apart."""
    phase = dice.randrange(4)
    return [[min(255, 200 * (((y if across else x) + phase) // 2 % 2) + dice.randrange(40))
             for x in range(side)] for y in range(side)]


def write_idx(folder, name, count, seed):
    dice = random.Random(seed)
    labels = bytes(i % 2 for i in range(count))
    data = b"".join(bytes(sum(stripes(dice, label == 1), [])) for label in labels)
    (folder / f"{name}-images-idx3-ubyte.gz").write_bytes(
        gzip.compress(idx([count, SIDE, SIDE], data)))
    (folder / f"{name}-labels-idx1-ubyte.gz").write_bytes(gzip.compress(idx([count], labels)))


def write_folder(folder, count, seed, side=SIDE):
    dice = random.Random(seed)
    for i in range(count):
        label = ["along", "across"][i % 2]
        path = folder / label / f"{i:03}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(png(stripes(dice, label == "across", side + i % 3)))


SMALL = ["--width", 16, "--heads", 2, "--layers", 1, "--set", "input.convolution.channels=8"]


def test_idx(heed):
    write_idx(heed.folder, "train", 200, 1)
    write_idx(heed.folder, "test", 40, 2)
    heed.done("train", "classify", "train-images-idx3-ubyte.gz", "-o", "m", "--epochs", 12, *SMALL)
    report = json.loads(heed.done("evaluate", "m", "test-images-idx3-ubyte.gz", "--json"))
    assert report["accuracy"]["value"] > 0.9, report
    answers = heed.done("predict", "m", "test-images-idx3-ubyte.gz").splitlines()
    assert len(answers) == 40, len(answers)
    config = json.loads((heed.folder / "m" / "config.json").read_text())
    assert (config["input"]["height"], config["input"]["channels"]) == (SIDE, 1), config["input"]
    text = heed.done("describe", "m")
    assert "convolution" in text and "positions" in text, text


def test_folder_and_single_files(heed):
    write_folder(heed.folder / "stripes", 80, 3)
    heed.done("train", "classify", "stripes", "-o", "f", "--epochs", 15, *SMALL)
    (heed.folder / "new").mkdir()
    dice = random.Random(7)
    # Another size, and in colour: both become what the model knows.
    grey = stripes(dice, True, 30)
    (heed.folder / "new" / "a.png").write_bytes(png(grey))
    (heed.folder / "new" / "b.png").write_bytes(png([[(v, v, v) for v in line] for line in grey]))
    lines = heed.done("predict", "f", "new/a.png", "new/b.png").splitlines()
    assert [line.split("\t")[0] for line in lines] == ["new/a.png", "new/b.png"], lines
    assert heed.done("predict", "f", "new").splitlines() == lines
    one_pixel = heed.folder / "pixel.png"
    one_pixel.write_bytes(png([[9]]))
    assert heed.done("predict", "f", one_pixel).count("\n") == 1


def test_tokens(heed):
    write_idx(heed.folder, "train", 40, 1)
    for tokens in ["patches", "pixels"]:
        heed.done("train", "classify", "train-images-idx3-ubyte.gz", "-o", tokens, "--epochs", 1,
                  "--width", 8, "--heads", 2, "--layers", 1, "--set", f"input.tokens={tokens}")


def test_masks(heed):
    dice = random.Random(4)
    rows = ["path,mask"]
    for i in range(60):
        middle = dice.randrange(2, SIDE - 2)
        light = [[0 if x < middle else 1 for x in range(SIDE)] for _ in range(SIDE)]
        picture = [[200 * v + dice.randrange(50) for v in line] for line in light]
        (heed.folder / f"p{i}.png").write_bytes(png(picture))
        (heed.folder / f"m{i}.png").write_bytes(png([[7 * v for v in line] for line in light]))
        rows.append(f"p{i}.png,m{i}.png")
    (heed.folder / "table.csv").write_text("\n".join(rows) + "\n")
    heed.done("train", "tag", "table.csv", "-o", "t", "--epochs", 15, *SMALL,
              "--set", "input.most_rows=36")
    report = json.loads(heed.done("evaluate", "t", "table.csv", "--json"))
    assert report["token_accuracy"]["value"] > 0.85, report
    lines = heed.done("predict", "t", "p0.png").splitlines()
    assert lines[0] == "p0.png" and len(lines) == 8 and len(lines[1].split("\t")) == 6, lines
    assert set("\t".join(lines[1:7]).split("\t")) <= {"0", "7"}, lines
    whole = json.loads(heed.done("predict", "t", "p0.png", "--json"))
    assert whole["file"] == "p0.png" and len(whole["lines"]) == 6, whole


def test_bad_masks_are_skipped(heed):
    light = [[0 if x < SIDE // 2 else 1 for x in range(SIDE)] for _ in range(SIDE)]
    rows = ["path,mask"]
    for i in range(20):
        (heed.folder / f"p{i}.png").write_bytes(png([[200 * v + i for v in line] for line in light]))
        (heed.folder / f"m{i}.png").write_bytes(png(light))
        rows.append(f"p{i}.png,m{i}.png")
    (heed.folder / "table.csv").write_text("\n".join(rows) + "\n")
    (heed.folder / "m3.png").write_bytes(b"hello")
    sentence = "m3.png: is neither a PNG nor a JPEG picture"
    expect_sentence(heed, sentence, "train", "tag", "table.csv", "-o", "x", "--epochs", 1, *SMALL)
    result = heed.run("train", "tag", "table.csv", "-o", "t", "--epochs", 1, "--skip-bad", *SMALL)
    error = result.stderr.decode()
    assert result.returncode == 0, error
    assert "1 of 20 files cannot be read and are left out" in error and sentence in error, error
    report = json.loads(heed.done("evaluate", "t", "table.csv", "--skip-bad", "--json"))
    assert report["token_accuracy"]["value"] >= 0.0, report


def expect_sentence(heed, part, *arguments):
    result = heed.run(*arguments)
    error = result.stderr.decode()
    assert result.returncode not in (0, -6, -11), (arguments, result.returncode, error)
    assert part in error and error.count("\n") <= 2, (arguments, error)


def test_bad_files(heed):
    write_folder(heed.folder / "good", 20, 5)
    heed.done("train", "classify", "good", "-o", "g", "--epochs", 1, *SMALL)
    whole = (heed.folder / "good" / "along" / "000.png").read_bytes()
    bad = {
        "text.png": (b"hello", "text.png: is neither a PNG nor a JPEG picture"),
        "empty.jpg": (b"", "empty.jpg: is empty"),
        "short.png": (whole[:60], "short.png: cannot be read as a PNG picture"),
        "huge.png": (png([[0] * 10], (20000, 20000)), "huge.png: has 20,000 x 20,000 pixels"),
    }
    for name, (data, sentence) in bad.items():
        (heed.folder / name).write_bytes(data)
        expect_sentence(heed, sentence, "predict", "g", name)
        (heed.folder / "good" / "along" / name).write_bytes(data)
        expect_sentence(heed, sentence, "train", "classify", "good", "-o", "x", "--epochs", 1)
        (heed.folder / "good" / "along" / name).unlink()
    (heed.folder / "good" / "along" / "text.png").write_bytes(b"hello")
    result = heed.run("train", "classify", "good", "-o", "s", "--epochs", 1, "--skip-bad", *SMALL)
    assert result.returncode == 0, result.stderr.decode()
    assert "1 of 21 files cannot be read and are left out" in result.stderr.decode(), result.stderr
    (heed.folder / "lies-images-idx3-ubyte").write_bytes(idx([10, 28, 28], b"abc"))
    (heed.folder / "lies-labels-idx1-ubyte").write_bytes(idx([10], bytes(10)))
    expect_sentence(heed, "lies-images-idx3-ubyte: ends too early", "train", "classify",
                    "lies-images-idx3-ubyte", "-o", "x")
    (heed.folder / "missing.csv").write_text("path,label\nno.png,a\n")
    expect_sentence(heed, "missing.csv:2: there is no file", "train", "classify", "missing.csv",
                    "-o", "x")


def main():
    program = sys.argv[1]
    for test in [test_idx, test_folder_and_single_files, test_tokens, test_masks,
                 test_bad_masks_are_skipped, test_bad_files]:
        with tempfile.TemporaryDirectory() as folder:
            test(Heed(program, pathlib.Path(folder)))


if __name__ == "__main__":
    main()
