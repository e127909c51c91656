"""Writes the golden files beside this script: what PyTorch computes, for heed to agree with.

    python3 tests/golden/write.py            all of them
    python3 tests/golden/write.py gru ctc    some

Needs torch, any recent version; heed itself needs neither Python nor torch, because the files are
committed. Everything is seeded by the name of the file. Numbers are drawn in float32, computed in
float64 and rounded once when they are written, so what the tests measure is heed's error alone.

A file is a safetensors file. Its metadata holds the version of torch and the settings of the case
as text. Its tensors:

    parameter.NAME              at the beginning, by the name that heed's layer gives it
    gradient.NAME               of the loss, same shape; in training (steps, shape)
    input.x, input.memory       rows of all sequences one after another, without padding
    input.x.lengths             rows of each sequence (I32); the same for the others
    output.y                    rows, as input.x
    output.dy                   the gradient that is sent back: the loss is the sum of dy · y
    gradient.input.x            as input.x

Names, heed on the left:

    q, k, v .weight .bias       thirds of in_proj_weight and in_proj_bias (or q_proj_weight, ...)
    out                         out_proj
    attention                   self_attn of an encoder or decoder layer
    cross_attention             multihead_attn of a decoder layer
    feed_forward.in, .out       linear1, linear2
    norm1, norm2, norm3         the same
    0.forward.weight_ih, ...    weight_ih_l0 of a recurrent layer
    0.backward.weight_ih, ...   weight_ih_l0_reverse
"""

import json
import pathlib
import struct
import sys
import zlib

import torch
from torch import nn

DOUBLE = torch.float64


def write(name, tensors, **settings):
    """A safetensors file: 8 bytes of header length, a JSON header, the data; all little-endian."""
    header = {"__metadata__": {"torch": torch.__version__.split("+")[0],
                               **{key: str(value) for key, value in settings.items()}}}
    data = b""
    for key in sorted(tensors):
        value = tensors[key].detach()
        if value.is_floating_point():
            kind, array = "F32", value.to(torch.float32).contiguous().numpy().astype("<f4")
        else:
            kind, array = "I32", value.contiguous().numpy().astype("<i4")
        header[key] = {"dtype": kind, "shape": list(array.shape),
                       "data_offsets": [len(data), len(data) + array.nbytes]}
        data += array.tobytes()
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path = pathlib.Path(__file__).parent / f"{name}.safetensors"
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)
    print(f"{path.name}: {len(tensors)} tensors, {path.stat().st_size} bytes")


def draw(*shape, scale=1.0):
    """Numbers that float32 holds exactly, in float64."""
    return (scale * torch.randn(*shape, dtype=torch.float32)).to(DOUBLE)


def prepare(module, deviation=0.1):
    """In float64, every parameter moved a little, so that zeros and ones hide nothing."""
    module = module.to(DOUBLE).train()
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_((parameter.float() + deviation * torch.randn(parameter.shape)).double())
    return module


def integers(values):
    return torch.tensor(values, dtype=torch.int32)


def padded(lengths, width):
    """(sequences, longest, width), and the mask that is true at padding. Padding is not zero: a
    mask that is not respected shows."""
    x = draw(len(lengths), max(lengths), width)
    mask = torch.arange(max(lengths))[None, :] >= torch.tensor(lengths)[:, None]
    return x.requires_grad_(), mask


def rows(x, mask):
    """Without the padding: (rows, width)."""
    return x[~mask]


def heed_names(module):
    """Of MultiheadAttention, encoder and decoder layers and stacks of them: heed's name for each
    parameter, the torch parameter, and the part of its rows."""
    result = {}
    for name, parameter in module.named_parameters():
        path, _, last = name.rpartition(".")
        path = path.replace("multihead_attn", "cross_attention").replace("self_attn", "attention")
        path = path.replace("out_proj", "out")
        path = path.replace("linear1", "feed_forward.in").replace("linear2", "feed_forward.out")
        prefix = path + "." if path else ""
        if last.startswith("in_proj_"):
            width = parameter.shape[0] // 3
            for i, part in enumerate("qkv"):
                result[f"{prefix}{part}.{last.removeprefix('in_proj_')}"] = (
                    parameter, slice(i * width, (i + 1) * width))
        elif last.endswith("_proj_weight"):
            result[f"{prefix}{last[0]}.weight"] = (parameter, slice(None))
        else:
            result[prefix + last] = (parameter, slice(None))
    return result


