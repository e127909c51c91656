#!/usr/bin/env python3
"""From a file to a model that works: every format, evaluated, used, and the same every time.

    train_test.py HEED
"""

import gzip
import json
import os
import pathlib
import pty
import subprocess
import sys
import tempfile

from program import Heed, conllu, csv, sentences, texts

SMALL = ["--preset", "tiny", "--epochs", "12", "--workers", "2", "--rate", "0.01", "--set",
         "training.batch_rows=256", "--set", "training.average=0.9"]


def weights(heed, model):
    """The numbers alone: what stands before them also tells how the files were read."""
    content = (heed.folder / model / "model.safetensors").read_bytes()
    return content[8 + int.from_bytes(content[:8], "little"):]


def write_formats(folder, pairs):
    """The same texts in the same order in each format of one file."""
    (folder / "x.csv").write_text(csv(pairs))
    (folder / "x.tsv").write_text(csv(pairs).replace(",", "\t"))
    lines = [json.dumps({"text": text, "label": label}) for text, label in pairs]
    (folder / "x.jsonl").write_text("\n".join(lines) + "\n")
    (folder / "x.ft").write_text("".join(f"__label__{label} {text}\n" for text, label in pairs))
    (folder / "x.csv.gz").write_bytes(gzip.compress(csv(pairs).encode()))
    # With a mark at its beginning, other line ends, quotes and columns that are not needed.
    rows = "".join(f'{i},{label},"{text}"\r\n' for i, (text, label) in enumerate(pairs))
    (folder / "y.csv").write_bytes(b"\xef\xbb\xbf" + ("id,topic,words\r\n" + rows).encode())
    for i, (text, label) in enumerate(pairs):
        path = folder / "classes" / label / f"{i:04}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n")


def formats(heed):
    """Whatever the format, the same model; and it has learned what there was to learn."""
    write_formats(heed.folder, texts(300))
    (heed.folder / "t.csv").write_text(csv(texts(120, seed=2)))
    heed.done("train", "classify", "x.csv", "-o", "M", "--test", "t.csv", *SMALL)
    for name in ["x.tsv", "x.jsonl", "x.ft", "x.csv.gz"]:
        heed.done("train", "classify", name, "-o", "other", "--force", *SMALL)
        assert weights(heed, "other") == weights(heed, "M"), name
    heed.done("train", "classify", "y.csv", "-o", "other", "--force", "--text-column", "words",
              "--label-column", "topic", *SMALL)
    assert weights(heed, "other") == weights(heed, "M"), "y.csv"
    # Which columns those were is remembered.
    assert heed.done("evaluate", "other", "y.csv") == heed.done("evaluate", "M", "x.csv")
    assert heed.done("predict", "other", "y.csv") == heed.done("predict", "M", "x.csv")
    assert heed.done("evaluate", "other", "x.csv") == heed.done("evaluate", "M", "x.csv")
    heed.done("train", "classify", "classes", "-o", "folder", *SMALL)
    for model in ["M", "folder"]:
        score = json.loads(heed.done("evaluate", model, "t.csv", "--json"))
        assert score["accuracy"]["value"] > 0.95, (model, score)

    names = {path.name for path in (heed.folder / "M").iterdir()}
    assert names == {"config.json", "model.safetensors", "vocabulary.txt",
                     "wide_words.txt", "wide_pairs.txt", "wide_ngrams.txt", "tokenizer.txt", "metrics.json", "training.json", "training.jsonl", "curve.svg"}, names
    metrics = json.loads((heed.folder / "M/metrics.json").read_text())
    held_out = metrics.pop("held_out")
    assert held_out["measure"] == "accuracy" and held_out["score"] > 0.95, held_out
    assert held_out.get("baseline", {"score": 1})["score"] > 0.5, held_out
    assert metrics == json.loads(heed.done("evaluate", "M", "t.csv", "--json"))
    lines = (heed.folder / "M/training.jsonl").read_text().splitlines()
    assert [json.loads(line)["epoch"] for line in lines] == list(range(1, 13)), lines


