#include "heed/model/output/tags.h"
#include "heed/train/defaults.h"
#include "heed/train/defaults/text.h"

namespace heed {
namespace {

// A CRF, unless something was chosen that has no meaning with one. On 3,000 sentences of ewt it
// took 93.1 to 93.3 %, and a larger character CNN the same.
bool can_have_crf(const Config& said) {
  const ClassOptions& classes = said.output.as<TagsOutput>()->options().classes;
  return classes.smoothing == 0.0f && classes.class_weights.empty() && said.ensemble.size == 1;
}

// Wider vectors, of which more is left out, and more hidden words: on the last 1,800 of the
// training sentences of conll2000 the network alone has 92.9 F1 with a width of 128, dropout 0.2
// and word dropout 0.1, 93.1 with the dropout below, and 93.4 with both. 0.35 everywhere was
// worse, 92.7.
//
// Masked words, and with them 3.5 times the epochs of a label in place of 2: on the held-out tenth
// of conll2000 the network alone has 94.4 F1 in place of 93.7 (94.0 with the epochs alone), on ewt
// (dev) 95.5 % in place of 95.2. N-grams in lower case are better on ewt, where many unknown words
// have capitals: 94.2 % in place of 94.0, learned from a third of it.
void start_text_tags(const Config& said, Config& config) {
  TextOptions& text = config.input.as<TextInput>()->options();
  start_text(said, text);
  config.width = 192;
  text.dropout = 0.4f;
  text.word_dropout = 0.2f;
  if (has_words(said)) text.char_cnn = {.filters = 256, .taps = 5};
  text.char_ngrams.lowercase = true;
  text.masked_words.share = 0.1f;
  text.tokenizer.min_count = 2;
  text.truncation = 0;  // no word without a tag
  if (auto* body = config.body.as<AttentionBody>()) {
    start_attention(said, *body);
    see_at_several_scales(*body);
    // Network alone, held out: 1,000 sentences of conll2000, two draws of them, 88.2, 88.2 → 88.7,
    // 88.7 F1 (LSTM 88.8, 88.4), 7,100 sentences 94.0 → 93.9; 1,000 of ewt, two draws, 92.4, 92.8
    // → 92.5, 92.6 %. It takes a fifth more time.
    body->options().encoder.convolution.recurrent = true;
    body->options().segment = 512;
  }
  config.output.as<TagsOutput>()->options().crf = can_have_crf(said);
  config.wide = Choice<Wide>("linear_crf");
}

}  // namespace

// Of few sentences a smaller network that reads them often learns more in a short time. 1,000 of
// conll2000 in 15 s of one core, held out, two seeds: width 192, 8 of 40 epochs, 87.1 and 87.6 F1;
// width 96 87.7 and 88.5; the preset tiny 88.2 and 88.3. Of ewt: 92.3 and 92.0 %, with 96 92.6 and
// 92.6, with tiny 92.6 and 92.5.
const PairDefaults kTextTags = {.input = "text",
                                .output = "tags",
                                .body = "attention",
                                .start = start_text_tags,
                                .reads = {.epochs = 3.5, .timed_share = 0.5},
                                .baseline = linear_crf_alone};

}  // namespace heed
