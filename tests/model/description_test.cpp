#include "heed/model/description.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "heed/base/error.h"
#include "heed/model/description_svg.h"
#include "heed/model/model.h"
#include "heed/model/options.h"
#include "tests/support/made_examples.h"

namespace heed {
namespace {

using test::add_tfidf;
using test::attention_of;
using test::classes_of;
using test::label_of;
using test::tags_of;
using test::text_of;

// Small enough to be counted by hand.
Config small_config() {
  Config config;
  config.width = 4;
  text_of(config).entries = 10;
  AttentionBodyOptions& body = attention_of(config);
  body.position.kind = nn::Position::kLearned;
  body.position.longest = 16;
  body.encoder.attention.heads = 2;
  body.encoder.feed_forward.hidden = 6;
  body.encoder.order = nn::NormOrder::kPre;
  classes_of(config).names = {"a", "b", "c"};
  label_of(config).pooling = nn::PoolingKind::kMeanMax;
  return config;
}

const PlanStep& step(const Description& description, const std::string& name) {
  for (const PlanStep& each : description.steps) {
    if (each.name == name) return each;
  }
  throw UsageError("there is no step " + name);
}

// What holds for every model.
void expect_sound(const Config& config, const std::string& what) {
  const Description description = describe_model(config, 5);
  const Model model(config);
  Index parameters = 0;
  double flops = 0.0;
  Shape shape;
  for (const PlanStep& each : description.steps) {
    // Each network begins with the text.
    const Shape expected = each.name == "tokens" ? Shape() : shape;
    EXPECT_EQ(each.in, expected) << what << ": " << each.name;
    shape = each.out;
    parameters += each.parameters;
    flops += each.flops;
  }
  EXPECT_EQ(parameters, model.parameters().size()) << what;
  EXPECT_EQ(parameters, description.parameters) << what;
  EXPECT_EQ(flops, description.flops) << what;
  // Parameters that no step claims would be found here.
  EXPECT_EQ(description.steps.front().parameters, 0) << what;
}

TEST(Description, CountsASmallModelAsDoneByHand) {
  const Description description = describe_model(small_config(), 5);
  EXPECT_EQ(description.length, 5);
  struct Row {
    std::string layer, name;
    Shape out;
    Index parameters;
    double flops;
  };
  const std::vector<Row> rows = {
      {"", "tokens", {5}, 0, 0},
      {"", "words", {5, 4}, 10 * 4, 0},
      {"", "positions", {5, 4}, 16 * 4, 0},
      {"layer 1", "norm", {5, 4}, 8, 0},
      // Four projections, then scores and sums over 5 × 5 pairs.
      {"layer 1", "attention", {5, 4}, 4 * (16 + 4), 4 * 2 * 5 * 4 * 4 + 2 * 2 * 25 * 4},
      {"layer 1", "norm", {5, 4}, 8, 0},
      {"layer 1", "feed-forward", {5, 4}, 24 + 6 + 24 + 4, 2 * 2 * 5 * 4 * 6},
      {"", "norm", {5, 4}, 8, 0},
      {"", "mean-max pooling", {1, 8}, 0, 0},
      {"", "classifier", {1, 3}, 8 * 3 + 3, 2 * 8 * 3},
      {"", "answer", {1}, 0, 0}};
  ASSERT_EQ(description.steps.size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const PlanStep& got = description.steps[i];
    EXPECT_EQ(got.layer, rows[i].layer) << i;
    EXPECT_EQ(got.name, rows[i].name) << i;
    EXPECT_EQ(got.out, rows[i].out) << got.name;
    EXPECT_EQ(got.parameters, rows[i].parameters) << got.name;
    EXPECT_EQ(got.flops, rows[i].flops) << got.name;
  }
  EXPECT_EQ(description.embedding_parameters, 40);
  EXPECT_EQ(description.parameters, 40 + 64 + 3 * 8 + 80 + 58 + 27);
  EXPECT_EQ(description.flops, 1040 + 480 + 48);
}

TEST(Description, CountsWhatAMaskLetsSee) {
  const auto attention = [](auto change) {
    Config config = small_config();
    change(attention_of(config).encoder.attention);
    return step(describe_model(config, 5), "attention").flops;
  };
  using Options = nn::AttentionOptions;
  const double projections = 4 * 2 * 5 * 4 * 4;
  // 2 · 4 for a score and 2 · 4 for a sum, for each pair.
  EXPECT_EQ(attention([](Options& o) { o.mask.causal = true; }), projections + 15 * 16);
  EXPECT_EQ(attention([](Options& o) { o.mask.before = o.mask.after = 1; }), projections + 13 * 16);
  EXPECT_EQ(attention([](Options& o) { o.mask.before = 3; }), projections + (5 + 9 + 10) * 16);
  EXPECT_EQ(attention([](Options& o) { o.mask.before = o.mask.after = 0; }), projections + 5 * 16);
  EXPECT_EQ(attention([](Options& o) { o.mask.after = 100; }), projections + 25 * 16);
  EXPECT_EQ(attention([](Options& o) { o.memory_slots = 2; }), projections + 35 * 16);
  // Of two heads, one sees 13 pairs and the other 25.
  EXPECT_EQ(attention([](Options& o) { o.windows = {1, 0}; }), projections + 19 * 16);
}

TEST(Description, CountsEachKindOfAttention) {
  const auto attention = [](auto change) {
    Config config = small_config();
    change(attention_of(config).encoder.attention);
    return step(describe_model(config, 5), "attention").flops;
  };
  using Options = nn::AttentionOptions;
  EXPECT_EQ(attention([](Options& o) { o.score = nn::Score::kLocation; }), 1040 - 2 * 5 * 4 * 4);
  EXPECT_EQ(attention([](Options& o) { o.score = nn::Score::kBilinear; }),
            1040 + 2 * (2 * 5 * 2 * 2));
  EXPECT_EQ(attention([](Options& o) { o.join = nn::HeadJoin::kAverage; }), 1040 - 2 * 5 * 4 * 2);
  // Values twice as wide: their projection, the sums, and the way out.
  EXPECT_EQ(attention([](Options& o) { o.value_width = 8; }),
            1040 + 2 * 5 * 4 * 4 + 2 * 25 * 4 + 2 * 5 * 4 * 4);
}

TEST(Description, CountsTheOtherBodies) {
  Config config = small_config();
  config.body = Choice<Body>("window");
  config.body.as<WindowBody>()->options() = {.neighbours = 1, .hidden = 6};
  const Description window = describe_model(config, 5);
  EXPECT_EQ(step(window, "window").parameters, 6 * 4 * 3 + 6);
  EXPECT_EQ(step(window, "window").flops, 2 * 5 * 6 * 12);
  EXPECT_EQ(step(window, "window").out, (Shape{5, 6}));
  EXPECT_EQ(step(window, "linear").flops, 2 * 5 * 4 * 6);
  config.body = Choice<Body>("bag");
  label_of(config).pooling = nn::PoolingKind::kAttention;
  const Description bag = describe_model(config, 5);
  EXPECT_EQ(step(bag, "attention pooling").parameters, 4);
  EXPECT_EQ(bag.flops, 2 * (2 * 5 * 4) + 2 * 4 * 3);
}

TEST(Description, EveryChoiceCountsAllParameters) {
  for (const std::string& body : Registry<Body>::instance().names()) {
    Config config = small_config();
    if (body != config.body.kind()) config.body = Choice<Body>(body);
    for (const std::string& pooling : all_names<nn::PoolingKind>()) {
      label_of(config).pooling = *value_named<nn::PoolingKind>(pooling);
      expect_sound(config, body + ", " + pooling);
    }
    config.output = Choice<Output>("tags");
    classes_of(config).names = {"a", "b", "c"};
    expect_sound(config, body + ", tags");
    tags_of(config).crf = true;
    expect_sound(config, body + ", crf");
  }
  for (const std::string& tokenizer : all_names<TokenizerOptions::Kind>()) {
    Config config = small_config();
    text_of(config).tokenizer.kind = *value_named<TokenizerOptions::Kind>(tokenizer);
    expect_sound(config, tokenizer);
  }
  Config config = small_config();
  text_of(config).char_ngrams.buckets = 100;
  text_of(config).char_cnn.filters = 8;
  expect_sound(config, "characters");
  EXPECT_EQ(step(describe_model(config, 5), "character n-grams").parameters, 400);
  EXPECT_EQ(step(describe_model(config, 5), "character CNN").parameters,
            1024 * 32 + (8 * 32 * 3 + 8) + (8 * 4 + 4));
  EXPECT_EQ(describe_model(config, 5).embedding_parameters, 440 + 1024 * 32);
  config.ensemble.size = 2;
  expect_sound(config, "ensemble");
  config.ensemble.bodies = {Choice<Body>("bag")};
  expect_sound(config, "ensemble of different bodies");
  add_tfidf(config, 25);
  expect_sound(config, "ensemble of different bodies that share TF-IDF");
}

TEST(Description, TellsNetworksOfDifferentBodiesApart) {
  Config config = small_config();
  double flops = describe_model(config, 5).flops;
  config.ensemble.size = 2;
  config.ensemble.bodies = {Choice<Body>("bag")};
  const Description both = describe_model(config, 5);
  config = small_config();
  config.body = Choice<Body>("bag");
  flops += describe_model(config, 5).flops;
  EXPECT_EQ(both.flops, flops);
  EXPECT_EQ(both.steps.front().layer, "network 1");
  EXPECT_EQ(step(both, "answer").note, "the most likely class, by the mean of 2 networks");
}

TEST(Description, NetworksThatAreAlikeAreDescribedOnce) {
  Config config = small_config();
  const Description one = describe_model(config, 5);
  config.ensemble.size = 3;
  const Description three = describe_model(config, 5);
  ASSERT_EQ(three.steps.size(), one.steps.size());
  EXPECT_EQ(three.flops, 3.0 * one.flops);
  EXPECT_EQ(three.parameters, 3 * one.parameters);
  EXPECT_EQ(step(three, "answer").note,
            "the most likely class, by the mean of 3 networks like this");
}

TEST(Description, EveryAttentionCountsAllParameters) {
  for (const std::string& score : all_names<nn::Score>()) {
    for (const std::string& position : all_names<nn::Position>()) {
      for (const std::string& order : all_names<nn::NormOrder>()) {
        Config config = small_config();
        AttentionBodyOptions& body = attention_of(config);
        body.position.kind = *value_named<nn::Position>(position);
        body.encoder.order = *value_named<nn::NormOrder>(order);
        body.encoder.layers = 3;
        body.encoder.norm = kernel::Norm::kRms;
        body.encoder.feed_forward.gated = true;
        nn::AttentionOptions& attention = body.encoder.attention;
        attention.score = *value_named<nn::Score>(score);
        attention.temperature.learned = true;
        attention.memory_slots = 3;
        attention.longest = 7;
        expect_sound(config, score + ", " + position + ", " + order);
        body.position.kind = nn::Position::kNone;
        attention.position = *value_named<nn::Position>(position);
        expect_sound(config, score + ", " + position + " inside, " + order);
      }
    }
  }
}

TEST(Description, ChoosesALengthThatFits) {
  Config config = small_config();
  EXPECT_EQ(describe_model(config).length, 16);
  attention_of(config).position.kind = nn::Position::kRotary;
  EXPECT_EQ(describe_model(config).length, 128);
  EXPECT_EQ(longest_length(config), text_of(config).truncation);
  attention_of(config).segment = 70;
  EXPECT_EQ(describe_model(config).length, 70);
  attention_of(config).segment = 0;
  attention_of(config).encoder.attention.score = nn::Score::kLocation;
  attention_of(config).encoder.attention.longest = 9;
  EXPECT_EQ(describe_model(config).length, 9);
  config.body = Choice<Body>("bag");
  text_of(config).truncation = 0;
  EXPECT_EQ(describe_model(config).length, 128);
  EXPECT_NO_THROW(describe_model(config, 100'000));
  text_of(config).truncation = 100;
  EXPECT_EQ(describe_model(config).length, 100);
  EXPECT_NO_THROW(describe_model(config, 100));
  EXPECT_THROW(describe_model(config, 101), UsageError);
  EXPECT_THROW(describe_model(config, -1), UsageError);
}

TEST(Description, WorksBeforeThereIsData) {
  Config config = small_config();
  text_of(config).entries = 0;
  text_of(config).tokenizer.vocabulary = 1000;
  classes_of(config).names.clear();
  const Description description = describe_model(config, 5);
  EXPECT_EQ(step(description, "words").parameters, 4000);
  EXPECT_EQ(step(description, "classifier").out, (Shape{1, 2}));
}

TEST(Description, ShortensCounts) {
  EXPECT_EQ(short_count(0.0), "0");
  EXPECT_EQ(short_count(999.0), "999");
  EXPECT_EQ(short_count(999.7), "1.00 k");
  EXPECT_EQ(short_count(1040.0), "1.04 k");
  EXPECT_EQ(short_count(9996.0), "10.0 k");
  EXPECT_EQ(short_count(99960.0), "100 k");
  EXPECT_EQ(short_count(25297920.0), "25.3 M");
  EXPECT_EQ(short_count(2.5e18), "2500 P");
}

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

double attribute(const std::string& svg, const std::string& name) {
  return std::strtod(svg.c_str() + svg.find(name + "=\"") + name.size() + 2, nullptr);
}

TEST(DescriptionPicture, DrawsLayersThatAreAlikeOnce) {
  Config config = small_config();
  const std::string one = description_svg(describe_model(config, 5), "small");
  attention_of(config).encoder.layers = 12;
  const std::string twelve = description_svg(describe_model(config, 5), "small");
  EXPECT_EQ(count(one, ">layer 1<"), 1);
  EXPECT_EQ(count(twelve, ">12 layers, each<"), 1);
  for (const std::string& svg : {one, twelve}) {
    EXPECT_EQ(count(svg, ">attention<"), 1);
    EXPECT_EQ(count(svg, ">norm<"), 3);
    EXPECT_EQ(count(svg, ">(5, 4)<"), 7);  // on the arrows from words to pooling
    EXPECT_EQ(count(svg, ">(1, 8)<"), 1);
  }
  EXPECT_EQ(attribute(one, " height"), attribute(twelve, " height"));
}

TEST(DescriptionPicture, DrawsWhatIsAddedAsASum) {
  Config config = small_config();
  const std::string plain = description_svg(describe_model(config, 5), "small");
  Index residuals = 0, beside = 0;
  for (const PlanStep& step : describe_model(config, 5).steps) {
    residuals += step.note.find("residual") == std::string::npos ? 0 : 1;
    beside += step.note.starts_with("+ ") ? 1 : 0;
  }
  EXPECT_GE(residuals, 2);
  EXPECT_EQ(count(plain, ">+<"), residuals + beside);
  add_tfidf(config, 25);
  const std::string wide = description_svg(describe_model(config, 5), "small");
  EXPECT_EQ(count(wide, ">+<"), residuals + beside + 1);
  EXPECT_EQ(count(wide, "l-8 -4.5v9z"), beside + 1) << "arrows from the text itself";
}

TEST(DescriptionPicture, DrawsNetworksOfAnEnsembleBesideEachOther) {
  Config config = small_config();
  config.ensemble.size = 3;
  config.ensemble.bodies = {Choice<Body>("window"), Choice<Body>("bag")};
  const Description description = describe_model(config, 5);
  Index begins = 0, beside = 0;
  for (const PlanStep& step : description.steps) {
    begins += step.in.rank() == 0 ? 1 : 0;
    beside += step.note.starts_with("+ ") ? 1 : 0;
  }
  ASSERT_EQ(begins, 3);
  const std::string svg = description_svg(description, "three");
  EXPECT_EQ(count(svg, "l-8 -4.5v9z"), beside + 2) << "each reads the text itself";
  EXPECT_EQ(count(svg, "H404.0V"), 2) << "each goes on to the answer";
}

TEST(DescriptionPicture, SaysWhatIsRead) {
  Description description = describe_model(small_config(), 5);
  EXPECT_EQ(count(description_svg(description, "x"), "what happens to a text of 5 tokens"), 1);
  description.content = ContentKind::kAudio;
  const std::string svg = description_svg(description, "x");
  EXPECT_EQ(count(svg, "what happens to a recording of 5 rows"), 1);
  EXPECT_EQ(count(svg, ">recording<"), 1);
}

TEST(DescriptionPicture, CutsNoNote) {
  Config config = small_config();
  Description description = describe_model(config, 5);
  description.steps[0].note = "one two three four five six seven eight nine ten eleven twelve end";
  const std::string svg = description_svg(description, "small");
  EXPECT_EQ(count(svg, "…"), 0);
  EXPECT_EQ(count(svg, " twelve end<") + count(svg, ">twelve end<"), 1);
}

TEST(DescriptionPicture, StaysInsideAndEscapesItsTitle) {
  Config config = small_config();
  config.body = Choice<Body>("window");
  const std::string svg = description_svg(describe_model(config, 5), "<&>");
  EXPECT_NE(svg.find("<title>&lt;&amp;&gt;</title>"), std::string::npos);
  EXPECT_EQ(count(svg, "<text"), count(svg, "</text>"));
  const double height = attribute(svg, " height");
  for (const char* name : {" y", " y1", " y2"}) {
    for (std::size_t at = svg.find(std::string(name) + "=\""); at != std::string::npos;
         at = svg.find(std::string(name) + "=\"", at + 1)) {
      const double y = std::strtod(svg.c_str() + svg.find('"', at) + 1, nullptr);
      EXPECT_TRUE(y >= 0.0 && y < height) << name << "=" << y;
    }
  }
}

TEST(Description, SaysWhatIsReadAndWhatStandsBesideTheNetwork) {
  Config config = small_config();
  EXPECT_EQ(step(describe_model(config), "tokens").note, "word, in lower case, the first 512");
  text_of(config).truncation = 0;
  EXPECT_EQ(step(describe_model(config), "tokens").note, "word, in lower case");
  add_tfidf(config, 25);
  EXPECT_EQ(step(describe_model(config), "TF-IDF").note,
            "+ a score of each of 25 words, pairs and n-grams");
  EXPECT_EQ(step(describe_model(config), "TF-IDF").parameters, 25 * 3 + 25);
}

}  // namespace
}  // namespace heed
