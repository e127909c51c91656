#!/usr/bin/env python3
"""Writes the lengths that the ragged workloads have, from real data, for heed and its peers alike.

    bench/lengths.py [DATA]

DATA (or $HEED_DATA, or data/, or ../shared/data) holds 20newsgroups/, mr/ and multi30k/. Written are

    bench/text_lengths.txt       128 sentences of mr: words and signs in each
    bench/ragged_lengths.txt     32 posts of 20 Newsgroups: words in each, at most 1,024
    bench/translate_lengths.txt  64 pairs of Multi30k: words of the German and the English sentence,
                                 signs and an end mark counted

A workload needs only these files, not the data: which words they are makes no difference to time.
They are also the inside of a C++ array, for #include.
"""

import csv
import gzip
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORDS = re.compile(r"\w+")
WORDS_AND_SIGNS = re.compile(r"\w+|[^\w\s]")


def data_folder():
    given = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("HEED_DATA")
    candidates = [pathlib.Path(given)] if given else [ROOT / "data", ROOT.parent / "shared/data"]
    for folder in candidates:
        if (folder / "20newsgroups").is_dir():
            return folder
    sys.exit(f"bench/lengths.py: no 20newsgroups in {' or '.join(map(str, candidates))}; "
             "name the folder that holds it")


def evenly(items, count):
    """`count` of the items, evenly spaced: a sample that is the same every time."""
    return [items[(2 * i + 1) * len(items) // (2 * count)] for i in range(count)]


def posts(folder, count=32, longest=1024):
    files = sorted(path for path in (folder / "20newsgroups/20news-bydate-train").rglob("*")
                   if path.is_file())
    return [min(longest, len(WORDS.findall(path.read_text(encoding="latin-1"))))
            for path in evenly(files, count)]


def pairs(folder, count=64):
    def sentences(language):
        with gzip.open(folder / f"multi30k/train.{language}.gz", "rt", encoding="utf-8") as lines:
            return [len(WORDS_AND_SIGNS.findall(line)) + 1 for line in lines]

    return evenly(list(zip(sentences("de"), sentences("en"))), count)


def reviews(folder, count=128):
    with open(folder / "mr/train.csv", newline="", encoding="utf-8") as file:
        return evenly([len(WORDS_AND_SIGNS.findall(row["text"])) for row in csv.DictReader(file)],
                      count)


def main():
    folder = data_folder()
    lines = reviews(folder)
    (ROOT / "bench/text_lengths.txt").write_text("".join(f"{length},\n" for length in lines))
    print(f"text: {sum(lines)} tokens, longest {max(lines)}, shortest {min(lines)}")
    lengths = posts(folder)
    (ROOT / "bench/ragged_lengths.txt").write_text("".join(f"{length},\n" for length in lengths))
    both = pairs(folder)
    (ROOT / "bench/translate_lengths.txt").write_text("".join(f"{a}, {b},\n" for a, b in both))
    print(f"ragged: {sum(lengths)} tokens, longest {max(lengths)}, shortest {min(lengths)}")
    print(f"translate: {sum(a for a, _ in both)} + {sum(b for _, b in both)} tokens")


if __name__ == "__main__":
    main()
