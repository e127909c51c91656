"""Writes log_mel.safetensors beside this script: mel spectrograms as librosa computes them.

    python3 tests/golden/write_log_mel.py

Needs librosa (and numpy), any recent version. librosa.feature.melspectrogram with htk=True and
norm=None computes what torchaudio.transforms.MelSpectrogram does by default; see
heed/data/audio/log_mel.h for the definition. Tensors:

    input.NAME    samples in [-1, 1] that 16 bits hold exactly
    output.NAME   (frames, bands): the natural logarithm, not below that of 1e-8

and for each NAME the settings NAME.rate, NAME.window, NAME.hop (samples), NAME.bands.
"""

import json
import pathlib
import struct

import librosa
import numpy

FLOOR = 1e-8


def sound(count, rate, seed):
    """A falling tone with overtones, some noise, and a silent end."""
    dice = numpy.random.default_rng(seed)
    time = numpy.arange(count) / rate
    phase = 2 * numpy.pi * (220 * time - 60 * time ** 2)
    wave = 0.4 * numpy.sin(phase) + 0.2 * numpy.sin(5 * phase) + 0.02 * dice.standard_normal(count)
    wave[-count // 8:] = 0
    return numpy.round(numpy.clip(wave, -1, 1) * 32767) / 32768


def log_mel(wave, rate, window, hop, bands):
    transform = 1
    while transform < window:
        transform *= 2
    mel = librosa.feature.melspectrogram(
        y=wave.astype(numpy.float64), sr=rate, n_fft=transform, win_length=window, hop_length=hop,
        window="hann", center=True, pad_mode="reflect", power=2.0, n_mels=bands, fmin=0.0,
        fmax=rate / 2, htk=True, norm=None, dtype=numpy.float64)
    return numpy.log(numpy.maximum(mel, FLOOR)).T


CASES = {  # samples, rate, window, hop, bands
    "speech": (4000, 16000, 400, 160, 40),
    "telephone": (1601, 8000, 200, 80, 40),
    "wide": (3000, 22050, 551, 441, 24),
}


def main():
    tensors, settings = {}, {"librosa": librosa.__version__}
    for seed, (name, (count, rate, window, hop, bands)) in enumerate(CASES.items()):
        wave = sound(count, rate, seed)
        tensors[f"input.{name}"] = wave
        tensors[f"output.{name}"] = log_mel(wave, rate, window, hop, bands)
        settings.update({f"{name}.rate": rate, f"{name}.window": window, f"{name}.hop": hop,
                         f"{name}.bands": bands})
    header = {"__metadata__": {key: str(value) for key, value in settings.items()}}
    data = b""
    for key in sorted(tensors):
        array = numpy.ascontiguousarray(tensors[key]).astype("<f4")
        header[key] = {"dtype": "F32", "shape": list(array.shape),
                       "data_offsets": [len(data), len(data) + array.nbytes]}
        data += array.tobytes()
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path = pathlib.Path(__file__).parent / "log_mel.safetensors"
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)
    print(f"{path.name}: {len(tensors)} tensors, {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
