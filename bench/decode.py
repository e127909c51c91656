#!/usr/bin/env python3
"""How many tokens heed, PyTorch and CTranslate2 write in a second, with the same network and weights.

    decode.py --heed HEED [--peer PYTHON] [--model FOLDER] [--data FOLDER] [--threads N,…] [--quick]

A translation model is trained for five minutes on Multi30k, once, and kept in build/bench: 8,000
subwords, width 256, 8 heads, feed-forward 512, 3 + 3 layers, pre-norm, sinusoids alone, which is
what all three can express. Each then writes the 1,000 sentences of the test set in batches of 64 of
similar length, and the first 100 one at a time, greedily and with a beam of 5; only the writing is
timed, from tokens to tokens. They take turns, and the best of each counts. script/bench calls this.
"""

import argparse
import gzip
import itertools
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from compare import counts, first_line, machine, markdown_table, records, text_table

ROOT = pathlib.Path(__file__).resolve().parent.parent
PEERS = {"PyTorch": "pytorch_decode.py", "CTranslate2": "ctranslate2_decode.py"}
MODULES = {"PyTorch": "torch", "CTranslate2": "ctranslate2"}
SEARCHES = {1: "greedy", 5: "beam 5"}
BATCHES = {64: 1000, 1: 100}  # sentences at once, and of how many
HEADER = ["search", "at once", "threads", "heed", "PyTorch", "ratio", "CTranslate2", "ratio",
          "same as PyTorch's", "same as CTranslate2's"]
TITLE = "## Decoding"


def train(heed, data, model):
    """The network of the workload `translate`, as all three can express it."""
    print(f"script/bench: training {model} for five minutes, once", file=sys.stderr)
    subprocess.run(
        [heed, "train", "translate", data / "train.de.gz", data / "train.en.gz", "--dev",
         data / "val.de.gz", data / "val.en.gz", "-o", model, "--force", "--time", "5m",
         "--vocabulary", "8000", "--target-vocabulary", "8000", "--width", "256", "--heads", "8",
         "--decoder-heads", "8", "--layers", "3", "--decoder-layers", "3",
         "--set", "body.feed_forward.hidden=512", "output.decoder.feed_forward.hidden=512",
         "body.attention.position=none", "output.decoder.attention.position=none"], check=True)


def run_heed(options, texts, written, batch, threads):
    """A record for each search, by beam."""
    lines = records([options.heed, "bench", "decode", "--model", options.model, "--texts", texts,
                     "--batch", str(batch), "--workers", str(threads), "--seconds",
                     seconds(options), "--written", written, "--json"])
    found = dict(zip(SEARCHES, lines))
    for beam, line in found.items():
        pairs = pairs_in(f"{written}.{beam}")
        line["read_for_each"] = (sum(len(pair["source"]) for pair in pairs)
                                 / sum(len(pair["written"]) for pair in pairs))
    return found


def pairs_in(path):
    return [json.loads(line) for line in pathlib.Path(path).read_text().splitlines()]


def run_peer(options, name, written, beam, batch, threads):
    [line] = records([options.peer, ROOT / "bench/peers" / PEERS[name], options.model,
                      f"{written}.{beam}", "--beam", str(beam), "--threads", str(threads),
                      "--batch", str(batch), "--seconds", seconds(options)])
    return line


def seconds(options):
    return "0" if options.quick else "3"  # 0: once, after once to warm up


def faster(one, other):
    return one if other is None or one["seconds"] < other["seconds"] else other


def measure(options, names, sentences):
    """{(batch, beam, threads): {name: record}}, the best of two turns each; with --quick of one."""
    best = {}
    with tempfile.TemporaryDirectory() as folder:
        texts, written = pathlib.Path(folder) / "test.de", pathlib.Path(folder) / "written"
        for (batch, count), threads in itertools.product(BATCHES.items(), options.threads):
            texts.write_bytes(b"".join(sentences[:count]))
            for turn in range(1 if options.quick else 2):
                print(f"decode, {batch} at once, threads {threads}, turn {turn + 1} …",
                      file=sys.stderr)
                ours = run_heed(options, texts, written, batch, threads)
                for beam in SEARCHES:
                    found = best.setdefault((batch, beam, threads), {})
                    found["heed"] = faster(ours[beam], found.get("heed"))
                    for name in names:
                        found[name] = faster(
                            run_peer(options, name, written, beam, batch, threads),
                            found.get(name))
    return best


def cells(batch, beam, threads, found):
    row = [SEARCHES[beam], str(batch), str(threads), f"{found['heed']['tokens_per_second']:,.0f}"]
    same = []
    for name in PEERS:
        if name not in found:
            row += ["–", "–"]
            same.append("–")
            continue
        theirs = found[name]
        row += [f"{theirs['tokens_per_second']:,.0f}",
                f"{found['heed']['tokens_per_second'] / theirs['tokens_per_second']:.2f}×"]
        same.append(f"{100 * theirs['same_sentences']:.1f} %")
    return row + same


