#!/usr/bin/env python3
"""ROUGE of the first sentence of a text, taken as its summary: first_sentence.py TEST.tsv

The table has the columns description and title, as script/data/debian-summary writes them. ROUGE is
as heed has it: the mean over texts of the F1 of words, pairs and the longest common subsequence, words
being letters and digits in lower case.
"""

import collections
import csv
import re
import sys

WORD = re.compile(r"[^\W_]+")


def f1(shared, said, meant):
    return 2 * shared / (said + meant) if shared else 0.0


def shared_ngrams(said, meant, n):
    def grams(words):
        return collections.Counter(zip(*[words[i:] for i in range(n)]))
    both, others = grams(said), grams(meant)
    return f1((both & others).total(), both.total(), others.total())


def longest_common(said, meant):
    row = [0] * (len(meant) + 1)
    for word in said:
        before = 0
        for i, other in enumerate(meant, 1):
            before, row[i] = row[i], before + 1 if word == other else max(row[i], row[i - 1])
    return f1(row[-1], len(said), len(meant))


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sums, count = [0.0, 0.0, 0.0], 0
    with open(sys.argv[1], encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            first = re.split(r"(?<=[.!?])\s", row["description"], maxsplit=1)[0]
            said, meant = (WORD.findall(text.lower()) for text in (first, row["title"]))
            sums[0] += shared_ngrams(said, meant, 1)
            sums[1] += shared_ngrams(said, meant, 2)
            sums[2] += longest_common(said, meant)
            count += 1
    for name, value in zip(("1", "2", "L"), sums):
        print(f"ROUGE-{name}  {100 * value / count:.2f}")


if __name__ == "__main__":
    main()
