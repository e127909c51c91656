#!/usr/bin/env python3
"""Runs heed and PyTorch on the same work, alternately, and prints a table of both.

    compare.py --heed PROGRAM [--peer PYTHON] [WORKLOAD…] [--mode MODE] [--threads N,…] [--quick]

For each workload, mode and number of threads: heed, PyTorch, heed, PyTorch; the best of each
counts. PyTorch runs eager and compiled, and the better of the two counts. script/bench calls this.
"""

import argparse
import json
import pathlib
import platform
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORKLOADS = ["news", "small", "speaker", "long", "ragged", "translate", "image"]
HEADER = ["workload", "mode", "threads", "heed ms", "PyTorch ms", "", "ratio", "heed GFLOP/s",
          "of peak", "heed MiB"]


def records(command):
    """The JSON lines that a program prints; its own messages pass through."""
    result = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if result.returncode != 0:
        sys.exit(f"script/bench: {' '.join(map(str, command))} ended with {result.returncode}")
    lines = [json.loads(line) for line in result.stdout.splitlines() if line.startswith("{")]
    if not lines:
        sys.exit(f"script/bench: {' '.join(map(str, command))} printed no measurement")
    return lines


def known_to_heed(options, name):
    """Whether heed has the workload: wrong use, such as an unknown name, is exit code 2."""
    command = [options.heed, "bench", name, "--seconds", "0", "--json"]
    return subprocess.run(command, capture_output=True).returncode != 2


def fastest(found):
    return min(found, key=lambda record: record["seconds_per_step"])


def seconds(options):
    """How long each measurement takes, for both alike."""
    return "0.5" if options.quick else "2"


def run_heed(options, name, mode, threads):
    command = [options.heed, "bench", name, "--mode", mode, "--workers", str(threads),
               "--seconds", seconds(options), "--json"]
    return fastest(records(command))


def run_peer(options, name, mode, threads, variant=None):
    if options.peer is None:
        return None
    command = [options.peer, options.peer_script, name, "--mode", mode, "--threads", str(threads),
               "--seconds", seconds(options)]
    if options.quick:
        variant = "eager"
    if variant:
        command += ["--variant", variant]
    return fastest(records(command))


def compare(options, name, mode, threads):
    """The best of heed and of PyTorch (None without it), taken alternately."""
    ours = [run_heed(options, name, mode, threads)]
    theirs = [run_peer(options, name, mode, threads)]
    if not options.quick:
        ours.append(run_heed(options, name, mode, threads))
        if theirs[0]:
            theirs.append(run_peer(options, name, mode, threads, theirs[0]["variant"]))
    return fastest(ours), fastest(theirs) if theirs[0] else None


def cells(name, mode, threads, ours, theirs):
    ms = ours["seconds_per_step"] * 1e3
    row = [name, mode, str(threads), f"{ms:.2f}"]
    if theirs:
        their_ms = theirs["seconds_per_step"] * 1e3
        row += [f"{their_ms:.2f}", theirs["variant"], f"{their_ms / ms:.2f}×"]
    else:
        row += ["–", "", "–"]
    return row + [f"{ours['gflops']:.1f}", f"{ours['share_of_peak']:.2f}",
                  f"{ours['peak_memory_bytes'] / 2**20:.0f}"]


def gains(measured):
    """Lines that say what more threads bring heed, where one thread and more were measured."""
    lines = []
    for (name, mode, threads), (ours, _) in measured.items():
        if threads > 1 and (name, mode, 1) in measured:
            gain = measured[name, mode, 1][0]["seconds_per_step"] / ours["seconds_per_step"]
            lines.append([name, mode, f"{threads} against 1", f"{gain:.2f}×"])
    return lines


def text_table(rows):
    widths = [max(map(len, column)) for column in zip(*rows)]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip()
                     for row in rows)


def markdown_table(rows):
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([lines[0], "|" + "---|" * len(rows[0])] + lines[1:])


def first_line(*command):
    try:
        result = subprocess.run(command, capture_output=True, text=True)
    except OSError:
        return "unknown"
    return (result.stdout.splitlines() or ["unknown"])[0].strip()


def machine():
    found = {}
    for line in subprocess.run(["lscpu"], capture_output=True, text=True).stdout.splitlines():
        key, _, value = line.partition(":")
        found[key.strip()] = value.strip()
    return (f"{found.get('Model name', platform.machine())}, {found.get('CPU(s)', '?')} processors "
            f"({found.get('Thread(s) per core', '?')} to a core), "
            f"L2 {found.get('L2 cache', '?')}, L3 {found.get('L3 cache', '?')}")


def counts(text):
    return [int(part) for part in text.split(",")]


