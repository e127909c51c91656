#!/usr/bin/env python3
"""heed bench itself: what it measures, and that the numbers of a line belong together.

    bench_test.py HEED
"""

import json
import math
import pathlib
import sys
import tempfile

from program import Heed

SPEAKER_TOKENS = 32 * 128  # segments of so many frames


def near(one, other, relative=1e-6):
    return math.isclose(one, other, rel_tol=relative)


def measure(heed, *arguments):
    """The lines of a run that is as short as it can be."""
    output = heed.done("bench", *arguments, "--seconds", 0, "--json")
    return [json.loads(line) for line in output.splitlines()]


def check(line, workload, mode="train", workers=1):
    """One line, whichever machine this is."""
    assert (line["workload"], line["mode"], line["workers"]) == (workload, mode, workers), line
    for name in ["seconds_per_step", "tokens_per_second", "gflops", "peak_gflops",
                 "share_of_peak"]:
        assert math.isfinite(line[name]) and line[name] > 0, (name, line)
    assert near(line["share_of_peak"], line["gflops"] / line["peak_gflops"]), line
    tokens = line["tokens_per_second"] * line["seconds_per_step"]
    assert near(tokens, round(tokens)) and tokens > 1, line
    assert workload != "speaker" or round(tokens) == SPEAKER_TOKENS, line
    memory = line["peak_memory_bytes"]  # of a process that has computed something
    assert isinstance(memory, int) and 1 << 20 < memory < 1 << 34, line


def work(line):
    """Floating-point operations of a step."""
    return line["gflops"] * line["seconds_per_step"]


def speaker(heed):
    """A step is three forward passes and keeps more than one; two workers share the same work."""
    [train] = measure(heed, "speaker")
    check(train, "speaker")
    [infer] = measure(heed, "speaker", "--mode", "infer")
    check(infer, "speaker", "infer")
    [shared] = measure(heed, "speaker", "--workers", 2)
    check(shared, "speaker", workers=2)
    assert near(work(train), 3 * work(infer)) and near(work(shared), work(train)), (train, infer)
    assert train["peak_memory_bytes"] > infer["peak_memory_bytes"], (train, infer)


def text(heed):
    """The default network for texts, and the same with another body."""
    [attention] = measure(heed, "text")
    check(attention, "text")
    [cnn] = measure(heed, "text-cnn")
    check(cnn, "text-cnn")
    tokens = [line["tokens_per_second"] * line["seconds_per_step"] for line in (attention, cnn)]
    assert near(*tokens) and not near(work(attention), work(cnn), 0.01), (attention, cnn)
    heed.fails("text-cnm: there is no body cnm; there are", "bench", "text-cnm")


def decode(heed):
    """Sentences that are written: a beam takes longer than greedy search."""
    greedy, beam = measure(heed, "translate", "decode", "--workers", 2)
    assert (greedy["mode"], beam["mode"]) == ("greedy", "beam 5"), (greedy, beam)
    for line in (greedy, beam):
        tokens = line["tokens_per_second"] * line["seconds"]
        assert near(tokens, round(tokens)) and 10000 < tokens < 20000, line
    assert beam["seconds"] > greedy["seconds"], (greedy, beam)
    result = heed.run("bench", "speaker", "decode")
    assert b"speaker writes nothing" in result.stderr, result.stderr


def several(heed):
    """Each has a peak of memory of its own, whatever ran before it."""
    large, small = measure(heed, "image", "speaker", "--mode", "infer")
    check(large, "image", "infer")
    check(small, "speaker", "infer")
    assert small["peak_memory_bytes"] < large["peak_memory_bytes"] / 2, (small, large)


def table(heed):
    """The same for people."""
    head, row = heed.done("bench", "speaker", "--mode", "infer", "--seconds", 0).splitlines()
    assert head.split() == ["workload", "mode", "workers", "ms/step", "tokens/s", "GFLOP/s", "peak",
                            "share", "MiB"], head
    name, mode, workers, *numbers = row.split()
    assert (name, mode, workers) == ("speaker", "infer", "1"), row
    milliseconds, tokens, gflops, peak, share, memory = map(float, numbers)
    assert near(milliseconds / 1000 * tokens, SPEAKER_TOKENS, 0.02), row
    assert abs(share - gflops / peak) < 0.01 + 0.2 / peak and memory > 1, row  # as rounded


def log_mel(heed):
    """Features of a minute of sound: a frame every 10 ms."""
    for line, mode in zip(measure(heed, "log-mel"), ["sound", "file"], strict=True):
        assert line["workload"] == "log-mel" and line["mode"] == mode, line
        assert near(line["frames_per_second"] * line["seconds"], 6000), line
        assert near(line["times_real_time_per_core"], 60 / line["seconds"]), line


def main():
    with tempfile.TemporaryDirectory() as folder:
        heed = Heed(pathlib.Path(sys.argv[1]), folder)
        speaker(heed)
        text(heed)
        several(heed)
        decode(heed)
        log_mel(heed)
        table(heed)


if __name__ == "__main__":
    main()
