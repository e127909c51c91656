#!/usr/bin/env python3
"""examples/reference.py, which has a model's files and numpy alone, gives the answers of heed.

    reference_test.py HEED

Ends with 77 where there is no numpy.
"""

import pathlib
import random
import subprocess
import sys
import tempfile

from program import Heed, csv, sentences, texts

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Words of every kind: digits, hyphens, apostrophes, accents, capitals, Han, ligatures, none at all.
ODD = ["It's 3.5-7 na\u00efve cafe\u0301s, 1,000 x_y", "", "\u6771\u4eac \ufb01ne\u00b2 STRA\u00dfE !?",
       "don\u2019t e-mail re-2 .5 a.b", "a" * 60]


def python_with_numpy():
    for program in [sys.executable, "/usr/bin/python3"]:
        found = subprocess.run([program, "-c", "import numpy"], stderr=subprocess.DEVNULL)
        if found.returncode == 0:
            return program
    print("there is no numpy")
    sys.exit(77)


def reference(python, folder, lines):
    result = subprocess.run([python, "-B", str(ROOT / "examples/reference.py"), str(folder)],
                            input=lines.encode(), capture_output=True)
    assert result.returncode == 0, result.stderr.decode()
    return result.stdout.decode().split("\n")[:-1]


def classifier(heed, python):
    (heed.folder / "x.csv").write_text(csv(texts(200)))
    heed.done("train", "classify", "x.csv", "-o", "M", "--epochs", "3", "--workers", "2")
    lines = "".join(text + "\n" for text in [text for text, _ in texts(60, seed=2)] + ODD)
    expected = heed.done("predict", "M", input=lines.encode()).split("\n")[:-1]
    found = reference(python, heed.folder / "M", lines)
    assert len(expected) == len(found) == 65
    for line, (one, two) in zip(lines.split("\n"), zip(expected, found)):
        (label, p), (other, q) = one.split("\t"), two.split("\t")
        assert label == other and abs(float(p) - float(q)) < 2e-4, (line, one, two)


def tagger(heed, python):
    train = "".join("".join(f"{word}\t{tag}\n" for word, tag in sentence) + "\n"
                    for sentence in sentences(150))
    (heed.folder / "x.conll").write_text(train)
    heed.done("train", "tag", "x.conll", "-o", "T", "--epochs", "3", "--workers", "2")
    test = [[word for word, _ in sentence] for sentence in sentences(40, seed=2)]
    test += [["Na\u00efve", "\u6771\u4eac", "x" * 60, "\u0394elta", "3.5"]]
    lines = "".join(" ".join(words) + "\n" for words in test)
    conll = "".join("".join(word + "\t_\n" for word in words) + "\n" for words in test)
    (heed.folder / "t.conll").write_text(conll)
    printed = heed.done("predict", "T", "t.conll").strip("\n").split("\n\n")
    expected = [" ".join(line.split("\t")[1] for line in block.split("\n")) for block in printed]
    assert expected == reference(python, heed.folder / "T", lines)


def spans(heed, python):
    """Words that stood inside of names stand anywhere; neither answers I- behind O."""
    dice = random.Random(3)
    families, places = ["Turing", "Hopper", "Noether"], ["York", "Haven", "Delhi"]
    written = []
    for _ in range(60):
        written.append([("Ada", "B-PER"), (dice.choice(families), "I-PER"), ("saw", "O"),
                        ("New", "B-LOC"), (dice.choice(places), "I-LOC")])
    (heed.folder / "s.conll").write_text("".join(
        "".join(f"{word}\t{tag}\n" for word, tag in sentence) + "\n" for sentence in written))
    heed.done("train", "tag", "s.conll", "-o", "S", "--epochs", "8", "--workers", "1")
    known = sorted({word for sentence in written for word, _ in sentence})
    lines = "".join(" ".join(dice.choices(known, k=dice.randint(1, 9))) + "\n" for _ in range(80))
    (heed.folder / "l.conll").write_text(lines.replace("\n", "\n\n").replace(" ", "\n"))
    printed = heed.done("predict", "S", "l.conll").strip("\n").split("\n\n")
    expected = [" ".join(line.split("\t")[1] for line in block.split("\n")) for block in printed]
    assert expected == reference(python, heed.folder / "S", lines)
    assert any("I-" in line for line in expected), expected


def main():
    python = python_with_numpy()
    for part in [classifier, tagger, spans]:
        with tempfile.TemporaryDirectory() as folder:
            part(Heed(sys.argv[1], pathlib.Path(folder)), python)
    return 0


if __name__ == "__main__":
    sys.exit(main())