def unseen(heed):
    """Answers that training never saw are counted aloud, and as wrong."""
    (heed.folder / "new.csv").write_text("text,label\na hammer,new\n" + csv(texts(9)).split("\n", 1)[1])
    result = heed.run("evaluate", "M", "new.csv", "--json")
    assert result.returncode == 0, result.stderr
    assert b'new.csv:2: "new" is in the given data, but never in' in result.stderr, result.stderr
    score = json.loads(result.stdout)
    assert score["accuracy"]["value"] <= 0.9 and "new" in result.stdout.decode(), score


def evaluate(heed):
    """The numbers agree with each other and with what predict says."""
    pairs = texts(120, seed=2)
    score = json.loads(heed.done("evaluate", "M", "t.csv", "--json"))
    predicted = [line.split("\t")[0] for line in
                 heed.done("predict", "M", "t.csv").splitlines()]
    assert len(predicted) == len(pairs) == score["examples"]
    right = sum(label == answer for (_, label), answer in zip(pairs, predicted))
    low, high = score["accuracy"]["interval"]
    assert abs(score["accuracy"]["value"] - right / len(pairs)) < 1e-12, score
    assert low <= score["accuracy"]["value"] <= high <= 1, score
    for i, row in enumerate(score["classes"]):
        confusion = score["confusion"]
        assert sum(confusion[i]) == row["support"] == sum(label == row["name"]
                                                          for _, label in pairs), score
        assert sum(line[i] for line in confusion) == row["predicted"], score
        assert confusion[i][i] == row["correct"], score
    assert sum(row["support"] for row in score["classes"]) == len(pairs), score
    table = heed.done("evaluate", "M", "t.csv")
    assert f"{100 * right / len(pairs):.2f}" in table or f"{100 * right / len(pairs):.1f}" in table
    # However many share the work.
    assert heed.done("evaluate", "M", "t.csv", "--json", "--workers", "1") == \
        heed.done("evaluate", "M", "t.csv", "--json", "--workers", "3")


def predict(heed):
    """In order, from files and from standard input, with the most likely first."""
    pairs = texts(5000, seed=3)  # more than are taken at a time
    (heed.folder / "many.csv").write_text(csv(pairs))
    lines = "".join(text + "\n" for text, _ in pairs)
    best = heed.done("predict", "M", "many.csv")
    assert heed.done("predict", "M", input=lines.encode()) == best
    assert heed.done("predict", "M", "-", input=lines.encode()) == best
    assert heed.done("predict", "M", "many.csv", "--workers", "1") == best
    right = sum(line.split("\t")[0] == label
                for line, (_, label) in zip(best.splitlines(), pairs))
    assert right > 0.9 * len(pairs), right

    # The one on its own says what it says among others.
    alone = heed.done("predict", "M", input=(pairs[4321][0] + "\n").encode()).split("\t")
    among = best.splitlines()[4321].split("\t")
    assert alone[0] == among[0] and abs(float(alone[1]) - float(among[1])) < 2e-4, (alone, among)
    # A file that has several, one after another; an empty line is a text too.
    assert heed.done("predict", "M", "t.csv", "t.csv").splitlines() == \
        2 * heed.done("predict", "M", "t.csv").splitlines()
    assert len(heed.done("predict", "M", input=b"cat\n\ndog\n").splitlines()) == 3

    top = [line.split("\t") for line in heed.done("predict", "M", "t.csv", "--top", "9")
           .splitlines()]
    for fields, line in zip(top, heed.done("predict", "M", "t.csv").splitlines()):
        assert fields[:2] == line.split("\t"), (fields, line)
        assert sorted(fields[::2]) == ["animals", "food", "tools"], fields
        shares = [float(share) for share in fields[1::2]]
        assert shares == sorted(shares, reverse=True) and abs(sum(shares) - 1) < 2e-4, fields
    objects = [json.loads(line) for line in
               heed.done("predict", "M", "t.csv", "--top", "2", "--json").splitlines()]
    for found, fields in zip(objects, top, strict=True):
        assert [answer["label"] for answer in found["answers"]] == fields[0:4:2], (found, fields)
        assert abs(found["answers"][0]["probability"] - float(fields[1])) < 1e-4, (found, fields)


