#!/usr/bin/env python3
"""Bad input, as a user would give it: one clear sentence, the right exit code, nothing left behind.

    usage_test.py HEED
"""

import gzip
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile

from program import Heed, conllu, csv, sentences, snapshot, texts

FAILED, WRONG_USE = 1, 2
GOOD = csv(texts(60))
TAGS = conllu(sentences(40))
TRAIN = ["train", "classify", "x.csv", "-o", "M"]
TAG = ["train", "tag", "x.conllu", "-o", "M"]
SMALL = ["--preset", "tiny", "--epochs", "2", "--workers", "1"]

# A name, the files there are, the arguments, the exit code, and what the sentence must contain.
CASES = [
    ("an empty file", {"x.csv": ""}, TRAIN, FAILED, ["x.csv", "empty"]),
    ("an empty conllu file", {"x.conllu": ""}, TAG, FAILED, ["x.conllu", "empty"]),
    ("a header and nothing else", {"x.csv": "text,label\n"}, TRAIN, FAILED,
     ["x.csv", "no examples"]),
    ("no such file", {}, TRAIN, FAILED, ["x.csv", "No such file"]),
    ("no such column", {"x.csv": GOOD}, TRAIN + ["--label-column", "topic"], FAILED,
     ["x.csv:1", '"topic"', "text", "label"]),
    ("a header that names nothing known", {"x.csv": "one,two\na,b\nc,d\n"}, TRAIN, FAILED,
     ["x.csv:1", "one", "two", "--text-column"]),
    ("too few columns", {"x.csv": GOOD + "lonely\n"}, TRAIN, FAILED,
     ["x.csv:62", "1 column", "expected 2"]),
    ("too many columns", {"x.csv": GOOD + "a,b,c\n"}, TRAIN, FAILED,
     ["x.csv:62", "3 columns", "expected 2", "quote"]),
    ("one class only", {"x.csv": "text,label\na,yes\nb,yes\nc,yes\n"}, TRAIN, FAILED,
     ["x.csv:2", '"yes"', "at least two"]),
    ("one tag only", {"x.conllu": conllu([[("a", "X")], [("b", "X")]])}, TAG, FAILED,
     ["x.conllu:2", '"X"', "at least two"]),
    ("labels that are numbers of rows",
     {"x.csv": "text,label\n" + "".join(f"text {i},{i}\n" for i in range(20))}, TRAIN, FAILED,
     ["x.csv:2", "a label of its own", 'is "label" the label column?', "--label-column"]),
    ("a time and epochs", {"x.csv": GOOD}, TRAIN + ["--time", "5s", "--epochs", "2"],
     WRONG_USE,
     ["--time and --epochs: only one"]),
    ("dev and held-out", {"x.csv": GOOD}, TRAIN + ["--dev", "x.csv", "--held-out", "0.2"],
     WRONG_USE, ["--dev and --held-out: only one"]),
    ("a flag twice", {"x.csv": GOOD}, TRAIN + ["--label-column", "text", "--label-column", "label"],
     WRONG_USE, ["--label-column is given more than once: text, label"]),
    ("an option set twice", {"x.csv": GOOD}, TRAIN + ["--set", "width=32", "--set", "width=64"],
     WRONG_USE, ["--set width is given more than once"]),
    ("a flag and --set for one option", {"x.csv": GOOD},
     TRAIN + ["--width", "32", "--set", "width=64"], WRONG_USE,
     ["--width and --set width: only one of them"]),
    ("epochs and --set for them", {"x.csv": GOOD},
     TRAIN + ["--epochs", "2", "--set", "training.epochs=3"], WRONG_USE,
     ["--epochs and --set training.epochs: only one of them"]),
    ("texts without labels", {"x.csv": "text\na b\nc d\n"}, TRAIN, FAILED,
     ['x.csv:1: there is only the column "text", and none for the label']),
    ("labels without texts", {"x.csv": "label\na\nb\n"}, TRAIN, FAILED,
     ['x.csv:1: there is only the column "label", and none for the text']),
    ("three text columns", {"x.csv": GOOD},
     TRAIN + ["--text-column", "text", "--text-column", "b", "--text-column", "c"], WRONG_USE,
     ["--text-column is given 3 times"]),
    ("a measure that there is not", {"x.csv": GOOD}, TRAIN + ["--select", "bleu"], WRONG_USE,
     ["--select bleu: expected one of accuracy, macro-f1, weighted-f1, loss"]),
    ("a task to resume", {"x.csv": GOOD}, ["train", "--resume", "M"] + TRAIN[1:], WRONG_USE,
     ["--resume stands before the task classify"]),
    ("a time before the task", {"x.csv": GOOD}, ["train", "--time", "5s"] + TRAIN[1:], WRONG_USE,
     ["--time stands before the task classify"]),
    ("a preset for a model that goes on", {"x.csv": GOOD}, TRAIN + ["--from", "N", "--preset", "tiny"],
     WRONG_USE,
     ["--from and --preset: only one"]),
    ("a conllu line with nine columns", {"x.conllu": TAGS + "1" + "\t_" * 8 + "\n"}, TAG, FAILED,
     [f"x.conllu:{TAGS.count(chr(10)) + 1}", "9 columns", "expected 10"]),
    ("a conll line with three columns", {"x.conll": "a X\nb Y\n\nc X Z\n"},
     ["train", "tag", "x.conll", "-o", "M"], FAILED, ["x.conll:4", "3 columns", "expected 2"]),
    ("a folder in place of a file", {"x.conllu/a": ""}, TAG, FAILED, ["x.conllu", "is a folder"]),
    ("a folder without classes", {"x.csv/a": "b"}, TRAIN, FAILED, ["x.csv"]),
    ("a binary file", {"x.csv": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"}, TRAIN, FAILED,
     ["x.csv:3", "binary"]),
    ("a truncated .gz", {"x.csv.gz": gzip.compress(GOOD.encode())[:-20]},
     ["train", "classify", "x.csv.gz", "-o", "M"], FAILED, ["x.csv.gz", "truncated"]),
    ("a .gz that is none", {"x.csv.gz": GOOD}, ["train", "classify", "x.csv.gz", "-o", "M"], FAILED,
     ["x.csv.gz", "gzip"]),
    ("the wrong kind of file for a task", {"x.csv": GOOD}, ["train", "tag", "x.csv", "-o", "M"],
     WRONG_USE, ["x.csv", "csv", "tagged words", "conllu"]),
    ("too little to hold out", {"x.conllu": conllu([[("a", "X"), ("b", "Y")]])}, TAG, FAILED,
     ["x.conllu:2", "too few", "--dev"]),
    ("two models that do not fit", {"x.csv": GOOD}, TRAIN + ["--width", "30", "--heads", "4"],
     WRONG_USE, ["width", "divisor", "heads"]),

    ("a rate below zero", {"x.csv": GOOD}, TRAIN + ["--rate", "-1"], WRONG_USE,
     ["rate", "above 0", "-1"]),
    ("a rate that is no number", {"x.csv": GOOD}, TRAIN + ["--dropout", "nan"], WRONG_USE, ["nan"]),
    ("no heads", {"x.csv": GOOD}, TRAIN + ["--heads", "0"], WRONG_USE, ["heads", "at least 1"]),
    ("a width that cannot be", {"x.csv": GOOD}, TRAIN + ["--width", "1000000000"], WRONG_USE,
     ["width", "from 1 to 65536", "1000000000"]),
    ("layers that cannot be", {"x.csv": GOOD}, TRAIN + ["--layers", "1000000"], WRONG_USE,
     ["--layers", "from 1 to 1000", "1000000"]),
    ("a vocabulary that cannot be",
     {"c.json": '{"input": {"tokenizer": {"vocabulary": 1000000000000}}}'}, ["describe", "c.json"],
     FAILED, ["c.json", "input.tokenizer.vocabulary", "100000000"]),
    ("a model beyond all memory", {"c.json": '{"width": 65536, "input": {"entries": 100000000}}'},
     ["describe", "c.json"], WRONG_USE, ["input.words.weight", "GB of memory"]),
    # Only counted: writing it all before it is too much would exceed any patience.
    ("a model that grows beyond memory layer by layer",
     {"c.json": '{"width": 4000, "input": {"tokenizer": {"vocabulary": 100}, "char_ngrams": '
                '{"buckets": 0}}, "body": {"layers": 1000}, "ensemble": {"size": 50}}'},
     ["describe", "c.json"], WRONG_USE, ["GB of memory"]),
    ("a CRF with label smoothing", {"x.conllu": TAGS}, TAG + ["--crf", "--smoothing", "0.1"],
     WRONG_USE, ["output.crf", "label smoothing"]),
    ("a CRF with class weights", {"x.conllu": TAGS}, TAG + ["--crf", "--balance"], WRONG_USE,
     ["--balance", "CRF"]),
    ("a tokenizer that cannot tag", {"x.conllu": TAGS}, TAG + ["--tokenizer", "bpe"], WRONG_USE,
     ["heed train tag has no flag --tokenizer"]),
    ("a tokenizer that cannot tag by --set", {"x.conllu": TAGS},
     TAG + ["--set", "input.tokenizer.kind=bpe"], WRONG_USE, ["bpe", "word alone"]),

    ("a misspelt flag", {"x.csv": GOOD}, TRAIN + ["--epoch", "3"], WRONG_USE,
     ["--epoch;", "--epochs?"]),
    ("a misspelt flag with =", {"x.csv": GOOD}, TRAIN + ["--learning-rat=3"], WRONG_USE,
     ["--learning-rat"]),
    ("a misspelt flag that was required", {"x.csv": GOOD},
     ["train", "classify", "x.csv", "--ouput", "M"], WRONG_USE, ["--ouput", "--output?"]),
    ("a flag in a group", {}, TRAIN + ["--vocabluary", "3"], WRONG_USE, ["--vocabulary?"]),
    ("a flag of evaluate", {}, ["evaluate", "M", "x.csv", "--jsn"], WRONG_USE, ["--json?"]),
    ("a flag of predict", {}, ["predict", "M", "--tpo", "3"], WRONG_USE, ["--top?"]),
    ("a flag of train", {}, ["train", "--resum", "M"], WRONG_USE, ["--resume?"]),
    ("a flag like no other", {}, TRAIN + ["--xyzzy"], WRONG_USE,
     ["--xyzzy", "heed train classify --help"]),
    ("a misspelt command", {}, ["evalaute", "M", "x.csv"], WRONG_USE, ["evalaute", "evaluate?"]),
    ("a misspelt task", {"x.csv": GOOD}, ["train", "clasify", "x.csv", "-o", "M"], WRONG_USE,
     ["clasify", "classify?"]),
    ("no command", {}, [], WRONG_USE, ["train", "evaluate", "predict", "heed --help"]),
    ("no task", {}, ["train"], WRONG_USE, ["classify", "tag", "--resume"]),
    ("no data", {}, ["train", "classify", "-o", "M"], WRONG_USE, ["DATA", "required"]),
    ("no folder", {"x.csv": GOOD}, ["train", "classify", "x.csv"], WRONG_USE,
     ["--output", "required"]),
    ("a number that is none", {"x.csv": GOOD}, TRAIN + ["--epochs", "many"], WRONG_USE,
     ["--epochs", "many"]),
    ("a number out of range", {"x.csv": GOOD}, TRAIN + ["--epochs", "0"], WRONG_USE,
     ["--epochs: expected a whole number from 1 to 100000, got 0;"]),
    ("a number that is not whole", {"x.csv": GOOD}, TRAIN + ["--seed", "1.5"], WRONG_USE,
     ["--seed: expected a whole number", "got 1.5"]),
    ("a seed below zero", {"x.csv": GOOD}, TRAIN + ["--seed", "-1"], WRONG_USE,
     ["--seed: expected a whole number from 0", "got -1"]),
    ("a seed that is too large", {"x.csv": GOOD}, TRAIN + ["--seed", str(2 ** 64)], WRONG_USE,
     ["--seed: expected a whole number from 0 to 18446744073709551615, got 18446744073709551616"]),
    ("a part that is too large", {"x.csv": GOOD}, TRAIN + ["--held-out", "0.95"], WRONG_USE,
     ["--held-out: expected a number from 0.001 to 0.9, got 0.95"]),
    ("a flag without its value", {"x.csv": GOOD}, TRAIN + ["--epochs"], WRONG_USE,
     ["--epochs needs a value: --epochs N;"]),
    ("a choice without its value", {"x.csv": GOOD}, TRAIN + ["--preset"], WRONG_USE,
     ["--preset needs a value: --preset tiny|small|base|tutorial-speaker;"]),
    ("a value for a flag that takes none", {"x.csv": GOOD}, TRAIN + ["--force=maybe"], WRONG_USE,
     ["--force takes no value, got maybe;"]),
    ("an unknown mode", {}, ["bench", "--mode", "fast"], WRONG_USE,
     ["--mode: expected one of train, infer, decode, got fast"]),
    ("a time that is none", {"x.csv": GOOD}, TRAIN + ["--time", "soon"], WRONG_USE,
     ["--time soon", "5m"]),
    ("an unknown preset", {"x.csv": GOOD}, TRAIN + ["--preset", "huge"], WRONG_USE,
     ["huge", "tiny", "small", "base"]),
    ("an unknown body among several", {"x.csv": GOOD}, TRAIN + ["--body", "bag,widow"], WRONG_USE,
     ["widow", "window"]),
    ("a body for no network", {"x.csv": GOOD},
     TRAIN + ["--set", 'ensemble.bodies=[{"kind": "bag"}]'], WRONG_USE,
     ["ensemble.bodies", "one for each network"]),
    ("an unknown body", {"x.csv": GOOD}, TRAIN + ["--body", "bga"], WRONG_USE, ["bga", "bag"]),
    ("an unknown format", {"x.csv": GOOD}, TRAIN + ["--format", "cvs"], WRONG_USE,
     ['"cvs"', "csv"]),
    ("a flag that the format does not use", {"x.txt": "__label__a b\n"},
     ["train", "classify", "x.txt", "-o", "M", "--text-column", "t"], WRONG_USE,
     ["--text-column", "fasttext"]),

    ("a misspelt key in --set", {"x.csv": GOOD}, TRAIN + ["--set", "body.layer=2"],
     WRONG_USE, ["body", '"layer"', '"layers"?']),
    ("a misspelt key of training", {"x.csv": GOOD}, TRAIN + ["--set", "training.epoch=2"],
     WRONG_USE, ["training", '"epoch"', '"epochs"?']),
    ("a wrong value in --set", {"x.csv": GOOD}, TRAIN + ["--set", "width=wide"], WRONG_USE,
     ["width", "whole number", '"wide"']),
    ("a --set without =", {"x.csv": GOOD}, TRAIN + ["--set", "width"], WRONG_USE,
     ["--set width", "NAME=VALUE"]),
    ("a misspelt key in --config", {"x.csv": GOOD, "c.json": '{"boddy": {}}'},
     TRAIN + ["--config", "c.json"], FAILED, ["c.json", '"boddy"', '"body"?']),
    ("a --config that is no JSON", {"x.csv": GOOD, "c.json": '{\n  "width": 64,\n}'},
     TRAIN + ["--config", "c.json"], FAILED, ["c.json:3:1", "not JSON"]),
    ("no such --config", {"x.csv": GOOD}, TRAIN + ["--config", "c.json"], FAILED,
     ["c.json", "No such file"]),
    ("a --config that is a folder", {"x.csv": GOOD, "c.json/a": ""}, TRAIN + ["--config", "c.json"],
     FAILED, ["c.json", "is a folder"]),

    ("no name for the model", {"x.csv": GOOD}, ["train", "classify", "x.csv", "-o", ""], WRONG_USE,
     ['-o ""', "name of a folder"]),
    ("no name for what to resume", {}, ["train", "--resume", ""], WRONG_USE,
     ['--resume ""', "name of a model's folder"]),
    ("a file in place of the model", {"x.csv": GOOD, "M": "mine"}, TRAIN, WRONG_USE,
     ["M", "is a file"]),
    ("a file above the model", {"x.csv": GOOD, "F": "mine"},
     ["train", "classify", "x.csv", "-o", "F/M"], WRONG_USE, ["F/M", "is a file"]),
    ("a device in place of the model", {"x.csv": GOOD},
     ["train", "classify", "x.csv", "-o", "/dev/full"], WRONG_USE, ["/dev/full", "is a file"]),
    ("somebody's folder in place of the model", {"x.csv": GOOD, "M/diary.txt": "mine"},
     TRAIN + ["--force"], WRONG_USE, ["M", "not empty", "not a model"]),
    ("nothing to resume", {}, ["train", "--resume", "M"], WRONG_USE,
     ["M", "nothing to resume", "no training was begun"]),
    ("no folder to evaluate", {"x.csv": GOOD}, ["evaluate", "M", "x.csv"], FAILED,
     ["M: there is no such folder"]),
    ("no folder to predict with", {"x.csv": GOOD}, ["predict", "M", "x.csv"], FAILED,
     ["M: there is no such folder"]),
    ("no name of a folder to predict with", {"x.csv": GOOD}, ["predict", "", "x.csv"], WRONG_USE,
     ["name of a model's folder"]),
    ("a folder without a model", {"x.csv": GOOD, "M/a": ""}, ["predict", "M", "x.csv"], FAILED,
     ["M: is not a model", "config.json"]),
    ("a file to predict with", {"x.csv": GOOD}, ["predict", "x.csv", "x.csv"], FAILED,
     ["x.csv: is a file, expected a model's folder"]),
    ("a name that cannot be to predict with", {"x.csv": GOOD}, ["predict", "M" * 300, "x.csv"],
     FAILED, ["cannot read: File name too long"]),
    ("another mark between columns", {"x.csv": GOOD.replace(",", "|")}, TRAIN, FAILED,
     ["x.csv:1", '"text|label"', "--delimiter pipe"]),
    ("another mark between columns of a .tsv", {"x.tsv": GOOD},
     ["train", "classify", "x.tsv", "-o", "M"], FAILED, ["x.tsv:1", "--delimiter comma"]),
    ("another mark between columns of any file", {"x": GOOD.replace(",", "|")},
     ["train", "classify", "x", "-o", "M"], FAILED, ["x: cannot tell", "--delimiter pipe"]),
]


def write(folder, files):
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def check(result, code, words, notes=False):
    """One sentence on standard error, behind others only where notes are expected."""
    said = result.stderr.decode(errors="replace")
    assert result.returncode == code, f"exit {result.returncode}, expected {code}: {said}"
    assert not result.stdout, result.stdout
    assert said.endswith("\n") and said.strip(), repr(said)
    lines = said.splitlines()
    assert notes or len(lines) == 1, f"expected one line:\n{said}"
    assert lines[-1].startswith("heed: "), said
    assert "std::" not in said and "terminate" not in said, said
    for word in words:
        assert word in lines[-1], f"expected {word!r} in: {said}"


def refused(heed, arguments, code, words, notes=False, **options):
    before = snapshot(heed.folder)
    check(heed.run(*arguments, **options), code, words, notes)
    after = snapshot(heed.folder)
    assert after == before, f"left behind: {sorted(set(after) ^ set(before)) or 'changed files'}"


def one_by_one(program):
    wrong = []
    for name, files, arguments, code, words in CASES:
        with tempfile.TemporaryDirectory() as folder:
            heed = Heed(program, folder)
            write(heed.folder, files)
            try:
                refused(heed, arguments, code, words)
            except AssertionError as error:
                wrong.append(f"{name}: {error}")
    assert not wrong, "\n".join(wrong)


def unwritable(heed):
    """Places that cannot be written to, and disks that are full."""
    train = ["train", "classify", "x.csv", *SMALL, "-o"]
    # Where nobody can write: even root learns that there is no room.
    refused(heed, [*train, "/proc/heed/model"], FAILED, ["/proc/heed/model"], notes=True)
    if os.geteuid() != 0:  # nothing is forbidden to root
        (heed.folder / "locked").mkdir(mode=0o555)
        refused(heed, [*train, "locked/M"], FAILED, ["locked/M", "Permission denied"])

    def limit(size):
        return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    # Each limit hits another file: the run, the vocabulary or config, a checkpoint, the weights.
    for size in [0, 200, 4000, 20000]:
        refused(heed, [*train, "deep/er/M"], FAILED, ["deep/er/M/", "cannot write"], notes=True,
                preexec_fn=limit(size))
    refused(heed, [*train, "M2", "--set", "training.checkpoint_steps=1"], FAILED,
            ["M2/checkpoint/state.safetensors", "cannot write"], notes=True,
            preexec_fn=limit(20000))

    with open("/dev/full", "wb") as full:
        for arguments in [["predict", "M", "x.csv"], ["evaluate", "M", "x.csv"]]:
            refused(heed, arguments, FAILED, ["standard output", "No space left"], stdout=full)


def damaged(heed, model, data):
    """A model with a file missing, cut, grown, or changed in one place."""
    whole = {path.name: path.read_bytes() for path in (heed.folder / model).iterdir()}
    names = ["config.json", "model.safetensors", "tokenizer.txt", "vocabulary.txt"]
    for name in names:
        content = whole[name]
        middle = len(content) // 2
        flipped = bytes([content[middle] ^ 1])
        bad = {"missing": None, "empty": b"", "truncated": content[:middle],
               "shortened": content[:-1], "oversized": content + content, "grown": content + b"0",
               "altered": content[:middle] + flipped + content[middle + 1:]}
        if name == "model.safetensors":
            bad["huge header"] = (1 << 60).to_bytes(8, "little") + content[8:]
            bad["long header"] = (1 << 26).to_bytes(8, "little") + content[8:]
        if name == "config.json":
            bad["huge width"] = content.replace(b'"width": 64', b'"width": 400000000000', 1)
            bad["renamed label"] = content.replace(b'"food"', b'"fool"').replace(b'"ADJ"', b'"ADV"')
            label, tags = b'"kind": "label"', b'"kind": "tags"'
            bad["another task"] = content.replace(*([label, tags] if label in content
                                                    else [tags, label]))
        if name == "vocabulary.txt":
            bad["another word"] = content.replace(b"the\t", b"teh\t")
            bad["a word of the pairs"] = content.replace(b"cat\t", b"kat\t")
        for what, changed in bad.items():
            assert changed != content, (name, what)
            shutil.copytree(heed.folder / model, heed.folder / "bad")
            path = heed.folder / "bad" / name
            path.unlink()
            if changed is not None:
                path.write_bytes(changed)
            for arguments in [["evaluate", "bad", data], ["predict", "bad", data]]:
                try:
                    refused(heed, arguments, FAILED, [f"bad/{name}" if changed else "bad"])
                except AssertionError as error:
                    raise AssertionError(f"{name}, {what}: {error}") from None
            shutil.rmtree(heed.folder / "bad")
    # A folder in place of a file.
    shutil.copytree(heed.folder / model, heed.folder / "bad")
    (heed.folder / "bad/vocabulary.txt").unlink()
    (heed.folder / "bad/vocabulary.txt").mkdir()
    refused(heed, ["predict", "bad", data], FAILED, ["bad/vocabulary.txt", "is a folder"])
    shutil.rmtree(heed.folder / "bad")


def with_models(program):
    with tempfile.TemporaryDirectory() as folder:
        heed = Heed(program, folder)
        write(heed.folder, {"x.csv": GOOD, "x.conllu": TAGS, "bad.csv": "text,label\na,b,c\n",
                            "new.csv": "text,label\nsome words,unheard\n",
                            "new.conllu": conllu([[("a", "DET"), ("b", "NEW")]]),
                            "v.vec": "the 1 2 3\n",
                            "cut.vec": "the" + " 1" * 64 + "\na 1 2\n",
                            "c.json": '{"width": 64}'})
        heed.done("train", "classify", "x.csv", "-o", "M", *SMALL)
        heed.done("train", "tag", "x.conllu", "-o", "T", *SMALL)

        # An existing model stays as it is, without --force and with data that is no good.
        refused(heed, [*TRAIN, *SMALL], WRONG_USE, ["M", "--force"])
        refused(heed, ["train", "classify", "bad.csv", "-o", "M", "--force"], FAILED, ["bad.csv:2"])
        refused(heed, [*TRAIN, *SMALL, "--force", "--set", "input.vectors=none.vec"], FAILED,
                ["none.vec", "No such file"], notes=True)
        for setting, code, words in [
                ("input.vectors=v.vec", FAILED, ["v.vec:1", "vectors of 3 numbers"]),
                ("input.vectors=cut.vec", FAILED, ["cut.vec:2", "2 numbers"]),
                ("body.attention.memory_width=32", FAILED, ["memory_width 32"])]:
            refused(heed, [*TRAIN, *SMALL, "--force", "--set", setting], code, words, notes=True)
        refused(heed, [*TRAIN, *SMALL, "--force", "--set", "input.vectors=v.vec", "--tokenizer",
                       "unigram", "--vocabulary", "30"], WRONG_USE,
                ["input.vectors", 'unless the tokenizer is "word"', "v.vec"])
        refused(heed, ["train", "--resume", "M"], WRONG_USE, ["M", "has finished"])

        # A model of another task, and answers that it never learned.
        refused(heed, ["evaluate", "T", "x.csv"], WRONG_USE, ["x.csv", "T is a model that tags"])
        refused(heed, ["evaluate", "M", "x.conllu"], WRONG_USE, ["x.conllu", "classifies texts"])
        refused(heed, ["predict", "M", "x.conllu"], WRONG_USE, ["x.conllu", "classifies texts"])
        # Answers that training never saw are no reason to stop.
        for model, data, name in [("M", "new.csv", '"unheard"'), ("T", "new.conllu", '"NEW"')]:
            result = heed.run("evaluate", model, data)
            said = result.stderr.decode()
            assert result.returncode == 0 and f"{data}:2: {name}" in said, (result, said)
        refused(heed, ["predict", "M", "missing.csv"], FAILED, ["missing.csv", "no such file"])
        refused(heed, ["predict", "M"], FAILED, ["standard input", "empty"])

        damaged(heed, "M", "x.csv")
        damaged(heed, "T", "x.conllu")
        unwritable(heed)

        # The other way round: what is right is not refused.
        heed.done("train", "classify", "x.csv", "-o", "M", "--force", "--config", "c.json", *SMALL)
        assert "accuracy" in heed.done("evaluate", "M", "x.csv").lower()
    for arguments in [["--help"], ["train", "--help"], ["train", "classify", "--help"],
                      ["predict", "--help"], ["--version"]]:
        with tempfile.TemporaryDirectory() as folder:
            assert "heed" in Heed(program, folder).done(*arguments).lower()


def nobody_to_tell(program):
    """Where the sentence cannot be written, the exit code is still the right one."""
    with tempfile.TemporaryDirectory() as folder, open("/dev/full", "wb") as full:
        command = Heed(program, folder).command("frobnicate")
        result = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=full)
        assert result.returncode == WRONG_USE, result.returncode


def main():
    program = pathlib.Path(sys.argv[1])
    nobody_to_tell(program)
    one_by_one(program)
    with_models(program)


if __name__ == "__main__":
    main()