def values(names, prefix="parameter"):
    return {f"{prefix}.{name}": parameter[part].detach().clone()
            for name, (parameter, part) in names.items()}


def gradients(names):
    return {f"gradient.{name}": parameter.grad[part].detach().clone()
            for name, (parameter, part) in names.items()}


def plain_names(module):
    return {name: (parameter, slice(None)) for name, parameter in module.named_parameters()}


def send_back(y):
    dy = draw(*y.shape)
    y.backward(dy)
    return {"output.y": y, "output.dy": dy}


# Layers


def attention(name, lengths, memory_lengths=None, memory_width=None):
    width, heads = 12, 3
    layer = prepare(nn.MultiheadAttention(width, heads, kdim=memory_width, vdim=memory_width,
                                          batch_first=True))
    x, mask = padded(lengths, width)
    memory, memory_mask = (padded(memory_lengths, memory_width) if memory_width else (x, mask))
    y, weights = layer(x, memory, memory, key_padding_mask=memory_mask, need_weights=True,
                       average_attn_weights=False)
    names = heed_names(layer)
    tensors = {"input.x": rows(x, mask), "input.x.lengths": integers(lengths), **values(names),
               **send_back(rows(y, mask)), **gradients(names),
               "gradient.input.x": rows(x.grad, mask)}
    if memory_width:
        tensors |= {"input.memory": rows(memory, memory_mask),
                    "input.memory.lengths": integers(memory_lengths),
                    "gradient.input.memory": rows(memory.grad, memory_mask)}
    # Of each sequence and head, without padding: (heads, queries, keys) one after another.
    key_lengths = memory_lengths or lengths
    tensors["output.weights"] = torch.cat(
        [weights[s, :, :lengths[s], :key_lengths[s]].reshape(-1) for s in range(len(lengths))])
    write(name, tensors, width=width, heads=heads, memory_width=memory_width or width)


def layer(name, module, lengths, memory_lengths=None, **settings):
    width = 12
    module = prepare(module)
    x, mask = padded(lengths, width)
    tensors = {"input.x": rows(x, mask), "input.x.lengths": integers(lengths)}
    if memory_lengths:
        memory, memory_mask = padded(memory_lengths, width)
        causal = torch.ones(max(lengths), max(lengths), dtype=torch.bool).triu(1)
        y = module(x, memory, tgt_mask=causal, tgt_key_padding_mask=mask,
                   memory_key_padding_mask=memory_mask)
    else:
        y = module(x, src_key_padding_mask=mask)
    names = heed_names(module)
    tensors |= {**values(names), **send_back(rows(y, mask)), **gradients(names),
                "gradient.input.x": rows(x.grad, mask)}
    if memory_lengths:
        tensors |= {"input.memory": rows(memory, memory_mask),
                    "input.memory.lengths": integers(memory_lengths),
                    "gradient.input.memory": rows(memory.grad, memory_mask)}
    write(name, tensors, width=width, **settings)


def encoder_layer(name, order, activation):
    layer(name, nn.TransformerEncoderLayer(12, 3, 20, 0.0, activation, batch_first=True,
                                           norm_first=order == "pre"),
          [4, 1, 6], heads=3, hidden=20, order=order, activation=activation)


def decoder_layer(name, order):
    layer(name, nn.TransformerDecoderLayer(12, 3, 20, 0.0, "relu", batch_first=True,
                                           norm_first=order == "pre"),
          [4, 1, 6], [3, 5, 2], heads=3, hidden=20, order=order, activation="relu")


