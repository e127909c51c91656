#!/usr/bin/env python3
"""Tutorial 004's whole training in PyTorch and torchaudio, from recordings to a score: one line of JSON.

    speaker_training.py TRAIN.csv DEV.csv [--epochs N] [--threads N]

The tables have the columns path and speaker. Everything is as in heed's preset tutorial-speaker: 40
log-mel bands of 25 ms every 10 ms, mean and deviation of the training frames, segments of at most
128 frames, batches of at most 4,096 frames, one encoder layer of width 80, the mean over time, and
AdamW with a cosine schedule. After each epoch the dev recordings are scored, whole.

In PyTorch's favour, features are computed once, by as many processes as there are threads, and kept
in memory; recordings of like length come into one batch, which is padded to its longest.
"""

import argparse
import csv
import json
import math
import multiprocessing
import random
import time

import soundfile
import torch
import torchaudio
from torch import nn

BANDS, WIDTH, SEGMENT, ROWS = 40, 80, 128, 4096


def read_table(path):
    with open(path, newline="", encoding="utf-8") as file:
        return [(row["path"], row["speaker"]) for row in csv.DictReader(file)]


class Features:
    """The log-mel frames of a recording, (frames, 40)."""

    def __init__(self):
        self.mel = {}

    def __call__(self, path):
        samples, rate = soundfile.read(path, dtype="float32", always_2d=True)
        if rate not in self.mel:
            self.mel[rate] = torchaudio.transforms.MelSpectrogram(
                sample_rate=16000, n_fft=512, win_length=400, hop_length=160, n_mels=BANDS)
        sound = torch.from_numpy(samples).mean(1)
        if rate != 16000:
            sound = torchaudio.functional.resample(sound, rate, 16000)
        return self.mel[rate](sound).clamp(min=1e-8).log().T.contiguous()


def compute(part):
    torch.set_num_threads(1)
    features = Features()
    return [features(path).numpy() for path in part]


def all_features(paths, threads):
    if threads == 1:
        frames = compute(paths)
    else:
        with multiprocessing.Pool(threads) as pool:
            parts = pool.map(compute, [paths[i::threads] for i in range(threads)])
        frames = [None] * len(paths)
        for i, part in enumerate(parts):
            frames[i::threads] = part
    return [torch.from_numpy(item) for item in frames]


class Classifier(nn.Module):
    """frames (recordings, longest, 40) → logits (recordings, speakers)"""

    def __init__(self, speakers):
        super().__init__()
        self.prenet = nn.Linear(BANDS, WIDTH)
        self.encoder = nn.TransformerEncoderLayer(WIDTH, 2, 256, 0.1, batch_first=True)
        self.output = nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.Sigmoid(),
                                    nn.Linear(WIDTH, speakers))

    def forward(self, frames, padding):
        x = self.encoder(self.prenet(frames), src_key_padding_mask=padding)
        if padding is None:
            return self.output(x.mean(1))
        kept = (~padding).unsqueeze(2)
        return self.output((x * kept).sum(1) / kept.sum(1))


def padded(items):
    """frames (items, longest, 40) and padding, true past the end; None where all are alike."""
    lengths = torch.tensor([len(item) for item in items])
    longest = int(lengths.max())
    if int(lengths.min()) == longest:
        return torch.stack(items), None
    return (nn.utils.rnn.pad_sequence(items, batch_first=True),
            torch.arange(longest)[None, :] >= lengths[:, None])


def batches(lengths, dice):
    """Examples of each batch: shuffled, and of like length within stretches of fifty batches."""
    order = list(range(len(lengths)))
    dice.shuffle(order)
    stretch = max(1, 50 * ROWS * len(order) // sum(lengths))
    found = []
    for begin in range(0, len(order), stretch):
        rows = None
        for i in sorted(order[begin:begin + stretch], key=lambda i: lengths[i]):
            if rows is None or rows + lengths[i] > ROWS:
                found.append([])
                rows = 0
            found[-1].append(i)
            rows += lengths[i]
    dice.shuffle(found)
    return found


def segment(frames, dice):
    if len(frames) <= SEGMENT:
        return frames
    first = dice.randrange(len(frames) - SEGMENT + 1)
    return frames[first:first + SEGMENT]


def accuracy(model, frames, labels):
    model.eval()
    order = sorted(range(len(frames)), key=lambda i: len(frames[i]))
    right = 0
    with torch.inference_mode():
        for begin in range(0, len(order), 32):
            part = order[begin:begin + 32]
            chosen = model(*padded([frames[i] for i in part])).argmax(1)
            right += sum(int(chosen[k]) == labels[i] for k, i in enumerate(part))
    model.train()
    return right / len(frames)


def train(train_frames, train_labels, dev_frames, dev_labels, speakers, epochs):
    torch.manual_seed(1)
    dice = random.Random(1)
    model = Classifier(speakers)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=0.01, fused=True)
    lengths = [min(len(frames), SEGMENT) for frames in train_frames]
    total = epochs * len(batches(lengths, random.Random(1)))

    def rate(step):
        done = step / max(1, total)
        return min(1.0, done / 0.05) * 0.5 * (1.0 + math.cos(math.pi * min(1.0, done)))

    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, rate)
    best = 0.0
    for _ in range(epochs):
        for batch in batches(lengths, dice):
            optimizer.zero_grad(set_to_none=True)
            inputs = padded([segment(train_frames[i], dice) for i in batch])
            answers = torch.tensor([train_labels[i] for i in batch])
            nn.functional.cross_entropy(model(*inputs), answers).backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
        best = max(best, accuracy(model, dev_frames, dev_labels))
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("train")
    parser.add_argument("dev")
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    begin = time.perf_counter()
    tables = read_table(options.train), read_table(options.dev)
    names = sorted({speaker for _, speaker in tables[0]})
    index = {name: i for i, name in enumerate(names)}
    frames = [all_features([path for path, _ in table], options.threads) for table in tables]
    labels = [[index[speaker] for _, speaker in table] for table in tables]
    every = torch.cat(frames[0])
    mean, deviation = every.mean(0), every.std(0)
    frames = [[(item - mean) / deviation for item in part] for part in frames]
    featured = time.perf_counter()
    score = train(frames[0], labels[0], frames[1], labels[1], len(names), options.epochs)
    print(json.dumps({"features": featured - begin, "training": time.perf_counter() - featured,
                      "accuracy": score, "torch": torch.__version__,
                      "torchaudio": torchaudio.__version__}))


if __name__ == "__main__":
    main()
