#!/usr/bin/env python3
"""How long answers to many short texts take, from a file to the last answer: heed and fastText.

    predict.py --heed HEED [--lines N]

Both learn from the same made questions and answer the same lines, alternately, three times; the
fastest time of each counts. fastText, with its defaults, answers on one thread, heed on one and on
all. Times are of the whole program: reading the model, splitting into words, answering, printing.
"""

import argparse
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

TOPICS = {
    "place": "where town river country street castle bridge lake".split(),
    "person": "who king queen author actor singer inventor sister".split(),
    "time": "when year century day month born died began".split(),
    "count": "many how much often long far tall heavy".split(),
}
COMMON = ("the a of in is was did does what which that first last old new big small most famous "
          "called name world state part made between after before").split()


def questions(count, seed):
    """Pairs of a label and a question of 5 to 12 words; a few words give the label away."""
    dice = random.Random(seed)
    vocabulary = COMMON + [f"word{i}" for i in range(5000)]
    for _ in range(count):
        label = dice.choice(sorted(TOPICS))
        words = dice.choices(TOPICS[label], k=2) + dice.choices(vocabulary, k=dice.randint(3, 10))
        dice.shuffle(words)
        yield label, " ".join(words)


def seconds(command, folder):
    begin = time.monotonic()
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    return time.monotonic() - begin


def measure(heed, lines, folder):
    """A list of names and seconds, the fastest of three."""
    folder = pathlib.Path(folder)
    train = list(questions(5000, 1))
    (folder / "train.ft").write_text("".join(f"__label__{a} {b}\n" for a, b in train))
    (folder / "lines.txt").write_text("".join(f"{b}\n" for _, b in questions(lines, 2)))
    subprocess.run([heed, "train", "classify", "train.ft", "-o", "model", "--force", "--epochs", "1"],
                   cwd=folder, check=True, stderr=subprocess.DEVNULL)
    cores = len(os.sched_getaffinity(0))
    programs = [(f"heed, {workers} thread{'s' if workers > 1 else ''}",
                 [heed, "predict", "model", "lines.txt", "--workers", str(workers)])
                for workers in sorted({1, cores})]
    fasttext = shutil.which("fasttext")
    if fasttext is None:
        print("fastText is not there (script/setup --bench installs it)", file=sys.stderr)
    else:
        subprocess.run([fasttext, "supervised", "-input", "train.ft", "-output", "fast"],
                       cwd=folder, check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        programs.append(("fastText, 1 thread",
                         [fasttext, "predict-prob", "fast.bin", "lines.txt", "1"]))
    times = {name: [] for name, _ in programs}
    for _ in range(3):
        for name, command in programs:
            times[name].append(seconds(command, folder))
    return [(name, min(times[name])) for name, _ in programs]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--heed", required=True)
    parser.add_argument("--lines", type=int, default=100000)
    arguments = parser.parse_args()
    heed = str(pathlib.Path(arguments.heed).resolve())
    with tempfile.TemporaryDirectory() as folder:
        rows = measure(heed, arguments.lines, folder)
    print(f"{arguments.lines:,} questions of 5 to 12 words, from a file to the last answer\n")
    print("| program | seconds | lines in a second |\n|---|---|---|")
    for name, taken in rows:
        print(f"| {name} | {taken:.2f} | {arguments.lines / taken:,.0f} |")


if __name__ == "__main__":
    main()
