#!/usr/bin/env python3
"""Options from a file, from flags and by --set: they are asked together whether they fit, and what is
left open follows what was said.

    options_test.py HEED
"""

import json
import pathlib
import re
import sys
import tempfile

from program import Heed, conllu, csv, sentences, texts

TINY = ["--preset", "tiny", "--epochs", "1", "--workers", "1", "--set", "training.average=0"]
NAMES = ["animals", "food", "tools"]


def train(heed, *options, data="x.csv", task="classify"):
    """The config of the model that comes of it, and its weights."""
    heed.done("train", task, data, "-o", "M", "--force", *TINY, *options)
    content = (heed.folder / "M/model.safetensors").read_bytes()
    return (json.loads((heed.folder / "M/config.json").read_text()),
            content[8 + int.from_bytes(content[:8], "little"):])


def refused(heed, *options, words, data="x.csv", task="classify"):
    result = heed.run("train", task, data, "-o", "N", *TINY, *options)
    said = result.stderr.decode().splitlines()[-1]
    assert result.returncode == 2, (options, result.returncode, said)
    assert "got an object" not in said and "got a list" not in said, said
    for word in words:
        assert word in said, (word, said)
    assert not (heed.folder / "N").exists(), options


def together(heed):
    """Whatever the order: only the whole must fit."""
    heads = "body.attention.heads"
    file = heed.folder / "c.json"
    file.write_text('{"width": 70}')
    for options in [["--set", "width=70", "--set", f"{heads}=5"],
                    ["--set", f"{heads}=5", "--set", "width=70"],
                    ["--config", file, "--heads", "5"], ["--config", file, "--set", f"{heads}=5"]]:
        config, _ = train(heed, *options)
        assert config["width"] == 70, options
        assert config["body"]["attention"]["heads"] == 5, options
    bodies = 'ensemble.bodies=[{"kind": "bag"}]'
    for options in [["--set", bodies, "--set", "ensemble.size=2"],
                    ["--set", "ensemble.size=2", "--set", bodies]]:
        config, _ = train(heed, *options)
        assert config["ensemble"] == {"size": 2, "bodies": [{"kind": "bag"}]}, config
    # A flag about the body is for those that have such an option.
    config, _ = train(heed, "--body", "bag,lstm,attention", "--layers", "3")
    assert [body.get("layers") for body in config["ensemble"]["bodies"]] == [3, 3], config
    refused(heed, "--body", "bag", "--layers", "3", words=["--layers", "body", "layers"])
    for options in [["--config", file], ["--set", "width=70"], ["--width", "70"]]:
        refused(heed, *options, words=["body.attention.heads 4", "divisor of the width 70"])
    refused(heed, "--width", "65", "--heads", "5", words=["rotary", "odd depth of 13"])
    # Positions inside attention that were asked for are not replaced by those of the defaults.
    config, _ = train(heed, "--set", "body.attention.position=alibi")
    assert config["body"]["position"]["kind"] == "none", config["body"]["position"]
    assert config["body"]["attention"]["position"] == "alibi", config["body"]["attention"]
    # What a single value cannot be is said at once, with its name.
    refused(heed, "--set", "width=0", words=["--set: width:", "from 1 to 65536", "got 0"])
    refused(heed, "--set", "training.rate=-1", words=["--set: training.rate:", "above 0"])


def tokenizers(heed):
    """What suits words alone goes with the words, whoever chose another tokenizer."""
    file = heed.folder / "c.json"
    for kind in ["character", "bpe"]:
        size = ["--vocabulary", "60"]
        config, weights = train(heed, "--tokenizer", kind, *size)
        assert config["input"]["char_ngrams"]["buckets"] == 0, config["input"]
        file.write_text(json.dumps({"input": {"tokenizer": {"kind": kind}}}))
        for options in [["--set", f"input.tokenizer.kind={kind}"], ["--config", file]]:
            assert train(heed, *options, *size) == (config, weights), options
        assert "total" in heed.done("describe", "c.json")
        for option, value in [("input.char_ngrams.buckets", 100), ("input.char_cnn.filters", 8)]:
            refused(heed, "--tokenizer", kind, "--set", f"{option}={value}",
                    words=[option.rsplit(".", 1)[0], 'unless the tokenizer is "word"'])
    # The later wins, and with words all is as it was.
    config, _ = train(heed, "--config", file, "--tokenizer", "word")
    assert config["input"]["char_ngrams"]["buckets"] > 0 and config["wide"]["kind"] == "tfidf"
    refused(heed, "--tokenizer", "bpe", "--set", "input.vectors=v.vec",
            words=["input.vectors", 'unless the tokenizer is "word"'])
    file.write_text('{"input": {"tokenizer": {"kind": "bpe"}}}')
    for options in [["--set", "input.tokenizer.kind=character"], ["--config", file]]:
        refused(heed, *options, data="x.conllu", task="tag", words=["input.tokenizer.kind", "word"])
    assert "--tokenizer" not in heed.done("train", "tag", "--help")
    refused(heed, "--tokenizer", "word", data="x.conllu", task="tag", words=["no flag --tokenizer"])


