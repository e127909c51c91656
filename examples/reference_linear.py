"""What stands beside the network of heed's default text models, with numpy: TF-IDF with a linear
classifier, a linear-chain CRF. And the best tags of a sentence. docs/formats.md says the same in
words. For reference.py."""
import numpy as np

from reference_text import ngrams_of, word_features

log_sum = lambda x: x.max(0) + np.log(np.exp(x - x.max(0)).sum(0))


class Tfidf:
    """Words and pairs of neighbours, then n-grams: (1 + log count) · idf, each of the two of the same
    length, together of length 1; times a score each. Feature 0 is the bias."""

    def __init__(self, config, weights, read):
        self.config, self.weights = config["wide"], weights
        self.features = {feature: i for i, feature in enumerate(read("wide_words.txt") + read("wide_pairs.txt"))}
        has_ngrams = self.config["char_ngrams"]["entries"] > 0
        first = len(self.features)
        self.ngrams = {ngram: first + i for i, ngram in enumerate(read("wide_ngrams.txt") if has_ngrams else [])}

    def scores(self, tokens):
        pairs = [f"{a} {b}" for a, b in zip(tokens, tokens[1:])]
        spelled = [ngram for token in tokens for ngram in ngrams_of(token, self.config["char_ngrams"])]
        groups = [[self.features[f] for f in tokens + pairs if f in self.features],
                  [self.ngrams[f] for f in spelled if f in self.ngrams]]
        result = self.weights["wide.weight"][0]
        for ids, counts in (np.unique(group, return_counts=True) for group in groups if group):
            values = (1 + np.log(counts)) * self.weights["wide.idf"][ids]
            length = np.linalg.norm(values) * (np.sqrt(2) if self.ngrams else 1)
            result = result + values / length @ self.weights["wide.weight"][ids]
        return result


class LinearCrf:
    """The logarithms of a linear-chain CRF's probabilities of each tag, from features of the words."""

    def __init__(self, config, weights, read):
        self.weight = config["wide"]["weight"]
        self.features = {feature: i for i, feature in enumerate(read("wide_features.txt")) if i > 0}
        self.table, self.start, self.end, self.steps = (
            weights["wide." + name] for name in ("weight", "start", "end", "transitions"))

    def scores(self, sentence):
        scores = np.stack([self.table[[self.features[f] for f in row if f in self.features]].sum(0)
                           for row in word_features(sentence)]).astype(float)
        forward, backward = [self.start + scores[0]], [self.end]
        for row in scores[1:]: forward.append(row + log_sum(forward[-1][:, None] + self.steps))
        for row in scores[:0:-1]: backward.append(log_sum((self.steps + row + backward[-1]).T))
        both = np.stack(forward) + np.stack(backward[::-1])
        return self.weight * np.log(np.maximum(np.exp(both - log_sum(both.T)[:, None]), 1e-10))


def order_score(order, before, tag):
    """0 where a tag may stand behind another, otherwise so little that nothing makes up for it."""
    opened, goes_on = before[0] in "BI", tag[0] in "IEL"
    inside = opened and before[2:] == tag[2:]
    return 0 if order == "any" or (inside if goes_on else order == "iob2" or not opened) else -1e6


def best_tags(config, weights, scores):
    """The numbers of the tags that are likeliest together: Viterbi's algorithm."""
    names, order = config["output"]["names"], config["output"]["spans"]
    start = weights["output.crf.start"] + [order_score(order, "O", tag) for tag in names]
    end = weights["output.crf.end"] + [order_score(order, tag, "O") for tag in names]
    steps = weights["output.crf.transitions"] + [[order_score(order, a, b) for b in names] for a in names]
    best, back = scores[0] + start, []
    for row in scores[1:]:
        paths = best[:, None] + steps
        back.append(paths.argmax(0))
        best = paths.max(0) + row
    tags = [int((best + end).argmax())]
    for choice in reversed(back): tags.append(int(choice[tags[-1]]))
    return tags[::-1]
