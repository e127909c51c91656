#!/usr/bin/env python3
"""What README.md shows is what happens.

    readme_test.py README --extract FILE         writes its C++ program to FILE
    readme_test.py README --run EXAMPLE PROGRAM  runs that program, compiled, and compares what it
                                                 prints with the block after it; then runs the sh
                                                 blocks one after another in an empty folder, where
                                                 heed is PROGRAM, and compares what each prints with
                                                 the text block behind it, if there is one. There, any
                                                 number stands for any other.
    readme_test.py DOCUMENT --commands PROGRAM   runs the sh blocks of DOCUMENT in the same way
    readme_test.py DOCUMENT --quotes FILE…       each block of DOCUMENT stands in one of the FILEs,
                                                 however it is indented there
"""

import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def run(command):
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"{shlex.join(command)} ended with {result.returncode}\n{result.stderr}")
    return result.stdout


def check_quotes(document, blocks, files):
    sources = [" ".join(pathlib.Path(name).read_text(encoding="utf-8").split()) for name in files]
    if not blocks:
        sys.exit(f"{document}: expected blocks of code, found none")
    for _, block in blocks:
        if not any(" ".join(block.split()) in source for source in sources):
            sys.exit(f"{document} quotes what is no longer in {', '.join(files)}:\n{block}")


def matches(said, expected):
    """Whether two texts are the same but for their numbers and for line ends behind them."""
    blank = [re.sub(r"\d+(\.\d+)?", "0", text).rstrip("\n") for text in (said, expected)]
    return blank[0] == blank[1]


def run_commands(readme, blocks, heed):
    places = [place for place, (language, _) in enumerate(blocks) if language == "sh"]
    if not places:
        sys.exit(f"{readme}: expected commands in a block of sh, found none")
    environment = {**os.environ,
                   "PATH": f"{pathlib.Path(heed).resolve().parent}:{os.environ['PATH']}"}
    with tempfile.TemporaryDirectory() as folder:
        for place in places:
            script = blocks[place][1]
            result = subprocess.run(["bash", "-euo", "pipefail", "-c", script], cwd=folder,
                                    env=environment, capture_output=True, text=True)
            if result.returncode != 0:
                sys.exit(f"{readme}: ended with {result.returncode}:\n{script}\n{result.stderr}")
            if place + 1 < len(blocks) and blocks[place + 1][0] == "text":
                expected = blocks[place + 1][1]
                if not matches(result.stdout, expected):
                    sys.exit(f"{readme} says that\n{script}prints\n{expected}but it prints\n"
                             f"{result.stdout}")


def main():
    readme, action, *arguments = sys.argv[1:]
    blocks = BLOCK.findall(pathlib.Path(readme).read_text(encoding="utf-8"))
    if action == "--quotes":
        check_quotes(readme, blocks, arguments)
        return
    if action == "--commands":
        run_commands(readme, blocks, arguments[0])
        return
    programs = [place for place, (language, _) in enumerate(blocks) if language == "cpp"]
    if len(programs) != 1:
        sys.exit(f"{readme}: expected one C++ program, found {len(programs)}")
    (place,) = programs

    if action == "--extract":
        pathlib.Path(arguments[0]).write_text(blocks[place][1], encoding="utf-8")
        return
    example, heed = arguments
    said, expected = run([example]), blocks[place + 1][1]
    if said != expected:
        sys.exit(f"{readme} says that its program prints\n{expected}but it prints\n{said}")

    run_commands(readme, blocks, heed)


if __name__ == "__main__":
    main()
