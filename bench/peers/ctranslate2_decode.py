#!/usr/bin/env python3
"""heed's translation model in CTranslate2: how many tokens it writes in a second.

    ctranslate2_decode.py MODEL WRITTEN --beam N --threads N --batch N [--seconds S]

MODEL is a model's folder, WRITTEN what `heed bench decode --written` kept: the sources as tokens,
and what heed wrote. The weights are given to CTranslate2 as its converters do, in f32. One line of
JSON; only translate_batch is timed, from tokens to tokens. With several threads CTranslate2 may
share each product among them, or the batches; the faster of both counts.
"""

import tempfile

import ctranslate2
import numpy as np
from ctranslate2.specs import TransformerSpec

from decoding import arguments, read_sources, report, timed
from heed_model import HeedModel, sinusoids

POSITIONS = 1024


def linear(spec, weights, *names):
    """One or several linear layers, one below the other."""
    spec.weight = np.concatenate([weights[name + ".weight"] for name in names])
    spec.bias = np.concatenate([weights[name + ".bias"] for name in names])


def norm(spec, weights, name):
    spec.gamma, spec.beta = weights[name + ".weight"], weights[name + ".bias"]


def self_attention(spec, weights, name):
    linear(spec.linear[0], weights, f"{name}.q", f"{name}.k", f"{name}.v")
    linear(spec.linear[1], weights, f"{name}.out")


def feed_forward(spec, weights, name):
    linear(spec.linear_0, weights, f"{name}.in")
    linear(spec.linear_1, weights, f"{name}.out")


def convert(model, folder):
    """Writes the model into a folder, as CTranslate2 reads it."""
    w = model.weights
    spec = TransformerSpec.from_config((model.layers, model.decoder_layers), model.heads,
                                       pre_norm=model.pre_norm)
    spec.decoder.num_heads = np.dtype("int16").type(model.decoder_heads)
    encoder, decoder = spec.encoder, spec.decoder
    encoder.scale_embeddings = False
    # The end of a text is the last entry of both: sources do without it, but share the names.
    none = np.zeros((1, model.width), np.float32)
    encoder.embeddings[0].weight = np.concatenate([w["input.words.weight"], none])
    encoder.position_encodings.encodings = sinusoids(POSITIONS, model.width)
    decoder.scale_embeddings = True
    decoder.embeddings.weight = w["output.words.weight"]
    decoder.position_encodings.encodings = sinusoids(POSITIONS, model.width)
    decoder.projection.weight = w["output.words.weight"]
    for i, layer in enumerate(encoder.layer):
        name = f"body.layers.{i}"
        self_attention(layer.self_attention, w, f"{name}.attention")
        norm(layer.self_attention.layer_norm, w, f"{name}.norm1")
        feed_forward(layer.ffn, w, f"{name}.feed_forward")
        norm(layer.ffn.layer_norm, w, f"{name}.norm2")
    for i, layer in enumerate(decoder.layer):
        name = f"output.decoder.layers.{i}"
        self_attention(layer.self_attention, w, f"{name}.attention")
        norm(layer.self_attention.layer_norm, w, f"{name}.norm1")
        cross = f"{name}.cross_attention"
        linear(layer.attention.linear[0], w, f"{cross}.q")
        linear(layer.attention.linear[1], w, f"{cross}.k", f"{cross}.v")
        linear(layer.attention.linear[2], w, f"{cross}.out")
        norm(layer.attention.layer_norm, w, f"{name}.norm2")
        feed_forward(layer.ffn, w, f"{name}.feed_forward")
        norm(layer.ffn.layer_norm, w, f"{name}.norm3")
    if model.pre_norm:
        norm(encoder.layer_norm, w, "body.norm")
        norm(decoder.layer_norm, w, "output.decoder.norm")
    spec.register_source_vocabulary(names(model.source_entries))
    spec.register_target_vocabulary(names(model.entries))
    spec.config.unk_token = "0"
    spec.config.bos_token = spec.config.eos_token = spec.config.decoder_start_token = "</s>"
    spec.config.add_source_bos = spec.config.add_source_eos = False
    spec.validate()
    spec.optimize(quantization="float32")
    spec.save(folder)


def names(entries):
    """Tokens are named by their numbers."""
    return [str(i) for i in range(entries)] + ["</s>"]


def measure(model, folder, sources, options, inter, intra):
    translator = ctranslate2.Translator(folder, device="cpu", compute_type="float32",
                                        inter_threads=inter, intra_threads=intra)
    texts = [[str(token) for token in source] for source in sources]
    longest = max(model.longest(len(source)) for source in sources)

    def run():
        results = translator.translate_batch(
            texts, beam_size=options.beam, max_batch_size=options.batch, batch_type="examples",
            length_penalty=model.search["length_penalty"], disable_unk=True,
            max_decoding_length=longest, max_input_length=0)
        return [[int(token) for token in result.hypotheses[0]] for result in results]

    return timed(run, options.seconds)


def main():
    options = arguments(__doc__.splitlines()[0])
    model = HeedModel(options.model)
    sources, ours = read_sources(options.written)
    with tempfile.TemporaryDirectory() as folder:
        convert(model, folder)
        ways = {(1, options.threads), (options.threads, 1)}
        best, written = min((measure(model, folder, sources, options, inter, intra)
                             for inter, intra in sorted(ways)), key=lambda result: result[0])
    report("CTranslate2 " + ctranslate2.__version__, options, best, ours, written)


if __name__ == "__main__":
    main()
