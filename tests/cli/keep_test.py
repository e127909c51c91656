#!/usr/bin/env python3
"""predict gives back what it read, with answers; texts are split into words; mistakes are listed.

    keep_test.py HEED
"""

import csv as csv_module
import io
import json
import pathlib
import resource
import sys
import tempfile

from program import Heed, conllu, csv, sentences, texts

TINY = ["--preset", "tiny", "--epochs", "6", "--workers", "1"]
NAMES = [[("Ada", "B-PER"), ("Lovelace", "I-PER"), ("lived", "O"), ("in", "O"),
          ("London", "B-LOC"), (",", "O")],
         [("Alan", "B-PER"), ("Turing", "I-PER"), ("worked", "O"), ("in", "O"),
          ("Manchester", "B-LOC"), (".", "O")]] * 20


def refused(heed, *arguments, words, code=2, **options):
    result = heed.run(*arguments, **options)
    said = result.stderr.decode()
    assert result.returncode == code and said.count("\n") == 1, (result.returncode, said)
    for word in words:
        assert word in said, (word, said)


def tables(heed):
    """The same CSV, TSV or JSONL, to the byte, with more columns."""
    rows = 'id,text,label\r\n7,"a cat, and\na dog",x\r\n\r\n8,soup,y'
    (heed.folder / "k.csv").write_bytes(rows.encode())
    back = heed.done("predict", "M", "k.csv", "--keep", "--top", "2")
    assert back.startswith('id,text,label,predicted,probability,predicted_2,probability_2\r\n'
                           '7,"a cat, and\na dog",x,animals,'), back
    assert "\r\n\r\n8,soup,y,food," in back and not back.endswith("\n"), back
    read = list(csv_module.DictReader(io.StringIO(back, newline="")))
    assert [row["predicted"] for row in read] == ["animals", "food"], read
    line = '{"text": "soup",  "n": 1.50}'
    kept = heed.done("predict", "M", "--keep", input=(line + "\n\n").encode())
    assert kept.startswith('{"text": "soup",  "n": 1.50, "predicted": "food", "probability": ')
    assert kept.endswith("}\n\n") and json.loads(kept)["predicted"] == "food", kept
    assert heed.done("predict", "M", "--keep", input=b"soup\n").startswith("soup\tfood\t")
    (heed.folder / "twice.csv").write_text("text,predicted\nsoup,x\n")
    refused(heed, "predict", "M", "twice.csv", "--keep", words=['"predicted" already'], code=1)
    refused(heed, "predict", "M", "k.csv", "--keep", "--json", words=["--keep", "--json"])


def conll(heed):
    """Line for line, so that paste works: with the tag in its column, or with a column more."""
    lines = "\n\n-DOCSTART-\tO\n\nAda\tx\r\nlived\tx\r\n\r\n\n\nin\tx\nLondon\tx"
    (heed.folder / "n.conll").write_bytes(lines.encode())
    back = heed.run("predict", "N", "n.conll").stdout.decode()
    assert back == lines.replace("Ada\tx", "Ada\tB-PER").replace("London\tx", "London\tB-LOC") \
        .replace("\tx", "\tO"), back
    back = heed.run("predict", "N", "n.conll", "--keep").stdout.decode()
    assert "Ada\tx\tB-PER\r\n" in back and back.count("\n") == lines.count("\n"), back
    universal = conllu(sentences(3))
    (heed.folder / "u.conllu").write_text(universal)
    kept = heed.done("predict", "T", "u.conllu", "--keep")
    for old, new in zip(universal.split("\n"), kept.split("\n"), strict=True):
        assert new == old or new.startswith(old + "\t"), (old, new)


def places(heed):
    """Each JSON answer says what it is about."""
    (heed.folder / "p.csv").write_text("id,text\nq1,cat\n\nq2,soup\n")
    found = [json.loads(line) for line in heed.done("predict", "M", "p.csv", "--json").splitlines()]
    assert [(a["file"], a["line"], a["id"], a["text"]) for a in found] == \
        [("p.csv", 2, "q1", "cat"), ("p.csv", 4, "q2", "soup")], found
    found = json.loads(heed.done("predict", "M", "--json", input=b"cat\n"))
    assert found["line"] == 1 and found["text"] == "cat" and "file" not in found, found
    found = json.loads(heed.done("predict", "T", "x.conllu", "--json").splitlines()[0])
    assert found["id"] == "1" and found["line"] == 2, found


