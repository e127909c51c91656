"""The real program, run as a user would, and data that is made for it."""

import pathlib
import random
import subprocess

TOPICS = {
    "animals": "cat dog horse bird fish mouse cow sheep goat duck".split(),
    "food": "bread soup apple cheese rice pasta salad cake pear plum".split(),
    "tools": "hammer saw drill screw nail wrench ladder rope bolt glue".split(),
}
COMMON = "the a of and with under over near old new big small red blue good".split()
KINDS = {"DET": "the a this every".split(), "ADJ": "old new big small red".split(),
         "NOUN": "cat dog hammer soup apple house".split(),
         "VERB": "sees likes makes finds holds".split()}


class Heed:
    """One heed program in one folder."""

    def __init__(self, program, folder):
        self.program = str(pathlib.Path(program).resolve())
        self.folder = pathlib.Path(folder)

    def command(self, *arguments):
        return [self.program, *[str(argument) for argument in arguments]]

    def run(self, *arguments, input=None, **options):
        """Runs it to the end; standard output and error are kept as bytes."""
        options.setdefault("stdout", subprocess.PIPE)
        if input is None:
            options.setdefault("stdin", subprocess.DEVNULL)
        return subprocess.run(self.command(*arguments), cwd=self.folder, input=input,
                              stderr=subprocess.PIPE, **options)

    def done(self, *arguments, **options):
        """Runs it, expects it to succeed, and gives what it printed."""
        result = self.run(*arguments, **options)
        assert result.returncode == 0, (arguments, result.returncode, result.stderr.decode())
        return result.stdout.decode() if result.stdout is not None else None

    def fails(self, expected, *arguments, **options):
        """Runs it, and expects a sentence with `expected` in it and an exit code for mistakes."""
        result = self.run(*arguments, **options)
        message = result.stderr.decode()
        assert result.returncode in (1, 2), (arguments, result.returncode, message)
        assert expected in message, (arguments, expected, message)
        assert message.count("heed: ") == 1, message

    def start(self, *arguments, **options):
        return subprocess.Popen(self.command(*arguments), cwd=self.folder,
                                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE, **options)


def texts(count, seed=1):
    """Pairs of a text and its label; a few words of each text give the label away."""
    dice = random.Random(seed)
    pairs = []
    for i in range(count):
        label = sorted(TOPICS)[i % len(TOPICS)]
        words = dice.choices(TOPICS[label], k=dice.randint(1, 3))
        words += dice.choices(COMMON, k=dice.randint(2, 8))
        dice.shuffle(words)
        pairs.append((" ".join(words), label))
    return pairs


def csv(pairs):
    return "text,label\n" + "".join(f"{text},{label}\n" for text, label in pairs)


def sentences(count, seed=1):
    """Lists of words with their tags."""
    dice = random.Random(seed)
    shapes = ["DET NOUN VERB DET NOUN", "DET ADJ NOUN VERB", "NOUN VERB ADJ NOUN",
              "DET ADJ ADJ NOUN VERB DET ADJ NOUN"]
    return [[(dice.choice(KINDS[tag]), tag) for tag in dice.choice(shapes).split()]
            for _ in range(count)]


def conllu(all_sentences):
    """As CoNLL-U, with a comment, a range and an empty node here and there."""
    lines = []
    for number, sentence in enumerate(all_sentences, 1):
        lines.append(f"# sent_id = {number}")
        for i, (word, tag) in enumerate(sentence, 1):
            if number % 3 == 0 and i == 1:
                lines.append(f"1-2\t{word}x" + "\t_" * 8)
            lines.append(f"{i}\t{word}\t{word}-l\t{tag}\tX{i}\tA=b|C=d\t{i - 1}\tdep\t_\tn{number}")
            if number % 4 == 0 and i == 2:
                lines.append("2.1\tghost" + "\t_" * 8)
        lines.append("")
    return "\n".join(lines) + "\n"


def snapshot(folder):
    """Every file and folder below, with its bytes."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else None
            for path in sorted(pathlib.Path(folder).rglob("*"))}
