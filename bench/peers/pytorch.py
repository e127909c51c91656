#!/usr/bin/env python3
"""The workloads that heed is measured on, as plain PyTorch: one line of JSON for each measurement.

    pytorch.py [WORKLOAD…] [--mode train|infer] [--threads N] [--variant eager|compiled]

A training step zeroes gradients, runs forward and backward with dropout 0.1 and takes one step of
AdamW; inference is a forward pass without dropout. All in f32. FLOPs are those of the model's
matrix products on real tokens: what is computed on padding does not count.

Ragged batches are padded, with a padding mask, in PyTorch's favour: sorted by length and dealt into
groups that are each padded to their own longest. Several numbers of groups are tried and the
fastest is reported; a training step adds up the groups' gradients, so it is the same step.
"""

import argparse
import json
import pathlib
import re
import sys
import time
import warnings

import torch
from torch import nn

BENCH = pathlib.Path(__file__).resolve().parent.parent
DROPOUT = 0.1


def numbers(name):
    """The numbers of each line in one of the files that bench/lengths.py wrote."""
    return [tuple(map(int, re.findall("[0-9]+", line)))
            for line in (BENCH / name).read_text().splitlines()]


def encoder(width, heads, hidden, layers, pre_norm=False):
    layer = nn.TransformerEncoderLayer(width, heads, hidden, DROPOUT, batch_first=True,
                                       norm_first=pre_norm)
    # Nested tensors drop padding, in inference and post-norm order only.
    return nn.TransformerEncoder(layer, layers, norm=nn.LayerNorm(width) if pre_norm else None,
                                 enable_nested_tensor=not pre_norm)


def mean(x, padding):
    if padding is None:
        return x.mean(1)
    kept = (~padding).unsqueeze(2)
    return (x * kept).sum(1) / kept.sum(1)


class Text(nn.Module):
    """ids (posts, length) → logits (posts, 20)"""

    def __init__(self, width, heads, hidden):
        super().__init__()
        self.embedding = nn.Embedding(20000, width)
        self.encoder = encoder(width, heads, hidden, 2)
        self.output = nn.Linear(width, 20)

    def forward(self, ids, padding=None):
        x = self.encoder(self.embedding(ids), src_key_padding_mask=padding)
        return self.output(mean(x, padding))


class Speaker(nn.Module):
    """frames (segments, 128, 40) → logits (segments, 600)"""

    def __init__(self):
        super().__init__()
        self.prenet = nn.Linear(40, 80)
        self.encoder = encoder(80, 2, 256, 1)
        self.output = nn.Sequential(nn.Linear(80, 80), nn.Sigmoid(), nn.Linear(80, 600))

    def forward(self, frames):
        return self.output(self.encoder(self.prenet(frames)).mean(1))


class Image(nn.Module):
    """patches (images, 49, 16) → logits (images, 10)"""

    def __init__(self):
        super().__init__()
        self.patches = nn.Linear(16, 64)
        self.positions = nn.Parameter(0.02 * torch.randn(49, 64))
        self.encoder = encoder(64, 4, 256, 6, pre_norm=True)
        self.output = nn.Linear(64, 10)

    def forward(self, patches):
        return self.output(self.encoder(self.patches(patches) + self.positions).mean(1))


class Translate(nn.Module):
    """source (pairs, length), target (pairs, length) → logits (pairs, length, 8000)"""

    def __init__(self, width=256, vocabulary=8000, longest=256):
        super().__init__()
        self.source = nn.Embedding(vocabulary, width)
        self.target = nn.Embedding(vocabulary, width)
        angles = torch.arange(longest)[:, None] / 10000 ** (torch.arange(0, width, 2) / width)
        positions = torch.stack([angles.sin(), angles.cos()], 2).flatten(1)
        self.register_buffer("positions", positions)
        self.encoder = encoder(width, 8, 512, 3)
        layer = nn.TransformerDecoderLayer(width, 8, 512, DROPOUT, batch_first=True)
        self.decoder = nn.TransformerDecoder(layer, 3)
        self.output = nn.Linear(width, vocabulary)

    def forward(self, source, target, source_padding, target_padding):
        memory = self.encoder(self.source(source) + self.positions[:source.shape[1]],
                              src_key_padding_mask=source_padding)
        length = target.shape[1]
        future = torch.ones(length, length, dtype=torch.bool).triu(1)
        x = self.decoder(self.target(target) + self.positions[:length], memory, tgt_mask=future,
                         tgt_is_causal=True, tgt_key_padding_mask=target_padding,
                         memory_key_padding_mask=source_padding)
        return self.output(x)


# FLOPs of forward passes: 2·m·n·k for each matrix product, both of attention's included.
def attention_flops(queries, keys, width):
    return 2 * 2 * (queries + keys) * width * width + 2 * 2 * queries * keys * width


def layer_flops(length, width, hidden):
    return attention_flops(length, length, width) + 2 * 2 * length * width * hidden


def text_flops(lengths, width, hidden):
    return sum(2 * layer_flops(n, width, hidden) + 2 * width * 20 for n in lengths)


def translate_flops(pairs):
    return sum(3 * layer_flops(s, 256, 512) +
               3 * (layer_flops(t, 256, 512) + attention_flops(t, s, 256)) + 2 * t * 256 * 8000
               for s, t in pairs)


def padded(lengths, vocabulary):
    """ids (sequences, longest) and padding, true past the end; no padding where all are alike."""
    longest = max(lengths)
    ids = torch.randint(vocabulary, (len(lengths), longest))
    if min(lengths) == longest:
        return ids, None
    return ids, torch.arange(longest)[None, :] >= torch.tensor(lengths)[:, None]