def piped(heed):
    """Structured data on standard input is recognised, and said so."""
    for data, format in [("text,label\ncat,x\nsoup,y\n", "csv"),
                         ('{"text": "cat"}\n{"text": "soup"}\n', "jsonl"),
                         ("__label__x cat\n__label__y soup\n", "fasttext")]:
        result = heed.run("predict", "M", input=data.encode())
        answers = [line.split("\t")[0] for line in result.stdout.decode().splitlines()]
        assert answers == ["animals", "food"], (data, result)
        assert f"is read as {format}" in result.stderr.decode(), result.stderr
    result = heed.run("predict", "M", input=b"the cat\nlabel, text\n")
    assert result.stdout.count(b"\n") == 2 and not result.stderr, result
    # A tagger's standard input is text, unless tabs or comments say that it is CoNLL.
    lines = heed.done("predict", "N", input=b"London\n\nAda\n").split("\n")
    assert [line.split("\t")[0] for line in lines] == ["London", "", "", "Ada", "", ""], lines
    result = heed.run("predict", "N", input=b"Ada\tx\nlived\tx\n\n")
    assert result.stdout.startswith(b"Ada\t") and result.stdout.count(b"\n") == 3, result
    assert b"as conll" in result.stderr, result


def unlabelled_folder(heed):
    for name, text in [("a.txt", "cat dog"), ("deep/er/b.txt", "soup"), (".hidden", "nail")]:
        path = heed.folder / "loose" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    rows = [line.split("\t")[:2] for line in heed.done("predict", "M", "loose").splitlines()]
    assert rows == [["loose/a.txt", "animals"], ["loose/deep/er/b.txt", "food"]], rows
    refused(heed, "predict", "M", "loose", "--keep", words=["--keep", "loose has no rows"])
    assert heed.done("predict", "N", "loose").startswith("cat\t")


def raw_text(heed):
    """Words of a text, and spans with the places of their characters."""
    text = "In «Köln», Ada Lovelace lived in London, Mr. Bo."
    found = json.loads(heed.done("predict", "N", "--json", input=(text + "\n").encode()))
    assert found["text"] == text, found
    for word in found["words"]:
        assert text[word["start"]:word["end"]] == word["word"], word
    assert [w["word"] for w in found["words"]] == \
        "In « Köln » , Ada Lovelace lived in London , Mr . Bo .".split(), found
    spans = {(span["text"], span["tag"]) for span in found["spans"]}
    assert {("Ada Lovelace", "PER"), ("London", "LOC")} <= spans, spans
    for span in found["spans"]:
        assert text[span["start"]:span["end"]] == span["text"], span
    assert [line.split("\t")[0] for line in heed.done(
        "predict", "N", "--format", "words", input=b"London, Ada\n").splitlines()][:2] == \
        ["London,", "Ada"]
    (heed.folder / "raw.csv").write_text('n,text\n1,"Ada Lovelace lived"\n')
    kept = list(csv_module.DictReader(io.StringIO(heed.done("predict", "N", "raw.csv", "--keep"))))
    assert json.loads(kept[0]["predicted"])[0]["text"] == "Ada Lovelace", kept


def no_impossible_tags(heed):
    """Never an I- that no B- or I- of its kind is before, with a CRF or without."""
    words = "Lovelace Turing lived in Ada London Manchester , Alan".split()
    asked = "".join(f"{a} {b} {c}\n" for a in words for b in words for c in words)
    for model in ["N", "F"]:
        before = "O"
        for line in heed.done("predict", model, "--format", "lines", input=asked.encode()).split("\n"):
            tag = line.split("\t")[1] if line else "O"
            assert not tag.startswith("I-") or before[2:] == tag[2:], (model, before, line)
            before = tag


def long_line(heed):
    """A line of megabytes takes no more memory than one of kilobytes, and all of it is answered."""
    words = "Ada Lovelace lived in London , ".split()
    count = 300000
    text = " ".join(words[i % len(words)] for i in range(count)) + "\n"

    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
    printed = heed.done("predict", "N", "--workers", "1", input=text.encode(), preexec_fn=limit)
    assert printed.count("\n") == count + 1 and printed.endswith("\n\n"), printed.count("\n")
    printed = heed.done("predict", "M", "--workers", "1", input=text.encode(), preexec_fn=limit)
    assert printed.count("\n") == 1, printed


def little_memory(heed):
    """Where memory is limited, a sentence."""
    for megabytes in [60, 80, 100, 110, 120, 130, 160, 200, 240, 245, 250, 260]:
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (megabytes * 1000000, megabytes * 1000000))
        for arguments in [["predict", "M", "p.csv"], ["evaluate", "M", "x.csv"],
                          ["predict", "N", "n.conll"]]:
            result = heed.run(*arguments, preexec_fn=limit)
            said = result.stderr.decode()
            if "error while loading shared libraries" in said:
                continue  # heed had not begun
            assert result.returncode == 0 or (result.returncode == 1 and said.count("\n") == 1), \
                (megabytes, arguments, result)
    for megabytes in range(100, 340, 10):
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (megabytes * 1000000, megabytes * 1000000))
        result = heed.run("train", "classify", "x.csv", "-o", "little", "--force", *TINY,
                          preexec_fn=limit)
        last = result.stderr.decode().splitlines()[-1]
        assert result.returncode in (0, 1) and (result.returncode == 0 or "memory" in last), \
            (megabytes, result)


