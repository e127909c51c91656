"""What scripts that make tables of texts and labels have in common."""

import csv
import pathlib
import subprocess
import zlib


def installed(package, path):
    """The path, which belongs to one of Debian's packages; installs it with apt where it is missing."""
    if not path.exists():
        as_root = pathlib.Path(__file__).resolve().parent.parent / "as_root"
        subprocess.run([as_root, "apt-get", "install", "-qq", "-y", "--no-install-recommends", package],
                       check=True, stdout=subprocess.DEVNULL)
    return path


def part_of(text, count):
    """Which of so many parts a text is in, by a hash: the same on every machine."""
    return zlib.crc32(text.encode("utf-8")) % count


def write_tables(folder, tables):
    """FOLDER/NAME.csv with the columns text and label, for each name with its rows."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, rows in tables.items():
        with open(folder / f"{name}.csv", "w", newline="", encoding="utf-8") as lines:
            writer = csv.writer(lines)
            writer.writerow(["text", "label"])
            writer.writerows(rows)
