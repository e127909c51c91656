#!/usr/bin/env python3
"""TF-IDF and a linear support vector machine, what heed's results on texts are compared with.

    svm.py TRAIN TEST [--words N] [--stop-words] [--min-texts N]

TRAIN and TEST are CSV files with a column label or section, and text or description, or folders with a
folder of Latin-1 files for each class. Prints the accuracy in percent. Of CSV files with the columns
text and labels, several with | between them, it prints the micro F1 of one machine for each label.
Needs scikit-learn, which `script/setup --bench` installs into build/peers.
"""

import argparse
import csv
import pathlib

from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import f1_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import MultiLabelBinarizer
from sklearn.svm import LinearSVC


def read(path):
    """Texts and their labels; of several each is a list."""
    path = pathlib.Path(path)
    if path.is_dir():
        files = sorted(file for file in path.glob("*/*") if file.is_file())
        return ([file.read_text("latin-1") for file in files],
                [file.parent.name for file in files])
    with open(path, encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    [text] = {"text", "description"} & rows[0].keys()
    [label] = {"label", "labels", "section"} & rows[0].keys()
    labels = [row[label] for row in rows]
    return [row[text] for row in rows], [all.split("|") for all in labels] if label == "labels" else labels


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("train")
    parser.add_argument("test")
    parser.add_argument("--words", type=int, default=1, help="up to so many neighbours together")
    parser.add_argument("--stop-words", action="store_true", help="leave out common English words")
    parser.add_argument("--min-texts", type=int, default=1, help="of a word that counts")
    options = parser.parse_args()
    texts, labels = read(options.train)
    vectorizer = TfidfVectorizer(sublinear_tf=True, ngram_range=(1, options.words),
                                 stop_words="english" if options.stop_words else None,
                                 min_df=options.min_texts)
    features = vectorizer.fit_transform(texts)
    test_texts, test_labels = read(options.test)
    if isinstance(labels[0], list):
        names = MultiLabelBinarizer().fit(labels)
        model = OneVsRestClassifier(LinearSVC(C=1.0)).fit(features, names.transform(labels))
        found = model.predict(vectorizer.transform(test_texts))
        print(f"{100.0 * f1_score(names.transform(test_labels), found, average='micro'):.2f}")
        return
    model = LinearSVC(C=1.0).fit(features, labels)
    texts, labels = test_texts, test_labels
    print(f"{100.0 * model.score(vectorizer.transform(texts), labels):.2f}")


if __name__ == "__main__":
    main()
