// An input, a body and an output that heed does not have, each added with one line. Everything that
// a run does must work with them, and with any mix of them and the real ones.

#include <gtest/gtest.h>

#include <set>

#include "heed/base/file.h"
#include "heed/grad/loss.h"
#include "heed/grad/pool.h"
#include "heed/grad/sequence.h"
#include "heed/heed.h"
#include "heed/model/description.h"
#include "heed/model/predictor.h"
#include "heed/nn/linear.h"
#include "heed/train/defaults.h"
#include "heed/train/run.h"
#include "heed/train/settings.h"
#include "tests/support/messages.h"
#include "tests/support/temporary_folder.h"

namespace heed {
namespace {

using test::TemporaryFolder;

// The input "fake_codes": a number for each byte of a text, less the mean of all texts, and a
// linear layer. The mean is in a file of its own.
struct CodesOptions {
  float scale = 0.1f;
};
template <class Archive>
void describe(Archive& archive, CodesOptions& options) {
  archive.field("scale", options.scale, above(0));
}

class CodesNetwork : public InputNetwork {
 public:
  CodesNetwork(const Scope& scope, Index width) : linear_(scope / "linear", 1, width) {}

  Sequences operator()(Context& context, const Batch& batch) const override {
    const std::span<float> codes = context.arena().copy(batch.input.numbers(0).values());
    const Tensor x{codes.data(), {static_cast<Index>(codes.size()), 1}};
    return linear_(context, Sequences{context.constant(x, "codes"),
                                      Layout::of(context.arena(), batch.lengths, batch.first)});
  }
  void describe(Plan& plan) const override {
    plan.add("fake_codes", {plan.rows(), 1}, {.note = "a number for each byte"});
    plan.add("linear", {plan.rows(), linear_.out()}, {"linear", linear_.flops(plan.rows()), ""});
  }

 private:
  nn::Linear linear_;
};

class CodesInput : public PartOf<CodesInput, Input, CodesOptions> {
 public:
  bool reads(const Content& content) const override {
    return std::holds_alternative<Text>(content);
  }
  void fit(const Dataset& train) override {
    double sum = 0.0, count = 1.0;
    for (const Record& record : train.records) {
      for (const char byte : std::get<Text>(record.content).text) sum += byte, ++count;
    }
    mean_ = static_cast<int>(sum / count);
  }
  void prepare(const Content& content, Batch& batch) const override {
    Ragged<float>& codes = batch.input.numbers(0);
    for (const char byte : std::get<Text>(content).text) {
      codes.push(options_.scale * static_cast<float>(byte - mean_));
    }
    if (codes.open() == 0) codes.push(0.0f);
    batch.lengths.push_back(codes.open());
    codes.close();
  }
  std::string summary() const override { return "bytes around " + std::to_string(mean_); }
  std::vector<std::string> files() const override { return {"codes.txt"}; }
  void save(const std::string& folder) const override {
    write_file(folder + "/codes.txt", std::to_string(mean_));
  }
  void load(const std::string& folder) override {
    mean_ = std::stoi(read_file(folder + "/codes.txt"));
  }
  std::unique_ptr<InputNetwork> network(const Scope& scope, Index width) const override {
    return std::make_unique<CodesNetwork>(scope, width);
  }

 private:
  int mean_ = 0;
};

// The body "fake_next": each vector and half of the one after it; after the last one stands one
// that is learned. Its dropout makes it draw random numbers, which a resumed run must draw again.
struct NextOptions {
  float dropout = 0.1f;
};
template <class Archive>
void describe(Archive& archive, NextOptions& options) {
  archive.field("dropout", options.dropout, part_of_one());
}

class NextNetwork : public BodyNetwork {
 public:
  NextNetwork(const Scope& scope, const NextOptions& options, Index width)
      : options_(options), last_(&scope.add("last", {1, width}, Init::normal(0.1f))) {}