def token_gflops(model):
    """The work of one token, attention itself left out: (of the next token of one hypothesis, with
    the scores of all tokens; of a token that is read)."""
    config = json.loads((pathlib.Path(model) / "config.json").read_text())
    width, body, output = config["width"], config["body"], config["output"]
    decoder = output["decoder"]
    # Attention to itself has four products, that to the source two: its keys and values are made
    # once, when the source is read.
    written = 6 * width**2 + 2 * width * decoder["feed_forward"]["hidden"]
    read = 4 * width**2 + 2 * width * body["feed_forward"]["hidden"]
    return (2e-9 * (decoder["layers"] * written + width * output["entries"]),
            2e-9 * (body["layers"] * read + decoder["layers"] * 2 * width**2))


def reach(options, best):
    """How far the machine lets anybody go."""
    peaks = {threads: max(line["peak_gflops"] for line in records(
        [options.heed, "bench", "small", "--workers", str(threads), "--seconds", "1", "--json"]))
        for threads in options.threads}
    written, read = token_gflops(options.model)
    rows = [["search", "threads", "heed", "five times PyTorch"]]
    for (batch, beam, threads), found in sorted(best.items(), reverse=True):
        if batch == 1 or "PyTorch" not in found: continue
        each = beam * written + found["heed"]["read_for_each"] * read
        rows.append([SEARCHES[beam], str(threads)]
                    + [f"{rate * each / peaks[threads]:.2f}"
                       for rate in (found["heed"]["tokens_per_second"],
                                    5 * found["PyTorch"]["tokens_per_second"])])
    return (f"A token that is written costs {1000 * written:.1f} MFLOP in each hypothesis, half of it "
            f"for the scores of all subwords, a token that is read {1000 * read:.1f}; attention itself "
            "is not counted. As a part of the f32 matrix-product peak in this run ("
            + ", ".join(f"{peak:.0f} GFLOP/s on {threads} thread{'s' if threads > 1 else ''}"
                        for threads, peak in peaks.items())
            + "), 64 sentences at once, what heed writes and what five times the speed of PyTorch "
            "would be:\n\n" + markdown_table(rows))


def section(options, names, best, rows):
    """What docs/performance.md says of decoding."""
    versions = [next(iter(best.values()))[name]["peer"] for name in names]
    return "\n\n".join([
        TITLE,
        f"Written by `script/bench decode{' --quick' if options.quick else ''}`. {machine()}; {first_line(options.heed, '--version')}; "
        + "; ".join(versions) + ".",
        "Tokens that are written in a second, the ends of sentences not counted, for the 1,000 "
        "sentences of Multi30k's test set (de → en), with the same network and weights, f32: 8,000 "
        "subwords, width 256, 8 heads, feed-forward 512, 3 + 3 layers; 64 sentences of similar "
        "length at once, or the first 100 one after another. PyTorch keeps keys and values, too, and lets sentences that are done "
        "leave the batch. The last two columns are how many sentences are the same to the token: "
        "the others differ where two texts are equally likely but for rounding, or where "
        "CTranslate2's beam search stops earlier.",
        markdown_table(rows), reach(options, best)]) + "\n"


def with_section(document, new):
    """The document with its section on decoding replaced, or added at the end."""
    before = document.split("\n" + TITLE + "\n")[0].rstrip("\n")
    return before + "\n\n" + new


def main():
    parser = argparse.ArgumentParser(prog="script/bench decode",
                                     description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=counts, default=[1, 2], metavar="N,…",
                        help="default: 1,2")
    parser.add_argument("--quick", action="store_true", help="one turn each, timed once; only prints")
    parser.add_argument("--model", help="a model of this kind; default: trained in build/bench")
    parser.add_argument("--data", type=pathlib.Path, default=os.environ.get("HEED_DATA"),
                        help="the folder with multi30k/; default: HEED_DATA, data or ../shared/data")
    parser.add_argument("--output", help="the document that the section goes into; default: "
                        "docs/performance.md when everything is measured")
    parser.add_argument("--heed", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--peer", help=argparse.SUPPRESS)
    options = parser.parse_args()
    data = options.data or next((folder for folder in (ROOT / "data", ROOT / "../shared/data")
                                 if folder.is_dir()), ROOT / "data")
    data = pathlib.Path(data) / "multi30k"
    test = data / "test_2016_flickr.de.gz"
    if not test.exists():
        sys.exit(f"script/bench: decode needs {test}; docs/data.md says where it comes from")
    names = []
    for name, module in MODULES.items():
        if options.peer and subprocess.run([options.peer, "-c", f"import {module}"],
                                           capture_output=True).returncode == 0:
            names.append(name)
        else:
            print(f"script/bench: no {name}; script/setup --bench installs it", file=sys.stderr)
    if options.model is None:
        options.model = ROOT / "build/bench/translate.heed"
        if not (options.model / "model.safetensors").exists():
            train(options.heed, data, options.model)
    sentences = gzip.decompress(test.read_bytes()).splitlines(keepends=True)
    best = measure(options, names, sentences)
    rows = [HEADER] + [cells(*key, found) for key, found in sorted(best.items(), reverse=True)]
    print(text_table(rows))
    whole = not options.quick and len(names) == len(PEERS)
    output = options.output or (ROOT / "docs/performance.md" if whole else None)
    if output:
        path = pathlib.Path(output)
        old = path.read_text(encoding="utf-8") if path.exists() else "# How fast heed is\n"
        path.write_text(with_section(old, section(options, names, best, rows)), encoding="utf-8")
        print(f"written to {output}", file=sys.stderr)


if __name__ == "__main__":
    main()
