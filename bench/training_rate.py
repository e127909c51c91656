#!/usr/bin/env python3
"""How much of the speed of `heed bench` is left in the whole command `heed train`.

    training_rate.py --heed HEED [--workers N] [speaker|image …]

The same network learns from made-up files: recordings of 1.4 s of 600 speakers (the preset
tutorial-speaker), pictures of 28 x 28 pixels as 49 patches. Two runs of `heed train` differ in their
number of epochs. The difference of their times is what an epoch takes, with reading, random changes,
evaluations and checkpoints; `heed bench` measures the training step alone, before and after. The
whole run is also shown, with what comes before the first epoch: features of all recordings. That both
networks are the same is checked by their FLOPs.
"""

import argparse
import json
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import time
import wave

RATE, SPEAKERS, RECORDINGS, PICTURES = 16000, 600, 3000, 12000


def write_recordings(folder):
    dice = random.Random(1)
    noise = dice.randbytes(2 * RATE * 60)  # a minute, of which each recording is a part
    rows = ["path,label"]
    for i in range(RECORDINGS):
        begin = 2 * dice.randrange(RATE * 58)
        with wave.open(str(folder / f"{i}.wav"), "wb") as file:
            file.setparams((1, 2, RATE, 0, "NONE", ""))
            file.writeframes(noise[begin:begin + 2 * int(1.4 * RATE)])
        rows.append(f"{i}.wav,{i % SPEAKERS}")
    (folder / "table.csv").write_text("\n".join(rows) + "\n")
    return "table.csv", RECORDINGS


def write_pictures(folder):
    dice = random.Random(1)
    header = struct.pack(">IIII", 0x803, PICTURES, 28, 28)
    (folder / "made-images-idx3-ubyte").write_bytes(header + dice.randbytes(PICTURES * 28 * 28))
    labels = bytes(i % 10 for i in range(PICTURES))
    (folder / "made-labels-idx1-ubyte").write_bytes(struct.pack(">II", 0x801, PICTURES) + labels)
    return "made-images-idx3-ubyte", PICTURES


# The files, the flags that make the network of `heed bench`, examples of its batch, rows of one, and
# epochs.
WORKLOADS = {
    "speaker": (write_recordings, ["--preset", "tutorial-speaker"], 32, 128, 29),
    "image": (write_pictures,
              ["--width", "64", "--heads", "4", "--layers", "6", "--set", "input.tokens=patches",
               "--set", "input.patch=4", "--set", "body.feed_forward.hidden=256", "--set",
               "body.convolution.taps=0", "--set", f"training.batch_rows={128 * 49}"], 128, 49, 5),
}


def json_of(*command):
    text = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    return json.JSONDecoder().raw_decode(text)[0]  # the first object of perhaps several


def bench(options, name, batch):
    """Examples in a second by `heed bench`, and the FLOPs of one example."""
    row = json_of(options.heed, "bench", name, "--workers", str(options.workers), "--seconds", "3",
                  "--json")
    seconds = row["seconds_per_step"] / batch
    return 1 / seconds, row["gflops"] * 1e9 * seconds / 3  # a step costs three passes


def expect_flops(options, folder, model, rows, expected):
    flops = json_of(options.heed, "describe", str(folder / model), "--length", str(rows),
                    "--json")["flops"]
    if abs(flops / expected - 1) > 0.02:
        sys.exit(f"script/bench: an example of this network costs {flops / 1e6:.1f} MFLOPs, in heed "
                 f"bench {expected / 1e6:.1f}: they are not the same network")


def train_seconds(options, folder, data, flags, epochs, number):
    command = [options.heed, "train", "classify", data, "-o", f"model{number}", "--epochs",
               str(epochs), "--workers", str(options.workers), *flags]
    cache = dict(os.environ, XDG_CACHE_HOME=str(folder / f"cache{number}"))
    begin = time.monotonic()
    result = subprocess.run(command, cwd=folder, env=cache, stderr=subprocess.PIPE, text=True)
    if result.returncode != 0:
        sys.exit(f"script/bench: {' '.join(command)} ended with {result.returncode}:\n"
                 f"{result.stderr}")
    return time.monotonic() - begin


def measure(options, name):
    make, flags, batch, rows, epochs = WORKLOADS[name]
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        data, count = make(folder)
        before, flops = bench(options, name, batch)
        short = train_seconds(options, folder, data, flags, 1, 0)
        expect_flops(options, folder, "model0", rows, flops)
        long = train_seconds(options, folder, data, flags, 1 + epochs, 1)
        after, _ = bench(options, name, batch)
    learned = count * 0.9  # a tenth is held out, and evaluated in each epoch
    all_epochs = 1 + epochs
    return (max(before, after), learned * epochs / (long - short), learned * all_epochs / long,
            all_epochs)


def main():
    parser = argparse.ArgumentParser(prog="script/bench training-rate",
                                     description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("workloads", nargs="*", metavar="WORKLOAD", help=", ".join(WORKLOADS))
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--heed", required=True, help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.heed = str(pathlib.Path(options.heed).resolve())
    for name in options.workloads:
        if name not in WORKLOADS:
            parser.error(f"unknown workload {name}; there are {', '.join(WORKLOADS)}")
    print("| network | workers | heed bench, examples/s | heed train, an epoch | share | "
          "the whole command | share |\n|---|---|---|---|---|---|---|")
    for name in options.workloads or WORKLOADS:
        step, epoch, whole, epochs = measure(options, name)
        print(f"| {name} | {options.workers} | {step:,.0f} | {epoch:,.0f} | {epoch / step:.2f} | "
              f"{whole:,.0f} ({epochs} epochs) | {whole / step:.2f} |", flush=True)


if __name__ == "__main__":
    main()
