#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "heed/model/json_options.h"
#include "heed/tensor/shape.h"

namespace heed {

// The sizes of a model in one word: tiny, small, base. Each part takes what it has a use for.
struct SizePreset {
  const char* name;
  Index width, heads, hidden, layers;
  float dropout;
};

// One choice on an axis of a model: an input, a body, an output, or what stands beside them. It has
// the options of that choice, and of inputs and outputs also what they learned from the data.
class Part {
 public:
  virtual ~Part() = default;

  // Its options by name, as config.json has them.
  virtual void read(JsonReader& archive) = 0;
  virtual void write(JsonWriter& archive) const = 0;
  // Dropout of everything that has it.
  virtual void set_dropout(float) {}
  virtual void apply(const SizePreset&) {}
  // The files that it keeps in a model's folder, all that there may be.
  virtual std::vector<std::string> files() const { return {}; }
  virtual void save(const std::string& /*folder*/) const {}
  virtual void load(const std::string& /*folder*/) {}
};

// What every part needs and is always the same: options that are a described struct, and copying.
//
//   class BagBody : public PartOf<BagBody, Body, BagOptions> { … };
template <class Derived, class Axis, class Options>
class PartOf : public Axis {
 public:
  void read(JsonReader& archive) override { describe(archive, options_); }
  void write(JsonWriter& archive) const override {
    Options copy = options_;  // a description is written for both directions
    describe(archive, copy);
  }
  std::unique_ptr<Axis> clone() const override {
    return std::make_unique<Derived>(static_cast<const Derived&>(*this));
  }

  Options& options() { return options_; }
  const Options& options() const { return options_; }

 protected:
  Options options_{};
};

// The choices of one axis by name. A new choice is one line in registry.cpp, or one call from
// outside before the first model is made.
template <class Axis>
class Registry {
 public:
  using Make = std::unique_ptr<Axis> (*)();

  static Registry& instance();

  void add(std::string name, Make maker) { choices_.emplace_back(std::move(name), maker); }
  // A UsageError that lists the known names where there is none of this one.
  std::unique_ptr<Axis> make(const std::string& name) const;
  std::vector<std::string> names() const;

 private:
  std::vector<std::pair<std::string, Make>> choices_;
};

// A part with its name; copies are deep.
template <class Axis>
class Choice {
 public:
  Choice() : Choice(Registry<Axis>::instance().names().front()) {}
  Choice(std::string kind, std::unique_ptr<Axis> part)
      : kind_(std::move(kind)), part_(std::move(part)) {}
  explicit Choice(std::string kind)
      : kind_(std::move(kind)), part_(Registry<Axis>::instance().make(kind_)) {}
  Choice(const Choice& other) : kind_(other.kind_), part_(other.part_->clone()) {}
  Choice(Choice&&) noexcept = default;
  Choice& operator=(Choice other) noexcept {
    std::swap(kind_, other.kind_);
    std::swap(part_, other.part_);
    return *this;
  }

  const std::string& kind() const { return kind_; }
  Axis& operator*() { return *part_; }
  const Axis& operator*() const { return *part_; }
  Axis* operator->() { return part_.get(); }
  const Axis* operator->() const { return part_.get(); }
  // As the class of that choice, for whoever knows which it is; null where it is another.
  template <class Concrete>
  Concrete* as() {
    return dynamic_cast<Concrete*>(part_.get());
  }
  template <class Concrete>
  const Concrete* as() const {
    return dynamic_cast<const Concrete*>(part_.get());
  }

 private:
  std::string kind_;
  std::unique_ptr<Axis> part_;
};

// {"kind": "attention", "layers": 2, …}. Another kind begins with its own defaults.
template <class Archive, class Axis>
void describe(Archive& archive, Choice<Axis>& choice) {
  std::string kind = choice.kind();
  archive.choice("kind", kind, Registry<Axis>::instance().names());
  if (kind != choice.kind()) choice = Choice<Axis>(kind);
  if constexpr (Archive::kReading) {
    choice->read(archive);
  } else {
    choice->write(archive);
  }
}

}  // namespace heed
