#!/usr/bin/env python3
"""How files and pipes are read: delimiters, groups that are held out together, answers that come
while the rest is still to be written; and flags that stand twice.

    read_test.py HEED
"""

import json
import pathlib
import subprocess
import sys
import tempfile

from program import Heed, conllu, csv, sentences, texts

SMALL = ["--preset", "tiny", "--epochs", "8", "--workers", "1", "--rate", "0.01", "--set",
         "training.batch_rows=256", "--set", "training.average=0.9"]


def weights(heed, model):
    return (heed.folder / model / "model.safetensors").read_bytes()


def delimiters(heed):
    """The same texts with other marks between their columns: the same model, and answers."""
    pairs = texts(300)
    (heed.folder / "x.csv").write_text(csv(pairs))
    heed.done("train", "classify", "x.csv", "-o", "M", *SMALL)
    score = heed.done("evaluate", "M", "x.csv", "--json")
    answers = heed.done("predict", "M", "x.csv")
    for name, mark in [(";", ";"), ("semicolon", ";"), ("|", "|"), ("pipe", "|"), ("tab", "\t"),
                       ("\\t", "\t"), ("^", "^")]:
        (heed.folder / "y.data").write_text(csv(pairs).replace(",", mark))
        heed.done("train", "classify", "y.data", "-o", "other", "--force", "--delimiter", name,
                  "--test", "y.data", *SMALL)
        assert weights(heed, "other") == weights(heed, "M"), name
        assert heed.done("evaluate", "M", "y.data", "--delimiter", name, "--json") == score, name
        assert heed.done("predict", "M", "y.data", "--delimiter", name) == answers, name
    for command in [["train", "classify", "x.csv", "-o", "N"], ["evaluate", "M", "x.csv"],
                    ["predict", "M", "x.csv"]]:
        wrong = heed.run(*command, "--delimiter", ";")
        assert wrong.returncode == 1 and not wrong.stdout, wrong
        assert b"x.csv:1: no semicolons" in wrong.stderr, wrong.stderr
        wrong = heed.run(*command, "--delimiter", "commma")
        assert wrong.returncode == 2 and not wrong.stdout, wrong
        assert b'--delimiter "commma": expected comma, tab' in wrong.stderr, wrong.stderr


