#!/usr/bin/env python3
"""heed's translation model in PyTorch, with a key-value cache: tokens that it writes in a second.

    pytorch_decode.py MODEL WRITTEN --beam N --threads N --batch N [--seconds S]

MODEL is a model's folder, WRITTEN what `heed bench decode --written` kept: the sources as tokens,
and what heed wrote. One line of JSON; only the writing is timed, from tokens to tokens.

Sources of similar length are decoded together and padded. Keys and values are kept in tensors that
are made once for a batch, those of the source are projected once and shared by the hypotheses of a
beam, and sentences that are done leave the batch. A beam is searched as heed does.
"""

import math

import torch
from torch.nn import functional

from decoding import arguments, read_sources, report, timed
from heed_model import HeedModel, sinusoids


class Network:
    def __init__(self, model):
        self.model = model
        self.w = {name: torch.from_numpy(value.copy()) for name, value in model.weights.items()}
        self.positions = torch.from_numpy(sinusoids(1024, model.width))
        for name in [f"body.layers.{i}.attention" for i in range(model.layers)] + \
                    [f"output.decoder.layers.{i}.attention" for i in range(model.decoder_layers)]:
            self.stack(name, "q", "k", "v")
        for i in range(model.decoder_layers):
            self.stack(f"output.decoder.layers.{i}.cross_attention", "k", "v")

    def stack(self, name, *parts):
        """Several linear layers of one input as one product."""
        for kind in ("weight", "bias"):
            self.w[f"{name}.{''.join(parts)}.{kind}"] = torch.cat(
                [self.w[f"{name}.{part}.{kind}"] for part in parts])

    def linear(self, x, name):
        return functional.linear(x, self.w[name + ".weight"], self.w[name + ".bias"])

    def norm(self, x, name):
        return functional.layer_norm(x, x.shape[-1:], self.w[name + ".weight"],
                                     self.w[name + ".bias"], 1e-5)

    def residual(self, x, norm, branch):
        if self.model.pre_norm:
            return x + branch(self.norm(x, norm))
        return self.norm(x + branch(x), norm)

    def feed_forward(self, x, name):
        return self.linear(functional.relu(self.linear(x, name + ".in")), name + ".out")

    def encode(self, ids, padding):
        """ids (sentences, length) → (sentences, length, width); padding is true past the end."""
        heads = self.model.heads
        x = functional.embedding(ids, self.w["input.words.weight"]) + self.positions[:ids.shape[1]]
        mask = None if padding is None else ~padding[:, None, None, :]

        def attention(y, name):
            q, k, v = (part.unflatten(2, (heads, -1)).transpose(1, 2)
                       for part in self.linear(y, name + ".qkv").chunk(3, 2))
            y = functional.scaled_dot_product_attention(q, k, v, mask)
            return self.linear(y.transpose(1, 2).flatten(2), name + ".out")

        for i in range(self.model.layers):
            name = f"body.layers.{i}"
            x = self.residual(x, name + ".norm1", lambda y: attention(y, name + ".attention"))
            x = self.residual(x, name + ".norm2",
                              lambda y: self.feed_forward(y, name + ".feed_forward"))
        return self.norm(x, "body.norm") if self.model.pre_norm else x


class Steps:
    """The decoder for one batch, a token of each hypothesis at a time. Rows are sentences × beam."""

    def __init__(self, network, ids, padding, beam, longest):
        self.network, self.beam, self.length = network, beam, 0
        self.mask = None if padding is None else ~padding[:, None, None, :]
        heads = network.model.decoder_heads
        memory = network.encode(ids, padding)
        rows, depth = len(ids) * beam, network.model.width // heads
        self.own, self.cross = [], []
        for i in range(network.model.decoder_layers):
            self.own.append([torch.empty(rows, heads, longest + 1, depth) for _ in range(2)])
            both = network.linear(memory, f"output.decoder.layers.{i}.cross_attention.kv")
            self.cross.append([part.unflatten(2, (heads, -1)).transpose(1, 2).contiguous()
                               for part in both.chunk(2, 2)])

    def keep(self, rows, sentences=None):
        """Rows in a new order; `sentences` where some have left."""
        for pair in self.own:
            for i in range(2):
                if sentences is None:
                    pair[i][:, :, :self.length] = pair[i][rows, :, :self.length]
                else:
                    pair[i] = pair[i][rows]
        if sentences is not None:
            self.cross = [[part[sentences] for part in pair] for pair in self.cross]
            self.mask = None if self.mask is None else self.mask[sentences]

    def next(self, tokens):
        """tokens (rows) → logits (rows, entries + 1)"""
        network, model = self.network, self.network.model
        heads, at = model.decoder_heads, self.length
        self.length += 1
        table = network.w["output.words.weight"]
        x = functional.embedding(tokens, table) * math.sqrt(model.width) + network.positions[at]

        def own(y, name, pair):
            q, k, v = (part.unflatten(1, (heads, 1, -1))
                       for part in network.linear(y, name + ".qkv").chunk(3, 1))
            pair[0][:, :, at], pair[1][:, :, at] = k[:, :, 0], v[:, :, 0]
            keys, values = pair[0][:, :, :at + 1], pair[1][:, :, :at + 1]
            y = functional.scaled_dot_product_attention(q, keys, values)
            return network.linear(y.flatten(1), name + ".out")

        def cross(y, name, pair):
            # The hypotheses of a sentence are so many queries of one memory.
            q = network.linear(y, name + ".q").unflatten(0, (-1, self.beam))
            q = q.unflatten(2, (heads, -1)).transpose(1, 2)
            y = functional.scaled_dot_product_attention(q, *pair, self.mask)
            return network.linear(y.transpose(1, 2).flatten(2).flatten(0, 1), name + ".out")

        for i in range(model.decoder_layers):
            name = f"output.decoder.layers.{i}"
            x = network.residual(x, name + ".norm1",
                                 lambda y: own(y, name + ".attention", self.own[i]))
            x = network.residual(x, name + ".norm2",
                                 lambda y: cross(y, name + ".cross_attention", self.cross[i]))
            x = network.residual(x, name + ".norm3",
                                 lambda y: network.feed_forward(y, name + ".feed_forward"))
        if model.pre_norm:
            x = network.norm(x, "output.decoder.norm")
        return functional.linear(x, table)


