#!/usr/bin/env python3
"""Training that is killed at any moment and resumed ends with the same bytes as if nothing had
happened.

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
           "training.checkpoint_steps=3", "--set", "text.letters.buckets=500"]


def outcome(folder):
    """What must not depend on how often training was stopped."""
    lines = [json.loads(line) for line in (folder / "training.jsonl").read_text().splitlines()]
    for line in lines:
        del line["seconds"]
    files = ["model.safetensors", "config.json", "vocabulary.txt", "tokenizer.txt"]
    assert not (folder / "checkpoint").exists()
    return [lines, *[(folder / name).read_bytes() for name in files]]


def same(found, expected):
    assert found[0] == expected[0], f"training.jsonl differs:\n{found[0]}\n{expected[0]}"
    for i, name in enumerate(["model.safetensors", "config.json", "vocabulary.txt",
                              "tokenizer.txt"], 1):
        assert found[i] == expected[i], f"{name} differs"


def begun(folder):
    return (folder / "checkpoint/run.json").exists()


def wait_for(path, child):
    while not path.exists():
        assert child.poll() is None, child.stderr.read().decode()
        time.sleep(0.001)


def finished(heed, folder):
    refused = heed.run("train", "--resume", folder)
    assert refused.returncode == 2 and b"has finished" in refused.stderr, refused.stderr


def killed_and_resumed(heed, task, folder, dice, wanted, longest):
    """Trains with kills in between, each sooner than `longest`; gives how often it was killed."""
    kills = 0
    while True:
        if begun(folder):
            command = ["train", "--resume", folder]
        elif (folder / "model.safetensors").exists():
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


def many_kills(heed, task, dice, name):
    begin = time.monotonic()
    heed.done(*task, "-o", "whole")
    duration = time.monotonic() - begin
    expected = outcome(heed.folder / "whole")
    shutil.rmtree(heed.folder / "whole")
    kills = runs = 0
    while kills < KILLS:
        folder = heed.folder / f"{name}{runs}"
        kills += killed_and_resumed(heed, task, folder, dice, KILLS - kills, duration)
        runs += 1
        same(outcome(folder), expected)
    return expected


def before_the_first_checkpoint(heed, task, expected):
    """There is no state yet, only the word that training began."""
    folder = heed.folder / "early"
    task = [*task, "--set", "training.checkpoint_steps=0"]
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


def while_it_finishes(heed, task):
    """The files of the model are there one after another, the checkpoint until the end."""
    expected = None
    for name in ["training.jsonl", "training.json", "curve.svg", "model.safetensors"]:
        folder = heed.folder / f"late-{name}"
        child = heed.start(*task, "-o", folder, "--set", "training.checkpoint_steps=0", "--set",
                           "training.epochs=1")
        while not (folder / name).exists() and child.poll() is None:
            pass
        child.kill()
        child.communicate()
        if begun(folder):
            heed.done("train", "--resume", folder)
        else:
            finished(heed, folder)
        found = outcome(folder)
        same(found, expected or found)
        expected = found


def interrupted(heed, task, data, expected):
    """The first Ctrl-C saves and says how to go on; changed data is found out then."""
    folder = heed.folder / "stopped"
    child = heed.start(*task, "-o", folder, "--set", "training.checkpoint_steps=0")
    wait_for(folder / "config.json", child)
    time.sleep(0.1)
    child.send_signal(signal.SIGINT)
    said = child.communicate()[1].decode()
    assert child.returncode == 130, (child.returncode, said)
    assert said.splitlines()[-1] == f"stopped and saved; go on with: heed train --resume {folder}"
    assert (folder / "checkpoint/state.safetensors").exists()

    refused = heed.run("evaluate", folder, data)
    assert refused.returncode == 1 and b"has not finished" in refused.stderr, refused.stderr
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

    heed.done("train", "--resume", folder)
    same(outcome(folder), expected)


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
        task = ["train", "classify", data, *OPTIONS, "--workers"]
        expected = many_kills(heed, [*task, 1], dice, "one")
        before_the_first_checkpoint(heed, [*task, 1], expected)
        interrupted(heed, [*task, 1], data, expected)
        while_it_finishes(heed, [*task, 2])
        many_kills(heed, [*task, 2], dice, "two")
        tagged = heed.folder / "x.conllu"
        tagged.write_text(conllu(sentences(600)))
        many_kills(heed, ["train", "tag", tagged, *OPTIONS, "--crf", "--workers", 2, "--set",
                          "body.recurrent.layers=1"], dice, "tags")
        interrupted_twice(heed)


if __name__ == "__main__":
    main()
