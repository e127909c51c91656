#!/usr/bin/env python3
"""The shape of the tree: who includes whom, where outside libraries are used, how long files are.

    structure_test.py ROOT         checks a tree
    structure_test.py --self-test  checks that bad trees are found out
"""

import pathlib
import re
import sys
import tempfile

# A folder of heed/ includes only itself and the folders before it.
ORDER = ["base", "tensor", "kernel", "grad", "nn", "decode", "data", "eval", "model", "train",
         "explain", "serve"]

# Headers of outside libraries, and the only folders (below the root) that may include them.
OUTSIDE = {
    re.compile(r"^(dnnl|oneapi/dnnl)"): ["heed/kernel"],
    re.compile(r"^libxsmm"): ["heed/kernel"],
    re.compile(r"^hwy/"): ["heed/kernel"],
    re.compile(r"^omp\.h$"): ["heed/kernel", "heed/base"],
    re.compile(r"^zlib\.h$"): ["heed/data", "tests"],
    re.compile(r"^utf8proc\.h$"): ["heed/data/text"],
    re.compile(r"^sentencepiece"): ["heed/data/text"],
    re.compile(r"^linear\.h$"): ["tests/model"],
    re.compile(r"^(sndfile|soxr|kissfft/|kiss_fft)"): ["heed/data/audio", "tests"],
    re.compile(r"^(png|jpeglib|jerror)\.h$"): ["heed/data/image", "tests"],
    re.compile(r"^nlohmann/"): ["heed/base", "heed/data/text", "cli", "tests"],
    re.compile(r"^CLI/"): ["cli"],
    re.compile(r"^(gtest|gmock)/"): ["tests"],
}

# The axes of a model, and what stands beside them: each a folder of heed/model that knows nothing of
# the others, nor of the config that joins them.
AXES = ["input", "body", "output", "wide"]
OPTIONS = re.compile(r"^(?:struct|class) (\w*Options)\b", re.MULTILINE)

LONGEST = 500
SOURCES = {".h", ".cpp"}
SCANNED = ["heed", "cli", "tests", "examples", "bench", "fuzz", "script"]
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)


def is_below(path, folder):
    return path == folder or path.startswith(folder + "/")


def layer(path):
    """The place of a path such as heed/nn/linear.h in ORDER; None outside heed/."""
    parts = path.split("/")
    if parts[0] != "heed" or len(parts) < 3:
        return None
    return ORDER.index(parts[1]) if parts[1] in ORDER else -1


def problems_of_file(path, text, has_header=False):
    """What is wrong with one file, as a list of sentences. `path` is relative to the root;
    `has_header`: whether a .h of the same name is beside it."""
    found = []
    lines = text.count("\n")
    if lines > LONGEST:
        found.append(f"{path}: {lines} lines, expected at most {LONGEST}; divide it")
    if not path.endswith((".h", ".cpp")):
        return found

    own = layer(path)
    if own == -1:
        found.append(f"{path}: heed/{path.split('/')[1]} is not in the order of folders; "
                     "put it there, in tests/structure_test.py and in ARCHITECTURE.md")
        return found
    if path.endswith(".h") and not path.endswith("-inl.h"):
        if not text.startswith("#pragma once\n"):
            found.append(f"{path}:1: expected #pragma once as the first line")

    if path.startswith("heed/") and path.endswith(".cpp") and has_header:
        first = INCLUDE.search(text)
        if first is None or first.group(1) != path.removesuffix("cpp") + "h":
            found.append(f"{path}: expected its own header as the first include, which proves that "
                         "it compiles alone")

    for match in INCLUDE.finditer(text):
        included = match.group(1)
        place = f"{path}:{text.count(chr(10), 0, match.start(1)) + 1}"
        other = layer(included)
        if other == -1:
            found.append(f"{place}: {included} is in no folder that heed has")
        elif own is not None and other is not None and other > own:
            found.append(f"{place}: heed/{ORDER[own]} may not include {included}; "
                         f"{ORDER[other]} comes after it")
        if path.startswith("heed/") and included.startswith(("cli/", "tests/", "examples/")):
            found.append(f"{place}: the library may not include {included}")
        if included.startswith("../") or "/../" in included:
            found.append(f"{place}: write the path from the root, not {included}")
        if included.startswith("heed/") and included.endswith("-inl.h"):
            if not is_below(path, "heed/kernel"):
                found.append(f"{place}: {included} belongs to the kernels alone")
        for pattern, folders in OUTSIDE.items():
            if pattern.match(included) and not any(is_below(path, f) for f in folders):
                found.append(f"{place}: {included} may be included only below "
                             + " and ".join(folders))
    return found


def axis(path):
    """The axis of a path such as heed/model/body/bag.h; None elsewhere."""
    parts = path.split("/")
    return parts[2] if parts[:2] == ["heed", "model"] and len(parts) > 3 else None


def problems_of_axes(texts):
    """`texts` are all files by path. What an axis includes, and the options that it names."""
    found = []
    owners = {name: axis(path) for path, text in texts.items() if axis(path) in AXES
              for name in OPTIONS.findall(text)}
    for path, text in texts.items():
        own = axis(path)
        if own not in AXES:
            continue
        for included in INCLUDE.findall(text):
            if axis(included) not in (None, own) or included in ("heed/model/config.h",
                                                                 "heed/model/model.h"):
                found.append(f"{path}: the axis {own} may not include {included}; it knows its "
                             "own options alone")
        for name, owner in owners.items():
            if owner != own and re.search(rf"\b{name}\b", text):
                found.append(f"{path}: names {name}, the options of another axis ({owner})")
    return found


