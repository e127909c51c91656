"""How heed's tokenizer `word` divides a text, and what a word is made of. docs/formats.md says the
same in words. For reference.py."""
import unicodedata

prepared = lambda text: unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).lower())
kind = lambda c: "Z" if c in "\t\n\v\f\r" else unicodedata.category(c)
number = lambda c: kind(c)[0] == "N"
runs = lambda c: number(c) or kind(c)[0] == "L" and "CJK" not in unicodedata.name(c, "")


def words(text):
    """Letters and digits in a row, or any other mark alone; each with the accents behind it."""
    i, found = 0, []
    while i < len(text):
        begin, i, on = i, i + 1, runs(text[i])
        if kind(text[begin])[0] == "Z" or kind(text[begin]) in ("Cc", "Cf"): continue
        last = text[begin]
        while i < len(text):
            c, d = text[i], text[i + 1] if i + 1 < len(text) else " "
            joins = runs(d) and (c == "_" or c == "-" and number(d) or c in ".," and number(last) and
                                 number(d) or c in "'’" and not number(last) and not number(d))
            if kind(c)[0] == "M" or kind(c) == "Cf": i += 1
            elif on and runs(c): last, i = c, i + 1
            elif on and joins: last, i = d, i + 2
            else: break
        found.append(text[begin:i])
    return found


def mix(a, b=None):
    """SplitMix64's finaliser; of two numbers, the one after the other."""
    x = ((a if b is None else a ^ mix(b)) + 0x9E3779B97F4A7C15) % 2**64
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    x = (x ^ x >> 27) * 0x94D049BB133111EB % 2**64
    return x ^ x >> 31


def ngrams_of(word, options):
    """All character n-grams of <word>, of which at most 39 characters are read."""
    marked, ngrams = ("<" + word + ">")[:39], []
    for begin in range(len(marked)):
        last = min(begin + options["longest"], len(marked))
        ngrams += [marked[begin:end] for end in range(begin + options["shortest"], last + 1)]
    return ngrams


def ngram_buckets(word, options):
    """Their buckets."""
    buckets = []
    for ngram in ngrams_of(word.lower() if options["lowercase"] else word, options):
        value = 0x9E3779B97F4A7C15
        for byte in ngram.encode(): value = mix(value, byte)
        buckets.append(value % options["buckets"])
    return buckets


def character_codes(word):
    """What the character CNN reads: code points, those from 768 on shared by 256; 2 and 3 at its ends."""
    return [2] + [ord(c) if ord(c) < 768 else 768 + ord(c) % 256 for c in word[:39]] + [3]


def seen_word(word):
    """A word in lower case with digits as 0, and its shape: "prices" and "Xx" for Prices."""
    word = unicodedata.normalize("NFKC", word)
    made, shape = "", ""
    for i, low in enumerate(word.lower()):
        written = word[i] if i < len(word) else low
        made += "0" if unicodedata.category(low)[0] == "N" else low
        kind = {"L": "x" if written == low else "X", "N": "0", "M": "x"}.get(
            unicodedata.category(written)[0], written if written < "\x80" else ".")
        if len(shape) < 8 and not shape.endswith(kind): shape += kind
    return made, shape


def word_features(sentence):
    """The features of each word that a linear CRF has scores of."""
    seen = [("<>", "<>")] * 2 + [seen_word(word) for word in sentence] + [("<>", "<>")] * 2
    for i, word in enumerate(sentence):
        (a, _), (b, shape_b), (c, shape_c), (d, shape_d), (e, _) = seen[i:i + 5]
        yield ([f"W0 {word}", f"w0 {c}", f"w-1 {b}", f"w+1 {d}", f"w-2 {a}", f"w+2 {e}", f"w-1 w0 {b}|{c}",
                f"w0 w+1 {c}|{d}", f"w-1 w+1 {b}|{d}", f"w-2 w-1 {a}|{b}", f"w+1 w+2 {d}|{e}",
                f"w-1 w0 w+1 {b}|{c}|{d}"]
               + [f"p {n}|{c[:n]}" for n in range(1, 5)] + [f"s {n}|{c[-n:]}" for n in range(1, 5)]
               + [f"f0 {shape_c}", f"f-1 f0 {shape_b}|{shape_c}", f"f0 f+1 {shape_c}|{shape_d}",
                  f"f-1 f0 f+1 {shape_b}|{shape_c}|{shape_d}", f"s-1 {b[-3:]}", f"s+1 {d[-3:]}",
                  f"s-2 {a[-2:]}", f"s+2 {e[-2:]}", f"s-1 s0 {b[-2:]}|{c[-2:]}",
                  f"s0 s+1 {c[-2:]}|{d[-2:]}", f"s-1 s0 s+1 {b[-2:]}|{c[-2:]}|{d[-2:]}",
                  f"w-1 s0 {b}|{c[-3:]}", f"s0 w+1 {c[-3:]}|{d}", f"s-1 w0 {b[-3:]}|{c}",
                  f"w0 s+1 {c}|{d[-3:]}"])
