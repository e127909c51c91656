"""What the decoding peers share: their arguments, the timing and the line of JSON they print."""

import argparse
import json
import pathlib
import time


def arguments(description):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("model")
    parser.add_argument("written")
    parser.add_argument("--beam", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=2.0)
    return parser.parse_args()


def read_sources(path):
    """The sources and what heed wrote for them: `heed bench decode --written` made the file."""
    lines = [json.loads(line) for line in pathlib.Path(path).read_text().splitlines()]
    return [line["source"] for line in lines], [line["written"] for line in lines]


def timed(run, seconds):
    """The seconds of the fastest run after one to warm up, and what it gave; with 0 seconds one."""
    written, times, end = run(), [], time.perf_counter() + seconds
    while len(times) < (3 if seconds > 0 else 1) or time.perf_counter() < end:
        begin = time.perf_counter()
        run()
        times.append(time.perf_counter() - begin)
    return min(times), written


def agreement(ours, theirs):
    """Sentences that are the same, and tokens in the same places, as parts of all."""
    same = sum(a == b for a, b in zip(ours, theirs))
    tokens = sum(x == y for a, b in zip(ours, theirs) for x, y in zip(a, b))
    return same / len(ours), tokens / max(1, sum(max(len(a), len(b)) for a, b in zip(ours, theirs)))


def report(peer, options, seconds, ours, written):
    tokens = sum(map(len, written))
    sentences, places = agreement(ours, written)
    print(json.dumps({"peer": peer, "beam": options.beam, "threads": options.threads,
                      "seconds": seconds, "tokens": tokens, "tokens_per_second": tokens / seconds,
                      "same_sentences": sentences, "same_tokens": places}))
