"""A translation model of heed's, read from its folder: what the peers of decoding are built from.

Only the network that all of them can express is read: text → attention body with sinusoids →
sequence, pre- or post-norm, ReLU, no rotary positions, nothing copied.
"""

import json
import pathlib
import struct

import numpy as np


def tensors(path):
    """The tensors of a .safetensors file by name, as float32."""
    data = pathlib.Path(path).read_bytes()
    [length] = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + length])
    header.pop("__metadata__", None)
    found = {}
    for name, entry in header.items():
        if entry["dtype"] != "F32":
            raise SystemExit(f"{path}: {name} is {entry['dtype']}, expected F32")
        begin, end = (8 + length + offset for offset in entry["data_offsets"])
        found[name] = np.frombuffer(data[begin:end], np.float32).reshape(entry["shape"])
    return found


def sinusoids(count, width):
    """(count, width): sin and cos in turns, as heed's Positions has them."""
    columns = np.arange(width)
    angles = np.arange(count)[:, None] / 10000.0 ** ((columns - columns % 2) / width)
    return np.where(columns % 2 == 0, np.sin(angles), np.cos(angles)).astype(np.float32)


class HeedModel:
    """The weights, and the few options that the network depends on."""

    def __init__(self, folder):
        folder = pathlib.Path(folder)
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        body, output = config["body"], config["output"]
        decoder = output["decoder"]
        for stack, position in ((body, body["position"]), (decoder, output["position"])):
            plain = (stack["attention"]["score"] == "scaled-dot"
                     and stack["attention"]["position"] == "none"
                     and position["kind"] == "sinusoidal" and stack["norm"] == "layer"
                     and stack["feed_forward"]["activation"] == "relu"
                     and not stack["feed_forward"]["gated"])
            if not plain:
                raise SystemExit(f"{folder}: the peers know sinusoids, scaled-dot scores, layer "
                                 "norms and ReLU alone")
        if output["copy"] or output["ctc"] or body["convolution"]["taps"]:
            raise SystemExit(f"{folder}: the peers know no copying, no CTC and no convolution")
        self.width = config["width"]
        self.layers, self.heads = body["layers"], body["attention"]["heads"]
        self.decoder_layers, self.decoder_heads = decoder["layers"], decoder["attention"]["heads"]
        self.pre_norm = body["order"] == "pre"
        if (decoder["order"] == "pre") != self.pre_norm or not body["last_norm"]:
            raise SystemExit(f"{folder}: the peers want one order of norms, and the last norm")
        self.source_entries = config["input"]["entries"]
        self.entries = output["entries"]  # of targets, without the end
        self.end = self.entries           # the begin, too
        self.search = output["search"]
        self.weights = tensors(folder / "model.safetensors")

    def longest(self, source_length):
        """The most tokens that are written for a source of so many."""
        most = self.search["longest"]
        if self.search["ratio"] > 0:
            most = min(most, 20 + int(np.float32(self.search["ratio"]) * source_length))
        return most