  Sequences operator()(Context& context, const Sequences& x) const override {
    const Sequences none = grad::slice(context, x, 0, 0);
    const Sequences last = grad::prepend(context, context.parameter(*last_), none);
    const Sequences longer = grad::concatenate(context, x, last);
    const Var next = grad::last_rows(context, longer, x.layout);
    return {grad::dropout(context, grad::add(context, x.rows, next, 1.0f, 0.5f),
                          context.dropout(options_.dropout, x.layout)),
            x.layout};
  }
  void describe(Plan& plan) const override {
    plan.add("fake_next", plan.shape(), {.note = "+ half of the vector after it"});
  }

 private:
  NextOptions options_;
  const Parameter* last_;
};

class NextBody : public PartOf<NextBody, Body, NextOptions> {
 public:
  std::unique_ptr<BodyNetwork> network(const Scope& scope, Index width) const override {
    return std::make_unique<NextNetwork>(scope, options_, width);
  }
  void set_dropout(float rate) override { options_.dropout = rate; }
};

// The output "fake_sign": of two labels the one that the sign of a single number says. The names
// are in a file of their own, and the measure is its own.
struct SignOptions {
  float weight = 1.0f;  // of every answer
};
template <class Archive>
void describe(Archive& archive, SignOptions& options) {
  archive.field("weight", options.weight, above(0));
}

class SignNetwork : public OutputNetwork {
 public:
  SignNetwork(const Scope& scope, Index width)
      : last_(scope / "last", width, 1), both_(scope / "both", 1, 2) {}

  Var scores(Context& context, const Sequences& x) const override {
    return both_(context, last_(context, grad::pool(context, x, grad::Pool::kMean)));
  }
  Var loss(Context& context, const Sequences& x, const Batch& batch,
           const WideScores& wide) const override {
    return grad::cross_entropy(context, add(context, scores(context, x), wide),
                               batch.answer.integers(0).values(),
                               {.divisor = static_cast<float>(batch.whole_weight)});
  }
  std::vector<Prediction> predict(Context& context, const Sequences& x, const Batch&,
                                  const WideScores& wide, Index top) const override {
    const Var all = add(context, scores(context, x), wide);  // (sequences, 2)
    std::vector<Prediction> predictions;
    for (Index s = 0; s < all.rows(); ++s) {
      const float difference = all.value.row(s)[1] - all.value.row(s)[0];
      const float second = 1.0f / (1.0f + std::exp(-difference));
      std::vector<Candidate> candidates = {{0, 1.0f - second}, {1, second}};
      if (difference > 0.0f) std::swap(candidates[0], candidates[1]);
      if (top < 2) candidates.pop_back();
      predictions.push_back({{candidates}});
    }
    return predictions;
  }
  void describe(Plan& plan) const override {
    plan.add("mean", {1, last_.in()}, {});
    plan.add("number", {1, 1}, {"last", last_.flops(1), ""});
    plan.add("both signs", {1, 2}, {"both", both_.flops(1), ""});
  }
  void describe_answer(Plan& plan) const override { plan.add("answer", {1}, {.note = "the sign"}); }

 private:
  nn::Linear last_, both_;
};

class SignMeasures : public Measures {
 public:
  explicit SignMeasures(std::vector<std::string> names) : names_(std::move(names)) {}

  void add(const Answer& truth, const Prediction& prediction) override {
    const auto index = static_cast<std::size_t>(prediction.rows[0][0].index);
    right_ += std::get<Label>(truth).name == names_[index] ? 1.0 : 0.0;
    ++count_;
  }
  double score() const override { return count_ == 0.0 ? 0.0 : right_ / count_; }
  std::string score_name() const override { return "right signs"; }
  std::string report() const override { return fmt::format("{} of {} right\n", right_, count_); }
  void write(const JsonPlace& place) const override { place["right"].set(right_); }

