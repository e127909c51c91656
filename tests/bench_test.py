#!/usr/bin/env python3
"""bench/compare.py and bench/decode.py with a heed and peers that only pretend: who runs when, and
what is made of it.

    bench_test.py SOURCE
"""

import gzip
import importlib
import json
import pathlib
import subprocess
import sys
import tempfile

# Each writes down how it was called and gets faster with every call.
PRETENDER = """
import json, pathlib, sys
log = pathlib.Path(__file__).with_name("log")
log.open("a").write("{who} " + " ".join(sys.argv[1:]) + "\\n")
turn = log.read_text().count("{who} ")
if sys.argv[1] == "--version":
    print("heed 9")
    sys.exit()
if sys.argv[2] == "translate":
    sys.exit(2)
print("a line that is no measurement")
for variant, factor in {variants}:
    print(json.dumps(dict(variant=variant, seconds_per_step=factor * (1 - turn / 100), gflops=50,
                          share_of_peak=0.5, peak_gflops=100, peak_memory_bytes=3 << 20,
                          torch="1.2.3")))
"""


def compare(source, folder, *arguments, peer=True):
    log = folder / "log"
    log.unlink(missing_ok=True)
    command = [sys.executable, source / "bench/compare.py", "--heed", folder / "heed", *arguments]
    if peer:
        command += ["--peer", sys.executable, "--peer-script", folder / "peer"]
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    return result, log.read_text().splitlines() if log.exists() else []


# Writes 100 tokens in a second, the second time 200; peers half as many, and have no CTranslate2.
DECODER = """
import json, pathlib, sys
if sys.argv[1] == "-c":
    sys.exit("ctranslate2" in sys.argv[2])
log = pathlib.Path(__file__).with_name("log")
log.open("a").write("{who} " + " ".join(sys.argv[1:]) + "\\n")
turn = log.read_text().count("{who} ")
if "--written" in sys.argv:
    for beam in (1, 5):
        path = pathlib.Path(sys.argv[sys.argv.index("--written") + 1] + "." + str(beam))
        path.write_text(json.dumps(dict(source=[1, 2], written=[3])) + "\\n")
for _ in range({lines}):
    print(json.dumps(dict(seconds=1 / min(turn, 2), tokens_per_second={rate} * min(turn, 2),
                          peer="PyTorch 3", same_sentences=0.875, peak_gflops=1)))
"""


def decode(source, folder):
    """heed and PyTorch take turns; the section replaces the old one, and compare.py keeps it."""
    heed, peer, document = folder / "heed", folder / "peer", folder / "decoding.md"
    for program, who, lines, rate in ((heed, "heed", 2, 100), (peer, "peer", 1, 50)):
        program.write_text(f"#!{sys.executable}\n" +
                           DECODER.format(who=who, lines=lines, rate=rate))
        program.chmod(0o755)
    (folder / "multi30k").mkdir()
    with gzip.open(folder / "multi30k/test_2016_flickr.de.gz", "wb") as file:
        file.write("Ein Hund läuft.\n".encode())
    model = folder / "m.heed"
    model.mkdir()
    # The next token costs 2 · (6 · 100² + 2 · 100² + 100 · 1000) operations, and each of the two that
    # are read for it 2 · (4 · 100² + 2 · 100² + 2 · 100²).
    (model / "config.json").write_text(json.dumps({
        "width": 100, "body": {"layers": 1, "feed_forward": {"hidden": 100}},
        "output": {"entries": 1000, "decoder": {"layers": 1, "feed_forward": {"hidden": 100}}}}))
    document.write_text("# How fast heed is\n\nthe rest\n\n## Decoding\n\nold\n")
    (folder / "log").unlink(missing_ok=True)
    command = [sys.executable, source / "bench/decode.py", "--heed", heed, "--peer", peer, "--model",
               model, "--data", folder, "--threads", "2", "--output", document]
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    assert result.returncode == 0 and "no CTranslate2" in result.stderr, result.stderr
    calls = [line.split()[:2] for line in (folder / "log").read_text().splitlines()]
    assert [who for who, _ in calls] == ["heed", "peer", "peer"] * 4 + ["heed"] * 2, calls
    rows = [line.split() for line in result.stdout.splitlines()[1:]]
    rest = ["2", "200", "100", "2.00×", "–", "–", "87.5", "%", "–"]
    assert rows == [[*search, batch, *rest] for batch in ("64", "1")
                    for search in (["beam", "5"], ["greedy"])], rows
    written = document.read_text()
    assert written.startswith("# How fast heed is\n\nthe rest\n\n## Decoding\n"), written
    assert "| beam 5 | 64 | 2 | 200 | 100 | 2.00× |" in written and "old" not in written, written
    assert "| beam 5 | 2 | 0.42 | 1.06 |" in written, written
    sys.path.insert(0, str(source / "bench"))
    compare_module = importlib.import_module("compare")
    assert compare_module.sections(written).startswith("\n## Decoding\n")
    assert compare_module.sections("# How fast heed is\n") == ""


def main():
    source = pathlib.Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        heed, peer, document = folder / "heed", folder / "peer", folder / "performance.md"
        heed.write_text(f"#!{sys.executable}\n" +
                        PRETENDER.format(who="heed", variants='[("", 1)]'))
        heed.chmod(0o755)
        peer.write_text(PRETENDER.format(who="peer", variants='[("eager", 4), ("compiled", 2)]'))

        result, log = compare(source, folder, "small", "--mode", "train", "--threads", "2",
                              "--output", document)
        assert result.returncode == 0, result.stderr
        # They take turns, and the second turn of the peer is its better variant alone.
        assert log == ["heed bench small --mode train --workers 2 --seconds 2 --json",
                       "peer small --mode train --threads 2 --seconds 2",
                       "heed bench small --mode train --workers 2 --seconds 2 --json",
                       "peer small --mode train --threads 2 --seconds 2 --variant compiled",
                       "heed --version"], log
        # The best of each: 1 − 2/100 of 1000 ms, 1 − 2/100 of 2000 ms.
        row = "small train 2 980.00 1960.00 compiled 2.00× 50.0 0.50 3"
        assert result.stdout.splitlines()[1].split() == row.split(), result.stdout
        written = document.read_text()
        assert "| " + " | ".join(row.split()) + " |" in written, written
        assert "`script/bench small --mode train --threads 2`" in written, written
        assert "heed 9" in written and "PyTorch 1.2.3" in written, written

        result, log = compare(source, folder, "small", "--quick", "--mode", "infer", peer=False)
        assert result.returncode == 0 and "heed is measured alone" in result.stderr, result.stderr
        assert len(log) == 2 and "2 against 1" in result.stdout, (log, result.stdout)

        result, log = compare(source, folder, "--quick", "--mode", "infer", "--threads", "1")
        assert result.returncode == 0 and "no such workload: translate" in result.stderr
        assert len(result.stdout.splitlines()) == 7, result.stdout

        result, _ = compare(source, folder, "smal")
        assert result.returncode == 2 and "unknown workload smal" in result.stderr, result.stderr

        heed.write_text(f"#!{sys.executable}\n")
        result, _ = compare(source, folder, "small")
        assert result.returncode == 1 and "printed no measurement" in result.stderr, result.stderr
        decode(source, folder)


if __name__ == "__main__":
    main()