def recurrent(name, kind):
    lengths, width, state = [5, 1, 8], 6, 7
    module = prepare(kind(width, state, num_layers=2, bidirectional=True, batch_first=True))
    x, mask = padded(lengths, width)
    packed = nn.utils.rnn.pack_padded_sequence(x, torch.tensor(lengths), batch_first=True,
                                               enforce_sorted=False)
    y, _ = nn.utils.rnn.pad_packed_sequence(module(packed)[0], batch_first=True)
    names = {}
    for torch_name, entry in plain_names(module).items():
        what, number = torch_name.removesuffix("_reverse").split("_l")
        direction = "backward" if torch_name.endswith("_reverse") else "forward"
        names[f"{number}.{direction}.{what}"] = entry
    write(name, {"input.x": rows(x, mask), "input.x.lengths": integers(lengths), **values(names),
                 **send_back(rows(y, mask)), **gradients(names),
                 "gradient.input.x": rows(x.grad, mask)},
          width=width, state=state, layers=2)


def conv1d(name, lengths, channels, outputs, kernel, **settings):
    """Each sequence on its own, padded by the convolution only: (rows, channels)."""
    module = prepare(nn.Conv1d(channels, outputs, kernel, **settings))
    x = [draw(length, channels).requires_grad_() for length in lengths]
    y = [module(part.T[None])[0].T for part in x]
    names = plain_names(module)
    tensors = {"input.x": torch.cat(x), "input.x.lengths": integers(lengths),
               "output.y.lengths": integers([part.shape[0] for part in y]), **values(names),
               **send_back(torch.cat(y)), **gradients(names),
               "gradient.input.x": torch.cat([part.grad for part in x])}
    defaults = {"stride": 1, "dilation": 1, "groups": 1, "padding": 0}
    write(name, tensors, channels=channels, outputs=outputs, kernel=kernel, **defaults | settings)


def conv2d(name, height, width, channels, outputs, kernel, **settings):
    """Two images. Pixels are rows: (height · width, channels) for each."""
    module = prepare(nn.Conv2d(channels, outputs, kernel, **settings))
    x = draw(2 * height * width, channels).requires_grad_()
    image = module(x.reshape(2, height, width, channels).permute(0, 3, 1, 2))
    names = plain_names(module)
    write(name, {"input.x": x, **values(names),
                 **send_back(image.permute(0, 2, 3, 1).reshape(-1, outputs)), **gradients(names),
                 "gradient.input.x": x.grad},
          height=height, width=width, channels=channels, outputs=outputs,
          kernel_height=kernel[0], kernel_width=kernel[1], **settings)


def ctc(name):
    """The loss of each sequence; gradients are those of their sum. Labels repeat, one sequence has
    none, and those of the last do not fit into its rows: it counts nothing."""
    classes, lengths = 5, [6, 3, 8, 4, 2]
    labels = [[1, 1, 2], [4], [3, 2, 3, 3, 1], [], [2, 2]]
    x = [draw(length, classes, scale=2.0).requires_grad_() for length in lengths]
    losses = torch.stack([
        nn.functional.ctc_loss(part.log_softmax(1)[:, None],
                               torch.tensor(ids, dtype=torch.long).reshape(1, -1),
                               torch.tensor([len(part)]), torch.tensor([len(ids)]), blank=0,
                               reduction="sum", zero_infinity=True)
        for part, ids in zip(x, labels)])
    losses.sum().backward()
    write(name, {"input.x": torch.cat(x), "input.x.lengths": integers(lengths),
                 "input.labels": integers(sum(labels, [])),
                 "input.labels.lengths": integers([len(ids) for ids in labels]),
                 "output.losses": losses,
                 "gradient.input.x": torch.cat([part.grad for part in x])}, blank=0)


# Training


def optimizer(name, make, **settings):
    """Ten steps of a vector on given gradients, with a learning rate that changes."""
    steps, size = 10, 19
    vector = nn.Parameter(draw(size))
    grads = draw(steps, size)
    rates = torch.tensor([0.1 * 0.9 ** step for step in range(steps)], dtype=torch.float32).double()
    tensors = {"parameter.weight": vector.detach().clone(), "input.gradients": grads,
               "input.rates": rates}
    stepper = make([vector])
    after = []
    for step in range(steps):
        stepper.param_groups[0]["lr"] = rates[step].item()
        vector.grad = grads[step].clone()
        stepper.step()
        after.append(vector.detach().clone())
    write(name, {**tensors, "output.weights": torch.stack(after)}, steps=steps, **settings)


