#!/usr/bin/env python3
"""Installs heed into an empty folder and builds examples/outside against it, as a stranger would:
with find_package, and with pkg-config. Then moves the folder and does it again.

    package_test.py SOURCE BUILD CMAKE CXX
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

# 8 rows; prenet 8·16 + 16, attention 4 · (16·16 + 16).
EXPECTED = "in (8, 8), out (8, 16), 3 sequences, 1232 parameters\n"


def run(*command, **settings):
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True,
                            **settings)
    if result.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\nended with {result.returncode}\n"
                 f"{result.stdout}{result.stderr}")
    return result.stdout


def expect(condition, sentence):
    if not condition:
        sys.exit(sentence)


def check_files(source, prefix):
    files = {path.relative_to(prefix).as_posix() for path in prefix.rglob("*")}
    for name in ["include/heed/heed.h", "include/heed/nn/attention.h", "include/heed/grad/tape.h", "bin/heed",
                 "share/man/man1/heed.1", "share/bash-completion/completions/heed",
                 "share/zsh/site-functions/_heed"]:
        expect(name in files, f"{name} was not installed")
    expect(any(name.endswith(("/libheed.a", "/libheed.so")) for name in files), "no library")
    headers = {name.removeprefix("include/") for name in files if name.startswith("include/heed/")
               and (prefix / name).is_file()}
    listed = (source / "cmake/public_headers.txt").read_text().split()
    expect(headers == set(listed), f"installed and listed differ: {headers ^ set(listed)}")
    for header in headers:
        for other in re.findall(r'#include "(heed/[^"]+)"', (prefix / "include" / header).read_text()):
            expect(other in headers, f"{header} includes {other}, which is not installed")
    run(prefix / "bin/heed", "--version")


def with_cmake(cmake, cxx, source, prefix, work):
    run(cmake, "-S", source / "examples/outside", "-B", work, f"-DCMAKE_PREFIX_PATH={prefix}",
        f"-DCMAKE_CXX_COMPILER={cxx}")
    run(cmake, "--build", work)
    return run(work / "outside")


def with_pkg_config(cxx, source, prefix, work):
    (description,) = prefix.rglob("heed.pc")
    environment = dict(os.environ, PKG_CONFIG_PATH=str(description.parent))
    flags = run("pkg-config", "--cflags", "--libs", "--static", "heed", env=environment).split()
    work.mkdir()
    run(cxx, "-std=c++20", source / "examples/outside/main.cpp", "-o", work / "outside", *flags)
    libraries = dict(os.environ, LD_LIBRARY_PATH=str(description.parent.parent))
    return run(work / "outside", env=libraries)


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    source, build, cmake, cxx = pathlib.Path(sys.argv[1]), *sys.argv[2:]
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        prefix = work / "installed"
        run(cmake, "--install", build, "--prefix", prefix)
        check_files(source, prefix)
        for place in ["first", "moved"]:
            if place == "moved":
                prefix = pathlib.Path(shutil.move(prefix, work / "elsewhere"))
            (work / place).mkdir()
            ways = {"find_package": with_cmake(cmake, cxx, source, prefix, work / place / "cmake"),
                    "pkg-config": with_pkg_config(cxx, source, prefix, work / place / "pc")}
            for way, said in ways.items():
                expect(said == EXPECTED,
                       f"{way}, {place}: expected {EXPECTED!r}, the program said {said!r}")


if __name__ == "__main__":
    main()
