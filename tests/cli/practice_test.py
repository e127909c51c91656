#!/usr/bin/env python3
"""The daily work with data and training: what deceives in the data, several labels, pairs of texts,
which weights are kept, stopping early, going on with more, what each part of a model does.

    practice_test.py HEED
"""

import json
import pathlib
import random
import signal
import sys
import tempfile
import time

from program import COMMON, TOPICS, Heed, csv, texts

SMALL = ["--preset", "tiny", "--workers", "2", "--rate", "0.01", "--set", "training.batch_rows=256",
         "--set", "training.average=0.9"]


def several(count, seed=1):
    """Texts with the topics of their words: none, one or two."""
    dice = random.Random(seed)
    rows = []
    for i in range(count):
        labels = dice.sample(sorted(TOPICS), k=i % 3)
        words = [word for label in labels for word in dice.choices(TOPICS[label], k=2)]
        words += dice.choices(COMMON, k=dice.randint(2, 6))
        dice.shuffle(words)
        rows.append((" ".join(words), labels))
    return rows


def write_several(folder, name, rows):
    (folder / f"{name}.jsonl").write_text(
        "".join(json.dumps({"text": text, "labels": labels}) + "\n" for text, labels in rows))
    (folder / f"{name}.csv").write_text(
        "text,labels\n" + "".join(f"{text},{'|'.join(labels)}\n" for text, labels in rows))
    (folder / f"{name}.ft").write_text(
        "".join("".join(f"__label__{label} " for label in labels) + text + "\n"
                for text, labels in rows))


def weights(folder):
    content = (folder / "model.safetensors").read_bytes()
    return content[8 + int.from_bytes(content[:8], "little"):]


def labels(heed):
    """Several labels from every format, the same model each time; evaluated and asked."""
    write_several(heed.folder, "x", several(400))
    test = several(150, seed=2)
    write_several(heed.folder, "t", test)
    for form in ["jsonl", "csv", "ft"]:
        heed.done("train", "label", f"x.{form}", "-o", f"L-{form}", "--epochs", "25", *SMALL)
        assert weights(heed.folder / f"L-{form}") == weights(heed.folder / "L-jsonl"), form
    scores = [json.loads(heed.done("evaluate", "L-jsonl", f"t.{form}", "--json"))
              for form in ["jsonl", "csv", "ft"]]
    assert scores[0] == scores[1] == scores[2], scores
    score = scores[0]
    assert score["micro_f1"]["value"] > 0.9 and score["macro_f1"]["value"] > 0.9, score
    assert score["examples"] == 150 and 0.6 < score["precision_at_1"] <= 0.7, score
    low, high = score["micro_f1"]["interval"]
    assert low <= score["micro_f1"]["value"] <= high, score
    report = heed.done("evaluate", "L-jsonl", "t.csv")
    for part in ["micro F1", "macro F1", "precision at 1", "exactly right", "threshold"]:
        assert part in report, report
    config = json.loads((heed.folder / "L-csv/config.json").read_text())
    assert config["columns"]["separator"] == "|" and len(config["output"]["thresholds"]) == 3

    # What predict says, counted by hand, is what evaluate says.
    lines = "".join(text + "\n" for text, _ in test).encode()
    said = [line.split("\t")[::2] if line else []
            for line in heed.done("predict", "L-jsonl", input=lines).split("\n")[:-1]]
    assert len(said) == 150
    right = sum(len(set(a) & set(b)) for a, (_, b) in zip(said, test))
    both = sum(len(a) + len(b) for a, (_, b) in zip(said, test))
    assert abs(2 * right / both - score["micro_f1"]["value"]) < 1e-12, (right, both, score)
    top = heed.done("predict", "L-jsonl", "--top", "3", input=lines).splitlines()
    assert all(len(line.split("\t")) == 6 for line in top), top[0]
    answers = [json.loads(line)["answers"]
               for line in heed.done("predict", "L-jsonl", "--json", input=lines).splitlines()]
    assert [[one["label"] for one in each] for each in answers] == said
    assert "3 labels" in heed.done("describe", "L-jsonl")
    # One label asked for, several given: what to do instead is said.
    refused = heed.run("train", "classify", "x.jsonl", "-o", "N")
    assert refused.returncode == 1 and b"heed train label" in refused.stderr, refused.stderr