def typed(heed):
    """On a terminal the answer comes with each line, before there is another."""
    terminal, end = pty.openpty()
    child = subprocess.Popen(heed.command("predict", "M"), cwd=heed.folder, stdin=end,
                             stdout=subprocess.PIPE)
    for text, label in [("cat dog", b"animals"), ("soup", b"food"), ("nail", b"tools")]:
        os.write(terminal, text.encode() + b"\n")
        answer = child.stdout.readline()
        assert answer.startswith(label + b"\t"), (text, answer)
    os.write(terminal, b"\x04")
    assert child.communicate()[0] == b"" and child.returncode == 0
    os.close(end)
    os.close(terminal)


def tags(heed):
    """CoNLL-U goes in and comes out; nothing but the tags may change."""
    (heed.folder / "x.conllu").write_text(conllu(sentences(200)))
    test = conllu(sentences(80, seed=2))
    (heed.folder / "t.conllu").write_text(test)
    (heed.folder / "t.conllu.gz").write_bytes(gzip.compress(test.encode()))
    heed.done("train", "tag", "x.conllu", "-o", "T", *SMALL)
    heed.done("train", "tag", "x.conllu", "-o", "C", "--crf", *SMALL)
    for model in ["T", "C"]:
        tagged = heed.done("predict", model, "t.conllu")
        assert heed.done("predict", model, "t.conllu.gz") == tagged
        assert heed.done("predict", model, input=test.encode()) == tagged
        tokens = right = 0
        for before, after in zip(test.split("\n"), tagged.split("\n"), strict=True):
            old, new = before.split("\t"), after.split("\t")
            if len(old) == 10 and old[0].isdigit():
                tokens += 1
                right += old[3] == new[3]
                old[3] = new[3] = "?"
            assert old == new, (before, after)
        score = json.loads(heed.done("evaluate", model, "t.conllu", "--json"))
        assert score["tokens"] == tokens and score["sentences"] == 80, score
        assert abs(score["token_accuracy"]["value"] - right / tokens) < 1e-12, score
        assert right > 0.95 * tokens, (right, tokens)
    words = [json.loads(line)["words"] for line in
             heed.done("predict", "T", "t.conllu", "--json").splitlines()]
    assert [[word["word"] for word in line] for line in words] == \
        [[word for word, _ in sentence] for sentence in sentences(80, seed=2)]
    for line in heed.done("predict", "T", "t.conllu", "--json", "--top", "2").splitlines():
        for word in json.loads(line)["words"]:
            first, second = word["answers"]
            assert first == {"tag": word["tag"], "probability": word["probability"]}, word
            assert first["probability"] >= second["probability"], word
    # The scores of the network and of the linear CRF beside it, for each word.
    assert (heed.folder / "T/wide_features.txt").exists()
    classes = len(json.loads((heed.folder / "T/config.json").read_text())["output"]["names"])
    for line in heed.done("predict", "T", "t.conllu", "--json", "--shares").splitlines():
        found = json.loads(line)
        for part in ["network", "wide"]:
            scores = found["scores"][part]
            assert [len(row) for row in scores] == [classes] * len(found["words"]), found
    heed.done("train", "tag", "x.conllu", "-o", "A", "--no-wide", *SMALL)
    found = json.loads(heed.done("predict", "A", "t.conllu", "--json", "--shares").splitlines()[0])
    assert list(found["scores"]) == ["network"], found
    # Sentences as they are typed.
    typed = heed.done("predict", "T", input=b"the old cat sees\na dog likes red soup\n")
    columns = [line.split("\t") for line in typed.splitlines() if line]
    assert [line[0] for line in columns] == "the old cat sees a dog likes red soup".split(), typed
    assert [line[1] for line in columns] == \
        "DET ADJ NOUN VERB DET NOUN VERB ADJ NOUN".split(), typed

    # A model writes into the column that it learned from.
    heed.done("train", "tag", "x.conllu", "-o", "X", "--tag-column", "xpos", *SMALL)
    answers = []
    for before, after in zip(test.split("\n"), heed.done("predict", "X", "t.conllu").split("\n")):
        old, new = before.split("\t"), after.split("\t")
        if len(old) == 10 and old[0].isdigit():
            answers.append(old[4] == new[4])
            old[4] = new[4] = "?"
        assert old == new, (before, after)
    score = json.loads(heed.done("evaluate", "X", "t.conllu", "--json"))
    right = sum(answers) / len(answers)
    assert abs(score["token_accuracy"]["value"] - right) < 1e-12, (score, right)
    assert right > 0.9, right  # xpos is the place of the word: easy
    rows = "".join("".join(f"{word}\tkept\t{tag}\n" for word, tag in sentence) + "\n"
                   for sentence in sentences(200))
    (heed.folder / "x.conll").write_text(rows)
    heed.done("train", "tag", "x.conll", "-o", "X", "--force", *SMALL)
    for line in heed.done("predict", "X", "-", input=b"the\tmine\ncat\tmine\n\n").split("\n"):
        assert not line or (line.split("\t")[1] == "mine" and line.count("\t") == 2), line

    # A tag so rare that only the held-out part may have it is no mistake.
    rare = sentences(60)
    rare[7] = [("hm", "INTJ")]
    (heed.folder / "rare.conllu").write_text(conllu(rare))
    for seed in range(1, 5):
        heed.done("train", "tag", "rare.conllu", "-o", "R", "--force", "--held-out", "0.5",
                  "--seed", seed, "--preset", "tiny", "--epochs", "1")


