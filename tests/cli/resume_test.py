#!/usr/bin/env python3
"""Training that is killed at any moment and resumed ends with the same bytes as if nothing had
happened; until then a model that was there before can be used.

    resume_test.py HEED [SEED]
"""

import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from program import Heed, conllu, csv, sentences, texts

KILLS = 12
OPTIONS = ["--preset", "tiny", "--epochs", "5", "--set", "training.batch_rows=60", "--set",
           "training.checkpoint_steps=3", "--set", "input.char_ngrams.buckets=500"]


def without_steps(task):
    """The same task, whose checkpoints are written at the ends of epochs alone."""
    return [{"training.checkpoint_steps=3": "training.checkpoint_steps=0"}.get(word, word)
            for word in task]


def with_epochs(task, epochs):
    """The same task with another number of epochs."""
    at = task.index("--epochs") + 1
    return [*task[:at], str(epochs), *task[at + 1:]]


def outcome(folder):
    """What must not depend on how often training was stopped."""
    lines = [json.loads(line) for line in (folder / "training.jsonl").read_text().splitlines()]
    for line in lines:
        del line["seconds"]
    assert not (folder / "checkpoint").exists()
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    for name in ["training.json", "training.jsonl", "curve.svg"]:
        assert files.pop(name), name
    return [lines, files]


def same(found, expected):
    assert found[0] == expected[0], f"training.jsonl differs:\n{found[0]}\n{expected[0]}"
    assert found[1].keys() == expected[1].keys(), (found[1].keys(), expected[1].keys())
    for name in found[1]:
        assert found[1][name] == expected[1][name], f"{name} differs"


def begun(folder):
    """There is something to resume: a run, or a finished model that has not moved yet."""
    return any((folder / "checkpoint" / name).exists() for name in ["run.json",
                                                                   "model/model.safetensors"])


def wait_for(path, child):
    while not path.exists():
        assert child.poll() is None, child.stderr.read().decode()
        time.sleep(0.001)


def finished(heed, folder):
    refused = heed.run("train", "--resume", folder)
    assert refused.returncode == 2 and b"has finished" in refused.stderr, refused.stderr


def answers(heed, folder, data):
    return heed.done("predict", folder, data)


class Old:
    """A model that is in the folder when training begins."""

    def __init__(self, heed, folder, data):
        self.heed, self.folder, self.data = heed, folder, data
        self.weights = (folder / "model.safetensors").read_bytes()
        self.answers = answers(heed, folder, data)

    def in_use(self, folder):
        weights = folder / "model.safetensors"
        return weights.exists() and weights.read_bytes() == self.weights

    def check(self, folder, new_answers):
        """The old answers until its weights go, from then on the new ones: never none."""
        expected = self.answers if self.in_use(folder) else new_answers
        assert answers(self.heed, folder, self.data) == expected, "neither the old nor the new"


def killed_and_resumed(heed, task, folder, dice, wanted, longest, after_kill, is_new):
    """Trains with kills in between, each sooner than `longest`; gives how often it was killed."""
    kills = 0
    while True:
        if begun(folder):
            command = ["train", "--resume", folder]
        elif is_new(folder):
            finished(heed, folder)  # killed between its last two breaths
            return kills
        else:
            command = [*task, "-o", folder, "--force"]
        child = heed.start(*command)
        delay = dice.choice([0.04, 0.1, 0.5, 1]) * dice.random() * longest
        try:
            said = child.communicate(timeout=delay if kills < wanted else None)[1]
            assert child.returncode == 0, said.decode()
            return kills
        except subprocess.TimeoutExpired:
            child.kill()
            child.communicate()
            kills += 1
            print(f"killed {folder.name} after {delay:.3f} s, {'begun' if begun(folder) else 'new'}",
                  flush=True)
            after_kill(folder)


