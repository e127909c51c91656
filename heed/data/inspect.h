#pragma once

#include <string>
#include <utility>
#include <vector>

#include "heed/data/dataset.h"

namespace heed {

// What data is like before anything learns from it, and what in it may deceive.
struct Inspection {
  struct Class {
    std::string name;
    Index count = 0;
    Place first;
  };
  // One thing found in several records: how many, and where first.
  struct Found {
    Index count = 0;
    Place first;

    void add(const Record& record) {
      if (count++ == 0) first = record.place;
    }
  };
  // Sizes of all records, in characters or words.
  struct Sizes {
    Index shortest = 0, median = 0, longest = 0;
    Place longest_at;
  };

  Index records = 0;
  Index unanswered = 0;        // without a label where there may be none
  std::vector<Class> classes;  // labels or tags, the most frequent first
  Sizes words, characters;     // of texts; 0 of anything else

  Found empty;                       // texts without a character
  Index repeated = 0;                // contents that occur more than once
  Index copies = 0;                  // records with such a content
  Index conflicts = 0;               // of those contents, how many have different answers
  Index conflicting = 0;             // records with such a content
  std::pair<Place, Place> conflict;  // the first of them, and one that differs
  std::pair<std::string, std::string> conflict_names;

  Found replaced;      // with U+FFFD, where bytes were lost
  Found control;       // with control characters
  Found invisible;     // with U+FEFF, U+200B and their like
  Found mojibake;      // with UTF-8 that was read as Latin-1 or Windows-1252: "Ã©", "â€™"
  Found listed;        // with a label that looks like several: "a|b"
  Index repaired = 0;  // lines or files that were not UTF-8

  // Classes with one example.
  std::vector<const Class*> single() const;
  // Whether every record has a label of its own, as if that were its number.
  bool one_class_each() const;
};

Inspection inspect(const Dataset& data);

// What a person should know before training, a sentence each.
std::vector<std::string> warnings(const Inspection& found, const Dataset& data);

// How many records of `others` have a content that is also in `data`.
Index shared_contents(const Dataset& data, const Dataset& others);

}  // namespace heed
