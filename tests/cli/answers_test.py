#!/usr/bin/env python3
"""What predict prints, line by line, and what train says while it goes.

    answers_test.py HEED
"""

import json
import os
import pathlib
import pty
import subprocess
import sys
import tempfile

from program import Heed, conllu, csv, sentences, texts

TINY = ["--preset", "tiny", "--epochs", "2", "--workers", "1"]


def said_and_printed(heed, *arguments, code, **options):
    result = heed.run(*arguments, **options)
    assert result.returncode == code, (result.returncode, result.stderr)
    return result.stderr.decode(), result.stdout.decode()


def before_a_bad_line(heed):
    """All that came before it is answered; then comes the error."""
    pairs = texts(5000, seed=3)
    lines = "".join(json.dumps({"text": text}) + "\n" for text, _ in pairs)
    rows = "".join(f"{text},{label}\n" for text, label in pairs)
    for format, content, line in [("jsonl", lines + "xx\n", 5001),
                                  ("csv", "text,label\n" + rows + "a,b,c\n", 5002)]:
        said, printed = said_and_printed(heed, "predict", "M", "--format", format, code=1,
                                         input=content.encode())
        assert f"standard input:{line}: " in said, said
        assert len(printed.splitlines()) == 5000, len(printed.splitlines())
    good = conllu(sentences(3000, seed=4))
    said, printed = said_and_printed(heed, "predict", "T", "--format", "conllu", code=1,
                                     input=(good + "1\tone\n").encode())
    assert f"standard input:{good.count(chr(10)) + 1}: 2 columns" in said, said
    assert printed.count("\n") == good.count("\n"), printed[-200:]


def odd_labels(heed):
    """One line for each answer, whatever is in a label."""
    labels = {"one\ttwo": "cat dog", "three\nfour": "soup rice"}
    (heed.folder / "odd.jsonl").write_text("".join(
        json.dumps({"text": text, "label": label}) + "\n"
        for _ in range(20) for label, text in labels.items()))
    heed.done("train", "classify", "odd.jsonl", "-o", "odd", *TINY)
    said = heed.done("predict", "odd", "--top", "2", input=b"cat dog\nsoup\n")
    assert [line.count("\t") for line in said.split("\n")] == [3, 3, 0], said
    answers = [json.loads(line)["answers"] for line in
               heed.done("predict", "odd", "--top", "2", "--json", input=b"cat\n").splitlines()]
    assert sorted(answer["label"] for answer in answers[0]) == sorted(labels), answers


def every_line(heed):
    """Line n of the answers belongs to line n of what was asked, an empty one too."""
    asked = b"\nthe cat sees\n\n  \na dog\n"
    objects = [json.loads(line) for line in
               heed.done("predict", "T", "--format", "lines", "--json", input=asked).splitlines()]
    assert [[word["word"] for word in line["words"]] for line in objects] == \
        [[], ["the", "cat", "sees"], [], [], ["a", "dog"]], objects
    printed = heed.done("predict", "T", "--format", "lines", input=asked)
    assert [line.split("\t")[0] for line in printed.split("\n")] == \
        ["", "the", "cat", "sees", "", "", "", "a", "dog", "", ""], printed
    assert len(heed.done("predict", "M", input=b"\n\ncat\n").splitlines()) == 3
    assert heed.done("predict", "T", "--format", "lines", "--json", input=b"\n") == \
        '{"line":1,"text":"","words":[]}\n'
    said, printed = said_and_printed(heed, "predict", "T", "x.conllu", "--top", "2", code=2)
    assert "--top 2" in said and "--json" in said and not printed, said