def repeats(heed):
    """The same seed and workers: the same bytes. Another seed: another model."""
    for workers in ["1", "2"]:
        options = [workers if option == "2" else option for option in SMALL]
        for name in ["one", "two"]:
            heed.done("train", "classify", "x.csv", "-o", name, "--force", *options)
        for file in ["model.safetensors", "config.json", "vocabulary.txt"]:
            one, two = [(heed.folder / name / file).read_bytes() for name in ["one", "two"]]
            assert one == two, (file, workers)
    heed.done("train", "classify", "x.csv", "-o", "two", "--force", *SMALL, "--seed", "2")
    assert weights(heed, "one") != weights(heed, "two")


def peak_memory(heed, count):
    """Bytes at most, while so many lines come through a pipe; counts the answers."""
    text = b"the old cat and a new hammer under the red soup\n"
    # An address sanitizer keeps what was freed; it is told to keep little.
    environment = dict(os.environ)
    environment["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=1"
    with open(heed.folder / "answers", "wb") as answers:
        child = subprocess.Popen(heed.command("predict", "M"), cwd=heed.folder, env=environment,
                                 stdin=subprocess.PIPE, stdout=answers)
        for _ in range(count // 1000):
            child.stdin.write(text * 1000)
        child.stdin.close()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode == 0
    with open(heed.folder / "answers", "rb") as answers:
        assert sum(1 for _ in answers) == count
    return usage.ru_maxrss * 1024


def memory(heed):
    short, long = peak_memory(heed, 20_000), peak_memory(heed, 200_000)
    # All lines and their answers would take more than 30 MB.
    assert long < short + (8 << 20), (short, long)


def main():
    with tempfile.TemporaryDirectory() as folder:
        heed = Heed(pathlib.Path(sys.argv[1]), folder)
        for part in [formats, evaluate, unseen, predict, typed, tags, repeats, memory]:
            part(heed)


if __name__ == "__main__":
    main()
