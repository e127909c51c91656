#!/usr/bin/env python3
"""What heed says about itself: help, the manual page, shell completion, heed describe.

    help_test.py PROGRAM
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HEED = ""


def run(*arguments, code=0):
    result = subprocess.run([HEED, *arguments], capture_output=True, text=True)
    if result.returncode != code:
        raise AssertionError(f"heed {' '.join(arguments)} ended with {result.returncode}, expected "
                             f"{code}\n{result.stdout}{result.stderr}")
    return result.stdout if code == 0 else result.stderr


def commands(path=()):
    """Every command that help shows, as tuples of words, heed itself first."""
    found = [path]
    listed = re.search(r"^Commands:\n((?:  .*\n)+)", run(*path, "--help"), re.MULTILINE)
    for line in listed.group(1).splitlines() if listed else []:
        if not line.startswith("   "):
            found += commands((*path, line.split()[0]))
    return found


def flags(path):
    return set(re.findall(r"^  (?:-\w, )?(--[\w-]+)", run(*path, "--help"), re.MULTILINE))


def complete(script, line):
    """What bash offers at the end of a line."""
    words = line.split(" ")
    quoted = " ".join(f"'{word}'" for word in words)
    program = (f"source '{script}'; COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _heed; "
               "printf '%s\\n' \"${COMPREPLY[@]}\"")
    result = subprocess.run(["bash", "-c", program], capture_output=True, text=True, check=True)
    return set(result.stdout.split())


class Help(unittest.TestCase):
    def test_there_are_the_known_commands(self):
        known = set(commands())
        for path in [("train", "classify"), ("train", "tag"), ("evaluate",), ("predict",),
                     ("describe",), ("compare", "classify"), ("compare", "tag"), ("bench",)]:
            self.assertIn(path, known)

    def test_help_fits_a_terminal(self):
        for path in commands():
            for line in run(*path, "--help").splitlines():
                self.assertLessEqual(len(line), 80, f"heed {' '.join(path)} --help: {line}")

    def test_every_option_is_explained(self):
        for path in commands():
            for line in re.findall(r"^  \S.*\n(?!    )", run(*path, "--help"), re.MULTILINE):
                self.assertRegex(line, r"^  \S.*  \S|^  heed |^  echo ", path)

    def test_numbers_are_called_so(self):
        text = run("train", "classify", "--help")
        for flag in ["--width N", "--heads N", "--epochs N", "--smoothing X", "--rate X"]:
            self.assertIn(f"  {flag} ", text)

    def test_only_what_can_be_read_is_offered(self):
        self.assertIn("lines", re.search(r"--format (\S+)", run("predict", "--help")).group(1))
        self.assertNotIn("lines", re.search(r"--format (\S+)", run("evaluate", "--help")).group(1))

    def test_a_wrong_command_names_the_nearest(self):
        self.assertIn("did you mean train?", run("trian", code=2))
        self.assertIn("did you mean classify?", run("train", "clasify", "x", code=2))
        self.assertIn("only classify, label, tag", run("train", "reviews.csv", code=2))
        self.assertIn("only check, train, evaluate, predict", run("xyzzy", code=2))


class Manual(unittest.TestCase):
    def test_it_has_every_command_and_option(self):
        page = run("man").replace("\\-", "-")
        for path in commands():
            self.assertIn(" ".join(("heed", *path)), page)
            for flag in flags(path) - {"--version"}:
                self.assertIn(f"\\fB{flag}\\fR", page)

    @unittest.skipUnless(shutil.which("groff"), "needs groff")
    def test_it_renders_without_warnings(self):
        result = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-P-cbou"],
                                input=run("man"), capture_output=True, text=True)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("\n       heed train classify DATA... -o FOLDER [OPTIONS]\n", result.stdout)
        self.assertIn("\n       --svg FILE\n", result.stdout)


class Completion(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.script = pathlib.Path(self.folder.name) / "heed"
        self.script.write_text(run("completion", "bash"), encoding="utf-8")

    def tearDown(self):
        self.folder.cleanup()

    def test_bash_reads_it(self):
        subprocess.run(["bash", "-n", self.script], check=True)

    def test_every_command_and_option_is_offered(self):
        for path in commands():
            line = " ".join(("heed", *path))
            self.assertEqual(complete(self.script, line + " -") - {"-h", "-o"}, flags(path), line)
            inner = {other[-1] for other in commands(path) if len(other) == len(path) + 1}
            if inner:
                self.assertEqual(complete(self.script, line + " "), inner)

    def test_what_can_be_chosen_is_offered(self):
        self.assertEqual(complete(self.script, "heed train classify a.csv --body "),
                         set(re.search(r"--body (\S+)", run("train", "classify", "--help"))
                             .group(1).split("|")))
        self.assertEqual(complete(self.script, "heed train classify --preset t"),
                         {"tiny", "tutorial-speaker"})
        self.assertIn("small", complete(self.script, "heed bench "))

    def test_files_are_left_to_the_shell(self):
        for line in ["heed predict ", "heed train tag --dev ", "heed describe x --svg "]:
            self.assertEqual(complete(self.script, line), set(), line)

    def test_zsh_has_a_function_for_every_command(self):
        script = run("completion", "zsh")
        self.assertTrue(script.startswith("#compdef heed\n"))
        for path in commands():
            self.assertIn("_".join(("_heed", *path)) + "() {", script)
        if shutil.which("zsh"):
            subprocess.run(["zsh", "-n"], input=script, text=True, check=True)


class Describe(unittest.TestCase):
    def describe(self, text, *arguments, code=0):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "config.json")
            pathlib.Path(path).write_text(text, encoding="utf-8")
            return run("describe", path, *[a.replace("@", folder) for a in arguments], code=code)

    def test_the_table_ends_with_the_sums(self):
        table = self.describe('{"width": 64}', "--length", "50")
        self.assertRegex(table, r"(?m)^words +\(50\) +\(50, 64\) ")
        description = json.loads(self.describe('{"width": 64}', "--length", "50", "--json"))
        self.assertEqual(description["length"], 50)
        self.assertEqual(sum(step["parameters"] for step in description["steps"]),
                         description["parameters"])
        self.assertIn(f"{description['parameters']:,} parameters", table)

    def test_it_draws_a_picture(self):
        with tempfile.TemporaryDirectory() as folder:
            picture = pathlib.Path(folder) / "model.svg"
            self.describe("{}", "--svg", str(picture))
            self.assertTrue(picture.read_text(encoding="utf-8").startswith("<svg "))

    def test_what_is_wrong_is_said(self):
        self.assertIn("did you mean", self.describe('{"widht": 64}', code=1))
        self.assertIn("reads from 1 to 512", self.describe("{}", "--length", "9999", code=2))
        self.assertIn("no such file", run("describe", "nowhere.heed", code=1))
        with tempfile.TemporaryDirectory() as folder:
            self.assertIn("is not a model", run("describe", folder, code=1))


if __name__ == "__main__":
    HEED = sys.argv.pop(1)
    unittest.main()
