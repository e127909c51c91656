#!/usr/bin/env python3
"""How much memory `heed train` takes for a large CSV file, as a multiple of the file's size.

    memory.py --heed HEED [--data FOLDER] [--megabytes N]

The file has lines of 10 to 30 words that stand one after another in the film reviews of `mr`, 113
bytes each: many lines for its size. heed learns from it without flags. It is stopped as
Ctrl-C stops it a minute after the first checkpoint, when everything that is prepared once is in memory.
"""

import argparse
import csv
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
AFTER_CHECKPOINT = 60  # seconds


def write_lines(reviews, path, size):
    with open(reviews, newline="", encoding="utf-8") as file:
        words = [(word, row["label"]) for row in csv.DictReader(file) for word in row["text"].split()]
    dice = random.Random(1)
    written = 0
    with open(path, "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["text", "label"])
        while written < size:
            lines = []
            for _ in range(10000):
                begin = dice.randrange(len(words) - 30)
                text = " ".join(word for word, _ in words[begin:begin + dice.randint(10, 30)])
                lines.append((text, words[begin][1]))
            table.writerows(lines)
            written = file.tell()


def peak_bytes(process):
    """The most memory that a running process has had, 0 where it has ended."""
    try:
        status = pathlib.Path(f"/proc/{process.pid}/status").read_text(encoding="ascii")
    except OSError:
        return 0
    lines = dict(line.split(":", 1) for line in status.splitlines() if ":" in line)
    return int(lines.get("VmHWM", "0 kB").split()[0]) * 1024


def is_learning(model):
    return (model / "checkpoint/state.safetensors").exists()


def measure(heed, table, model):
    with subprocess.Popen([heed, "train", "classify", table, "-o", model]) as process:
        peak, first = 0, None
        while process.poll() is None:
            peak = max(peak, peak_bytes(process))
            if first is None and is_learning(model):
                first = time.monotonic()
            if first is not None and time.monotonic() - first > AFTER_CHECKPOINT:
                process.send_signal(signal.SIGINT)
                process.wait()
            time.sleep(0.2)
    if first is None:
        sys.exit("memory.py: heed ended before it learned")
    return peak


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--heed", required=True)
    parser.add_argument("--data", default=os.environ.get("HEED_DATA", ROOT / "../shared/data"))
    parser.add_argument("--megabytes", type=int, default=1000)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        table = pathlib.Path(folder) / "lines.csv"
        write_lines(pathlib.Path(arguments.data) / "mr/train.csv", table,
                    arguments.megabytes * 1000000)
        size = table.stat().st_size
        peak = measure(pathlib.Path(arguments.heed).resolve(), table, pathlib.Path(folder) / "model")
    print(f"{size / 1e6:,.0f} MB of CSV: {peak / 1e6:,.0f} MB of memory, {peak / size:.2f} times its size")


if __name__ == "__main__":
    main()
