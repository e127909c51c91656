#!/usr/bin/env python3
"""bench/compare.py with a heed and a peer that only pretend: who runs when, and what is made of it.

    bench_test.py SOURCE
"""

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


if __name__ == "__main__":
    main()