 private:
  std::vector<std::string> names_;
  double right_ = 0.0, count_ = 0.0;
};

class SignOutput : public PartOf<SignOutput, Output, SignOptions> {
 public:
  AnswerKind answer_kind() const override { return AnswerKind::kLabel; }
  std::string purpose(ContentKind) const override { return "tells signs"; }
  void fit(const Dataset& all, bool) override {
    std::set<std::string> seen;
    for (const Record& record : all.records) seen.insert(std::get<Label>(record.answer).name);
    if (seen.size() != 2) throw FormatError("expected two labels");
    names_.assign(seen.begin(), seen.end());
  }
  void balance(const Dataset&) override {}
  std::string unseen(const Dataset&, const std::string&) const override { return {}; }
  void prepare(const Answer& answer, Batch& batch) const override {
    const auto* label = std::get_if<Label>(&answer);
    const std::int32_t index = label == nullptr ? kNoAnswer : label->name == names_[1] ? 1 : 0;
    batch.answer.integers(0).add({&index, 1});
  }
  double weight(const Batch& batch) const override {
    return static_cast<double>(options_.weight) * static_cast<double>(batch.sequences());
  }
  Index classes() const override { return std::ssize(names_); }
  void assume_classes() override { names_ = {"-", "+"}; }
  const std::string& name_of(std::int32_t index) const override {
    return names_[static_cast<std::size_t>(index)];
  }
  bool takes_wide() const override { return true; }
  std::unique_ptr<OutputNetwork> network(const Scope& scope, Index width) const override {
    return std::make_unique<SignNetwork>(scope, width);
  }
  std::unique_ptr<Measures> measures() const override {
    return std::make_unique<SignMeasures>(names_);
  }
  Answer answer(const Record&, const Prediction& prediction) const override {
    return Label{name_of(prediction.rows[0][0].index)};
  }
  std::string answer_text(const Record& record, const Prediction& prediction) const override {
    return std::get<Label>(answer(record, prediction)).name + "\n";
  }
  void write_answer(const JsonPlace& place, const Record& record,
                    const Prediction& prediction) const override {
    place["sign"].set(std::string_view(std::get<Label>(answer(record, prediction)).name));
  }
  std::vector<std::string> files() const override { return {"signs.txt"}; }
  void save(const std::string& folder) const override {
    write_file(folder + "/signs.txt", names_[0] + "\n" + names_[1]);
  }
  void load(const std::string& folder) override {
    const std::string both = read_file(folder + "/signs.txt");
    names_ = {both.substr(0, both.find('\n')), both.substr(both.find('\n') + 1)};
  }

 private:
  std::vector<std::string> names_;
};

template <class Axis, class Concrete>
std::unique_ptr<Axis> make() {
  return std::make_unique<Concrete>();
}

// A line each, and nothing else anywhere.
const bool kAdded = [] {
  Registry<Input>::instance().add("fake_codes", make<Input, CodesInput>);
  Registry<Body>::instance().add("fake_next", make<Body, NextBody>);
  Registry<Output>::instance().add("fake_sign", make<Output, SignOutput>);
  return true;
}();

// Texts of early letters and of late ones, which every input can tell apart.
std::string made_csv() {
  Random random(3);
  std::string lines = "text,label\n";
  for (int i = 0; i < 120; ++i) {
    const bool late = random.below(2) == 1;
    std::string text;
    for (std::uint32_t left = 2 + random.below(5); left > 0; --left) {
      const char letter = static_cast<char>((late ? 'r' : 'b') + random.below(4));
      text += fmt::format("{}{}", text.empty() ? "" : " ", std::string(2, letter));
    }
    lines += text + (late ? ",late\n" : ",early\n");
  }
  return lines;
}

// The same letters as words with a tag each.
std::string conll() {
  Random random(4);
  std::string lines;
  for (int i = 0; i < 120; ++i) {
    for (std::uint32_t left = 1 + random.below(6); left > 0; --left) {
      const bool late = random.below(2) == 1;
      const char letter = static_cast<char>((late ? 'r' : 'b') + random.below(4));
      lines += fmt::format("{}\t{}\n", std::string(2, letter), late ? "LATE" : "EARLY");
    }
    lines += "\n";
  }
  return lines;
}

// A small model with these choices, by the way that a program goes: by name, with the defaults that
// belong to the choices.
Settings settings_of(const std::vector<std::string>& set, const char* output = "label") {
  std::vector<std::string> all = {"width=16", "training.epochs=6", "training.rate=0.01",
                                  "training.batch_rows=100", "training.workers=2"};
  all.insert(all.end(), set.begin(), set.end());
  Settings said{default_config(output), {}};
  for (const std::string& setting : all) apply_setting(setting, said);
  Settings settings{default_config(said.config), {}};
  for (const std::string& setting : all) apply_setting(setting, settings);
  check_settings(settings);
  return settings;
}

struct Mix {
  std::string name;
  std::vector<std::string> set;
  const char* output = "label";
};
void PrintTo(const Mix& mix, std::ostream* out) { *out << mix.name; }

class FakeAxes : public testing::TestWithParam<Mix> {
 protected:
  FakeAxes() {
    const bool tags = std::string(GetParam().output) == "tags";
    const Settings settings = settings_of(GetParam().set, GetParam().output);
    options_.read.answer = tags ? AnswerKind::kTags : AnswerKind::kLabel;
    data_ = tags ? folder_.write("data.conll", conll()) : folder_.write("data.csv", made_csv());
    options_.train = {data_};
    options_.config = settings.config;
    options_.training = settings.training;
  }