def check(heed):
    """What deceives is said before training, and by heed check alone."""
    rows = [*texts(60), ("the same words", "food"), ("the same words", "tools"),
            ("copied text", "food"), ("copied text", "food"), ("alone", "rare")]
    (heed.folder / "odd.csv").write_text(csv(rows) + "caf\u00c3\u00a9,food\n")
    printed = heed.done("check", "odd.csv")
    for part in ["66 texts, for heed train classify", "columns", "label (label)", "4 classes",
                 'single example: 1 ("rare")', "different answers: 1, 2 examples",
                 'odd.csv:62 ("food") and odd.csv:63 ("tools")', "more than once:",
                 "Latin-1", "median"]:
        assert part in printed, (part, printed)
    found = json.loads(heed.done("check", "odd.csv", "--json"))
    assert found["examples"] == 66 and found["conflicts"] == 1 and found["mojibake"]["count"] == 1
    assert found["columns"] == ["text", "label"] and len(found["warnings"]) == 4, found
    result = heed.run("train", "classify", "odd.csv", "-o", "odd", "--epochs", "1", *SMALL)
    said = result.stderr.decode()
    assert result.returncode == 0, said
    assert 'single example: 1 ("rare")' in said and "different answers: 1" in said, said
    # Data without anything odd, tags, and several labels, each found out.
    write_several(heed.folder, "x", several(40))
    assert "for heed train label" in heed.done("check", "x.jsonl")
    (heed.folder / "x.conll").write_text("a X\nb Y\n\nc X\n")
    assert "2 sentences, for heed train tag" in heed.done("check", "x.conll")
    (heed.folder / "fine.csv").write_text("text,label\na cat,x\na dog,x\na cow,y\na pig,y\n")
    assert "nothing odd was found" in heed.done("check", "fine.csv")
    refused = heed.run("check", "none.csv")
    assert refused.returncode == 1 and b"none.csv" in refused.stderr


def selection(heed):
    """What is kept is what the log and the curve call so; the score has its name."""
    (heed.folder / "x.csv").write_text(csv(texts(200)))
    for select, measure in [([], "accuracy"), (["--select", "macro-f1"], "macro F1"),
                            (["--select", "loss"], "accuracy")]:
        said = heed.run("train", "classify", "x.csv", "-o", "S", "--force", "--epochs", "12",
                        *SMALL, *select).stderr.decode()
        lines = [json.loads(line) for line in
                 (heed.folder / "S/training.jsonl").read_text().splitlines()]
        # The epochs are those of the network, the last line tells of the whole model.
        assert all(line["measure"] == measure + " of the network" and line["dev_loss"] > 0
                   for line in lines), lines
        kept = [line for line in lines if line["kept"]][-1]
        loss = select == ["--select", "loss"]
        order = (lambda line: (-line["dev_loss"], line["score"])) if loss else (
            lambda line: (line["score"], -line["dev_loss"]))
        if select:
            assert order(kept) == max(map(order, lines)), (select, kept, lines)
        else:  # of 20 held-out texts, half a standard error is at most so much
            best = max(line["score"] for line in lines)
            assert kept["score"] >= best - 0.5 * (0.25 / 20) ** 0.5, (kept, lines)
        assert f"the weights after epoch {kept['epoch']}, step {kept['step']}" in said, said
        assert f"at step {kept['step']:,}" in (heed.folder / "S/curve.svg").read_text()
        # The model has those weights: it gives the score again.
        metrics = json.loads((heed.folder / "S/metrics.json").read_text())["held_out"]
        assert metrics["step"] == kept["step"] and metrics["measure"] == measure, metrics
        assert (f"held out {measure} {100 * metrics['score']:.2f} % ({measure} of the network "
                f"{100 * kept['score']:.2f} %, loss") in said, said
        assert metrics["network"] == kept["score"], metrics


