"""Writes sacrebleu.json beside this script: what sacreBLEU, jiwer and rouge-score say of small
corpora, for heed to agree with.

    pip install sacrebleu jiwer rouge-score
    python3 tests/golden/write_scores.py
"""

import json
import pathlib

import jiwer
import sacrebleu
from rouge_score import rouge_scorer

# Name, tokenizer, pairs of hypothesis and reference.
CASES = [
    ("identical", "13a", [("The cat sat on the mat.", "The cat sat on the mat.")]),
    ("empty hypothesis", "13a", [("", "The cat sat on the mat.")]),
    ("one of two empty", "13a", [("", "A man sleeps."), ("A dog runs in the park.",
                                                         "A dog runs in the park.")]),
    ("empty reference", "13a", [("something", ""), ("a b c d e", "a b c d e")]),
    ("both empty", "13a", [("", "")]),
    ("nothing right", "13a", [("alpha beta gamma delta", "one two three four five")]),
    ("one word right", "13a", [("the small brown fox", "the dog barked at night")]),
    ("short", "13a", [("yes", "yes")]),
    ("three words", "13a", [("a b c", "a b c")]),
    ("too long", "13a", [("the the the the the the the the", "the cat is on the mat")]),
    ("brevity", "13a", [("A man in a", "A man in a red shirt is standing on a ladder.")]),
    ("punctuation", "13a", [("Hello, world! (He said: \"no\"); it's [fine]... really?",
                             "Hello , world ! He said : \"no\" - it 's fine ... really ?")]),
    ("numbers", "13a", [("It costs 1,000.50 or 3.14, not 1,2-3 .5 5. 10-20",
                         "It costs 1,000.50 or 3.14 not 1,2 - 3 .5 5 . 10 - 20")]),
    ("stops in a row", "13a", [("wait.... what,, no.,. 5..6 7,,8", "wait ... what , no . 5.6 7,8")]),
    ("entities", "13a", [("a &quot;b&quot; &amp; c &lt;d&gt; &amp;lt; <skipped>e",
                          "a \"b\" & c <d> &lt; e")]),
    ("umlauts", "13a", [("Ein Mädchen läuft über die Straße.",
                         "Ein kleines Mädchen läuft über die Straße.")]),
    ("unicode marks", "13a", [("Er sagte: „Nein“ – und ging… 5 €", "Er sagte „Nein“ und ging … 5€")]),
    ("spaces", "13a", [("  two   spaces and\ta tab \u00a0 and\u3000wide  ",
                        "two spaces and a tab and wide")]),
    ("emoji", "13a", [("so good 😀😀 👩‍💻 !", "so good 😀 👩‍💻!")]),
    ("several", "13a", [
        ("A man in an orange hat starring at something.",
         "A man in an orange hat starring at something."),
        ("A Boston terrier is running on green grass in front of a fence.",
         "A Boston Terrier is running on lush green grass in front of a white fence."),
        ("A girl in a karate uniform is breaking a board with a kick.",
         "A girl in karate uniform breaking a stick with a front kick."),
        ("Five people in winter clothes and helmets stand in the snow.",
         "Five people wearing winter jackets and helmets stand in the snow, with snowmobiles in "
         "the background."),
        ("", "People are fixing the roof of a house.")]),
    ("greek and russian", "13a", [("Ο άνδρας διαβάζει, ένα βιβλίο.", "Ο άνδρας διαβάζει ένα βιβλίο."),
                                  ("Мужчина читает книгу.", "Мужчина читает газету.")]),
    ("slashes", "13a", [("and/or e-mail A_B ~x^2 {a|b} $5 50% #1 a@b.c",
                         "and / or e-mail A_B ~ x ^ 2 { a | b } $ 5 50 % # 1 a @ b.c")]),
    ("chinese", "zh", [("一个男人在街上跑步。", "一个男人正在街上跑步。"),
                       ("两只狗, 3.5米,ABC公司", "两只狗,3.5 米, ABC 公司")]),
    ("chinese marks", "zh", [("　“你好”—他说,100%！ ※ → A", "“你好”——他说, 100 % ! ※→A")]),
    ("characters", "char", [("猫在垫子上", "那只猫在垫子上"), ("abc de", "abd e")]),
    ("half right", "13a", [("the quick brown fox jumps over a lazy cat",
                            "the quick brown fox jumped over the lazy dog")] * 3),
]


def case(name, tokenizer, pairs):
    said, meant = [a for a, _ in pairs], [b for _, b in pairs]
    bleu = sacrebleu.BLEU(tokenize=tokenizer, force=True)
    chrf = sacrebleu.CHRF()
    result = {"name": name, "tokens": tokenizer, "hypotheses": said, "references": meant,
              "bleu": bleu.corpus_score(said, [meant]).score,
              "bleu_signature": str(bleu.get_signature()),
              "chrf": chrf.corpus_score(said, [meant]).score,
              "chrf_signature": str(chrf.get_signature())}
    # jiwer refuses empty references, and takes other white space than the plain space for letters.
    if all(text.strip() for text in meant) and all(text.split() == text.strip().split(" ")
                                                   for text in meant + said if text):
        result["wer"] = jiwer.wer(meant, said)
        result["cer"] = jiwer.cer(meant, said)
    if all(text.isascii() for text in said + meant):
        scorer = rouge_scorer.RougeScorer(["rouge1", "rouge2", "rougeL"])
        scores = [scorer.score(b, a) for a, b in pairs]
        for key in ("rouge1", "rouge2", "rougeL"):
            result[key] = sum(score[key].fmeasure for score in scores) / len(scores)
    return result


def main():
    path = pathlib.Path(__file__).with_name("sacrebleu.json")
    text = json.dumps([case(*each) for each in CASES], ensure_ascii=False, indent=1)
    path.write_text(text + "\n", encoding="utf-8")
    print(f"{path.name}: {len(CASES)} cases")


if __name__ == "__main__":
    main()