class Workload:
    """A model, its batches (lists of groups; a group is inputs and answers) and their size."""

    def __init__(self, model, batches, tokens, flops):
        self.model, self.batches, self.tokens, self.flops = model, batches, tokens, flops


def text(lengths, width, heads, hidden, groupings=(1,)):
    def batch(groups):
        ordered, size = sorted(lengths), len(lengths) // groups
        return [(padded(ordered[i:i + size], 20000), torch.randint(20, (size,)))
                for i in range(0, len(ordered), size)]

    return Workload(Text(width, heads, hidden), [batch(groups) for groups in groupings],
                    sum(lengths), text_flops(lengths, width, hidden))


def translate():
    pairs = sorted(numbers("translate_lengths.txt"))

    def group(part):
        source, source_padding = padded([s for s, _ in part], 8000)
        target, target_padding = padded([t for _, t in part], 8000)
        answers = torch.randint(8000, target.shape)
        if target_padding is not None:
            answers[target_padding] = -100  # what cross_entropy leaves out
        return (source, target, source_padding, target_padding), answers

    def batch(groups):
        size = len(pairs) // groups
        return [group(pairs[i:i + size]) for i in range(0, len(pairs), size)]

    return Workload(Translate(), [batch(groups) for groups in (2, 4, 8)],
                    sum(s + t for s, t in pairs), translate_flops(pairs))


def speaker():
    flops = 32 * (2 * 128 * 40 * 80 + layer_flops(128, 80, 256) + 2 * 80 * 80 + 2 * 80 * 600)
    batch = [((torch.randn(32, 128, 40),), torch.randint(600, (32,)))]
    return Workload(Speaker(), [batch], 32 * 128, flops)


def image():
    flops = 128 * (2 * 49 * 16 * 64 + 6 * layer_flops(49, 64, 256) + 2 * 64 * 10)
    batch = [((torch.randn(128, 49, 16),), torch.randint(10, (128,)))]
    return Workload(Image(), [batch], 128 * 49, flops)


WORKLOADS = {
    "news": lambda: text([256] * 32, 512, 8, 2048),
    "small": lambda: text([256] * 32, 128, 8, 512),
    "speaker": speaker,
    "long": lambda: text([4096], 256, 4, 1024),
    "ragged": lambda: text([n for n, in numbers("ragged_lengths.txt")], 128, 8, 512,
                           groupings=(2, 4, 8)),
    "translate": translate,
    "image": image,
}


def adamw(parameters):
    try:
        return torch.optim.AdamW(parameters, lr=1e-4, fused=True)
    except (RuntimeError, TypeError):  # before 2.4, on a CPU
        return torch.optim.AdamW(parameters, lr=1e-4)


def answers_of(group):
    return int((group[1] >= 0).sum())


def train_step(model, optimizer, batch):
    total = sum(answers_of(group) for group in batch)

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss = 0.0
        for inputs, answers in batch:
            logits = model(*inputs)
            part = nn.functional.cross_entropy(logits.flatten(0, -2), answers.flatten(),
                                               reduction="sum") / total
            part.backward()
            loss += part.item()
        optimizer.step()
        return loss

    return step


def infer_step(model, batch):
    def step():
        with torch.inference_mode():
            for inputs, _ in batch:
                logits = model(*inputs)
        return float(logits.flatten()[0])

    return step


def best_time(step, seconds, least):
    """The fastest of several steps, after three to warm up."""
    for _ in range(3):
        value = step()
    if value != value:
        raise RuntimeError("the loss is not a number")
    times, end = [], time.perf_counter() + seconds
    while len(times) < least or time.perf_counter() < end:
        begin = time.perf_counter()
        step()
        times.append(time.perf_counter() - begin)
    return min(times)


def measure(name, mode, variant, options):
    torch.manual_seed(1)
    workload = WORKLOADS[name]()
    workload.model.train(mode == "train")
    model = torch.compile(workload.model) if variant == "compiled" else workload.model
    times = []
    for batch in workload.batches:
        if mode == "train":
            step = train_step(model, adamw(workload.model.parameters()), batch)
        else:
            step = infer_step(model, batch)
        times.append(best_time(step, options.seconds, options.steps))
    best = min(times)
    flops = workload.flops * (3 if mode == "train" else 1)
    return {"workload": name, "mode": mode, "threads": options.threads, "variant": variant,
            "seconds_per_step": best, "tokens_per_second": workload.tokens / best,
            "gflops": flops / best / 1e9,
            "groups": len(workload.batches[times.index(best)]), "torch": torch.__version__}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("workloads", nargs="*", metavar="WORKLOAD", help=", ".join(WORKLOADS))
    parser.add_argument("--mode", choices=["train", "infer"], help="default: both")
    parser.add_argument("--variant", choices=["eager", "compiled"], help="default: both")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=2.0, help="for each measurement")
    parser.add_argument("--steps", type=int, default=3, help="at least so many are timed")
    options = parser.parse_args()
    for name in options.workloads:
        if name not in WORKLOADS:
            parser.error(f"unknown workload {name}; there are {', '.join(WORKLOADS)}")

    warnings.filterwarnings("ignore", message=".*nested tensors.*")
    torch.set_num_threads(options.threads)
    torch.set_num_interop_threads(1)
    for name in options.workloads or WORKLOADS:
        for mode in [options.mode] if options.mode else ["train", "infer"]:
            for variant in [options.variant] if options.variant else ["eager", "compiled"]:
                try:
                    result = measure(name, mode, variant, options)
                except Exception as error:  # a compiler fails in many ways; eager must not
                    if variant == "eager":
                        raise
                    reason = (str(error) or type(error).__name__).strip().splitlines()[0]
                    print(f"{name}, {mode}: torch.compile failed: {reason}", file=sys.stderr)
                    continue
                print(json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