def stopped(heed):
    """After Ctrl-C the best so far answers; --resume takes other limits."""
    (heed.folder / "x.csv").write_text(csv(texts(600)))
    task = ["train", "classify", "x.csv", "-o", "C", "--epochs", "5000", *SMALL]
    child = heed.start(*task)
    lines = heed.folder / "C/checkpoint/training.jsonl"
    while child.poll() is None and not (lines.exists() and len(lines.read_text()) > 0):
        time.sleep(0.02)
    child.send_signal(signal.SIGINT)
    said = child.communicate()[1].decode()
    assert child.returncode == 130 and "answers with the weights after epoch" in said, said
    result = heed.run("predict", "C", input=b"bread and soup\n")
    assert result.returncode == 0 and b"training was stopped" in result.stderr, result
    assert len(result.stdout.splitlines()) == 1
    result = heed.run("evaluate", "C", "x.csv", "--json")
    assert result.returncode == 0 and b"--resume C" in result.stderr
    assert json.loads(result.stdout)["accuracy"]["value"] > 0.3
    refused = heed.run("train", "--resume", "C", "--time", "5s", "--epochs", "3")
    assert refused.returncode == 2 and b"--time and --epochs" in refused.stderr, refused.stderr
    epochs = max(json.loads(line)["epoch"] for line in lines.read_text().splitlines()) + 2
    heed.done("train", "--resume", "C", "--epochs", epochs)
    run = json.loads((heed.folder / "C/training.json").read_text())
    assert run["training"]["epochs"] == epochs, run
    last = json.loads((heed.folder / "C/training.jsonl").read_text().splitlines()[-1])
    assert last["epoch"] == epochs, last
    assert b"stopped" not in heed.run("evaluate", "C", "x.csv").stderr
    refused = heed.run("train", "--resume", "C")
    assert refused.returncode == 2 and b"--from C" in refused.stderr, refused.stderr


def going_on(heed):
    """A finished model learns from more data, with a class that is new."""
    old = [pair for pair in texts(400) if pair[1] != "tools"]
    (heed.folder / "old.csv").write_text(csv(old))
    (heed.folder / "new.csv").write_text(csv(texts(200, seed=3)))
    (heed.folder / "t.csv").write_text(csv(texts(120, seed=2)))
    heed.done("train", "classify", "old.csv", "-o", "F", "--epochs", "12", *SMALL)
    before = weights(heed.folder / "F")
    result = heed.run("train", "classify", "new.csv", "-o", "G", "--from", "F", "--epochs", "12",
                      "--workers", "2", "--rate", "0.01", "--set", "training.batch_rows=256",
                      "--set", "training.average=0.9")
    said = result.stderr.decode()
    assert result.returncode == 0 and "goes on from F" in said and "1 new classes" in said, said
    assert weights(heed.folder / "F") == before
    assert ((heed.folder / "F/vocabulary.txt").read_bytes() ==
            (heed.folder / "G/vocabulary.txt").read_bytes())
    score = json.loads(heed.done("evaluate", "G", "t.csv", "--json"))
    assert score["accuracy"]["value"] > 0.9, score
    # Without a step that matters, it is the model that it was: the same answers. How sure they are
    # is measured anew.
    heed.done("train", "classify", "old.csv", "-o", "H", "--from", "F", "--epochs", "1", "--rate",
              "1e-9", "--set", "training.average=0", "--workers", "2")
    lines = "".join(text + "\n" for text, _ in old[:50]).encode()
    one, two = (heed.done("predict", model, input=lines).splitlines() for model in "FH")
    for a, b in zip(one, two):
        assert a.split("\t")[0] == b.split("\t")[0], (a, b)
        assert abs(float(a.split("\t")[1]) - float(b.split("\t")[1])) < 0.05, (a, b)
    refused = heed.run("train", "classify", "new.csv", "-o", "I", "--from", "F", "--layers", "3")
    assert refused.returncode == 2 and b"--from" in refused.stderr, refused.stderr
    refused = heed.run("train", "tag", "new.csv", "-o", "I", "--from", "F")
    assert refused.returncode == 2 and b"classifies" in refused.stderr, refused.stderr