def greedy(network, ids, padding, longest):
    end, count = network.model.end, len(ids)
    written, numbers = [[] for _ in range(count)], list(range(count))
    steps = Steps(network, ids, padding, 1, max(longest))
    tokens = torch.full((count,), end)
    while numbers:
        logits = steps.next(tokens)
        logits[:, 0] = -math.inf
        tokens = logits.argmax(1)
        staying = []
        for row, (number, token) in enumerate(zip(numbers, tokens.tolist())):
            if token != end:
                written[number].append(token)
                if len(written[number]) < longest[number]:
                    staying.append(row)
        if len(staying) < len(numbers):
            numbers = [numbers[row] for row in staying]
            rows = torch.tensor(staying, dtype=torch.long)
            steps.keep(rows, rows)
            tokens = tokens[rows]
    return written


def beam_search(network, ids, padding, longest, beam):
    """As heed's decode/beam.h says it."""
    model, count = network.model, len(ids)
    end, penalty = model.end, model.search["length_penalty"]
    steps = Steps(network, ids, padding, beam, max(longest))
    numbers = list(range(count))
    results = [None] * count
    finished = [[] for _ in range(count)]  # (score, tokens), best first
    followed = [[[] for _ in range(beam)] for _ in range(count)]
    scores = torch.full((count, beam), -math.inf)
    scores[:, 0] = 0.0  # one beginning
    tokens = torch.full((count * beam,), end)
    length = 0
    while numbers:
        length += 1
        log_p = functional.log_softmax(steps.next(tokens), 1)
        log_p[:, 0] = -math.inf
        # The best of each hypothesis, then of all: much faster than to search all at once.
        part, which = log_p.topk(2 * beam, 1)
        part = (part.view(-1, beam, 2 * beam) + scores[:, :, None]).flatten(1)
        values, places = part.topk(2 * beam, 1)
        chosen = which.view(-1, beam * 2 * beam).gather(1, places)
        origins = places // (2 * beam)
        staying, rows, last, kept = [], [], [], []
        for i, (number, value, token, origin) in enumerate(zip(
                numbers, values.tolist(), chosen.tolist(), origins.tolist())):
            done, now = finished[number], followed[number]
            texts, taken = [], []
            for place in range(2 * beam):
                if len(texts) == beam:
                    break
                if token[place] == end:
                    if place < beam:
                        done.append((value[place] / length ** penalty, now[origin[place]]))
                        done.sort(key=lambda one: -one[0])
                        del done[beam:]
                else:
                    texts.append(now[origin[place]] + [token[place]])
                    taken.append(place)
            best = value[taken[0]] / length ** penalty
            if len(done) == beam and done[-1][0] >= best or length >= longest[number]:
                if not (len(done) == beam and done[-1][0] >= best):
                    done += [(value[p] / length ** penalty, text) for p, text in zip(taken, texts)]
                results[number] = max(done, key=lambda one: one[0])[1]
                continue
            followed[number] = texts
            staying.append(i)
            rows += [i * beam + origin[p] for p in taken]
            last += [token[p] for p in taken]
            kept.append([value[p] for p in taken])
        left = len(staying) < len(numbers)
        numbers = [numbers[i] for i in staying]
        if not numbers:
            break
        steps.keep(torch.tensor(rows), torch.tensor(staying) if left else None)
        tokens, scores = torch.tensor(last), torch.tensor(kept)
    return results


def batches(sources, size):
    """Numbers of sources of similar length, the longest first."""
    order = sorted(range(len(sources)), key=lambda i: -len(sources[i]))
    return [order[i:i + size] for i in range(0, len(order), size)]


def padded(sources):
    longest = max(map(len, sources))
    ids = torch.tensor([source + [0] * (longest - len(source)) for source in sources])
    padding = torch.arange(longest)[None] >= torch.tensor([len(s) for s in sources])[:, None]
    return ids, padding if padding.any() else None


def main():
    options = arguments(__doc__.splitlines()[0])
    torch.set_num_threads(options.threads)
    torch.set_num_interop_threads(1)
    network = Network(HeedModel(options.model))
    sources, ours = read_sources(options.written)

    def run():
        written = [None] * len(sources)
        with torch.inference_mode():
            for group in batches(sources, options.batch):
                ids, padding = padded([sources[i] for i in group])
                longest = [network.model.longest(len(sources[i])) for i in group]
                if options.beam == 1:
                    found = greedy(network, ids, padding, longest)
                else:
                    found = beam_search(network, ids, padding, longest, options.beam)
                for i, text in zip(group, found):
                    written[i] = text
        return written

    best, written = timed(run, options.seconds)
    report("PyTorch " + torch.__version__, options, best, ours, written)


if __name__ == "__main__":
    main()