def cosine(name):
    """The rates of steps 0 … 20, of 20 in all."""
    vector = nn.Parameter(torch.zeros(1))
    optimizer = torch.optim.SGD([vector], lr=0.3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=20, eta_min=0.02)
    rates = []
    for _ in range(21):
        rates.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        schedule.step()
    write(name, {"output.rates": torch.tensor(rates, dtype=DOUBLE)}, rate=0.3, floor=0.02,
          steps=20)


def train(name, model, names, batches, forward, rate, clip, **settings):
    """Steps of AdamW with a cosine of the learning rate and gradient clipping: of each one its
    outputs, its loss and every gradient. Weights decay, biases and norms do not, as heed has it."""
    steps = len(batches)
    decaying = [p for p in model.parameters() if p.dim() > 1]
    others = [p for p in model.parameters() if p.dim() == 1]
    optimizer = torch.optim.AdamW([{"params": decaying, "weight_decay": 0.01},
                                   {"params": others, "weight_decay": 0.0}], lr=rate)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=steps)
    tensors = values(names)
    losses, norms, outputs, grads = [], [], [], []
    for batch in batches:
        optimizer.zero_grad()
        logits = forward(batch)
        loss = nn.functional.cross_entropy(logits, batch["classes"])
        loss.backward()
        outputs.append(logits.detach())
        grads.append(gradients(names))  # before they are clipped
        losses.append(loss.detach())
        norms.append(nn.utils.clip_grad_norm_(model.parameters(), clip))
        optimizer.step()
        schedule.step()
    tensors |= {"output.losses": torch.stack(losses), "output.norms": torch.stack(norms),
                "output.logits": torch.stack(outputs),
                **{key: torch.stack([grad[key] for grad in grads]) for key in grads[0]},
                **values(names, "final"),
                "input.classes": torch.stack([batch["classes"] for batch in batches])}
    print(f"{name}: loss {losses[0]:.4f} to {losses[-1]:.4f}, norm {norms[0]:.3f}")
    return tensors, dict(steps=steps, rate=rate, clip=clip, decay=0.01, **settings)


def text_classifier(name):
    """Tutorial 000: embedding, two encoder layers, mean, linear. Every word is in every batch, so
    that an embedding's sparse gradient is a dense one."""
    vocabulary, width, heads, hidden, classes, steps = 24, 16, 4, 32, 5, 10

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.embedding = nn.Embedding(vocabulary, width)
            self.encoder = nn.TransformerEncoder(
                nn.TransformerEncoderLayer(width, heads, hidden, 0.0, batch_first=True), 2,
                enable_nested_tensor=False)
            self.output = nn.Linear(width, classes)

        def forward(self, batch):
            y = self.encoder(self.embedding(batch["ids"]), src_key_padding_mask=batch["mask"])
            real = (~batch["mask"]).to(DOUBLE)
            mean = (y * real[:, :, None]).sum(1) / real.sum(1, keepdim=True)
            return self.output(mean)

    model = prepare(Model(), 0.05)
    lengths = [3, 9, 1, 12, 7, 5]
    batches = []
    for _ in range(steps):
        ids = torch.randint(vocabulary, (sum(lengths),))
        ids[torch.randperm(len(ids))[:vocabulary]] = torch.arange(vocabulary)
        matrix = torch.zeros(len(lengths), max(lengths), dtype=torch.long)
        mask = torch.arange(max(lengths))[None, :] >= torch.tensor(lengths)[:, None]
        matrix[~mask] = ids
        batches.append({"ids": matrix, "flat": ids, "mask": mask,
                        "classes": torch.randint(classes, (len(lengths),))})
    names = heed_names(model)
    tensors, settings = train(name, model, names, batches, model, 0.01, 1.0,
                              vocabulary=vocabulary, width=width, heads=heads, hidden=hidden,
                              classes=classes, layers=2)
    write(name, {**tensors, "input.ids": torch.stack([b["flat"] for b in batches]),
                              "input.ids.lengths": integers(lengths)}, **settings)