def problems(root):
    found, files, texts = [], 0, {}
    for folder in SCANNED:
        for path in sorted((root / folder).rglob("*")):
            script = folder == "script" or path.suffix == ".py"
            if not path.is_file() or not (path.suffix in SOURCES or script):
                continue
            if "__pycache__" in path.parts:
                continue
            files += 1
            name, text = path.relative_to(root).as_posix(), path.read_text(encoding="utf-8")
            texts[name] = text
            found += problems_of_file(name, text, path.with_suffix(".h").exists())
    found += problems_of_axes(texts)
    if files == 0:
        found.append(f"{root}: no source files; is this the root of the tree?")
    return found


# Each a tree with one mistake, and a part of the sentence that it must be told.
BAD_TREES = [
    ({"heed/base/a.h": '#pragma once\n#include "heed/tensor/shape.h"\n'},
     "heed/base/a.h:2: heed/base may not include heed/tensor/shape.h"),
    ({"heed/kernel/a.cpp": '#include <vector>\n\n#include "heed/grad/tape.h"\n'},
     "heed/kernel/a.cpp:3: heed/kernel may not include heed/grad/tape.h"),
    ({"heed/nn/a.cpp": '#  include <heed/train/optimizer.h>\n'}, "may not include heed/train"),
    ({"heed/nn/a.cpp": '#include "cli/verb.h"\n'}, "the library may not include cli/verb.h"),
    ({"heed/nn/a.cpp": '#include "../grad/tape.h"\n'}, "write the path from the root"),
    ({"heed/grad/a.cpp": '#include "heed/kernel/dropout-inl.h"\n'}, "belongs to the kernels alone"),
    ({"heed/grad/a.cpp": "#include <dnnl.h>\n"}, "dnnl.h may be included only below heed/kernel"),
    ({"cli/a.cpp": "#include <libxsmm.h>\n"}, "libxsmm.h may be included only below heed/kernel"),
    ({"tests/a.cpp": '#include "hwy/highway.h"\n'}, "may be included only below heed/kernel"),
    ({"heed/nn/a.cpp": "#include <CLI/CLI.hpp>\n"}, "may be included only below cli"),
    ({"heed/cloud/a.cpp": "int a;\n"}, "heed/cloud is not in the order of folders"),
    ({"heed/nn/a.cpp": '#include "heed/cloud/a.h"\n'}, "is in no folder that heed has"),
    ({"heed/nn/a.h": "// What it is.\n#pragma once\n"}, "expected #pragma once"),
    ({"tests/support/a.h": "int a;\n"}, "expected #pragma once"),
    ({"heed/nn/a.h": "#pragma once\n", "heed/nn/a.cpp": '#include <map>\n#include "heed/nn/a.h"\n'},
     "heed/nn/a.cpp: expected its own header as the first include"),
    ({"heed/nn/a.h": "#pragma once\n", "heed/nn/a.cpp": "int a;\n"},
     "heed/nn/a.cpp: expected its own header as the first include"),
    ({"heed/nn/a.cpp": "\n" * (LONGEST + 1)}, f"501 lines, expected at most {LONGEST}"),
    ({"bench/a.py": "\n" * (LONGEST + 1)}, f"501 lines, expected at most {LONGEST}"),
    ({"heed/model/body/a.cpp": '#include "heed/model/input/text.h"\n'},
     "the axis body may not include heed/model/input/text.h"),
    ({"heed/model/output/a.cpp": '#include "heed/model/config.h"\n'},
     "may not include heed/model/config.h"),
    ({"heed/model/input/a.h": "#pragma once\nstruct TextOptions {\n};\n",
      "heed/model/wide/b.cpp": "TextOptions options;\n"},
     "heed/model/wide/b.cpp: names TextOptions, the options of another axis (input)"),
    ({}, "no source files"),
]

GOOD_TREE = {
    "heed/kernel/a.cpp": '#include <dnnl.h>\n#include "heed/base/error.h"\n'
                         '#include "heed/tensor/arena.h"\n#include "hwy/highway.h"\n'
                         '#include "heed/kernel/dropout-inl.h"\n',
    "heed/kernel/a-inl.h": "// Included once for each instruction set.\n",
    "heed/nn/a.h": '#pragma once\n\n#include "heed/grad/tape.h"\n' + "\n" * (LONGEST - 3),
    "heed/nn/a.cpp": '#include "heed/nn/a.h"\n\n#include <map>\n',
    "cli/a.cpp": '#include <CLI/CLI.hpp>\n#include "heed/nn/a.h"\n',
    "tests/nn/a.cpp": '#include <gtest/gtest.h>\n#include "heed/kernel/rows.h"\n',
}


def problems_of_tree(files):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return problems(root)


def self_test():
    failures = []
    for files, expected in BAD_TREES:
        found = problems_of_tree(files)
        if len(found) != 1 or expected not in found[0]:
            failures.append(f"{files!r:.120}: expected one problem, {expected!r}, got {found}")
    if found := problems_of_tree(GOOD_TREE):
        failures.append(f"the good tree: expected no problem, got {found}")
    return failures


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    found = self_test() if sys.argv[1] == "--self-test" else problems(pathlib.Path(sys.argv[1]))
    for sentence in found:
        print(sentence)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