def pairs(heed):
    """Two texts with one label: what counts is the topic of the second."""
    def rows(count, seed):
        dice = random.Random(seed)
        topics = sorted(TOPICS)
        made = []
        for _ in range(count):
            first, second = dice.choices(topics, k=2)
            text = [" ".join(dice.choices(TOPICS[topic], k=2) + dice.choices(COMMON, k=2))
                    for topic in (first, second)]
            made.append((*text, second))
        return made

    def table(made, names):
        return names + "\n" + "".join(",".join(row) + "\n" for row in made)

    train, test = rows(400, 1), rows(100, 2)
    (heed.folder / "p.csv").write_text(table(train, "premise,hypothesis,label"))
    (heed.folder / "q.csv").write_text(table(train, "left,right,label"))
    (heed.folder / "t.csv").write_text(table(test, "premise,hypothesis,label"))
    (heed.folder / "p.jsonl").write_text("".join(
        json.dumps({"left": a, "right": b, "label": c}) + "\n" for a, b, c in train))
    small = ["--epochs", "20", *SMALL]
    heed.done("train", "classify", "p.csv", "-o", "P", *small)
    for data, flags in [("q.csv", ["--text-column", "left,right"]),
                        ("p.jsonl", ["--text-column", "left", "--text-column", "right"])]:
        heed.done("train", "classify", data, "-o", "Q", "--force", *flags, *small)
        assert weights(heed.folder / "Q") == weights(heed.folder / "P"), data
    config = json.loads((heed.folder / "P/config.json").read_text())
    assert config["input"]["pairs"] and config["columns"]["second"] == "hypothesis", config
    score = json.loads(heed.done("evaluate", "P", "t.csv", "--json"))
    assert score["accuracy"]["value"] > 0.9, score["accuracy"]
    lines = "".join(f"{a}\t{b}\n" for a, b, _ in test).encode()
    said = [line.split("\t")[0] for line in heed.done("predict", "P", input=lines).splitlines()]
    right = sum(answer == label for answer, (_, _, label) in zip(said, test)) / 100
    assert abs(right - score["accuracy"]["value"]) < 1e-12, (right, score["accuracy"])
    assert heed.done("predict", "P", "t.csv").splitlines() == heed.done(
        "predict", "P", input=lines).splitlines()
    refused = heed.run("predict", "P", input=b"one text alone\n")
    assert refused.returncode == 2 and b"a tab between the two" in refused.stderr, refused.stderr
    assert "sides" in heed.done("describe", "P")


def parts(heed):
    """The network and the linear part of a model, each alone."""
    (heed.folder / "x.csv").write_text(csv(texts(300)))
    (heed.folder / "t.csv").write_text(csv(texts(80, seed=2)))
    untaught = ["--preset", "tiny", "--epochs", "1", "--rate", "1e-6"]
    heed.done("train", "classify", "x.csv", "-o", "M", *untaught)
    heed.done("train", "classify", "x.csv", "-o", "N", "--no-wide", *untaught)
    compared = json.loads(heed.done("evaluate", "M", "t.csv", "--parts", "--json"))
    scores = {part["model"]: part["score"] for part in compared["models"]}
    whole = json.loads(heed.done("evaluate", "M", "t.csv", "--json"))["accuracy"]["value"]
    assert scores["both"] == whole and sorted(scores) == ["both", "linear", "network"], scores
    # The network has learned next to nothing; the words give the topics away.
    assert scores["linear"] > 0.9 > scores["network"], scores
    refused = heed.run("evaluate", "N", "t.csv", "--parts")
    assert refused.returncode == 2 and b"a network alone" in refused.stderr, refused.stderr
    refused = heed.run("evaluate", "M", "N", "t.csv", "--parts")
    assert refused.returncode == 2 and b"of one model" in refused.stderr, refused.stderr


def main():
    for part in [labels, check, selection, stopped, going_on, pairs, parts]:
        with tempfile.TemporaryDirectory() as folder:
            part(Heed(sys.argv[1], pathlib.Path(folder)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
