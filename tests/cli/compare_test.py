#!/usr/bin/env python3
"""heed compare: a report, resumed, refused where it cannot be.

    compare_test.py HEED
"""

import json
import pathlib
import signal
import sys
import tempfile
import time

from program import Heed, conllu, csv, sentences, texts

TINY = ["--preset", "tiny", "--workers", "2", "--seeds", "2", "--lengths", "8,32"]
SMALL = [*TINY, "--epochs", "3"]


def report_of(folder):
    return json.loads((folder / "report.json").read_text(encoding="utf-8"))


def check_labels(heed):
    (heed.folder / "data.csv").write_text(csv(texts(300)), encoding="utf-8")
    printed = heed.done("compare", "classify", "data.csv", "-o", "out", "--bodies", "attention,window",
                        "--variant", "one=--body attention --heads 1", "--amounts", "20%,100%", *SMALL)
    assert "did best" in printed or "did equally well" in printed, printed
    assert "out/report.html" in printed, printed
    out = heed.folder / "out"
    report = report_of(out)
    assert [variant["name"] for variant in report["variants"]] == ["attention", "window", "one"]
    sizes = {variant["name"]: variant["body_parameters"] for variant in report["variants"]}
    assert abs(sizes["window"] / sizes["attention"] - 1) < 0.05, sizes
    assert "--heads 1" in report["variants"][2]["flags"]
    assert [amount["amount"] for amount in report["amounts"]] == [0.2, 1.0]
    assert len(list((out / "runs").iterdir())) == 3 * 2 * 2
    for name in ["report.html", "amount.svg", "time.svg", "speed.svg", "memory.svg"]:
        assert (out / name).stat().st_size > 1000, name
    html = (out / "report.html").read_text(encoding="utf-8")
    assert report["findings"][0] in html


def check_tags(heed):
    (heed.folder / "data.conllu").write_text(conllu(sentences(120)), encoding="utf-8")
    heed.done("compare", "tag", "data.conllu", "-o", "tags", "--bodies", "cnn,bag", *SMALL)
    # About a tenth: the same sentence twice stays on one side.
    assert 6 <= report_of(heed.folder / "tags")["test_examples"] <= 20


def check_interrupt(heed):
    """Ctrl-C keeps what is done, and the same command goes on to the same numbers."""
    command = ["compare", "classify", "data.csv", "-o", "stopped", "--bodies", "window,bag", *TINY,
               "--epochs", "20"]
    runs = heed.folder / "stopped" / "runs"
    process = heed.start(*command)
    for _ in range(3000):
        if runs.exists() and any(path.suffix == ".json" for path in runs.iterdir()):
            break
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    process.communicate()
    assert process.returncode in (0, 130), process.returncode
    first = {path.name: path.read_bytes() for path in runs.glob("*.json")}
    assert first
    heed.done(*command)
    for name, kept in first.items():
        assert (runs / name).read_bytes() == kept, f"{name} was trained again"
    assert len(list(runs.iterdir())) == 4


def check_mistakes(heed):
    def refused(expected, *arguments):
        result = heed.run("compare", "classify", "data.csv", *arguments)
        said = result.stderr.decode()
        assert result.returncode == 2 and expected in said, (arguments, said)

    refused("--bodies", "-o", "x", "--bodies", "attention,elephant")
    refused("--variant deep", "-o", "x", "--variant", "deep=--layer-count 3")
    refused("expected NAME=\"FLAGS\"", "-o", "x", "--variant", "--layers 3")
    refused("--match time", "-o", "x", "--match", "time")
    refused("--amounts 0%", "-o", "x", "--amounts", "0%")
    refused("--lengths two", "-o", "x", "--lengths", "two")
    refused("two variants of this name", "-o", "x", "--bodies", "bag,bag")
    refused("is of another comparison", "-o", "out", "--bodies", "attention,window", "--amounts",
            "20%", *SMALL, "--rate", "0.02")
    (heed.folder / "full").mkdir()
    (heed.folder / "full" / "letter.txt").write_text("mine", encoding="utf-8")
    refused("is not empty and not a comparison", "-o", "full")
    assert not (heed.folder / "x").exists()


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        heed = Heed(sys.argv[1], pathlib.Path(folder))
        check_labels(heed)
        check_tags(heed)
        check_interrupt(heed)
        check_mistakes(heed)


if __name__ == "__main__":
    main()