  const TemporaryFolder folder_;
  std::string data_;
  RunOptions options_;
  const std::atomic<bool> never_ = false;
};

TEST_P(FakeAxes, TrainsEvaluatesPredictsAndDescribes) {
  ASSERT_TRUE(kAdded);
  const std::string path = folder_.path("M");
  const RunResult result = train_run(path, options_, {}, never_);
  EXPECT_EQ(result.end, Trainer::End::kFinished);
  EXPECT_GT(result.score.value, 0.9);
  EXPECT_EQ(result.score.name, options_.config.output->measures()->score_name());

  const Model model = load_model(path);
  EXPECT_EQ(model.config().input.kind(), options_.config.input.kind());
  EXPECT_EQ(model.config().body.kind(), options_.config.body.kind());
  EXPECT_EQ(model.config().output.kind(), options_.config.output.kind());
  const Dataset data = read_dataset({data_}, options_.read);
  const std::unique_ptr<Measures> measures = evaluate(model, data, 2);
  EXPECT_GT(measures->score(), 0.9);
  EXPECT_FALSE(measures->report().empty());

  const Predictor predictor(model, 2);
  const std::vector<Record> records(data.records.begin(), data.records.end());
  const std::vector<Prediction> predictions = predictor(records, 2);
  const Output& output = *model.config().output;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const Prediction one = predictor(records[i], 2);
    EXPECT_EQ(output.answer_text(records[i], one), output.answer_text(records[i], predictions[i]));
  }