def many_kills(heed, task, dice, name, old=None):
    begin = time.monotonic()
    heed.done(*task, "-o", "whole")
    duration = time.monotonic() - begin
    expected = outcome(heed.folder / "whole")
    after_kill, is_new = lambda folder: None, lambda folder: (folder / "model.safetensors").exists()
    if old:
        new_answers = answers(heed, heed.folder / "whole", old.data)
        assert new_answers != old.answers
        after_kill = lambda folder: old.check(folder, new_answers)
        is_new = lambda folder: not old.in_use(folder)
    shutil.rmtree(heed.folder / "whole")
    kills = runs = 0
    while kills < KILLS:
        folder = heed.folder / f"{name}{runs}"
        if old:
            shutil.copytree(old.folder, folder)
        kills += killed_and_resumed(heed, task, folder, dice, KILLS - kills, duration, after_kill,
                                    is_new)
        runs += 1
        same(outcome(folder), expected)
    return expected


def over_an_old_model(heed, task, data, dice):
    """It has files that the new one has not, and answers until the new one is ready."""
    folder = heed.folder / "old"
    heed.done("train", "classify", data, "-o", folder, "--test", data, "--preset", "tiny",
              "--epochs", "1", "--tokenizer", "bpe", "--vocabulary", "120", "--workers", "1")
    assert (folder / "tokenizer.model").exists() and (folder / "metrics.json").exists()
    old = Old(heed, folder, data)
    many_kills(heed, task, dice, "over", old)
    while_it_finishes(heed, task, old)


def before_the_first_checkpoint(heed, task, expected):
    """There is no state yet, only the word that training began."""
    folder = heed.folder / "early"
    task = without_steps(task)
    for _ in range(3):
        child = heed.start(*(["train", "--resume", folder] if begun(folder)
                             else [*task, "-o", folder]))
        wait_for(folder / "checkpoint/run.json", child)
        time.sleep(0.05)
        child.kill()
        child.communicate()
        assert begun(folder) and not (folder / "checkpoint/state.safetensors").exists()
    heed.done("train", "--resume", folder)
    same(outcome(folder), expected)


def while_it_finishes(heed, task, old=None):
    """The files of the model are there one after another, the weights last; then they move."""
    expected = new_answers = None
    for name in ["checkpoint/model/training.json", "checkpoint/model/curve.svg",
                 "checkpoint/model/model.safetensors", "vocabulary.txt", "training.json",
                 "curve.svg", "model.safetensors"]:
        folder = heed.folder / f"late-{bool(old)}-{name.replace('/', '-')}"
        if old:
            shutil.copytree(old.folder, folder)
            if name != "vocabulary.txt":  # the old one has these: they are to change
                (folder / name).unlink(missing_ok=True)
        child = heed.start(*without_steps(with_epochs(task, 1)), "-o", folder, "--force")
        while not (folder / name).exists() and child.poll() is None:
            pass
        child.kill()
        child.communicate()
        if name == "checkpoint/model/model.safetensors" and (folder / name).exists():
            (folder / "checkpoint/run.json").unlink(missing_ok=True)  # just before the weights move
        if old and new_answers and name != "model.safetensors":
            old.check(folder, new_answers)
        if begun(folder):
            heed.done("train", "--resume", folder)
        else:
            finished(heed, folder)
        found = outcome(folder)
        same(found, expected or found)
        expected = found
        new_answers = old and answers(heed, folder, old.data)