def command_line(options):
    """What to type for the same run."""
    parts = ["script/bench", *options.workloads]
    if options.mode:
        parts += ["--mode", options.mode]
    if options.threads != [1, 2]:
        parts += ["--threads", ",".join(map(str, options.threads))]
    if options.quick:
        parts.append("--quick")
    return " ".join(parts)


def document(options, measured, rows):
    torch = next((theirs["torch"] for _, theirs in measured.values() if theirs), None)
    peaks = {}
    for (_, _, threads), (ours, _) in measured.items():
        peaks[threads] = max(peaks.get(threads, 0.0), ours["peak_gflops"])
    variants = "eager" if options.quick else "the better of eager and compiled"
    versions = [first_line(options.heed, "--version"), first_line("g++", "--version"),
                "oneDNN " + first_line("dpkg-query", "-W", "-f", "${Version}", "libdnnl-dev"),
                f"PyTorch {torch}" if torch else "PyTorch not measured"]
    parts = [
        "# How fast heed is",
        f"Written by `{command_line(options)}`, from one run in which heed and PyTorch took turns. "
        "Run it to have the numbers of your own machine; `script/setup --bench` installs PyTorch "
        "first.",
        f"- machine: {machine()}\n- versions: {'; '.join(versions)}\n- f32 matrix-product peak in "
        "this run: " + ", ".join(f"{peak:.0f} GFLOP/s on {n} thread{'s' if n > 1 else ''}"
                                 for n, peak in sorted(peaks.items())),
        markdown_table(rows),
        "`train` is a whole step: forward, backward, AdamW, dropout 0.1; `infer` a forward pass. "
        f"The time is that of the best step. PyTorch is {variants}, with the same threads; ragged "
        "batches are padded in its favour, sorted into groups of like length. "
        "The ratio is PyTorch's time by heed's. FLOPs are those of the model's matrix products "
        "(three forward passes for a training step), on real tokens only; the peak is oneDNN's "
        "4096×512×512 product on the same threads in the same run."]
    if gained := gains(measured):
        parts += ["What more workers bring heed:",
                  markdown_table([["workload", "mode", "workers", "gain"]] + gained)]
    return "\n\n".join(parts) + "\n"


def sections(text):
    """Those of a document that others write (bench/decode.py): from the first one on."""
    place = text.find("\n## ")
    return text[place:] if place >= 0 else ""


def main():
    parser = argparse.ArgumentParser(prog="script/bench", description=__doc__.splitlines()[0])
    parser.add_argument("workloads", nargs="*", metavar="WORKLOAD", help=", ".join(WORKLOADS))
    parser.add_argument("--mode", choices=["train", "infer"], help="default: both")
    parser.add_argument("--threads", type=counts, default=[1, 2], metavar="N,…",
                        help="default: 1,2")
    parser.add_argument("--quick", action="store_true", help="one short turn each, eager only")
    parser.add_argument("--output", help="where the document goes; default: docs/performance.md "
                        "when everything is measured")
    parser.add_argument("--heed", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--peer", help=argparse.SUPPRESS)
    parser.add_argument("--peer-script", default=str(ROOT / "bench/peers/pytorch.py"),
                        help=argparse.SUPPRESS)
    options = parser.parse_args()
    for name in options.workloads:
        if name not in WORKLOADS:
            parser.error(f"unknown workload {name}; there are {', '.join(WORKLOADS)}")
    if options.peer is None:
        print("script/bench: no PyTorch in build/peers or python3, so heed is measured alone; "
              "script/setup --bench installs it", file=sys.stderr)

    names = options.workloads
    if not names:
        names = [name for name in WORKLOADS if known_to_heed(options, name)]
        missing = sorted(set(WORKLOADS) - set(names))
        if missing:
            print(f"script/bench: not measured, heed has no such workload: {', '.join(missing)}",
                  file=sys.stderr)

    modes = [options.mode] if options.mode else ["train", "infer"]
    measured, rows = {}, [HEADER]
    for name in names:
        for mode in modes:
            for threads in options.threads:
                print(f"{name}, {mode}, {threads} …", file=sys.stderr)
                pair = compare(options, name, mode, threads)
                measured[name, mode, threads] = pair
                rows.append(cells(name, mode, threads, *pair))
                print("  " + ", ".join(f"{title} {cell}".strip() for title, cell in
                                       zip(HEADER[3:], rows[-1][3:])), file=sys.stderr)

    print(text_table(rows))
    if gained := gains(measured):
        print("\n" + text_table(gained))
    whole = not (options.workloads or options.mode or options.quick or options.peer is None)
    output = options.output or (ROOT / "docs/performance.md" if whole else None)
    if output:
        path = pathlib.Path(output)
        old = path.read_text(encoding="utf-8") if path.exists() else ""
        path.write_text(document(options, measured, rows) + sections(old), encoding="utf-8")
        print(f"written to {output}", file=sys.stderr)


if __name__ == "__main__":
    main()