def files_of_a_folder(heed):
    for name, text in [("food/a.txt", "soup"), ("tools/b.txt", "nail"), ("tools/c.txt", "saw")]:
        path = heed.folder / "classes" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    expected = ["classes/food/a.txt", "classes/tools/b.txt", "classes/tools/c.txt"]
    rows = [line.split("\t") for line in heed.done("predict", "M", "classes").splitlines()]
    assert [row[0] for row in rows] == expected and {len(row) for row in rows} == {3}, rows
    objects = [json.loads(line) for line in
               heed.done("predict", "M", "classes", "--json").splitlines()]
    assert [found["file"] for found in objects] == expected, objects
    assert [found["answers"][0]["label"] for found in objects] == [row[1] for row in rows], objects


def notes(heed):
    """What train says is true of this run."""
    def said(*arguments):
        result = heed.run("train", "classify", *arguments, "-o", "N", "--force", *TINY)
        assert result.returncode == 0, result.stderr
        return result.stderr.decode()

    note = said("x.csv")
    words = len((heed.folder / "N/vocabulary.txt").read_text().splitlines())
    features = len((heed.folder / "N/wide_words.txt").read_text().splitlines())
    pairs = len((heed.folder / "N/wide_pairs.txt").read_text().splitlines())
    ngrams = len((heed.folder / "N/wide_ngrams.txt").read_text().splitlines())
    assert (f" {words} words, an SVM and naive Bayes over TF-IDF of {features} words, {pairs} "
            f"pairs and {ngrams:,} character n-grams, 3 classes") in note, note
    assert " 18 held out, too few to choose by" in note and "; held out accuracy " in note, note
    note = said("x.csv", "--dev", "x.csv", "--tokenizer", "character")
    characters = len((heed.folder / "N/vocabulary.txt").read_text().splitlines())
    assert f" {characters} characters, " in note, note
    assert "held out" not in note and "180 for dev" in note and "; dev " in note, note
    assert " 60 subwords, " in said("x.csv", "--tokenizer", "bpe", "--vocabulary", "60")
    # One line of each kind.
    (heed.folder / "latin.csv").write_bytes(
        csv(texts(60)).encode() + b"caf\xe9,food\n" + "schöne grüße".encode() + b" \xff,food\n")
    assert "read as Latin-1 or with � for what is broken: 2\n" in said("latin.csv")
    # A class with a single example can be learned from where nothing is held out.
    (heed.folder / "rare.csv").write_text(csv([*texts(60), ("alone", "rare")]))
    said("rare.csv", "--dev", "x.csv")


def progress_bar(heed):
    """No best score before there is a score."""
    terminal, end = pty.openpty()
    child = subprocess.Popen(
        heed.command("train", "classify", "x.csv", "-o", "P", *TINY, "--set",
                     "training.batch_rows=64"),
        cwd=heed.folder, stdin=subprocess.DEVNULL, stdout=end, stderr=end)
    os.close(end)
    shown = b""
    try:
        while piece := os.read(terminal, 65536):
            shown += piece
    except OSError:  # the other end is closed
        pass
    os.close(terminal)
    assert child.wait() == 0, shown
    before = shown[:shown.index(b"held out ", shown.index(b" classes"))]
    assert b"epoch 1  loss" in before and b"best" not in before, before


def full_disk(heed):
    with open("/dev/full", "wb") as full:
        for arguments in [["--help"], ["--version"], ["train", "classify", "--help"]]:
            result = heed.run(*arguments, stdout=full)
            assert result.returncode == 1, result
            assert b"standard output: cannot write" in result.stderr, result


def main():
    with tempfile.TemporaryDirectory() as folder:
        heed = Heed(pathlib.Path(sys.argv[1]), folder)
        (heed.folder / "x.csv").write_text(csv(texts(180)))
        (heed.folder / "x.conllu").write_text(conllu(sentences(60)))
        heed.done("train", "classify", "x.csv", "-o", "M", *TINY)
        heed.done("train", "tag", "x.conllu", "-o", "T", *TINY)
        for part in [before_a_bad_line, odd_labels, every_line, files_of_a_folder, notes,
                     progress_bar, full_disk]:
            part(heed)


if __name__ == "__main__":
    main()