def interrupted(heed, task, data, expected):
    """The first Ctrl-C saves and says how to go on; changed data is found out then."""
    folder = heed.folder / "stopped"
    child = heed.start(*without_steps(task), "-o", folder)
    wait_for(folder / "checkpoint/config.json", child)
    time.sleep(0.1)
    child.send_signal(signal.SIGINT)
    said = child.communicate()[1].decode()
    assert child.returncode == 130, (child.returncode, said)
    assert "stopped and saved" in said.splitlines()[-2], said
    assert said.splitlines()[-1] == f"go on with: heed train --resume {folder}", said
    assert (folder / "checkpoint/state.safetensors").exists()

    # The best so far can be used, and whoever uses it is told.
    early = heed.run("evaluate", folder, data)
    assert early.returncode == 0 and b"training was stopped" in early.stderr, early.stderr
    refused = heed.run(*task, "-o", folder)
    assert refused.returncode == 2 and b"--resume" in refused.stderr, refused.stderr

    good = data.read_text()
    data.write_text(good.replace("hammer", "hamster"))
    refused = heed.run("train", "--resume", folder)
    assert refused.returncode == 1, refused
    assert b"training data has changed" in refused.stderr.splitlines()[-1], refused.stderr
    data.write_text(good)

    state = folder / "checkpoint/state.safetensors"
    whole = state.read_bytes()
    state.write_bytes(whole[:-9] + b"\0" + whole[-8:])
    refused = heed.run("train", "--resume", folder)
    assert refused.returncode == 1, refused
    assert b"state.safetensors" in refused.stderr.splitlines()[-1], refused.stderr
    state.write_bytes(whole)

    for name, before, after in [("run.json", '"rate": 0.003', '"rate": 0.03'),
                                ("config.json", '"smoothing": 0.', '"smoothing": 0.1'),
                                ("vocabulary.txt", "the\t", "teh\t")]:
        path = folder / "checkpoint" / name
        good = path.read_text()
        assert before in good, (name, good)
        path.write_text(good.replace(before, after))
        refused = heed.run("train", "--resume", folder)
        assert refused.returncode == 1, refused
        assert f"checkpoint/{name}: was changed after" in refused.stderr.decode(), refused.stderr
        path.write_text(good)

    # From anywhere, whatever directory it was begun in.
    elsewhere = heed.folder / "else/where"
    elsewhere.mkdir(parents=True)
    subprocess.run(heed.command("train", "--resume", "../../stopped"), cwd=elsewhere, check=True,
                   stderr=subprocess.DEVNULL)
    same(outcome(folder), expected)


def one_at_a_time(heed, task, data):
    """A folder in which a run trains is refused, and left alone; its lines can be watched."""
    folder = heed.folder / "busy"
    child = heed.start(*with_epochs(task, 100000), "-o", folder)
    lines = folder / "checkpoint/training.jsonl"
    wait_for(lines, child)
    while lines.read_text().count("\n") < 2:
        assert child.poll() is None, child.stderr.read().decode()
        time.sleep(0.01)
    for command in [[*task, "-o", folder, "--force"], ["train", "--resume", folder]]:
        refused = heed.run(*command)
        said = refused.stderr.decode().splitlines()
        assert refused.returncode == 2 and len(said) == 1, (refused.returncode, said)
        assert f"{folder}: another training works in this folder" in said[0], said
    # One whose folder was taken away and made by somebody else ends, and leaves it to them.
    folder.rename(heed.folder / "moved")
    heed.done(*task, "-o", folder)
    child.send_signal(signal.SIGINT)
    said = child.communicate()[1].decode()
    assert child.returncode == 1 and f"heed: {folder}" in said.splitlines()[-1], said
    assert answers(heed, folder, data) and not (folder / "checkpoint").exists()


def interrupted_twice(heed):
    """The second Ctrl-C does not wait for anything."""
    pipe = heed.folder / "pipe.csv"
    os.mkfifo(pipe)
    child = heed.start("train", "classify", pipe, "-o", "never")
    with open(pipe, "w") as data:  # opens when heed reads
        data.write("text,label\n")
        data.flush()
        child.send_signal(signal.SIGINT)
        time.sleep(0.2)
        assert child.poll() is None, "left at the first"
        child.send_signal(signal.SIGINT)
        said = child.communicate()[1].decode()
    assert child.returncode == 130, (child.returncode, said)
    assert "saved" not in said and not (heed.folder / "never").exists(), said


def main():
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(1000000)
    print(f"seed {seed}", flush=True)
    dice = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        heed = Heed(pathlib.Path(sys.argv[1]), folder)
        data = heed.folder / "x.csv"
        data.write_text(csv(texts(1500)))
        task = ["train", "classify", data.name, *OPTIONS, "--workers"]
        expected = many_kills(heed, [*task, 1], dice, "one")
        before_the_first_checkpoint(heed, [*task, 1], expected)
        interrupted(heed, [*task, 1], data, expected)
        while_it_finishes(heed, [*task, 2])
        one_at_a_time(heed, [*task, 1], data)
        over_an_old_model(heed, [*task, 1], data, dice)
        many_kills(heed, [*task, 2], dice, "two")
        tagged = heed.folder / "x.conllu"
        tagged.write_text(conllu(sentences(600)))
        many_kills(heed, ["train", "tag", tagged, *OPTIONS, "--crf", "--workers", 2, "--set",
                          "body.layers=1"], dice, "tags")
        interrupted_twice(heed)


if __name__ == "__main__":
    main()