def groups(heed):
    """Examples that are alike, by their author, are held out together: the score is then that of
    authors who were never seen."""
    authors = [f"author{i}" for i in range(40)]
    rows = ["text,label,author"]
    for number, author in enumerate(authors):
        for i in range(6):
            # Only the author tells the label, and nothing else does.
            rows.append(f"{author} says {i},{'yes' if number % 2 else 'no'},{author}")
    (heed.folder / "g.csv").write_text("\n".join(rows) + "\n")
    lines = [dict(zip(["text", "label", "author"], row.split(","))) for row in rows[1:]]
    (heed.folder / "g.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))

    def held_out(*options):
        heed.done("train", "classify", *options, "-o", "G", "--force", "--held-out", "0.25", *SMALL)
        last = (heed.folder / "G/training.jsonl").read_text().splitlines()
        return max(json.loads(line)["score"] for line in last)

    alone = held_out("g.csv")
    together = held_out("g.csv", "--group-column", "author")
    assert alone > 0.85 and together < 0.8, (alone, together)
    model = weights(heed, "G")
    assert held_out("g.jsonl", "--group-column", "author") == together
    assert weights(heed, "G") == model
    run = json.loads((heed.folder / "G/training.json").read_text())
    assert run["read"]["group_column"] == "author", run
    # Files to test on need no such column.
    (heed.folder / "t.csv").write_text("text,label\nauthor1 says,yes\nauthor2 says,no\n")
    held_out("g.csv", "--group-column", "author", "--test", "t.csv")

    (heed.folder / "one.csv").write_text("text,label,author\n" + "".join(
        f"word{i},{'yes' if i % 2 else 'no'},me\n" for i in range(50)))
    for options, code, words in [
            (["g.csv", "--group-column", "writer"], 1,
             ['g.csv:1: no column "writer"', "text,label,author"]),
            (["g.jsonl", "--group-column", "writer"], 1, ['no key "writer"', "author,label,text"]),
            (["one.csv", "--group-column", "author"], 1,
             ["50 of 50 examples", '"me"', "--group-column"]),
            (["g.csv", "--group-column", "author", "--dev", "g.csv"], 2,
             ["--group-column", "--dev"]),
            (["g.csv", "--group-column", "label"], 2, ['"label"', "both as group and as label"])]:
        refused = heed.run("train", "classify", *options, "-o", "no", *SMALL)
        said = refused.stderr.decode()
        assert refused.returncode == code and said.count("\n") == 1, (options, said)
        for word in words:
            assert word in said, (word, said)
        assert not (heed.folder / "no").exists()


def conversation(heed, arguments, exchange):
    """Writes into a pipe, and waits for the answer each time before it goes on."""
    child = subprocess.Popen(heed.command(*arguments), cwd=heed.folder, stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE, bufsize=0)
    answers = b""
    for written, expected in exchange:
        for piece in written if isinstance(written, list) else [written]:
            child.stdin.write(piece.encode())
        for _ in range(expected):
            answers += child.stdout.readline()
    child.stdin.close()
    rest = child.stdout.read()
    assert child.wait() == 0 and rest == b"", rest
    return answers.decode()


def pipes(heed):
    lines = [text + "\n" for text, _ in texts(20, seed=3)]
    every = [line.split("\t")[0] for line in
             heed.done("predict", "M", input="".join(lines).encode()).splitlines()]
    said = conversation(heed, ["predict", "M"], [(line, 1) for line in lines])
    assert [line.split("\t")[0] for line in said.splitlines()] == every
    # A line that comes in pieces, several lines at once, an empty one.
    said = conversation(heed, ["predict", "M"],
                        [(["ca", "t\nso"], 1), ("up\nnail\n\n", 3), ("dog\n", 1)])
    assert [line.split("\t")[0] for i, line in enumerate(said.splitlines()) if i != 3] == \
        ["animals", "food", "tools", "animals"], said
    # Records that end where their quotes do, and objects.
    said = conversation(heed, ["predict", "M", "--format", "csv"],
                        [("text\ncat\n", 1), (['"soup\n', '"\n'], 1)])
    assert [line.split("\t")[0] for line in said.splitlines()] == ["animals", "food"], said
    said = conversation(heed, ["predict", "M", "--format", "jsonl", "--json"],
                        [('{"text": "cat"}\n', 1), ('\n{"text": "nail"}\n', 1)])
    assert [json.loads(line)["answers"][0]["label"] for line in said.splitlines()] == \
        ["animals", "tools"], said
    # Sentences are whole with the empty line behind them.
    (heed.folder / "x.conllu").write_text(conllu(sentences(200)))
    heed.done("train", "tag", "x.conllu", "-o", "T", *SMALL)
    said = conversation(heed, ["predict", "T", "--format", "lines"],
                        [("the cat\n", 3), ("a dog sees\n", 4)])
    assert [line.split("\t")[0] for line in said.split("\n")] == \
        ["the", "cat", "", "a", "dog", "sees", "", ""], said
    one, two = conllu(sentences(2, seed=5)).split("\n\n")[:2]
    said = conversation(heed, ["predict", "T", "--format", "conllu"],
                        [([one + "\n", "\n"], one.count("\n") + 2),
                         (two + "\n\n", two.count("\n") + 2)])
    assert [line.split("\t")[0] for line in said.splitlines()] == \
        [line.split("\t")[0] for line in (one + "\n\n" + two + "\n").split("\n")], said


def twice(heed):
    """A flag that stands twice is refused with both values; --set may stand any number of times."""
    for command, flag in [(["train", "classify", "x.csv", "-o", "S", "--force"], "--width"),
                          (["predict", "M", "x.csv"], "--top")]:
        refused = heed.run(*command, flag, "3", flag, "4")
        message = f"{flag} is given more than once: 3, 4".encode()
        assert refused.returncode == 2 and message in refused.stderr, refused.stderr
    # All values of --set count.
    heed.done("train", "classify", "x.csv", "-o", "S", "--force", *SMALL, "--set", "seed=9",
              "--set", "width=32")
    config = json.loads((heed.folder / "S/config.json").read_text())
    assert config["seed"] == 9 and config["width"] == 32, config
    (heed.folder / "seed.json").write_text('{"seed": 11}')
    heed.done("train", "classify", "x.csv", "-o", "S", "--force", *SMALL, "--config", "seed.json")
    assert json.loads((heed.folder / "S/config.json").read_text())["seed"] == 11


def main():
    with tempfile.TemporaryDirectory() as folder:
        heed = Heed(pathlib.Path(sys.argv[1]), folder)
        for part in [delimiters, groups, pipes, twice]:
            part(heed)


if __name__ == "__main__":
    main()