def speaker_classifier(name):
    """Tutorial 004: 40 mel bands, linear, one encoder layer, mean, linear, sigmoid, linear. Half as
    wide as there (40 and 128, not 80 and 256), with fewer speakers and shorter segments, for the
    size of the file: every gradient of ten steps is in it."""
    bands, width, heads, hidden, classes, steps = 40, 40, 2, 128, 20, 10
    segments, frames = 6, 6

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.prenet = nn.Linear(bands, width)
            self.encoder = nn.TransformerEncoderLayer(width, heads, hidden, 0.0, batch_first=True)
            self.hidden = nn.Linear(width, width)
            self.output = nn.Linear(width, classes)

        def forward(self, batch):
            y = self.encoder(self.prenet(batch["frames"]))
            return self.output(torch.sigmoid(self.hidden(y.mean(1))))

    model = prepare(Model(), 0.02)
    batches = [{"frames": draw(segments, frames, bands),
                "classes": torch.randint(classes, (segments,))} for _ in range(steps)]
    names = heed_names(model)
    tensors, settings = train(name, model, names, batches, model, 0.001, 1.0,
                              bands=bands, width=width, heads=heads, hidden=hidden,
                              classes=classes, segments=segments, frames=frames)
    write(name,
          {**tensors, "input.frames": torch.stack([b["frames"].reshape(-1, bands)
                                                   for b in batches])}, **settings)


CASES = {
    "attention_self": lambda name: attention(name, [5, 5]),
    "attention_padded": lambda name: attention(name, [3, 7, 1]),
    "attention_cross": lambda name: attention(name, [4, 2], [3, 6], 7),
    "encoder_post_relu": lambda name: encoder_layer(name, "post", "relu"),
    "encoder_post_gelu": lambda name: encoder_layer(name, "post", "gelu"),
    "encoder_pre_relu": lambda name: encoder_layer(name, "pre", "relu"),
    "encoder_pre_gelu": lambda name: encoder_layer(name, "pre", "gelu"),
    "decoder_post": lambda name: decoder_layer(name, "post"),
    "decoder_pre": lambda name: decoder_layer(name, "pre"),
    "rnn": lambda name: recurrent(name, nn.RNN),
    "lstm": lambda name: recurrent(name, nn.LSTM),
    "gru": lambda name: recurrent(name, nn.GRU),
    "conv1d_plain": lambda name: conv1d(name, [5, 3, 9], 4, 6, 3, padding=1),
    "conv1d_strided": lambda name: conv1d(name, [7, 11, 6], 4, 6, 3, stride=2, dilation=2,
                                          groups=2, padding=2),
    "conv1d_depthwise": lambda name: conv1d(name, [7, 2], 6, 6, 5, groups=6, padding=2),
    "conv2d_plain": lambda name: conv2d(name, 5, 6, 3, 4, (3, 3), stride=1, padding=1),
    "conv2d_strided": lambda name: conv2d(name, 7, 6, 2, 4, (3, 2), stride=2, padding=1),
    "ctc": ctc,
    "adamw": lambda name: optimizer(
        name, lambda p: torch.optim.AdamW(p, betas=(0.9, 0.98), eps=1e-6, weight_decay=0.1),
        beta1=0.9, beta2=0.98, epsilon=1e-6, decay=0.1),
    "sgd_momentum": lambda name: optimizer(
        name, lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9),
        momentum=0.9, nesterov=0, decay=0.0),
    "sgd_nesterov": lambda name: optimizer(
        name, lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.8, nesterov=True, weight_decay=0.05),
        momentum=0.8, nesterov=1, decay=0.05),
    "cosine": cosine,
    "text_classifier": text_classifier,
    "speaker_classifier": speaker_classifier,
}


def main():
    chosen = sys.argv[1:] or CASES
    for name in chosen:
        if name not in CASES:
            sys.exit(f"no case {name}; there are {', '.join(CASES)}")
    torch.set_num_threads(1)
    for name in chosen:
        torch.manual_seed(zlib.crc32(name.encode()))
        CASES[name](name)


if __name__ == "__main__":
    main()
