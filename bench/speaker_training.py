#!/usr/bin/env python3
"""Tutorial 004's whole training, features included: heed and PyTorch with torchaudio.

    speaker_training.py --heed HEED [--peer PYTHON] [--data FOLDER] [--epochs N] [--threads N]

FOLDER has the recordings of audiomnist: takes 0 to 3 are learned from, take 4 is scored after each
epoch. Times are of the whole program, from files to the last score; heed's cache of features is
empty. Both take turns, twice, and the faster time of each counts.
"""

import argparse
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent


def write_tables(data, folder):
    """train.csv and dev.csv in a folder; the test take stays away."""
    tables = {"train": [], "dev": []}
    for path in sorted(data.glob("*/*.flac")):
        _, speaker, take = path.stem.split("_")
        if int(take) <= 4:
            tables["dev" if take == "4" else "train"].append((path.resolve(), speaker))
    for name, rows in tables.items():
        if not rows:
            sys.exit(f"{data}: no recordings */*.flac, expected audiomnist; docs/data.md says where "
                     "it comes from")
        with open(folder / f"{name}.csv", "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(["path", "speaker"])
            writer.writerows(rows)
    return {name: len(rows) for name, rows in tables.items()}


def run(command, **options):
    begin = time.monotonic()
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            **options)
    if result.returncode != 0:
        sys.exit(f"{command[0]} ended with {result.returncode}:\n{result.stderr}")
    return time.monotonic() - begin, result.stdout


def run_heed(options, folder, turn):
    model = folder / f"model{turn}"
    command = [options.heed, "train", "classify", "train.csv", "--dev", "dev.csv", "--label-column",
               "speaker", "-o", str(model), "--preset", "tutorial-speaker", "--epochs",
               str(options.epochs), "--workers", str(options.threads)]
    cache = dict(os.environ, XDG_CACHE_HOME=str(folder / f"cache{turn}"))
    seconds, _ = run(command, cwd=folder, env=cache)
    log = [json.loads(line) for line in (model / "training.jsonl").read_text().splitlines()]
    return seconds, max(line["score"] for line in log if "score" in line)


def run_peer(options, folder):
    seconds, text = run([options.peer, ROOT / "bench/peers/speaker_training.py",
                         folder / "train.csv", folder / "dev.csv", "--epochs", str(options.epochs),
                         "--threads", str(options.threads)])
    return seconds, json.loads(text)


def default_data():
    for folder in (os.environ.get("HEED_DATA"), ROOT / "data", ROOT.parent / "shared/data"):
        if folder and (pathlib.Path(folder) / "audiomnist").is_dir():
            return pathlib.Path(folder) / "audiomnist"
    return None


def main():
    parser = argparse.ArgumentParser(prog="script/bench speaker-training",
                                     description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--data", type=pathlib.Path, default=default_data(),
                        help="the folder of audiomnist; default: in HEED_DATA, data/ or "
                             "../shared/data")
    parser.add_argument("--heed", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--peer", help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.heed = str(pathlib.Path(options.heed).resolve())
    if options.data is None:
        parser.error("no audiomnist in HEED_DATA, data/ or ../shared/data; docs/data.md says where "
                     "it comes from")
    ours, theirs = [], []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        counts = write_tables(options.data, folder)
        for turn in range(2):
            ours.append(run_heed(options, folder, turn))
            if options.peer:
                theirs.append(run_peer(options, folder))
    print(f"{counts['train']:,} recordings to learn from, {counts['dev']:,} to score, "
          f"{options.epochs} epochs, {options.threads} thread{'s' if options.threads > 1 else ''}, "
          "from files to the last score\n")
    print("| program | seconds | best accuracy |\n|---|---|---|")
    seconds, score = min(ours)
    print(f"| heed | {seconds:.2f} | {100 * score:.1f} % |")
    if not theirs:
        print("no PyTorch with torchaudio: script/setup --bench installs it", file=sys.stderr)
        return
    taken, found = min(theirs, key=lambda pair: pair[0])
    print(f"| PyTorch {found['torch']}, torchaudio {found['torchaudio']} | {taken:.2f} (features "
          f"{found['features']:.2f}, training {found['training']:.2f}) | "
          f"{100 * found['accuracy']:.1f} % |")
    print(f"\nheed is {taken / seconds:.2f} times as fast")


if __name__ == "__main__":
    main()