def weights_of_classes(heed):
    """They stay with their names, or are in the order of the alphabet."""
    file = heed.folder / "c.json"
    for options in [["--set", "output.class_weights=[1, 2, 3]"],
                    ["--set", "output.class_weights=[3, 1, 2]", "--set",
                     'output.names=["tools", "animals", "food"]']]:
        config, weights = train(heed, *options)
        assert config["output"]["names"] == NAMES, config["output"]
        assert config["output"]["class_weights"] == [1, 2, 3], config["output"]
    file.write_text(json.dumps({"output": {"names": ["food", "tools", "animals"],
                                           "class_weights": [2, 3, 1]}}))
    assert train(heed, "--config", file) == (config, weights)
    plain, other = train(heed)
    assert plain["output"]["class_weights"] == [] and other != weights
    # A model's own config will do.
    (heed.folder / "own.json").write_text((heed.folder / "M/config.json").read_text())
    assert train(heed, "--config", "own.json")[1] == other

    def names(*given):
        return ["--set", f"output.names={json.dumps(given)}"]
    for options, words in [
            (["--set", "output.class_weights=[1, 2]"],
             ["output.class_weights: 2 weights", "expected 3", "animals,food,tools"]),
            (names("animals", "food", "plants"),
             ["output.names", 'no class "plants"', "animals,food,tools"]),
            (names("animals", "food"), ["output.names", '"tools" is missing']),
            (names(*NAMES, "food"), ["output.names", '"food" is there twice']),
            ([*names(*NAMES), "--set", "output.class_weights=[1, 2]"],
             ["output.class_weights", "one for each name"]),
            (["--set", "output.kind=tags"], ["output.kind tags", "the output label"])]:
        refused(heed, *options, words=words)
    refused(heed, "--set", "output.kind=label", data="x.conllu", task="tag",
            words=["output.kind label", "the output tags"])


def width_of_much_data(heed):
    """Many texts have a wider network, unless something was said of its size."""
    lines = [f"word{i % 50},{'even' if i % 2 else 'odd'}" for i in range(23000)]
    (heed.folder / "many.csv").write_text("text,label\n" + "\n".join(lines) + "\n")
    bag = ["--body", "bag"]
    for options, width in [(bag, 192), ([*bag, "--set", "output.smoothing=0"], 192),
                           ([*bag, "--set", "ensemble.size=2"], 192), ([*bag, "--width", "64"], 64),
                           (["--body", "window", "--set", "body.neighbours=1"], 128)]:
        heed.done("train", "classify", "many.csv", "-o", "W", "--force", "--epochs", "1",
                  "--workers", "1", "--no-wide", *options)
        config = json.loads((heed.folder / "W/config.json").read_text())
        assert config["width"] == width, (options, config["width"])


def size_in_a_time_limit(heed):
    """A named body is fitted to the time as the default one is, unless its size was said."""
    (heed.folder / "t.csv").write_text(csv(texts(600)))
    for options, planned in [([], "attention"), (["--body", "cnn"], "cnn"),
                             (["--body", "cnn", "--width", "32"], None),
                             (["--body", "cnn,bag"], None)]:
        result = heed.run("train", "classify", "t.csv", "-o", "T", "--force", "--time", "2s",
                          "--workers", "1", *options)
        messages = result.stderr.decode()
        assert result.returncode == 0, messages
        # Of the two seconds, those that are left when examples have been read.
        found = re.search(r"^in \d s: (\w+) of width ", messages, re.MULTILINE)
        assert (found[1] if found else None) == planned, (options, messages)


def main():
    with tempfile.TemporaryDirectory() as folder:
        heed = Heed(pathlib.Path(sys.argv[1]), folder)
        (heed.folder / "x.csv").write_text(csv(texts(60)))
        (heed.folder / "x.conllu").write_text(conllu(sentences(40)))
        for part in [together, tokenizers, weights_of_classes, width_of_much_data,
                     size_in_a_time_limit]:
            part(heed)


if __name__ == "__main__":
    main()