  const Description description = describe_model(model.config(), 7);
  Index parameters = 0;
  for (const PlanStep& step : description.steps) parameters += step.parameters;
  EXPECT_EQ(parameters, model.parameters().size());
  EXPECT_TRUE(description.steps.back().name == "answer" || description.steps.back().name == "crf");
  EXPECT_EQ(description.steps.front().parameters, 0) << "parameters that no step claims";
}

TEST_P(FakeAxes, AResumedRunEndsWithTheSameBits) {
  const std::string whole = folder_.path("whole"), stopped = folder_.path("stopped");
  train_run(whole, options_, {}, never_);
  std::atomic<bool> stop = false;
  RunEvents events;
  events.step = [&](const TrainingState& state, const StepResult&, float, const Evaluation*) {
    if (state.steps == 7) stop = true;
  };
  EXPECT_EQ(train_run(stopped, options_, events, stop).end, Trainer::End::kStopped);
  EXPECT_NO_THROW(load_model(stopped));  // the best weights so far answer
  EXPECT_EQ(resume_run(stopped, {}, {}, never_).end, Trainer::End::kFinished);
  std::vector<std::string> files = {kWeightsFile};
  for (const std::string& name : description_files()) {
    EXPECT_EQ(file_exists(stopped + "/" + name), file_exists(whole + "/" + name)) << name;
    if (file_exists(whole + "/" + name)) files.push_back(name);
  }
  for (const std::string& name : files) {
    EXPECT_TRUE(read_file(stopped + "/" + name) == read_file(whole + "/" + name)) << name;
  }
}

TEST_P(FakeAxes, TheConfigIsReadBackAsItWasWritten) {
  const std::string text = config_text(options_.config);
  EXPECT_EQ(config_text(parse_config(text, "c.json")), text);
}

INSTANTIATE_TEST_SUITE_P(
    Mixes, FakeAxes,
    testing::Values(Mix{"codes_attention_label", {"input.kind=fake_codes"}},
                    Mix{"codes_lstm_label", {"input.kind=fake_codes", "body.kind=lstm"}},
                    Mix{"text_next_label", {"body.kind=fake_next"}},
                    Mix{"text_next_tags", {"body.kind=fake_next"}, "tags"},
                    Mix{"text_attention_sign", {"output.kind=fake_sign"}},
                    Mix{"text_bag_sign_tfidf",
                        {"output.kind=fake_sign", "body.kind=bag", "wide.kind=tfidf"}},
                    Mix{"codes_attention_tfidf", {"input.kind=fake_codes", "wide.kind=tfidf"}},
                    Mix{"codes_next_sign",
                        {"input.kind=fake_codes", "body.kind=fake_next", "output.kind=fake_sign"}},
                    Mix{"ensemble_with_next",
                        {"ensemble.size=2", "ensemble.bodies=[{\"kind\": \"fake_next\"}]"}}),
    [](const testing::TestParamInfo<Mix>& mix) { return mix.param.name; });

TEST(FakeParts, OptionsAreCheckedLikeThoseOfRealOnes) {
  EXPECT_EQ(test::message_of<UsageError>([] {
              settings_of({"input.kind=fake_codes", "input.scale=0"});
            }),
            "--set: input.scale: expected a number above 0, got 0");
  EXPECT_EQ(test::message_of<UsageError>([] { settings_of({"body.kind=fake_nxt"}); }),
            "--set: body.kind: expected one of \"attention\", \"conformer\", \"cnn\", \"lstm\", "
            "\"gru\", \"rnn\", "
            "\"window\", \"bag\", \"fake_next\", got \"fake_nxt\"; did you mean "
            "\"fake_next\"?");
}

TEST(FakeParts, AreForRecordsInMemoryToo) {
  std::vector<Record> records;
  for (int i = 0; i < 60; ++i) {
    const bool late = i % 2 == 1;
    records.push_back(labelled(std::string(3, late ? 's' : 'c'), late ? "late" : "early"));
  }
  TrainSettings settings;
  settings.epochs = 20;
  settings.workers = 1;
  settings.set = {
      "width=16",           "input.kind=fake_codes", "body.kind=fake_next", "output.kind=fake_sign",
      "training.rate=0.01", "training.batch_rows=30"};
  const Heed model = train(records, settings);
  EXPECT_EQ(model.label("ttt").name, "late");
  EXPECT_EQ(model.label("bbb").name, "early");
  EXPECT_EQ(model.score(records), 1.0);
  EXPECT_EQ(test::message_of<UsageError>([&] { model.answer(make_record(Sentence{{"sss"}})); }),
            "record 0: the input fake_codes does not read records like this");
}

TEST(FakeParts, AnInputThatDoesNotReadTheDataIsRefusedBeforeAnythingIsWritten) {
  const TemporaryFolder folder;
  const Settings settings = settings_of({"input.kind=fake_codes"}, "tags");
  RunOptions options;
  options.read.answer = AnswerKind::kTags;
  options.train = {folder.write("data.conll", conll())};
  options.config = settings.config;
  const std::atomic<bool> never = false;
  EXPECT_THROW(train_run(folder.path("M"), options, {}, never), UsageError);
  EXPECT_FALSE(file_exists(folder.path("M")));
}

}  // namespace
}  // namespace heed
