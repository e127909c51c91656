#include "cli/train_tasks.h"

namespace heed::cli {
namespace {

constexpr const char* kClassifyFooter =
    "DATA may be, as it is or as .gz:\n"
    "  reviews.csv, reviews.tsv  columns with names; those of text and label are\n"
    "                            found, or named by --text-column, --label-column\n"
    "  reviews.jsonl             a JSON object in each line, with such names\n"
    "  train.txt                 fastText's lines: __label__good a quiet, moving film\n"
    "  reviews/                  a folder for each label, in it a file for each text\n"
    "  speech/                   the same with recordings: WAV, FLAC, OGG, MP3\n"
    "  speech.csv                recordings by the columns path and label, perhaps\n"
    "                            with start and end in seconds\n"
    "  animals/, animals.csv     the same with pictures: PNG, JPEG\n"
    "  x-images-idx3-ubyte       MNIST's IDX, with x-labels-idx1-ubyte beside it\n"
    "  data_batch_1.bin          CIFAR's binaries\n"
    "\n"
    "Examples:\n"
    "  heed train classify reviews.csv -o reviews.heed\n"
    "  heed train classify news/train -o news.heed --test news/test --time 10m\n"
    "  heed train classify mail.jsonl -o mail.heed --label-column folder --balance\n"
    "  heed train classify names.tsv -o names.heed --tokenizer character\n"
    "  heed train classify speech/ -o speakers.heed --time 5m\n"
    "  heed train classify train-images-idx3-ubyte.gz -o digits.heed --time 5m\n"
    "\n"
    "Ctrl-C saves and stops; heed train --resume FOLDER goes on as if nothing had\n"
    "happened.";

constexpr const char* kLabelFooter =
    "DATA may be, as it is or as .gz:\n"
    "  posts.csv, posts.tsv  columns with names, such as text and labels; in a field\n"
    "                        several labels with |, ; or a comma between, or none\n"
    "  posts.jsonl           a JSON object in each line, with a list of labels\n"
    "  train.txt             fastText's lines: __label__bug __label__ui it crashes\n"
    "  sounds.csv            recordings or pictures by the columns path and labels\n"
    "\n"
    "Each label is decided for itself. From which probability on it is an answer is\n"
    "chosen on held-out data. The score is micro F1.\n"
    "\n"
    "Examples:\n"
    "  heed train label posts.jsonl -o posts.heed\n"
    "  heed train label posts.csv -o posts.heed --label-separator ';' --time 10m\n"
    "\n"
    "Ctrl-C saves and stops; heed train --resume FOLDER goes on as if nothing had\n"
    "happened.";

constexpr const char* kTagFooter =
    "DATA may be, as it is or as .gz:\n"
    "  train.conllu  CoNLL-U; --tag-column upos (the default), xpos, ...\n"
    "  train.conll   a word and its tags in each line, an empty line between\n"
    "                sentences; --tag-column is the number of the column, from 1\n"
    "  spans.csv     recordings by the columns path, start, end (seconds) and label\n"
    "  cells.csv     pictures and masks by the columns path and mask\n"
    "  cells/        the same in the folders cells/images and cells/masks\n"
    "\n"
    "Examples:\n"
    "  heed train tag train.conllu --dev dev.conllu -o tagger.heed\n"
    "  heed train tag names.conll -o names.heed --crf --time 10m\n"
    "\n"
    "Ctrl-C saves and stops; heed train --resume FOLDER goes on as if nothing had\n"
    "happened.";

constexpr const char* kTranslateFooter =
    "DATA may be, as it is or as .gz:\n"
    "  train.de train.en  two files: line n of the second translates line n of the\n"
    "                     first\n"
    "  pairs.tsv, .csv    columns with names, such as source and target, or named by\n"
    "                     --source-column, --target-column\n"
    "  pairs.jsonl        a JSON object in each line, with such names\n"
    "\n"
    "The score is BLEU, as sacreBLEU computes it.\n"
    "\n"
    "Examples:\n"
    "  heed train translate train.de train.en -o de-en.heed --time 15m\n"
    "  heed train translate train.de train.en --dev dev.de dev.en -o de-en.heed\n"
    "  heed train translate pairs.tsv --source-column de --target-column en -o m.heed\n"
    "\n"
    "Ctrl-C saves and stops; heed train --resume FOLDER goes on as if nothing had\n"
    "happened.";

constexpr const char* kSummarizeFooter =
    "DATA may be, as it is or as .gz:\n"
    "  mails.jsonl         a JSON object in each line, such as body and subject\n"
    "  news.csv, news.tsv  columns with names; those of source and target are found,\n"
    "                      or named by --source-column, --target-column\n"
    "  a.txt titles.txt    two files whose lines belong together\n"
    "\n"
    "The score is ROUGE-L.\n"
    "\n"
    "Examples:\n"
    "  heed train summarize mails.jsonl -o subjects.heed --time 30m\n"
    "  heed train summarize news.csv --target-column headline -o news.heed\n"
    "\n"
    "Ctrl-C saves and stops; heed train --resume FOLDER goes on as if nothing had\n"
    "happened.";

constexpr const char* kTranscribeFooter =
    "DATA is a table, as it is or as .gz:\n"
    "  speech.csv, .tsv  columns path and text (or transcript), perhaps start and end\n"
    "                    in seconds; recordings are WAV, FLAC, OGG or MP3\n"
    "  speech.jsonl      a JSON object in each line, with such names\n"
    "\n"
    "The score is the word error rate. An attention decoder writes, and CTC on the\n"
    "rows of the recording helps it to listen: --set output.ctc=0 is the decoder\n"
    "alone, --set output.ctc=1 CTC alone.\n"
    "\n"
    "Examples:\n"
    "  heed train transcribe speech.csv -o speech.heed --time 15m\n"
    "  heed predict speech.heed a.wav b.flac\n"
    "\n"
    "Ctrl-C saves and stops; heed train --resume FOLDER goes on as if nothing had\n"
    "happened.";

constexpr const char* kGenerateFooter =
    "DATA may be, as it is or as .gz:\n"
    "  texts.txt         each line is a text; or with --format paragraphs: an empty\n"
    "                    line stands between texts\n"
    "  texts.csv, .tsv   a column of texts, found or named by --text-column\n"
    "  texts.jsonl       a JSON object in each line, with such a name\n"
    "\n"
    "The score is the perplexity per word, the end of each text counted: the less,\n"
    "the better. heed predict continues prompts.\n"
    "\n"
    "Examples:\n"
    "  heed train generate captions.txt -o captions.heed --time 15m\n"
    "  heed train generate novels/*.txt --format paragraphs -o novels.heed\n"
    "  heed train generate captions.txt --body lstm -o lstm.heed\n"
    "  echo 'A man in a' | heed predict captions.heed --temperature 0.7\n"
    "\n"
    "Ctrl-C saves and stops; heed train --resume FOLDER goes on as if nothing had\n"
    "happened.";

}  // namespace

const std::vector<Task> kTasks = {
    {"classify", "label",
     "Learn one answer for a text, a recording or a picture: its topic, its speaker",
     kClassifyFooter},
    {"label", "labels",
     "Learn any number of labels for a text, a recording or a picture (multi-label)", kLabelFooter},
    {"tag", "tags", "Learn an answer for each word, moment of sound or part of a picture",
     kTagFooter},
    {"translate", "sequence", "Learn to write a text for a text: its translation",
     kTranslateFooter},
    {"summarize",
     "sequence",
     "Learn to write a short text for a long one: its summary, its title",
     kSummarizeFooter,
     {"output.measure=rouge", "input.truncation=400", "input.targets=true", "output.shared=true",
      "output.copy=true"}},
    {"transcribe",
     "sequence",
     "Learn to write down what is said in recordings",
     kTranscribeFooter,
     {},
     ContentKind::kAudio},
    {"generate", "next_token", "Learn to continue texts: a language model", kGenerateFooter},
};

}  // namespace heed::cli