def mistakes(heed):
    """The worst first; labels that training never saw are wrong and counted; two models compared."""
    (heed.folder / "e.csv").write_text(
        "id,text,label\n1,cat dog,animals\n2,soup,food\n3,nail,tools\n4,cat,food\n5,glue,weird\n")
    result = heed.run("evaluate", "M", "e.csv", "--errors", "wrong.csv", "--json")
    assert result.returncode == 0 and b"weird" in result.stderr, result
    before = (heed.folder / "e.csv").read_bytes()
    refused(heed, "evaluate", "M", "e.csv", "--errors", "./e.csv", words=["is what is evaluated"])
    assert (heed.folder / "e.csv").read_bytes() == before
    wrong = list(csv_module.DictReader(open(heed.folder / "wrong.csv", newline="")))
    assert {row["id"] for row in wrong} == {"4", "5"}, wrong
    chances = [float(row["probability"]) for row in wrong]
    assert chances == sorted(chances, reverse=True), chances
    assert [row["truth"] for row in wrong if row["id"] == "5"] == ["weird"], wrong
    report = json.loads(result.stdout)
    assert report["accuracy"]["value"] == 0.6 and report["unseen_answers"] == 1, report
    assert report["log_loss"] > 0 and 0 < report["calibration_error"] < 1, report
    assert [t["probability"] for t in report["thresholds"]][:2] == [0.5, 0.7], report
    heed.done("evaluate", "T", "x.conllu", "--errors", "wrong.jsonl")
    for line in (heed.folder / "wrong.jsonl").read_text().splitlines():
        assert json.loads(line)["word"] in json.loads(line)["text"].split(), line
    found = json.loads(heed.done("evaluate", "M", "W", "x.csv", "--json"))
    models = found["models"]
    assert [m["model"] for m in models] == ["M", "W"] and models[1]["p"] < 0.05, found
    assert abs(models[1]["score"] - models[0]["score"] - models[1]["difference"]) < 1e-9, found
    assert "worse on" in heed.done("evaluate", "M", "W", "x.csv")
    refused(heed, "evaluate", "M", "W", words=["W is a model too"])
    refused(heed, "evaluate", "M", "W", "x.csv", "--errors", "e", words=["--errors"])


def hints(heed):
    """What other programs call a flag is understood well enough to say what it is called here."""
    train = ["train", "classify", "x.csv", "-o", "no"]
    for flag, words in [("--learning-rate", ["--rate"]), ("--lr=1", ["--rate"]),
                        ("--batch-size", ["training.batch_rows"]), ("--num-epochs", ["--epochs"]),
                        ("--val", ["--dev"]), ("--gpu", ["--workers", "CPU"])]:
        refused(heed, *train, flag, "3", words=words)
    refused(heed, "predict", "M", "a quiet film", words=['echo "a quiet film" | heed predict M'])
    refused(heed, "predict", "M", "none.csv", words=["none.csv: there is no such file"], code=1)


def intervals(heed):
    """Few examples, all right: not 100 to 100."""
    (heed.folder / "six.csv").write_text(
        "text,label\n" + "cat,animals\nsoup,food\nnail,tools\n" * 2)
    report = json.loads(heed.done("evaluate", "M", "six.csv", "--json"))
    low, high = report["accuracy"]["interval"]
    assert report["accuracy"]["value"] == 1 and high == 1 and abs(low - 0.6097) < 1e-3, report
    assert report["macro_f1"]["interval"][0] < 0.7, report
    report = json.loads(heed.done("evaluate", "N", "names.conll", "--json"))
    assert report["span_f1"]["value"] == 1 and report["span_f1"]["interval"][0] < 0.95, report


def main():
    with tempfile.TemporaryDirectory() as folder:
        heed = Heed(pathlib.Path(sys.argv[1]), folder)
        (heed.folder / "x.csv").write_text(csv(texts(180)))
        (heed.folder / "x.conllu").write_text(conllu(sentences(60)))
        (heed.folder / "names.conll").write_text("\n".join(
            "".join(f"{word}\t{tag}\n" for word, tag in sentence) for sentence in NAMES))
        heed.done("train", "classify", "x.csv", "-o", "M", *TINY)
        heed.done("train", "classify", "x.csv", "-o", "W", "--no-wide", "--preset", "tiny",
                  "--epochs", "1", "--rate", "0.00001", "--workers", "1")
        heed.done("train", "tag", "x.conllu", "-o", "T", *TINY)
        tag = ["train", "tag", "names.conll", "--dev", "names.conll", "--preset", "tiny",
               "--epochs", "20", "--workers", "1"]
        heed.done(*tag, "-o", "N")
        heed.done(*tag, "-o", "F", "--no-crf")
        for part in [tables, conll, places, piped, unlabelled_folder, raw_text, no_impossible_tags,
                     long_line, mistakes, hints, intervals, little_memory]:
            part(heed)


if __name__ == "__main__":
    main()
